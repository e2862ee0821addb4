"""The state of layered tries (lmpt 1 to 3).

Simple and slow: each layer is a dictionary, and its trie is built anew after each block.
"""

from typing import NamedTuple

from .carrier import check_names, read_member, read_number
from .errors import check
from .keccak import keccak256
from .mpt import nibbles_of

TOMBSTONE = b"\x00"


# lmpt 1 and 2: Layers and eras


class Eras(NamedTuple):
    """The bounds of an era; None for none."""

    blocks: int
    ops: int
    bytes: int = None


class State:
    """The layers after a block, as dictionaries from the hashes of keys to the values of leaves."""

    def __init__(self, eras):
        self.eras = eras
        self.snapshot, self.intermediate, self.delta = {}, {}, {}
        self.is_genesis = True
        self.begin_era()

    def begin_era(self):
        self.blocks = self.ops = self.bytes = 0

    def apply(self, block):
        """Applies a normalised block: a dictionary from raw keys to values, None to delete a key."""
        if self.is_genesis:
            self.is_genesis = False
            self.snapshot = {keccak256(key): b"\x01" + value for key, value in block.items()}
            return
        for key, value in block.items():
            self.delta[keccak256(key)] = TOMBSTONE if value is None else b"\x01" + value
            self.ops += 1
            self.bytes += 64 + len(value or b"")
        self.blocks += 1
        if self.is_over():
            self.end_era()

    def is_over(self):
        reached = self.blocks == self.eras.blocks or self.ops >= self.eras.ops
        return reached or (self.eras.bytes is not None and self.bytes >= self.eras.bytes)

    def end_era(self):
        for key, leaf in self.intermediate.items():
            if leaf == TOMBSTONE:
                self.snapshot.pop(key, None)
            else:
                self.snapshot[key] = leaf
        self.intermediate, self.delta = self.delta, {}
        self.begin_era()

    def root(self):
        layers = (self.snapshot, self.intermediate, self.delta)
        return b"".join(trie_root(layer) for layer in layers)


# mpt 3: the trie of a dictionary


def trie_root(leaves):
    entries = [(nibbles_of(key), leaf) for key, leaf in sorted(leaves.items())]
    return keccak256(encode_list(node_of(entries)) if entries else encode_string(b""))


def node_of(entries):
    """The items of the node over entries, each with the rest of its path."""
    path, leaf = entries[0]
    if len(entries) == 1:
        return [encode_string(compact(path, True)), encode_string(leaf)]
    last = entries[-1][0]
    shared = next(i for i in range(len(path)) if path[i] != last[i])
    if shared:
        below = [(path[shared:], leaf) for path, leaf in entries]
        return [encode_string(compact(path[:shared], False)), reference(below)]
    children = [[(p[1:], leaf) for p, leaf in entries if p[0] == nibble] for nibble in range(16)]
    return [reference(child) if child else encode_string(b"") for child in children] + [encode_string(b"")]


def reference(entries):
    node = encode_list(node_of(entries))
    return node if len(node) < 32 else encode_string(keccak256(node))


def compact(path, is_leaf):
    """A path in hex-prefix form (mpt 2)."""
    flag = 2 * is_leaf
    nibbles = [flag + 1, *path] if len(path) % 2 else [flag, 0, *path]
    return bytes(high << 4 | low for high, low in zip(nibbles[::2], nibbles[1::2]))


def encode_string(data):
    return data if len(data) == 1 and data[0] < 0x80 else with_length(0x80, data)


def encode_list(items):
    return with_length(0xC0, b"".join(items))


def with_length(code, payload):
    length = len(payload)
    if length < 56:
        return bytes([code + length]) + payload
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([code + 55 + len(digits)]) + digits + payload


# vectors 5: the parameters of StateRoots


def read_state(params):
    """The state before block 0 of a chain with these parameters."""
    check_names(params, ("eraBlocks", "eraOps", "eraBytes"))
    eras = Eras(
        read_member(params, "eraBlocks", read_number),
        read_member(params, "eraOps", read_number),
        read_member(params, "eraBytes", read_number, None),
    )
    check(all(bound != 0 for bound in eras), "invalid_config")
    return State(eras)

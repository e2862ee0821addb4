"""Layered Merkle Patricia tries (lmpt 4 and 5), and the group LmptProof (vectors 27)."""

from typing import NamedTuple, Optional

from . import mpt
from .borsh import Decoder
from .carrier import check_names, read_array, read_bytes, read_member, write_bytes
from .envelope import LMPT, open_envelope
from .errors import check
from .keccak import keccak256
from .mpt import EMPTY_ROOT, Branch, Extension, Leaf, Limits, nibbles_of, read_limits
from .rlp import Payload

PROOF = 1

# From the newest writes to the oldest, the order in which a key is looked up.
LAYERS = ("delta", "intermediate", "snapshot")


class Answer(NamedTuple):
    """A key's value, or None, and the layer that settles it."""

    value: Optional[bytes]
    layer: str


# lmpt 5: Verification


def verify(root, keys, message, limits):
    """Returns what each key has."""
    check(len(root) == 96, "invalid_argument")
    check(keys, "invalid_argument")
    check(len(keys) <= limits.keys, "too_many_keys")
    lists = read_proof(open_envelope(message, LMPT, PROOF, limits))
    tries = [Nodes(strings, limits) for strings in lists]

    roots = {"snapshot": root[:32], "intermediate": root[32:64], "delta": root[64:]}
    open_keys = sorted({keccak256(key) for key in keys})
    answers = {}
    for layer, nodes in zip(LAYERS, tries):
        if open_keys and roots[layer] != EMPTY_ROOT:
            found = nodes.walk(roots[layer], open_keys)
        else:
            found = {}
        nodes.check_used()
        for key in open_keys:
            if key in found:
                answers[key] = Answer(settle(found[key], layer), layer)
        open_keys = [key for key in open_keys if key not in answers]
    never = Answer(None, "snapshot")
    return [answers.get(keccak256(key), never) for key in keys]


def read_proof(body):
    """The three lists of byte strings."""
    decoder = Decoder(body)
    lists = [decoder.vector(decoder.bytes) for _ in LAYERS]
    decoder.finish()
    return lists


def settle(leaf, layer):
    """The value in a leaf, or None for a tombstone."""
    if leaf[:1] == b"\x01":
        return leaf[1:]
    check(leaf == b"\x00", "invalid_layer_value")
    check(layer != "snapshot", "tombstone_in_snapshot")
    return None


class Nodes:
    """The nodes of one layer, gone to one after the other."""

    def __init__(self, strings, limits):
        self.strings = strings
        self.used = 0
        limits = limits._replace(value_bytes=limits.value_bytes + 1)
        self.nodes = []
        for index, data in enumerate(strings):
            self.nodes.append(mpt.decode_node(data, limits))
            check(index == 0 or len(data) >= 32, "short_node")

    def walk(self, root, keys):
        """Follows all keys from the root. Returns the values of those that are present."""
        found = {}
        self.follow(self.next(root, "root_mismatch"), [(nibbles_of(key), key) for key in keys], found)
        return found

    def follow(self, node, ahead, found):
        """`ahead` has the nibbles that are left of each key that leads to the node, ascending."""
        if isinstance(node, Leaf):
            found.update((key, node.value) for rest, key in ahead if rest == node.path)
        elif isinstance(node, Extension):
            length = len(node.path)
            below = [(rest[length:], key) for rest, key in ahead if rest[:length] == node.path]
            if below:
                child = self.child(node.child)
                check(isinstance(child, Branch), "extension_child")
                self.follow(child, below, found)
        else:
            found.update((key, node.value) for rest, key in ahead if not rest and node.value)
            for nibble, child in enumerate(node.children):
                below = [(rest[1:], key) for rest, key in ahead if rest[:1] == [nibble]]
                if below and child != b"":
                    self.follow(self.child(child), below, found)

    def child(self, child):
        if isinstance(child, Payload):
            return mpt.read_node(child, Limits(value_bytes=32))
        return self.next(child, "node_mismatch")

    def next(self, hash_, reason):
        check(self.used < len(self.nodes), "node_missing")
        check(keccak256(self.strings[self.used]) == hash_, reason)
        self.used += 1
        return self.nodes[self.used - 1]

    def check_used(self):
        check(self.used == len(self.nodes), "node_left_over")


def verify_values(root, _header, config, keys, proof, _insecure_allowed, _key_bytes):
    """Returns what each raw key has in a chain's state."""
    limits = Limits()._replace(value_bytes=config.limits.max_value)
    answers = verify(root, keys, proof, limits)
    return [(answer.value, None, None, answer.layer) for answer in answers]


# vectors 27: LmptProof


def verify_input(test_input):
    """Verifies the `input` of a test."""
    check_names(test_input, ("root", "keys", "proof", "limits"))
    answers = verify(
        read_member(test_input, "root", read_bytes),
        read_member(test_input, "keys", lambda keys: read_array(keys, read_bytes)),
        read_member(test_input, "proof", read_bytes),
        read_member(test_input, "limits", read_limits, Limits()),
    )
    return {"answers": [write_answer(answer) for answer in answers]}


def write_answer(answer):
    value = None if answer.value is None else write_bytes(answer.value)
    return {"value": value, "layer": answer.layer}

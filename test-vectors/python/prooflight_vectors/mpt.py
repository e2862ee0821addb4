"""Merkle Patricia proofs (mpt 2 to 4), and the group MptProof (vectors 10)."""

from typing import NamedTuple, Union

from . import carrier
from .carrier import check_names, read_array, read_bytes, read_hash, read_member, write_bytes
from .errors import check
from .keccak import keccak256
from .rlp import Payload, decode

EMPTY_TRIE = b"\x80"
EMPTY_ROOT = keccak256(EMPTY_TRIE)
MAX_KEY = 256


class Limits(NamedTuple):
    """conventions 2."""

    proof_bytes: int = 8 * 1024 * 1024
    keys: int = 4096
    value_bytes: int = 65536
    changes: int = 100_000


class Leaf(NamedTuple):
    path: list
    value: bytes


class Extension(NamedTuple):
    path: list
    child: Union[bytes, Payload]


class Branch(NamedTuple):
    children: list
    value: bytes


def verify_proof(root, key, proof, limits):
    """Verifies a proof (mpt 4). Returns the key's value, or None if it is absent."""
    check(len(key) <= MAX_KEY, "key_length")
    check(sum(len(node) for node in proof) <= limits.proof_bytes, "proof_too_large")
    check(len(proof) <= 2 * len(key) + 1, "too_many_nodes")
    if proof == [EMPTY_TRIE]:
        proof = []
    nodes = []
    for index, data in enumerate(proof):
        nodes.append(decode_node(data, limits))
        check(index == 0 or len(data) >= 32, "short_node")
    if not nodes:
        check(root == EMPTY_ROOT, "root_mismatch")
        return None
    check(keccak256(proof[0]) == root, "root_mismatch")
    value, used = walk(nibbles_of(key), proof, nodes)
    check(used == len(nodes), "node_left_over")
    return value


def walk(ahead, proof, nodes):
    """Check 8 of mpt 4. Returns the value or None, and how many nodes of the proof were gone to."""
    node, used = nodes[0], 1
    while True:
        if isinstance(node, Leaf):
            return (node.value if node.path == ahead else None), used
        if isinstance(node, Extension):
            length = len(node.path)
            if ahead[:length] != node.path:
                return None, used
            child, ahead = node.child, ahead[length:]
        elif not ahead:
            return node.value or None, used
        else:
            child, ahead = node.children[ahead[0]], ahead[1:]
            if child == b"":
                return None, used
        must_be_branch = isinstance(node, Extension)
        if isinstance(child, Payload):
            node = read_node(child, Limits(value_bytes=32))
        else:
            check(used < len(nodes), "node_missing")
            check(keccak256(proof[used]) == child, "node_mismatch")
            node = nodes[used]
            used += 1
        check(not must_be_branch or isinstance(node, Branch), "extension_child")


def nibbles_of(data):
    return [nibble for byte in data for nibble in (byte >> 4, byte & 15)]


def read_path(string):
    """A path in hex-prefix form (mpt 2). Returns it and whether it is a leaf's."""
    nibbles = nibbles_of(string)
    check(nibbles and nibbles[0] < 4, "invalid_path")
    if nibbles[0] & 1:
        return nibbles[1:], nibbles[0] > 1
    check(nibbles[1] == 0, "invalid_path")
    return nibbles[2:], nibbles[0] > 1


def decode_node(data, limits):
    """A node of a proof (step 5)."""
    payload = decode(data)
    check(isinstance(payload, Payload), "invalid_node")
    return read_node(payload, limits)


def read_node(payload, limits):
    """The node whose list has this payload (mpt 3)."""
    items = list(payload.items())
    check(len(items) in (2, 17), "invalid_node")
    if len(items) == 17:
        return read_branch(items, limits)
    check(isinstance(items[0], bytes), "invalid_node")
    path, is_leaf = read_path(items[0])
    if is_leaf:
        value = read_value(items[1], limits)
        check(value, "empty_value")
        return Leaf(path, value)
    check(path, "invalid_path")
    inline = check_child(items[1], limits)
    check(items[1] != b"", "invalid_child")
    check(inline is None or isinstance(inline, Branch), "extension_child")
    return Extension(path, items[1])


def read_branch(items, limits):
    *children, last = items
    for child in children:
        check_child(child, limits)
    value = read_value(last, limits)
    check(sum(item != b"" for item in items) >= 2, "branch_entries")
    return Branch(children, value)


def check_child(item, limits):
    """Checks that an item is a child. Returns its node, if it is inline."""
    if isinstance(item, bytes):
        check(len(item) in (0, 32), "invalid_child")
        return None
    # Its header is one byte.
    check(1 + len(item.data) < 32, "invalid_child")
    return read_node(item, limits)


def read_value(item, limits):
    check(isinstance(item, bytes), "invalid_node")
    check(len(item) <= limits.value_bytes, "value_too_large")
    return item


# vectors 10: MptProof


def verify_input(test_input):
    """Verifies the `input` of a test."""
    check_names(test_input, ("root", "key", "proof", "limits"))
    value = verify_proof(
        read_member(test_input, "root", read_hash),
        read_member(test_input, "key", read_bytes),
        read_member(test_input, "proof", read_nodes),
        read_member(test_input, "limits", read_limits, Limits()),
    )
    return {"value": None if value is None else write_bytes(value)}


def read_nodes(value):
    return read_array(value, read_bytes)


LIMITS = {"maxProofBytes": "proof_bytes", "maxKeys": "keys", "maxValueBytes": "value_bytes"}


def read_limits(value):
    return carrier.read_limits(value, Limits(), LIMITS)

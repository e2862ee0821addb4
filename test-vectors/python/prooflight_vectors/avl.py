"""AVL+ batch proofs (avl), and the group AvlBatch (vectors 3)."""

from typing import NamedTuple, Optional

from . import avl_tree, carrier
from .avl_proof import read_tree
from .avl_tree import LEFT, RIGHT, Internal, Leaf
from .carrier import (
    check_names,
    read_array,
    read_bytes,
    read_member,
    read_name,
    read_number,
    read_signed,
    write_bytes,
)
from .errors import check
from .merkle import hash_of

STRICT, COMPAT = "strict", "compat"

WITH_VALUE = ("Insert", "Update", "InsertOrUpdate")
MAY_DELETE = ("Remove", "RemoveIfExists", "UpdateLongBy")
NAMES = ("Lookup",) + WITH_VALUE + MAY_DELETE


class Limits(NamedTuple):
    """conventions 2."""

    operations: int = 4096
    deletes: int = 4096
    proof_bytes: int = 8 * 1024 * 1024
    value_bytes: int = 65536


class Params(NamedTuple):
    """What the caller pins. `value_length` is None for variable values."""

    key_length: int
    value_length: Optional[int] = None
    mode: str = STRICT
    limits: Limits = Limits()

    def strict(self):
        return self.mode == STRICT

    def check_value(self, value):
        """Checks the length of a value that goes into the dictionary."""
        if self.value_length is None:
            check(len(value) <= self.limits.value_bytes, "value_length")
        else:
            check(len(value) == self.value_length, "value_length")


class Operation(NamedTuple):
    name: str
    key: bytes
    value: Optional[bytes] = None
    delta: Optional[int] = None


class Answer(NamedTuple):
    """The digest after the batch, and for each operation the value before it, or None, and the
    neighbours of an absent key, or None."""

    digest: bytes
    results: list
    neighbours: list


# avl 5: The caller's arguments


def check_arguments(digest, operations, params):
    check(len(digest) == 33, "digest_length")
    check(1 <= params.key_length <= 256, "invalid_argument")
    check(len(operations) <= params.limits.operations, "too_many_operations")
    check(count_deletes(operations) <= params.limits.deletes, "too_many_deletes")
    for operation in operations:
        check(len(operation.key) == params.key_length, "key_length")
        check(operation.key not in sentinels(params.key_length), "key_out_of_range")
        if operation.value is not None:
            params.check_value(operation.value)


def count_deletes(operations):
    return sum(operation.name in MAY_DELETE for operation in operations)


def sentinels(key_length):
    return b"\x00" * key_length, b"\xff" * key_length


# avl 6: Verification


def verify_batch(digest, operations, proof, params):
    """Verifies a batch against the digest before it. Returns an Answer or raises Refusal."""
    check_arguments(digest, operations, params)
    h = digest[32]
    check(len(proof) <= params.limits.proof_bytes, "proof_too_large")

    n = len(operations)
    m = count_deletes(operations) if params.strict() else n
    root, expanded, directions = read_tree(proof, h, n, m, params)
    if params.strict():
        check_heights(root, h)
    check(avl_tree.label(root) == digest[:32], "root_mismatch")

    height, results, neighbours = h, [], []
    for operation in operations:
        path, leaf, present = avl_tree.search(root, operation.key, directions)
        results.append(leaf.value if present else None)
        neighbours.append(None if present else (leaf.key, leaf.next_key))

        change, value = decide(operation, leaf.value) if present else decide_absent(operation)
        if value is not None:
            params.check_value(value)
        avl_tree.visit(leaf)
        for node, _ in path:
            avl_tree.visit(node)

        if change == "set":
            leaf.value = value
        elif change == "insert":
            root, grew = avl_tree.insert(path, leaf, operation.key, value)
            height += grew
        elif change == "delete":
            root, shrank = avl_tree.delete(path, leaf)
            height -= shrank

    if params.strict():
        check(len(directions.data) == directions.bytes_read(), "directions_left_over")
        check(directions.padding() == 0, "directions_padding")
        check(all(node.visited for node in expanded), "node_not_visited")
    check(0 <= height <= 255, "height_overflow")
    return Answer(avl_tree.label(root) + bytes([height]), results, neighbours)


def check_heights(root, h):
    stack = [(root, h)]
    while stack:
        node, height = stack.pop()
        check(height >= 0, "height_mismatch")
        if isinstance(node, Leaf):
            check(height == 0, "height_mismatch")
        elif isinstance(node, Internal):
            stack.append((node.children[LEFT], height - 1 if node.balance <= 0 else height - 2))
            stack.append((node.children[RIGHT], height - 1 if node.balance >= 0 else height - 2))


# avl 4: Operations: what becomes of a key, and the value that is set or inserted


def decide(operation, v):
    """The key is present, with value `v`."""
    name = operation.name
    if name in ("Remove", "RemoveIfExists"):
        return "delete", None
    if name in ("Update", "InsertOrUpdate"):
        return "set", operation.value
    if name == "UpdateLongBy" and operation.delta != 0:
        return add(v, operation.delta)
    check(name != "Insert", "key_exists")
    return "keep", None


def decide_absent(operation):
    """The key is absent."""
    name = operation.name
    if name in ("Insert", "InsertOrUpdate"):
        return "insert", operation.value
    if name == "UpdateLongBy" and operation.delta != 0:
        check(operation.delta > 0, "value_negative")
        return "insert", long(operation.delta)
    check(name not in ("Update", "Remove"), "key_absent")
    return "keep", None


def add(v, d):
    check(len(v) >= 8, "value_not_long")
    s = int.from_bytes(v[:8], "big", signed=True) + d
    check(-(2**63) <= s < 2**63, "value_overflow")
    if s == 0:
        return "delete", None
    check(s > 0, "value_negative")
    return "set", long(s)


def long(number):
    return number.to_bytes(8, "big", signed=True)


# vectors 3: AvlBatch


def verify_input(test_input):
    """Verifies the `input` of a test."""
    check_names(
        test_input,
        ("keyLength", "valueLength", "digest", "ops", "proof", "mode", "limits"),
    )
    params = Params(
        key_length=read_member(test_input, "keyLength", read_number),
        value_length=read_member(test_input, "valueLength", read_value_length),
        mode=read_member(test_input, "mode", read_mode, default=STRICT),
        limits=read_member(test_input, "limits", read_limits, default=Limits()),
    )
    return write_answer(
        verify_batch(
            read_member(test_input, "digest", read_bytes),
            read_member(test_input, "ops", read_operations),
            read_member(test_input, "proof", read_bytes),
            params,
        ),
        params.key_length,
    )


def read_value_length(value):
    return None if value is None else read_number(value)


def read_mode(value):
    return read_name(value, (STRICT, COMPAT))


def read_limits(value):
    fields = {
        "maxOperations": "operations",
        "maxDeletes": "deletes",
        "maxProofBytes": "proof_bytes",
        "maxValueBytes": "value_bytes",
    }
    limits = carrier.read_limits(value, Limits(), fields)
    return limits if "maxDeletes" in value else limits._replace(deletes=limits.operations)


def read_operations(value):
    return read_array(value, read_operation)


def read_operation(value):
    name = read_member(value, "op", lambda op: read_name(op, NAMES))
    key = read_member(value, "key", read_bytes)
    if name in WITH_VALUE:
        check_names(value, ("op", "key", "value"))
        return Operation(name, key, value=read_member(value, "value", read_bytes))
    if name == "UpdateLongBy":
        check_names(value, ("op", "key", "delta"))
        return Operation(name, key, delta=read_member(value, "delta", read_signed))
    check_names(value, ("op", "key"))
    return Operation(name, key)


def write_answer(answer, key_length):
    """An answer as the `expected` of a test has it."""
    return {
        "digest": write_bytes(answer.digest),
        "results": [None if value is None else write_bytes(value) for value in answer.results],
        "neighbours": [write_neighbours(pair, key_length) for pair in answer.neighbours],
    }


def write_neighbours(pair, key_length):
    if pair is None:
        return None
    first, last = sentinels(key_length)
    previous, following = pair
    return {
        "previous": None if previous == first else write_bytes(previous),
        "next": None if following == last else write_bytes(following),
    }


# chain 7: the state of a chain


def verify_values(digest, _header, config, keys, proof, _insecure_allowed, _key_bytes):
    """Returns what each raw key has in a chain's state."""
    default = Limits()
    most = min(config.limits.max_ops, default.operations)
    params = Params(
        key_length=32,
        limits=default._replace(operations=most, value_bytes=config.limits.max_value),
    )
    lookups = [Operation("Lookup", hash_of_key(key)) for key in keys]
    values = verify_batch(digest, lookups, proof, params).results
    return [(value, None, None) for value in values]


def hash_of_key(key):
    """The key of a raw key in the dictionary (chain 5)."""
    return hash_of(key)

"""The state of chains (chain 5, 7 and 8), and the groups StateAnswer, BlockTransition, StateBlock."""

from typing import NamedTuple, Optional

from . import avl, avl_tree, borsh, chain_sync, merkle
from .carrier import (
    check_names,
    read_array,
    read_boolean,
    read_bytes,
    read_member,
    read_name,
    read_text,
    write_bytes,
    write_quantity,
)
from .chain import decode_header
from .chain_values import root_of, verify_values
from .checkpoint import read_limits
from .errors import check
from .schemes import STATE_SCHEMES


class StateOperation(NamedTuple):
    """`value` is None for a Delete."""

    key: bytes
    value: Optional[bytes]

    def encode(self):
        if self.value is None:
            return borsh.u8(1) + borsh.string(self.key)
        return borsh.u8(0) + borsh.string(self.key) + borsh.string(self.value)

    def of_batch(self):
        """The operation as the dictionary has it."""
        if self.value is None:
            return avl.Operation("RemoveIfExists", avl.hash_of_key(self.key))
        return avl.Operation("InsertOrUpdate", avl.hash_of_key(self.key), value=self.value)


# chain 8: Blocks


def check_follows(header, parent):
    """Checks that a block comes right after another."""
    check(header.parent == parent.hash(), "not_extending")
    check(header.height == parent.height + 1, "invalid_header")
    check(header.timestamp_ms > parent.timestamp_ms, "invalid_header")


def digest_before(header, parent):
    """The digest before a block, if none is given."""
    if parent is not None:
        root = root_of("avl", parent)
        check(root is not None, "wrong_schemes")
        return root
    check(header.height == 0, "invalid_argument")
    first, last = avl.sentinels(32)
    return avl_tree.label(avl_tree.Leaf(first, b"", last)) + b"\0"


def verify_block(digest, header, operations, proof, limits):
    """Returns the digest after a block, which is the accepted header's."""
    check(len(operations) <= limits.max_ops, "invalid_block")
    keys = [operation.key for operation in operations]
    check(all(one < other for one, other in zip(keys, keys[1:])), "invalid_block")
    for key, value in operations:
        check(len(key) <= limits.max_key, "invalid_block")
        check(value is None or len(value) <= limits.max_value, "invalid_block")

    leaves = [merkle.leaf_hash(operation.encode()) for operation in operations]
    check(merkle.root_of(leaves) == header.ops_root, "operations_mismatch")

    batch = sorted((operation.of_batch() for operation in operations), key=lambda it: it.key)
    params = avl.Params(
        key_length=32,
        limits=avl.Limits(limits.max_ops, limits.max_ops, value_bytes=limits.max_value),
    )
    answer = avl.verify_batch(digest, batch, proof, params)
    for operation, result in zip(batch, answer.results):
        check(operation.name != "RemoveIfExists" or result is not None, "key_absent")

    root = root_of("avl", header)
    check(root is not None, "wrong_schemes")
    check(answer.digest == root, "state_root_mismatch")
    return answer.digest


# vectors 8: StateAnswer


def verify_answer_input(test_input):
    """Verifies the `input` of a test."""
    names = ("scheme", "header", "path", "keys", "proof", "allowInsecureSetup", "verifyingKey")
    check_names(test_input, chain_sync.SYNC + names)
    sync = chain_sync.read_sync(test_input)
    scheme = read_member(test_input, "scheme", read_text)
    data = read_member(test_input, "header", read_bytes, default=None)
    path = read_member(test_input, "path", chain_sync.read_path, default=None)
    check((data is None) == (path is None), "invalid_argument")
    keys = read_member(test_input, "keys", lambda keys: read_array(keys, read_bytes))
    proof = read_member(test_input, "proof", read_bytes)
    allowed = read_member(test_input, "allowInsecureSetup", read_boolean, default=False)
    key = read_member(test_input, "verifyingKey", read_bytes, default=None)

    check(scheme in [name.encode() for name in STATE_SCHEMES], "unknown_statement")
    header = head = chain_sync.verify_head(**sync)
    if data is not None:
        header = chain_sync.verify_ancestor(head, data, path)
    config = sync["checkpoint"].config
    states = verify_values(scheme.decode(), header, config, keys, proof, allowed, key, head)
    answer = {
        **chain_sync.write_answer(header),
        "values": [None if value is None else write_bytes(value) for value, *_ in states],
    }
    if scheme != b"avl":
        answer["states"] = [write_state(state) for state in states]
    return answer


def write_state(state):
    value, height, version, *layer = state
    members = {
        "value": None if value is None else write_bytes(value),
        "deletedAt" if value is None else "since": None if height is None else write_quantity(height),
        "version": None if version is None else write_quantity(version),
        "layer": layer[0] if layer else None,
    }
    return {name: member for name, member in members.items() if member is not None}


# vectors 9: BlockTransition


def verify_transition_input(test_input):
    """Verifies the `input` of a test."""
    check_names(test_input, ("digest", "header", "limits", "ops", "proof"))
    return verify_read_block(read_member(test_input, "digest", read_bytes), None, test_input)


# vectors 21: StateBlock


def verify_block_input(test_input):
    """Verifies the `input` of a StateBlock test."""
    check_names(test_input, ("parent", "digest", "header", "limits", "ops", "proof"))
    parent = read_member(test_input, "parent", read_bytes, default=None)
    digest = read_member(test_input, "digest", read_bytes, default=None)
    return verify_read_block(digest, parent, test_input)


def verify_read_block(digest, parent, test_input):
    data = read_member(test_input, "header", read_bytes)
    limits = read_member(test_input, "limits", read_limits)
    operations = read_member(test_input, "ops", lambda ops: read_array(ops, read_operation))
    proof = read_member(test_input, "proof", read_bytes)

    parent = None if parent is None else decode_header(parent)
    check(digest is None or len(digest) == 33, "digest_length")
    header = decode_header(data)
    if parent is not None:
        check_follows(header, parent)
    if digest is None:
        digest = digest_before(header, parent)
    return {"digest": write_bytes(verify_block(digest, header, operations, proof, limits))}


def read_operation(value):
    name = read_member(value, "op", lambda op: read_name(op, ("Set", "Delete")))
    key = read_member(value, "key", read_bytes)
    if name == "Delete":
        check_names(value, ("op", "key"))
        return StateOperation(key, None)
    check_names(value, ("op", "key", "value"))
    return StateOperation(key, read_member(value, "value", read_bytes))

"""Reading an answer as it was sent (mpt 10), and the group EthAnswer (vectors 30)."""

from .carrier import read_address, read_array, read_hash, read_integer, read_member, write_bytes
from .carrier import write_quantity
from .errors import Refusal, check
from .ethereum import (
    EMPTY_CODE,
    Account,
    Answer,
    Slot,
    check_limits,
    read_question,
    verify_read_answer,
    write_state,
)
from .keccak import keccak256
from .mpt import (
    EMPTY_ROOT,
    EMPTY_TRIE,
    Branch,
    Extension,
    Leaf,
    Limits,
    decode_node,
    nibbles_of,
    read_node,
    read_nodes,
)
from .rlp import Payload

ZEROS = bytes(32)


def read_sent(slots, answer, limits):
    """The canonical answer (steps 2 to 6)."""
    check_limits(slots, answer, limits)
    account_proof, is_absent = read_proof(keccak256(answer.address), answer.account_proof, limits)
    storage_proof = []
    for slot in answer.storage_proof:
        proof, _ = read_proof(keccak256(slot.key.to_bytes(32, "big")), slot.proof, limits)
        storage_proof.append(slot._replace(proof=proof))
    account = answer.account
    if is_absent:
        if account.storage_hash == ZEROS:
            account = account._replace(storage_hash=EMPTY_ROOT)
        if account.code_hash == ZEROS:
            account = account._replace(code_hash=EMPTY_CODE)
        if not storage_proof:
            storage_proof = [Slot(slot, 0, []) for slot in slots]
    return Answer(answer.address, account, account_proof, storage_proof)


def read_proof(key, proof, limits):
    """The canonical proof, and whether it shows no value."""
    if len(proof) > 4 * len(key) + 2:
        return proof, False
    proof = [string for string in proof if string]
    if not proof or proof == [EMPTY_TRIE]:
        return proof, True
    try:
        return proof, walk(nibbles_of(key), proof, limits)
    except Refusal:
        return proof, False


def walk(ahead, proof, limits):
    """Walks a proof (step 4), and removes strings from it. Returns whether the key is absent."""
    node, at = decode_node(proof[0], limits), 1
    while True:
        if isinstance(node, Leaf):
            return node.path != ahead
        if isinstance(node, Extension):
            length = len(node.path)
            if ahead[:length] != node.path:
                return True
            child, ahead = node.child, ahead[length:]
        elif not ahead:
            return not node.value
        else:
            child, ahead = node.children[ahead[0]], ahead[1:]
            if child == b"":
                return True
        must_be_branch = isinstance(node, Extension)
        if isinstance(child, Payload):
            if at < len(proof) and proof[at] == bytes([0xC0 + len(child.data)]) + child.data:
                del proof[at]
            node = read_node(child, Limits(value_bytes=32))
        else:
            check(at < len(proof), "node_missing")
            node = decode_node(proof[at], limits)
            at += 1
        check(not must_be_branch or isinstance(node, Branch), "extension_child")


# The form of an answer as it was sent (step 1)


def read_answer(response):
    try:
        nonce = read_or(response, "nonce", read_number, 0)
        check(nonce < 2**64, "invalid_answer")
        return Answer(
            address=read_member(response, "address", read_address),
            account=Account(
                nonce=nonce,
                balance=read_or(response, "balance", read_number, 0),
                storage_hash=read_or(response, "storageHash", read_hash, EMPTY_ROOT),
                code_hash=read_or(response, "codeHash", read_hash, EMPTY_CODE),
            ),
            account_proof=read_or(response, "accountProof", read_nodes, []),
            storage_proof=read_member(response, "storageProof", or_nothing(read_slots, []), []),
        )
    except Refusal:
        raise Refusal("invalid_answer") from None


def read_slots(value):
    return read_array(value, read_slot)


def read_slot(value):
    return Slot(
        key=read_member(value, "key", read_number),
        value=read_or(value, "value", read_number, 0),
        proof=read_or(value, "proof", read_nodes, []),
    )


def read_or(container, name, read, nothing):
    """A member; what it stands for if it is null."""
    return read_member(container, name, or_nothing(read, nothing))


def or_nothing(read, nothing):
    return lambda value: nothing if value is None else read(value)


def read_number(value):
    """An integer of 256 bits as nodes write it."""
    return 0 if value == "0x" else read_integer(value)


# vectors 30: EthAnswer


def verify_input(test_input):
    """Verifies the `input` of a test."""
    (state_root, address, slots, limits), response = read_question(test_input)
    answer = read_sent(slots, read_answer(response), limits)
    account, storage = verify_read_answer(state_root, address, slots, answer, limits)
    return {**write_state(account, storage), "canonical": write_answer(answer)}


def write_answer(answer):
    nonce, balance, storage_hash, code_hash = answer.account
    return {
        "address": write_bytes(answer.address),
        "accountProof": write_nodes(answer.account_proof),
        "balance": write_quantity(balance),
        "codeHash": write_bytes(code_hash),
        "nonce": write_quantity(nonce),
        "storageHash": write_bytes(storage_hash),
        "storageProof": [
            {
                "key": write_quantity(key),
                "value": write_quantity(value),
                "proof": write_nodes(proof),
            }
            for key, value, proof in answer.storage_proof
        ],
    }


def write_nodes(proof):
    return [write_bytes(node) for node in proof]

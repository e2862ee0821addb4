"""Ethereum's state, answers and headers (mpt 5 to 7), and their groups (vectors 11, vectors 12)."""

from typing import NamedTuple

from .carrier import (
    check_names,
    read_address,
    read_array,
    read_bytes,
    read_hash,
    read_integer,
    read_member,
    write_bytes,
    write_quantity,
)
from .errors import Refusal, check
from .keccak import keccak256
from .mpt import EMPTY_ROOT, Limits, read_limits, read_nodes, verify_proof
from .rlp import Payload, decode, is_integer

EMPTY_CODE = keccak256(b"")


class Account(NamedTuple):
    nonce: int
    balance: int
    storage_hash: bytes
    code_hash: bytes


NO_ACCOUNT = (
    Account(0, 0, bytes(32), bytes(32)),
    Account(0, 0, EMPTY_ROOT, EMPTY_CODE),
)


class Slot(NamedTuple):
    key: int
    value: int
    proof: list


class Answer(NamedTuple):
    address: bytes
    account: Account
    account_proof: list
    storage_proof: list


def decode_account(value):
    """What an account's value says (mpt 5)."""
    try:
        item = decode(value)
        check(isinstance(item, Payload), "invalid_account")
        items = list(item.items())
    except Refusal:
        raise Refusal("invalid_account") from None
    check(len(items) == 4, "invalid_account")
    check(is_integer(items[0], 8) and is_integer(items[1], 32), "invalid_account")
    for hash_ in items[2:]:
        check(isinstance(hash_, bytes) and len(hash_) == 32, "invalid_account")
    nonce, balance = (int.from_bytes(item, "big") for item in items[:2])
    return Account(nonce, balance, *items[2:])


def decode_slot(value):
    """What a slot's value says (mpt 5)."""
    try:
        item = decode(value)
    except Refusal:
        raise Refusal("invalid_slot_value") from None
    check(is_integer(item, 32) and item != b"", "invalid_slot_value")
    return int.from_bytes(item, "big")


def verify_answer(state_root, address, slots, response, limits):
    """Verifies an answer (mpt 6). Returns the account, or None, and the slots' values."""
    return verify_read_answer(state_root, address, slots, read_answer(response), limits)


def verify_read_answer(state_root, address, slots, answer, limits):
    """Steps 2 to 9."""
    check_limits(slots, answer, limits)
    check(answer.address == address, "address_mismatch")
    check([slot.key for slot in answer.storage_proof] == slots, "slot_keys_mismatch")
    value = verify_proof(state_root, keccak256(address), answer.account_proof, limits)
    if value is None:
        account = None
        check(answer.account in NO_ACCOUNT, "account_mismatch")
    else:
        account = decode_account(value)
        check(answer.account == account, "account_mismatch")
    storage_root = account.storage_hash if account else EMPTY_ROOT
    return account, [verify_slot(storage_root, slot, limits) for slot in answer.storage_proof]


def check_limits(slots, answer, limits):
    """Checks 2 and 3."""
    check(len(slots) <= limits.keys, "too_many_keys")
    proofs = [answer.account_proof] + [slot.proof for slot in answer.storage_proof]
    size = sum(len(node) for proof in proofs for node in proof)
    check(size <= limits.proof_bytes, "proof_too_large")


def verify_slot(storage_root, slot, limits):
    key = keccak256(slot.key.to_bytes(32, "big"))
    value = verify_proof(storage_root, key, slot.proof, limits)
    number = 0 if value is None else decode_slot(value)
    check(slot.value == number, "slot_mismatch")
    return number


def read_answer(response):
    """The answer as JSON (step 1). What has another form is the server's fault, not the caller's."""
    try:
        nonce = read_member(response, "nonce", read_integer)
        check(nonce < 2**64, "invalid_answer")
        return Answer(
            address=read_member(response, "address", read_address),
            account=Account(
                nonce=nonce,
                balance=read_member(response, "balance", read_integer),
                storage_hash=read_member(response, "storageHash", read_hash),
                code_hash=read_member(response, "codeHash", read_hash),
            ),
            account_proof=read_member(response, "accountProof", read_nodes),
            storage_proof=read_member(response, "storageProof", read_slots),
        )
    except Refusal:
        raise Refusal("invalid_answer") from None


def read_slots(value):
    return read_array(value, read_slot)


def read_slot(value):
    return Slot(
        key=read_member(value, "key", read_integer),
        value=read_member(value, "value", read_integer),
        proof=read_member(value, "proof", read_nodes),
    )


# mpt 7: Headers

FEWEST_ITEMS = 15
BYTES = {**dict.fromkeys((0, 1, 3, 4, 5, 13, 16, 19, 20), 32), 2: 20, 6: 256, 14: 8}
INTEGERS = {**dict.fromkeys((7, 15), 32), **dict.fromkeys((8, 9, 10, 11, 17, 18), 8)}
STATE_ROOT, NUMBER = 3, 8


def verify_header(hash_, header):
    """Verifies a header. Returns the block's number and its state root."""
    check(len(header) <= Limits().proof_bytes, "proof_too_large")
    payload = decode(header)
    check(isinstance(payload, Payload), "invalid_header")
    items = []
    for index, item in enumerate(payload.items()):
        check(isinstance(item, bytes), "invalid_header")
        check(len(item) == BYTES.get(index, len(item)), "invalid_header")
        check(index not in INTEGERS or is_integer(item, INTEGERS[index]), "invalid_header")
        items.append(item)
    check(len(items) >= FEWEST_ITEMS, "invalid_header")
    check(keccak256(header) == hash_, "header_hash_mismatch")
    return int.from_bytes(items[NUMBER], "big"), items[STATE_ROOT]


# vectors 11: EthGetProof and vectors 12 EthHeader


def verify_answer_input(test_input):
    """Verifies the `input` of an EthGetProof test."""
    question, response = read_question(test_input)
    account, storage = verify_answer(*question[:3], response, question[3])
    return write_state(account, storage)


def read_question(test_input):
    """The state root, address, slots and limits of an input, and its response."""
    check_names(test_input, ("stateRoot", "address", "slots", "response", "limits"))
    state_root = read_member(test_input, "stateRoot", read_hash)
    address = read_member(test_input, "address", read_address)
    slots = read_member(test_input, "slots", read_integers)
    limits = read_member(test_input, "limits", read_limits, Limits())
    response = read_member(test_input, "response", lambda anything: anything)
    return (state_root, address, slots, limits), response


def write_state(account, storage):
    return {
        "account": write_account(account),
        "storage": [write_quantity(value) for value in storage],
    }


def verify_header_input(test_input):
    """Verifies the `input` of an EthHeader test."""
    check_names(test_input, ("hash", "headerRlp"))
    number, state_root = verify_header(
        read_member(test_input, "hash", read_hash),
        read_member(test_input, "headerRlp", read_bytes),
    )
    return {"number": write_quantity(number), "stateRoot": write_bytes(state_root)}


def read_integers(value):
    return read_array(value, read_integer)


def write_account(account):
    if account is None:
        return None
    return {
        "nonce": write_quantity(account.nonce),
        "balance": write_quantity(account.balance),
        "storageHash": write_bytes(account.storage_hash),
        "codeHash": write_bytes(account.code_hash),
    }

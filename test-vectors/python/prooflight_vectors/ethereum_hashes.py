"""What hashes alone show (mpt 6 and 9), and the groups EthCode and EthTransaction."""

from .carrier import check_names, read_bytes, read_hash, read_member, write_bytes
from .errors import Refusal, check
from .keccak import keccak256
from .reader import Reader
from .rlp import Payload, decode, read_item

BLOBS = b"\x03"


def transaction_hash(raw):
    """The hash of what is signed of a transaction."""
    return keccak256(signed_part(raw))


def signed_part(raw):
    """Without the blobs, if the first item of a list of type 3 is a list."""
    if raw[:1] != BLOBS:
        return raw
    try:
        outer = decode(raw[1:])
        if not isinstance(outer, Payload):
            return raw
        reader = Reader(outer.data)
        first = read_item(reader)
    except Refusal:
        return raw
    return BLOBS + outer.data[: reader.position] if isinstance(first, Payload) else raw


# vectors 24: EthCode


def verify_code_input(test_input):
    """Verifies the `input` of an EthCode test."""
    check_names(test_input, ("codeHash", "code"))
    code_hash = read_member(test_input, "codeHash", read_hash)
    code = read_member(test_input, "code", read_bytes)
    check(keccak256(code) == code_hash, "code_mismatch")
    return {}


# vectors 25: EthTransaction


def verify_transaction_input(test_input):
    """Verifies the `input` of an EthTransaction test."""
    check_names(test_input, ("raw", "hash"))
    raw = read_member(test_input, "raw", read_bytes)
    hash_ = read_member(test_input, "hash", read_hash)
    check(transaction_hash(raw) == hash_, "transaction_mismatch")
    return {"hash": write_bytes(hash_)}

"""What a light client accepts (chain 4 and 9), and the groups HeaderSync and Header(s)Inclusion."""

from .carrier import (
    check_names,
    read_array,
    read_bytes,
    read_hash,
    read_member,
    read_quantity,
    write_bytes,
    write_quantity,
)
from .chain import decode_header, decode_signed_header, is_ascending
from .checkpoint import read_checkpoint
from .ed25519 import is_signed
from .errors import Refusal, check
from .merkle import check_path, leaf_hash, root_of_known
from .reader import Queue


def verify_head(checkpoint, head, path, now, max_clock_skew, max_head_age):
    """Returns the header of a signed head, given as its bytes, if it extends the checkpoint."""
    config = checkpoint.config
    config.check()
    header, signatures = decode_signed_header(head)
    check(header.chain == config.hash(), "wrong_chain")
    check([scheme for scheme, _ in header.roots] == config.scheme_ids(), "wrong_schemes")

    for authority, _ in signatures:
        check(authority < len(config.authorities), "signature_order")
    hash_ = header.hash()
    keys = config.authorities
    valid = sum(is_signed(keys[authority], hash_, data) for authority, data in signatures)
    check(valid >= config.quorum, "too_few_signatures")

    check(header.height >= checkpoint.height, "head_behind")
    if header.height > checkpoint.height:
        extends = is_in_history(checkpoint.header_hash, checkpoint.height, header, path)
        check(extends, "not_extending")
    else:
        check(hash_ == checkpoint.header_hash, "equivocation")
        check(not path, "not_extending")

    check(header.timestamp_ms <= now + max_clock_skew, "head_in_future")
    in_time = max_head_age is None or now - header.timestamp_ms <= max_head_age
    check(in_time, "head_too_old")
    return header


def verify_ancestor(head, data, path, height=None):
    """Returns an older header, given as its bytes, if it is in the history of an accepted head.

    If it was asked for by its height, it has that.
    """
    header = decode_header(data)
    check(height is None or header.height == height, "not_an_ancestor")
    itself = not path and header.hash() == head.hash()
    is_ancestor = itself or is_in_history(header.hash(), header.height, head, path)
    check(is_ancestor, "not_an_ancestor")
    return header


def is_in_history(header_hash, height, head, path):
    try:
        check_path(leaf_hash(header_hash), height, head.height, path, head.history_root)
    except Refusal:
        return False
    return True


# chain 9: Several headers of one history


def verify_ancestors(head, headers, hashes):
    """Checks that headers are in the history of an accepted head."""
    heights = [header.height for header in headers] + [head.height]
    check(is_ascending(heights), "not_an_ancestor")
    leaves = {header.height: leaf_hash(header.hash()) for header in headers}
    hashes = Queue(hashes, "not_an_ancestor")
    if leaves:
        root = root_of_known(head.height, leaves, hashes)
        check(root == head.history_root, "not_an_ancestor")
    hashes.finish()


# vectors 6: HeaderSync

SYNC = ("checkpoint", "head", "inclusion", "now", "maxClockSkew", "maxHeadAge")


def verify_sync_input(test_input):
    """Verifies the `input` of a test."""
    check_names(test_input, SYNC)
    return write_answer(verify_head(**read_sync(test_input)))


def read_sync(test_input):
    """The arguments of `verify_head`."""
    return {
        "checkpoint": read_member(test_input, "checkpoint", read_checkpoint),
        "head": read_member(test_input, "head", read_bytes),
        "path": read_member(test_input, "inclusion", read_path),
        "now": read_member(test_input, "now", read_quantity),
        "max_clock_skew": read_member(test_input, "maxClockSkew", read_quantity, default=30_000),
        "max_head_age": read_member(test_input, "maxHeadAge", read_quantity, default=None),
    }


# vectors 7: HeaderInclusion


def verify_inclusion_input(test_input):
    """Verifies the `input` of a test."""
    check_names(test_input, ("head", "header", "height", "inclusion"))
    head = read_member(test_input, "head", read_bytes)
    header = read_member(test_input, "header", read_bytes)
    height = read_member(test_input, "height", read_quantity, default=None)
    path = read_member(test_input, "inclusion", read_path)
    return write_answer(verify_ancestor(decode_header(head), header, path, height))


def verify_several_input(test_input):
    """Verifies the `input` of a HeadersInclusion test."""
    check_names(test_input, ("head", "headers", "hashes"))
    head = read_member(test_input, "head", read_bytes)
    headers = read_member(test_input, "headers", lambda them: read_array(them, read_bytes))
    hashes = read_member(test_input, "hashes", read_path)

    head = decode_header(head)
    headers = [decode_header(header) for header in headers]
    verify_ancestors(head, headers, hashes)
    return {"headerHashes": [write_bytes(header.hash()) for header in headers]}


def read_path(value):
    return read_array(value, read_hash)


def write_answer(header):
    """An answer as the `expected` of a test has it."""
    return {"height": write_quantity(header.height), "headerHash": write_bytes(header.hash())}

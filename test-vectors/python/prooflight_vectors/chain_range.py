"""Ranges of blocks (chain 12), and the groups StateHistory and StateDiff."""

from . import amb, chain_sync, smt
from .amb_input import write_history
from .carrier import (
    check_names,
    read_array,
    read_boolean,
    read_bytes,
    read_member,
    read_quantity,
    read_text,
)
from .chain import decode_header
from .chain_values import root_of
from .errors import check
from .mpt import Limits
from .schemes import IDS
from .smt_average import average
from .smt_input import (
    read_optional_quantity,
    write_average,
    write_changes,
    write_diff,
)


class Headers:
    """The headers of blocks that the caller accepts, by their heights."""

    def __init__(self, head, older):
        self.head = head
        self.by_height = {header.height: header for header in [*older, head]}

    def at(self, height):
        check(height in self.by_height, "invalid_result")
        return self.by_height[height]

    def root(self, height):
        return expected_root("smt", self.at(height))


def expected_root(scheme, header):
    root = root_of(scheme, header)
    check(root is not None, "wrong_schemes")
    return root


def limits_of(limits):
    """The limits of a proof, with the chain's for values."""
    return Limits()._replace(value_bytes=limits.max_value)


def verify_history(headers, key, first, last, proof, limits):
    """Returns the changes of a key, and the times of the blocks that it names."""
    check(len(key) <= limits.max_key, "key_length")
    limits = limits_of(limits)
    blocks = smt.history_heights(key, first, last, proof, limits)
    roots = [(block, headers.root(block)) for block in blocks]
    history = smt.verify_history(key, first, last, roots, proof, limits)
    named = sorted({first, last, *(change.height for change in history.changes)})
    return history, [(block, headers.at(block).timestamp_ms) for block in named]


def verify_amb_history(headers, key, first, last, proof, limits):
    """The changes of a key, by the root of the head (chain 13)."""
    check(last <= headers.head.height, "invalid_result")
    root = expected_root("amb", headers.head)
    check(len(key) <= limits.max_key, "key_length")
    question = amb.Hist([key], first, last)
    limits = amb.Limits()._replace(value_bytes=limits.max_value)
    [history] = question.answers(amb.verify(root, headers.head.height, question, proof, limits))
    for block in (first, last, *(change.block for change in history.changes)):
        headers.at(block)
    return history


def verify_diff(headers, first, last, proof, limits):
    """Returns the last change of each key after the first block, or of all if that is None."""
    return smt.verify_diff(first, last, headers.root(last), proof, limits_of(limits))


# vectors 22: StateHistory


def verify_history_input(test_input):
    """Verifies the `input` of a StateHistory test."""
    read = read_range(test_input, ("key", "from", "to", "average", "proof"))
    key = read_member(test_input, "key", read_bytes)
    first = read_member(test_input, "from", read_quantity)
    last = read_member(test_input, "to", read_quantity)
    averaged = read_member(test_input, "average", read_boolean, default=False)
    proof = read_member(test_input, "proof", read_bytes)

    scheme, headers, limits = accept("average" if averaged else "history", *read)
    if scheme == "amb":
        return write_history(verify_amb_history(headers, key, first, last, proof, limits))
    history, times = verify_history(headers, key, first, last, proof, limits)
    answer = write_changes(history)
    if averaged:
        found = average(history, first, last, first, last, times)
        answer["average"] = write_average(found)
    return answer


# vectors 23: StateDiff


def verify_diff_input(test_input):
    """Verifies the `input` of a StateDiff test."""
    read = read_range(test_input, ("from", "to", "proof"))
    first = read_member(test_input, "from", read_optional_quantity)
    last = read_member(test_input, "to", read_quantity)
    proof = read_member(test_input, "proof", read_bytes)

    _, headers, limits = accept("diff", *read)
    return write_diff(verify_diff(headers, first, last, proof, limits))


def read_range(test_input, names):
    """The scheme, the arguments of `verify_head`, the header that places others, and these."""
    range_names = ("scheme", "header", "path", "headers", "hashes")
    check_names(test_input, chain_sync.SYNC + range_names + names)
    scheme = read_member(test_input, "scheme", read_text)
    sync = chain_sync.read_sync(test_input)
    placed = read_member(test_input, "header", read_bytes, default=None)
    path = read_member(test_input, "path", chain_sync.read_path, default=None)
    check((placed is None) == (path is None), "invalid_argument")
    headers = read_member(test_input, "headers", lambda headers: read_array(headers, read_bytes))
    hashes = read_member(test_input, "hashes", chain_sync.read_path)
    return scheme, sync, placed, path, headers, hashes


# The schemes that prove statements about several blocks.
PROVERS = {"history": (b"smt", b"amb"), "average": (b"smt",), "diff": (b"smt",)}


def accept(statement, scheme, sync, placed, path, headers, hashes):
    """Returns the scheme, the headers that the caller accepts, and the limits of their chain."""
    check(scheme in PROVERS[statement], "unknown_statement")
    scheme = scheme.decode()
    head = chain_sync.verify_head(**sync)
    if placed is not None:
        head = chain_sync.verify_ancestor(head, placed, path)
    headers = [decode_header(header) for header in headers]
    chain_sync.verify_ancestors(head, headers, hashes)
    config = sync["checkpoint"].config
    check(IDS[scheme] in config.scheme_ids(), "wrong_schemes")
    return scheme, Headers(head, headers), config.limits

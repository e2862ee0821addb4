"""All keys between two bounds (chain 13), and the groups StateRange and StateCount."""

from . import amb, chain_sync
from .amb_input import read_bounds, write_count, write_range
from .carrier import check_names, read_boolean, read_bytes, read_member, read_quantity, read_text
from .chain_values import root_of
from .errors import check
from .schemes import IDS


def verify(question, header, config, proof):
    """What a proof opens, by the root of an accepted header."""
    check(IDS["amb"] in config.scheme_ids(), "wrong_schemes")
    check(all(block <= header.height for block in question.blocks), "invalid_result")
    root = root_of("amb", header)
    check(root is not None, "wrong_schemes")
    limits = amb.Limits()._replace(value_bytes=config.limits.max_value)
    return amb.verify(root, header.height, question, proof, limits)


# vectors 28: StateRange


def verify_range_input(test_input):
    """Verifies the `input` of a StateRange test."""
    read = read_statement(test_input, ("at", "lo", "hi", "reverse", "proof"))
    at = read_member(test_input, "at", read_quantity)
    is_reverse = read_member(test_input, "reverse", read_boolean)
    question = amb.Range(*read_bounds(test_input), at, is_reverse)
    proof = read_member(test_input, "proof", read_bytes)

    header, config = accept(*read)
    opened = verify(question, header, config, proof)
    return {**chain_sync.write_answer(header), **write_range(question, opened)}


# vectors 29: StateCount


def verify_count_input(test_input):
    """Verifies the `input` of a StateCount test."""
    read = read_statement(test_input, ("lo", "hi", "proof"))
    question = amb.Count(*read_bounds(test_input))
    proof = read_member(test_input, "proof", read_bytes)

    header, config = accept(*read)
    opened = verify(question, header, config, proof)
    return {**chain_sync.write_answer(header), **write_count(question, opened)}


def read_statement(test_input, names):
    """The scheme, the arguments of `verify_head`, and the header whose root proves the answer."""
    check_names(test_input, chain_sync.SYNC + ("scheme", "header", "path") + names)
    scheme = read_member(test_input, "scheme", read_text)
    sync = chain_sync.read_sync(test_input)
    header = read_member(test_input, "header", read_bytes, default=None)
    path = read_member(test_input, "path", chain_sync.read_path, default=None)
    check((header is None) == (path is None), "invalid_argument")
    return scheme, sync, header, path


def accept(scheme, sync, header, path):
    """Returns the header whose root proves the answer, and the configuration of its chain."""
    check(scheme == b"amb", "unknown_statement")
    head = chain_sync.verify_head(**sync)
    config = sync["checkpoint"].config
    return (head if header is None else chain_sync.verify_ancestor(head, header, path)), config

"""Headers beside what was asked for and beside each other (chain 11), and their groups."""

from .carrier import check_names, read_bytes, read_hash, read_member, read_quantity
from .chain import decode_signed_header
from .chain_sync import write_answer
from .errors import check


def check_wanted(header, newest=None, height=None, hash_=None):
    """Checks that a header is that of the block that was asked for; one of the others is given."""
    check(newest is None or header.height >= newest, "head_behind")
    check(height is None or header.height == height, "wrong_block")
    check(hash_ is None or header.hash() == hash_, "wrong_block")


def relation(one, other):
    """How one header stands to another; each is a pair of height and hash."""
    if one[0] != other[0]:
        return "below" if one[0] < other[0] else "above"
    return "same" if one[1] == other[1] else "conflicting"


# vectors 19: HeaderWanted


def verify_wanted_input(test_input):
    """Verifies the `input` of a HeaderWanted test."""
    check_names(test_input, ("header", "newest", "height", "hash"))
    data = read_member(test_input, "header", read_bytes)
    newest = read_member(test_input, "newest", read_quantity, default=None)
    height = read_member(test_input, "height", read_quantity, default=None)
    hash_ = read_member(test_input, "hash", read_hash, default=None)
    check([newest, height, hash_].count(None) == 2, "invalid_argument")

    header, _ = decode_signed_header(data)
    check_wanted(header, newest, height, hash_)
    return write_answer(header)


# vectors 20: HeaderRelation


def verify_relation_input(test_input):
    """Answers the `input` of a HeaderRelation test."""
    check_names(test_input, ("one", "other"))
    one = read_member(test_input, "one", read_known)
    return {"relation": relation(one, read_member(test_input, "other", read_known))}


def read_known(value):
    check_names(value, ("height", "headerHash"))
    height = read_member(value, "height", read_quantity)
    return height, read_member(value, "headerHash", read_hash)

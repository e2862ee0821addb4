"""Historical proofs (smt 4 to 6)."""

from typing import NamedTuple, Optional

from .envelope import SMT, open_envelope
from .errors import check
from .mpt import Limits
from .smt_tree import (
    HEIGHTS,
    EMPTY_ROOT,
    BodyReader,
    Leaf,
    key_hash,
    read_part,
    value_hash,
)

KEYS, HISTORY, DIFF = 1, 2, 3


class Answer(NamedTuple):
    """What a key has: a value since a block, none since one (`value` is None), or never any.

    `height` is that of the block.
    """

    value: Optional[bytes] = None
    height: Optional[int] = None


NEVER_WRITTEN = Answer()


class Change(NamedTuple):
    key: bytes
    answer: Answer


# smt 4: Keys at a block


def verify_keys(root, height, keys, message, limits):
    """Returns what each key has at the block."""
    check(height < HEIGHTS, "invalid_argument")
    check(keys, "invalid_argument")
    check(len(keys) <= limits.keys, "too_many_keys")
    reader = BodyReader(open_envelope(message, SMT, KEYS, limits))
    found, answers = read_keys(reader, height, keys, limits)
    check(reader.is_at_end(), "trailing_bytes")
    check(found == root, "root_mismatch")
    return answers


def read_keys(reader, height, keys, limits):
    """What step 4 reads. Returns the found root and what each key has."""
    if reader.is_at_end():
        return EMPTY_ROOT, [NEVER_WRITTEN] * len(keys)
    hashes = [key_hash(key) for key in keys]
    question = Keys(hashes, limits)
    found = read_part(reader, height, question)
    return found, [question.answers.get(hash_, NEVER_WRITTEN) for hash_ in hashes]


class Keys:
    """Opens the nodes that keys lead to. `answers` are those of the keys that have leaves."""

    def __init__(self, hashes, limits):
        self.hashes = sorted(set(hashes))
        self.limits = limits
        self.answers = {}

    def leading(self, path):
        return [hash_ for hash_ in self.hashes if path.leads(hash_)]

    def opens(self, path):
        return any(path.leads(hash_) for hash_ in self.hashes)

    def read_leaf(self, reader, path):
        form = reader.u8()
        check(form <= 3, "invalid_encoding")
        is_live = form in (0, 2)
        if form <= 1:
            index = reader.integer()
            value = reader.value(self.limits) if is_live else None
            here = self.leading(path)
            check(index < len(here), "leaf_index")
            self.answers[here[index]] = Answer(value, path.height)
            return Leaf(here[index], value_hash(value) if is_live else None)
        leaf = Leaf(reader.take(32), reader.take(32) if is_live else None)
        check(path.leads(leaf.key_hash), "leaf_off_path")
        check(leaf.key_hash not in self.hashes, "leaf_of_key")
        return leaf


# smt 5: Histories


class History(NamedTuple):
    """`heights`, of the blocks whose roots it needs, are newest first, `changes` oldest first.

    `entering` is None if it is not shown.
    """

    heights: list
    entering: Optional[Answer]
    changes: list


def verify_history(key, first, last, roots, message, limits):
    """Returns the changes of a key from the first to the last block; roots are (height, root)."""
    left = iter(roots)

    def check_root(height, found):
        of_height, root = next(left, (None, None))
        check(of_height == height, "wrong_roots")
        check(found == root, "root_mismatch")

    history = read_history(key, first, last, message, limits, check_root)
    check(len(history.heights) == len(roots), "wrong_roots")
    return history


def history_heights(key, first, last, message, limits):
    """The heights of the blocks whose roots a history needs; nothing of what it says is verified."""
    return read_history(key, first, last, message, limits, lambda height, found: None).heights


def read_history(key, first, last, message, limits, check_root):
    check(first <= last < HEIGHTS, "invalid_argument")
    reader = BodyReader(open_envelope(message, SMT, HISTORY, limits))
    height, heights, changes = last, [], []
    while True:
        found, (answer,) = read_keys(reader, height, [key], limits)
        check_root(height, found)
        heights.append(height)
        if answer == NEVER_WRITTEN or answer.height < first:
            entering = answer
            break
        changes.append(answer)
        check(len(changes) <= limits.changes, "too_many_changes")
        if answer.height == first:
            entering = None
            break
        height = answer.height - 1
    check(reader.is_at_end(), "trailing_bytes")
    return History(heights, entering, changes[::-1])


# smt 6: Diffs


def verify_diff(first, last, root, message, limits):
    """Returns the last change of each key after the first block, or of all if that is None."""
    check(last < HEIGHTS, "invalid_argument")
    check(first is None or first < last, "invalid_argument")
    reader = BodyReader(open_envelope(message, SMT, DIFF, limits))
    question = Diff(first, limits)
    found = EMPTY_ROOT if reader.is_at_end() else read_part(reader, last, question)
    check(reader.is_at_end(), "trailing_bytes")
    check(found == root, "root_mismatch")
    return question.changes


class Diff:
    """Opens the nodes that changed after the first block."""

    def __init__(self, first, limits):
        self.first = first
        self.limits = limits
        self.changes = []

    def opens(self, path):
        return self.first is None or path.height > self.first

    def read_leaf(self, reader, path):
        form = reader.u8()
        check(form <= 1, "invalid_encoding")
        key = reader.take(reader.integer())
        value = reader.value(self.limits) if form == 0 else None
        hash_ = key_hash(key)
        check(path.leads(hash_), "leaf_off_path")
        if self.opens(path):
            self.changes.append(Change(key, Answer(value, path.height)))
        return Leaf(hash_, None if value is None else value_hash(value))


# chain 7: the state of a chain


def verify_values(root, header, config, keys, proof, _insecure_allowed, _key_bytes):
    """Returns what each raw key has in a chain's state."""
    limits = Limits()._replace(value_bytes=config.limits.max_value)
    answers = verify_keys(root, header.height, keys, proof, limits)
    return [(answer.value, answer.height, None) for answer in answers]

"""Proofs about ordered keys: values, histories, ranges, counts, entries (amb 3 to 7)."""

from bisect import bisect_left
from typing import NamedTuple, Optional

from .amb_tree import (
    BITS,
    DEPTHS,
    EMPTY,
    HEIGHTS,
    MAX_KEY,
    Content,
    Entry,
    Record,
    bits_of,
    branch,
    prefix_bytes,
    value_hash,
    version_hash,
    with_ones,
    with_zeros,
)
from .envelope import AMB, open_envelope
from .errors import check
from .merkle import EMPTY_TREE, hash_of, root_of_known
from .smt_tree import BodyReader

GET, HIST, RANGE, COUNT, TRANSFER, UPDATE = range(1, 7)
MAX_BOUND = MAX_KEY + 1
COUNTS = 2**56


class Limits(NamedTuple):
    """conventions 2; `keys` has another default in an update."""

    proof_bytes: int = 8 * 1024 * 1024
    keys: int = 4096
    value_bytes: int = 65536
    entries: int = 4096
    changes: int = 100_000


UPDATE_KEYS = 65536


class Question:
    """What is asked for. Every kind says which nodes of the tree a proof of it opens."""

    blocks = ()

    def check_arguments(self, _limits):
        """Checks what only this kind has: first every `invalid_argument`."""

    def read_page(self, _reader):
        """Reads the cut of a page (amb 4)."""

    def covers(self, _way):
        return False

    def is_settled(self, record):
        return record == EMPTY


class OfKeys(Question):
    def __init__(self, keys):
        self.keys = keys
        self.asked = sorted({with_zeros(bits_of(key)): key for key in keys}.items())

    def check_arguments(self, limits):
        check(self.keys, "invalid_argument")
        check(len(self.keys) <= limits.keys, "too_many_keys")
        check(all(len(key) <= MAX_KEY for key in self.keys), "key_length")

    def beginning_with(self, path):
        """The distinct asked keys whose bits begin with a path, ascending."""
        first, end = (bisect_left(self.asked, (bits,)) for bits in (path, path + "2"))
        return [key for _, key in self.asked[first:end]]

    def meets(self, path):
        return bool(self.beginning_with(path))

    def read_key(self, reader, path, _limits):
        """Returns a leaf's key, and whether it is asked for."""
        number = reader.integer()
        if number > 0:
            here = self.beginning_with(path)
            check(number <= len(here), "leaf_index")
            return here[number - 1], True
        key = read_other_key(reader, path)
        check(key not in self.keys, "leaf_of_key")
        return key, False


class OfRange(Question):
    """`first` and `end` bound the page; `next` is its cut, if it has one."""

    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi
        self.first, self.end, self.next = lo, hi, None
        self.entries = 0

    def check_arguments(self, _limits):
        check(self.hi is None or self.lo < self.hi, "invalid_argument")
        for bound in (self.lo, self.hi):
            check(bound is None or len(bound) <= MAX_BOUND, "key_length")

    def read_cut(self, reader, is_reverse):
        flag = reader.u8()
        check(flag <= 1, "invalid_encoding")
        if flag == 0:
            return
        length = reader.integer()
        check(length <= MAX_BOUND, "invalid_encoding")
        self.next = reader.take(length)
        check(self.lo < self.next, "page_end")
        check(self.hi is None or self.next < self.hi, "page_end")
        if is_reverse:
            self.first = self.next
        else:
            self.end = self.next

    def is_before_end(self, bits):
        return self.end is None or bits < with_zeros(bits_of(self.end))

    def meets(self, path):
        first = with_zeros(bits_of(self.first))
        return with_ones(path) >= first and self.is_before_end(with_zeros(path))

    def is_inside(self, key):
        return self.first <= key and (self.end is None or key < self.end)

    def read_key(self, reader, path, limits):
        key = read_other_key(reader, path)
        if self.is_inside(key):
            self.entries += 1
            check(self.entries <= limits.entries, "too_many_results")
        return key, self.is_inside(key)


class Get(OfKeys):
    kind = GET

    def __init__(self, keys, at):
        super().__init__(keys)
        self.at = at
        self.blocks = (at,)

    def read_versions(self, leaf):
        return read_in_force(leaf, self.at)

    def answers(self, opened):
        found = {leaf.key: leaf.shown for leaf in opened.leaves if leaf.is_asked}
        return [found.get(key, NEVER_WRITTEN) for key in self.keys]


class Hist(OfKeys):
    kind = HIST

    def __init__(self, keys, first, last):
        super().__init__(keys)
        self.first, self.last = first, last
        self.blocks = (first, last)
        self.changes = 0

    def check_arguments(self, limits):
        check(self.first <= self.last, "invalid_argument")
        super().check_arguments(limits)

    def read_versions(self, leaf):
        block, past = leaf.block, leaf.past
        if block < self.first:
            shown = leaf.newest(True)
            return History(shown, []), leaf.hash_of_past()
        content = leaf.newest(block <= self.last)
        newest = [answer_of(block, content)] if block <= self.last else []
        if past == 0:
            return History(NEVER_WRITTEN, newest), EMPTY_TREE
        reader, limits = leaf.reader, leaf.limits
        first, count = reader.integer(), reader.integer()
        check(count > 0 and first + count <= past, "index_out_of_range")
        self.changes += count
        check(self.changes <= limits.changes, "too_many_changes")
        known, entering, changes = {}, NEVER_WRITTEN, []
        for number in range(first, first + count):
            at = leaf.age()
            if number == first and number > 0:
                check(at < self.first, "wrong_version")
            elif number > first:
                check(at >= self.first, "wrong_version")
            if number == first + count - 1 and number < past - 1:
                check(at > self.last, "wrong_version")
            elif number < first + count - 1:
                check(at <= self.last, "wrong_version")
            content = leaf.content(at <= self.last)
            known[number] = version_hash(at, content)
            if at < self.first:
                entering = answer_of(at, content)
            elif at <= self.last:
                changes.append(answer_of(at, content))
        return History(entering, changes + newest), root_of_known(past, known, Hashes(reader))

    def answers(self, opened):
        found = {leaf.key: leaf.shown for leaf in opened.leaves if leaf.is_asked}
        return [found.get(key, History(NEVER_WRITTEN, [])) for key in self.keys]


class Range(OfRange):
    kind = RANGE

    def __init__(self, lo, hi, at, is_reverse=False):
        super().__init__(lo, hi)
        self.at, self.is_reverse = at, is_reverse
        self.blocks = (at,)

    def read_page(self, reader):
        self.read_cut(reader, self.is_reverse)

    def is_settled(self, record):
        return record.live == 0 and record.version <= self.at

    def read_versions(self, leaf):
        return read_in_force(leaf, self.at)

    def answers(self, opened):
        """Pairs of a key and what it has."""
        inside = [(leaf.key, leaf.shown) for leaf in opened.leaves if leaf.is_asked]
        live = [(key, shown) for key, shown in inside if shown.value is not None]
        return live[::-1] if self.is_reverse else live


class Count(OfRange):
    kind = COUNT

    def covers(self, path):
        if self.end is not None and with_ones(path) >= with_zeros(bits_of(self.end)):
            return False
        return with_zeros(path) >= with_zeros(bits_of(self.first))

    def read_key(self, reader, path, _limits):
        return read_other_key(reader, path), False

    def answers(self, opened):
        inside = [leaf for leaf in opened.leaves if self.is_inside(leaf.key)]
        covered = [record for path, record in opened.closed if self.covers(path)]
        return sum(leaf.content.is_live for leaf in inside) + sum(it.live for it in covered)


class Transfer(OfRange):
    kind = TRANSFER

    def __init__(self, lo, hi, after=None):
        super().__init__(lo, hi)
        self.after = after
        self.blocks = () if after is None else (after,)

    def read_page(self, reader):
        self.read_cut(reader, False)

    def is_settled(self, record):
        return record == EMPTY or self.after is not None and record.version <= self.after

    def read_versions(self, leaf):
        leaf.newest(True)
        return leaf.read_peaks()

    def answers(self, opened):
        """The leaves; `shown` has the peaks of each."""
        return [leaf for leaf in opened.leaves if leaf.is_asked]


class Update(OfKeys):
    kind = UPDATE

    def read_versions(self, leaf):
        leaf.newest(False)
        return leaf.read_peaks()


class Answer(NamedTuple):
    """A value since a block, a deletion at one (`value` is None), or neither (no block either)."""

    value: Optional[bytes] = None
    block: Optional[int] = None


NEVER_WRITTEN = Answer()


class History(NamedTuple):
    entering: Answer
    changes: list


class Leaf(NamedTuple):
    """An entry that a proof opens; `shown` is what it shows beyond the entry, by the question."""

    entry: Entry
    is_asked: bool
    shown: object

    key = property(lambda self: self.entry.key)
    content = property(lambda self: self.entry.content)


class Opened(NamedTuple):
    """What a proof shows: its leaves, its closed nodes by their paths, the paths of the others."""

    leaves: list
    closed: list
    paths: set


def verify(root, height, question, message, limits):
    """Verifies a proof of any kind (amb 7). Returns what is opened; the question has answers."""
    check(len(root) == 32 and height < HEIGHTS, "invalid_argument")
    check(all(block <= height for block in question.blocks), "invalid_argument")
    check(limits.entries > 0, "invalid_argument")
    question.check_arguments(limits)
    reader = BodyReader(open_envelope(message, AMB, question.kind, limits))
    question.read_page(reader)
    walk = Walk(reader, height, question, limits)
    record = walk.run()
    check(reader.is_at_end(), "trailing_bytes")
    check(record.state_root() == root, "root_mismatch")
    return walk.opened


class Walk:
    """Reads the nodes, each before its children, the left one before the right one."""

    def __init__(self, reader, height, question, limits):
        self.reader = reader
        self.height = height
        self.question = question
        self.limits = limits
        self.opened = Opened([], [], set())

    def run(self):
        """Returns the record of the root. The branches that are not complete wait in a list."""
        waiting, path = [], ""
        while True:
            prefix, record = self.read_node(path)
            if record is None:
                waiting.append((prefix, None))
                path = prefix + "0"
                continue
            while waiting and waiting[-1][1] is not None:
                prefix, left = waiting.pop()
                record = branch(prefix, left, record)
                self.check_opened(record)
            if not waiting:
                return record
            prefix, _ = waiting[-1]
            waiting[-1] = (prefix, record)
            path = prefix + "1"

    def read_node(self, path):
        """Returns the prefix of a branch, or else the record of the node."""
        if not self.question.meets(path) or self.question.covers(path):
            return None, self.read_closed(path)
        tag = self.reader.integer()
        if tag == 0:
            record = self.read_closed(path)
            check(self.question.is_settled(record), "node_not_expanded")
            return None, record
        self.opened.paths.add(path)
        if tag == 1:
            record = self.read_leaf(path)
            self.check_opened(record)
            return None, record
        depth = len(path) + tag - 2
        check(depth < DEPTHS, "depth_out_of_range")
        has_ended = len(path) % 9 == 1 and path[-1] == "0"
        check(not has_ended, "label_off_path")
        return (path if tag == 2 else self.read_prefix(path, depth)), None

    def check_opened(self, record):
        check(record.live + record.dead < COUNTS, "count_out_of_range")
        check(not self.question.is_settled(record), "node_not_visited")

    def read_closed(self, path):
        live, dead = self.reader.integer(), self.reader.integer()
        check(live + dead < COUNTS, "count_out_of_range")
        if live == dead == 0:
            check(path == "", "invalid_encoding")
            record = EMPTY
        else:
            version = self.read_block()
            record = Record(version, live, dead, self.reader.take(32))
        self.opened.closed.append((path, record))
        return record

    def read_block(self):
        age = self.reader.integer()
        check(age <= self.height, "version_out_of_range")
        return self.height - age

    def read_prefix(self, path, depth):
        known = prefix_bytes(path)[: len(path) // 9]
        length = len(prefix_bytes("1" * depth))
        label = known + self.reader.take(max(length - len(known), 0))
        bits = bits_of(label)
        if depth % 9 == 1:
            bits += "1"
        check("1" not in bits[depth:], "invalid_encoding")
        prefix = bits[:depth]
        check(prefix.startswith(path), "label_off_path")
        return prefix

    def read_leaf(self, path):
        key, is_asked = self.question.read_key(self.reader, path, self.limits)
        leaf = LeafReader(self)
        if is_asked:
            shown, past = self.question.read_versions(leaf)
        else:
            leaf.newest(False)
            shown, past = None, leaf.hash_of_past()
        entry = Entry(key, leaf.past + 1, leaf.block, leaf.content_of_newest, past)
        self.opened.leaves.append(Leaf(entry, is_asked, shown))
        return entry.record()


def read_other_key(reader, path):
    """The key of a leaf, whose first bytes the path to it has."""
    known = prefix_bytes(path)[: len(path) // 9]
    length = reader.integer()
    check(len(known) + length <= MAX_KEY, "invalid_encoding")
    key = known + reader.take(length)
    check(with_zeros(bits_of(key)).startswith(path), "leaf_off_path")
    return key


class LeafReader:
    """Reads the versions of a leaf; `past` is how many it has besides the newest."""

    def __init__(self, walk):
        self.reader, self.limits, self.age = walk.reader, walk.limits, walk.read_block
        versions = self.reader.integer()
        check(versions > 0, "invalid_encoding")
        self.past = versions - 1
        self.block = self.age()

    def newest(self, is_shown):
        self.content_of_newest = self.content(is_shown)
        return answer_of(self.block, self.content_of_newest)

    def content(self, is_shown):
        state = self.reader.u8()
        check(state <= 1, "invalid_encoding")
        if state == 0:
            return Content.of(None)
        if is_shown:
            return Content.of(self.reader.value(self.limits))
        return Content(True, self.reader.take(32))

    def hash_of_past(self):
        return self.reader.take(32) if self.past else EMPTY_TREE

    def read_peaks(self):
        """Returns the roots of the perfect subtrees of past, largest first, and past."""
        peaks = [self.reader.take(32) for _ in range(bin(self.past).count("1"))]
        return peaks, fold(peaks)


def fold(peaks):
    """The root over the leaves of perfect trees, each smaller than the one before."""
    if not peaks:
        return EMPTY_TREE
    *others, root = peaks
    for peak in reversed(others):
        root = hash_of(b"\x01", peak, root)
    return root


def read_in_force(leaf, at):
    """What the key of a leaf had at a block: returns it and past."""
    if leaf.block <= at:
        return leaf.newest(True), leaf.hash_of_past()
    leaf.newest(False)
    if leaf.past == 0:
        return NEVER_WRITTEN, EMPTY_TREE
    number = leaf.reader.integer()
    check(number <= leaf.past, "index_out_of_range")
    known, shown = {}, NEVER_WRITTEN
    if number > 0:
        block = leaf.age()
        check(block <= at, "wrong_version")
        content = leaf.content(True)
        known[number - 1] = version_hash(block, content)
        shown = answer_of(block, content)
    if number < leaf.past:
        block = leaf.age()
        check(block > at, "wrong_version")
        known[number] = version_hash(block, leaf.content(False))
    return shown, root_of_known(leaf.past, known, Hashes(leaf.reader))


def answer_of(block, content):
    return Answer(content.value, block)


class Hashes:
    """The hashes of several leaves (merkle 3), read from a proof where they are needed."""

    def __init__(self, reader):
        self.reader = reader

    def take(self):
        return self.reader.take(32)


# chain 7: the state of a chain


def verify_values(root, header, config, keys, proof, at):
    """Returns what each raw key has in a chain's state after the block `at`."""
    limits = Limits()._replace(value_bytes=config.limits.max_value)
    question = Get(keys, at)
    answers = question.answers(verify(root, header.height, question, proof, limits))
    return [(answer.value, answer.block, None) for answer in answers]

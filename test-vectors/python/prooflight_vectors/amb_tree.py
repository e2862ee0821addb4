"""The tree of ordered keys and their versions (amb 1 and 2)."""

from os.path import commonprefix
from typing import NamedTuple

from .merkle import EMPTY_TREE, hash_of, leaf_hash, root_of

HEIGHTS = 2**52
MAX_KEY = 256
# Whatever is compared has fewer bits: a key, a bound of 257 bytes, the path to a node.
BITS = 9 * 258
DEPTHS = 9 * MAX_KEY


def bits_of(key):
    """The bits of a key or a bound, without the zeros after its end."""
    return "".join(f"1{byte:08b}" for byte in key)


def with_zeros(bits):
    return bits.ljust(BITS, "0")


def with_ones(bits):
    return bits.ljust(BITS, "1")


def prefix_bytes(prefix):
    """The bytes that a prefix knows: whole ones, then the bits of one that it knows in part."""
    whole, more = divmod(len(prefix), 9)
    known = [prefix[9 * at + 1 : 9 * at + 9] for at in range(whole)]
    if more >= 2:
        known.append(prefix[9 * whole + 1 :].ljust(8, "0"))
    return bytes(int(byte, 2) for byte in known)


def u64(number):
    return number.to_bytes(8, "big")


class Record(NamedTuple):
    """What the hash of a branch binds of a child, and the root of the whole tree."""

    version: int
    live: int
    dead: int
    hash: bytes

    def encode(self):
        return u64(self.version) + u64(self.live) + u64(self.dead) + self.hash

    def state_root(self):
        return hash_of(b"\x15", self.encode())


EMPTY = Record(0, 0, 0, bytes(32))


class Content(NamedTuple):
    """The state of a key in a version; `value` is None in a tombstone, or where a hash is shown."""

    is_live: bool
    value_hash: bytes
    value: bytes = None

    @classmethod
    def of(cls, value):
        return cls(False, bytes(32)) if value is None else cls(True, value_hash(value), value)

    def encode(self):
        return bytes([self.is_live]) + self.value_hash


def value_hash(value):
    return hash_of(b"\x12", value)


def version_hash(block, content):
    """The hash of a past version, which is a leaf of its entry's tree."""
    return leaf_hash(b"\x13" + u64(block) + content.encode())


class Entry(NamedTuple):
    """`versions` counts them; `past` is the root over all but the newest, which is at `block`."""

    key: bytes
    versions: int
    block: int
    content: Content
    past: bytes = EMPTY_TREE

    def record(self):
        hash_ = hash_of(
            b"\x10",
            len(self.key).to_bytes(2, "big"),
            self.key,
            u64(self.versions),
            u64(self.block),
            self.content.encode(),
            self.past,
        )
        return Record(self.block, int(self.content.is_live), int(not self.content.is_live), hash_)


def branch(prefix, left, right):
    """The record of a branch, given those of its children."""
    head = b"\x11" + len(prefix).to_bytes(2, "big") + prefix_bytes(prefix)
    return Record(
        max(left.version, right.version),
        left.live + right.live,
        left.dead + right.dead,
        hash_of(head, left.encode(), right.encode()),
    )


def tree_of(items):
    """The record of the tree over items, each with its bits, which no other item's begin with.

    An item is an entry, or a whole subtree, by the path to it. Neighbours that share more bits than
    each shares with its other neighbour are the children of one branch.
    """
    waiting = []
    items = sorted((with_zeros(bits), record) for bits, record in items)
    for at, (bits, record) in enumerate(items):
        shared = -1
        if at + 1 < len(items):
            shared = len(commonprefix([bits, items[at + 1][0]]))
        while waiting and waiting[-1][0] > shared:
            depth, left = waiting.pop()
            record = branch(bits[:depth], left, record)
        waiting.append((shared, record))
    return waiting[0][1] if waiting else EMPTY


class State:
    """All versions of all keys, from which the root of every block follows (vectors 5)."""

    def __init__(self):
        self.height = -1
        self.entries = {}

    def apply(self, operations):
        """Applies the next block: pairs of a key and its value, None to delete it."""
        self.height += 1
        for key, value in dict(operations).items():
            versions = self.entries.get(key, [])
            is_live = bool(versions) and versions[-1][1] is not None
            if value is not None or is_live:
                self.entries.setdefault(key, versions).append((self.height, value))

    def root(self):
        items = ((bits_of(key), self.entry(key).record()) for key in self.entries)
        return tree_of(items).state_root()

    def entry(self, key):
        *past, (block, value) = self.entries[key]
        hashes = [version_hash(at, Content.of(one)) for at, one in past]
        return Entry(key, len(past) + 1, block, Content.of(value), root_of(hashes))

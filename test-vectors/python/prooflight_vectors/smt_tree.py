"""Parts of a tree of historical proofs (smt 1 to 3)."""

from hashlib import blake2s
from typing import NamedTuple, Optional

from .errors import check
from .reader import Reader

EMPTY_ROOT = bytes(32)
HEIGHTS = 2**52
# In the low 12 bits of a salt: the depth of a branch, or this for a leaf.
LEAF = 0xFFF


def key_hash(key):
    return blake2s(key, person=b"PLsmtKey").digest()


def value_hash(value):
    return blake2s(value, person=b"PLsmtVal").digest()


def bit(hash_, depth):
    return hash_[depth // 8] >> (7 - depth % 8) & 1


class Leaf(NamedTuple):
    """`value` is None for a tombstone."""

    key_hash: bytes
    value_hash: Optional[bytes]

    def hash(self, height):
        person = 0x011 if self.value_hash is None else 0x010
        message = self.key_hash + (self.value_hash or bytes(32))
        return node_hash((height << 12) + LEAF, person, message)


def branch_hash(depth, heights, hashes):
    left, right = heights
    if left >= right:
        return node_hash((left << 12) + depth, (right << 12) + 0x001, b"".join(hashes))
    return node_hash((right << 12) + depth, (left << 12) + 0x002, b"".join(hashes))


def node_hash(salt, person, message):
    salt, person = (number.to_bytes(8, "little") for number in (salt, person))
    return blake2s(message, salt=salt, person=person).digest()


class BodyReader(Reader):
    def integer(self):
        """LEB128, in the fewest bytes and at most 8."""
        number = 0
        for position in range(8):
            byte = self.u8()
            number |= (byte & 0x7F) << 7 * position
            if byte < 0x80:
                check(byte or not position, "invalid_encoding")
                return number
        check(False, "invalid_encoding")

    def value(self, limits):
        """A value behind its length."""
        length = self.integer()
        check(length <= limits.value_bytes, "value_too_large")
        return self.take(length)

    def is_at_end(self):
        return self.position == len(self.data)


class Path(NamedTuple):
    """The branches above a node, each by its depth and the bit that leads on from it."""

    height: int
    bits: tuple = ()

    def leads(self, hash_):
        """Whether a key hash has all the bits of the path."""
        return all(bit(hash_, depth) == side for depth, side in self.bits)


def read_part(reader, height, question):
    """Reads a part of the tree of a block; returns the hash of its root.

    The question says of each child whether it is opened, by `opens(path)`, and reads the leaves, by
    `read_leaf(reader, path)`. It is asked in the order of the nodes: a branch's children, then what
    is below each of them. Recursion is as deep as there are branches on a path, 256.
    """
    age = reader.integer()
    check(age <= height, "version_out_of_range")
    return read_node(reader, Path(height - age), question)


def read_node(reader, path, question):
    further = reader.u8()
    if further == 0:
        return question.read_leaf(reader, path).hash(path.height)
    tilt = reader.integer()
    depth = (path.bits[-1][0] if path.bits else -1) + further
    check(depth <= 255, "depth_out_of_range")
    older = path.height - (tilt + 1) // 2
    check(older >= 0, "version_out_of_range")
    heights = (older, path.height) if tilt % 2 else (path.height, older)
    children = [Path(heights[side], path.bits + ((depth, side),)) for side in (0, 1)]
    opened = [question.opens(child) for child in children]
    hashes = [None if is_open else reader.take(32) for is_open in opened]
    for side in (0, 1):
        if opened[side]:
            hashes[side] = read_node(reader, children[side], question)
    return branch_hash(depth, heights, hashes)

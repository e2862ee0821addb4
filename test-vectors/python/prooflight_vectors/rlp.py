"""RLP (mpt 1). A string is `bytes`; a list is a `Payload`, whose items are read when needed."""

from typing import NamedTuple

from .errors import check
from .reader import Reader


class Payload(NamedTuple):
    """A list's items as they are encoded."""

    data: bytes

    def items(self):
        reader = Reader(self.data)
        while reader.position < len(self.data):
            yield read_item(reader)


def decode(data):
    """The one item that the bytes encode."""
    reader = Reader(data)
    item = read_item(reader)
    check(not reader.rest(), "trailing_bytes")
    return item


def read_item(reader):
    first = reader.u8()
    if first < 0x80:
        return bytes([first])
    if first < 0xC0:
        string = reader.take(read_length(reader, first - 0x80))
        check(first != 0x81 or string[0] >= 0x80, "invalid_encoding")
        return string
    return Payload(reader.take(read_length(reader, first - 0xC0)))


def read_length(reader, code):
    """The length that a first byte says, or the bytes after it from code 56 on."""
    if code < 56:
        return code
    digits = reader.take(code - 55)
    length = int.from_bytes(digits, "big")
    check(digits[0] != 0 and length >= 56, "invalid_encoding")
    return length


def is_integer(item, most):
    """Whether an item is an integer of so many bytes at most."""
    return isinstance(item, bytes) and len(item) <= most and item[:1] != b"\0"

"""Borsh (conventions 3): the encoding of formats of our own. Integers are little-endian."""

from .errors import check


class Decoder:
    """Reads a body from the front; bytes that are missing are `invalid_encoding`."""

    def __init__(self, data):
        self.data = data
        self.position = 0

    def array(self, length):
        """A fixed array of bytes."""
        check(length <= len(self.data) - self.position, "invalid_encoding")
        start = self.position
        self.position += length
        return self.data[start : self.position]

    def u8(self):
        return int.from_bytes(self.array(1), "little")

    def u16(self):
        return int.from_bytes(self.array(2), "little")

    def u32(self):
        return int.from_bytes(self.array(4), "little")

    def u64(self):
        return int.from_bytes(self.array(8), "little")

    def bytes(self):
        """A byte string."""
        return self.array(self.u32())

    def vector(self, read):
        """A vector. A count that is too large meets the end of the bytes before long."""
        return [read() for _ in range(self.u32())]

    def finish(self):
        check(self.position == len(self.data), "trailing_bytes")


def u8(number):
    return number.to_bytes(1, "little")


def u16(number):
    return number.to_bytes(2, "little")


def u32(number):
    return number.to_bytes(4, "little")


def u64(number):
    return number.to_bytes(8, "little")


def string(data):
    """A byte or UTF-8 string."""
    return u32(len(data)) + data


def vector(elements):
    """A vector of elements that are encoded already."""
    return u32(len(elements)) + b"".join(elements)


def option(value):
    """None, or a value that is encoded already."""
    return b"\x00" if value is None else b"\x01" + value

"""Reads the bytes of a proof, or a list that it has, from the front to the end."""

from .errors import check


class Reader:
    def __init__(self, data):
        self.data = data
        self.position = 0

    def take(self, length):
        """The next `length` bytes; reading past the end is `truncated`."""
        check(length <= len(self.data) - self.position, "truncated")
        start = self.position
        self.position += length
        return self.data[start : self.position]

    def u8(self):
        return self.take(1)[0]

    def u32_be(self):
        return int.from_bytes(self.take(4), "big")

    def rest(self):
        """All bytes that are left."""
        return self.take(len(self.data) - self.position)


class Queue:
    """The elements of a list. Taking more than are left, or leaving some, has the reason given."""

    def __init__(self, elements, reason):
        self.elements = elements
        self.reason = reason
        self.position = 0

    def take(self):
        return self.take_many(1)[0]

    def take_many(self, number):
        end = self.position + number
        check(end <= len(self.elements), self.reason)
        taken = self.elements[self.position : end]
        self.position = end
        return taken

    def finish(self):
        check(self.position == len(self.elements), self.reason)

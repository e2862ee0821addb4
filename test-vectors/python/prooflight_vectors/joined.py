"""Long bytes by their parts, which only vector files have (vectors 1)."""

from .carrier import BYTES

MAX_BYTES = 2**24


class JoinedError(Exception):
    """An object with the member `joined` does not have its form, or stands for too many bytes."""


def join_all(test_input):
    """The input with a string of bytes in the place of every object that stands for one."""
    return Joiner().put_in(test_input)


class Joiner:
    def __init__(self):
        self.left = MAX_BYTES

    def put_in(self, value):
        if isinstance(value, list):
            return [self.put_in(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "joined" not in value:
            return {name: self.put_in(member) for name, member in value.items()}
        parts = value["joined"]
        require(len(value) == 1 and isinstance(parts, list), "joined is no array, or not alone")
        return "0x" + "".join([self.digits(part) for part in parts])

    def digits(self, part):
        if isinstance(part, dict):
            require(part.keys() == {"repeat", "times"}, "a part has other members")
            text, times = part["repeat"], part["times"]
            require(type(times) is int and 0 <= times < 2**32, "times is no number")
        else:
            text, times = part, 1
        require(isinstance(text, str) and BYTES.fullmatch(text), "a part is not bytes")
        self.left -= (len(text) // 2 - 1) * times
        require(self.left >= 0, "more bytes than an input may have")
        return text[2:] * times


def require(condition, message):
    if not condition:
        raise JoinedError(message)

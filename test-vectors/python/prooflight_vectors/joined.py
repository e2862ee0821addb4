"""Long bytes and arrays by their parts, which only vector files have (vectors 1)."""

from .carrier import BYTES

MAX_BYTES = 2**24
MAX_ITEMS = 2**17


class JoinedError(Exception):
    """An object with the member `joined` does not have its form, or stands for too much."""


def join_all(value):
    """The JSON with bytes or an array in the place of every object that stands for one."""
    return Joiner().put_in(value)


class Joiner:
    def __init__(self):
        self.bytes_left = MAX_BYTES
        self.items_left = MAX_ITEMS

    def put_in(self, value):
        if isinstance(value, list):
            return [self.put_in(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "joined" not in value:
            return {name: self.put_in(member) for name, member in value.items()}
        parts = value["joined"]
        require(len(value) == 1 and isinstance(parts, list), "joined is no array, or not alone")
        parts = [read_part(part) for part in parts]
        if parts and isinstance(parts[0][0], list):
            return [item for part in parts for item in self.items(*part)]
        return "0x" + "".join([self.digits(*part) for part in parts])

    def digits(self, text, times):
        require(isinstance(text, str) and BYTES.fullmatch(text), "a part is not bytes")
        self.bytes_left -= (len(text) // 2 - 1) * times
        require(self.bytes_left >= 0, "more bytes than an input may have")
        return text[2:] * times

    def items(self, items, times):
        require(isinstance(items, list) and not has_joined(items), "a part has no plain items")
        self.items_left -= len(items) * times
        require(self.items_left >= 0, "more items than an input may have")
        return items * times


def read_part(part):
    """What a part repeats, and how often."""
    if not isinstance(part, dict):
        return part, 1
    require(part.keys() == {"repeat", "times"}, "a part has other members")
    times = part["times"]
    require(type(times) is int and 0 <= times < 2**32, "times is no number")
    return part["repeat"], times


def has_joined(value):
    if isinstance(value, dict):
        return "joined" in value or any(map(has_joined, value.values()))
    return isinstance(value, list) and any(map(has_joined, value))


def require(condition, message):
    if not condition:
        raise JoinedError(message)

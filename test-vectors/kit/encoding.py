"""JSON as vector files and verifiers write it (conventions 5)."""

import json
import re
from typing import NamedTuple

# Only fullmatch() is used: "$" would let a newline pass at the end.
BYTES = re.compile(r"0x([0-9a-fA-F]{2})*")
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]*")


class RawNumber(NamedTuple):
    """A number of an input that no Python number writes as the file does."""

    text: str


def write(value):
    """JSON in one line; numbers as the file has them."""
    if isinstance(value, RawNumber):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{write(value[name])}" for name in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value)


def same(expected, found):
    """Whether two values are equal. Bytes and quantities may differ in the case of their digits."""
    if type(expected) is not type(found):
        return False
    if isinstance(expected, dict):
        names = expected.keys()
        return names == found.keys() and all(same(expected[n], found[n]) for n in names)
    if isinstance(expected, list):
        return len(expected) == len(found) and all(map(same, expected, found))
    if isinstance(expected, str) and HEXADECIMAL.fullmatch(expected):
        return expected.lower() == found.lower()
    return expected == found


def shorten(text):
    return text if len(text) <= 160 else f"{text[:100]}…{text[-20:]} ({len(text)} characters)"

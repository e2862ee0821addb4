"""How JSON carries things (conventions 5).

What is read here comes from the `input` of a test, which may be malformed in any way: whatever
does not have the form that the specification says is refused as `invalid_argument`.
"""

import re

from .errors import Refusal, check

# Only fullmatch() is used: "$" would let a newline pass at the end.
BYTES = re.compile(r"0x([0-9a-fA-F]{2})*")
QUANTITY = re.compile(r"0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})")
INTEGER = re.compile(r"0x[0-9a-fA-F]{1,64}")
SIGNED = re.compile(r"0|-?[1-9][0-9]{0,18}")

ABSENT = object()


def read_member(container, name, read, default=ABSENT):
    """A member of a JSON object, read by `read`; its default, if any, where it is left out."""
    check(isinstance(container, dict), "invalid_argument")
    if name in container:
        return read(container[name])
    check(default is not ABSENT, "invalid_argument")
    return default


def check_names(container, names):
    """Refuses what is no JSON object, or one with a member that is not among the names."""
    check(isinstance(container, dict), "invalid_argument")
    check(container.keys() <= set(names), "invalid_argument")


def read_limits(value, default, fields):
    """Limits: those of the named tuple `default`, but for members, of which `fields` has the names."""
    check_names(value, fields)
    found = {fields[name]: read_member(value, name, read_number) for name in value}
    return default._replace(**found)


def read_array(value, read):
    """A JSON array, each element read by `read`."""
    check(isinstance(value, list), "invalid_argument")
    return [read(element) for element in value]


def read_bytes(value):
    """Bytes: `0x` and two hexadecimal digits a byte, in either case."""
    check(isinstance(value, str) and BYTES.fullmatch(value), "invalid_argument")
    return bytes.fromhex(value[2:])


def read_hash(value):
    """Bytes, of which there are 32."""
    hash_ = read_bytes(value)
    check(len(hash_) == 32, "invalid_argument")
    return hash_


def read_address(value):
    """Bytes, of which there are 20."""
    address = read_bytes(value)
    check(len(address) == 20, "invalid_argument")
    return address


def read_integer(value):
    """An integer of 256 bits: `0x` and 1 to 64 hexadecimal digits."""
    check(isinstance(value, str) and INTEGER.fullmatch(value), "invalid_argument")
    return int(value, 16)


def read_number(value, bits=32):
    """A small structural number: an integer from 0 to 2^32 - 1. JSON's `true` is none."""
    check(type(value) is int and 0 <= value < 2**bits, "invalid_argument")
    return value


def read_u8(value):
    return read_number(value, bits=8)


def read_u16(value):
    return read_number(value, bits=16)


def read_boolean(value):
    check(isinstance(value, bool), "invalid_argument")
    return value


def read_quantity(value):
    """A 64-bit quantity: `0x` and hexadecimal digits without leading zeros."""
    check(isinstance(value, str) and QUANTITY.fullmatch(value), "invalid_argument")
    return int(value, 16)


def read_signed(value):
    """A signed 64-bit integer: a decimal string without plus sign, leading zeros or `-0`."""
    check(isinstance(value, str) and SIGNED.fullmatch(value), "invalid_argument")
    number = int(value)
    check(-(2**63) <= number < 2**63, "invalid_argument")
    return number


def read_text(value):
    """A string, as its UTF-8 bytes. JSON can say halves of characters, which have none."""
    check(isinstance(value, str), "invalid_argument")
    try:
        return value.encode("utf-8")
    except UnicodeEncodeError:
        raise Refusal("invalid_argument") from None


def read_name(value, names):
    """A string that is one of the names."""
    check(isinstance(value, str) and value in names, "invalid_argument")
    return value


def write_bytes(value):
    """Bytes as JSON carries them."""
    return "0x" + value.hex()


def write_quantity(value):
    """A 64-bit quantity, or an integer of 256 bits, as JSON carries it."""
    return hex(value)


def same(expected, found):
    """Whether a member of `expected` equals the answer's, as written above and as JSON."""
    if isinstance(found, dict):
        return (
            isinstance(expected, dict)
            and expected.keys() == found.keys()
            and all(same(expected[name], found[name]) for name in found)
        )
    if isinstance(found, list):
        return (
            isinstance(expected, list)
            and len(expected) == len(found)
            and all(same(e, f) for e, f in zip(expected, found))
        )
    if found is None:
        return expected is None
    if found[:2] != "0x":
        return expected == found
    return isinstance(expected, str) and expected[:2] == "0x" and expected.lower() == found

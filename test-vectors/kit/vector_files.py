"""Reads vector files (vectors 2): every test with its whole input.

Only the `input` of a test may be malformed. A file that otherwise has another form is not run,
because a misspelt member would be an expectation that nobody checks.
"""

import json
from typing import NamedTuple, Optional

from edits import EditError, apply_edits
from encoding import RawNumber
from joined import JoinedError, join_all

SCHEMA = "schema/vectors_v1.json"

FILE = {
    "schema": str,
    "scheme": str,
    "origin": str,
    "license": str,
    "numberOfTests": int,
    "notes": dict,
    "testGroups": list,
}
GROUP = {"type": str, "tests": list}
TEST = {"tcId": int, "comment": str, "flags": list, "result": str}
INPUT = {"input": dict}
EDITED = {"base": int, "edits": list}
VALID = {"expected": dict}
INVALID = {"expectedError": str, "expectedReason": str}


class Test(NamedTuple):
    """A test with its own input, in which values may still be joined."""

    type: str
    tc_id: int
    comment: str
    input: dict
    valid: bool
    # For a valid test: members of the answer.
    expected: dict
    # For an invalid test, if the test pins them.
    code: Optional[str]
    reason: Optional[str]


class FileError(Exception):
    """A file does not have the form of vectors 2."""


def load(path):
    """The tests of a file, in its order."""
    require(not path.is_dir(), "a folder without vector files")
    try:
        with open(path, encoding="utf-8") as stream:
            file = json.load(
                stream,
                parse_int=parse_integer,
                parse_float=RawNumber,
                parse_constant=parse_constant,
                object_pairs_hook=parse_object,
            )
    except OSError as error:
        raise FileError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"not JSON: {error}") from None

    check_members(file, "file", FILE)
    require(file["schema"] == SCHEMA, f'schema is not "{SCHEMA}"')
    tests = [test for group in file["testGroups"] for test in load_group(group, file["notes"])]
    require(tests, "file without tests")
    require(len(tests) == file["numberOfTests"], f"numberOfTests is not {len(tests)}")
    require(len({test.tc_id for test in tests}) == len(tests), "tcId is not unique")
    return tests


def load_group(group, notes):
    check_members(group, "group", GROUP)
    require(group["tests"], "group without tests")
    bases = {}
    return [load_test(group["type"], test, notes, bases) for test in group["tests"]]


def load_test(group_type, test, notes, bases):
    require(isinstance(test, dict), "test is no object")
    # bool is an int in Python.
    name = f"test {test['tcId']}" if type(test.get("tcId")) is int else "test without tcId"
    result = test.get("result")
    require(result in ("valid", "invalid"), f"{name}: result is neither valid nor invalid")
    required = TEST | (EDITED if "base" in test else INPUT)
    check_members(test, name, required, VALID if result == "valid" else INVALID)
    for flag in test["flags"]:
        require(isinstance(flag, str) and flag in notes, f"{name}: flag without a note")
    code, reason = test.get("expectedError"), test.get("expectedReason")
    require(code is not None or reason is None, f"{name}: expectedReason without expectedError")
    try:
        own_input = input_of(test, bases)
        expected = join_all(test.get("expected", {}))
    except (EditError, JoinedError) as error:
        raise FileError(f"{name}: {error}") from None
    valid = result == "valid"
    return Test(group_type, test["tcId"], test["comment"], own_input, valid, expected, code, reason)


def input_of(test, bases):
    """The input of a test, or what its edits make of that of an earlier one in its group."""
    if "base" in test:
        require(test["base"] in bases, f"test {test['tcId']}: a base without an input before it")
        return apply_edits(bases[test["base"]], test["edits"])
    return bases.setdefault(test["tcId"], test["input"])


def parse_integer(digits):
    # An input may have an integer of any size, but Python refuses to convert very long ones.
    plain = len(digits) <= 20 and digits != "-0"
    return int(digits) if plain else RawNumber(digits)


def parse_constant(name):
    raise ValueError(name)


def parse_object(pairs):
    members = dict(pairs)
    require(len(members) == len(pairs), "member twice in an object")
    return members


def check_members(value, name, required, optional=None):
    optional = optional or {}
    require(isinstance(value, dict), f"{name} is no object")
    for member in required:
        require(member in value, f"{name} without {member}")
    for member, found in value.items():
        form = required.get(member) or optional.get(member)
        require(form is not None, f"{name}: unknown member {member[:80]}")
        require(type(found) is form, f"{name}: {member} has another type")


def require(condition, message):
    if not condition:
        raise FileError(message)

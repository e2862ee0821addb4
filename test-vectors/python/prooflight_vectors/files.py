"""Reads vector files and runs their tests (vectors 2).

The `input` of a test may be malformed in any way, nothing else: a file that has another form is
not run, because a misspelt member would be an expectation that nobody checks.
"""

import json
from typing import NamedTuple, Optional

from .carrier import same
from .edits import EditError, apply_edits
from .errors import REASONS, Refusal
from .joined import JoinedError, join_all
from .schemes import IDS

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


class Outcome(NamedTuple):
    """What became of a test, or with `tc_id` None of a file that could not be run."""

    tc_id: Optional[int]
    comment: str
    passed: Optional[bool]
    expected: str
    found: str

    def __str__(self):
        test = "file" if self.tc_id is None else f"tcId {self.tc_id} ({self.comment})"
        verdict = {True: "passed", False: "FAILED", None: "unsupported"}[self.passed]
        return f"{verdict} {test}: expected {self.expected}, found {self.found}"


class FileError(Exception):
    """A file does not have the form of vectors 2."""


def run(path, verifiers, unsupported=frozenset(), models=None):
    """Runs the tests of a file, each with the verifier of its group's type.

    Returns an Outcome for each test; `passed` is None for those of a type in `unsupported`, which
    are not run, except by the model of their scheme, if there is one. A file that cannot be run is
    one that failed.
    """
    try:
        file = load(path)
    except FileError as error:
        return [Outcome(None, "", False, "a file of test vectors", str(error))]
    outcomes = []
    for group in file["testGroups"]:
        for test in group["tests"]:
            verify = verifiers.get(group["type"])
            if group["type"] in unsupported:
                verify = (models or {}).get(test["input"].get("scheme"))
            is_run = verify is not None or group["type"] not in unsupported
            outcomes.append(run_test(test, verify) if is_run else not_run(test, group["type"]))
    return outcomes


def not_run(test, group_type):
    found = f"{group_type}, which needs more than a verifier"
    return Outcome(test["tcId"], test["comment"], None, expectation(test), found)


def run_test(test, verify):
    """Runs one test. Whatever the verifier raises but Refusal is a bug, so the test has failed."""
    if verify is None:
        passed, found = False, "no verifier for this type of group"
    else:
        try:
            answer = verify(join_all(test["input"]))
            passed, found = judge_answer(test, answer)
        except Refusal as refusal:
            passed, found = judge_refusal(test, refusal)
        except JoinedError as error:
            passed, found = False, f"an input that cannot be joined: {error}"
        except Exception as bug:  # noqa: BLE001: a bug of any kind is what this looks for
            passed, found = False, f"a bug: {type(bug).__name__}: {shorten(str(bug))}"
    return Outcome(test["tcId"], test["comment"], passed, expectation(test), found)


def judge_answer(test, answer):
    if test["result"] == "invalid":
        return False, f"accepted with {shorten(json.dumps(answer))}"
    for name, expected in test.get("expected", {}).items():
        if name not in answer:
            return False, f"accepted without {shorten(name)}"
        if not same(expected, answer[name]):
            return False, f"accepted with {name} {difference(expected, answer[name])}"
    return True, "accepted"


def judge_refusal(test, refusal):
    passed = (
        test["result"] == "invalid"
        and test.get("expectedError", refusal.code) == refusal.code
        and test.get("expectedReason", refusal.reason) == refusal.reason
    )
    return passed, f"refused: {refusal.code}, {refusal.reason}"


def expectation(test):
    if test["result"] == "valid":
        return "accepted"
    pinned = [test[name] for name in INVALID if name in test]
    return "refused" + (": " if pinned else "") + ", ".join(pinned)


def difference(expected, found):
    """The first place where two things differ, in few words."""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for i, (e, f) in enumerate(zip(expected, found)):
            if not same(e, f):
                return f"[{i}] {shorten(json.dumps(f))} instead of {shorten(json.dumps(e))}"
    return f"{shorten(json.dumps(found))} instead of {shorten(json.dumps(expected))}"


def shorten(text):
    return text if len(text) <= 160 else f"{text[:100]}…{text[-20:]} ({len(text)} characters)"


def load(path):
    """Reads a file and checks the form of everything in it but the inputs."""
    try:
        with open(path, encoding="utf-8") as stream:
            file = json.load(
                stream,
                parse_int=parse_int,
                parse_constant=parse_constant,
                object_pairs_hook=parse_object,
            )
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(str(error)) from None

    check_members(file, "file", FILE)
    require(file["schema"] == "schema/vectors_v1.json", "schema is another")
    require(file["scheme"] in (*IDS, "chain"), "scheme is unknown")
    tests = []
    for group in file["testGroups"]:
        check_members(group, "group", GROUP)
        require(group["tests"], "group without tests")
        bases = {}
        for test in group["tests"]:
            check_test(test, file["notes"])
            complete(test, bases)
            tests.append(test)
    require(tests, "file without tests")
    require(len(tests) == file["numberOfTests"], f"numberOfTests is not {len(tests)}")
    require(len({test["tcId"] for test in tests}) == len(tests), "tcId is not unique")
    return file


def parse_int(digits):
    # An input may have a number of any size, but Python refuses to convert very long ones.
    return int(digits) if len(digits) <= 20 else float(digits)


def parse_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse_object(pairs):
    members = dict(pairs)
    require(len(members) == len(pairs), "member twice in an object")
    return members


def check_test(test, notes):
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
    require(code is None or code in REASONS.values(), f"{name}: unknown expectedError")
    of_code = reason is None or REASONS.get(reason) == code
    require(of_code, f"{name}: expectedReason of another code")


def complete(test, bases):
    """Gives a test the input that its edits make, and joins what it expects."""
    try:
        if "expected" in test:
            test["expected"] = join_all(test["expected"])
        if "base" in test:
            base = test.pop("base")
            require(base in bases, f"test {test['tcId']}: a base without an input before it")
            test["input"] = apply_edits(bases[base], test.pop("edits"))
        else:
            bases[test["tcId"]] = test["input"]
    except (EditError, JoinedError) as error:
        raise FileError(f"test {test['tcId']}: {error}") from None


def check_members(value, name, required, optional=None):
    optional = optional or {}
    require(isinstance(value, dict), f"{name} is no object")
    for member in required:
        require(member in value, f"{name} without {member}")
    for member, found in value.items():
        form = required.get(member) or optional.get(member)
        require(form is not None, f"{name}: unknown member {shorten(member)}")
        require(type(found) is form, f"{name}: {member} has another type")


def require(condition, message):
    if not condition:
        raise FileError(message)

"""What the kit accepts as a vector file (vectors 2)."""

import copy
import json
import tempfile
import unittest
from pathlib import Path

from encoding import write
from vector_files import TEST, FileError, load

VALID = {
    "tcId": 1,
    "comment": "accepted",
    "flags": ["Flag"],
    "input": {"digest": "0xab"},
    "result": "valid",
    "expected": {"digest": "0xab", "results": [None, "0x01"]},
}
INVALID = {
    "tcId": 2,
    "comment": "refused",
    "flags": [],
    "input": {},
    "result": "invalid",
    "expectedError": "mismatch",
    "expectedReason": "root_mismatch",
}


def file_of(*tests, group_type="Test"):
    return {
        "schema": "schema/vectors_v1.json",
        "scheme": "avl",
        "origin": "a unit test",
        "license": "MIT OR Apache-2.0",
        "numberOfTests": len(tests),
        "notes": {"Flag": "some kind of test"},
        "testGroups": [{"type": group_type, "tests": list(tests)}],
    }


def changed(thing, **members):
    """A copy with other members; a member of `...` is left out."""
    merged = {**copy.deepcopy(thing), **members}
    return {name: value for name, value in merged.items() if value is not ...}


class WithFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "vectors.json"

    def write(self, content, name="vectors.json"):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        path = self.path.with_name(name)
        path.write_bytes(data)
        return path


class VectorFiles(WithFiles):
    def refused(self, content, found):
        with self.assertRaises(FileError) as caught:
            load(self.write(content))
        self.assertIn(found, str(caught.exception))

    def test_tests_have_whole_inputs(self):
        edited = {"base": 1, "edits": [{"at": ["digest"], "from": 0, "cut": 1, "put": "0x"}]}
        tests = load(self.write(file_of(VALID, changed(INVALID, input=..., **edited))))
        self.assertEqual([test.input for test in tests], [{"digest": "0xab"}, {"digest": "0x"}])
        self.assertEqual([test.reason for test in tests], [None, "root_mismatch"])

    def test_a_file_that_is_not_json(self):
        self.refused(b"", "not JSON: Expecting value")
        self.refused(b"{", "not JSON: Expecting property name")
        self.refused(b"\xff", "not JSON: 'utf-8' codec can't decode")
        self.refused(b"[" * 200_000, "not JSON")
        self.refused(b"[NaN]", "not JSON: NaN")
        self.refused(b'{"a": 1, "a": 2}', "member twice")
        self.refused([], "file is no object")
        self.refused({}, "file without schema")
        for path in (self.path.parent, self.path.parent / "missing.json"):
            self.assertRaises(FileError, load, path)

    def test_members_of_a_file(self):
        file = file_of(VALID)
        for member in file:
            self.refused(changed(file, **{member: ...}), f"file without {member}")
            self.refused(changed(file, **{member: None}), f"file: {member} has another type")
        self.refused(changed(file, extra=1), "unknown member extra")
        self.refused(changed(file, schema="vectors_v2"), 'schema is not "schema/vectors_v1.json"')
        self.refused(changed(file, numberOfTests=2), "numberOfTests is not 1")
        self.refused(changed(file, numberOfTests=True), "numberOfTests has another type")
        self.refused(changed(file, testGroups=[], numberOfTests=0), "without tests")
        self.refused(changed(file, testGroups=[None]), "group is no object")
        self.refused(file_of(), "group without tests")

    def test_members_of_a_test(self):
        for member in TEST:
            if member != "result":
                self.refused(file_of(changed(VALID, **{member: ...})), f"without {member}")
            self.refused(file_of(changed(VALID, **{member: None})), member)
        self.refused(file_of(None), "test is no object")
        self.refused(file_of(changed(VALID, result=...)), "neither valid nor invalid")
        self.refused(file_of(changed(VALID, result="acceptable")), "neither valid nor invalid")
        self.refused(file_of(changed(VALID, flags=["Other"])), "flag without a note")
        self.refused(file_of(changed(VALID, flags=[["Flag"]])), "flag without a note")
        self.refused(file_of(VALID, VALID), "tcId is not unique")

    def test_expectations_that_nobody_would_check(self):
        self.refused(file_of(changed(VALID, Expected={})), "unknown member Expected")
        self.refused(file_of(changed(VALID, expectedError="mismatch")), "unknown member")
        self.refused(file_of(changed(INVALID, expected={})), "unknown member expected")
        self.refused(file_of(changed(INVALID, expectedreason="x")), "unknown member")
        self.refused(file_of(changed(INVALID, expectedError=...)), "without expectedError")

    def test_edits_and_joined_values_that_are_mistakes(self):
        edited = changed(INVALID, input=..., base=1, edits=[{"at": ["x", "y"], "set": 1}])
        self.refused(file_of(VALID, edited), "test 2: an edit of what is not there")
        self.refused(file_of(edited), "a base without an input before it")
        self.refused(file_of(changed(VALID, expected={"a": {"joined": 1}})), "test 1: joined")

    def test_numbers_of_an_input_are_passed_on_as_they_are(self):
        numbers = ["1e400", "1.0", "-0", "18446744073709551616", "9" * 5000, "1E-2"]
        text = json.dumps(file_of(changed(INVALID, input={"n": "NUMBERS"})))
        text = text.replace('"NUMBERS"', f"[{', '.join(numbers)}]")
        (test,) = load(self.write(text.encode()))
        self.assertEqual(write(test.input), '{"n":[' + ",".join(numbers) + "]}")

    def test_halves_of_surrogate_pairs_are_passed_on(self):
        text = json.dumps(file_of(changed(INVALID, input={"a": "HALF"}))).replace("HALF", "\\ud834")
        (test,) = load(self.write(text.encode()))
        self.assertEqual(write(test.input), '{"a":"\\ud834"}')


if __name__ == "__main__":
    unittest.main()

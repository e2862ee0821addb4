"""The runner: what it accepts as a file, and above all that it can fail."""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from prooflight_vectors import files
from prooflight_vectors.__main__ import VECTORS, all_files
from prooflight_vectors.errors import Refusal
from prooflight_vectors.groups import UNSUPPORTED, VERIFIERS

RUN = VECTORS / "python" / "run.py"

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


def answer(test_input):
    return {"digest": test_input["digest"], "results": [None, "0x01"], "neighbours": []}


def refuse(test_input):
    raise Refusal("root_mismatch")


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

    def write(self, content):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.path.write_bytes(data)
        return self.path


class Tests(unittest.TestCase):
    """One test with a verifier that answers, refuses or breaks."""

    def passes(self, test, verify):
        outcome = files.run_test(test, verify)
        self.assertTrue(outcome.passed, outcome)

    def fails(self, test, verify, found):
        outcome = files.run_test(test, verify)
        self.assertFalse(outcome.passed, outcome)
        self.assertIn(found, outcome.found)

    def test_valid(self):
        self.passes(VALID, answer)
        self.passes(changed(VALID, expected=...), answer)
        self.passes(changed(VALID, expected={}), answer)

    def test_valid_but_refused(self):
        self.fails(VALID, refuse, "refused: mismatch, root_mismatch")
        self.fails(changed(VALID, expected=...), refuse, "refused")

    def test_valid_with_another_answer(self):
        for expected in (
            {"digest": "0xac"},
            {"digest": None},
            {"digest": "not bytes"},
            {"results": []},
            {"results": [None]},
            {"results": [None, "0x02"]},
            {"results": ["0x", "0x01"]},
            {"results": {}},
            {"neighbours": [None]},
            {"neighbors": []},
            {"digest": "0xab", "unknown": None},
        ):
            with self.subTest(expected=expected):
                self.fails(changed(VALID, expected=expected), answer, "accepted with")

    def test_invalid(self):
        self.passes(INVALID, refuse)
        self.passes(changed(INVALID, expectedReason=...), refuse)
        self.passes(changed(INVALID, expectedReason=..., expectedError=...), refuse)

    def test_invalid_but_accepted(self):
        accept = lambda test_input: {}  # noqa: E731
        self.fails(INVALID, accept, "accepted")
        self.fails(changed(INVALID, expectedReason=..., expectedError=...), accept, "accepted")

    def test_invalid_with_another_refusal(self):
        found = "refused: mismatch, root_mismatch"
        self.fails(changed(INVALID, expectedReason="tree_shape"), refuse, found)
        other = changed(INVALID, expectedError="malformed", expectedReason=...)
        self.fails(other, refuse, found)

    def test_a_bug_is_never_a_refusal(self):
        def breaks(exception):
            def verify(test_input):
                raise exception

            return verify

        def recurses(test_input):
            return recurses(test_input)

        anything = changed(INVALID, expectedReason=..., expectedError=...)
        for exception in (KeyError("x"), ValueError(), TypeError(), MemoryError(), StopIteration()):
            with self.subTest(exception=exception):
                self.fails(anything, breaks(exception), f"a bug: {type(exception).__name__}")
                self.fails(VALID, breaks(exception), "a bug")
        self.fails(anything, recurses, "a bug: RecursionError")

    def test_an_unknown_type_of_group(self):
        self.fails(VALID, None, "no verifier")
        self.fails(INVALID, None, "no verifier")


class Files(WithFiles):
    def run_file(self, content):
        return files.run(self.write(content), {"Test": answer, "Refuse": refuse})

    def refused(self, content, found):
        outcomes = self.run_file(content)
        self.assertEqual([outcome.passed for outcome in outcomes], [False])
        self.assertIsNone(outcomes[0].tc_id)
        self.assertIn(found, outcomes[0].found)

    def test_all_groups_run_with_their_verifier(self):
        file = file_of(VALID)
        file["testGroups"].append({"type": "Refuse", "tests": [INVALID]})
        file["testGroups"].append({"type": "Unknown", "tests": [changed(INVALID, tcId=3)]})
        file["numberOfTests"] = 3
        outcomes = self.run_file(file)
        passed = [(outcome.tc_id, outcome.passed) for outcome in outcomes]
        self.assertEqual(passed, [(1, True), (2, True), (3, False)])

    def test_what_is_no_file(self):
        self.refused(b"", "Expecting value")
        self.refused(b"{", "Expecting property name")
        self.refused(b"\xff", "decode")
        self.refused(b"[" * 200_000, "")
        self.refused(b"[NaN]", "NaN is not JSON")
        self.refused(b'{"a": 1, "a": 2}', "member twice")
        self.refused([], "file is no object")
        self.refused({}, "file without schema")
        for path in (self.path.parent, self.path.parent / "missing.json"):
            outcomes = files.run(path, {})
            self.assertEqual([outcome.passed for outcome in outcomes], [False])

    def test_members_of_a_file(self):
        file = file_of(VALID)
        for member in file:
            self.refused(changed(file, **{member: ...}), f"file without {member}")
            self.refused(changed(file, **{member: None}), f"file: {member} has another type")
        self.refused(changed(file, extra=1), "unknown member extra")
        self.refused(changed(file, schema="schema/vectors_v2.json"), "schema")
        self.refused(changed(file, scheme="avl+"), "scheme")
        self.refused(changed(file, numberOfTests=2), "numberOfTests is not 1")
        self.refused(changed(file, numberOfTests=True), "numberOfTests has another type")
        self.refused(changed(file, testGroups=[], numberOfTests=0), "without tests")
        self.refused(changed(file, testGroups=[None]), "group is no object")
        self.refused(file_of(), "group without tests")

    def test_members_of_a_test(self):
        for member in files.TEST:
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
        self.refused(file_of(changed(INVALID, expectedError=...)), "expectedReason of another code")
        self.refused(file_of(changed(INVALID, expectedError="malformed")), "of another code")
        self.refused(file_of(changed(INVALID, expectedReason="root")), "of another code")
        wrong = changed(INVALID, expectedError="mismatched", expectedReason=...)
        self.refused(file_of(wrong), "unknown expectedError")

    def test_inputs_may_be_malformed(self):
        digits = "9" * 10_000
        text = json.dumps(file_of(changed(INVALID, input={"keyLength": "HUGE", "proof": [{}]})))
        outcomes = files.run(
            self.write(text.replace('"HUGE"', digits).encode()),
            {"Test": VERIFIERS["AvlBatch"]},
        )
        self.assertIn("refused: invalid_input, invalid_argument", outcomes[0].found)


class CommandLine(WithFiles):
    def run_command(self, *arguments):
        done = subprocess.run(
            [sys.executable, str(RUN), *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout

    def vectors(self):
        """A valid and an invalid test that pass."""
        refused = {"keyLength": 0, "valueLength": None, "digest": "0x", "ops": [], "proof": "0x"}
        valid = changed(VALID, input=EMPTY_BATCH, expected={"digest": EMPTY_BATCH["digest"]})
        invalid = changed(
            INVALID,
            input=refused,
            expectedError="invalid_input",
            expectedReason="digest_length",
        )
        return file_of(valid, invalid, group_type="AvlBatch")

    def test_passed(self):
        code, printed = self.run_command(self.write(self.vectors()))
        self.assertEqual((code, printed.splitlines()[-1]), (0, "2 passed, 0 failed"))

    def test_failed(self):
        file = self.vectors()
        valid, invalid = file["testGroups"][0]["tests"]
        for wrong in (
            changed(valid, expected={"digest": "0x" + "00" * 33}),
            changed(valid, result="invalid", expected=...),
            changed(invalid, result="valid", expectedError=..., expectedReason=...),
            changed(invalid, expectedError="malformed", expectedReason=...),
            changed(invalid, expectedReason="invalid_argument"),
        ):
            other = invalid if wrong["tcId"] == valid["tcId"] else valid
            with self.subTest(wrong=wrong):
                path = self.write(file_of(wrong, other, group_type="AvlBatch"))
                code, printed = self.run_command(path)
                self.assertEqual((code, printed.splitlines()[-1]), (1, "1 passed, 1 failed"))
                self.assertIn(f"FAILED tcId {wrong['tcId']}", printed)

    def test_one_bad_file_among_good_ones(self):
        good = self.write(self.vectors())
        code, printed = self.run_command(good, good.parent / "missing.json", good)
        self.assertEqual((code, printed.splitlines()[-1]), (1, "4 passed, 1 failed"))

    def test_comments_that_a_terminal_cannot_show(self):
        path = self.write(file_of(changed(VALID, comment="\ud800")))
        code, printed = self.run_command("-v", path)
        self.assertEqual((code, printed.splitlines()[-1]), (1, "0 passed, 1 failed"))

    def test_all_files_are_found(self):
        names = {path.relative_to(VECTORS).as_posix() for path in all_files(VECTORS)}
        self.assertIn("avl/ergo_mainnet.json", names)
        folders = {name.split("/")[0] for name in names}
        self.assertEqual(folders, {"amb", "amt", "avl", "chain", "lmpt", "lvmt", "mpt", "smt", "state-roots"})

    def test_unsupported_types_neither_pass_nor_fail(self):
        self.assertEqual(UNSUPPORTED, {"StateRoots"})
        path = self.write(file_of(INVALID, group_type="StateRoots"))
        code, printed = self.run_command("-v", path)
        # A run without a test has shown nothing.
        self.assertEqual((code, printed.splitlines()[-1]), (1, "0 passed, 0 failed, 1 unsupported"))
        self.assertIn("unsupported tcId 2", printed)
        code, printed = self.run_command(path, VECTORS / "avl" / "scala_verifier.json")
        self.assertEqual(code, 0)
        self.assertIn("0 failed, 1 unsupported", printed.splitlines()[-1])


EMPTY_LABEL = "4ec61f485b98eb87153f7c57db4f5ecd75556fddbc403b41acf8441fde8e1609"
EMPTY_BATCH = {
    "keyLength": 32,
    "valueLength": None,
    "digest": f"0x{EMPTY_LABEL}00",
    "ops": [],
    "proof": f"0x03{EMPTY_LABEL}04",
}


if __name__ == "__main__":
    unittest.main()

"""The kit against verifiers that are right, wrong, slow, silent and broken."""

import shlex
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

from run import VECTORS, files_of
from test_vector_files import INVALID, VALID, WithFiles, changed, file_of

RUN = Path(__file__).resolve().parents[1] / "run.py"

# Answers each question by `say`, which a test defines.
LOOP = """
import json, os, sys, time
def right(question):
    if question["input"]: return {"valid": {"digest": "0xAB", "results": [None, "0x01"], "more": 1}}
    return {"invalid": {"code": "mismatch", "reason": "root_mismatch"}}
%s
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"id": question["id"], **say(question)}), flush=True)
"""


class Runs(WithFiles):
    def run_kit(self, say, *arguments, files=None):
        """Runs the kit with a verifier whose `say(question)` has this body."""
        script = LOOP % ("def say(question):\n" + textwrap.indent(textwrap.dedent(say), "    "))
        command = shlex.join([sys.executable, "-c", script])
        return self.run_command(command, *arguments, *(files or [self.write(file_of(VALID, INVALID))]))

    def run_command(self, *arguments):
        done = subprocess.run(
            [sys.executable, str(RUN), *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        self.assertNotIn("Traceback", done.stderr)
        self.complaints = done.stderr
        return done.returncode, done.stdout

    def many(self, number):
        """A file with so many tests."""
        return self.write(file_of(*[changed(VALID, tcId=i + 1) for i in range(number)]))

    def refuses(self, message, *arguments):
        """The kit runs nothing, and says why."""
        self.assertEqual(self.run_command(*arguments), (2, ""))
        self.assertIn(message, self.complaints)

    def ends(self, printed, last, code):
        self.assertEqual((printed[0], printed[1].splitlines()[-1]), (code, last), printed[1])

    def fails(self, say, found, *arguments, last="1 passed, 1 failed"):
        printed = self.run_kit(say, *arguments)
        self.ends(printed, last, 1)
        self.assertIn(found, printed[1])

    def test_a_right_verifier_passes(self):
        printed = self.run_kit("return right(question)")
        self.ends(printed, "2 passed, 0 failed", 0)
        self.assertRegex(printed[1], r"Test +2 +0 +0")

    def test_a_verifier_that_accepts_everything_fails(self):
        say = 'return {"valid": {"digest": "0xab", "results": [None, "0x01"]}}'
        self.fails(say, "tcId 2 (refused): expected refused: mismatch, root_mismatch, found accepted")

    def test_a_verifier_that_refuses_everything_fails(self):
        say = 'return {"invalid": {"code": "mismatch", "reason": "root_mismatch"}}'
        self.fails(say, "tcId 1 (accepted): expected accepted, found refused: mismatch")

    def test_another_answer_fails(self):
        for digest, found in (
            ('"0xac"', "accepted with digest"),
            ("None", "null instead of"),
            ("True", "accepted with digest"),
            ("[]", "accepted with digest"),
        ):
            with self.subTest(digest):
                say = f'return {{"valid": {{"digest": {digest}, "results": [None, "0x01"]}}}}'
                self.fails(f"if not question['input']: return right(question)\n{say}", found)
        say = 'return {"valid": {}} if question["input"] else right(question)'
        self.fails(say, "accepted without digest")

    def test_another_code_or_reason_fails(self):
        for body in (
            '{"code": "malformed", "reason": "root_mismatch"}',
            '{"code": "mismatch", "reason": "tree_shape"}',
            '{"code": "mismatch"}',
            "{}",
        ):
            with self.subTest(body):
                say = f'return right(question) if question["input"] else {{"invalid": {body}}}'
                self.fails(say, "tcId 2 (refused): expected refused: mismatch, root_mismatch, found")
                printed = self.run_kit(say, "--verdicts")
                self.ends(printed, "2 passed, 0 failed", 0)

    def test_what_a_test_does_not_pin_may_differ(self):
        loose = changed(INVALID, expectedReason=..., expectedError=...)
        say = 'return right(question) if question["input"] else {"invalid": {"code": "x"}}'
        printed = self.run_kit(say, files=[self.write(file_of(VALID, loose))])
        self.ends(printed, "2 passed, 0 failed", 0)

    def test_unsupported_fails_unless_its_type_is_skipped(self):
        say = 'return {"unsupported": True} if question["type"] == "Other" else right(question)'
        other = self.write(file_of(VALID, group_type="Other"), "other.json")
        files = [self.write(file_of(VALID, INVALID)), other]
        self.ends(self.run_kit(say, files=files), "2 passed, 1 failed", 1)
        self.ends(self.run_kit(say, "--skip", "Test", files=files), "2 passed, 1 failed", 1)
        printed = self.run_kit(say, "--skip", "Other", files=files)
        self.ends(printed, "2 passed, 0 failed, 1 skipped", 0)
        # A run in which nothing passed has shown nothing.
        printed = self.run_kit(say, "--skip", "Other", files=[other])
        self.ends(printed, "0 passed, 0 failed, 1 skipped", 1)

    def test_a_skipped_type_is_judged_if_the_verifier_answers(self):
        say = 'return {"valid": {}} if question["input"] else right(question)'
        self.fails(say, "accepted without digest", "--skip", "Test")

    def test_a_crash_fails_its_test_and_the_command_is_started_again(self):
        say = "if question['input']: os._exit(3)\nreturn right(question)"
        self.fails(say, "the command ended without an answer (exit code 3)")
        say = "if question['input']: os.abort()\nreturn right(question)"
        self.fails(say, "the command ended without an answer (signal 6)")

    def test_a_command_that_ends_after_each_answer_is_started_again(self):
        say = "print(json.dumps({'id': question['id'], **right(question)}), flush=True)\nos._exit(0)"
        # The first test passes; the second finds the command ended.
        self.fails(say, "the command ended without an answer")

    def test_silence_fails_its_test(self):
        say = "if question['input']: time.sleep(60)\nreturn right(question)"
        self.fails(say, "no answer within 1 s", "--timeout", "1")

    def test_silence_of_what_the_command_started_fails_its_test(self):
        say = """
            if question["input"]:
                import subprocess
                subprocess.run(["sleep", "60"])
            return right(question)
        """
        self.fails(say, "no answer within 1 s", "--timeout", "1")

    def test_a_command_that_reads_nothing_fails(self):
        long = changed(VALID, input={"digest": {"joined": [{"repeat": "0xab", "times": 1 << 20}]}})
        path = self.write(file_of(long, INVALID))
        printed = self.run_command("sleep 60", "--timeout", "1", path)
        self.ends(printed, "0 passed, 2 failed", 1)

    def test_answers_that_are_no_verdicts_fail(self):
        for printed, found in (
            ('"{}"', "an answer without the id 1"),
            ('"[]"', "an answer that is no JSON object"),
            ('"checking 1"', "an answer that is no JSON object: checking 1"),
            ('""', "an answer that is no JSON object"),
            ("'[' * 200000", "an answer that is no JSON object"),
            ("json.dumps({'id': 2, **right(question)})", "an answer without the id 1"),
            ("json.dumps({'id': True, **right(question)})", "an answer without the id 1"),
            ("json.dumps({'id': 1})", "an answer without exactly one verdict"),
            ("json.dumps({'id': 1, 'valid': {}, 'invalid': {}})", "without exactly one verdict"),
            ("json.dumps({'id': 1, 'valid': True})", "valid is no object"),
            ("json.dumps({'id': 1, 'invalid': 'mismatch'})", "invalid is no object"),
            ("json.dumps({'id': 1, 'unsupported': False})", "unsupported is not true"),
        ):
            with self.subTest(printed):
                say = f"if question['input']: print({printed}, flush=True)\nreturn right(question)"
                self.fails(say, found)

    def test_a_line_without_end_fails(self):
        say = "while question['input']: sys.stdout.write('x' * (1 << 20))\nreturn right(question)"
        self.fails(say, "a line of more than")

    def test_joined_values_are_resolved_before_the_verifier_sees_them(self):
        joined = {"joined": [{"repeat": "0xab", "times": 3}]}
        test = changed(VALID, input={"digest": joined}, expected={"digest": joined})
        say = 'return {"valid": {"digest": question["input"]["digest"]}}'
        self.ends(self.run_kit(say, files=[self.write(file_of(test))]), "1 passed, 0 failed", 0)

    def test_an_input_that_cannot_be_joined_fails_without_being_run(self):
        test = changed(INVALID, input={"digest": {"joined": 1}})
        printed = self.run_kit("os._exit(1)", files=[self.write(file_of(test))])
        self.ends(printed, "0 passed, 1 failed", 1)
        self.assertIn("an input that cannot be joined", printed[1])

    def test_a_file_that_cannot_be_run_fails_among_good_ones(self):
        good = self.write(file_of(VALID, INVALID))
        printed = self.run_kit("return right(question)", files=[good, good.with_name("no"), good])
        self.ends(printed, "4 passed, 1 failed", 1)

    def test_comments_that_a_terminal_cannot_show(self):
        path = self.write(file_of(changed(VALID, comment="\ud800", expected={"x": 1})))
        printed = self.run_kit("return right(question)", files=[path])
        self.ends(printed, "0 passed, 1 failed", 1)

    def test_a_command_that_cannot_be_started(self):
        for command, message in (
            ("./no-such-verifier", "cannot start ./no-such-verifier"),
            ("''", "cannot start ''"),
            ("", "argument COMMAND: no command"),
            ("  ", "argument COMMAND: no command"),
            ("'x", "No closing quotation"),
        ):
            with self.subTest(command):
                self.refuses(message, command, self.write(file_of(VALID)))

    def test_options_out_of_range(self):
        for option, values in (
            ("--timeout", ("-1", "0", "nan", "inf", "1e300", "soon")),
            ("--jobs", ("-3", "0", "1.5", "many")),
        ):
            for value in values:
                with self.subTest(f"{option} {value}"):
                    self.refuses(f"argument {option}: '{value}' is no", "true", option, value)

    def test_only_the_command_is_required(self):
        self.refuses("arguments are required: COMMAND\n")

    def test_a_command_that_answers_nothing_is_given_up(self):
        path = self.many(40)
        printed = self.run_command("sleep 60", "--timeout", "0.2", path)
        self.ends(printed, "0 passed, 40 failed", 1)
        self.assertEqual(printed[1].count("(is each line flushed?)"), 3)
        self.assertIn("the command has answered nothing; the other 37 tests were not run", printed[1])

    def test_it_is_given_up_for_all_files(self):
        content = file_of(*[changed(VALID, tcId=i + 1) for i in range(5)])
        files = [self.write(content, f"{i}.json") for i in range(4)]
        printed = self.run_command("sleep 60", "--timeout", "0.2", "--jobs", "1", *files)
        self.ends(printed, "0 passed, 20 failed", 1)
        self.assertEqual(printed[1].count("(is each line flushed?)"), 3)
        self.assertEqual(printed[1].count("the other 5 tests were not run"), 3)

    def test_a_command_that_has_answered_is_not_given_up(self):
        # After a crash the number of the question tells the new process that it is not the first.
        say = "if question['id'] > 1: os._exit(1)\nreturn right(question)"
        printed = self.run_kit(say, files=[self.many(9)])
        self.ends(printed, "1 passed, 8 failed", 1)
        self.assertEqual(printed[1].count("exit code 1"), 8)
        say = "if question['id'] == 2: time.sleep(60)\nreturn right(question)"
        printed = self.run_kit(say, "--timeout", "1", files=[self.many(9)])
        self.ends(printed, "8 passed, 1 failed", 1)
        self.assertNotIn("flushed", printed[1])

    def test_an_answer_that_is_no_verdict_is_an_answer(self):
        printed = self.run_command("yes", self.many(5))
        self.assertEqual(printed[1].count("no JSON object"), 5)

    def test_the_same_complaint_of_a_command_is_printed_once(self):
        say = "print('no such module', file=sys.stderr, flush=True)\nos._exit(1)"
        printed = self.run_kit(say)
        self.ends(printed, "0 passed, 2 failed", 1)
        self.assertEqual(self.complaints.count("no such module"), 1)

    def test_the_end_of_a_long_complaint_is_printed(self):
        script = "import sys; sys.stderr.write('x' * (1 << 17) + '\\nlast\\n')"
        self.run_command(shlex.join([sys.executable, "-c", script]), self.many(1))
        self.assertTrue(self.complaints.endswith("x\nlast\n"))
        self.assertIn("bytes before", self.complaints)
        self.assertLess(len(self.complaints), 70_000)

    def test_text_of_files_and_commands_is_escaped(self):
        # ESC, CSI of C1, lines of its own, and marks that change the direction of text.
        hostile = "\x1b[2J\x9b1m\nfoo: 5 passed\r\u202e\u2066\u2028"
        test = changed(INVALID, comment=hostile, expectedError=hostile, expectedReason=hostile)
        path = self.write(file_of(test, group_type=hostile), "a\x1b[2J\nfoo.json")
        for say in (
            f"return {{'invalid': {{'code': 'x' + {hostile!r}, 'reason': {hostile!r}}}}}",
            f"print({hostile.replace(chr(10), '')!r}, flush=True)\nos._exit(0)",
            "return {'unsupported': True}",
            f"sys.stderr.write({hostile.replace(chr(10), '')!r})\nos._exit(0)",
        ):
            with self.subTest(say):
                printed = self.run_kit(say, files=[path])
                self.ends(printed, "0 passed, 1 failed", 1)
                for part in ("\x1b", "\x9b", "\nfoo", "\r", "\u202e", "\u2066", "\u2028"):
                    self.assertNotIn(part, printed[1] + self.complaints)
                self.assertIn(r"a\x1b[2J\nfoo.json", printed[1])

    def test_unsupported_names_its_remedy(self):
        other = self.write(file_of(VALID, group_type="Two words"), "other.json")
        code, printed = self.run_kit('return {"unsupported": True}', files=[self.many(5), other])
        self.assertEqual(code, 1)
        self.assertIn("\n  5 tests of Test: found unsupported; --skip Test allows this\n", printed)
        self.assertIn("1 test of Two words: found unsupported; --skip 'Two words' allows", printed)
        self.assertEqual(printed.count("unsupported"), 2)

    def test_a_skipped_type_that_no_file_has_is_named(self):
        self.ends(self.run_kit("return right(question)", "--skip", "None"), "2 passed, 0 failed", 0)
        self.assertIn("--skip None: these files have no test of this type", self.complaints)

    def test_a_folder_stands_for_its_files(self):
        folder = self.write(file_of(VALID, INVALID)).parent
        printed = self.run_kit("return right(question)", files=[folder])
        self.ends(printed, "2 passed, 0 failed", 0)
        empty = folder / "empty"
        empty.mkdir()
        printed = self.run_kit("return right(question)", files=[empty])
        self.ends(printed, "0 passed, 1 failed", 1)
        self.assertIn("a folder without vector files", printed[1])

    def test_a_reader_that_stops_reading(self):
        path = self.write(file_of(VALID))
        command = shlex.join([sys.executable, str(RUN), "false", *[str(path)] * 2000]) + " | head -1"
        done = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8", check=True)
        self.assertNotIn("Traceback", done.stderr)

    def test_all_files_are_found(self):
        names = {path.relative_to(VECTORS).as_posix() for path in files_of(VECTORS)}
        self.assertIn("avl/ergo_mainnet.json", names)
        folders = {name.split("/")[0] for name in names}
        expected = {"amb", "amt", "avl", "chain", "lmpt", "lvmt", "mpt", "smt", "state-roots"}
        self.assertEqual(folders, expected)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs test vectors against any verifier: python3 run.py 'COMMAND' [FILE|FOLDER…]

COMMAND starts the verifier. It reads one JSON object a line from its standard input and answers
each with one line on its standard output:

  {"id": 1, "type": "AvlBatch", "input": {…}}      a question: the type of a test and its input

  {"id": 1, "valid": {…}}                          accepted, with the members that the test expects
  {"id": 1, "invalid": {"code": …, "reason": …}}   refused
  {"id": 1, "unsupported": true}                   this verifier does not know the type

Each line must be flushed. Without files, all vectors of this folder's parent are run. Needs
Python 3.9 or later, nothing else.
"""

import argparse
import os
import shlex
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import TIMEOUT_MAX, Event
from typing import NamedTuple, Optional

from encoding import same, shorten, write
from joined import JoinedError, join_all
from terminal import ErrorOutput, complain, printable, say
from vector_files import FileError, load
from verifier import AnswerCount, CommandError, Fault, Verifier

VECTORS = Path(__file__).resolve().parents[1]

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

# What is found in tests that are not printed one by one.
UNSUPPORTED, NOT_RUN = "unsupported", "not run"


class Outcome(NamedTuple):
    """The result of a test, or without `tc_id` that of a file that could not be run."""

    type: str
    tc_id: Optional[int]
    comment: str
    result: str
    expected: str
    found: str


def main(arguments):
    """Runs the files; returns the exit code: 1 on any failure, 2 if the command cannot be started."""
    options = parse(arguments)
    # Names and comments of hostile files must not stop a terminal that cannot show them.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    try:
        return run_all(options)
    except CommandError as error:
        complain(f"cannot start {shlex.join(options.command)}: {error}")
        return 2
    except BrokenPipeError:
        # Nobody reads the rest (`| head`). Python would complain when it flushes it at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def run_all(options):
    paths = [file for path in options.files or [VECTORS] for file in files_of(path)]
    outcomes = []
    with closing(run(paths, options)) as of_files:
        for path, of_file in zip(paths, of_files):
            print_file(path, of_file)
            outcomes += of_file
    types = {outcome.type for outcome in outcomes}
    for name in options.skip:
        if name not in types:
            complain(f"--skip {name}: these files have no test of this type")
    return print_table(outcomes)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="run.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="run.py [options] COMMAND [FILE|FOLDER…]",
    )
    parser.add_argument(
        "command",
        type=read_command,
        metavar="COMMAND",
        help="starts the verifier; one argument, so in quotes",
    )
    parser.add_argument(
        "files",
        nargs="*",
        default=[],
        type=Path,
        metavar="FILE",
        help="a vector file, or a folder with some; default: all vectors",
    )
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="TYPE",
        help="a type that may be unsupported; may be repeated",
    )
    parser.add_argument(
        "--verdicts",
        action="store_true",
        help="compare no codes and reasons, for verifiers that have others",
    )
    parser.add_argument(
        "--jobs",
        type=read_jobs,
        default=os.cpu_count() or 1,
        metavar="N",
        help="files at a time, each with a verifier of its own; default: the number of processors",
    )
    parser.add_argument(
        "--timeout",
        type=read_seconds,
        default=60,
        metavar="SECONDS",
        help="for a test; default: 60",
    )
    # Options may stand between the command and the files.
    return parser.parse_intermixed_args(arguments)


def read_command(text):
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None
    if not words:
        raise argparse.ArgumentTypeError("no command")
    return words


def read_jobs(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def read_seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is no time above 0, or too long")
    return seconds


def run(paths, options):
    """Yields the outcomes of each file."""
    stop = Event()
    error_output = ErrorOutput()
    count = AnswerCount()
    with ThreadPoolExecutor(options.jobs) as pool:
        try:
            yield from pool.map(
                lambda path: run_file(path, options, error_output, count, stop), paths
            )
        finally:
            stop.set()


def run_file(path, options, error_output, count, stop):
    try:
        tests = load(path)
    except FileError as error:
        return [Outcome("", None, "", FAILED, "a file of test vectors", str(error))]
    outcomes = []
    with Verifier(options.command, options.timeout, error_output, count) as verifier:
        for test in tests:
            if stop.is_set():
                break
            outcomes.append(run_test(test, verifier, options))
    return outcomes


def run_test(test, verifier, options):
    if verifier.count.is_silent:
        return outcome_of(test, FAILED, NOT_RUN)
    try:
        verdict = verifier.ask(test.type, join_all(test.input))
        result, found = judge(test, verdict, options)
    except JoinedError as error:
        result, found = FAILED, f"an input that cannot be joined: {error}"
    except Fault as fault:
        result, found = FAILED, str(fault)
    return outcome_of(test, result, found)


def outcome_of(test, result, found):
    comment = shorten(test.comment)
    return Outcome(test.type, test.tc_id, comment, result, expectation(test), found)


def judge(test, verdict, options):
    """Compares a verdict with what the test expects."""
    if verdict.name == "unsupported":
        return (SKIPPED if test.type in options.skip else FAILED), UNSUPPORTED
    if verdict.name == "valid":
        return judge_answer(test, verdict.body)
    code, reason = verdict.body.get("code"), verdict.body.get("reason")
    found = f"refused: {shorten(str(code))}, {shorten(str(reason))}"
    pinned = () if options.verdicts else ((test.code, code), (test.reason, reason))
    agrees = all(expected in (None, said) for expected, said in pinned)
    return (PASSED if not test.valid and agrees else FAILED), found


def judge_answer(test, answer):
    if not test.valid:
        return FAILED, f"accepted with {shorten(write(answer))}"
    for name, expected in test.expected.items():
        if name not in answer:
            return FAILED, f"accepted without {shorten(name)}"
        if not same(expected, answer[name]):
            return FAILED, f"accepted with {name} {difference(expected, answer[name])}"
    return PASSED, "accepted"


def expectation(test):
    if test.valid:
        return "accepted"
    pinned = [shorten(text) for text in (test.code, test.reason) if text is not None]
    return "refused" + (": " if pinned else "") + ", ".join(pinned)


def difference(expected, found):
    """The first place where two things differ, in few words."""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        i = next(i for i, pair in enumerate(zip(expected, found)) if not same(*pair))
        return f"[{i}] {difference(expected[i], found[i])}"
    return f"{shorten(write(found))} instead of {shorten(write(expected))}"


def files_of(path):
    """The path, or the vector files of a folder; schema/ describes them, data/ has what they need."""
    names = (file.relative_to(path) for file in path.rglob("*.json"))
    files = [path / name for name in sorted(names) if not {"schema", "data"} & set(name.parts)]
    # A folder without files fails when it is read.
    return files or [path]


def print_file(path, outcomes):
    path = path.resolve()
    shown = path.relative_to(VECTORS) if VECTORS in path.parents else path
    say(f"{shown}: {in_words(Counter(outcome.result for outcome in outcomes))}")
    failed = [outcome for outcome in outcomes if outcome.result == FAILED]
    for outcome in failed:
        if outcome.found not in (UNSUPPORTED, NOT_RUN):
            test = "file" if outcome.tc_id is None else f"tcId {outcome.tc_id} ({outcome.comment})"
            say(f"  {test}: expected {outcome.expected}, found {outcome.found}")
    unsupported = Counter(outcome.type for outcome in failed if outcome.found == UNSUPPORTED)
    for name, number in unsupported.items():
        option = f"--skip {shlex.quote(name)}"
        noun = "test" if number == 1 else "tests"
        say(f"  {number} {noun} of {shorten(name)}: found unsupported; {option} allows this")
    not_run = sum(outcome.found == NOT_RUN for outcome in failed)
    if not_run:
        others = "other test was" if not_run == 1 else f"other {not_run} tests were"
        say(f"  the command has answered nothing; the {others} not run")
    sys.stdout.flush()


def print_table(outcomes):
    """Prints the counts by type and of all; returns the exit code."""
    by_type = {}
    for outcome in outcomes:
        name = printable(shorten(outcome.type)) or "(files that could not be run)"
        counts = by_type.setdefault(name, Counter())
        counts[outcome.result] += 1
    width = max(map(len, by_type), default=4)
    print(f"\n{'type':{width}}{PASSED:>9}{FAILED:>9}{SKIPPED:>9}")
    for name, counts in sorted(by_type.items()):
        print(f"{name:{width}}{counts[PASSED]:9}{counts[FAILED]:9}{counts[SKIPPED]:9}")
    total = Counter(outcome.result for outcome in outcomes)
    print(f"\n{in_words(total)}")
    sys.stdout.flush()
    # A run in which no test passed has shown nothing, so it is no success.
    return 0 if total[PASSED] and not total[FAILED] else 1


def in_words(counts):
    rest = f", {counts[SKIPPED]} skipped" if counts[SKIPPED] else ""
    return f"{counts[PASSED]} passed, {counts[FAILED]} failed{rest}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

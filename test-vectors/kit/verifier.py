"""A verifier under test: a command that answers lines of JSON with lines of JSON."""

import json
import os
import signal
import subprocess
import tempfile
import threading
from typing import NamedTuple

from encoding import shorten, write

# The longest line that a verifier may answer.
MAX_LINE_BYTES = 1 << 26

# The number of questions without an answer after which a command that never answered is given up.
MAX_SILENT = 3


class Fault(Exception):
    """The verifier gave no verdict: it crashed, was silent, or broke the protocol."""


class CommandError(Exception):
    """The command cannot be started."""


class Verdict(NamedTuple):
    """A verdict: its name and what the verifier said with it."""

    name: str
    body: object


class AnswerCount:
    """How often a command answered or failed to, in all its processes: one for each file at a time."""

    def __init__(self):
        self.answers = 0
        self.failures = 0

    @property
    def is_silent(self):
        """Whether it answered none of several questions, so that no answer is expected."""
        return self.answers == 0 and self.failures >= MAX_SILENT


class Verifier:
    """The running command. After a fault it is started again for the next question."""

    def __init__(self, command, timeout, error_output, count):
        self.count = count
        self.command = command
        self.timeout = timeout
        self.error_output = error_output
        self.process = None
        self.errors = None
        self.questions = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def ask(self, group_type, test_input):
        """The verdict on an input; raises Fault."""
        self.questions += 1
        question = {"id": self.questions, "type": group_type, "input": test_input}
        try:
            return read_verdict(self.exchange(write(question)), self.questions)
        except Fault:
            self.stop()
            raise

    def exchange(self, line):
        """Sends a line and returns the next one."""
        process = self.running()
        late = threading.Event()

        def end():
            late.set()
            kill(process)

        timer = threading.Timer(self.timeout, end)
        timer.start()
        try:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline(MAX_LINE_BYTES)
        except OSError:
            answer = b""
        finally:
            timer.cancel()
        if late.is_set():
            self.count.failures += 1
            hint = "" if self.count.answers else " (is each line flushed?)"
            raise Fault(f"no answer within {self.timeout:g} s{hint}")
        if not answer.endswith(b"\n"):
            self.count.failures += 1
            raise Fault(self.ended(answer))
        self.count.answers += 1
        return answer

    def ended(self, answer):
        if len(answer) == MAX_LINE_BYTES:
            return f"a line of more than {MAX_LINE_BYTES} bytes"
        kill(self.process)
        code = self.process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"the command ended without an answer ({how})"

    def running(self):
        if self.process is None:
            pipe = subprocess.PIPE
            # A file, since nobody reads it while the command runs.
            errors = tempfile.TemporaryFile()
            try:
                self.process = subprocess.Popen(
                    self.command, stdin=pipe, stdout=pipe, stderr=errors, start_new_session=True
                )
            except (OSError, ValueError) as error:
                errors.close()
                raise CommandError(str(error)) from None
            self.errors = errors
        return self.process

    def stop(self):
        process, self.process = self.process, None
        if process is None:
            return
        kill(process)
        process.wait()
        with self.errors as errors:
            self.error_output.print_end(errors)
        process.stdout.close()
        try:
            process.stdin.close()
        except OSError:
            pass  # What it did not read is lost with it.


def kill(process):
    """Ends a command with all that it started."""
    if not hasattr(os, "killpg"):
        return process.kill()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def read_verdict(line, question):
    """The verdict in an answer to the question of this number."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    shown = shorten(line.decode(errors="replace").strip())
    if not isinstance(answer, dict):
        raise Fault(f"an answer that is no JSON object: {shown}")
    if type(answer.get("id")) is not int or answer["id"] != question:
        raise Fault(f"an answer without the id {question}: {shown}")
    names = [name for name in ("valid", "invalid", "unsupported") if name in answer]
    if len(names) != 1:
        raise Fault(f"an answer without exactly one verdict: {shown}")
    body = answer[names[0]]
    if names[0] == "unsupported" and body is not True:
        raise Fault(f"unsupported is not true: {shown}")
    if names[0] != "unsupported" and not isinstance(body, dict):
        raise Fault(f"{names[0]} is no object: {shown}")
    return Verdict(names[0], body)

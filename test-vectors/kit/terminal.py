"""Text of files and commands on a terminal."""

import sys
import threading
import unicodedata

# Control characters (C0 and C1), format characters (such as those that change the direction of
# text), separators of lines and paragraphs, unpaired surrogates.
ESCAPED = {"Cc", "Cf", "Zl", "Zp", "Cs"}

# The most that is shown of what a process wrote to its standard error: its end.
MAX_ERROR_BYTES = 1 << 16


def printable(text):
    """The text in one line, with escapes for whatever a terminal would interpret."""
    return "".join(escape(char) if unicodedata.category(char) in ESCAPED else char for char in text)


def escape(char):
    return char.encode("unicode_escape").decode()


def say(line):
    print(printable(line))


def complain(message):
    print(f"run.py: {printable(message)}", file=sys.stderr)


class ErrorOutput:
    """Prints what processes wrote to their standard error, the same text once."""

    def __init__(self):
        self.printed = set()
        self.lock = threading.Lock()

    def print_end(self, stream):
        """Prints the end of a file of bytes."""
        size = stream.seek(0, 2)
        skipped = max(0, size - MAX_ERROR_BYTES)
        stream.seek(skipped)
        text = stream.read().decode(errors="replace")
        lines = [f"… ({skipped} bytes before)"] if skipped else []
        lines += map(printable, text.expandtabs().splitlines())
        with self.lock:
            if text and text not in self.printed:
                self.printed.add(text)
                print("\n".join(lines), file=sys.stderr, flush=True)

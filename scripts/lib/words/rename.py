"""Renames Rust's symbols in all of their uses: python3 scripts/lib/words/rename.py MAP…

A line of a map is `path, kind, old name, new name`, separated by tabs. The path is that of the
definition. The kind is type, const, fn, mod, field or variant; for the last two, the old name is
`Type.name`. The lines of a type's fields come before that of the type, those of modules last.

rust-analyzer does the work (rustup component add rust-analyzer rust-src). It needs the crates of
the standard library from the registry, or it misses names within assert!, matches! and format!.
Lines that fail are printed; run them again, and compile.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote, unquote

ROOT = Path(__file__).resolve().parents[3]

SETTINGS = {
    "cargo": {"features": "all", "allTargets": True, "targetDir": True},
    "checkOnSave": False,
    "linkedProjects": [str(ROOT / "Cargo.toml"), str(ROOT / "crates/testing/fuzz/Cargo.toml")],
}

CAPABILITIES = {
    "workspace": {
        "configuration": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["rename"]},
    },
    "experimental": {"serverStatusNotification": True},
}

KEYWORDS = {
    "type": "(?:struct|enum|trait|type|union)",
    "const": "(?:const|static)",
    "fn": "fn",
    "mod": "mod",
}


class RenameError(Exception):
    """A symbol that was not renamed."""


class Analyzer:
    """A running rust-analyzer, by the Language Server Protocol."""

    def __init__(self):
        pipe = subprocess.PIPE
        command = ["rustup", "run", toolchain(), "rust-analyzer"]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe)
        self.changed = threading.Condition()
        self.responses, self.requests, self.is_ready = {}, 0, False
        threading.Thread(target=self.receive, daemon=True).start()
        options = {"initializationOptions": SETTINGS, "capabilities": CAPABILITIES}
        self.request("initialize", {"processId": os.getpid(), "rootUri": uri(ROOT), **options})
        self.notify("initialized", {})

    def wait(self):
        """Waits until the workspace has been read."""
        quiet = 0
        while quiet < 6:
            time.sleep(1)
            quiet = quiet + 1 if self.is_ready else 0

    def request(self, method, params):
        self.requests += 1
        number = self.requests
        self.send({"id": number, "method": method, "params": params})
        with self.changed:
            self.changed.wait_for(lambda: number in self.responses)
            return self.responses.pop(number)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        while header := self.process.stdout.readline():
            length = int(header.split(b":")[1])
            while self.process.stdout.readline().strip():
                pass
            message = json.loads(self.process.stdout.read(length))
            method = message.get("method")
            if method == "workspace/configuration":
                result = [SETTINGS for _ in message["params"]["items"]]
                self.send({"id": message["id"], "result": result})
            elif method and "id" in message:
                self.send({"id": message["id"], "result": None})
            with self.changed:
                if method == "experimental/serverStatus":
                    self.is_ready = message["params"]["quiescent"]
                elif not method:
                    self.responses[message["id"]] = message
                self.changed.notify_all()

    def rename(self, path, position, new):
        """The edits of a rename; asked again while rust-analyzer reads the last ones."""
        document = {"textDocument": {"uri": uri(path)}, "position": position, "newName": new}
        for _ in range(10):
            response = self.request("textDocument/rename", document)
            message = response.get("error", {}).get("message", "")
            if "content modified" not in message and "Invalid offset" not in message:
                break
            time.sleep(0.7)
        if not response.get("result"):
            raise RenameError(message or "nothing to rename")
        return response["result"]["documentChanges"]


def toolchain():
    return re.search(r'channel = "(.*)"', (ROOT / "rust-toolchain.toml").read_text())[1]


def uri(path):
    return "file://" + quote(str(path))


def path_of(address):
    return Path(unquote(address.removeprefix("file://")))


def position_of(path, kind, old):
    """Where a symbol is defined."""
    text = path.read_text()
    start, name = 0, old
    if kind in KEYWORDS:
        pattern = rf"^[^\n/]*?\b{KEYWORDS[kind]}\s+({name})\b"
    else:
        owner, name = old.split(".")
        found = re.search(rf"\b(?:struct|enum)\s+{owner}\b", text)
        start = found.end() if found else len(text)
        visibility = r"(?:pub(?:\([^)]*\))?\s+)?" if kind == "field" else ""
        after = ":" if kind == "field" else r"(?:[,({=]|$)"
        pattern = rf"^\s*{visibility}({name})\b\s*{after}"
    found = re.compile(pattern, re.MULTILINE).search(text, start)
    if not found:
        raise RenameError("not found")
    at = found.start(1)
    line_start = text.rfind("\n", 0, at) + 1
    return {"line": text.count("\n", 0, at), "character": at - line_start}


def offset(lines, starts, position):
    """The offset of a position, which counts in UTF-16."""
    line, units, at = lines[position["line"]], 0, 0
    while units < position["character"]:
        units += 2 if ord(line[at]) > 0xFFFF else 1
        at += 1
    return starts[position["line"]] + at


def edited(path, edits, old):
    """A file's text after edits, each of which must stand where the old name is."""
    text = path.read_text()
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    places = {
        (
            offset(lines, starts, edit["range"]["start"]),
            offset(lines, starts, edit["range"]["end"]),
            edit["newText"],
        )
        for edit in edits
    }
    for start, end, new in sorted(places, reverse=True):
        if text[start:end] not in ("", old):
            raise RenameError(f"{path} has changed")
        text = text[:start] + new + text[end:]
    return text


def apply(analyzer, changes, old):
    """Writes the edits, and moves the files of modules; returns the moves."""
    texts, moves = {}, {}
    for change in changes:
        if change.get("kind") == "rename":
            moves[path_of(change["oldUri"])] = path_of(change["newUri"])
        else:
            path = path_of(change["textDocument"]["uri"])
            texts.setdefault(path, []).extend(change["edits"])
    texts = {path: edited(path, edits, old) for path, edits in texts.items()}
    events = [{"uri": uri(path), "type": 2} for path in texts]
    for path, text in texts.items():
        path.write_text(text)
    for source, target in moves.items():
        source.rename(target)
        events += [{"uri": uri(source), "type": 3}, {"uri": uri(target), "type": 1}]
    analyzer.notify("workspace/didChangeWatchedFiles", {"changes": events})
    return moves


def moved(path, moves):
    for source, target in moves:
        if path == source or source in path.parents:
            path = target / path.relative_to(source)
    return path


def main(maps):
    rows = [line.split("\t") for name in maps for line in Path(name).read_text().splitlines()]
    analyzer = Analyzer()
    analyzer.wait()
    moves, failed = [], 0
    for name, kind, old, new in rows:
        try:
            path = moved(ROOT / name, moves)
            changes = analyzer.rename(path, position_of(path, kind, old), new.split(".")[-1])
            moves += apply(analyzer, changes, old.split(".")[-1]).items()
        except (RenameError, OSError) as error:
            failed += 1
            print("\t".join([name, kind, old, new]), f"# {error}", flush=True)
    print(f"{len(rows) - failed} of {len(rows)} renamed", file=sys.stderr)
    analyzer.process.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

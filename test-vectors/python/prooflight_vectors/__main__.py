"""The command line: runs files of test vectors and says which tests fail."""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import files
from .groups import MODELS, UNSUPPORTED, VERIFIERS

VECTORS = Path(__file__).resolve().parents[2]


def main(arguments):
    """Runs the files named by the arguments, or all; returns the exit code, 1 on any failure."""
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="default: all")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the passed tests too")
    options = parser.parse_args(arguments)
    # Names and comments of hostile files must not stop a terminal that cannot show them.
    sys.stdout.reconfigure(errors="backslashreplace")

    paths = options.files or all_files(VECTORS)
    passed = failed = unsupported = 0
    for path, outcomes in zip(paths, run(paths)):
        counts = [sum(o.passed is verdict for o in outcomes) for verdict in (True, False, None)]
        passed += counts[0]
        failed += counts[1]
        unsupported += counts[2]
        print(f"{path_to_show(path)}: {in_words(*counts)}")
        for outcome in outcomes:
            if options.verbose or outcome.passed is False:
                print(f"  {outcome}")
    print(in_words(passed, failed, unsupported))
    # A run without a test has shown nothing, so it is no success.
    return 0 if passed and not failed else 1


def run(paths):
    """Yields the outcomes of each file; a process for each processor runs them."""
    if len(paths) == 1:
        yield run_one(paths[0])
        return
    with ProcessPoolExecutor() as pool:
        yield from pool.map(run_one, paths)


def run_one(path):
    return files.run(path, VERIFIERS, UNSUPPORTED, MODELS)


def all_files(folder):
    """The vector files below a folder; schema/ describes them, data/ has what they need."""
    names = (path.relative_to(folder) for path in folder.rglob("*.json"))
    return [folder / name for name in sorted(names) if not {"schema", "data"} & set(name.parts)]


def path_to_show(path):
    path = path.resolve()
    return path.relative_to(VECTORS) if VECTORS in path.parents else path


def in_words(passed, failed, unsupported):
    rest = f", {unsupported} unsupported" if unsupported else ""
    return f"{passed} passed, {failed} failed{rest}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The guide's table of what to read agrees with the vector files and the specification."""

import json
import re
import unittest

from run import VECTORS, files_of

GUIDE = VECTORS.parent / "docs" / "guide" / "implement-a-verifier.md"
SPEC = VECTORS / "spec" / "vectors.md"


def rows():
    """Types and patterns of files of each row."""
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if "| to verify |" in line)
    for line in lines[start + 2 :]:
        if "|" not in line:
            return
        *_, types, files, _ = line.split("|")
        yield set(re.findall(r"`(\w+)`", types)), re.findall(r"`([^`]+)`", files)


def types_of(path):
    groups = json.loads(path.read_text(encoding="utf-8"))["testGroups"]
    return {group["type"] for group in groups}


class Guide(unittest.TestCase):
    def test_each_row_has_the_types_of_its_files(self):
        seen = []
        for types, patterns in rows():
            files = [file for pattern in patterns for file in VECTORS.glob(pattern)]
            with self.subTest(patterns):
                self.assertEqual(types, set().union(*map(types_of, files)))
            seen += files
        self.assertEqual(sorted(seen), sorted(files_of(VECTORS)))

    def test_each_type_leads_to_its_section(self):
        guide = GUIDE.read_text(encoding="utf-8")
        sections = re.findall(r"^## (\d+)\. `(\w+)`$", SPEC.read_text(encoding="utf-8"), re.M)
        for number, name in sections:
            anchor = f"[`{name}`](../../test-vectors/spec/vectors.md#{number}-{name.lower()})"
            self.assertIn(anchor, guide)


if __name__ == "__main__":
    unittest.main()

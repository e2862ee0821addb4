"""The values worked out in the specification, computed from their definitions.

A value is a line of a code block: a name, two spaces or more, hexadecimal digits. Bytes that are
explained piece by piece stand the other way round: digits, then what they are.
"""

import re
import unittest

from prooflight_vectors import VECTORS


def section(cited):
    """The text of a section, as `chain 10` names it."""
    name, number = cited.split()
    text = (VECTORS / "spec" / f"{name}.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {number}\. .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(0)


def named(text):
    """The values of all lines `name  digits` in code blocks, by their names; digits may go on."""
    lines = "\n".join(re.findall(r"```\n(.*?)```", text, re.DOTALL))
    lines = re.sub(r"\n {2,}(?=[0-9a-f]+$)", "", lines, flags=re.MULTILINE)
    return dict(re.findall(r"^(\S.*?) {2,}((?:[0-9a-f]{2})+)$", lines, re.MULTILINE))


def pieces(text, which=0):
    """The bytes of a code block whose lines begin with digits, by its number: all of them, joined."""
    found = []
    for block in re.findall(r"```\n(.*?)```", text, re.DOTALL):
        digits = [re.split(r" {2,}", line.strip())[0] for line in block.splitlines()]
        if all(re.fullmatch(r"[0-9a-f ]+", piece) for piece in digits):
            found.append(bytes.fromhex("".join(digits)))
    return found[which]


class Values(unittest.TestCase):
    def check(self, number, expected):
        """Every value is the one that the section has by its name, and it has no other."""
        found = named(section(number))
        self.assertEqual(found, {name: value.hex() for name, value in expected.items()})

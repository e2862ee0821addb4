import re
import unittest

from prooflight_vectors import lmpt, lmpt_state
from prooflight_vectors.keccak import keccak256
from prooflight_vectors.mpt import Limits

from .values import named, pieces, section


class LayeredTries(unittest.TestCase):
    """lmpt 6."""

    TEXT = section("lmpt 6")
    BLOCKS = [[(b"a", b"\x01")], [(b"b", b"\x02")], [(b"a", None)], [(b"c", b"")], []]

    def setUp(self):
        """The state after each block, as the root and the answers to all keys' names."""
        state = lmpt_state.State(lmpt_state.Eras(blocks=2, ops=1000))
        self.layers, self.roots = [], []
        for block in self.BLOCKS:
            state.apply(dict(block))
            names = {keccak256(key): key.hex() for key in (b"a", b"b", b"c")}
            layers = (state.snapshot, state.intermediate, state.delta)
            self.layers.append(
                [", ".join(sorted(f"{names[k]} = {v.hex()}" for k, v in it.items())) for it in layers]
            )
            self.roots.append(state.root())

    def test_layers_and_roots(self):
        values = named(self.TEXT)
        for key in (b"a", b"b", b"c"):
            self.assertEqual(values[f"key hash of {key.hex()}"], keccak256(key).hex())
        rows = re.findall(r"^\| (\d) \| (.*) \|$", self.TEXT, re.MULTILINE)
        self.assertEqual(len(rows), len(self.BLOCKS))
        for (height, row), layers, root in zip(rows, self.layers, self.roots):
            self.assertEqual([it.strip().replace("`", "") for it in row.split("|")], layers, height)
            roots = [values[f"root of {it}" if it else "root without keys"] for it in layers]
            self.assertEqual(root.hex(), "".join(roots), height)

    def test_proof(self):
        answers = lmpt.verify(self.roots[3], [b"a"], pieces(self.TEXT), Limits())
        self.assertEqual(answers, [lmpt.Answer(None, "intermediate")])

"""LVMT: several leaves of a tree, the bytes of leaves, and what is checked before a proof."""

import unittest

from prooflight_vectors import lvmt, merkle
from prooflight_vectors.amt_setup import named_key
from prooflight_vectors.lvmt import Params, Roots
from prooflight_vectors.mpt import Limits
from prooflight_vectors.reader import Queue

from refused import Refused


class SeveralLeaves(Refused):
    """merkle 3 beside the definition of the whole tree."""

    LEAVES = [bytes([number]) * 32 for number in range(9)]

    def parts(self, leaves, known):
        """The roots of the largest parts without known leaves."""
        if not known & set(leaves):
            return [merkle.root_of([self.LEAVES[index] for index in leaves])]
        if len(leaves) == 1:
            return []
        left = merkle.largest_power_below(len(leaves))
        return self.parts(leaves[:left], known) + self.parts(leaves[left:], known)

    def test_every_choice(self):
        for size in range(1, 10):
            root = merkle.root_of(self.LEAVES[:size])
            for choice in range(1, 2**size):
                known = {index: self.LEAVES[index] for index in range(size) if choice >> index & 1}
                parts = self.parts(range(size), set(known))
                hashes = Queue(parts, "path_length")
                self.assertEqual(merkle.root_of_known(size, known, hashes), root)
                hashes.finish()
                if parts:
                    fewer = Queue(parts[:-1], "path_length")
                    self.refused("path_length", merkle.root_of_known, size, known, fewer)

    def test_an_index_outside(self):
        for size in (0, 1, 2):
            arguments = size, {2: bytes(32)}, Queue([], "path_length")
            self.refused("index_out_of_range", merkle.root_of_known, *arguments)


class Leaves(unittest.TestCase):
    def test_of_keys(self):
        head = "00 02 05 0000000001020304" + "ab" * 32
        arguments = 2, 5, 0x01020304, b"\xab" * 32
        value = bytes.fromhex(head + "01" + "cd" * 32)
        self.assertEqual(lvmt.leaf_of_key(*arguments, b"\xcd" * 32), value)
        tombstone = bytes.fromhex(head + "00" + "00" * 32)
        self.assertEqual(lvmt.leaf_of_key(*arguments, None), tombstone)

    def test_names(self):
        key_hash = bytes.fromhex("abcdef" + "00" * 29)
        self.assertEqual(lvmt.name_of(key_hash, 0), 0)
        self.assertEqual(lvmt.name_of(key_hash, 12), 0xABC)
        self.assertEqual(lvmt.name_of(key_hash, 3), 0b101)


class Arguments(Refused):
    """Step 1 of lvmt 5, in its order; no proof has been read."""

    KEY = named_key("dev", 4)

    def verify(self, log_arity=4, allowed=True, height=0, keys=0):
        params = Params(self.KEY, log_arity, allowed)
        roots = Roots(bytes(32), bytes(32), height)
        return lvmt.verify(params, roots, [b"key"] * keys, b"", Limits())

    def test_order(self):
        self.refused("insecure_setup", self.verify, 0, False, 2**64, 5000)
        for log_arity in (0, 3, 5, 8):
            self.refused("invalid_argument", self.verify, log_arity, True, 0, 5000)
        self.refused("invalid_argument", self.verify, 1, True, 2**64 - 1, 5000)
        self.refused("too_many_keys", self.verify, 1, True, 2**64 - 2, 4097)
        self.refused("truncated", self.verify, 1, True, 2**64 - 2, 4096)


if __name__ == "__main__":
    unittest.main()

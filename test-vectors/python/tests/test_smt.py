"""Historical proofs: smt 8's example, hashes by hand, and averages."""

import unittest
from hashlib import blake2s

from prooflight_vectors import smt
from prooflight_vectors.mpt import Limits
from prooflight_vectors.smt import NEVER_WRITTEN, Answer, Change, History
from prooflight_vectors.smt_average import Average, average
from prooflight_vectors.smt_tree import BodyReader, Leaf, branch_hash, key_hash, value_hash

from refused import Refused


class Example(Refused):
    """smt 8."""

    ROOT = bytes.fromhex("802d342bcd1440c6bc73f465fa1ec1ec4cf95676927c291d9b3e3586aa11dfa4")
    OF_B = bytes.fromhex("5bcb738823cd6986c8f133620a5f042a54f6d3a544df51ac55b3e43473767ec6")
    PROOF = bytes.fromhex("010301 01 02 04") + OF_B + bytes.fromhex("00 00000101")
    DIFF = bytes.fromhex("010303 01 02 04 00 00 01 62 01 02 00 00 01 61 01 01")

    def test_tree(self):
        of_a = Leaf(key_hash(b"a"), value_hash(b"\x01")).hash(3)
        of_b = Leaf(key_hash(b"b"), value_hash(b"\x02")).hash(5)
        self.assertEqual(of_b, self.OF_B)
        self.assertEqual(branch_hash(1, (5, 3), (of_b, of_a)), self.ROOT)

    def test_proof(self):
        def verify(block, keys, proof):
            return smt.verify_keys(self.ROOT, block, keys, proof, Limits())

        self.assertEqual(verify(6, [b"a", b"a"], self.PROOF), [Answer(b"\x01", 3)] * 2)
        # The heights, which say since when, are relative to the block.
        self.refused("root_mismatch", verify, 7, [b"a"], self.PROOF)
        self.refused("root_mismatch", verify, 6, [b"a"], self.PROOF[:3])
        for end in range(4, len(self.PROOF)):
            self.refused("truncated", verify, 6, [b"a"], self.PROOF[:end])

    def test_diff(self):
        changes = smt.verify_diff(None, 6, self.ROOT, self.DIFF, Limits())
        self.assertEqual(changes, [Change(b"b", Answer(b"\x02", 5)), Change(b"a", Answer(b"\x01", 3))])

    def test_a_tombstone_is_no_leaf_of_an_empty_value(self):
        self.assertNotEqual(
            Leaf(key_hash(b"a"), None).hash(3),
            Leaf(key_hash(b"a"), value_hash(b"")).hash(3),
        )
        hash_ = blake2s(
            key_hash(b"a") + bytes(32),
            salt=bytes.fromhex("ff3f000000000000"),
            person=bytes.fromhex("1100000000000000"),
        )
        self.assertEqual(Leaf(key_hash(b"a"), None).hash(3), hash_.digest())

    def test_versions_of_children_do_not_swap(self):
        hashes = (bytes(32), bytes(32))
        found = {branch_hash(0, heights, hashes) for heights in ((1, 2), (2, 1), (2, 2), (1, 1))}
        self.assertEqual(len(found), 4)


class Changes(Refused):
    """smt 5: the most changes of a history by default, which vectors cannot show in few bytes."""

    MOST = 100_000
    # A part that is one leaf: its age 0, and a value of no bytes.
    PART = bytes.fromhex("00 00 000000")

    def verify(self, number):
        """A history of a key that each of the last `number` blocks changes."""
        last = self.MOST + 5
        leaf = Leaf(key_hash(b"a"), value_hash(b""))
        blocks = [last - at for at in range(number)]
        roots = [(block, leaf.hash(block)) for block in blocks]
        proof = bytes.fromhex("010302") + self.PART * number
        return smt.verify_history(b"a", blocks[-1], last, roots, proof, Limits())

    def test_limit(self):
        self.assertEqual(len(self.verify(self.MOST).changes), self.MOST)
        self.refused("too_many_changes", self.verify, self.MOST + 1)


class Integers(Refused):
    def test_of_most_bytes(self):
        self.assertEqual(BodyReader(b"\xff" * 7 + b"\x7f").integer(), 2**56 - 1)
        self.assertEqual(BodyReader(b"\x80\x01").integer(), 128)
        self.assertEqual(BodyReader(b"\x00").integer(), 0)

    def test_of_other_forms(self):
        for data, reason in (
            (b"\x80\x00", "invalid_encoding"),
            (b"\xff" * 7 + b"\x00", "invalid_encoding"),
            (b"\xff" * 8, "invalid_encoding"),
            (b"\xff" * 7, "truncated"),
            (b"", "truncated"),
        ):
            with self.subTest(data=data):
                self.refused(reason, BodyReader(data).integer)


class Averages(Refused):
    """A key that enters without a value, is 10 from block 4, none from 6 and 1 from 8."""

    HISTORY = History([], NEVER_WRITTEN, [Answer(b"\x0a", 4), Answer(None, 6), Answer(b"\x01", 8)])
    TIMES = [(2, 100), (4, 110), (6, 130), (7, 131), (8, 160), (9, 161)]

    def average(self, a, b, times=None):
        return average(self.HISTORY, 2, 9, a, b, self.TIMES if times is None else times)

    def test_sums_and_gaps(self):
        gaps = [(100, 110), (130, 160)]
        self.assertEqual(self.average(2, 9), Average(10 * 20 + 1, 21, gaps))
        self.assertEqual(self.average(4, 7), Average(10 * 20, 20, [(130, 131)]))
        self.assertEqual(self.average(4, 4), Average(0, 0, []))
        # A change in b has no time.
        self.assertEqual(self.average(4, 8), Average(200, 20, [(130, 160)]))

    def test_what_is_needed(self):
        for a, b, without in ((1, 9, None), (2, 10, None), (9, 2, None), (2, 9, 6), (4, 9, 9)):
            with self.subTest(a=a, b=b, without=without):
                times = [time for time in self.TIMES if time[0] != without]
                self.refused("invalid_argument", self.average, a, b, times)
        self.refused("invalid_argument", self.average, 2, 9, self.TIMES[::-1])
        # Block 7 has no change.
        times = [time for time in self.TIMES if time[0] != 7]
        self.assertEqual(self.average(2, 9, times), self.average(2, 9))

    def test_values(self):
        for value, is_number in ((b"", False), (bytes(33), False), (b"\x00\x01", True)):
            history = History([], Answer(value, 1), [])
            arguments = (history, 2, 9, 2, 4, self.TIMES)
            if is_number:
                self.assertEqual(average(*arguments), Average(10, 10, []))
            else:
                self.refused("value_not_number", average, *arguments)


if __name__ == "__main__":
    unittest.main()

"""The specification's own tables and examples."""

import json
import re
import unittest

from prooflight_vectors import avl, avl_tree, ergo
from prooflight_vectors import VECTORS
from prooflight_vectors.avl import COMPAT, Limits, Operation, Params, verify_batch
from prooflight_vectors.avl_proof import max_nodes
from prooflight_vectors.errors import REASONS, Refusal
from prooflight_vectors.groups import UNSUPPORTED, VERIFIERS

REASONS_TABLE = (VECTORS / "spec" / "reasons.md").read_text(encoding="utf-8")
SCHEMA = json.loads((VECTORS / "schema" / "vectors_v1.json").read_text(encoding="utf-8"))


class Tables(unittest.TestCase):
    def test_reasons(self):
        rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| [^|]+ \| [^|]+ \|$", REASONS_TABLE, re.MULTILINE)
        self.assertEqual(rows, sorted(REASONS.items()))

    def test_every_type_of_group_has_a_verifier(self):
        types = set(SCHEMA["$defs"]["groupType"]["enum"])
        self.assertEqual(types - UNSUPPORTED, set(VERIFIERS))


class Example(unittest.TestCase):
    """avl 13: `Remove(20)` from the keys `10` and `20`."""

    PARAMS = Params(key_length=1)
    OPERATIONS = [Operation("Remove", b"\x20")]
    DIGEST = bytes.fromhex("2ee8e56e38027a83dc51049f769fd013a5000a7d320ae7c02f0c55f985edeaa602")
    PROOF = bytes.fromhex(
        "03 2299da2d4bb60c79a7212b71a687ab9d04712bff084d64ebd2e5ebbb313ede2a"
        "02 10 20 00000001 aa  02 ff 00000002 bbbb  00  01  04  00"
    )

    def test_answer(self):
        answer = verify_batch(self.DIGEST, self.OPERATIONS, self.PROOF, self.PARAMS)
        self.assertEqual(
            answer.digest.hex(),
            "7633a992c7e6abfe3c90b9614921819ae4dbea0ed0abb3a8d7b7521066c3e26901",
        )
        self.assertEqual(answer.results, [b"\xbb\xbb"])
        self.assertEqual(answer.neighbours, [None])

    def test_strict_mode_accepts_no_other_proof(self):
        others = [self.PROOF[:end] for end in range(len(self.PROOF))]
        others += [self.PROOF + bytes([byte]) for byte in range(256)]
        for bit in range(8 * len(self.PROOF)):
            other = bytearray(self.PROOF)
            other[bit // 8] ^= 1 << bit % 8
            others.append(bytes(other))
        for other in others:
            with self.subTest(proof=other.hex()), self.assertRaises(Refusal):
                verify_batch(self.DIGEST, self.OPERATIONS, other, self.PARAMS)

    def test_an_internal_node_over_two_labels_is_not_visited(self):
        proof = bytes.fromhex(
            "02 00 10 00000000"
            "03 ce9655367a91c87b6d34f38b7eceba6919a2c1f691109bc9c7779036bb41734a"
            "03 c0f6c80c049947c2b51882e1977f90b72057a995fdaee7e33bc961aed4c01bcf"
            "00  01  04  01"
        )
        operations = [Operation("Lookup", b"\x05")]
        with self.assertRaises(Refusal) as caught:
            verify_batch(self.DIGEST, operations, proof, self.PARAMS)
        self.assertEqual(caught.exception.reason, "node_not_visited")
        compat = self.PARAMS._replace(mode=COMPAT)
        answer = verify_batch(self.DIGEST, operations, proof, compat)
        self.assertEqual(answer.neighbours, [(b"\x00", b"\x10")])

    def test_empty_dictionaries(self):
        for k, digest in (
            (32, "4ec61f485b98eb87153f7c57db4f5ecd75556fddbc403b41acf8441fde8e160900"),
            (1, "931febe9170def63e50b66e4f923a9af40ac80ee43342ebf4fde9f0d5d1fc45900"),
        ):
            first, last = avl.sentinels(k)
            self.assertEqual(avl_tree.label(avl_tree.Leaf(first, b"", last)).hex() + "00", digest)


class Ergo(unittest.TestCase):
    """avl 14: what vectors cannot show in few bytes."""

    def test_the_size_of_a_proof_is_checked_before_its_hash(self):
        most = 8_388_608
        for size, reason in ((most, "ad_proofs_root_mismatch"), (most + 1, "proof_too_large")):
            with self.subTest(size=size), self.assertRaises(Refusal) as caught:
                ergo.verify_ad_proofs(bytes(33), bytes(33), bytes(32), [], bytes(size))
            self.assertEqual(caught.exception.reason, reason)


class Nodes(unittest.TestCase):
    """avl 7: the bound of nodes, worked out by hand."""

    def test_bound(self):
        for h, n, m, most in (
            (0, 0, 0, 1),
            (2, 0, 0, 1),
            (9, 1, 0, 1 * 19 + 0 + 1),
            (9, 1, 1, 2 * 19 + 1 * (10 + 5) + 1),
            (2, 5, 0, 5 * 5 + 0 + 1),
            (2, 5, 2, 7 * 5 + 2 * (4 + 2) + 1),
            (0, 4096, 4096, 8192 * 1 + 4096 * (13 + 6) + 1),
            (255, 4096, 1, 4097 * 511 + 1 * (256 + 128) + 1),
        ):
            with self.subTest(h=h, n=n, m=m):
                self.assertEqual(max_nodes(h, n, m), most)


class Deep(unittest.TestCase):
    """Left spines, one label a level: Python's stack must not be what bounds them."""

    def spine(self, levels):
        label, proof = b"\x00" * 32, b"\x03" + b"\x00" * 32
        for _ in range(levels):
            label = avl_tree.hash_of(b"\x01", b"\xff", label, b"\x00" * 32)
            proof += b"\x03" + b"\x00" * 32 + b"\xff"
        return label, proof + b"\x04"

    def refused(self, levels, h, mode):
        label, proof = self.spine(levels)
        params = Params(key_length=32, mode=mode, limits=Limits(operations=65536, deletes=65536))
        operations = [Operation("Lookup", b"\x01" * 32)] * 65536
        with self.assertRaises(Refusal) as caught:
            verify_batch(label + bytes([h]), operations, proof, params)
        return caught.exception.reason

    def test_deeper_than_the_bound(self):
        self.assertEqual(self.refused(1500, 255, avl.STRICT), "height_mismatch")
        self.assertEqual(self.refused(1500, 255, COMPAT), "height_mismatch")
        self.assertEqual(self.refused(8, 7, avl.STRICT), "height_mismatch")

    def test_as_deep_as_the_bound(self):
        for levels, h, mode in ((254, 255, avl.STRICT), (255, 3, COMPAT)):
            self.assertEqual(self.refused(levels, h, mode), "directions_exhausted")


if __name__ == "__main__":
    unittest.main()

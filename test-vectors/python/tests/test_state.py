"""State of chains: what vectors cannot show in few bytes, and chain 1's encoding by hand."""

import unittest

from prooflight_vectors import amt_setup, chain_state, merkle
from prooflight_vectors.chain import ChainConfig, ChainLimits, Header
from prooflight_vectors.chain_state import StateOperation
from prooflight_vectors.chain_values import verify_values

from refused import Refused

LIMITS = ChainLimits(max_key=256, max_value=65536, max_ops=200_000)
CONFIG = ChainConfig(2, b"", [(1, b""), (3, b"")], [bytes(32)], 1, LIMITS, 0)
ROOT = bytes(33)


def header(ops_root=merkle.EMPTY_TREE):
    roots = [(1, ROOT), (2, bytes(64)), (3, bytes(32))]
    return Header(1, bytes(32), 1, b"\x01" * 32, 0, ops_root, bytes(32), roots)


class Operations(Refused):
    def test_encoding(self):
        encoded = StateOperation(b"ab", b"c").encode()
        self.assertEqual(encoded, b"\x00\x02\x00\x00\x00ab\x01\x00\x00\x00c")
        self.assertEqual(StateOperation(b"ab", None).encode(), b"\x01\x02\x00\x00\x00ab")
        self.assertEqual(StateOperation(b"", b"").encode(), bytes(9))

    def test_tree(self):
        leaves = [merkle.leaf_hash(bytes([n])) for n in range(9)]
        node = lambda left, right: merkle.hash_of(b"\x01", left, right)  # noqa: E731
        self.assertEqual(merkle.root_of([]), merkle.EMPTY_TREE)
        self.assertEqual(merkle.root_of(leaves[:1]), leaves[0])
        three = node(node(leaves[0], leaves[1]), leaves[2])
        self.assertEqual(merkle.root_of(leaves[:3]), three)
        eight = merkle.root_of(leaves[:8])
        self.assertEqual(merkle.root_of(leaves), node(eight, leaves[8]))

    def test_more_operations_than_a_default_batch_has_are_not_too_many(self):
        deletes = [StateOperation(n.to_bytes(2, "big"), None) for n in range(5000)]
        root = merkle.root_of([merkle.leaf_hash(operation.encode()) for operation in deletes])
        arguments = (ROOT, header(root), deletes, b"")
        self.refused("truncated", chain_state.verify_block, *arguments, LIMITS)
        few = LIMITS._replace(max_ops=4999)
        self.refused("invalid_block", chain_state.verify_block, *arguments, few)


class Sizes(Refused):
    """The limit of a proof is the default, and is checked before anything is read."""

    def test_of_proofs(self):
        most = 8_388_608
        for size, reason in ((most, "missing_child"), (most + 1, "proof_too_large")):
            proof = b"\x00" * size
            with self.subTest(size=size):
                self.refused(reason, verify_values, "avl", header(), CONFIG, [], proof)
                block = ROOT, header(), [], proof, LIMITS
                self.refused(reason, chain_state.verify_block, *block)

    def test_of_keys(self):
        setup = amt_setup.named_key("ppot", 1).params_id() + bytes([1, 1])
        config = CONFIG._replace(schemes=[(1, b""), (2, setup), (3, b"")])
        for scheme, reason in (
            ("avl", "too_many_operations"),
            ("lvmt", "too_many_keys"),
            ("smt", "too_many_keys"),
        ):
            with self.subTest(scheme=scheme):
                arguments = scheme, header(), config
                self.refused("key_length", verify_values, *arguments, [bytes(257)] * 5000, b"")
                self.refused(reason, verify_values, *arguments, [b""] * 4097, b"")

    def test_a_configuration_without_lvmt(self):
        self.refused("wrong_schemes", verify_values, "lvmt", header(), CONFIG, [bytes(257)], b"")


if __name__ == "__main__":
    unittest.main()

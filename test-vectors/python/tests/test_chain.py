"""Chains: published values, the specification's own example, and what vectors cannot show."""

import json
import re
import unittest

from prooflight_vectors import borsh, chain, checkpoint, ed25519, merkle
from prooflight_vectors import VECTORS

from refused import Refused

SPEC = (VECTORS / "spec" / "chain.md").read_text(encoding="utf-8")


class Signatures(unittest.TestCase):
    """RFC 8032, section 7.1: tests 1 and 3."""

    PUBLISHED = (
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    )

    def test_published_signatures(self):
        for texts in self.PUBLISHED:
            public, message, signature = map(bytes.fromhex, texts)
            self.assertTrue(ed25519.is_signed(public, message, signature))
            self.assertFalse(ed25519.is_signed(public, message + b"\x00", signature))

    def test_points_that_are_none(self):
        larger = ed25519.P + 3  # y = 3 is a point, but not in this encoding
        negative = 1 + 2**255  # y = 1 is the neutral point, whose x has no sign
        self.assertIsNotNone(ed25519.decode_point((3).to_bytes(32, "little")))
        for number in (2, larger, negative):
            self.assertIsNone(ed25519.decode_point(number.to_bytes(32, "little")))


class Paths(Refused):
    def test_every_path_of_small_trees(self):
        leaves = [merkle.leaf_hash(bytes([n])) for n in range(20)]
        for size in range(1, 21):
            root = self.root(leaves[:size])
            for index in range(size):
                path = self.path(leaves[:size], index)
                merkle.check_path(leaves[index], index, size, path, root)
                longer = path + path[:1] or [root]
                check = merkle.check_path
                self.refused("path_length", check, leaves[index], index, size, longer, b"")
                self.refused("index_out_of_range", check, leaves[index], size, size, path, b"")

    def root(self, leaves):
        if len(leaves) == 1:
            return leaves[0]
        left, right = self.split(leaves)
        return merkle.hash_of(b"\x01", self.root(left), self.root(right))

    def path(self, leaves, index):
        if len(leaves) == 1:
            return []
        left, right = self.split(leaves)
        if index < len(left):
            return self.path(left, index) + [self.root(right)]
        return self.path(right, index - len(left)) + [self.root(left)]

    def split(self, leaves):
        middle = 1
        while 2 * middle < len(leaves):
            middle *= 2
        return leaves[:middle], leaves[middle:]


class Example(Refused):
    """chain 6."""

    def setUp(self):
        section = SPEC.split("\n## 6. ")[1]
        self.example = json.loads(re.search(r"```json\n(.*?)```", section, re.DOTALL)[1])
        self.hash = re.search(r"its BLAKE2b-256\s+is\s+`(\w+)`", section)[1]

    def test_hash(self):
        config = checkpoint.read_checkpoint(self.example).config
        config.check()
        self.assertEqual(config.hash().hex(), self.hash)

    def test_half_a_character_is_no_name(self):
        self.example["config"]["chainId"] = "\ud800"
        self.refused("invalid_argument", checkpoint.read_checkpoint, self.example)


class Bytes(Refused):
    def test_the_size_of_a_head_is_checked_first(self):
        most = 8_388_608
        self.refused("trailing_bytes", lambda: chain.decode(bytes(most), lambda decoder: None))
        self.refused("proof_too_large", lambda: chain.decode_signed_header(bytes(most + 1)))

    def test_a_count_is_no_promise(self):
        decoder = borsh.Decoder(b"\xff\xff\xff\xff" + bytes(8))
        self.refused("invalid_encoding", lambda: decoder.vector(decoder.u32))
        self.refused("invalid_encoding", lambda: borsh.Decoder(b"\xff\xff\xff\xff").bytes())


if __name__ == "__main__":
    unittest.main()

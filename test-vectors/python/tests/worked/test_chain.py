import json
from hashlib import sha512

from prooflight_vectors import avl, avl_tree, borsh, ed25519, merkle
from prooflight_vectors.avl import hash_of_key
from prooflight_vectors.chain import Header, decode_header, decode_signed_header
from prooflight_vectors.chain_state import StateOperation
from prooflight_vectors.checkpoint import read_checkpoint

from .values import Values, pieces, section


def sign(seed, message):
    """RFC 8032, section 5.1.6."""
    digest = sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    public = encode_ed25519(ed25519.multiply(secret, ed25519.B))
    r = int.from_bytes(sha512(digest[32:] + message).digest(), "little") % ed25519.L
    start = encode_ed25519(ed25519.multiply(r, ed25519.B))
    k = int.from_bytes(sha512(start + public + message).digest(), "little")
    return public, start + ((r + k * secret) % ed25519.L).to_bytes(32, "little")


def encode_ed25519(point):
    X, Y, Z, _ = point
    x, y = (number * pow(Z, -1, ed25519.P) % ed25519.P for number in (X, Y))
    return (y | (x & 1) << 255).to_bytes(32, "little")


class Chain(Values):
    """chain 10: the chain of chain 6, whose block 1 sets the key 61 to 01."""

    JSON = section("chain 6").split("```json\n")[1].split("```")[0]
    CONFIG = read_checkpoint(json.loads(JSON)).config

    def headers(self):
        first, last = avl.sentinels(32)
        empty = avl_tree.label(avl_tree.Leaf(first, b"", last)) + b"\x00"
        start, nothing = self.CONFIG.genesis_timestamp_ms, merkle.EMPTY_TREE
        genesis = Header(
            version=1,
            chain=self.CONFIG.hash(),
            height=0,
            parent=bytes(32),
            timestamp_ms=start,
            ops_root=nothing,
            history_root=nothing,
            roots=[(1, empty)],
        )
        key = hash_of_key(b"\x61")
        before = avl_tree.label(avl_tree.Leaf(first, b"", key))
        leaf = avl_tree.label(avl_tree.Leaf(key, b"\x01", last))
        digest = merkle.hash_of(b"\x01", b"\x00", before, leaf) + b"\x01"
        header = genesis._replace(
            height=1,
            parent=genesis.hash(),
            timestamp_ms=start + 1000,
            ops_root=merkle.leaf_hash(self.OPERATION.encode()),
            history_root=merkle.leaf_hash(genesis.hash()),
            roots=[(1, digest)],
        )
        return genesis, header

    OPERATION = StateOperation(b"\x61", b"\x01")

    def test_values(self):
        genesis, header = self.headers()
        public, signature = sign(b"\x01" * 32, header.hash())
        self.assertEqual(public, self.CONFIG.authorities[0])
        self.check(
            "chain 10",
            {
                "config": self.CONFIG.encode(),
                "chain": self.CONFIG.hash(),
                "header 0": genesis.encode(),
                "header 0, hash": genesis.hash(),
                "operation": self.OPERATION.encode(),
                "ops_root": header.ops_root,
                "history_root": header.history_root,
                "header 1, hash": header.hash(),
                "signature": signature,
            },
        )

    def test_tree(self):
        leaves = [merkle.leaf_hash(data) for data in (b"a", b"b", b"c")]
        self.check(
            "merkle 4",
            {
                "leaf 0": leaves[0],
                "leaf 1": leaves[1],
                "leaf 2": leaves[2],
                "node over 0 and 1": merkle.hash_of(b"\x01", leaves[0], leaves[1]),
                "root": merkle.root_of(leaves),
            },
        )

    def test_bytes_of_a_signed_header(self):
        _, header = self.headers()
        data = pieces(section("chain 10"))
        found, signatures = decode_signed_header(data)
        self.assertEqual(found, header)
        self.assertEqual(decode_header(data[: len(header.encode())]), header)
        ((authority, signature),) = signatures
        key = self.CONFIG.authorities[authority]
        self.assertTrue(ed25519.is_signed(key, header.hash(), signature))
        self.assertEqual(
            data, header.encode() + borsh.vector([borsh.u16(authority) + signature])
        )

    def test_paths(self):
        leaves = [merkle.leaf_hash(data) for data in (b"a", b"b", b"c")]
        node, root = merkle.hash_of(b"\x01", *leaves[:2]), merkle.root_of(leaves)
        for index, path in enumerate(([leaves[1], leaves[2]], [leaves[0], leaves[2]], [node])):
            merkle.check_path(leaves[index], index, 3, path, root)

import json

from prooflight_vectors import amt, amt_setup, borsh, lvmt, merkle
from prooflight_vectors import VECTORS
from prooflight_vectors.keccak import keccak256
from prooflight_vectors.mpt import Limits
from prooflight_vectors.reader import Queue

from .values import Values, pieces, section
from .vector import Vector


class Lvmt(Values):
    """lvmt 7: five keys in block 0; in block 1 one of them is deleted, and a sixth is set."""

    FIRST = {b"l": b"1", b"n": b"2", b"o": b"3", b"r": b"4", b"s": b"5"}
    PLACE = {b"r": 1, b"n": 2, b"o": 3, b"s": 4, b"l": 5}

    def made(self):
        """All values, by the names that the section has for them."""
        hashes = {key: keccak256(key) for key in [*self.FIRST, b"x"]}
        order = sorted(self.FIRST, key=hashes.get)
        self.assertEqual({key: slot for slot, key in enumerate(order, 1)}, self.PLACE)
        first = [
            lvmt.leaf_of_key(0, slot, 1, hashes[key], keccak256(self.FIRST[key]))
            for slot, key in enumerate(order, 1)
        ]
        below = Vector(2, {3: amt.value_of_entry([0, 1, 0, 0, 0, 0])})
        top = Vector(2, {1: amt.value_of_entry([1, 1, 2, 1, 1, 1])})
        second = [
            lvmt.leaf_of_key(0, 2, 2, hashes[b"n"], None),
            lvmt.leaf_of_key(1, 1, 1, hashes[b"x"], keccak256(b"6")),
            lvmt.leaf_of_amt(1, b"\x01", 1, below.commitment()),
        ]
        roots = [root_of([lvmt.leaf_hash(leaf) for leaf in leaves]) for leaves in (first, second)]
        blocks = [
            lvmt.leaf_hash(number.to_bytes(8, "big") + root) for number, root in enumerate(roots)
        ]
        values = {
            "kh of n": hashes[b"n"],
            "kh of x": hashes[b"x"],
            "entry 1 of the root AMT": scalar([1, 1, 2, 1, 1, 1]),
            "entry 3 of the AMT below": scalar([0, 1, 0, 0, 0, 0]),
            "commitment of the AMT below": below.commitment(),
            "leaf 0, a tombstone": second[0],
            "leaf 1, a key": second[1],
            "leaf 2, an AMT": second[2],
            "leaf 0, hash": lvmt.leaf_hash(second[0]),
            "leaf 1, hash": lvmt.leaf_hash(second[1]),
            "leaf 2, hash": lvmt.leaf_hash(second[2]),
            "root of block 0": roots[0],
            "root of block 1": roots[1],
            "leaf of block 0, hash": blocks[0],
            "leaf of block 1, hash": blocks[1],
            "aroot": top.commitment(),
            "hroot": root_of(blocks),
        }
        return values, top.open(1, 1) + below.open(3, 2)

    def test_values(self):
        values, _ = self.made()
        self.check("lvmt 7", values)

    def test_bytes_of_a_proof(self):
        values, points = self.made()
        vector, place, version = borsh.vector, lambda b, i: borsh.u64(b) + borsh.u32(i), scalar
        entries = [version([1, 1, 2, 1, 1, 1])[:30], version([0, 1, 0, 0, 0, 0])[:30]]
        parts = [
            b"\x01\x02\x01",
            vector([b"\x00" + bytes([1, 1]) + place(1, 1) + borsh.string(b"6")]),
            vector(entries),
            vector([values["commitment of the AMT below"] + place(1, 2) + b"\x00"]),
            vector(points),
            vector([]),
            vector([borsh.u32(3)]),
            vector([values["leaf 0, hash"], values["leaf of block 0, hash"]]),
        ]
        proof = pieces(section("lvmt 7"))
        self.assertEqual(proof.hex(), b"".join(parts).hex())
        params = lvmt.Params(amt_setup.named_key("dev", 2), 1, insecure_allowed=True)
        roots = lvmt.Roots(values["aroot"], values["hroot"], 1)
        results = lvmt.verify(params, roots, [b"x"], proof, Limits())
        self.assertEqual(results, [lvmt.Result(b"6", 1, 1)])

    def test_a_vector_has_this_proof(self):
        """An implementation of its own, in Rust, has made the same bytes."""
        file = json.loads((VECTORS / "lvmt" / "proof.json").read_text(encoding="utf-8"))
        tests = [test for group in file["testGroups"] for test in group["tests"]]
        (test,) = [test for test in tests if test["comment"] == "the example of lvmt 7"]
        self.assertEqual(test["input"]["proof"], "0x" + pieces(section("lvmt 7")).hex())

    def test_a_size_only_shapes_a_tree(self):
        """merkle 3: one hash before a leaf, at index 1 of 2 and at index 2 of 3."""
        leaf, hash_ = lvmt.leaf_hash(b"leaf"), lvmt.leaf_hash(b"hash")
        one, other = (
            merkle.root_of_known(size, {index: leaf}, Queue([hash_], "path_length"), lvmt.hash_of)
            for index, size in ((1, 2), (2, 3))
        )
        self.assertEqual(one, other)


def scalar(versions):
    return amt.value_of_entry(versions).to_bytes(32, "little")


def root_of(leaves):
    """The root of a tree with Keccak-256 over leaves, given by their hashes."""
    known = dict(enumerate(leaves))
    return merkle.root_of_known(len(leaves), known, Queue([], "path_length"), lvmt.hash_of)

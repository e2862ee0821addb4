"""Ordered keys: the example of amb 9, what no other bytes prove, and roots by the definition."""

import unittest

from prooflight_vectors import amb
from prooflight_vectors.amb_tree import (
    Content,
    Entry,
    State,
    bits_of,
    branch,
    prefix_bytes,
    tree_of,
    version_hash,
)
from prooflight_vectors.amb_update import Operation, verify_update
from prooflight_vectors.errors import Refusal
from prooflight_vectors.merkle import root_of

from refused import Refused

BLOCKS = (
    [(b"a", b"\x01")],
    [(b"b", b"\x02")],
    [(b"a", b"\x03"), (b"bc", b"\x04")],
)
HASHES = {
    "V3": "8b068ac872713a6fffc282d3acf268154a8b84622af4793b7f8d365426c4ddab",
    "V4": "3d4003d5feb6bb9648acc247db7ba00ac26beb5d855874230fe21bfa56ff6ff9",
    "P61": "06015a88bf6c04bd7e086b2fbc12490bb0fd85bd989079f23b2857d875a72663",
    "E61": "211f25dfaf1922e9a0b663e26734c9b41f6988c053837f2811bbafc2229d60b3",
    "E62": "917c0158b9026a46b0d257f1b7178350a72d3659c445e99a0117d0108a89ec4e",
    "E63": "4c7de75ce0b58a11909c3a84dcdbf02af5376087b37750aed21c6f78f0de6192",
    "N9": "6afe4344332a682264ec57b5f7191745b53cc60f4628417af7df948ab642e5a9",
}


def proof(text):
    """Bytes, in which names stand for hashes."""
    for name, digits in HASHES.items():
        text = text.replace(f"[{name}]", digits)
    return bytes.fromhex(text)


ROOT = bytes.fromhex("b5dec939241abb04e4c3c9aeda4a3fa8102a97e14af16cfade596aa6b0b48afe")
PROOFS = (
    (
        lambda: amb.Get([b"a"], 1),
        proof("010601 0960 0101020001[V3] 0102010101 020000[N9]"),
        [amb.Answer(b"\x01", 0)],
    ),
    (
        lambda: amb.Hist([b"a"], 0, 1),
        proof("010602 0960 0101020001[V3] 0001 02010101 020000[N9]"),
        [amb.History(amb.NEVER_WRITTEN, [amb.Answer(b"\x01", 0)])],
    ),
    (
        lambda: amb.Range(b"", None, 2),
        proof("010603 01026200 0960 01016102000101 03[P61] 0362 010001010101 02 010000[E63]"),
        [(b"a", amb.Answer(b"\x03", 2)), (b"b", amb.Answer(b"\x02", 1))],
    ),
    (
        lambda: amb.Count(b"b", b"c"),
        proof("010604 0960 010000[E61] 0362 010001[E62] 010000[E63]"),
        2,
    ),
)
UPDATE = proof("010606 0960 0101020001[V3][P61] 0362 010001[E62] 010001 63 010001[V4]")


class Example(Refused):
    """amb 9."""

    def test_proofs(self):
        for ask, data, expected in PROOFS:
            question = ask()
            with self.subTest(kind=question.kind):
                opened = amb.verify(ROOT, 2, question, data, amb.Limits())
                self.assertEqual(question.answers(opened), expected)

    def test_a_page_says_where_the_next_one_starts(self):
        ask, data, _ = PROOFS[2]
        question = ask()
        amb.verify(ROOT, 2, question, data, amb.Limits())
        self.assertEqual(question.next, b"b\x00")

    def test_no_other_bytes_prove_the_same_but_where_they_cut(self):
        for ask, data, _ in PROOFS:
            others = [data[:end] for end in range(len(data))] + [data + b"\x00"]
            for bit in range(8 * len(data)):
                other = bytearray(data)
                other[bit // 8] ^= 1 << bit % 8
                others.append(bytes(other))
            for other in others:
                question = ask()
                with self.subTest(kind=question.kind, proof=other.hex()):
                    try:
                        amb.verify(ROOT, 2, question, other, amb.Limits())
                    except Refusal:
                        continue
                    self.assertTrue(b"b" < question.next <= b"bc")

    def test_update(self):
        operations = [Operation(b"a", None), Operation(b"bd", b"\x05")]
        limits = amb.Limits()
        root = verify_update(ROOT, 2, operations, [([b"a", b"bd"], UPDATE)], limits)
        state = made()
        state.apply(operations)
        self.assertEqual(root, state.root())
        self.assertEqual(
            root.hex(), "f59275bb26687db74815a94c23ad24570fce24d1c957fa28e804a9942e03de32"
        )

    def test_updates_that_the_proof_does_not_cover(self):
        def update(*operations):
            parts = [([b"a", b"bd"], UPDATE)]
            return verify_update(ROOT, 2, operations, parts, amb.Limits())

        # The first ends at a closed node, the second at a leaf that is shown as another key's.
        self.refused("node_not_expanded", update, Operation(b"b", None))
        self.refused("node_not_expanded", update, Operation(b"bc", None))
        self.refused("key_absent", update, Operation(b"bd", None))
        # These three end at branches, or at a leaf whose key differs, and need nothing more.
        for key in (b"", b"\xff", b"bc\x00"):
            state = made()
            state.apply([(key, b"new")])
            self.assertEqual(update(Operation(key, b"new")), state.root())

    def test_parts(self):
        """One part opens what the other one closes."""
        first = proof("010606 0960 0101020001[V3][P61] 020000[N9]")
        second = proof("010606 0960 010000[E61] 0362 010001[E62] 010001 63 010001[V4]")
        operations = [Operation(b"a", None), Operation(b"bd", b"\x05")]
        parts = [([b"a"], first), ([b"bd"], second)]
        both = verify_update(ROOT, 2, operations, [([b"a", b"bd"], UPDATE)], amb.Limits())
        for some in (parts, parts[::-1], parts * 128):
            self.assertEqual(verify_update(ROOT, 2, operations, some, amb.Limits()), both)
        for few in (parts[:1], parts[1:]):
            self.refused("node_not_expanded", verify_update, ROOT, 2, operations, few, amb.Limits())
        for some, reason in (([], "invalid_argument"), (parts * 129, "invalid_argument")):
            self.refused(reason, verify_update, ROOT, 2, operations, some, amb.Limits())

    def test_the_proofs_of_all_parts_have_at_most_64_mib(self):
        parts = [([b"a"], bytes(8 * 1024 * 1024))] * 8
        self.refused("unknown_version", verify_update, ROOT, 2, [], parts, amb.Limits())
        parts.append(([b"a"], b"\x00"))
        self.refused("proof_too_large", verify_update, ROOT, 2, [], parts, amb.Limits())


def made():
    state = State()
    for block in BLOCKS:
        state.apply(block)
    return state


class Roots(unittest.TestCase):
    def test_of_the_example(self):
        state, roots = State(), [State().root()]
        for block in BLOCKS:
            state.apply(block)
            roots.append(state.root())
        self.assertEqual(roots[-1], ROOT)
        self.assertEqual(
            roots[0].hex(), "558abeacecdd613e730fb0ef06dcdaf36258bdc51ba0c2bc370327f81a7816f2"
        )

    def test_an_empty_block_and_a_deletion_of_nothing_change_no_root(self):
        state = made()
        for block in ([], [(b"never", None)]):
            state.apply(block)
            self.assertEqual(state.root(), ROOT)

    def test_a_branch_by_hand(self):
        first = Entry(b"b", 1, 1, Content.of(b"\x02")).record()
        other = Entry(b"bc", 1, 2, Content.of(b"\x04")).record()
        self.assertEqual(first.hash.hex(), HASHES["E62"])
        below = branch(bits_of(b"b"), first, other)
        self.assertEqual((below.version, below.live, below.dead), (2, 2, 0))
        self.assertEqual(below.hash.hex(), HASHES["N9"])
        past = root_of([version_hash(0, Content.of(b"\x01"))])
        a = Entry(b"a", 2, 2, Content.of(b"\x03"), past).record()
        self.assertEqual(branch(bits_of(b"a")[:7], a, below).state_root(), ROOT)
        self.assertEqual(tree_of([("1" + "0" * 9, below), (bits_of(b"a"), a)]).version, 2)

    def test_prefixes_as_bytes(self):
        for bits, known in (("", ""), ("1", ""), ("11", "80"), ("101100001", "61")):
            self.assertEqual(prefix_bytes(bits).hex(), known)


class Deep(unittest.TestCase):
    """A neighbour for every bit of the longest key: Python's stack must not be what bounds it."""

    def test_the_deepest_tree(self):
        victim = bytes(256)
        neighbours = []
        for at in range(256):
            neighbours.append(victim[:at])
            neighbours += [victim[:at] + bytes([0x80 >> bit]) for bit in range(8)]
        state = State()
        state.apply([(key, b"") for key in [victim, *neighbours]])

        before, after = b"", b""
        for depth, key in enumerate(neighbours):
            closed = b"\x01\x00\x00" + state.entry(key).record().hash
            # Only a key that has ended is on the left of the victim.
            if depth % 9 == 0:
                before += b"\x02" + closed
            else:
                before, after = before + b"\x02", closed + after
        message = b"\x01\x06\x01" + before + bytes.fromhex("01 01 01 00 01 00") + after
        question = amb.Get([victim, victim], 0)
        opened = amb.verify(state.root(), 0, question, message, amb.Limits())
        self.assertEqual(question.answers(opened), [amb.Answer(b"", 0)] * 2)


if __name__ == "__main__":
    unittest.main()

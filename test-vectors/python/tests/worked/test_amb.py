from hashlib import blake2b

from prooflight_vectors import amb
from prooflight_vectors.amb_update import Operation, verify_update

from .values import Values, named, pieces, section


class Amb(Values):
    """amb 9, by nothing but hashlib."""

    ANSWERS = (
        (amb.Get([b"a"], 1), [amb.Answer(b"\x01", 0)]),
        (
            amb.Range(b"", None, 2),
            [(b"a", amb.Answer(b"\x03", 2)), (b"b", amb.Answer(b"\x02", 1))],
        ),
        (amb.Count(b"b", b"c"), 2),
    )

    def test_values(self):
        def hash_of(*parts):
            return blake2b(b"".join(parts), digest_size=32).digest()

        def record(version, live, hash_):
            return version.to_bytes(8, "big") + live.to_bytes(8, "big") + bytes(8) + hash_

        def entry(key, versions, newest, value, past):
            numbers = versions.to_bytes(8, "big") + newest.to_bytes(8, "big")
            length = len(key).to_bytes(2, "big")
            return hash_of(b"\x10", length, key, numbers, b"\x01", value, past)

        def branch(depth, label, left, right):
            return hash_of(b"\x11", depth.to_bytes(2, "big"), label, left, right)

        values = [None, *(hash_of(b"\x12", bytes([value])) for value in (1, 2, 3, 4))]
        past = hash_of(b"\x00", b"\x13", bytes(8), b"\x01", values[1])
        first = entry(b"a", 1, 0, values[1], hash_of())
        a = entry(b"a", 2, 2, values[3], past)
        b = entry(b"b", 1, 1, values[2], hash_of())
        bc = entry(b"bc", 1, 2, values[4], hash_of())
        below = branch(9, b"b", record(1, 1, b), record(2, 1, bc))
        top = branch(7, b"\x60", record(2, 1, a), record(2, 2, below))
        two = branch(7, b"\x60", record(0, 1, first), record(1, 1, b))
        # The root after block 3 is that of another tree; test_bytes_of_proofs computes it.
        last = bytes.fromhex(named(section("amb 9"))["root after block 3"])
        self.check(
            "amb 9",
            {
                **{f"value hash of {at:02x}": values[at] for at in range(1, 5)},
                "version hash of 61 in block 0": past,
                "entry 61": a,
                "entry 62": b,
                "entry 6263": bc,
                "branch at depth 9": below,
                "branch at depth 7": top,
                "record of the branch": record(2, 3, top),
                "root before block 0": hash_of(b"\x15", bytes(56)),
                "root after block 0": hash_of(b"\x15", record(0, 1, first)),
                "root after block 1": hash_of(b"\x15", record(1, 2, two)),
                "root after block 2": hash_of(b"\x15", record(2, 3, top)),
                "root after block 3": last,
            },
        )

    def test_bytes_of_proofs(self):
        text, limits = section("amb 9"), amb.Limits()
        values = {name: bytes.fromhex(digits) for name, digits in named(text).items()}
        root = values["root after block 2"]
        for at, (question, answers) in enumerate(self.ANSWERS):
            opened = amb.verify(root, 2, question, pieces(text, at), limits)
            self.assertEqual(question.answers(opened), answers)
        self.assertEqual(self.ANSWERS[1][0].next, b"b\x00")

        # The history differs from the first proof in its kind, and in two numbers for one.
        proof = bytearray(pieces(text))
        at = proof.index(values["value hash of 03"]) + 32
        proof[2], proof[at : at + 1] = amb.HIST, b"\x00\x01"
        question = amb.Hist([b"a"], 0, 1)
        opened = amb.verify(root, 2, question, bytes(proof), limits)
        history = amb.History(amb.NEVER_WRITTEN, [amb.Answer(b"\x01", 0)])
        self.assertEqual(question.answers(opened), [history])

        operations = [Operation(b"a", None), Operation(b"bd", b"\x05")]
        parts = [([b"a", b"bd"], pieces(text, 3))]
        found = verify_update(root, 2, operations, parts, limits)
        self.assertEqual(found, values["root after block 3"])

from hashlib import blake2s

from prooflight_vectors.mpt import Limits
from prooflight_vectors.smt import Answer, verify_diff, verify_history, verify_keys

from .values import Values, named, pieces, section


class Smt(Values):
    """smt 8, by nothing but hashlib."""

    def test_values(self):
        def node(salt, person, message):
            salt, person = (number.to_bytes(8, "little") for number in (salt, person))
            return blake2s(message, salt=salt, person=person).digest()

        keys = [blake2s(key, person=b"PLsmtKey").digest() for key in (b"a", b"b")]
        values = [blake2s(value, person=b"PLsmtVal").digest() for value in (b"\x01", b"\x02")]
        one = node((3 << 12) + 0xFFF, 0x010, keys[0] + values[0])
        other = node((5 << 12) + 0xFFF, 0x010, keys[1] + values[1])
        root = node((5 << 12) + 1, (3 << 12) + 0x001, other + one)
        self.check(
            "smt 8",
            {
                "key hash of 61": keys[0],
                "value hash of 01": values[0],
                "leaf of 61, salt": bytes.fromhex("ff3f000000000000"),
                "leaf of 61, personalisation": bytes.fromhex("1000000000000000"),
                "leaf of 61": one,
                "key hash of 62": keys[1],
                "value hash of 02": values[1],
                "leaf of 62": other,
                "root, salt": bytes.fromhex("0150000000000000"),
                "root, personalisation": bytes.fromhex("0130000000000000"),
                "root": root,
                "tombstone of 61 in block 7": node((7 << 12) + 0xFFF, 0x011, keys[0] + bytes(32)),
            },
        )
        self.assertEqual((5 << 12) + 1, int.from_bytes(bytes.fromhex("0150000000000000"), "little"))

    def test_bytes_of_a_proof(self):
        text = section("smt 8")
        root = bytes.fromhex(named(text)["root"])
        answers = verify_keys(root, 6, [b"a"], pieces(text), Limits())
        self.assertEqual(answers, [Answer(b"\x01", 3)])

        message = bytearray(pieces(text))
        message[2] = 2
        roots = [(6, root), (2, bytes(32))]
        history = verify_history(b"a", 0, 6, roots, bytes(message), Limits(changes=1))
        self.assertEqual(history.changes, [Answer(b"\x01", 3)])
        self.assertEqual(history.heights, [6, 2])

        changes = verify_diff(3, 5, root, pieces(text, 1), Limits())
        self.assertEqual(changes, [(b"b", Answer(b"\x02", 5))])

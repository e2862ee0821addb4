from hashlib import blake2b

from prooflight_vectors import avl

from .values import Values, pieces, section


class Avl(Values):
    """avl 2 and 13: labels by their definition."""

    def test_empty_dictionaries(self):
        digests = {
            f"k = {k}": label(b"\x00", bytes(k), b"\xff" * k) + b"\x00" for k in (1, 32)
        }
        self.check("avl 2", digests)

    def test_example(self):
        first = label(b"\x00", b"\x00", b"\x10")
        leaf_10 = label(b"\x00", b"\x10", b"\xaa", b"\x20")
        leaf_20 = label(b"\x00", b"\x20", b"\xbb\xbb", b"\xff")
        internal = label(b"\x01", b"\x00", leaf_10, leaf_20)
        root = label(b"\x01", b"\x01", first, internal)
        new_leaf = label(b"\x00", b"\x10", b"\xaa", b"\xff")
        self.check(
            "avl 13",
            {
                "label of leaf 00": first,
                "label of leaf 10": leaf_10,
                "label of leaf 20": leaf_20,
                "label of internal": internal,
                "label of root": root,
                "digest": root + b"\x02",
                "new label of leaf 10": new_leaf,
                "new digest": label(b"\x01", b"\x00", first, new_leaf) + b"\x01",
            },
        )
        answer = avl.verify_batch(
            root + b"\x02",
            [avl.Operation("Remove", b"\x20")],
            pieces(section("avl 13")),
            avl.Params(key_length=1),
        )
        self.assertEqual(answer.digest, label(b"\x01", b"\x00", first, new_leaf) + b"\x01")


def label(*parts):
    return blake2b(b"".join(parts), digest_size=32).digest()

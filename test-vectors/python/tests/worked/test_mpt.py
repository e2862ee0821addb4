from prooflight_vectors.keccak import keccak256

from .values import Values, pieces, section


class Mpt(Values):
    """mpt 8, with an encoder of RLP that nothing else uses."""

    def test_values(self):
        node = pieces(section("mpt 8"))
        key_of_slot = keccak256(bytes(32))
        leaf_of_slot = rlp([b"\x20" + key_of_slot, rlp(b"\x01")])
        key_of_account = keccak256(bytes(19) + b"\x01")
        account = rlp([b"\x01", b"\x03\xe8", keccak256(leaf_of_slot), keccak256(b"")])
        leaf_of_account = rlp([b"\x20" + key_of_account, account])
        self.check(
            "mpt 8",
            {
                "root": keccak256(node),
                "root without keys": keccak256(rlp(b"")),
                "RLP of a list": rlp([b"", b"\x01", b"\x04\x00"]),
                "key of the slot": key_of_slot,
                "leaf of the slot": leaf_of_slot,
                "storage root": keccak256(leaf_of_slot),
                "key of the account": key_of_account,
                "value of the account": account,
                "leaf of the account": leaf_of_account,
                "state root": keccak256(leaf_of_account),
            },
        )
        inner = [b"\x20", b"\xaa"], [b"\x20", b"\xbb"], *[b""] * 15
        self.assertEqual(node, rlp([b"\x11", list(inner)]))


def rlp(item):
    """A string, or a list of items."""
    if isinstance(item, bytes):
        return item if len(item) == 1 and item < b"\x80" else rlp_head(0x80, item)
    return rlp_head(0xC0, b"".join(rlp(part) for part in item))


def rlp_head(first, payload):
    if len(payload) < 56:
        return bytes([first + len(payload)]) + payload
    length = len(payload).to_bytes(1, "big")
    return bytes([first + 55 + len(length)]) + length + payload

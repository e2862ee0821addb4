"""Merkle Patricia proofs: mpt 8's example, Keccak, and what vectors cannot show in few bytes."""

import hashlib
import unittest

from prooflight_vectors.errors import Refusal
from prooflight_vectors.ethereum import verify_header
from prooflight_vectors.keccak import keccak256, sponge
from prooflight_vectors.mpt import EMPTY_ROOT, Limits, verify_proof

from refused import Refused

LIMITS = Limits()


class Keccak(unittest.TestCase):
    def test_with_the_padding_of_the_standard_it_is_sha3_256(self):
        for length in (0, 1, 135, 136, 137, 271, 272, 1000):
            data = bytes(i % 251 for i in range(length))
            with self.subTest(length=length):
                self.assertEqual(sponge(data, padding=0x06), hashlib.sha3_256(data).digest())

    def test_of_no_bytes(self):
        empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
        self.assertEqual(keccak256(b"").hex(), empty)


class Example(unittest.TestCase):
    """mpt 8."""

    NODE = bytes.fromhex("d9 11 d7 c3 20 81aa c3 20 81bb" + "80" * 15)
    ROOT = bytes.fromhex("8cc4e2f3b37ba65d9b4437b81a36f84ac4c62be164b9ab12d90b5b8d4d1ca965")
    KEYS = {"10": b"\xaa", "11": b"\xbb", "12": None, "20": None, "1000": None, "": None}

    def test_every_key(self):
        for key, value in self.KEYS.items():
            with self.subTest(key=key):
                found = verify_proof(self.ROOT, bytes.fromhex(key), [self.NODE], LIMITS)
                self.assertEqual(found, value)

    def test_no_other_proof(self):
        others = [[], [b"\x80"], [self.NODE, self.NODE]]
        others += [[self.NODE[:end]] for end in range(len(self.NODE))]
        for bit in range(8 * len(self.NODE)):
            other = bytearray(self.NODE)
            other[bit // 8] ^= 1 << bit % 8
            others.append([bytes(other)])
        for key in self.KEYS:
            for other in others:
                with self.subTest(key=key, proof=other), self.assertRaises(Refusal):
                    verify_proof(self.ROOT, bytes.fromhex(key), other, LIMITS)


class Bounds(Refused):
    def test_keys(self):
        self.assertIsNone(verify_proof(EMPTY_ROOT, bytes(256), [], LIMITS))
        self.refused("key_length", verify_proof, EMPTY_ROOT, bytes(257), [], LIMITS)

    def test_bytes(self):
        most = 8_388_608
        for size, reason in ((most, "invalid_node"), (most + 1, "proof_too_large")):
            proof = [b"\xba" + (size - 4).to_bytes(3, "big") + bytes(size - 4)]
            with self.subTest(size=size):
                self.refused(reason, verify_proof, EMPTY_ROOT, b"", proof, LIMITS)
                of_header = "invalid_header" if size == most else reason
                self.refused(of_header, verify_header, bytes(32), proof[0])

    def test_nodes(self):
        proof = [b"\x80"] * 4
        self.refused("too_many_nodes", verify_proof, EMPTY_ROOT, b"k", proof, LIMITS)
        self.refused("invalid_node", verify_proof, EMPTY_ROOT, b"k", proof[1:], LIMITS)


if __name__ == "__main__":
    unittest.main()

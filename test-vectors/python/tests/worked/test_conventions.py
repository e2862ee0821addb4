from hashlib import blake2b

from prooflight_vectors.keccak import keccak256

from .values import Values


class Conventions(Values):
    def test_hashes(self):
        self.check(
            "conventions 1",
            {
                "BLAKE2b-256 of no bytes": blake2b(digest_size=32).digest(),
                "BLAKE2b-256 of 61": blake2b(b"a", digest_size=32).digest(),
                "Keccak-256 of no bytes": keccak256(b""),
                "Keccak-256 of 61": keccak256(b"a"),
            },
        )

"""The bytes of a proof of LVMT (lvmt 4)."""

from typing import NamedTuple, Optional

from .borsh import Decoder
from .envelope import LVMT, open_envelope
from .errors import check

KEYS = 1


class Place(NamedTuple):
    block: int
    index: int


class Claim(NamedTuple):
    """That a key has a value, or None for a tombstone; without a level, that it has no slot."""

    level: Optional[int] = None
    slot: Optional[int] = None
    place: Optional[Place] = None
    value: Optional[bytes] = None


class Amt(NamedTuple):
    commitment: bytes
    place: Place
    is_tree: bool


class Owner(NamedTuple):
    key_hash: bytes
    version: int
    value_hash: Optional[bytes]
    place: Place


class Proof(NamedTuple):
    """An entry is its six versions."""

    claims: list
    entries: list
    amts: list
    points: list
    owners: list
    sizes: list
    hashes: list


def decode_proof(data, limits):
    body = ProofDecoder(open_envelope(data, LVMT, KEYS, limits))
    proof = Proof(
        claims=body.vector(body.claim),
        entries=body.vector(body.entry),
        amts=body.vector(body.amt),
        points=body.vector(body.hash),
        owners=body.vector(body.owner),
        sizes=body.vector(body.u32),
        hashes=body.vector(body.hash),
    )
    body.finish()
    return proof


class ProofDecoder(Decoder):
    def variant(self, number):
        """The variant of an enum, or whether an option has a value."""
        found = self.u8()
        check(found < number, "invalid_encoding")
        return found

    def hash(self):
        return self.array(32)

    def place(self):
        return Place(self.u64(), self.u32())

    def version(self):
        return int.from_bytes(self.array(5), "little")

    def claim(self):
        variant = self.variant(3)
        if variant == 2:
            return Claim()
        level, slot, place = self.u8(), self.u8(), self.place()
        return Claim(level, slot, place, self.bytes() if variant == 0 else None)

    def entry(self):
        return [self.version() for _ in range(6)]

    def amt(self):
        return Amt(self.hash(), self.place(), self.variant(2) == 1)

    def owner(self):
        return Owner(
            key_hash=self.hash(),
            version=self.version(),
            value_hash=self.hash() if self.variant(2) else None,
            place=self.place(),
        )

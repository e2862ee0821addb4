"""Keccak-256 as Ethereum has it (mpt); hashlib has only SHA3-256, whose padding differs."""

from functools import lru_cache, reduce
from operator import xor

RATE = 136
LANE = (1 << 64) - 1
COLUMNS = range(5)


@lru_cache(maxsize=4096)
def keccak256(data):
    return sponge(data, padding=0x01)


def sponge(data, padding):
    """256 bits of Keccak with a capacity of 512 bits."""
    lanes = [0] * 25
    padded = bytearray(data) + bytes(RATE - len(data) % RATE)
    padded[len(data)] ^= padding
    padded[-1] ^= 0x80
    for start in range(0, len(padded), RATE):
        for at in range(RATE // 8):
            word = padded[start + 8 * at : start + 8 * at + 8]
            lanes[at] ^= int.from_bytes(word, "little")
        permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def permute(lanes):
    """Keccak-f[1600]; the lane of column x and row y is at x + 5 y."""
    for constant in ROUND_CONSTANTS:
        parity = [reduce(xor, lanes[x::5]) for x in COLUMNS]
        mixed = [0] * 25
        for x in COLUMNS:
            change = parity[x - 1] ^ rotate(parity[(x + 1) % 5], 1)
            for y in COLUMNS:
                moved = y + 5 * ((2 * x + 3 * y) % 5)
                mixed[moved] = rotate(lanes[x + 5 * y] ^ change, OFFSETS[x + 5 * y])
        for row in range(0, 25, 5):
            for x in COLUMNS:
                lanes[row + x] = mixed[row + x] ^ (
                    ~mixed[row + (x + 1) % 5] & mixed[row + (x + 2) % 5]
                )
        lanes[0] ^= constant


def rotate(lane, by):
    return (lane << by | lane >> (64 - by)) & LANE


def offsets():
    """How far each lane is rotated: the t-th of the walk by (t + 1)(t + 2) / 2."""
    table = [0] * 25
    x, y = 1, 0
    for t in range(24):
        table[x + 5 * y] = (t + 1) * (t + 2) // 2 % 64
        x, y = y, (2 * x + 3 * y) % 5
    return table


def round_constants():
    """Bits 2^j - 1 of each round's constant, from a shift register of eight bits."""
    constants, register = [], 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            if register & 1:
                constant |= 1 << (1 << j) - 1
            register <<= 1
            if register & 0x100:
                register ^= 0x171
        constants.append(constant)
    return constants


OFFSETS = offsets()
ROUND_CONSTANTS = round_constants()

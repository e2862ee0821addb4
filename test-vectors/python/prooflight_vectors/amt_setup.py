"""Setups of vector commitments (amt 3), by their verifying keys."""

import json
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from .bn254 import GENERATOR_2, R, decode_g2, encode_g2, multiply_g2
from .carrier import read_bytes
from .errors import Refusal, check
from .reader import Reader

MOST = 28
DEV_TAU = int.from_bytes(blake2b(b"prooflight/amt/dev-tau/v1").digest(), "little") % R
DEV_POINT = multiply_g2(DEV_TAU, GENERATOR_2)
SETUPS_FILE = Path(__file__).resolve().parents[2] / "amt" / "data" / "setups.json"


class VerifyingKey(NamedTuple):
    """`powers` are [tau^(2^j)]_2 for j from 0 to k - 1."""

    k: int
    powers: tuple

    def encode(self):
        return bytes([self.k]) + b"".join(map(encode_g2, (GENERATOR_2, *self.powers)))

    def params_id(self):
        key = b"prooflight/amt/v1" + self.encode()
        return blake2b(key, digest_size=32).digest()

    def is_insecure(self):
        return self.powers[0] == DEV_POINT


def decode_key(data):
    reader = Reader(data)
    k = reader.u8()
    check(1 <= k <= MOST, "invalid_setup")
    check(reader.take(64) == encode_g2(GENERATOR_2), "invalid_setup")
    powers = tuple(decode_g2(reader.take(64)) for _ in range(k))
    check(not reader.rest(), "trailing_bytes")
    return VerifyingKey(k, powers)


def named_key(name, k):
    """The key of the setup "dev" or "ppot" for vectors of 2^k scalars."""
    check(1 <= k <= MOST, "invalid_argument")
    power = {"dev": dev_power, "ppot": ppot_power}[name]
    return VerifyingKey(k, tuple(power(j) for j in range(k)))


@lru_cache(maxsize=None)
def dev_power(j):
    return multiply_g2(pow(DEV_TAU, 2**j, R), GENERATOR_2)


@lru_cache(maxsize=None)
def ppot_power(j):
    return decode_g2(read_bytes(published("ppot")["powers"][j]))


@lru_cache(maxsize=None)
def published(name):
    """What test-vectors has of the setup: its `powers`, its `paramsIds`."""
    setups = json.loads(SETUPS_FILE.read_text(encoding="utf-8"))["setups"]
    return next(setup for setup in setups if setup["name"] == name)


def trusted_key(params_id, k, data=None):
    """The key with this params_id: the one whose bytes are given, or one that everyone knows."""
    if data is None:
        return known_key(params_id, k)
    try:
        key = decode_key(data)
    except Refusal:
        raise Refusal("setup_mismatch") from None
    check(key.k == k and key.params_id() == params_id, "setup_mismatch")
    return key


@lru_cache(maxsize=None)
def known_key(params_id, k):
    """The key with this params_id, of those that everyone knows."""
    for name in ("dev", "ppot"):
        key = named_key(name, k)
        if key.params_id() == params_id:
            return key
    check(False, "unknown_setup")

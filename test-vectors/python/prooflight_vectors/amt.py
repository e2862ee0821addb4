"""Openings of vector commitments (amt 4 and 5), and the group AmtOpening (vectors 13)."""

from collections import defaultdict
from hashlib import blake2b
from typing import NamedTuple

from . import amt_setup
from .bn254 import GENERATOR_1, GENERATOR_2, R, combine, decode_g1
from .carrier import (
    check_names,
    read_array,
    read_boolean,
    read_bytes,
    read_hash,
    read_member,
    read_name,
    read_number,
    read_quantity,
    read_u8,
    write_bytes,
)
from .errors import Refusal, check
from .pairing import is_one

# W of amt 2: its order is 2^28.
ROOT_OF_UNITY = pow(5, (R - 1) >> 28, R)


class Opening(NamedTuple):
    """That the vector of a commitment has a value at an index.

    `log_arity` is None for a single opening. The value is an integer, the points are encoded.
    """

    log_arity: int
    commitment: bytes
    index: int
    value: int
    points: list

    def encode(self):
        return b"".join(
            [
                bytes([self.log_arity or 0]),
                self.commitment,
                self.index.to_bytes(4, "little"),
                self.value.to_bytes(32, "little"),
                *self.points,
            ]
        )

    def terms(self, k):
        """For each point, its factor on the left side, and j where tau^(2^j) is on the right."""
        x = pow(ROOT_OF_UNITY, self.index << (28 - k), R)
        step = self.log_arity or k
        exponents = range(k - step, -1, -step)
        return [(pow(x, 2**j, R), j) for j in exponents]


def number_of_points(log_arity, k):
    return 1 if log_arity is None else k // log_arity


def value_of_entry(versions):
    """The value of an entry of six versions (amt 2)."""
    check(max(versions) < 2**40, "version_range")
    return sum(version << 40 * j for j, version in enumerate(versions))


def verify_openings(key, openings):
    """amt 5, all equations at once."""
    k = key.k
    for opening in openings:
        b = opening.log_arity
        check(b is None or (b > 0 and k % b == 0), "invalid_argument")
        check(opening.index < 2**k, "index_out_of_range")
        check(len(opening.points) == number_of_points(b, k), "opening_length")
    # The left side, and the terms that each power of tau is paired with on the right.
    left, right = [], defaultdict(list)
    for factor, opening in zip(coefficients(key, openings), openings):
        left.append((factor, decode_g1(opening.commitment)))
        left.append((-factor * opening.value, GENERATOR_1))
        for data, (c, j) in zip(opening.points, opening.terms(k)):
            point = decode_g1(data)
            left.append((factor * c, point))
            right[j].append((-factor, point))
    pairs = [(combine(left), GENERATOR_2)]
    pairs += [(combine(terms), key.powers[j]) for j, terms in right.items()]
    check(is_one(pairs), "opening_mismatch")


def seed_of(key, openings):
    parts = [b"prooflight/amt/openings/v1", key.params_id(), len(openings).to_bytes(8, "little")]
    parts += [opening.encode() for opening in openings]
    return blake2b(b"".join(parts), digest_size=32).digest()


def coefficients(key, openings):
    seed = seed_of(key, openings)
    return [1] + [coefficient(seed, i) for i in range(1, len(openings))]


def coefficient(seed, i):
    hash_ = blake2b(seed + i.to_bytes(8, "little"), digest_size=32).digest()
    return int.from_bytes(hash_[:16], "little")


# vectors 13: AmtOpening


def verify_input(test_input):
    """Verifies the `input` of a test."""
    check_names(test_input, ("setup", "logN", "paramsId", "allowInsecureSetup", "openings"))
    setup = read_member(test_input, "setup", read_setup)
    k = read_member(test_input, "logN", read_number, default=None)
    check((k is None) == isinstance(setup, bytes), "invalid_argument")
    wanted = read_member(test_input, "paramsId", read_hash, default=None)
    allowed = read_member(test_input, "allowInsecureSetup", read_boolean, default=False)
    openings = read_member(test_input, "openings", lambda them: read_array(them, read_opening))

    key = amt_setup.decode_key(setup) if k is None else amt_setup.named_key(setup, k)
    check(allowed or not key.is_insecure(), "insecure_setup")
    check(wanted in (None, key.params_id()), "setup_mismatch")
    openings = [opening._replace(value=value_of(opening.value)) for opening in openings]
    verify_openings(key, openings)
    return {"paramsId": write_bytes(key.params_id())}


def read_setup(value):
    try:
        return read_bytes(value)
    except Refusal:
        return read_name(value, ("dev", "ppot"))


def read_opening(value):
    """An opening, whose value is still a scalar's bytes or the versions."""
    kind = read_member(value, "kind", lambda kind: read_name(kind, ("tree", "single")))
    of_kind = ("logArity",) if kind == "tree" else ()
    of_value = "versions" if "versions" in value else "value"
    check_names(value, ("kind", "commitment", "index", "points", of_value) + of_kind)
    return Opening(
        log_arity=read_member(value, "logArity", read_u8) if kind == "tree" else None,
        commitment=read_member(value, "commitment", read_hash),
        index=read_member(value, "index", read_number),
        value=read_member(value, of_value, read_hash if of_value == "value" else read_versions),
        points=read_member(value, "points", lambda points: read_array(points, read_hash)),
    )


def read_versions(value):
    versions = read_array(value, read_quantity)
    check(len(versions) == 6, "invalid_argument")
    return versions


def value_of(value):
    if isinstance(value, list):
        return value_of_entry(value)
    number = int.from_bytes(value, "little")
    check(number < R, "invalid_scalar")
    return number

"""A vector, its commitment and its openings, under the setup whose tau everyone knows."""

from prooflight_vectors import amt, amt_setup, bn254
from prooflight_vectors.bn254 import GENERATOR_1, Q, R, combine


def encode_g1(number):
    """The point [number]_1 as amt 1 encodes it."""
    point = bn254.affine(combine([(number % R, GENERATOR_1)]))
    if point is None:
        return bytes(31) + b"\x40"
    x, y = point
    return (x | (0x80 << 248 if y > Q - y else 0)).to_bytes(32, "little")


class Vector:
    """A vector of 2^k scalars under the setup whose tau everyone knows, as its polynomial."""

    def __init__(self, k, entries):
        self.k, self.n = k, 2**k
        self.entries = entries
        self.domain = [pow(amt.ROOT_OF_UNITY, t << (28 - k), R) for t in range(self.n)]
        # The inverse of the matrix of the powers of the domain: its own, but for signs and n.
        self.polynomial = [
            sum(a * pow(self.domain[t], -j, R) for t, a in entries.items()) * pow(self.n, -1, R) % R
            for j in range(self.n)
        ]

    def commitment(self):
        return encode_g1(at_tau(self.polynomial))

    def open(self, t, b):
        """The points of the opening of entry t by a tree of arity 2^b; b = k is a single one."""
        rest = list(self.polynomial)
        rest[0] -= self.entries.get(t, 0)
        points = []
        for exponent in range(self.k - b, -1, -b):
            m = 2**exponent
            quotient, rest = divide(rest, m, pow(self.domain[t], m, R))
            points.append(encode_g1(at_tau(quotient)))
        assert not any(number % R for number in rest)
        return points


def at_tau(polynomial):
    return sum(a * pow(amt_setup.DEV_TAU, j, R) for j, a in enumerate(polynomial)) % R


def divide(polynomial, m, c):
    """Quotient and remainder of a division by X^m - c."""
    quotient, rest = [0] * len(polynomial), list(polynomial)
    for j in range(len(rest) - 1, m - 1, -1):
        quotient[j - m] = rest[j]
        rest[j - m] = (rest[j - m] + c * rest[j]) % R
        rest[j] = 0
    return quotient, rest

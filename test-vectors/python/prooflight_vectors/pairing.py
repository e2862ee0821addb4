"""The pairing of BN254 (amt 1), as far as equations of products need it.

It is the ate pairing: Miller's function f of T = Q - R and a point of G2, at a point of G1, to the
power of (Q^12 - 1) / R. Any pairing of the two groups proves the same equations.

The field of Q^12 elements is that of polynomials in w modulo w^12 - 18 w^6 + 82, lists of 12
coefficients, where u = w^6 - 9. A point (x, y) of G2 stands for (x w^2, y w^3), which is on the
curve of G1. Two polynomials are multiplied as two long integers, which have a coefficient in every
512 bits: 12 products of two coefficients fit.
"""

from functools import lru_cache

from .bn254 import Q, R, affine, chord, minus, times

ONE = [1] + [0] * 11
SLOT = 64


def is_one(pairs):
    """Whether the product of the pairings of these points of G1 and G2 is 1."""
    pairs = [(affine(p), lines_of(q)) for p, q in pairs]
    pairs = [(p, lines) for p, lines in pairs if p is not None]
    value = ONE
    for step, is_doubling in enumerate(steps()):
        if is_doubling:
            value = multiply(value, value)
        for p, lines in pairs:
            value = multiply(value, at(lines[step], p))
    # The exponent is (Q^6 + 1) / R times Q^6 - 1. The latter makes 1 of the elements of the field
    # of Q^6 elements, which are the polynomials in w^2, and of no others.
    return not any(power(value, (Q**6 + 1) // R)[1::2])


def steps():
    """The steps of Miller's loop, from the second bit of T on: double, and add if the bit is 1."""
    for bit in bin(Q - R)[3:]:
        yield True
        if bit == "1":
            yield False


@lru_cache(maxsize=64)
def lines_of(q):
    """The line of each step, by its slope and where it would be at x = 0, negated."""
    lines, point = [], q
    for is_doubling in steps():
        slope, total = chord(point, point if is_doubling else q)
        lines.append((slope, minus(times(slope, point[0]), point[1])))
        point = total
    return lines


def at(line, p):
    """The line at a point of G1: y - slope x w + rest w^3."""
    x, y = p
    (a, b), (c, d) = line
    value = [0] * 12
    value[0] = y
    value[1], value[7] = (9 * b - a) * x % Q, -b * x % Q
    value[3], value[9] = (c - 9 * d) % Q, d
    return value


def multiply(one, other):
    product = (pack(one) * pack(other)).to_bytes(24 * SLOT, "little")
    sums = [
        int.from_bytes(product[start : start + SLOT], "little")
        for start in range(0, 23 * SLOT, SLOT)
    ]
    for i in range(22, 11, -1):
        sums[i - 6] += 18 * sums[i]
        sums[i - 12] -= 82 * sums[i]
    return [number % Q for number in sums[:12]]


def pack(element):
    return int.from_bytes(b"".join(number.to_bytes(SLOT, "little") for number in element), "little")


def power(element, exponent):
    result = ONE
    for bit in bin(exponent)[2:]:
        result = multiply(result, result)
        if bit == "1":
            result = multiply(result, element)
    return result

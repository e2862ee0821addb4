"""The curve BN254 (amt 1): its groups and their encodings.

A point of G1 is kept as (X, Y, Z), where x = X / Z and y = Y / Z; infinity has Z = 0. One of G2 has
its coordinates x and y, each a pair (a, b) that stands for a + b u; infinity is None.
"""

from functools import lru_cache

from .errors import check

Q = 21888242871839275222246405745257275088696311157297823662689037894645226208583
R = 21888242871839275222246405745257275088548364400416034343698204186575808495617

INFINITY = (0, 1, 0)
GENERATOR_1 = (1, 2, 1)
GENERATOR_2 = (
    (
        10857046999023057135944570762232829481370756359578518086990519993285655852781,
        11559732032986387107991004021392285783925812861821192530917403151452391805634,
    ),
    (
        8495653923123431417604973247489272438418190587263600148770280649306958101930,
        4082367875863433681332203403145435568316851327593401208105741076214120093531,
    ),
)

# Flags in the last byte of an encoding.
LARGER, NOTHING = 0x80, 0x40


# G1


def add(one, other):
    """The sum of any two points: complete formulas (Renes, Costello, Batina 2016, algorithm 7)."""
    X1, Y1, Z1 = one
    X2, Y2, Z2 = other
    x, y, z = X1 * X2 % Q, Y1 * Y2 % Q, Z1 * Z2 % Q
    xy = ((X1 + Y1) * (X2 + Y2) - x - y) % Q
    yz = ((Y1 + Z1) * (Y2 + Z2) - y - z) % Q
    xz = ((X1 + Z1) * (X2 + Z2) - x - z) % Q
    plus, minus = y + 9 * z, y - 9 * z
    return (
        (xy * minus - 9 * xz * yz) % Q,
        (minus * plus + 27 * x * xz) % Q,
        (yz * plus + 3 * x * xy) % Q,
    )


def combine(terms):
    """The sum of points, each multiplied by its scalar, given as pairs (scalar, point)."""
    terms = [(scalar % R, point) for scalar, point in terms]
    total = INFINITY
    for bit in reversed(range(R.bit_length())):
        total = add(total, total)
        for scalar, point in terms:
            if scalar >> bit & 1:
                total = add(total, point)
    return total


def affine(point):
    """x and y of a point, or None for infinity."""
    X, Y, Z = point
    if Z == 0:
        return None
    inverse = pow(Z, -1, Q)
    return X * inverse % Q, Y * inverse % Q


@lru_cache(maxsize=4096)
def decode_g1(data):
    flags, x = read_flags(data)
    if flags == NOTHING:
        check(x == 0, "invalid_point")
        return INFINITY
    check(x < Q, "invalid_point")
    y = square_root((x**3 + 3) % Q)
    check(y is not None, "invalid_point")
    if (y > Q - y) != (flags == LARGER):
        y = Q - y
    return x, y, 1


def read_flags(data):
    """The flags, and the last 32 bytes as an integer without them."""
    flags = data[-1] & (LARGER | NOTHING)
    check(flags != LARGER | NOTHING, "invalid_point")
    number = int.from_bytes(data[-32:], "little")
    return flags, number & ~(flags << 248)


def square_root(number):
    """A number whose square this is, modulo Q, or None: Q is 3 modulo 4."""
    root = pow(number, (Q + 1) // 4, Q)
    return root if root * root % Q == number else None


# G2


def times(one, other):
    (a, b), (c, d) = one, other
    return (a * c - b * d) % Q, (a * d + b * c) % Q


def minus(one, other):
    return (one[0] - other[0]) % Q, (one[1] - other[1]) % Q


def plus(one, other):
    return (one[0] + other[0]) % Q, (one[1] + other[1]) % Q


def inverse_of(number):
    a, b = number
    inverse = pow(a * a + b * b, -1, Q)
    return a * inverse % Q, -b * inverse % Q


# y^2 = x^3 + TWIST_B
TWIST_B = times((3, 0), inverse_of((9, 1)))


def chord(one, other):
    """The slope of the line through two points of G2, or of the tangent, and their sum.

    Neither is infinity, and the line is not vertical.
    """
    (x1, y1), (x2, y2) = one, other
    if one == other:
        square = times(x1, x1)
        rise, run = plus(plus(square, square), square), plus(y1, y1)
    else:
        rise, run = minus(y2, y1), minus(x2, x1)
    slope = times(rise, inverse_of(run))
    x3 = minus(minus(times(slope, slope), x1), x2)
    return slope, (x3, minus(times(slope, minus(x1, x3)), y1))


def add_g2(one, other):
    if one is None or other is None:
        return one or other
    if one[0] == other[0] and plus(one[1], other[1]) == (0, 0):
        return None
    return chord(one, other)[1]


def multiply_g2(number, point):
    total = None
    for bit in reversed(range(number.bit_length())):
        total = add_g2(total, total)
        if number >> bit & 1:
            total = add_g2(total, point)
    return total


def encode_g2(point):
    (x0, x1), y = point
    flags = LARGER if is_larger(y) else 0
    return x0.to_bytes(32, "little") + (x1 | flags << 248).to_bytes(32, "little")


@lru_cache(maxsize=4096)
def decode_g2(data):
    """A point of G2 other than infinity."""
    flags, x1 = read_flags(data)
    x = int.from_bytes(data[:32], "little"), x1
    check(flags != NOTHING and max(x) < Q, "invalid_point")
    y = square_root_2(plus(times(x, times(x, x)), TWIST_B))
    check(y is not None, "invalid_point")
    if is_larger(y) != (flags == LARGER):
        y = minus((0, 0), y)
    check(multiply_g2(R, (x, y)) is None, "invalid_point")
    return x, y


def is_larger(y):
    """Whether y is larger than -y."""
    y0, y1 = y
    return y1 > Q - y1 or (y1 == 0 and y0 > Q - y0)


def square_root_2(number):
    """A pair whose square this is, or None.

    (c + d u)^2 = a + b u means that c^2 - d^2 = a and 2 c d = b, so that c^2 + d^2 is a root of
    a^2 + b^2, and c^2 is one of (a + root) / 2 and (a - root) / 2.
    """
    a, b = number
    root = square_root((a * a + b * b) % Q)
    if root is None:
        return None
    for sign in (1, -1):
        c = square_root((a + sign * root) * pow(2, -1, Q) % Q)
        if c is None:
            continue
        d = b * pow(2 * c, -1, Q) % Q if c else square_root(-a % Q)
        if d is not None and times((c, d), (c, d)) == (a, b):
            return c, d
    return None

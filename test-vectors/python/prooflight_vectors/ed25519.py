"""Ed25519 (RFC 8032), strict as chain 3 says: slow, and not for signing.

A point (x, y) of the curve -x^2 + y^2 = 1 + d x^2 y^2 is kept as (X, Y, Z, T), where x = X / Z,
y = Y / Z and T = X Y / Z, so that adding needs no division.
"""

from hashlib import sha512

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493  # the order of B
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def is_signed(public, message, signature):
    """Whether this is a signature of the message that counts."""
    A, R = decode_point(public), decode_point(signature[:32])
    S = int.from_bytes(signature[32:], "little")
    if A is None or R is None or S >= L:
        return False
    if has_small_order(A) or has_small_order(R):
        return False
    k = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % L
    return equal(multiply(S, B), add(R, multiply(k, A)))


def decode_point(data):
    """The point with this encoding, y and in the highest bit whether x is odd; None if none has."""
    number = int.from_bytes(data, "little")
    y, odd = number % 2**255, number >> 255
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT_OF_MINUS_1 % P
    if x * x % P != square or (x == 0 and odd):
        return None
    if x % 2 != odd:
        x = P - x
    return x, y, 1, x * y % P


def add(one, other):
    X1, Y1, Z1, T1 = one
    X2, Y2, Z2, T2 = other
    difference = (Y1 - X1) * (Y2 - X2)
    total = (Y1 + X1) * (Y2 + X2)
    t, z = 2 * D * T1 * T2, 2 * Z1 * Z2
    e, f, g, h = total - difference, z - t, z + t, total + difference
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(number, point):
    result = NEUTRAL
    while number:
        if number & 1:
            result = add(result, point)
        point = add(point, point)
        number >>= 1
    return result


def equal(one, other):
    X1, Y1, Z1, _ = one
    X2, Y2, Z2, _ = other
    return (X1 * Z2 - X2 * Z1) % P == 0 and (Y1 * Z2 - Y2 * Z1) % P == 0


def has_small_order(point):
    """Whether 8 times the point is nothing."""
    return equal(multiply(8, point), NEUTRAL)


# y is 4/5, and x is even.
B = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))

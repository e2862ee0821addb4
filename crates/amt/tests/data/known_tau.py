"""Writes known_tau.json: commitments and openings computed with py_ecc from the definitions, tau being known.

Run: python3 known_tau.py > known_tau.json (py_ecc 8). Polynomials are interpolated and divided by hand over the
scalar field, evaluated at tau, and the result multiplies the generator: no table, tree or transform is involved.
"""

import hashlib
import json

from py_ecc.bn128 import G1, G2, curve_order as r, field_modulus as q, multiply

TAU = int.from_bytes(hashlib.blake2b(b"prooflight/amt/dev-tau/v1").digest(), "little") % r
W28 = pow(5, (r - 1) >> 28, r)


def compress(point):
    if point is None:
        return bytes(31) + b"\x40"
    x, y = (int(c) for c in point)
    data = bytearray(x.to_bytes(32, "little"))
    data[31] |= 0x80 if y > q - y else 0
    return bytes(data)


def compress_g2(point):
    (x0, x1), (y0, y1) = ([int(c) for c in f.coeffs] for f in point)
    data = bytearray(x0.to_bytes(32, "little") + x1.to_bytes(32, "little"))
    data[63] |= 0x80 if (y1, y0) > (-y1 % q, -y0 % q) else 0
    return bytes(data)


def interpolate(values, w):
    """Coefficients of the polynomial with f(w^t) = values[t]."""
    n = len(values)
    inverse = pow(n, -1, r)
    return [sum(v * pow(w, -t * j, r) for t, v in enumerate(values)) * inverse % r for j in range(n)]


def divide(f, m, c):
    """Quotient and remainder of f by X^m - c."""
    f, quotient = list(f), [0] * max(0, len(f) - m)
    for j in range(len(f) - 1, m - 1, -1):
        quotient[j - m] = f[j]
        f[j - m] = (f[j - m] + c * f[j]) % r
    return quotient, f[:m]


def at_tau(f):
    return compress(multiply(G1, sum(a * pow(TAU, j, r) for j, a in enumerate(f)) % r)).hex()


def params_id(log_n):
    points = [G2] + [multiply(G2, pow(TAU, 2**j, r)) for j in range(log_n)]
    data = b"prooflight/amt/v1" + bytes([log_n]) + b"".join(map(compress_g2, points))
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def case(log_n, log_arity, versions, index):
    n, w = 2**log_n, pow(W28, 2 ** (28 - log_n), r)
    values = [sum(v << (40 * j) for j, v in enumerate(versions.get(t, []))) % r for t in range(n)]
    f = interpolate(values, w)
    x = pow(w, index, r)
    tree, rest = [], f
    for d in range(1, log_n // log_arity + 1):
        m = n >> (log_arity * d)
        quotient, rest = divide(rest, m, pow(x, m, r))
        tree.append(at_tau(quotient))
    assert rest == [values[index]]
    single, rest = divide(f, 1, x)
    assert rest == [values[index]]
    return {
        "logN": log_n,
        "logArity": log_arity,
        "versions": {str(t): v for t, v in versions.items()},
        "commitment": at_tau(f),
        "index": index,
        "tree": tree,
        "single": at_tau(single),
    }


VERSIONS = {0: [3, 1, 4, 1, 5, 9], 2: [2**40 - 1] * 6, 3: [0, 7], 6: [1], 7: [0, 0, 0, 0, 0, 1]}
DENSE = {t: [t + 1, 2 * t, 0, 2**39 + t] for t in range(16)}
print(
    json.dumps(
        {
            "paramsId": {str(k): params_id(k) for k in (1, 3, 4)},
            "cases": [
                case(3, 1, VERSIONS, 2),
                case(3, 3, VERSIONS, 5),
                case(4, 1, DENSE, 11),
                case(4, 2, DENSE, 11),
                case(4, 2, VERSIONS, 7),
                case(4, 4, DENSE, 0),
                case(6, 2, VERSIONS, 3),
                case(8, 4, DENSE, 13),
            ],
        },
        indent=1,
    )
)

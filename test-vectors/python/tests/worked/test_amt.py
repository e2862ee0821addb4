from prooflight_vectors import amt, amt_setup, bn254
from prooflight_vectors.bn254 import R

from .values import Values
from .vector import Vector, at_tau, divide, encode_g1


class Openings(Values):
    """amt 1 to 6: encodings, and points of one opening that are shifted against each other."""

    def test_points(self):
        self.check(
            "amt 1",
            {
                "infinity of G1": encode_g1(0),
                "generator of G1": encode_g1(1),
                "-[1]_1": encode_g1(-1),
                "[2]_1": encode_g1(2),
                "generator of G2": bn254.encode_g2(bn254.GENERATOR_2),
            },
        )

    def test_scalars(self):
        w = pow(5, (R - 1) >> 3, R)
        versions = b"".join(number.to_bytes(5, "little") for number in (3, 1, 4, 1, 5, 9))
        self.check(
            "amt 2",
            {
                "w for k = 3": w.to_bytes(32, "little"),
                "versions 3, 1, 4, 1, 5, 9": versions + bytes(2),
            },
        )

    def test_setups(self):
        self.check(
            "amt 3",
            {
                f"params_id of {name}, k = {k}": amt_setup.named_key(name, k).params_id()
                for name, k in (("dev", 3), ("ppot", 16))
            },
        )

    def test_shifted_points_hold(self):
        entries = {
            0: [3, 1, 4, 1, 5, 9],
            2: [2**40 - 1] * 6,
            3: [0, 7, 0, 0, 0, 0],
            6: [1, 0, 0, 0, 0, 0],
            7: [0, 0, 0, 0, 0, 1],
        }
        vector = Vector(3, {t: amt.value_of_entry(entry) for t, entry in entries.items()})
        honest = vector.open(2, 1)

        # s = 1, d = 1 and e = 2: m_1 = 4, m_2 = 2.
        tau, x, rest = amt_setup.DEV_TAU, vector.domain[2], list(vector.polynomial)
        rest[0] -= vector.entries[2]
        numbers = []
        for m in (4, 2, 1):
            quotient, rest = divide(rest, m, pow(x, m, R))
            numbers.append(at_tau(quotient))
        numbers[0] += pow(tau, 2, R) - pow(x, 2, R)
        numbers[1] -= pow(tau, 4, R) - pow(x, 4, R)
        shifted = [encode_g1(number) for number in numbers]
        self.assertEqual([honest[2]], shifted[2:])
        key = amt_setup.named_key("dev", 3)
        opening = amt.Opening(1, vector.commitment(), 2, vector.entries[2], shifted)
        amt.verify_openings(key, [opening])

        single = vector.open(2, 3)
        tree = opening._replace(points=honest)
        seed = amt.seed_of(key, [tree, tree._replace(log_arity=None, points=single)])
        self.check(
            "amt 6",
            {
                "params_id": key.params_id(),
                "C": vector.commitment(),
                "a": vector.entries[2].to_bytes(32, "little"),
                **{f"q_{d}, b=1": point for d, point in enumerate(honest, 1)},
                "single": single[0],
                **{f"q_{d}, shifted": point for d, point in enumerate(shifted[:2], 1)},
                "seed": seed,
                "r_1, LE": amt.coefficient(seed, 1).to_bytes(16, "little"),
            },
        )
        for points in (shifted[:1] + honest[1:], honest[:1] + shifted[1:]):
            with self.assertRaises(Exception) as caught:
                amt.verify_openings(key, [opening._replace(points=points)])
            self.assertEqual(caught.exception.reason, "opening_mismatch")

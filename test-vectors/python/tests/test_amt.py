"""Vector commitments: the curve, the pairing, and amt 6's example."""

import json
import re
import unittest
from hashlib import blake2b

from prooflight_vectors import amt, amt_setup, bn254
from prooflight_vectors import VECTORS
from prooflight_vectors.amt import Opening
from prooflight_vectors.bn254 import GENERATOR_1, GENERATOR_2, INFINITY, Q, R, combine
from prooflight_vectors.errors import Refusal
from prooflight_vectors.pairing import is_one

from refused import Refused

ONE = b"\x01" + bytes(31)


def of_g1(number):
    return combine([(number, GENERATOR_1)])


class Curve(unittest.TestCase):
    def test_groups(self):
        three = combine([(1, GENERATOR_1), (1, of_g1(2))])
        self.assertEqual(bn254.affine(three), bn254.affine(of_g1(3)))
        self.assertEqual(bn254.affine(of_g1(R + 1)), (1, 2))
        self.assertIsNone(bn254.affine(bn254.add(of_g1(5), of_g1(-5))))
        self.assertIsNone(bn254.affine(combine([])))
        # [r - 1] is -1, from which the generator makes infinity.
        x, y = GENERATOR_2
        self.assertEqual(bn254.multiply_g2(R - 1, GENERATOR_2), (x, bn254.minus((0, 0), y)))
        self.assertIsNone(bn254.multiply_g2(R, GENERATOR_2))

    def test_pairing(self):
        g2 = bn254.multiply_g2(11, GENERATOR_2)
        for a, b, holds in ((7, -77, True), (7, 77, False), (7, -76, False), (0, 0, True)):
            with self.subTest(a=a, b=b):
                self.assertEqual(is_one([(of_g1(a), g2), (of_g1(b), GENERATOR_2)]), holds)
        self.assertTrue(is_one([]))
        self.assertTrue(is_one([(INFINITY, g2)]))
        self.assertFalse(is_one([(GENERATOR_1, GENERATOR_2)]))

    def test_encodings_of_g2(self):
        for number in range(1, 9):
            point = bn254.multiply_g2(number, GENERATOR_2)
            encoded = bn254.encode_g2(point)
            self.assertEqual(bn254.decode_g2(encoded), point)
            other = encoded[:-1] + bytes([encoded[-1] ^ 0x80])
            self.assertEqual(bn254.decode_g2(other), (point[0], bn254.minus((0, 0), point[1])))

    def test_square_roots(self):
        for square in ((0, 0), (4, 0), (Q - 4, 0), (3, 4), (0, 2)):
            with self.subTest(square=square):
                root = bn254.square_root_2(square)
                self.assertEqual(bn254.times(root, root), square)
        # Else the curve of G2 would have points at x = 0.
        self.assertIsNone(bn254.square_root_2(bn254.TWIST_B))

    def test_points_outside_the_subgroup(self):
        outside = 0
        for x0 in range(8):
            y = bn254.square_root_2(bn254.plus((x0**3, 0), bn254.TWIST_B))
            if y is not None:
                outside += 1
                with self.assertRaises(Refusal):
                    bn254.decode_g2(bn254.encode_g2(((x0, 0), y)))
        self.assertGreater(outside, 0)


class Setups(unittest.TestCase):
    def test_constants(self):
        self.assertEqual(
            amt_setup.DEV_TAU,
            6170730966438233053100359098901260228951793120443488243138757508556554699566,
        )
        self.assertEqual(
            amt.ROOT_OF_UNITY,
            19103219067921713944291392827692070036145651957329286315305642004821462161904,
        )
        self.assertNotEqual(pow(amt.ROOT_OF_UNITY, 2**27, R), 1)

    def test_ppot(self):
        self.assertEqual(
            amt_setup.named_key("ppot", 16).params_id().hex(),
            "8d2ff33c23f74b229112b732194bf73906bb5a53a0ee46a6594329e960911036",
        )

    def test_published_points_and_ids(self):
        generator = bn254.encode_g2(GENERATOR_2)
        for name in ("dev", "ppot"):
            setup = amt_setup.published(name)
            powers = [bytes.fromhex(power[2:]) for power in setup["powers"]]
            self.assertEqual([len(power) for power in powers], 28 * [64])
            self.assertEqual(len(setup["paramsIds"]), 28)
            for k, params_id in enumerate(setup["paramsIds"], 1):
                key = b"prooflight/amt/v1" + bytes([k]) + generator + b"".join(powers[:k])
                self.assertEqual("0x" + blake2b(key, digest_size=32).hexdigest(), params_id)
        for j, power in enumerate(amt_setup.published("dev")["powers"]):
            self.assertEqual("0x" + bn254.encode_g2(amt_setup.dev_power(j)).hex(), power, j)

    def test_nothing_but_test_vectors_is_needed(self):
        """Every setup that a valid vector names stands beside the specification."""
        ids = {i for name in ("dev", "ppot") for i in amt_setup.published(name)["paramsIds"]}
        named = set()
        for path in ("amt/opening", "lvmt/proof", "chain/state_answer_schemes"):
            text = (VECTORS / f"{path}.json").read_text(encoding="utf-8")
            for group in json.loads(text)["testGroups"]:
                for test in group["tests"]:
                    if test["result"] == "valid":
                        found = re.findall(r'"paramsId": "(0x\w+)"', json.dumps(test))
                        named.update(params_id.lower() for params_id in found)
        self.assertGreater(len(named), 5)
        self.assertLessEqual(named, ids)

    def test_a_key_is_its_encoding(self):
        key = amt_setup.named_key("ppot", 2)
        self.assertEqual(amt_setup.decode_key(key.encode()), key)


C = "cc3be7cf09e10a9c2b5f0786df3d882882905d9db292c114e8fffb34d5cc0e28"
P = "fb4aead326ca64286aede6a4e7e348b65834fa944140c73ba369ae8a63ba9797"


class Example(Refused):
    """amt 6."""

    KEY = amt_setup.named_key("dev", 3)
    TREE = Opening(
        log_arity=1,
        commitment=bytes.fromhex(C),
        index=2,
        value=amt.value_of_entry([2**40 - 1] * 6),
        points=[
            bytes.fromhex("04a4da7d89979bfceaec3fa25323ca7bfb49f6cc37efd0d995ae8cfc08ce75a8"),
            bytes.fromhex("836128d834fe7968e39344255c4f52d7c5d35d2c73dea9fc78d653159fc5ac96"),
            bytes.fromhex("cc665d80d01de3267e0828eec310a5f802b8e659f2d7c530129a4d3b7658cb25"),
        ],
    )
    SINGLE = TREE._replace(log_arity=None, points=[bytes.fromhex(P)])

    def test_hashes(self):
        self.assertEqual(
            self.KEY.params_id().hex(),
            "9c1d9550e4ab28669197fedac92e0fdf24125b82587d85b65e6010b54d6d9ac9",
        )
        seed = amt.seed_of(self.KEY, [self.TREE, self.SINGLE])
        self.assertEqual(
            seed.hex(), "3d0a0e8c64b0b545a504e7dbbea19105c6d421cb7689e452d33c5d71968b3294"
        )
        r_1 = amt.coefficient(seed, 1).to_bytes(16, "little")
        self.assertEqual(r_1.hex(), "da9e451ca11913a087becaf3bb17f192")

    def test_openings(self):
        amt.verify_openings(self.KEY, [])
        amt.verify_openings(self.KEY, [self.TREE, self.SINGLE])
        # A tree of one level is the same as a single opening.
        amt.verify_openings(self.KEY, [self.SINGLE._replace(log_arity=3)])

    def test_of_a_batch_none_may_be_wrong(self):
        for wrong in (
            self.TREE._replace(index=3),
            self.SINGLE._replace(value=self.SINGLE.value + 1),
            self.SINGLE._replace(points=[ONE]),
            self.SINGLE._replace(commitment=ONE),
        ):
            with self.subTest(wrong=wrong):
                openings = [self.TREE, self.SINGLE, wrong]
                self.refused("opening_mismatch", amt.verify_openings, self.KEY, openings)


if __name__ == "__main__":
    unittest.main()

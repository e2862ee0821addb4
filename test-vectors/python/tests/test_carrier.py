"""How JSON carries things: what is read, and that nothing else is."""

import unittest

from prooflight_vectors import carrier
from prooflight_vectors.errors import Refusal


class Carrier(unittest.TestCase):
    def refused(self, read, *values):
        for value in values:
            with self.subTest(value=value), self.assertRaises(Refusal) as caught:
                read(value)
            self.assertEqual(caught.exception.reason, "invalid_argument")
            self.assertEqual(caught.exception.code, "invalid_input")

    def test_bytes(self):
        self.assertEqual(carrier.read_bytes("0x"), b"")
        self.assertEqual(carrier.read_bytes("0x00fF"), b"\x00\xff")
        self.assertEqual(carrier.read_bytes("0xAb"), b"\xab")

    def test_what_is_not_bytes(self):
        self.refused(
            carrier.read_bytes,
            "", "00", "0", "x00", "0X00", "0x0", "0x000", "0xgg", "0x00 ", " 0x00", "0x 00",
            "0x00\n", "0x0_0", "0x٠٠", "0x\ud800", None, 0, True, [], ["0x"], {},
        )  # fmt: skip

    def test_numbers(self):
        self.assertEqual(carrier.read_number(0), 0)
        self.assertEqual(carrier.read_number(2**32 - 1), 2**32 - 1)

    def test_what_is_not_a_number(self):
        self.refused(
            carrier.read_number,
            -1, 2**32, 2**64, 1.5, float("inf"), True, False, "1", "0x1", None, [], {},
        )  # fmt: skip

    def test_narrower_numbers(self):
        self.assertEqual((carrier.read_u8(255), carrier.read_u16(65535)), (255, 65535))
        self.refused(carrier.read_u8, 256, -1, True, "1")
        self.refused(carrier.read_u16, 65536, -1, True, "1")

    def test_quantities(self):
        for number in (0, 1, 10, 16, 2**53 + 1, 2**64 - 1):
            self.assertEqual(carrier.read_quantity(hex(number)), number)
            self.assertEqual(carrier.write_quantity(number), hex(number))
        self.assertEqual(carrier.read_quantity("0xAb"), 0xAB)

    def test_what_is_not_a_quantity(self):
        self.refused(
            carrier.read_quantity,
            "", "0", "1", "0x", "0X1", "0x00", "0x01", "-0x1", "0x-1", "0x+1", "0xg", "0x1 ",
            " 0x1", "0x1\n", "0x1_0", "0x١", hex(2**64), "0x" + "f" * 10000, 0, 1, True, None, [], {},
        )  # fmt: skip

    def test_hashes(self):
        self.assertEqual(carrier.read_hash("0x" + "ab" * 32), b"\xab" * 32)
        digits = "ab" * 31
        self.refused(carrier.read_hash, "0x", "0x" + digits, f"0x{digits}abab", f"{digits}ab", None)

    def test_texts(self):
        self.assertEqual(carrier.read_text("a\u00df\U0001d11e"), b"a\xc3\x9f\xf0\x9d\x84\x9e")
        self.refused(carrier.read_text, "\ud800", "\udd1e\ud834", None, 0, [], ["a"], {})

    def test_no_other_members(self):
        carrier.check_names({}, ("a",))
        carrier.check_names({"a": None}, ("a", "b"))
        self.refused(
            lambda value: carrier.check_names(value, ("a",)),
            {"A": 1}, {"a": 1, "b": 1}, {"": 1}, [], ["a"], "a", None, 0,
        )  # fmt: skip

    def test_signed(self):
        for number in (0, 1, -1, 10, 2**63 - 1, -(2**63)):
            self.assertEqual(carrier.read_signed(str(number)), number)

    def test_what_is_not_signed(self):
        self.refused(
            carrier.read_signed,
            "", "-", "+1", "01", "-01", "00", "-0", "1.0", "1e3", "0x1", "1_0", " 1", "1 ", "1\n",
            "١", str(2**63), str(-(2**63) - 1), "9" * 19, "1" + "0" * 10000, 1, -1, None, True, [],
        )  # fmt: skip

    def test_names(self):
        self.assertEqual(carrier.read_name("compat", ("strict", "compat")), "compat")
        self.refused(
            lambda value: carrier.read_name(value, ("strict", "compat")),
            "", "Strict", "strict ", None, 0, [], ["strict"], {},
        )  # fmt: skip

    def test_members(self):
        self.assertEqual(carrier.read_member({"a": 1}, "a", carrier.read_number), 1)
        self.assertEqual(carrier.read_member({"a": 1}, "a", carrier.read_number, default=2), 1)
        self.assertEqual(carrier.read_member({}, "a", carrier.read_number, default=2), 2)
        self.assertIsNone(carrier.read_member({}, "a", carrier.read_number, default=None))
        self.refused(
            lambda value: carrier.read_member(value, "a", carrier.read_number),
            {}, {"b": 1}, {"a": None}, {"a": "1"}, [], ["a"], "a", None, 0,
        )  # fmt: skip

    def test_a_member_of_null_is_not_left_out(self):
        self.refused(
            lambda value: carrier.read_member(value, "a", carrier.read_number, default=2),
            {"a": None},
        )

    def test_arrays(self):
        self.assertEqual(carrier.read_array([], carrier.read_number), [])
        self.assertEqual(carrier.read_array([1, 2], carrier.read_number), [1, 2])
        self.refused(
            lambda value: carrier.read_array(value, carrier.read_number),
            None, 0, "", "ab", {}, {"0": 1}, [1, "2"], [[1]],
        )  # fmt: skip


class Same(unittest.TestCase):
    def test_equal_things_in_either_case(self):
        for expected, found in (
            ("0xAB", "0xab"),
            ("0x", "0x"),
            ("0xF", "0xf"),
            (None, None),
            (["0x01", None], ["0x01", None]),
            ({"previous": None, "next": "0xFF"}, {"next": "0xff", "previous": None}),
            ([], []),
        ):
            with self.subTest(expected=expected):
                self.assertTrue(carrier.same(expected, found))

    def test_different_things(self):
        for expected, found in (
            ("0xab", "0xac"),
            ("0xab", "0xab00"),
            ("0Xab", "0xab"),
            ("ab", "0xab"),
            ("0x0f", "0xf"),
            ("0x", None),
            (None, "0x"),
            ("", None),
            (0, None),
            (False, None),
            ([], None),
            (["0x01"], ["0x01", "0x02"]),
            (["0x01", "0x02"], ["0x01"]),
            (["0x02", "0x01"], ["0x01", "0x02"]),
            ("0x01", ["0x01"]),
            (["0x01"], "0x01"),
            ({}, {"previous": None}),
            ({"previous": None, "next": None}, {"previous": None}),
            ({"previous": "0x01"}, {"previous": None}),
            (["previous"], {"previous": None}),
            (None, {"previous": None}),
        ):
            with self.subTest(expected=expected, found=found):
                self.assertFalse(carrier.same(expected, found))


if __name__ == "__main__":
    unittest.main()

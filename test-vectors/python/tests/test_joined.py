"""Long bytes and arrays by their parts (vectors 1)."""

import unittest

from prooflight_vectors.joined import MAX_BYTES, MAX_ITEMS, JoinedError, join_all


def repeat(text, times):
    return {"joined": [{"repeat": text, "times": times}]}


class Joined(unittest.TestCase):
    def test_parts_are_joined_wherever_they_are(self):
        joined = {"joined": ["0xAb", {"repeat": "0x0102", "times": 3}, "0x", "0x03"]}
        nothing = repeat("0x", 2**32 - 1)
        found = join_all({"a": [joined, {"b": nothing, "repeat": "0x00"}], "c": "0x"})
        self.assertEqual(
            found, {"a": ["0xAb01020102010203", {"b": "0x", "repeat": "0x00"}], "c": "0x"}
        )

    def test_items_are_joined_too(self):
        joined = {"joined": [{"repeat": [1, {}], "times": 2}, [], [None]]}
        self.assertEqual(join_all({"a": joined}), {"a": [1, {}, 1, {}, None]})

    def test_other_forms_are_refused(self):
        for value in (
            {"joined": "0x00"},
            {"joined": [None]},
            {"joined": ["00"]},
            {"joined": ["0x0"]},
            {"joined": [["0x00"], "0x00"]},
            {"joined": ["0x00", ["0x00"]]},
            {"joined": [[{"joined": []}]]},
            repeat([0], -1),
            {"joined": [{"repeat": "0x00"}]},
            {"joined": [{"times": 1}]},
            {"joined": [{"repeat": "0x00", "times": 1, "more": 1}]},
            {"joined": [], "more": 1},
            repeat("0x00", -1),
            repeat("0x00", 1.5),
            repeat("0x00", "1"),
            repeat("0x00", True),
            repeat("0x00", 2**32),
            repeat({"joined": []}, 1),
        ):
            with self.subTest(value), self.assertRaises(JoinedError):
                join_all([value])

    def test_an_input_has_at_most_16_mib_of_them(self):
        half = repeat("0x0000", MAX_BYTES // 4)
        self.assertEqual(len(join_all([half, half])[1]), 2 + MAX_BYTES)
        for times in (MAX_BYTES // 4 + 1, 2**32 - 1):
            with self.subTest(times), self.assertRaises(JoinedError):
                join_all([half, repeat("0x0000", times)])

    def test_an_input_has_at_most_131072_items_of_them(self):
        half = repeat([0, 0], MAX_ITEMS // 4)
        self.assertEqual(len(join_all([half, half])[1]), MAX_ITEMS // 2)
        for times in (MAX_ITEMS // 4 + 1, 2**32 - 1):
            with self.subTest(times), self.assertRaises(JoinedError):
                join_all([half, repeat([0, 0], times)])


if __name__ == "__main__":
    unittest.main()

"""Inputs written as edits of another test's (vectors 2)."""

import unittest

from edits import EditError, apply_edits

BASE = {"a": "0x0001Fe", "b": [1, {"c": None}], "d": "é"}


class Edits(unittest.TestCase):
    def test_edits_change_what_they_say(self):
        for edit, changed in (
            ({"at": ["a"], "set": 2}, {"a": 2}),
            ({"at": ["b", 1, "x"], "set": []}, {"b": [1, {"c": None, "x": []}]}),
            ({"at": ["b", 0], "set": None}, {"b": [None, {"c": None}]}),
            ({"at": ["b", 1, "c"], "remove": True}, {"b": [1, {}]}),
            ({"at": ["a"], "from": 1, "cut": 1, "put": "0x5a5B"}, {"a": "0x005a5BFe"}),
            ({"at": ["a"], "from": 3, "cut": 0, "put": "0x00"}, {"a": "0x0001Fe00"}),
            ({"at": ["b"], "from": 0, "cut": 2, "put": [7]}, {"b": [7]}),
        ):
            with self.subTest(edit):
                self.assertEqual(apply_edits(BASE, [edit]), BASE | changed)
        self.assertEqual(BASE, {"a": "0x0001Fe", "b": [1, {"c": None}], "d": "é"})

    def test_edits_follow_one_another(self):
        edits = [{"at": ["b"], "set": [0]}, {"at": ["b", 0], "set": 1}, {"at": ["a"], "remove": True}]
        self.assertEqual(apply_edits(BASE, edits), {"b": [1], "d": "é"})

    def test_edits_that_do_not_fit_are_refused(self):
        for edit in (
            {"at": [], "set": {}},
            {"at": ["b", 2], "set": 0},
            {"at": ["b", "0"], "set": 0},
            {"at": ["b", True], "set": 0},
            {"at": [0], "set": 0},
            {"at": ["a", "x"], "set": 0},
            {"at": ["x", "x"], "set": 0},
            {"at": ["a"], "set": 0, "remove": True},
            {"at": ["x"], "remove": True},
            {"at": ["a"], "remove": False},
            {"at": ["b", 0], "remove": True},
            {"at": [], "remove": True},
            {"at": ["a"], "from": 4, "cut": 0, "put": "0x"},
            {"at": ["a"], "from": 2, "cut": 2, "put": "0x"},
            {"at": ["a"], "from": 0, "cut": 1, "put": "0x0"},
            {"at": ["a"], "from": 0, "cut": 1, "put": []},
            {"at": ["a"], "from": -1, "cut": 1, "put": "0x"},
            {"at": ["a"], "from": 0, "put": "0x"},
            {"at": ["b"], "from": 1, "cut": 2, "put": []},
            {"at": ["d"], "from": 0, "cut": 1, "put": "0x"},
            {"at": ["a"]},
            [["a"], 0],
        ):
            with self.subTest(edit), self.assertRaises(EditError):
                apply_edits(BASE, [edit])


if __name__ == "__main__":
    unittest.main()

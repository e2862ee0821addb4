import unittest

from prooflight_vectors.errors import Refusal


class Refused(unittest.TestCase):
    def refused(self, reason, function, *arguments):
        with self.assertRaises(Refusal) as caught:
            function(*arguments)
        self.assertEqual(caught.exception.reason, reason)

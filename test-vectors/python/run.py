"""Runs test vectors through the independent verifier: python3 run.py [-v] [FILE…]

Needs nothing but Python 3.9 or later. Without files it runs all vectors of test-vectors/.
"""

import sys

from prooflight_vectors.__main__ import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

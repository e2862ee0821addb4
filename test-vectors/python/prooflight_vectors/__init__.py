"""A verifier of Prooflight's formats, written from test-vectors/spec and nothing else.

It shares no code with the other implementations and is slow, but plain: read it beside the
specification, whose names and order of steps it keeps. "avl 7" is section 7 of spec/avl.md.
"""

from pathlib import Path

# The folder of the vectors, for tests.
VECTORS = Path(__file__).resolve().parents[2]

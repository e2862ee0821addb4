"""A verifier of Prooflight's formats, written from test-vectors/SPEC.md and nothing else.

It shares no code with the other implementations and is slow, but plain: read it beside SPEC.md,
whose names and order of steps it keeps. "Section" in a comment is a section of that file.
"""

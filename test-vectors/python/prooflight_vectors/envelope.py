"""The envelope of formats of our own (conventions 3)."""

from .errors import check

VERSION = 1
LVMT, SMT, LMPT, AMB = 2, 3, 5, 6


def open_envelope(data, scheme, kind, limits):
    """Returns the body of a message of this scheme and kind."""
    check(len(data) <= limits.proof_bytes, "proof_too_large")
    for position, (wanted, reason) in enumerate(
        ((VERSION, "unknown_version"), (scheme, "unknown_scheme"), (kind, "unknown_kind"))
    ):
        check(position < len(data), "truncated")
        check(data[position] == wanted, reason)
    return data[3:]

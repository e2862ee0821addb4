"""Answers about the state of a chain, by scheme (chain 7)."""

from importlib import import_module

from .errors import check
from .schemes import IDS, STATE_SCHEMES

# The module of each scheme has its `verify_values`.
MODULES = {scheme: import_module(f".{scheme}", __package__) for scheme in STATE_SCHEMES}


def verify_values(
    scheme, header, config, keys, proof, insecure_allowed=False, key_bytes=None, head=None
):
    """Returns what each raw key has after an accepted header: its value, or None, the height of the
    block that changed it, and how often it was written; the latter two are None where none is shown.
    Of lmpt, the layer's name follows. For amb the root is that of `head`, by default the header.
    """
    block, header = header, head if scheme == "amb" and head is not None else header
    root = root_of(scheme, header)
    check(root is not None, "wrong_schemes")
    check(IDS[scheme] in config.scheme_ids(), "wrong_schemes")
    for key in keys:
        check(len(key) <= config.limits.max_key, "key_length")
    if scheme == "amb":
        return MODULES[scheme].verify_values(root, header, config, keys, proof, block.height)
    verify = MODULES[scheme].verify_values
    return verify(root, header, config, keys, proof, insecure_allowed, key_bytes)


def root_of(scheme, header):
    return dict(header.roots).get(IDS[scheme])

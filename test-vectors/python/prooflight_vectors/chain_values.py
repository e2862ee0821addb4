"""Answers about the state of a chain, by scheme (chain 7)."""

from . import avl, lvmt, smt
from .amt_setup import known_key
from .errors import check
from .merkle import hash_of
from .mpt import Limits
from .schemes import IDS


def verify_values(scheme, header, config, keys, proof, insecure_allowed=False):
    """Returns the value of each raw key in the state after an accepted header, or None."""
    root = root_of(scheme, header)
    check(root is not None, "wrong_schemes")
    check(scheme != "lvmt" or config.lvmt() is not None, "wrong_schemes")
    for key in keys:
        check(len(key) <= config.limits.max_key, "key_length")
    if scheme == "avl":
        return avl_values(root, config.limits, keys, proof)
    limits = Limits()._replace(value_bytes=config.limits.max_value)
    if scheme == "lvmt":
        params_id, log_n, log_arity = config.lvmt()
        params = lvmt.Params(known_key(params_id, log_n), log_arity, insecure_allowed)
        roots = lvmt.Roots(root[:32], root[32:], header.height)
        results = lvmt.verify(params, roots, keys, proof, limits)
        return [None if result is None else result.value for result in results]
    answers = smt.verify_keys(root, header.height, keys, proof, limits)
    return [answer.value for answer in answers]


def root_of(scheme, header):
    return dict(header.roots).get(IDS[scheme])


def avl_values(digest, limits, keys, proof):
    default = avl.Limits()
    most = min(limits.max_ops, default.operations)
    params = avl.Params(
        key_length=32,
        limits=default._replace(operations=most, value_bytes=limits.max_value),
    )
    lookups = [avl.Operation("Lookup", hash_of_key(key)) for key in keys]
    return avl.verify_batch(digest, lookups, proof, params).results


def hash_of_key(key):
    """The key of a raw key in the AVL+ dictionary (chain 5)."""
    return hash_of(key)

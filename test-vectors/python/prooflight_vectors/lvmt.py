"""Proofs of LVMT (lvmt 1 to 5), and the group LvmtProof (vectors 14)."""

from itertools import groupby
from typing import NamedTuple, Optional

from .amt import Opening, number_of_points, value_of_entry, verify_openings
from .amt_setup import VerifyingKey, trusted_key
from .carrier import (
    check_names,
    read_array,
    read_boolean,
    read_bytes,
    read_hash,
    read_member,
    read_quantity,
    read_u8,
    write_bytes,
    write_quantity,
)
from .errors import check
from .keccak import keccak256
from .lvmt_proof import decode_proof
from .merkle import root_of_known
from .mpt import Limits, read_limits
from .reader import Queue

# However high the caller's limit is.
MAX_KEYS = 65536


class Params(NamedTuple):
    """What a chain fixes."""

    key: VerifyingKey
    log_arity: int
    insecure_allowed: bool = False

    @property
    def log_n(self):
        return self.key.k

    @property
    def levels(self):
        return 256 // self.log_n


class Roots(NamedTuple):
    aroot: bytes
    hroot: bytes
    height: int


class Result(NamedTuple):
    """`value` is None if the key was deleted; `version` is how many blocks have written it."""

    value: Optional[bytes]
    block: int
    version: int


# lvmt 1 and lvmt 2: names, leaves and trees


def name_of(key_hash, number):
    """The first bits of a key hash, as an integer."""
    return int.from_bytes(key_hash, "big") >> (256 - number)


def leaf_of_key(level, slot, version, key_hash, value_hash):
    """The data of the leaf of a key; `value_hash` is None for a tombstone."""
    head = bytes([0, level, slot]) + version.to_bytes(8, "big") + key_hash
    return head + (b"\x00" + bytes(32) if value_hash is None else b"\x01" + value_hash)


def leaf_of_amt(level, prefix, version, commitment):
    return bytes([1, level]) + prefix + version.to_bytes(8, "big") + commitment


def hash_of(*parts):
    return keccak256(b"".join(parts))


def leaf_hash(data):
    return hash_of(b"\x00", data)


# lvmt 5: Verification


def verify(params, roots, keys, data, limits):
    """Returns a Result for each key, or None for those that were never written."""
    check(params.insecure_allowed or not params.key.is_insecure(), "insecure_setup")
    log_n, log_arity = params.log_n, params.log_arity
    check(log_n <= 16 and log_arity and log_n % log_arity == 0, "invalid_argument")
    check(roots.height < 2**64 - 1, "invalid_argument")
    check(len(keys) <= min(limits.keys, MAX_KEYS), "too_many_keys")

    proof = decode_proof(data, limits)

    key_hashes = [keccak256(key) for key in keys]
    distinct = sorted(set(key_hashes))
    check(len(proof.claims) == len(distinct), "claim_count")
    for claim in proof.claims:
        if claim.level is not None:
            check(claim.value is None or len(claim.value) <= limits.value_bytes, "value_too_large")
            check(1 <= claim.slot <= 5, "invalid_slot")
            check(claim.level < params.levels, "level_out_of_range")

    walk = Walk(params, roots, dict(zip(distinct, proof.claims)), proof)
    walk.run()
    check_leaves(walk.leaves, proof, roots)
    check_nodes(walk.trees, log_arity)
    verify_openings(params.key, walk.openings)
    return [walk.results.get(key_hash) for key_hash in key_hashes]


class Walk:
    """Steps 4 and 5. Gathers the leaves, as pairs (place, data), the openings and the results.

    `trees` has the tree openings again, by AMTs: an AMT's level and name, an index, points.
    """

    def __init__(self, params, roots, claims, proof):
        self.params = params
        self.aroot = roots.aroot
        self.claims = claims
        self.entries = Queue(proof.entries, "entry_count")
        self.amts = Queue(proof.amts, "amt_count")
        self.points = Queue(proof.points, "opening_length")
        self.owners = Queue(proof.owners, "owner_count")
        self.leaves = []
        self.openings = []
        self.trees = []
        self.results = {}

    def run(self):
        # By its hash each walking key has the version 0 of the entry that it comes from.
        walking = dict.fromkeys(sorted(self.claims))
        level = 0
        while walking:
            check(level < self.params.levels, "level_out_of_range")
            further = {}
            for name, keys in groupby(walking, lambda it: self.name_of_amt(level, it)):
                keys = list(keys)
                further.update(self.pass_amt(level, name, keys, walking[keys[0]]))
            walking = further
            level += 1
        self.entries.finish()
        self.amts.finish()
        self.points.finish()
        self.owners.finish()

    def name_of_amt(self, level, key_hash):
        return name_of(key_hash, self.params.log_n * level)

    def pass_amt(self, level, name, keys, version):
        """Returns the keys that walk on, each with version 0 of its entry."""
        commitment, is_tree = self.aroot, True
        if level > 0:
            commitment, place, is_tree = self.amts.take()
            prefix = name.to_bytes((self.params.log_n * level + 7) // 8, "big")
            self.leaves.append((place, leaf_of_amt(level, prefix, version, commitment)))
        further = {}
        for name, of_entry in groupby(keys, lambda it: self.name_of_amt(level + 1, it)):
            versions = self.entries.take()
            check_entry(versions)
            index = name % 2**self.params.log_n
            points = self.open(commitment, index, versions, is_tree)
            if is_tree:
                self.trees.append(((level, name >> self.params.log_n), index, points))
            walking_on = self.pass_entry(level, name, versions, list(of_entry))
            further.update(dict.fromkeys(walking_on, versions[0]))
        return further

    def open(self, commitment, index, versions, is_tree):
        log_arity = self.params.log_arity if is_tree else None
        number = number_of_points(log_arity, self.params.log_n)
        points = self.points.take_many(number)
        value = value_of_entry(versions)
        self.openings.append(Opening(log_arity, commitment, index, value, points))
        return points

    def pass_entry(self, level, name, versions, keys):
        """Returns the keys that walk on."""
        taken, further = set(), []
        for key_hash in keys:
            claim = self.claims[key_hash]
            if claim.level == level:
                version = versions[claim.slot]
                check(version, "slot_free")
                check(claim.slot not in taken, "slot_taken")
                taken.add(claim.slot)
                value_hash = None if claim.value is None else keccak256(claim.value)
                leaf = leaf_of_key(level, claim.slot, version, key_hash, value_hash)
                self.leaves.append((claim.place, leaf))
                self.results[key_hash] = Result(claim.value, claim.place.block, version)
            elif claim.level is not None:
                check(versions[0], "no_child")
                further.append(key_hash)
            elif versions[0]:
                further.append(key_hash)
        if any(self.claims[key_hash].level is None for key_hash in keys):
            for slot in range(1, 6):
                if versions[slot] and slot not in taken:
                    self.pass_owner(level, name, slot, versions[slot])
        return further

    def pass_owner(self, level, name, slot, version):
        owner = self.owners.take()
        check(owner.key_hash not in self.claims, "owner_requested")
        check(self.name_of_amt(level + 1, owner.key_hash) == name, "owner_elsewhere")
        check(1 <= owner.version <= version, "owner_version")
        leaf = leaf_of_key(level, slot, owner.version, owner.key_hash, owner.value_hash)
        self.leaves.append((owner.place, leaf))


def check_entry(versions):
    child, *slots = versions
    occupied = sum(version > 0 for version in slots)
    check(all(slots[:occupied]), "invalid_entry")
    check(child == 0 or occupied == 5, "invalid_entry")


def check_leaves(leaves, proof, roots):
    """Step 6."""
    places = [place for place, _ in leaves]
    check(len(set(places)) == len(places), "place_twice")
    leaves = sorted((place, leaf_hash(data)) for place, data in leaves)
    sizes, hashes = Queue(proof.sizes, "size_count"), Queue(proof.hashes, "path_length")
    blocks = {}
    for block, group in groupby(leaves, lambda leaf: leaf[0].block):
        known = {place.index: hash_ for place, hash_ in group}
        root = root_of_known(sizes.take(), known, hashes, hash_of)
        blocks[block] = leaf_hash(block.to_bytes(8, "big") + root)
    sizes.finish()
    root = root_of_known(roots.height + 1, blocks, hashes, hash_of) if blocks else None
    hashes.finish()
    check(root in (None, roots.hroot), "root_mismatch")


def check_nodes(trees, log_arity):
    """Step 7."""
    nodes = {}
    for amt, index, points in trees:
        for d, point in enumerate(points, 1):
            node = (amt, d, index % 2 ** (log_arity * d))
            check(nodes.setdefault(node, point) == point, "opening_mismatch")


# vectors 14: LvmtProof


def verify_input(test_input):
    """Verifies the `input` of a test."""
    names = ("paramsId", "logN", "logArity", "allowInsecureSetup", "roots", "keys", "proof")
    check_names(test_input, names + ("limits", "verifyingKey"))
    params_id = read_member(test_input, "paramsId", read_hash)
    log_n = read_member(test_input, "logN", read_u8)
    log_arity = read_member(test_input, "logArity", read_u8)
    allowed = read_member(test_input, "allowInsecureSetup", read_boolean, False)
    key = read_member(test_input, "verifyingKey", read_bytes, None)
    roots = read_member(test_input, "roots", read_roots)
    keys = read_member(test_input, "keys", lambda keys: read_array(keys, read_bytes))
    proof = read_member(test_input, "proof", read_bytes)
    limits = read_member(test_input, "limits", read_limits, Limits())

    params = Params(trusted_key(params_id, log_n, key), log_arity, allowed)
    results = verify(params, roots, keys, proof, limits)
    return {"results": [write_result(result) for result in results]}


def read_roots(value):
    check_names(value, ("aroot", "hroot", "height"))
    return Roots(
        aroot=read_member(value, "aroot", read_hash),
        hroot=read_member(value, "hroot", read_hash),
        height=read_member(value, "height", read_quantity),
    )


def write_result(result):
    if result is None:
        return {}
    block, version = write_quantity(result.block), write_quantity(result.version)
    if result.value is None:
        return {"deletedAt": block, "version": version}
    return {"value": write_bytes(result.value), "since": block, "version": version}


# chain 7: the state of a chain


def verify_values(root, header, config, keys, proof, insecure_allowed, key_bytes):
    """Returns what each raw key has in a chain's state."""
    params_id, log_n, log_arity = config.lvmt()
    key = trusted_key(params_id, log_n, key_bytes)
    params = Params(key, log_arity, insecure_allowed)
    roots = Roots(root[:32], root[32:], header.height)
    limits = Limits()._replace(value_bytes=config.limits.max_value)
    results = verify(params, roots, keys, proof, limits)
    return [(None, None, None) if result is None else result for result in results]

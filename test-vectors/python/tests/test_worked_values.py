"""The values worked out in the specification, computed from their definitions.

A value is a line of a code block: a name, two spaces or more, hexadecimal digits. Bytes that are
explained piece by piece stand the other way round: digits, then what they are.
"""

import json
import re
import unittest
from hashlib import blake2b, blake2s, sha512

from prooflight_vectors import amb, amt, amt_setup, avl, avl_tree, bn254, borsh, ed25519
from prooflight_vectors import lmpt, lmpt_state, lvmt, merkle
from prooflight_vectors.__main__ import VECTORS
from prooflight_vectors.amb_update import Operation, verify_update
from prooflight_vectors.avl import hash_of_key
from prooflight_vectors.bn254 import GENERATOR_1, Q, R, combine
from prooflight_vectors.chain import Header, decode_header, decode_signed_header
from prooflight_vectors.chain_state import StateOperation
from prooflight_vectors.checkpoint import read_checkpoint
from prooflight_vectors.keccak import keccak256
from prooflight_vectors.mpt import Limits
from prooflight_vectors.reader import Queue
from prooflight_vectors.smt import Answer, verify_diff, verify_history, verify_keys


def section(cited):
    """The text of a section, as `chain 10` names it."""
    name, number = cited.split()
    text = (VECTORS / "spec" / f"{name}.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {number}\. .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(0)


def named(text):
    """The values of all lines `name  digits` in code blocks, by their names; digits may go on."""
    lines = "\n".join(re.findall(r"```\n(.*?)```", text, re.DOTALL))
    lines = re.sub(r"\n {2,}(?=[0-9a-f]+$)", "", lines, flags=re.MULTILINE)
    return dict(re.findall(r"^(\S.*?) {2,}((?:[0-9a-f]{2})+)$", lines, re.MULTILINE))


def pieces(text, which=0):
    """The bytes of a code block whose lines begin with digits, by its number: all of them, joined."""
    found = []
    for block in re.findall(r"```\n(.*?)```", text, re.DOTALL):
        digits = [re.split(r" {2,}", line.strip())[0] for line in block.splitlines()]
        if all(re.fullmatch(r"[0-9a-f ]+", piece) for piece in digits):
            found.append(bytes.fromhex("".join(digits)))
    return found[which]


class Values(unittest.TestCase):
    def check(self, number, expected):
        """Every value is the one that the section has by its name, and it has no other."""
        found = named(section(number))
        self.assertEqual(found, {name: value.hex() for name, value in expected.items()})


class Conventions(Values):
    def test_hashes(self):
        self.check(
            "conventions 1",
            {
                "BLAKE2b-256 of no bytes": blake2b(digest_size=32).digest(),
                "BLAKE2b-256 of 61": blake2b(b"a", digest_size=32).digest(),
                "Keccak-256 of no bytes": keccak256(b""),
                "Keccak-256 of 61": keccak256(b"a"),
            },
        )


class Avl(Values):
    """avl 2 and 13: labels by their definition."""

    def test_empty_dictionaries(self):
        digests = {
            f"k = {k}": label(b"\x00", bytes(k), b"\xff" * k) + b"\x00" for k in (1, 32)
        }
        self.check("avl 2", digests)

    def test_example(self):
        first = label(b"\x00", b"\x00", b"\x10")
        leaf_10 = label(b"\x00", b"\x10", b"\xaa", b"\x20")
        leaf_20 = label(b"\x00", b"\x20", b"\xbb\xbb", b"\xff")
        internal = label(b"\x01", b"\x00", leaf_10, leaf_20)
        root = label(b"\x01", b"\x01", first, internal)
        new_leaf = label(b"\x00", b"\x10", b"\xaa", b"\xff")
        self.check(
            "avl 13",
            {
                "label of leaf 00": first,
                "label of leaf 10": leaf_10,
                "label of leaf 20": leaf_20,
                "label of internal": internal,
                "label of root": root,
                "digest": root + b"\x02",
                "new label of leaf 10": new_leaf,
                "new digest": label(b"\x01", b"\x00", first, new_leaf) + b"\x01",
            },
        )
        answer = avl.verify_batch(
            root + b"\x02",
            [avl.Operation("Remove", b"\x20")],
            pieces(section("avl 13")),
            avl.Params(key_length=1),
        )
        self.assertEqual(answer.digest, label(b"\x01", b"\x00", first, new_leaf) + b"\x01")


def label(*parts):
    return blake2b(b"".join(parts), digest_size=32).digest()


class Mpt(Values):
    """mpt 8, with an encoder of RLP that nothing else uses."""

    def test_values(self):
        node = pieces(section("mpt 8"))
        key_of_slot = keccak256(bytes(32))
        leaf_of_slot = rlp([b"\x20" + key_of_slot, rlp(b"\x01")])
        key_of_account = keccak256(bytes(19) + b"\x01")
        account = rlp([b"\x01", b"\x03\xe8", keccak256(leaf_of_slot), keccak256(b"")])
        leaf_of_account = rlp([b"\x20" + key_of_account, account])
        self.check(
            "mpt 8",
            {
                "root": keccak256(node),
                "root without keys": keccak256(rlp(b"")),
                "RLP of a list": rlp([b"", b"\x01", b"\x04\x00"]),
                "key of the slot": key_of_slot,
                "leaf of the slot": leaf_of_slot,
                "storage root": keccak256(leaf_of_slot),
                "key of the account": key_of_account,
                "value of the account": account,
                "leaf of the account": leaf_of_account,
                "state root": keccak256(leaf_of_account),
            },
        )
        inner = [b"\x20", b"\xaa"], [b"\x20", b"\xbb"], *[b""] * 15
        self.assertEqual(node, rlp([b"\x11", list(inner)]))


def rlp(item):
    """A string, or a list of items."""
    if isinstance(item, bytes):
        return item if len(item) == 1 and item < b"\x80" else rlp_head(0x80, item)
    return rlp_head(0xC0, b"".join(rlp(part) for part in item))


def rlp_head(first, payload):
    if len(payload) < 56:
        return bytes([first + len(payload)]) + payload
    length = len(payload).to_bytes(1, "big")
    return bytes([first + 55 + len(length)]) + length + payload


def sign(seed, message):
    """RFC 8032, section 5.1.6."""
    digest = sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    public = encode_ed25519(ed25519.multiply(secret, ed25519.B))
    r = int.from_bytes(sha512(digest[32:] + message).digest(), "little") % ed25519.L
    start = encode_ed25519(ed25519.multiply(r, ed25519.B))
    k = int.from_bytes(sha512(start + public + message).digest(), "little")
    return public, start + ((r + k * secret) % ed25519.L).to_bytes(32, "little")


def encode_ed25519(point):
    X, Y, Z, _ = point
    x, y = (number * pow(Z, -1, ed25519.P) % ed25519.P for number in (X, Y))
    return (y | (x & 1) << 255).to_bytes(32, "little")


class Chain(Values):
    """chain 10: the chain of chain 6, whose block 1 sets the key 61 to 01."""

    JSON = section("chain 6").split("```json\n")[1].split("```")[0]
    CONFIG = read_checkpoint(json.loads(JSON)).config

    def headers(self):
        first, last = avl.sentinels(32)
        empty = avl_tree.label(avl_tree.Leaf(first, b"", last)) + b"\x00"
        start, nothing = self.CONFIG.genesis_timestamp_ms, merkle.EMPTY_TREE
        genesis = Header(
            version=1,
            chain=self.CONFIG.hash(),
            height=0,
            parent=bytes(32),
            timestamp_ms=start,
            ops_root=nothing,
            history_root=nothing,
            roots=[(1, empty)],
        )
        key = hash_of_key(b"\x61")
        before = avl_tree.label(avl_tree.Leaf(first, b"", key))
        leaf = avl_tree.label(avl_tree.Leaf(key, b"\x01", last))
        digest = merkle.hash_of(b"\x01", b"\x00", before, leaf) + b"\x01"
        header = genesis._replace(
            height=1,
            parent=genesis.hash(),
            timestamp_ms=start + 1000,
            ops_root=merkle.leaf_hash(self.OPERATION.encode()),
            history_root=merkle.leaf_hash(genesis.hash()),
            roots=[(1, digest)],
        )
        return genesis, header

    OPERATION = StateOperation(b"\x61", b"\x01")

    def test_values(self):
        genesis, header = self.headers()
        public, signature = sign(b"\x01" * 32, header.hash())
        self.assertEqual(public, self.CONFIG.authorities[0])
        self.check(
            "chain 10",
            {
                "config": self.CONFIG.encode(),
                "chain": self.CONFIG.hash(),
                "header 0": genesis.encode(),
                "header 0, hash": genesis.hash(),
                "operation": self.OPERATION.encode(),
                "ops_root": header.ops_root,
                "history_root": header.history_root,
                "header 1, hash": header.hash(),
                "signature": signature,
            },
        )

    def test_tree(self):
        leaves = [merkle.leaf_hash(data) for data in (b"a", b"b", b"c")]
        self.check(
            "merkle 4",
            {
                "leaf 0": leaves[0],
                "leaf 1": leaves[1],
                "leaf 2": leaves[2],
                "node over 0 and 1": merkle.hash_of(b"\x01", leaves[0], leaves[1]),
                "root": merkle.root_of(leaves),
            },
        )

    def test_bytes_of_a_signed_header(self):
        _, header = self.headers()
        data = pieces(section("chain 10"))
        found, signatures = decode_signed_header(data)
        self.assertEqual(found, header)
        self.assertEqual(decode_header(data[: len(header.encode())]), header)
        ((authority, signature),) = signatures
        key = self.CONFIG.authorities[authority]
        self.assertTrue(ed25519.is_signed(key, header.hash(), signature))
        self.assertEqual(
            data, header.encode() + borsh.vector([borsh.u16(authority) + signature])
        )

    def test_paths(self):
        leaves = [merkle.leaf_hash(data) for data in (b"a", b"b", b"c")]
        node, root = merkle.hash_of(b"\x01", *leaves[:2]), merkle.root_of(leaves)
        for index, path in enumerate(([leaves[1], leaves[2]], [leaves[0], leaves[2]], [node])):
            merkle.check_path(leaves[index], index, 3, path, root)


def encode_g1(number):
    """The point [number]_1 as amt 1 encodes it."""
    point = bn254.affine(combine([(number % R, GENERATOR_1)]))
    if point is None:
        return bytes(31) + b"\x40"
    x, y = point
    return (x | (0x80 << 248 if y > Q - y else 0)).to_bytes(32, "little")


class Vector:
    """A vector of 2^k scalars under the setup whose tau everyone knows, as its polynomial."""

    def __init__(self, k, entries):
        self.k, self.n = k, 2**k
        self.entries = entries
        self.domain = [pow(amt.ROOT_OF_UNITY, t << (28 - k), R) for t in range(self.n)]
        # The inverse of the matrix of the powers of the domain: its own, but for signs and n.
        self.polynomial = [
            sum(a * pow(self.domain[t], -j, R) for t, a in entries.items()) * pow(self.n, -1, R) % R
            for j in range(self.n)
        ]

    def commitment(self):
        return encode_g1(at_tau(self.polynomial))

    def open(self, t, b):
        """The points of the opening of entry t by a tree of arity 2^b; b = k is a single one."""
        rest = list(self.polynomial)
        rest[0] -= self.entries.get(t, 0)
        points = []
        for exponent in range(self.k - b, -1, -b):
            m = 2**exponent
            quotient, rest = divide(rest, m, pow(self.domain[t], m, R))
            points.append(encode_g1(at_tau(quotient)))
        assert not any(number % R for number in rest)
        return points


def at_tau(polynomial):
    return sum(a * pow(amt_setup.DEV_TAU, j, R) for j, a in enumerate(polynomial)) % R


def divide(polynomial, m, c):
    """Quotient and remainder of a division by X^m - c."""
    quotient, rest = [0] * len(polynomial), list(polynomial)
    for j in range(len(rest) - 1, m - 1, -1):
        quotient[j - m] = rest[j]
        rest[j - m] = (rest[j - m] + c * rest[j]) % R
        rest[j] = 0
    return quotient, rest


class Openings(Values):
    """amt 1 to 6: encodings, and points of one opening that are shifted against each other."""

    def test_points(self):
        self.check(
            "amt 1",
            {
                "infinity of G1": encode_g1(0),
                "generator of G1": encode_g1(1),
                "-[1]_1": encode_g1(-1),
                "[2]_1": encode_g1(2),
                "generator of G2": bn254.encode_g2(bn254.GENERATOR_2),
            },
        )

    def test_scalars(self):
        w = pow(5, (R - 1) >> 3, R)
        versions = b"".join(number.to_bytes(5, "little") for number in (3, 1, 4, 1, 5, 9))
        self.check(
            "amt 2",
            {
                "w for k = 3": w.to_bytes(32, "little"),
                "versions 3, 1, 4, 1, 5, 9": versions + bytes(2),
            },
        )

    def test_setups(self):
        self.check(
            "amt 3",
            {
                f"params_id of {name}, k = {k}": amt_setup.named_key(name, k).params_id()
                for name, k in (("dev", 3), ("ppot", 16))
            },
        )

    def test_shifted_points_hold(self):
        entries = {
            0: [3, 1, 4, 1, 5, 9],
            2: [2**40 - 1] * 6,
            3: [0, 7, 0, 0, 0, 0],
            6: [1, 0, 0, 0, 0, 0],
            7: [0, 0, 0, 0, 0, 1],
        }
        vector = Vector(3, {t: amt.value_of_entry(entry) for t, entry in entries.items()})
        honest = vector.open(2, 1)

        # s = 1, d = 1 and e = 2: m_1 = 4, m_2 = 2.
        tau, x, rest = amt_setup.DEV_TAU, vector.domain[2], list(vector.polynomial)
        rest[0] -= vector.entries[2]
        numbers = []
        for m in (4, 2, 1):
            quotient, rest = divide(rest, m, pow(x, m, R))
            numbers.append(at_tau(quotient))
        numbers[0] += pow(tau, 2, R) - pow(x, 2, R)
        numbers[1] -= pow(tau, 4, R) - pow(x, 4, R)
        shifted = [encode_g1(number) for number in numbers]
        self.assertEqual([honest[2]], shifted[2:])
        key = amt_setup.named_key("dev", 3)
        opening = amt.Opening(1, vector.commitment(), 2, vector.entries[2], shifted)
        amt.verify_openings(key, [opening])

        single = vector.open(2, 3)
        tree = opening._replace(points=honest)
        seed = amt.seed_of(key, [tree, tree._replace(log_arity=None, points=single)])
        self.check(
            "amt 6",
            {
                "params_id": key.params_id(),
                "C": vector.commitment(),
                "a": vector.entries[2].to_bytes(32, "little"),
                **{f"q_{d}, b=1": point for d, point in enumerate(honest, 1)},
                "single": single[0],
                **{f"q_{d}, shifted": point for d, point in enumerate(shifted[:2], 1)},
                "seed": seed,
                "r_1, LE": amt.coefficient(seed, 1).to_bytes(16, "little"),
            },
        )
        for points in (shifted[:1] + honest[1:], honest[:1] + shifted[1:]):
            with self.assertRaises(Exception) as caught:
                amt.verify_openings(key, [opening._replace(points=points)])
            self.assertEqual(caught.exception.reason, "opening_mismatch")


class Lvmt(Values):
    """lvmt 7: five keys in block 0; in block 1 one of them is deleted, and a sixth is set."""

    FIRST = {b"l": b"1", b"n": b"2", b"o": b"3", b"r": b"4", b"s": b"5"}
    PLACE = {b"r": 1, b"n": 2, b"o": 3, b"s": 4, b"l": 5}

    def made(self):
        """All values, by the names that the section has for them."""
        hashes = {key: keccak256(key) for key in [*self.FIRST, b"x"]}
        order = sorted(self.FIRST, key=hashes.get)
        self.assertEqual({key: slot for slot, key in enumerate(order, 1)}, self.PLACE)
        first = [
            lvmt.leaf_of_key(0, slot, 1, hashes[key], keccak256(self.FIRST[key]))
            for slot, key in enumerate(order, 1)
        ]
        below = Vector(2, {3: amt.value_of_entry([0, 1, 0, 0, 0, 0])})
        top = Vector(2, {1: amt.value_of_entry([1, 1, 2, 1, 1, 1])})
        second = [
            lvmt.leaf_of_key(0, 2, 2, hashes[b"n"], None),
            lvmt.leaf_of_key(1, 1, 1, hashes[b"x"], keccak256(b"6")),
            lvmt.leaf_of_amt(1, b"\x01", 1, below.commitment()),
        ]
        roots = [root_of([lvmt.leaf_hash(leaf) for leaf in leaves]) for leaves in (first, second)]
        blocks = [
            lvmt.leaf_hash(number.to_bytes(8, "big") + root) for number, root in enumerate(roots)
        ]
        values = {
            "kh of n": hashes[b"n"],
            "kh of x": hashes[b"x"],
            "entry 1 of the root AMT": scalar([1, 1, 2, 1, 1, 1]),
            "entry 3 of the AMT below": scalar([0, 1, 0, 0, 0, 0]),
            "commitment of the AMT below": below.commitment(),
            "leaf 0, a tombstone": second[0],
            "leaf 1, a key": second[1],
            "leaf 2, an AMT": second[2],
            "leaf 0, hash": lvmt.leaf_hash(second[0]),
            "leaf 1, hash": lvmt.leaf_hash(second[1]),
            "leaf 2, hash": lvmt.leaf_hash(second[2]),
            "root of block 0": roots[0],
            "root of block 1": roots[1],
            "leaf of block 0, hash": blocks[0],
            "leaf of block 1, hash": blocks[1],
            "aroot": top.commitment(),
            "hroot": root_of(blocks),
        }
        return values, top.open(1, 1) + below.open(3, 2)

    def test_values(self):
        values, _ = self.made()
        self.check("lvmt 7", values)

    def test_bytes_of_a_proof(self):
        values, points = self.made()
        vector, place, version = borsh.vector, lambda b, i: borsh.u64(b) + borsh.u32(i), scalar
        entries = [version([1, 1, 2, 1, 1, 1])[:30], version([0, 1, 0, 0, 0, 0])[:30]]
        parts = [
            b"\x01\x02\x01",
            vector([b"\x00" + bytes([1, 1]) + place(1, 1) + borsh.string(b"6")]),
            vector(entries),
            vector([values["commitment of the AMT below"] + place(1, 2) + b"\x00"]),
            vector(points),
            vector([]),
            vector([borsh.u32(3)]),
            vector([values["leaf 0, hash"], values["leaf of block 0, hash"]]),
        ]
        proof = pieces(section("lvmt 7"))
        self.assertEqual(proof.hex(), b"".join(parts).hex())
        params = lvmt.Params(amt_setup.named_key("dev", 2), 1, insecure_allowed=True)
        roots = lvmt.Roots(values["aroot"], values["hroot"], 1)
        results = lvmt.verify(params, roots, [b"x"], proof, Limits())
        self.assertEqual(results, [lvmt.Result(b"6", 1, 1)])

    def test_a_vector_has_this_proof(self):
        """An implementation of its own, in Rust, has made the same bytes."""
        file = json.loads((VECTORS / "lvmt" / "proof.json").read_text(encoding="utf-8"))
        tests = [test for group in file["testGroups"] for test in group["tests"]]
        (test,) = [test for test in tests if test["comment"] == "the example of lvmt 7"]
        self.assertEqual(test["input"]["proof"], "0x" + pieces(section("lvmt 7")).hex())

    def test_a_size_only_shapes_a_tree(self):
        """merkle 3: one hash before a leaf, at index 1 of 2 and at index 2 of 3."""
        leaf, hash_ = lvmt.leaf_hash(b"leaf"), lvmt.leaf_hash(b"hash")
        one, other = (
            merkle.root_of_known(size, {index: leaf}, Queue([hash_], "path_length"), lvmt.hash_of)
            for index, size in ((1, 2), (2, 3))
        )
        self.assertEqual(one, other)


def scalar(versions):
    return amt.value_of_entry(versions).to_bytes(32, "little")


def root_of(leaves):
    """The root of a tree with Keccak-256 over leaves, given by their hashes."""
    known = dict(enumerate(leaves))
    return merkle.root_of_known(len(leaves), known, Queue([], "path_length"), lvmt.hash_of)


class Smt(Values):
    """smt 8, by nothing but hashlib."""

    def test_values(self):
        def node(salt, person, message):
            salt, person = (number.to_bytes(8, "little") for number in (salt, person))
            return blake2s(message, salt=salt, person=person).digest()

        keys = [blake2s(key, person=b"PLsmtKey").digest() for key in (b"a", b"b")]
        values = [blake2s(value, person=b"PLsmtVal").digest() for value in (b"\x01", b"\x02")]
        one = node((3 << 12) + 0xFFF, 0x010, keys[0] + values[0])
        other = node((5 << 12) + 0xFFF, 0x010, keys[1] + values[1])
        root = node((5 << 12) + 1, (3 << 12) + 0x001, other + one)
        self.check(
            "smt 8",
            {
                "key hash of 61": keys[0],
                "value hash of 01": values[0],
                "leaf of 61, salt": bytes.fromhex("ff3f000000000000"),
                "leaf of 61, personalisation": bytes.fromhex("1000000000000000"),
                "leaf of 61": one,
                "key hash of 62": keys[1],
                "value hash of 02": values[1],
                "leaf of 62": other,
                "root, salt": bytes.fromhex("0150000000000000"),
                "root, personalisation": bytes.fromhex("0130000000000000"),
                "root": root,
                "tombstone of 61 in block 7": node((7 << 12) + 0xFFF, 0x011, keys[0] + bytes(32)),
            },
        )
        self.assertEqual((5 << 12) + 1, int.from_bytes(bytes.fromhex("0150000000000000"), "little"))

    def test_bytes_of_a_proof(self):
        text = section("smt 8")
        root = bytes.fromhex(named(text)["root"])
        answers = verify_keys(root, 6, [b"a"], pieces(text), Limits())
        self.assertEqual(answers, [Answer(b"\x01", 3)])

        message = bytearray(pieces(text))
        message[2] = 2
        roots = [(6, root), (2, bytes(32))]
        history = verify_history(b"a", 0, 6, roots, bytes(message), Limits(changes=1))
        self.assertEqual(history.changes, [Answer(b"\x01", 3)])
        self.assertEqual(history.heights, [6, 2])

        changes = verify_diff(3, 5, root, pieces(text, 1), Limits())
        self.assertEqual(changes, [(b"b", Answer(b"\x02", 5))])


class Amb(Values):
    """amb 9, by nothing but hashlib."""

    ANSWERS = (
        (amb.Get([b"a"], 1), [amb.Answer(b"\x01", 0)]),
        (
            amb.Range(b"", None, 2),
            [(b"a", amb.Answer(b"\x03", 2)), (b"b", amb.Answer(b"\x02", 1))],
        ),
        (amb.Count(b"b", b"c"), 2),
    )

    def test_values(self):
        def hash_of(*parts):
            return blake2b(b"".join(parts), digest_size=32).digest()

        def record(version, live, hash_):
            return version.to_bytes(8, "big") + live.to_bytes(8, "big") + bytes(8) + hash_

        def entry(key, versions, newest, value, past):
            numbers = versions.to_bytes(8, "big") + newest.to_bytes(8, "big")
            length = len(key).to_bytes(2, "big")
            return hash_of(b"\x10", length, key, numbers, b"\x01", value, past)

        def branch(depth, label, left, right):
            return hash_of(b"\x11", depth.to_bytes(2, "big"), label, left, right)

        values = [None, *(hash_of(b"\x12", bytes([value])) for value in (1, 2, 3, 4))]
        past = hash_of(b"\x00", b"\x13", bytes(8), b"\x01", values[1])
        first = entry(b"a", 1, 0, values[1], hash_of())
        a = entry(b"a", 2, 2, values[3], past)
        b = entry(b"b", 1, 1, values[2], hash_of())
        bc = entry(b"bc", 1, 2, values[4], hash_of())
        below = branch(9, b"b", record(1, 1, b), record(2, 1, bc))
        top = branch(7, b"\x60", record(2, 1, a), record(2, 2, below))
        two = branch(7, b"\x60", record(0, 1, first), record(1, 1, b))
        # The root after block 3 is that of another tree; test_bytes_of_proofs computes it.
        last = bytes.fromhex(named(section("amb 9"))["root after block 3"])
        self.check(
            "amb 9",
            {
                **{f"value hash of {at:02x}": values[at] for at in range(1, 5)},
                "version hash of 61 in block 0": past,
                "entry 61": a,
                "entry 62": b,
                "entry 6263": bc,
                "branch at depth 9": below,
                "branch at depth 7": top,
                "record of the branch": record(2, 3, top),
                "root before block 0": hash_of(b"\x15", bytes(56)),
                "root after block 0": hash_of(b"\x15", record(0, 1, first)),
                "root after block 1": hash_of(b"\x15", record(1, 2, two)),
                "root after block 2": hash_of(b"\x15", record(2, 3, top)),
                "root after block 3": last,
            },
        )

    def test_bytes_of_proofs(self):
        text, limits = section("amb 9"), amb.Limits()
        values = {name: bytes.fromhex(digits) for name, digits in named(text).items()}
        root = values["root after block 2"]
        for at, (question, answers) in enumerate(self.ANSWERS):
            opened = amb.verify(root, 2, question, pieces(text, at), limits)
            self.assertEqual(question.answers(opened), answers)
        self.assertEqual(self.ANSWERS[1][0].next, b"b\x00")

        # The history differs from the first proof in its kind, and in two numbers for one.
        proof = bytearray(pieces(text))
        at = proof.index(values["value hash of 03"]) + 32
        proof[2], proof[at : at + 1] = amb.HIST, b"\x00\x01"
        question = amb.Hist([b"a"], 0, 1)
        opened = amb.verify(root, 2, question, bytes(proof), limits)
        history = amb.History(amb.NEVER_WRITTEN, [amb.Answer(b"\x01", 0)])
        self.assertEqual(question.answers(opened), [history])

        operations = [Operation(b"a", None), Operation(b"bd", b"\x05")]
        parts = [([b"a", b"bd"], pieces(text, 3))]
        found = verify_update(root, 2, operations, parts, limits)
        self.assertEqual(found, values["root after block 3"])


class LayeredTries(unittest.TestCase):
    """lmpt 6."""

    TEXT = section("lmpt 6")
    BLOCKS = [[(b"a", b"\x01")], [(b"b", b"\x02")], [(b"a", None)], [(b"c", b"")], []]

    def setUp(self):
        """The state after each block, as the root and the answers to all keys' names."""
        state = lmpt_state.State(lmpt_state.Eras(blocks=2, ops=1000))
        self.layers, self.roots = [], []
        for block in self.BLOCKS:
            state.apply([StateOperation(*operation) for operation in block])
            names = {keccak256(key): key.hex() for key in (b"a", b"b", b"c")}
            layers = (state.snapshot, state.intermediate, state.delta)
            self.layers.append(
                [", ".join(sorted(f"{names[k]} = {v.hex()}" for k, v in it.items())) for it in layers]
            )
            self.roots.append(state.root())

    def test_layers_and_roots(self):
        values = named(self.TEXT)
        for key in (b"a", b"b", b"c"):
            self.assertEqual(values[f"key hash of {key.hex()}"], keccak256(key).hex())
        rows = re.findall(r"^\| (\d) \| (.*) \|$", self.TEXT, re.MULTILINE)
        self.assertEqual(len(rows), len(self.BLOCKS))
        for (height, row), layers, root in zip(rows, self.layers, self.roots):
            self.assertEqual([it.strip().replace("`", "") for it in row.split("|")], layers, height)
            roots = [values[f"root of {it}" if it else "root without keys"] for it in layers]
            self.assertEqual(root.hex(), "".join(roots), height)

    def test_proof(self):
        answers = lmpt.verify(self.roots[3], [b"a"], pieces(self.TEXT), Limits())
        self.assertEqual(answers, [lmpt.Answer(None, "intermediate")])


if __name__ == "__main__":
    unittest.main()

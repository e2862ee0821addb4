"""Configurations and headers of chains: encoding, decoding, hashes (sections 9.1 and 9.2)."""

from typing import NamedTuple, Optional

from . import borsh
from .errors import check
from .merkle import EMPTY_TREE, hash_of

MAX_BYTES = 8 * 1024 * 1024
LVMT = 2
ROOT_LENGTHS = {1: 33, 2: 64, 3: 32, 4: 32, 5: 96, 6: 32}


class LvmtConfig(NamedTuple):
    params_id: bytes
    log_n: int
    log_arity: int


class ChainLimits(NamedTuple):
    max_key: int
    max_value: int
    max_ops: int


class ChainConfig(NamedTuple):
    version: int
    chain_id: bytes
    schemes: list
    lvmt: Optional[LvmtConfig]
    authorities: list
    quorum: int
    limits: ChainLimits
    genesis_timestamp_ms: int

    def encode(self):
        lvmt, limits = self.lvmt, self.limits
        if lvmt is not None:
            lvmt = lvmt.params_id + borsh.u8(lvmt.log_n) + borsh.u8(lvmt.log_arity)
        return b"".join(
            [
                borsh.u8(self.version),
                borsh.string(self.chain_id),
                borsh.vector([borsh.u8(scheme) for scheme in self.schemes]),
                borsh.option(lvmt),
                borsh.vector(self.authorities),
                borsh.u16(self.quorum),
                borsh.u16(limits.max_key) + borsh.u32(limits.max_value) + borsh.u32(limits.max_ops),
                borsh.u64(self.genesis_timestamp_ms),
            ]
        )

    def hash(self):
        return hash_of(self.encode())

    def check(self):
        check(self.version == 1, "invalid_config")
        check(all(scheme in ROOT_LENGTHS for scheme in self.schemes), "invalid_config")
        check(is_ascending(self.schemes), "invalid_config")
        check((self.lvmt is not None) == (LVMT in self.schemes), "invalid_config")
        if self.lvmt is not None:
            log_n, log_arity = self.lvmt.log_n, self.lvmt.log_arity
            check(1 <= log_n <= 16, "invalid_config")
            check(log_arity > 0 and log_n % log_arity == 0, "invalid_config")
        check(len(set(self.authorities)) == len(self.authorities), "invalid_config")
        check(1 <= self.quorum <= len(self.authorities), "invalid_config")


class Header(NamedTuple):
    version: int
    chain: bytes
    height: int
    parent: bytes
    timestamp_ms: int
    ops_root: bytes
    history_root: bytes
    roots: list

    def encode(self):
        roots = [borsh.u8(scheme) + borsh.string(root) for scheme, root in self.roots]
        return b"".join(
            [
                borsh.u8(self.version),
                self.chain,
                borsh.u64(self.height),
                self.parent,
                borsh.u64(self.timestamp_ms),
                self.ops_root,
                self.history_root,
                borsh.vector(roots),
            ]
        )

    def hash(self):
        return hash_of(b"prooflight/header/v1", self.encode())

    def check(self):
        check(self.version == 1, "invalid_header")
        check(is_ascending([scheme for scheme, _ in self.roots]), "invalid_header")
        for scheme, root in self.roots:
            check(scheme in ROOT_LENGTHS, "unknown_scheme")
            check(len(root) == ROOT_LENGTHS[scheme], "invalid_header")
        check((self.height == 0) == (self.parent == bytes(32)), "invalid_header")
        check(self.height > 0 or self.history_root == EMPTY_TREE, "invalid_header")


def decode_header(data):
    header = decode(data, read_header)
    header.check()
    return header


def decode_signed_header(data):
    """Returns the header and its signatures, each with its authority's index."""
    header, signatures = decode(data, read_signed_header)
    header.check()
    check(is_ascending([authority for authority, _ in signatures]), "signature_order")
    return header, signatures


def decode(data, read):
    check(len(data) <= MAX_BYTES, "proof_too_large")
    decoder = borsh.Decoder(data)
    value = read(decoder)
    decoder.finish()
    return value


def read_header(decoder):
    return Header(
        version=decoder.u8(),
        chain=decoder.array(32),
        height=decoder.u64(),
        parent=decoder.array(32),
        timestamp_ms=decoder.u64(),
        ops_root=decoder.array(32),
        history_root=decoder.array(32),
        roots=decoder.vector(lambda: (decoder.u8(), decoder.bytes())),
    )


def read_signed_header(decoder):
    header = read_header(decoder)
    return header, decoder.vector(lambda: (decoder.u16(), decoder.array(64)))


def is_ascending(numbers):
    """Strictly, so that none is there twice."""
    return all(one < other for one, other in zip(numbers, numbers[1:]))

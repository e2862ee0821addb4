"""Configurations and headers of chains: encoding, decoding, hashes (chain 1 and 2)."""

from typing import NamedTuple

from . import borsh
from .errors import check
from .merkle import EMPTY_TREE, hash_of
from .schemes import IDS, ROOT_LENGTHS

MAX_BYTES = 8 * 1024 * 1024


class LvmtConfig(NamedTuple):
    params_id: bytes
    log_n: int
    log_arity: int

    @classmethod
    def decode(cls, params):
        return cls(params[:32], params[32], params[33])


class LmptConfig(NamedTuple):
    era_blocks: int
    era_ops: int
    era_bytes: int

    @classmethod
    def decode(cls, params):
        bounds = (params[:4], params[4:8], params[8:])
        return cls(*(int.from_bytes(bound, "little") for bound in bounds))


class ChainLimits(NamedTuple):
    max_key: int
    max_value: int
    max_ops: int


class ChainConfig(NamedTuple):
    version: int
    chain_id: bytes
    schemes: list  # pairs of a scheme's id and its parameters in bytes
    authorities: list
    quorum: int
    limits: ChainLimits
    genesis_timestamp_ms: int

    def encode(self):
        limits = self.limits
        return b"".join(
            [
                borsh.u8(self.version),
                borsh.string(self.chain_id),
                borsh.vector([borsh.u8(id) + borsh.string(params) for id, params in self.schemes]),
                borsh.vector(self.authorities),
                borsh.u16(self.quorum),
                borsh.u16(limits.max_key) + borsh.u32(limits.max_value) + borsh.u32(limits.max_ops),
                borsh.u64(self.genesis_timestamp_ms),
            ]
        )

    def hash(self):
        return hash_of(self.encode())

    def scheme_ids(self):
        return [id for id, _ in self.schemes]

    def lvmt(self):
        """The parameters of lvmt, or None; only of a configuration that was checked."""
        params = dict(self.schemes).get(IDS["lvmt"])
        return None if params is None else LvmtConfig.decode(params)

    def check(self):
        check(self.version == 2, "invalid_config")
        check(is_ascending(self.scheme_ids()), "invalid_config")
        for id, params in self.schemes:
            check(id in ROOT_LENGTHS, "invalid_config")
            check_params(id, params)
        check(len(set(self.authorities)) == len(self.authorities), "invalid_config")
        check(1 <= self.quorum <= len(self.authorities), "invalid_config")


def check_params(id, params):
    """Checks the parameters of a scheme."""
    if id == IDS["lvmt"]:
        check(len(params) == 34, "invalid_config")
        lvmt = LvmtConfig.decode(params)
        check(1 <= lvmt.log_n <= 16, "invalid_config")
        check(lvmt.log_arity > 0 and lvmt.log_n % lvmt.log_arity == 0, "invalid_config")
    elif id == IDS["lmpt"]:
        check(len(params) == 16, "invalid_config")
        check(all(bound >= 1 for bound in LmptConfig.decode(params)), "invalid_config")
    else:
        check(params == b"", "invalid_config")


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

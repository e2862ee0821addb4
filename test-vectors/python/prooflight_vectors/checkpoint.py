"""The JSON of a checkpoint (chain 6): every member must be there, and no other."""

from typing import NamedTuple

from .carrier import (
    check_names,
    read_array,
    read_bytes,
    read_hash,
    read_member,
    read_number,
    read_quantity,
    read_text,
    read_u8,
    read_u16,
)
from .chain import ChainConfig, ChainLimits


class Checkpoint(NamedTuple):
    config: ChainConfig
    height: int
    header_hash: bytes


def read_checkpoint(value):
    check_names(value, ("config", "height", "headerHash"))
    return Checkpoint(
        config=read_member(value, "config", read_config),
        height=read_member(value, "height", read_quantity),
        header_hash=read_member(value, "headerHash", read_hash),
    )


def read_config(value):
    names = ("version", "chainId", "schemes", "authorities", "quorum", "limits")
    check_names(value, names + ("genesisTimestampMs",))
    return ChainConfig(
        version=read_member(value, "version", read_u8),
        chain_id=read_member(value, "chainId", read_text),
        schemes=read_member(value, "schemes", lambda schemes: read_array(schemes, read_scheme)),
        authorities=read_member(value, "authorities", lambda keys: read_array(keys, read_hash)),
        quorum=read_member(value, "quorum", read_u16),
        limits=read_member(value, "limits", read_limits),
        genesis_timestamp_ms=read_member(value, "genesisTimestampMs", read_quantity),
    )


def read_scheme(value):
    check_names(value, ("id", "params"))
    return read_member(value, "id", read_u8), read_member(value, "params", read_bytes)


def read_limits(value):
    check_names(value, ("maxKey", "maxValue", "maxOps"))
    return ChainLimits(
        max_key=read_member(value, "maxKey", read_u16),
        max_value=read_member(value, "maxValue", read_number),
        max_ops=read_member(value, "maxOps", read_number),
    )

//! The messages about chains, in borsh; types of `prooflight_core::chain` are encoded as in `test-vectors/spec/chain.md`.
//!
//! ```text
//! struct SyncRequest      { config: Vec<u8>, height: u64, header_hash: [u8; 32], inclusion: Vec<[u8; 32]>,
//!                           now_ms: u64, max_clock_skew_ms: u64, max_head_age_ms: Option<u64> }
//! struct AncestorRequest  { head: Vec<u8>, inclusion: Vec<[u8; 32]>, height: Option<u64> }
//! struct AncestorsRequest { head: Vec<u8>, headers: Vec<Vec<u8>>, hashes: Vec<[u8; 32]> }
//! enum   Wanted           { Newest(u64), Height(u64), Hash([u8; 32]) }
//! struct Known            { height: u64, hash: [u8; 32] }
//! struct KeyLengths       { limits: ChainLimits, lengths: Vec<u64> }
//! struct HeaderResponse { hash: [u8; 32], header: Header }
//! ```

use prooflight_core::chain::{ChainLimits, Checkpoint, Header, RequestedBlock, SyncPolicy};
use prooflight_core::{Hash, Result};

use crate::config::{config, limits};
use crate::wire::{self, RequestReader, ResponseWriter};

/// The trusted checkpoint of a chain, and the path from it to a head.
pub(crate) struct SyncRequest {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) inclusion: Vec<Hash>,
    pub(crate) policy: SyncPolicy,
}

impl SyncRequest {
    pub(crate) fn decode(request: &[u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                checkpoint: Checkpoint {
                    config: config(r)?,
                    height: r.u64()?,
                    header_hash: r.array()?,
                },
                inclusion: r.sequence(RequestReader::array)?,
                policy: SyncPolicy {
                    now_ms: r.u64()?,
                    max_clock_skew_ms: r.u64()?,
                    max_head_age_ms: r.option(RequestReader::u64)?,
                },
            })
        })
    }
}

/// An accepted head's encoded header, and the path of an older header in its history.
pub(crate) struct AncestorRequest<'a> {
    pub(crate) head: &'a [u8],
    pub(crate) inclusion: Vec<Hash>,
    /// The height that the older header must have, if known.
    pub(crate) height: Option<u64>,
}

impl<'a> AncestorRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                head: r.bytes()?,
                inclusion: r.sequence(RequestReader::array)?,
                height: r.option(RequestReader::u64)?,
            })
        })
    }
}

/// The encoded headers of an accepted head and of older blocks, and the proof that they are in its history.
pub(crate) struct AncestorsRequest<'a> {
    pub(crate) head: &'a [u8],
    pub(crate) headers: Vec<&'a [u8]>,
    pub(crate) hashes: Vec<Hash>,
}

impl<'a> AncestorsRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                head: r.bytes()?,
                headers: r.sequence(RequestReader::bytes)?,
                hashes: r.sequence(RequestReader::array)?,
            })
        })
    }
}

/// Decodes a `Wanted`.
pub(crate) fn requested_block(request: &[u8]) -> Result<RequestedBlock> {
    wire::decode(request, |r| match r.u8()? {
        0 => r.u64().map(RequestedBlock::Newest),
        1 => r.u64().map(RequestedBlock::Height),
        2 => r.array().map(RequestedBlock::Hash),
        other => Err(wire::unknown("a block of 0 to 2", other)),
    })
}

/// Decodes a `Known`: the height and hash of a header.
pub(crate) fn height_and_hash(request: &[u8]) -> Result<(u64, Hash)> {
    wire::decode(request, |r| Ok((r.u64()?, r.array()?)))
}

/// Decodes `KeyLengths`: the limits of a chain, and the lengths of raw keys.
pub(crate) fn key_lengths(request: &[u8]) -> Result<(ChainLimits, Vec<u64>)> {
    wire::decode(request, |r| Ok((limits(r)?, r.sequence(RequestReader::u64)?)))
}

/// Encodes a `HeaderResponse`.
pub(crate) fn header_response(header: &Header) -> Vec<u8> {
    [&header.hash()[..], &header.encode()].concat()
}

/// Encodes `Vec<Vec<u8>>`, a `HeaderResponse` for each header.
pub(crate) fn header_responses(headers: &[Header]) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(512 * headers.len());
    response.length(headers.len());
    for header in headers {
        response.bytes(&header_response(header));
    }
    response.into_bytes()
}

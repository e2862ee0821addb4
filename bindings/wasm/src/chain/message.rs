//! The messages about chains, in borsh; types of `prooflight_core::chain` are encoded as in `test-vectors/spec/chain.md`.
//!
//! ```text
//! enum   RequestedBlock { Newest(u64), Height(u64), Hash([u8; 32]) }
//! struct HeaderResponse { hash: [u8; 32], header: Header }
//! ```

use prooflight_core::chain::{
    ChainConfig, ChainLimits, Checkpoint, Header, RequestedBlock, SyncPolicy,
};
use prooflight_core::{Hash, Result};

use crate::wire::{RequestReader, RequestValue, ResponseValue as _, requests, unknown};

requests! {
    /// The trusted checkpoint of a chain, and the path from it to a head.
    struct SyncRequest { checkpoint: Checkpoint, inclusion: Vec<Hash>, policy: SyncPolicy, }

    extern struct Checkpoint { config: ChainConfig, height: u64, header_hash: Hash, }

    extern struct SyncPolicy { now_ms: u64, max_clock_skew_ms: u64, max_head_age_ms: Option<u64>, }

    /// An accepted head's encoded header, and the path of an older header in its history.
    struct AncestorRequest<'a> {
        head: &'a [u8],
        inclusion: Vec<Hash>,
        /// The height that the older header must have, if known.
        height: Option<u64>,
    }

    /// The encoded headers of an accepted head and of older blocks, and the proof that they are in its history.
    struct AncestorsRequest<'a> { head: &'a [u8], headers: Vec<&'a [u8]>, hashes: Vec<Hash>, }

    /// The limits of a chain, and the lengths of raw keys.
    struct KeyLengths { limits: ChainLimits, lengths: Vec<u64>, }
}

impl RequestValue<'_> for RequestedBlock {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        match r.read()? {
            0 => r.read().map(Self::Newest),
            1 => r.read().map(Self::Height),
            2 => r.read().map(Self::Hash),
            other => Err(unknown("a block of 0 to 2", other)),
        }
    }
}

/// Encodes a `HeaderResponse`.
pub(crate) fn header_response(header: &Header) -> Vec<u8> {
    [&header.hash()[..], &header.encode()].concat()
}

/// Encodes `Vec<Vec<u8>>`, a `HeaderResponse` for each header.
pub(crate) fn header_responses(headers: &[Header]) -> Vec<u8> {
    let responses: Vec<_> = headers.iter().map(header_response).collect();
    responses.encode(512 * headers.len())
}

//! What crosses for chains, in borsh; the types of `prooflight_core::chain` as `test-vectors/spec/chain.md` has them.
//!
//! ```text
//! struct HeaderResponse { hash: [u8; 32], header: Header }
//! ```
//! `Vec<OldValue>` is that of `avl::message`.

use borsh::BorshDeserialize;
use prooflight_avl::Value;
use prooflight_core::chain::{
    ChainConfig, ChainLimits, Checkpoint, Header, StateOperation, SyncPolicy,
};
use prooflight_core::{Error, Hash, Reason, Result};

use crate::avl::results::{self, OldValue};
use crate::wire::Response;

/// What is trusted of a chain, and the way from it to a head.
#[derive(BorshDeserialize)]
pub(crate) struct SyncRequest {
    config: ChainConfig,
    height: u64,
    header_hash: Hash,
    pub(crate) inclusion: Vec<Hash>,
    now_ms: u64,
    max_clock_skew_ms: u64,
    max_head_age_ms: Option<u64>,
}

impl SyncRequest {
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let Self { config, height, header_hash, .. } = self;
        Checkpoint { config: config.clone(), height: *height, header_hash: *header_hash }
    }

    pub(crate) fn policy(&self) -> SyncPolicy {
        SyncPolicy {
            now_ms: self.now_ms,
            max_clock_skew_ms: self.max_clock_skew_ms,
            max_head_age_ms: self.max_head_age_ms,
        }
    }
}

/// An accepted head's header, encoded, and the place of an older one in its history.
#[derive(BorshDeserialize)]
pub(crate) struct AncestorRequest {
    pub(crate) head: Vec<u8>,
    pub(crate) inclusion: Vec<Hash>,
}

/// An accepted head's header and older ones, encoded, and what places them in its history.
#[derive(BorshDeserialize)]
pub(crate) struct AncestorsRequest {
    pub(crate) head: Vec<u8>,
    pub(crate) headers: Vec<Vec<u8>>,
    pub(crate) hashes: Vec<Hash>,
}

/// Raw keys and the digest that their values are asked of.
#[derive(BorshDeserialize)]
pub(crate) struct StateRequest {
    pub(crate) digest: Vec<u8>,
    pub(crate) limits: ChainLimits,
    pub(crate) keys: Vec<Vec<u8>>,
}

/// A block's operations, its header, encoded, and the digest before it.
#[derive(BorshDeserialize)]
pub(crate) struct BlockRequest {
    pub(crate) digest: Vec<u8>,
    pub(crate) header: Vec<u8>,
    pub(crate) limits: ChainLimits,
    pub(crate) operations: Vec<StateOperation>,
}

/// Decodes a request. Both sides are ours, so one that does not decode is a bug.
pub(crate) fn decode<T: BorshDeserialize>(request: &[u8]) -> Result<T> {
    borsh::from_slice(request).map_err(|error| Error::new(Reason::Bug, "a request", error))
}

/// Encodes a `HeaderResponse`.
pub(crate) fn header_response(header: &Header) -> Vec<u8> {
    [&header.hash()[..], &header.encode()].concat()
}

/// Encodes `Vec<Vec<u8>>`, a `HeaderResponse` for each header.
pub(crate) fn header_responses(headers: &[Header]) -> Vec<u8> {
    let mut response = Response::with_capacity(512 * headers.len());
    response.length(headers.len());
    for header in headers {
        response.bytes(&header_response(header));
    }
    response.into_bytes()
}

/// Encodes `Vec<OldValue>`.
pub(crate) fn values(values: &[Option<Value<'_>>]) -> Vec<u8> {
    let mut response = Response::with_capacity(48 * values.len());
    let values = values.iter().map(|value| match value {
        Some(value) => OldValue::Present(value.as_ref()),
        None => OldValue::Absent { previous: None, next: None },
    });
    results::write(&mut response, values);
    response.into_bytes()
}

//! `HeaderSync`, `HeaderInclusion` and `HeadersInclusion`: what a light client accepts of a chain.

use prooflight_core::chain::{
    Checkpoint, Header, SignedHeader, SyncPolicy, verify_ancestor, verify_ancestors, verify_head,
};
use prooflight_core::{Hash, Limits, Result};
use prooflight_json::checkpoint::CheckpointJson;
use prooflight_json::strict::{not_null, object};
use prooflight_json::{Hash32, Hex, Quantity};
use serde::{Deserialize, Serialize};
use serde_json::to_value;

use crate::answer::Answer;

/// The input of a `HeaderSync` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeaderSync {
    /// What the application trusts.
    #[serde(deserialize_with = "object")]
    pub checkpoint: CheckpointJson,
    /// A signed header, encoded.
    pub head: Hex,
    /// The path of the checkpoint's header hash in the head's history.
    pub inclusion: Vec<Hash32>,
    /// The caller's time, in milliseconds since 1970.
    pub now: Quantity,
    /// How far ahead of it the head may be, in milliseconds, if not by the default.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub max_clock_skew: Option<Quantity>,
    /// How old the head may be, in milliseconds, if that matters.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub max_head_age: Option<Quantity>,
}

/// The input of a `HeaderInclusion` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeaderInclusion {
    /// The header of an accepted head, encoded.
    pub head: Hex,
    /// An older header, encoded.
    pub header: Hex,
    /// The path of the header's hash in the head's history.
    pub inclusion: Vec<Hash32>,
}

/// The input of a `HeadersInclusion` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeadersInclusion {
    /// The header of an accepted head, encoded.
    pub head: Hex,
    /// Older headers, encoded, ascending by height.
    pub headers: Vec<Hex>,
    /// What places them in the head's history.
    pub hashes: Vec<Hash32>,
}

impl HeaderSync {
    pub(crate) fn verify(&self) -> Result<Answer> {
        let (_, head) = self.accept()?;
        Ok(answer(head.height, head.hash()))
    }

    /// Accepts the head or not; gives what it was compared with, and its header.
    pub(crate) fn accept(&self) -> Result<(Checkpoint, Header)> {
        let checkpoint = self.checkpoint.clone().try_into()?;
        let head = SignedHeader::decode(&self.head.0, &Limits::DEFAULT)?;
        let default = SyncPolicy::at(self.now.0);
        let policy = SyncPolicy {
            max_clock_skew_ms: self.max_clock_skew.map_or(default.max_clock_skew_ms, |it| it.0),
            max_head_age_ms: self.max_head_age.map(|it| it.0),
            ..default
        };
        verify_head(&checkpoint, &head, &path(&self.inclusion), &policy)?;
        Ok((checkpoint, head.header))
    }
}

impl HeaderInclusion {
    /// Accepts the header as an ancestor of the head or not.
    pub(crate) fn verify(&self) -> Result<Answer> {
        let head = Header::decode(&self.head.0, &Limits::DEFAULT)?;
        let header = ancestor(&head, &self.header, &self.inclusion)?;
        Ok(answer(header.height, header.hash()))
    }
}

impl HeadersInclusion {
    /// Accepts the headers as ancestors of the head or not.
    pub(crate) fn verify(&self) -> Result<Answer> {
        let head = Header::decode(&self.head.0, &Limits::DEFAULT)?;
        let decode = |header: &Hex| Header::decode(&header.0, &Limits::DEFAULT);
        let headers = self.headers.iter().map(decode).collect::<Result<Vec<_>>>()?;
        verify_ancestors(&head, &headers, &path(&self.hashes))?;
        Ok(answer_of_all(&headers))
    }
}

/// Accepts an older header, given as its bytes, or not.
pub(crate) fn ancestor(head: &Header, header: &Hex, inclusion: &[Hash32]) -> Result<Header> {
    let header = Header::decode(&header.0, &Limits::DEFAULT)?;
    verify_ancestor(head, &header, &path(inclusion))?;
    Ok(header)
}

fn path(inclusion: &[Hash32]) -> Vec<Hash> {
    inclusion.iter().map(|hash| hash.0).collect()
}

/// The members that `expected` may have.
pub(crate) fn answer(height: u64, header_hash: Hash) -> Answer {
    Answer::from_iter([
        ("height".to_owned(), to_value(Quantity(height)).unwrap_or_default()),
        ("headerHash".to_owned(), to_value(Hash32(header_hash)).unwrap_or_default()),
    ])
}

/// The members that `expected` may have of several headers.
pub(crate) fn answer_of_all(headers: &[Header]) -> Answer {
    let hashes: Vec<_> = headers.iter().map(|header| Hash32(header.hash())).collect();
    Answer::from_iter([("headerHashes".to_owned(), to_value(hashes).unwrap_or_default())])
}

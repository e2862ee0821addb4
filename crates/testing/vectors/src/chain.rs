//! The types `Header…`: a light client's rules for headers.

use prooflight_core::chain::{
    Checkpoint, Header, HeaderOrder, RequestedBlock, SignedHeader, SyncPolicy, check_requested,
    relation, verify_ancestor, verify_ancestor_at, verify_ancestors, verify_head,
};
use prooflight_core::{Error, Hash, Limits, Reason, Result};
use prooflight_json::checkpoint::CheckpointJson;
use prooflight_json::strict::{not_null, object};
use prooflight_json::{Hash32, HexBytes, Quantity};
use serde::{Deserialize, Serialize};
use serde_json::{json, to_value};

use crate::answer::VerifierAnswer;

/// The input of a `HeaderSync` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeaderSync {
    /// The checkpoint that the application trusts.
    #[serde(deserialize_with = "object")]
    pub checkpoint: CheckpointJson,
    /// A signed header, encoded.
    pub head: HexBytes,
    /// The path of the checkpoint's header hash in the head's history.
    pub inclusion: Vec<Hash32>,
    /// The caller's time, in milliseconds since 1970.
    pub now: Quantity,
    /// How far ahead of `now` the head may be, in milliseconds, if not the default.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub max_clock_skew: Option<Quantity>,
    /// The largest age of the head, in milliseconds, if limited.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub max_head_age: Option<Quantity>,
}

/// The input of a `HeaderInclusion` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeaderInclusion {
    /// The header of an accepted head, encoded.
    pub head: HexBytes,
    /// An older header, encoded.
    pub header: HexBytes,
    /// The height of the requested block, if it was requested by height.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub height: Option<Quantity>,
    /// The path of the header's hash in the head's history.
    pub inclusion: Vec<Hash32>,
}

/// The input of a `HeadersInclusion` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeadersInclusion {
    /// The header of an accepted head, encoded.
    pub head: HexBytes,
    /// Older headers, encoded, ascending by height.
    pub headers: Vec<HexBytes>,
    /// The proof of their places in the head's history.
    pub hashes: Vec<Hash32>,
}

/// The input of a `HeaderWanted` test: a header, and one of the other members.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeaderWanted {
    /// A signed header, encoded.
    pub header: HexBytes,
    /// The newest block was requested, which has at least this height.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub newest: Option<Quantity>,
    /// The block of this height was requested.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub height: Option<Quantity>,
    /// The block with this header hash was requested.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hash32>,
}

/// The input of a `HeaderRelation` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationInput {
    /// A header.
    #[serde(deserialize_with = "object")]
    pub one: KnownHeader,
    /// The header that it is compared with.
    #[serde(deserialize_with = "object")]
    pub other: KnownHeader,
}

/// A header by its height and hash.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownHeader {
    /// Its height.
    pub height: Quantity,
    /// Its hash.
    pub header_hash: Hash32,
}

impl HeaderSync {
    /// The names of its members.
    pub(crate) const MEMBERS: [&str; 6] =
        ["checkpoint", "head", "inclusion", "now", "maxClockSkew", "maxHeadAge"];

    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let (_, head) = self.accept()?;
        Ok(answer(head.height, head.hash()))
    }

    /// Verifies the head; returns the checkpoint and the head's header.
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
    /// Verifies that the header is an ancestor of the head.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let head = Header::decode(&self.head.0, &Limits::DEFAULT)?;
        let header = match self.height {
            None => ancestor(&head, &self.header, &self.inclusion)?,
            Some(height) => {
                let header = Header::decode(&self.header.0, &Limits::DEFAULT)?;
                verify_ancestor_at(&head, height.0, &header, &path(&self.inclusion))?;
                header
            }
        };
        Ok(answer(header.height, header.hash()))
    }
}

impl HeadersInclusion {
    /// Verifies that the headers are ancestors of the head.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let head = Header::decode(&self.head.0, &Limits::DEFAULT)?;
        let decode = |header: &HexBytes| Header::decode(&header.0, &Limits::DEFAULT);
        let headers = self.headers.iter().map(decode).collect::<Result<Vec<_>>>()?;
        verify_ancestors(&head, &headers, &path(&self.hashes))?;
        Ok(answer_of_all(&headers))
    }
}

impl HeaderWanted {
    /// Verifies that the header is that of the requested block.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let wanted = match (self.newest, self.height, self.hash) {
            (Some(least), None, None) => RequestedBlock::Newest(least.0),
            (None, Some(height), None) => RequestedBlock::Height(height.0),
            (None, None, Some(hash)) => RequestedBlock::Hash(hash.0),
            _ => {
                let expected = "one of newest, height and hash";
                return Err(Error::new(Reason::InvalidArgument, expected, "none, or several"));
            }
        };
        let SignedHeader { header, .. } = SignedHeader::decode(&self.header.0, &Limits::DEFAULT)?;
        check_requested(&wanted, &header)?;
        Ok(answer(header.height, header.hash()))
    }
}

impl RelationInput {
    /// The relation of the one header to the other.
    pub(crate) fn answer(&self) -> VerifierAnswer {
        let known = |header: &KnownHeader| (header.height.0, header.header_hash.0);
        let ((height, hash), (other_height, other_hash)) = (known(&self.one), known(&self.other));
        let name = match relation((height, &hash), (other_height, &other_hash)) {
            HeaderOrder::Same => "same",
            HeaderOrder::Conflicting => "conflicting",
            HeaderOrder::Below => "below",
            HeaderOrder::Above => "above",
        };
        VerifierAnswer::from_iter([("relation".to_owned(), json!(name))])
    }
}

/// Decodes an older header, and verifies that it is an ancestor of the head.
pub(crate) fn ancestor(head: &Header, header: &HexBytes, inclusion: &[Hash32]) -> Result<Header> {
    let header = Header::decode(&header.0, &Limits::DEFAULT)?;
    verify_ancestor(head, &header, &path(inclusion))?;
    Ok(header)
}

pub(crate) fn path(inclusion: &[Hash32]) -> Vec<Hash> {
    inclusion.iter().map(|hash| hash.0).collect()
}

/// The members that `expected` may have.
pub(crate) fn answer(height: u64, header_hash: Hash) -> VerifierAnswer {
    VerifierAnswer::from_iter([
        ("height".to_owned(), to_value(Quantity(height)).unwrap_or_default()),
        ("headerHash".to_owned(), to_value(Hash32(header_hash)).unwrap_or_default()),
    ])
}

/// The members that `expected` may have for several headers.
pub(crate) fn answer_of_all(headers: &[Header]) -> VerifierAnswer {
    let hashes: Vec<_> = headers.iter().map(|header| Hash32(header.hash())).collect();
    VerifierAnswer::from_iter([("headerHashes".to_owned(), to_value(hashes).unwrap_or_default())])
}

//! The messages about ordered keys, in borsh; `AmbLimits` is that of `limits`, `KeyHistory` and `RangePage` are those of `answers`.
//!
//! ```text
//! struct AmbRequest { kind: u8, root: [u8; 32], block: u64, limits: AmbLimits, query: of the kind }
//! ```
//! The kinds are those of proofs, 1 for `Get` to 6 for `Update`. The response to a `Get` is a `KeysResponse` of
//! `state::message`, that to a `Count` a u64, that to an `Update` the next root. The others are
//! `RangePage`s, and:
//!
//! ```text
//! struct KeyHistories { distinct: Vec<KeyHistory>, indices: Vec<u32> }
//! ```

use prooflight_amb::{
    CountQuestion, KeyHistories, RangePage, RangeQuestion, ReplicaEntry, TransferQuestion,
    TrustedRoot, UPDATE_LIMITS,
};
use prooflight_core::{Hash, Limits, Result};

use crate::limits::amb_limits_or;
use crate::wire::{
    RequestReader, RequestValue, ResponseValue, ResponseWriter, requests, responses, unknown,
};

/// A question, and the root to verify its answer against.
pub(crate) struct AmbRequest<'a> {
    pub(crate) root: TrustedRoot,
    pub(crate) limits: Limits,
    pub(crate) query: AmbQuery<'a>,
}

/// A question of each kind.
pub(crate) enum AmbQuery<'a> {
    Get(GetQuery<'a>),
    Hist(HistQuery<'a>),
    Range(RangeQuestion<'a>),
    Count(CountQuestion<'a>),
    Transfer(TransferQuestion<'a>),
    Update(UpdateQuery<'a>),
}

/// A key with its new value; `None` for a deletion.
type KeyUpdate<'a> = (&'a [u8], Option<&'a [u8]>);

/// Keys, and the proof of their part of the tree.
type PartProof<'a> = (Vec<&'a [u8]>, &'a [u8]);

requests! {
    /// Keys at a block.
    struct GetQuery<'a> { keys: Vec<&'a [u8]>, at: u64, }

    /// The histories of keys.
    struct HistQuery<'a> { keys: Vec<&'a [u8]>, from: u64, to: u64, }

    extern struct RangeQuestion<'a> { lo: &'a [u8], hi: Option<&'a [u8]>, at: u64, reverse: bool, }

    extern struct CountQuestion<'a> { lo: &'a [u8], hi: Option<&'a [u8]>, }

    extern struct TransferQuestion<'a> { lo: &'a [u8], hi: Option<&'a [u8]>, after: Option<u64>, }

    /// Changes, and proofs of the parts of the tree that they are in.
    struct UpdateQuery<'a> { operations: Vec<KeyUpdate<'a>>, parts: Vec<PartProof<'a>>, }
}

impl<'a> RequestValue<'a> for AmbRequest<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        let kind = r.read()?;
        let root = TrustedRoot { hash: r.read()?, height: r.read()? };
        let default = if kind == UPDATE_KIND { UPDATE_LIMITS } else { Limits::DEFAULT };
        let limits = amb_limits_or(r, default)?;
        let query = match kind {
            1 => AmbQuery::Get(r.read()?),
            2 => AmbQuery::Hist(r.read()?),
            3 => AmbQuery::Range(r.read()?),
            4 => AmbQuery::Count(r.read()?),
            5 => AmbQuery::Transfer(r.read()?),
            UPDATE_KIND => AmbQuery::Update(r.read()?),
            other => return Err(unknown("a kind of 1 to 6", other)),
        };
        Ok(Self { root, limits, query })
    }
}

/// The kind of an update.
const UPDATE_KIND: u8 = 6;

responses! {
    extern struct ReplicaEntry<'a> {
        key: Vec<u8>,
        versions: u64,
        block: u64,
        value: Option<&'a [u8]>,
        peaks: &'a [Hash],
    }
}

/// Encodes `KeyHistories`; the history of a repeated key crosses once.
pub(crate) fn histories(KeyHistories { distinct, indices }: &KeyHistories<'_>) -> Vec<u8> {
    let changes: usize = distinct.iter().map(|history| 1 + history.changes.len()).sum();
    let mut response = ResponseWriter::with_capacity(8 + 48 * changes + 4 * indices.len());
    response.write(distinct);
    response.write(indices);
    response.into_bytes()
}

/// Encodes `RangePage<ReplicaEntry>`.
pub(crate) fn replicas(page: &RangePage<'_, ReplicaEntry<'_>>) -> Vec<u8> {
    page.encode(512 + 128 * page.entries.len())
}

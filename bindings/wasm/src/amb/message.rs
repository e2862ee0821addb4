//! The messages about ordered keys, in borsh; `AmbLimits` is that of `limits`, `History` that of `answers`.
//!
//! ```text
//! struct AmbRequest { kind: u8, root: [u8; 32], block: u64, limits: AmbLimits, query: of the kind }
//! struct Get        { keys: Vec<Vec<u8>>, at: u64 }
//! struct Hist       { keys: Vec<Vec<u8>>, from: u64, to: u64 }
//! struct Range      { lo: Vec<u8>, hi: Option<Vec<u8>>, at: u64, reverse: bool }
//! struct Count      { lo: Vec<u8>, hi: Option<Vec<u8>> }
//! struct Transfer   { lo: Vec<u8>, hi: Option<Vec<u8>>, after: Option<u64> }
//! struct Update     { operations: Vec<Operation>, parts: Vec<Part> }
//! struct Operation  { key: Vec<u8>, value: Option<Vec<u8>> }
//! struct Part       { keys: Vec<Vec<u8>>, proof: Vec<u8> }
//! ```
//! The kinds are those of proofs, 1 for `Get` to 6 for `Update`. The response to a `Get` is a `KeysResponse` of
//! `state::message`, that to a `Count` a u64, that to an `Update` the next root. The others are:
//!
//! ```text
//! struct Histories { distinct: Vec<History>, places: Vec<u32> }
//! struct Page<T>   { entries: Vec<T>, next: Option<Vec<u8>>, opened: u32 }
//! struct Entry     { key: Vec<u8>, value: Vec<u8>, since: u64 }
//! struct Replica   { key: Vec<u8>, versions: u64, block: u64, value: Option<Vec<u8>>, peaks: Vec<[u8; 32]> }
//! ```

use prooflight_amb::{
    CountQuestion, KeyHistories, RangeEntry, RangePage, RangeQuestion, ReplicaEntry,
    TransferQuestion, TrustedRoot, UPDATE_LIMITS,
};
use prooflight_core::{Limits, Result};

use crate::answers::write_history;
use crate::limits::amb_limits_or;
use crate::wire::{self, RequestReader, ResponseWriter};

/// A question, and the root to verify its answer against.
pub(crate) struct AmbRequest<'a> {
    pub(crate) root: TrustedRoot,
    pub(crate) limits: Limits,
    pub(crate) query: AmbQuery<'a>,
}

/// A question of each kind.
pub(crate) enum AmbQuery<'a> {
    Get { keys: Vec<&'a [u8]>, at: u64 },
    Hist { keys: Vec<&'a [u8]>, from: u64, to: u64 },
    Range(RangeQuestion<'a>),
    Count(CountQuestion<'a>),
    Transfer(TransferQuestion<'a>),
    Update { operations: Vec<KeyUpdate<'a>>, parts: Vec<PartProof<'a>> },
}

/// A key with its new value; `None` for a deletion.
type KeyUpdate<'a> = (&'a [u8], Option<&'a [u8]>);

/// Keys, and the proof of their part of the tree.
type PartProof<'a> = (Vec<&'a [u8]>, &'a [u8]);

/// The kind of an update.
const UPDATE_KIND: u8 = 6;

impl<'a> AmbRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            let kind = r.u8()?;
            let root = TrustedRoot { hash: r.array()?, height: r.u64()? };
            let default = if kind == UPDATE_KIND { UPDATE_LIMITS } else { Limits::DEFAULT };
            let limits = amb_limits_or(r, default)?;
            Ok(Self { root, limits, query: query(kind, r)? })
        })
    }
}

fn query<'a>(kind: u8, r: &mut RequestReader<'a>) -> Result<AmbQuery<'a>> {
    Ok(match kind {
        1 => AmbQuery::Get { keys: r.sequence(RequestReader::bytes)?, at: r.u64()? },
        2 => {
            AmbQuery::Hist { keys: r.sequence(RequestReader::bytes)?, from: r.u64()?, to: r.u64()? }
        }
        3 => AmbQuery::Range(RangeQuestion {
            lo: r.bytes()?,
            hi: r.option(RequestReader::bytes)?,
            at: r.u64()?,
            reverse: r.bool()?,
        }),
        4 => AmbQuery::Count(CountQuestion { lo: r.bytes()?, hi: r.option(RequestReader::bytes)? }),
        5 => AmbQuery::Transfer(TransferQuestion {
            lo: r.bytes()?,
            hi: r.option(RequestReader::bytes)?,
            after: r.option(RequestReader::u64)?,
        }),
        UPDATE_KIND => AmbQuery::Update {
            operations: r.sequence(|r| Ok((r.bytes()?, r.option(RequestReader::bytes)?)))?,
            parts: r.sequence(|r| Ok((r.sequence(RequestReader::bytes)?, r.bytes()?)))?,
        },
        other => return Err(wire::unknown("a kind of 1 to 6", other)),
    })
}

/// Encodes `Histories`; the history of a repeated key crosses once.
pub(crate) fn histories(KeyHistories { distinct, indices: places }: &KeyHistories<'_>) -> Vec<u8> {
    let changes: usize = distinct.iter().map(|history| 1 + history.changes.len()).sum();
    let mut response = ResponseWriter::with_capacity(8 + 48 * changes + 4 * places.len());
    response.length(distinct.len());
    for history in distinct {
        write_history(&mut response, history);
    }
    response.length(places.len());
    for &place in places {
        response.length(place);
    }
    response.into_bytes()
}

/// Encodes `Page<Entry>`.
pub(crate) fn entries(page: &RangePage<'_, RangeEntry<'_>>) -> Vec<u8> {
    let bytes: usize =
        page.entries.iter().map(|entry| 16 + entry.key.len() + entry.value.len()).sum();
    let mut response = ResponseWriter::with_capacity(512 + bytes);
    response.length(page.entries.len());
    for RangeEntry { key, value, since } in &page.entries {
        response.bytes(key);
        response.bytes(value);
        response.array(&since.to_le_bytes());
    }
    response.option(page.next);
    response.length(page.opened);
    response.into_bytes()
}

/// Encodes `Page<Replica>`.
pub(crate) fn replicas(page: &RangePage<'_, ReplicaEntry<'_>>) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(512 + 128 * page.entries.len());
    response.length(page.entries.len());
    for ReplicaEntry { key, versions, block, value, peaks } in &page.entries {
        response.bytes(key);
        response.array(&versions.to_le_bytes());
        response.array(&block.to_le_bytes());
        response.option(*value);
        response.length(peaks.len());
        for peak in *peaks {
            response.array(peak);
        }
    }
    response.option(page.next);
    response.length(page.opened);
    response.into_bytes()
}

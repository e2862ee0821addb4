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
    Count, Entry, Histories, Page, Range, Replica, Root, Transfer, UPDATE_LIMITS,
};
use prooflight_core::{Limits, Result};

use crate::answers::write_history;
use crate::limits::amb_limits_or;
use crate::wire::{self, Request, Response};

/// A question, and the root to verify its answer against.
pub(crate) struct AmbRequest<'a> {
    pub(crate) root: Root,
    pub(crate) limits: Limits,
    pub(crate) query: Query<'a>,
}

/// A question of each kind.
pub(crate) enum Query<'a> {
    Get { keys: Vec<&'a [u8]>, at: u64 },
    Hist { keys: Vec<&'a [u8]>, from: u64, to: u64 },
    Range(Range<'a>),
    Count(Count<'a>),
    Transfer(Transfer<'a>),
    Update { operations: Vec<Operation<'a>>, parts: Vec<Part<'a>> },
}

/// A key with its new value; `None` for a deletion.
type Operation<'a> = (&'a [u8], Option<&'a [u8]>);

/// Keys, and the proof of their part of the tree.
type Part<'a> = (Vec<&'a [u8]>, &'a [u8]);

/// The kind of an update.
const UPDATE: u8 = 6;

impl<'a> AmbRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            let kind = r.u8()?;
            let root = Root { hash: r.array()?, height: r.u64()? };
            let default = if kind == UPDATE { UPDATE_LIMITS } else { Limits::DEFAULT };
            let limits = amb_limits_or(r, default)?;
            Ok(Self { root, limits, query: query(kind, r)? })
        })
    }
}

fn query<'a>(kind: u8, r: &mut Request<'a>) -> Result<Query<'a>> {
    Ok(match kind {
        1 => Query::Get { keys: r.sequence(Request::bytes)?, at: r.u64()? },
        2 => Query::Hist { keys: r.sequence(Request::bytes)?, from: r.u64()?, to: r.u64()? },
        3 => Query::Range(Range {
            lo: r.bytes()?,
            hi: r.option(Request::bytes)?,
            at: r.u64()?,
            reverse: r.bool()?,
        }),
        4 => Query::Count(Count { lo: r.bytes()?, hi: r.option(Request::bytes)? }),
        5 => Query::Transfer(Transfer {
            lo: r.bytes()?,
            hi: r.option(Request::bytes)?,
            after: r.option(Request::u64)?,
        }),
        UPDATE => Query::Update {
            operations: r.sequence(|r| Ok((r.bytes()?, r.option(Request::bytes)?)))?,
            parts: r.sequence(|r| Ok((r.sequence(Request::bytes)?, r.bytes()?)))?,
        },
        other => return Err(wire::unknown("a kind of 1 to 6", other)),
    })
}

/// Encodes `Histories`; the history of a repeated key crosses once.
pub(crate) fn histories(Histories { distinct, places }: &Histories<'_>) -> Vec<u8> {
    let changes: usize = distinct.iter().map(|history| 1 + history.changes.len()).sum();
    let mut response = Response::with_capacity(8 + 48 * changes + 4 * places.len());
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
pub(crate) fn entries(page: &Page<'_, Entry<'_>>) -> Vec<u8> {
    let bytes: usize =
        page.entries.iter().map(|entry| 16 + entry.key.len() + entry.value.len()).sum();
    let mut response = Response::with_capacity(512 + bytes);
    response.length(page.entries.len());
    for Entry { key, value, since } in &page.entries {
        response.bytes(key);
        response.bytes(value);
        response.array(&since.to_le_bytes());
    }
    response.option(page.next);
    response.length(page.opened);
    response.into_bytes()
}

/// Encodes `Page<Replica>`.
pub(crate) fn replicas(page: &Page<'_, Replica<'_>>) -> Vec<u8> {
    let mut response = Response::with_capacity(512 + 128 * page.entries.len());
    response.length(page.entries.len());
    for Replica { key, versions, block, value, peaks } in &page.entries {
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

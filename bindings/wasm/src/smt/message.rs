//! The messages about historical proofs, in borsh; `Limits` is that of `limits`, `Answer` and `History` are
//! those of `answers`.
//!
//! ```text
//! struct KeysRequest    { root: [u8; 32], height: u64, limits: Limits, keys: Vec<Vec<u8>> }
//! struct Range          { key: Vec<u8>, from: u64, to: u64, limits: HistoryLimits }
//! struct HistoryRequest { range: Range, roots: Vec<(u64, [u8; 32])> }
//! struct TwapRequest    { history: HistoryRequest, timestamps: Vec<(u64, u64)>, start: u64, end: u64 }
//! struct DiffRequest    { root: [u8; 32], from: Option<u64>, to: u64, limits: Limits }
//! struct Average        { sum: [u8; 40] big-endian, covered_ms: u64, gaps: Vec<(u64, u64)> }
//! struct Change         { key: Vec<u8>, height: u64, value: Option<Vec<u8>> }
//! ```

use prooflight_core::{Hash, Limits, Result};
use prooflight_smt::{Average, DiffEntry, PastState};

use crate::answers::write_answers;
use crate::limits::{history_limits, limits};
use crate::wire::{self, RequestReader, ResponseWriter};

/// The keys of a query at a block, and the block's root.
pub(crate) struct SmtKeysRequest<'a> {
    pub(crate) root: Hash,
    pub(crate) height: u64,
    pub(crate) limits: Limits,
    pub(crate) keys: Vec<&'a [u8]>,
}

impl<'a> SmtKeysRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                root: r.array()?,
                height: r.u64()?,
                limits: limits(r)?,
                keys: r.sequence(RequestReader::bytes)?,
            })
        })
    }
}

/// A key and a range of blocks.
pub(crate) struct BlockRange<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) limits: Limits,
}

impl<'a> BlockRange<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, Self::read)
    }

    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok(Self { key: r.bytes()?, from: r.u64()?, to: r.u64()?, limits: history_limits(r)? })
    }
}

/// A range, and the roots that its history is verified against.
pub(crate) struct SmtHistoryRequest<'a> {
    pub(crate) blocks: BlockRange<'a>,
    pub(crate) roots: Vec<(u64, Hash)>,
}

impl<'a> SmtHistoryRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, Self::read)
    }

    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        let range = BlockRange::read(r)?;
        Ok(Self { blocks: range, roots: r.sequence(|r| Ok((r.u64()?, r.array()?)))? })
    }
}

/// A history, and the time to average over.
pub(crate) struct TwapRequest<'a> {
    pub(crate) history: SmtHistoryRequest<'a>,
    pub(crate) timestamps: Vec<(u64, u64)>,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl<'a> TwapRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                history: SmtHistoryRequest::read(r)?,
                timestamps: r.sequence(|r| Ok((r.u64()?, r.u64()?)))?,
                start: r.u64()?,
                end: r.u64()?,
            })
        })
    }
}

/// A range of blocks, and the root of the last one.
pub(crate) struct SmtDiffRequest {
    pub(crate) root: Hash,
    pub(crate) from: Option<u64>,
    pub(crate) to: u64,
    pub(crate) limits: Limits,
}

impl SmtDiffRequest {
    pub(crate) fn decode(request: &[u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                root: r.array()?,
                from: r.option(RequestReader::u64)?,
                to: r.u64()?,
                limits: limits(r)?,
            })
        })
    }
}

/// Encodes `Vec<Answer>`.
pub(crate) fn answers(answers: &[PastState<'_>]) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(48 * answers.len());
    write_answers(&mut response, answers);
    response.into_bytes()
}

/// Encodes `Vec<u64>`.
pub(crate) fn blocks(blocks: &[u64]) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(4 + 8 * blocks.len());
    response.length(blocks.len());
    for height in blocks {
        response.array(&height.to_le_bytes());
    }
    response.into_bytes()
}

/// Encodes an `Average`.
pub(crate) fn average(average: &Average) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(64 + 16 * average.gaps.len());
    response.array(&average.sum);
    response.array(&average.covered_ms.to_le_bytes());
    response.length(average.gaps.len());
    for gap in &average.gaps {
        response.array(&gap.from_ms.to_le_bytes());
        response.array(&gap.to_ms.to_le_bytes());
    }
    response.into_bytes()
}

/// Encodes `Vec<Change>`.
pub(crate) fn changes(changes: &[DiffEntry<'_>]) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(96 * changes.len());
    response.length(changes.len());
    for change in changes {
        response.bytes(change.key);
        response.array(&change.answer.changed_at().unwrap_or_default().to_le_bytes());
        response.option(change.answer.value());
    }
    response.into_bytes()
}

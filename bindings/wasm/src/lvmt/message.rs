//! The messages about LVMT, in borsh.
//!
//! ```text
//! struct Setup           { params_id: [u8; 32], log_n: u8, allow_insecure: bool, key: Option<Vec<u8>> }
//! struct ProofRequest    { setup: Setup, log_arity: u8, root: [u8; 64], height: u64,
//!                          limits: Limits, keys: Vec<Vec<u8>> }
//! struct ProofResponse   { values: Vec<Vec<u8>>, results: Vec<KeyResult> }
//! enum   KeyResult       { Present { value: u32, since: u64, version: u64 },
//!                          Deleted { deleted_at: u64, version: u64 }, NeverWritten }
//! struct OpeningsRequest { setup: Named, allow_insecure: bool, params_id: Option<[u8; 32]>,
//!                          openings: Vec<Opening> }
//! enum   Named           { Dev { log_n: u8 }, Ppot { log_n: u8 }, Key(Vec<u8>) }
//! struct Opening         { kind: Kind, commitment: [u8; 32], index: u32, value: Value,
//!                          points: Vec<[u8; 32]> }
//! enum   Kind            { Single, Tree { log_arity: u8 } }
//! enum   Value           { Scalar([u8; 32]), Versions([u64; 6]) }
//! ```
//! `value` is a position in `values`: a value that several results share crosses once.

use prooflight_amt::{Opening, OpeningKind, PointBytes, SLOTS, Scalar};
use prooflight_core::{Limits, Result};
use prooflight_lvmt::{LvmtRoot, VersionedState};

use crate::limits::limits;
use crate::lvmt::setup::{NamedSetup, PinnedSetup};
use crate::values::DistinctValues;
use crate::wire::{self, RequestReader};

/// The setup and roots that a proof is verified against, and the keys.
pub(crate) struct LvmtProofRequest<'a> {
    pub(crate) setup: PinnedSetup<'a>,
    pub(crate) log_arity: u8,
    pub(crate) root: LvmtRoot,
    pub(crate) limits: Limits,
    pub(crate) keys: Vec<&'a [u8]>,
}

impl<'a> LvmtProofRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                setup: setup(r)?,
                log_arity: r.u8()?,
                root: LvmtRoot::new(&r.array()?, r.u64()?),
                limits: limits(r)?,
                keys: r.sequence(RequestReader::bytes)?,
            })
        })
    }
}

/// Openings under one setup.
pub(crate) struct OpeningsRequest<'a> {
    pub(crate) setup: NamedSetup<'a>,
    pub(crate) allow_insecure: bool,
    pub(crate) params_id: Option<[u8; 32]>,
    openings: Vec<OpeningMessage>,
}

struct OpeningMessage {
    kind: OpeningKind,
    commitment: PointBytes,
    index: u32,
    value: ValueMessage,
    points: Vec<PointBytes>,
}

enum ValueMessage {
    Scalar([u8; 32]),
    Versions([u64; SLOTS]),
}

impl<'a> OpeningsRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                setup: named(r)?,
                allow_insecure: r.bool()?,
                params_id: r.option(RequestReader::array)?,
                openings: r.sequence(opening)?,
            })
        })
    }

    /// The openings in the form that the verifier takes.
    pub(crate) fn openings(&self) -> Result<Vec<Opening<'_>>> {
        let openings = self.openings.iter().map(|opening| {
            let OpeningMessage { kind, commitment, index, value, points } = opening;
            let (kind, commitment, index) = (*kind, *commitment, *index);
            let value = match value {
                ValueMessage::Scalar(bytes) => Scalar::from_bytes(bytes),
                ValueMessage::Versions(versions) => Scalar::from_versions(versions),
            }?;
            Ok(Opening { commitment, index, value, kind, points })
        });
        openings.collect()
    }
}

fn setup<'a>(r: &mut RequestReader<'a>) -> Result<PinnedSetup<'a>> {
    Ok(PinnedSetup {
        params_id: r.array()?,
        log_n: r.u8()?,
        allow_insecure: r.bool()?,
        key: r.option(RequestReader::bytes)?,
    })
}

fn named<'a>(r: &mut RequestReader<'a>) -> Result<NamedSetup<'a>> {
    match r.u8()? {
        0 => r.u8().map(NamedSetup::Dev),
        1 => r.u8().map(NamedSetup::Ppot),
        2 => r.bytes().map(NamedSetup::Key),
        other => Err(wire::unknown("a setup", other)),
    }
}

fn opening(r: &mut RequestReader<'_>) -> Result<OpeningMessage> {
    Ok(OpeningMessage {
        kind: if r.bool()? {
            OpeningKind::Tree { log_arity: r.u8()? }
        } else {
            OpeningKind::Single
        },
        commitment: r.array()?,
        index: r.u32()?,
        value: if r.bool()? {
            ValueMessage::Versions([r.u64()?, r.u64()?, r.u64()?, r.u64()?, r.u64()?, r.u64()?])
        } else {
            ValueMessage::Scalar(r.array()?)
        },
        points: r.sequence(RequestReader::array)?,
    })
}

/// Encodes a `ProofResponse`.
pub(crate) fn results(answers: &[VersionedState]) -> Vec<u8> {
    let values =
        DistinctValues::of(answers.iter().filter_map(VersionedState::value).map(|value| &**value));
    let mut response = values.response(4 + 21 * answers.len());
    response.length(answers.len());
    for answer in answers {
        let (block, version) = match answer {
            VersionedState::NeverWritten => {
                response.u8(2);
                continue;
            }
            VersionedState::Deleted { deleted_at, version } => {
                response.u8(1);
                (deleted_at, version)
            }
            VersionedState::Present { value, since, version } => {
                response.u8(0);
                response.length(values.number(value));
                (since, version)
            }
        };
        response.array(&block.to_le_bytes());
        response.array(&version.to_le_bytes());
    }
    response.into_bytes()
}

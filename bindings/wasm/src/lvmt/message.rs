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

use prooflight_amt::{Kind, Opening, PointBytes, SLOTS, Scalar};
use prooflight_core::{Limits, Result};
use prooflight_lvmt::{Answer, Root};

use crate::limits::limits;
use crate::lvmt::setup::{Named, Setup};
use crate::values::Values;
use crate::wire::{self, Request};

/// The setup and roots that a proof is verified against, and the keys.
pub(crate) struct ProofRequest<'a> {
    pub(crate) setup: Setup<'a>,
    pub(crate) log_arity: u8,
    pub(crate) root: Root,
    pub(crate) limits: Limits,
    pub(crate) keys: Vec<&'a [u8]>,
}

impl<'a> ProofRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                setup: setup(r)?,
                log_arity: r.u8()?,
                root: Root::new(&r.array()?, r.u64()?),
                limits: limits(r)?,
                keys: r.sequence(Request::bytes)?,
            })
        })
    }
}

/// Openings under one setup.
pub(crate) struct OpeningsRequest<'a> {
    pub(crate) setup: Named<'a>,
    pub(crate) allow_insecure: bool,
    pub(crate) params_id: Option<[u8; 32]>,
    openings: Vec<OpeningMessage>,
}

struct OpeningMessage {
    kind: Kind,
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
                params_id: r.option(Request::array)?,
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

fn setup<'a>(r: &mut Request<'a>) -> Result<Setup<'a>> {
    Ok(Setup {
        params_id: r.array()?,
        log_n: r.u8()?,
        allow_insecure: r.bool()?,
        key: r.option(Request::bytes)?,
    })
}

fn named<'a>(r: &mut Request<'a>) -> Result<Named<'a>> {
    match r.u8()? {
        0 => r.u8().map(Named::Dev),
        1 => r.u8().map(Named::Ppot),
        2 => r.bytes().map(Named::Key),
        other => Err(wire::unknown("a setup", other)),
    }
}

fn opening(r: &mut Request<'_>) -> Result<OpeningMessage> {
    Ok(OpeningMessage {
        kind: if r.bool()? { Kind::Tree { log_arity: r.u8()? } } else { Kind::Single },
        commitment: r.array()?,
        index: r.u32()?,
        value: if r.bool()? {
            ValueMessage::Versions([r.u64()?, r.u64()?, r.u64()?, r.u64()?, r.u64()?, r.u64()?])
        } else {
            ValueMessage::Scalar(r.array()?)
        },
        points: r.sequence(Request::array)?,
    })
}

/// Encodes a `ProofResponse`.
pub(crate) fn results(answers: &[Answer]) -> Vec<u8> {
    let values = Values::of(answers.iter().filter_map(Answer::value).map(|value| &**value));
    let mut response = values.response(4 + 21 * answers.len());
    response.length(answers.len());
    for answer in answers {
        let (block, version) = match answer {
            Answer::NeverWritten => {
                response.u8(2);
                continue;
            }
            Answer::Deleted { deleted_at, version } => {
                response.u8(1);
                (deleted_at, version)
            }
            Answer::Present { value, since, version } => {
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

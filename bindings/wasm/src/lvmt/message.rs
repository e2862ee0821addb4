//! The messages about LVMT, in borsh.
//!
//! ```text
//! struct ProofResponse   { values: Vec<Vec<u8>>, results: Vec<KeyResult> }
//! enum   KeyResult       { Present { value: u32, since: u64, version: u64 },
//!                          Deleted { deleted_at: u64, version: u64 }, NeverWritten }
//! enum   NamedSetup      { Dev { log_n: u8 }, Ppot { log_n: u8 }, Key(Vec<u8>) }
//! enum   OpeningKind     { Single, Tree { log_arity: u8 } }
//! enum   ValueMessage    { Scalar([u8; 32]), Versions([u64; 6]) }
//! ```
//! `value` is a position in `values`: a value that several results share crosses once.

use prooflight_amt::{Opening, OpeningKind, PointBytes, SLOTS, Scalar};
use prooflight_core::{Limits, Result};
use prooflight_lvmt::{LvmtRoot, VersionedState};

use crate::lvmt::setup::{NamedSetup, PinnedSetup};
use crate::values::DistinctValues;
use crate::wire::{RequestReader, RequestValue, requests, unknown};

requests! {
    /// The setup and roots that a proof is verified against, and the keys.
    struct LvmtProofRequest<'a> {
        setup: PinnedSetup<'a>,
        log_arity: u8,
        root: LvmtRoot,
        limits: Limits,
        keys: Vec<&'a [u8]>,
    }

    extern struct PinnedSetup<'a> {
        params_id: [u8; 32],
        log_n: u8,
        allow_insecure: bool,
        key: Option<&'a [u8]>,
    }

    /// Openings under one setup.
    struct OpeningsRequest<'a> {
        setup: NamedSetup<'a>,
        allow_insecure: bool,
        params_id: Option<[u8; 32]>,
        openings: Vec<OpeningMessage>,
    }

    /// One opening.
    struct OpeningMessage {
        kind: OpeningKind,
        commitment: PointBytes,
        index: u32,
        value: ValueMessage,
        points: Vec<PointBytes>,
    }
}

/// The value of an opening: a number, or the versions of the keys of a slot.
pub(crate) enum ValueMessage {
    Scalar([u8; 32]),
    Versions([u64; SLOTS]),
}

impl OpeningsRequest<'_> {
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

impl RequestValue<'_> for LvmtRoot {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        Ok(Self::new(&r.read()?, r.read()?))
    }
}

impl<'a> RequestValue<'a> for NamedSetup<'a> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        match r.read()? {
            0 => r.read().map(Self::Dev),
            1 => r.read().map(Self::Ppot),
            2 => r.read().map(Self::Key),
            other => Err(unknown("a setup", other)),
        }
    }
}

impl RequestValue<'_> for OpeningKind {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        Ok(if r.read()? { Self::Tree { log_arity: r.read()? } } else { Self::Single })
    }
}

impl RequestValue<'_> for ValueMessage {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        if !r.read()? {
            return r.read().map(Self::Scalar);
        }
        let mut versions = [0; SLOTS];
        for version in &mut versions {
            *version = r.read()?;
        }
        Ok(Self::Versions(versions))
    }
}

/// Encodes a `ProofResponse`.
pub(crate) fn results(answers: &[VersionedState]) -> Vec<u8> {
    let values =
        DistinctValues::of(answers.iter().filter_map(VersionedState::value).map(|value| &**value));
    let mut response = values.response(4 + 21 * answers.len());
    response.write(&answers.len());
    for answer in answers {
        let (block, version) = match answer {
            VersionedState::NeverWritten => {
                response.byte(2);
                continue;
            }
            VersionedState::Deleted { deleted_at, version } => {
                response.byte(1);
                (deleted_at, version)
            }
            VersionedState::Present { value, since, version } => {
                response.byte(0);
                response.write(&values.number(value));
                (since, version)
            }
        };
        response.write(block);
        response.write(version);
    }
    response.into_bytes()
}

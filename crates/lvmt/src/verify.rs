//! Verifies a proof about keys.

use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_amt::{Opening, Scalar, verify_openings};
use prooflight_core::{Hash, Result, Verified, distinct};

use crate::params::{LvmtRoot, Params};
use crate::path::key_hash;
use crate::proof::{Claim, PROOF_ENVELOPE, Proof};
use crate::shared_points::check_shared_points;
use crate::trees::check_leaves;
use crate::walk::{WalkEntry, WalkResult, walk};

/// The state of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VersionedState {
    /// A value.
    Present {
        /// The value.
        value: Arc<[u8]>,
        /// The block that set it.
        since: u64,
        /// The number of blocks that wrote the key, deletes included.
        version: u64,
    },
    /// Deleted: no value any more.
    Deleted {
        /// The block that deleted it.
        deleted_at: u64,
        /// The number of blocks that wrote the key, deletes included.
        version: u64,
    },
    /// Never written, in no block up to this one.
    NeverWritten,
}

impl VersionedState {
    /// The value, if the key has one.
    pub const fn value(&self) -> Option<&Arc<[u8]>> {
        match self {
            Self::Present { value, .. } => Some(value),
            Self::Deleted { .. } | Self::NeverWritten => None,
        }
    }
}

/// Verifies the newest values of keys, or their absence, in the state with this root.
///
/// The answers are in the order of the keys, which may repeat: the proof is about the distinct ones, and a
/// repeated one shares its value. Checked in this order: the caller's arguments (`insecure_setup`,
/// `invalid_argument`, `too_many_keys`); the encoding (`proof_too_large` and those of the envelope); the
/// walks, which use up the proof's lists; the leaves in the trees (`root_mismatch`, and reasons of the
/// lists of sizes and hashes); the points that entries of one AMT share (`opening_mismatch`); the openings,
/// all in one (`invalid_point`, `opening_mismatch`). The work is linear in the proof's length and the number
/// of keys. Source: Li et al. 2023, section 4; `test-vectors/spec/lvmt.md`, section 5.
pub fn verify(
    root: &LvmtRoot,
    keys: &[impl AsRef<[u8]>],
    proof: &[u8],
    params: &Params<'_>,
) -> Result<Verified<Vec<VersionedState>>> {
    params.check(root, keys.len())?;
    let requested: Vec<Hash> = keys.iter().map(|key| key_hash(key.as_ref())).collect();
    verify_hashes(root, &requested, proof, params)
}

/// Verifies a new proof by its key hashes. `points` are the points that the prover still has in decoded form; without
/// them the openings are not verified.
#[cfg(feature = "prover")]
pub(crate) fn verify_new_proof(
    root: &LvmtRoot,
    requested: &[Hash],
    proof: &[u8],
    params: &Params<'_>,
    points: Option<&[prooflight_amt::Point]>,
) -> Result<Verified<Vec<VersionedState>>> {
    params.check(root, requested.len())?;
    verify_with(root, requested, proof, params, |openings| match points {
        Some(points) => prooflight_amt::verify_openings_with(openings, params.key, points),
        None => Ok(()),
    })
}

/// Verifies keys by their hashes; not generic over the type of keys, since this is most of the code.
#[inline(never)]
fn verify_hashes(
    root: &LvmtRoot,
    requested: &[Hash],
    proof: &[u8],
    params: &Params<'_>,
) -> Result<Verified<Vec<VersionedState>>> {
    verify_with(root, requested, proof, params, |openings| verify_openings(openings, params.key))
}

fn verify_with(
    root: &LvmtRoot,
    requested: &[Hash],
    proof: &[u8],
    params: &Params<'_>,
    openings: impl FnOnce(&[Opening<'_>]) -> Result<()>,
) -> Result<Verified<Vec<VersionedState>>> {
    let proof: Proof = PROOF_ENVELOPE.decode(proof, &params.limits)?;
    let (distinct, places) = distinct(requested);

    let WalkResult { entries, leaves, versions } = walk(params, root, &distinct, &proof)?;
    check_leaves(root, &proof, &leaves)?;
    check_shared_points(&entries)?;
    openings(&openings_of(&entries)?)?;

    let answers = proof.claims.into_iter().zip(versions);
    let answers: Vec<_> = answers.map(|(claim, version)| answer(claim, version)).collect();
    let of = |&place: &usize| answers.get(place).cloned();
    Ok(Verified::by_verifier(places.iter().filter_map(of).collect()))
}

fn openings_of<'a>(entries: &[WalkEntry<'a>]) -> Result<Vec<Opening<'a>>> {
    let opening = |entry: &WalkEntry<'a>| {
        Ok(Opening {
            commitment: entry.commitment,
            index: entry.index,
            value: Scalar::from_versions(&entry.versions)?,
            kind: entry.kind,
            points: entry.points,
        })
    };
    entries.iter().map(opening).collect()
}

fn answer(claim: Claim, version: u64) -> VersionedState {
    match claim {
        Claim::Present { place, value, .. } => {
            VersionedState::Present { value: value.into(), since: place.block, version }
        }
        Claim::Deleted { place, .. } => {
            VersionedState::Deleted { deleted_at: place.block, version }
        }
        Claim::NeverWritten => VersionedState::NeverWritten,
    }
}

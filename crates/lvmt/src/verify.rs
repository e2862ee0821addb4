//! Verifying what a proof says of keys.

use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_amt::{Opening, Scalar, verify_openings};
use prooflight_core::{Hash, Result, Verified};

use crate::nodes::check_nodes;
use crate::params::{Params, Root};
use crate::path::key_hash;
use crate::proof::{Claim, ENVELOPE, Proof};
use crate::trees::check_leaves;
use crate::walk::{Opened, Walked, walk};

/// The value of a key, and when it was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The value.
    pub bytes: Arc<[u8]>,
    /// The block that wrote it last.
    pub block: u64,
    /// In how many blocks the key was written, deletes included.
    pub version: u64,
}

/// Why a key has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absence {
    /// No block has written it.
    NeverWritten,
    /// It was deleted.
    Deleted {
        /// The block that deleted it.
        block: u64,
        /// In how many blocks the key was written, deletes included.
        version: u64,
    },
}

/// Verifies the newest values of keys, or that they have none, after the block that `root` is of.
///
/// The answers are in the order of the keys, which may repeat: the proof is about the distinct ones, and a
/// repeated one shares its value. Checked in this order: the caller's arguments (`insecure_setup`,
/// `invalid_argument`, `too_many_keys`); the encoding (`proof_too_large` and those of the envelope); the
/// walks, which use up the proof's lists; the leaves in the trees (`root_mismatch`, and reasons of the
/// lists of sizes and hashes); the points that entries of one AMT share (`opening_mismatch`); the openings,
/// all in one (`invalid_point`, `opening_mismatch`). The work is linear in the proof's length and the number
/// of keys.
/// Source: Li et al. 2023, section 4; `test-vectors/spec/lvmt.md`, section 5.
pub fn verify(
    params: &Params<'_>,
    root: &Root,
    keys: &[impl AsRef<[u8]>],
    proof: &[u8],
) -> Result<Vec<Verified<Value, Absence>>> {
    params.check(root, keys.len())?;
    let proof: Proof = ENVELOPE.decode(proof, &params.limits)?;
    let requested: Vec<Hash> = keys.iter().map(|key| key_hash(key.as_ref())).collect();
    let mut distinct = requested.clone();
    distinct.sort_unstable();
    distinct.dedup();

    let Walked { entries, leaves, versions } = walk(params, root, &distinct, &proof)?;
    check_leaves(root, &proof, leaves)?;
    check_nodes(&entries)?;
    check_openings(params, &entries)?;

    let answers = proof.claims.into_iter().zip(versions);
    let answers: Vec<_> = answers.map(|(claim, version)| answer(claim, version)).collect();
    let of = |key: &Hash| distinct.binary_search(key).ok().and_then(|at| answers.get(at).cloned());
    Ok(requested.iter().filter_map(of).collect())
}

fn check_openings(params: &Params<'_>, entries: &[Opened<'_>]) -> Result<()> {
    let mut openings = Vec::with_capacity(entries.len());
    for entry in entries {
        openings.push(Opening {
            commitment: entry.commitment,
            index: entry.index,
            value: Scalar::from_versions(&entry.versions)?,
            kind: entry.kind,
            points: entry.points,
        });
    }
    verify_openings(params.key, &openings)
}

fn answer(claim: Claim, version: u64) -> Verified<Value, Absence> {
    match claim {
        Claim::Present { place, value, .. } => {
            Verified::Present(Value { bytes: value.into(), block: place.block, version })
        }
        Claim::Deleted { place, .. } => {
            Verified::Absent(Absence::Deleted { block: place.block, version })
        }
        Claim::NeverWritten => Verified::Absent(Absence::NeverWritten),
    }
}

//! The values of one or many keys in a state of three layers.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified, distinct, keccak256};
use prooflight_mpt::verify_keys;

use crate::{Layer, LayerRoots, leaf, proof};

/// The state of a key, and the layer that determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayeredValue<'a> {
    /// The value; `None` if the key has none.
    pub value: Option<&'a [u8]>,
    /// The newest layer with the key's value or tombstone; the snapshot if no layer has either.
    ///
    /// A key without a value was deleted if this is not the snapshot. In the snapshot, nothing shows whether it ever
    /// had one.
    pub layer: Layer,
}

/// Verifies the values of keys, or that they have none, in the state with these roots.
///
/// The caller must trust `roots`. Returns an answer for each of `keys`, in their order; the proof does not depend
/// on their order or repetitions, and there is one proof for each set of keys. `invalid_argument` without keys. Time
/// and memory are linear in the proof, plus at most 64 steps for each key and layer.
///
/// Source: `test-vectors/spec/lmpt.md`, section 5, after Choi et al. 2024.
pub fn verify<'a>(
    roots: &LayerRoots,
    keys: &[&[u8]],
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<Vec<LayeredValue<'a>>>> {
    check_keys(keys, limits)?;
    let layers = proof::decode(proof, limits)?;

    let hashes: Vec<Hash> = keys.iter().map(|key| keccak256(&[key])).collect();
    let (hashes, places) = distinct(&hashes);
    let mut answers = vec![LayeredValue { value: None, layer: Layer::Snapshot }; hashes.len()];
    let mut open: Vec<usize> = (0..hashes.len()).collect();
    for (layer, nodes) in Layer::ALL.into_iter().zip(&layers) {
        let paths: Vec<&[u8]> = open.iter().map(|&key| &hashes[key][..]).collect();
        let leaves = verify_keys(roots.of(layer), &paths, nodes)?;
        let mut still_open = Vec::new();
        for (key, leaf) in open.into_iter().zip(leaves.get()) {
            match leaf {
                Some(leaf) => {
                    answers[key] = LayeredValue { value: value_in_leaf(leaf, layer)?, layer }
                }
                None => still_open.push(key),
            }
        }
        open = still_open;
    }
    Ok(Verified::by_verifier(places.iter().map(|&place| answers[place]).collect()))
}

fn check_keys(keys: &[&[u8]], limits: &Limits) -> Result<()> {
    if keys.is_empty() {
        return Err(Error::new(Reason::InvalidArgument, "at least one key", 0));
    }
    limits.check_keys(keys.len())
}

/// The value in a leaf of a layer; `None` for a tombstone.
fn value_in_leaf(leaf: &[u8], layer: Layer) -> Result<Option<&[u8]>> {
    let value = leaf::decode(leaf)?;
    if value.is_none() && layer == Layer::Snapshot {
        return Err(Error::new(Reason::TombstoneInSnapshot, "01 and a value", Hex(leaf)));
    }
    Ok(value)
}

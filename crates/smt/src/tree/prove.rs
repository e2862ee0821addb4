//! Proofs of keys at the newest block, straight from memory.

use std::vec::Vec;

use prooflight_core::{Error, Hash, Reason, Result};

use super::node::NodeKind;
use super::shard::{Leaf, bit};
use super::view::{NodeView, ViewContent};
use crate::hash::hash_value;
use crate::proof::{PROOF_ENVELOPE, ProofLeaf, ProofWriter};

/// A proof of these keys, which are ascending and distinct, in the tree of a block.
pub(super) fn prove<'t, T: AsRef<[u8]>>(
    view: &impl NodeView<'t>,
    height: u64,
    mut keys: Vec<Hash>,
    mut value: impl FnMut(&Hash) -> Result<T>,
) -> Result<Vec<u8>> {
    let mut writer = ProofWriter::new(PROOF_ENVELOPE);
    let root = view.root();
    if let Some(root) = &root {
        writer.root(height, root.stamp.height());
    }
    let mut pending: Vec<_> = root.into_iter().map(|root| (None, root, 0..keys.len())).collect();
    while let Some((parent, place, range)) = pending.pop() {
        let keys = &mut keys[range.clone()];
        match view.open(&place) {
            None => {}
            Some(ViewContent::Branch { depth, children }) => {
                let [left, right] = children.map(|child| child.stamp.height());
                writer.branch(parent, depth, left, right);
                let middle = range.start + partition_keys(keys, depth);
                let ranges = [range.start..middle, middle..range.end];
                for (child, _) in children.iter().zip(&ranges).filter(|(_, keys)| keys.is_empty()) {
                    writer.closed(child.hash);
                }
                let opened = children.into_iter().zip(ranges).filter(|(_, keys)| !keys.is_empty());
                pending.extend(opened.rev().map(|(child, keys)| (Some(depth), child, keys)));
            }
            Some(ViewContent::Leaf(leaf)) => {
                let Leaf([key_hash, value_hash]) = leaf;
                let index = keys.binary_search(key_hash).ok().map(|index| index as u64);
                match (index, place.stamp.kind()) {
                    (Some(index), NodeKind::Tombstone) => {
                        writer.proof_leaf(ProofLeaf::Deleted { index });
                    }
                    (Some(index), _) => {
                        let value = value(key_hash)?;
                        check_value(value.as_ref(), value_hash)?;
                        writer.proof_leaf(ProofLeaf::Live { index, value: value.as_ref() });
                    }
                    (None, NodeKind::Tombstone) => {
                        writer.proof_leaf(ProofLeaf::OtherDeleted { key_hash });
                    }
                    (None, _) => writer.proof_leaf(ProofLeaf::OtherLive { key_hash, value_hash }),
                }
            }
        }
    }
    Ok(writer.finish())
}

/// Stably moves the keys with a 0 at `depth` before those with a 1; returns the number of the former.
///
/// Sorted keys are not enough: never-written keys may differ from the tree's keys in earlier bits.
fn partition_keys(keys: &mut [Hash], depth: u8) -> usize {
    let (mut zeros, mut ones) = (0, Vec::new());
    for at in 0..keys.len() {
        let key = keys[at];
        if bit(&key, depth) == 0 {
            keys[zeros] = key;
            zeros += 1;
        } else {
            ones.push(key);
        }
    }
    keys[zeros..].copy_from_slice(&ones);
    zeros
}

/// Checks a value against the tree's hash of it: a proof with another value would be refused.
fn check_value(value: &[u8], value_hash: &Hash) -> Result<()> {
    if hash_value(value) == *value_hash {
        return Ok(());
    }
    let found = format_args!("another one, of {} bytes", value.len());
    Err(Error::new(Reason::StoreCorrupt, "the value whose hash is in the tree", found))
}

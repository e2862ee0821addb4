//! Builds proofs from snapshot files: keys at a block, a key's history, changes between two blocks.

use alloc::vec::Vec;

use prooflight_core::{Hash, Limits, Result};

use super::nodes::{NodeContent, NodePath, NodeReader};
use crate::hash::hash_key;
use crate::part::bit;
use crate::proof::{DIFF_ENVELOPE, DiffLeaf, ProofLeaf, ProofWriter};
use crate::snapshot::format::NodeRef;

/// Hashes the keys, sorts the hashes and removes duplicates.
pub(super) fn sorted_hashes(keys: &[&[u8]]) -> Vec<Hash> {
    let mut hashes: Vec<Hash> = keys.iter().map(|key| hash_key(key)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Writes the part of a block's tree on the paths of the keys; returns the newest height of the
/// keys' leaves.
///
/// For a single key this is its height, or `None` if it was never written.
pub(super) fn write_keys(
    nodes: &NodeReader,
    height: u64,
    root: Option<NodeRef>,
    hashes: &[Hash],
    writer: &mut ProofWriter,
) -> Result<Option<u64>> {
    let Some(root) = root else { return Ok(None) };
    writer.root(height, root.height);
    let mut newest = None;
    let mut pending = Vec::from([(root, None, (0..hashes.len()).collect::<Vec<usize>>())]);
    while let Some((node, parent, keys)) = pending.pop() {
        let Some(&first) = keys.first() else { continue };
        match nodes.open(&node, NodePath { prefix: &hashes[first], parent })? {
            NodeContent::Branch { depth, children: [left, right] } => {
                writer.branch(parent, depth, left.height, right.height);
                let (to_right, to_left): (Vec<usize>, Vec<usize>) =
                    keys.into_iter().partition(|&key| bit(&hashes[key], depth) == 1);
                for (child, keys) in [(&left, &to_left), (&right, &to_right)] {
                    if keys.is_empty() {
                        writer.closed(&child.hash);
                    }
                }
                pending.push((right, Some(depth), to_right));
                pending.push((left, Some(depth), to_left));
            }
            NodeContent::Leaf { key_hash, value, value_hash, .. } => {
                let index = keys.iter().position(|&key| hashes[key] == key_hash);
                if index.is_some() {
                    newest = newest.max(Some(node.height));
                }
                writer.proof_leaf(match (index, &value, &value_hash) {
                    (Some(index), Some(value), _) => ProofLeaf::Live { index: index as u64, value },
                    (Some(index), None, _) => ProofLeaf::Deleted { index: index as u64 },
                    (None, _, Some(value_hash)) => {
                        ProofLeaf::OtherLive { key_hash: &key_hash, value_hash }
                    }
                    (None, _, None) => ProofLeaf::OtherDeleted { key_hash: &key_hash },
                });
            }
        }
    }
    Ok(newest)
}

/// Builds the diff of the blocks after `after` (`None`: from the first block) up to the block with
/// this root.
///
/// `proof_too_large` if it would exceed the limit.
pub(super) fn diff(
    nodes: &NodeReader,
    after: Option<u64>,
    height: u64,
    root: Option<NodeRef>,
    limits: &Limits,
) -> Result<Vec<u8>> {
    let mut writer = ProofWriter::new(DIFF_ENVELOPE);
    let Some(root) = root else { return Ok(writer.finish()) };
    writer.root(height, root.height);
    let is_new = |node: &NodeRef| after.is_none_or(|after| node.height > after);
    let mut pending = Vec::from([(root, None, [0; 32])]);
    while let Some((node, parent, prefix)) = pending.pop() {
        match nodes.open(&node, NodePath { prefix: &prefix, parent })? {
            NodeContent::Branch { depth, children: [left, right] } => {
                writer.branch(parent, depth, left.height, right.height);
                for child in [&left, &right] {
                    if !is_new(child) {
                        writer.closed(&child.hash);
                    }
                }
                if is_new(&right) {
                    pending.push((right, Some(depth), with_bit(prefix, depth)));
                }
                if is_new(&left) {
                    pending.push((left, Some(depth), prefix));
                }
            }
            NodeContent::Leaf { key, value, .. } => writer.diff_leaf(match &value {
                Some(value) => DiffLeaf::Live { key: &key, value },
                None => DiffLeaf::Deleted { key: &key },
            }),
        }
        limits.check_proof(writer.length())?;
    }
    Ok(writer.finish())
}

/// Sets the bit of a prefix at this depth to 1.
pub(super) fn with_bit(mut prefix: Hash, depth: u8) -> Hash {
    prefix[usize::from(depth / 8)] |= 0x80 >> (depth % 8);
    prefix
}

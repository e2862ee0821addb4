//! Merkle trees with only some known nodes.

use std::collections::BTreeMap;

use prooflight_core::Hash;
use sha2::{Digest, Sha256};

/// Some nodes of a tree by their generalized indices; fillers stand for the others.
#[derive(Clone, Default)]
pub struct PartialTree(pub BTreeMap<u64, Hash>);

impl PartialTree {
    pub fn root(&self) -> Hash {
        self.node(1)
    }

    fn node(&self, index: u64) -> Hash {
        if let Some(node) = self.0.get(&index) {
            return *node;
        }
        let is_above = |below: &u64| {
            below.ilog2() > index.ilog2() && below >> (below.ilog2() - index.ilog2()) == index
        };
        if self.0.keys().any(is_above) {
            return pair(&self.node(2 * index), &self.node(2 * index + 1));
        }
        Sha256::digest(index.to_le_bytes()).into()
    }

    /// The siblings on the path from the node at `index` to the root.
    pub fn branch(&self, index: u64) -> Vec<Hash> {
        let up = std::iter::successors(Some(index), |index| Some(index / 2));
        up.take_while(|index| *index > 1).map(|index| self.node(index ^ 1)).collect()
    }
}

pub fn pair(left: &Hash, right: &Hash) -> Hash {
    Sha256::digest([*left, *right].as_flattened()).into()
}

/// The root over leaves, padded with zeros to a power of two.
pub fn merkle_root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => [0; 32],
        [leaf] => *leaf,
        _ => {
            let half = leaves.len().next_power_of_two() / 2;
            let mut right = leaves[half..].to_vec();
            right.resize(half, [0; 32]);
            pair(&merkle_root(&leaves[..half]), &merkle_root(&right))
        }
    }
}

/// Up to 32 bytes as a leaf.
pub fn leaf(bytes: &[u8]) -> Hash {
    let mut leaf = [0; 32];
    leaf[..bytes.len()].copy_from_slice(bytes);
    leaf
}

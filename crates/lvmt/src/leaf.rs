//! The leaves of a block's tree, and of the tree over blocks.
//!
//! Both are trees of RFC 9162 with Keccak-256. The data of a leaf starts with its kind, so that a leaf of one
//! kind cannot be read as the other.

use prooflight_core::merkle::{TreeHash, leaf_hash};
use prooflight_core::{Hash, keccak256};

use crate::path::Prefix;

/// Keccak-256, the hash of the trees.
#[derive(Clone, Copy, Debug)]
pub struct KeccakTree;

impl TreeHash for KeccakTree {
    fn hash(parts: &[&[u8]]) -> Hash {
        keccak256(parts)
    }
}

/// The hash of a value in the leaf of its key.
pub fn value_hash(value: &[u8]) -> Hash {
    keccak256(&[value])
}

/// The leaf of a key: the version of its slot, and the hash of its value or `None` for a tombstone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLeaf {
    /// The level of the key's slot.
    pub level: u8,
    /// The number of the key's slot, 1 to 5.
    pub slot: u8,
    /// The version, at least 1.
    pub version: u64,
    /// The hash of the key.
    pub key_hash: Hash,
    /// The hash of the value, or `None` for a tombstone.
    pub value_hash: Option<Hash>,
}

impl KeyLeaf {
    /// The hash of the leaf.
    pub fn hash(&self) -> Hash {
        let (tag, value_hash) = match self.value_hash {
            Some(hash) => (1, hash),
            None => (0, [0; 32]),
        };
        let mut data = [0; 76];
        data[1] = self.level;
        data[2] = self.slot;
        data[3..11].copy_from_slice(&self.version.to_be_bytes());
        data[11..43].copy_from_slice(&self.key_hash);
        data[43] = tag;
        data[44..].copy_from_slice(&value_hash);
        leaf_hash::<KeccakTree>(&data)
    }
}

/// The leaf of an AMT at level 1 or below: its commitment at a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmtLeaf {
    /// The level of the AMT, at least 1.
    pub level: u8,
    /// The prefix of the AMT.
    pub prefix: Prefix,
    /// The version, at least 1.
    pub version: u64,
    /// The commitment, compressed.
    pub commitment: [u8; 32],
}

impl AmtLeaf {
    /// The hash of the leaf.
    pub fn hash(&self) -> Hash {
        let (prefix, version) = (self.prefix.as_bytes(), self.version.to_be_bytes());
        KeccakTree::hash(&[&[0, 1, self.level], prefix, &version, &self.commitment])
    }
}

/// The leaf of a block in the tree over blocks.
pub fn block_leaf(block: u64, block_root: &Hash) -> Hash {
    KeccakTree::hash(&[&[0], &block.to_be_bytes(), block_root])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_laid_out_as_specified() {
        let key_leaf = KeyLeaf {
            level: 2,
            slot: 5,
            version: 0x01_0203_0405,
            key_hash: [7; 32],
            value_hash: Some([9; 32]),
        };
        let mut bytes = alloc::vec![0, 0, 2, 5, 0, 0, 0, 1, 2, 3, 4, 5];
        bytes.extend([7; 32]);
        bytes.push(1);
        bytes.extend([9; 32]);
        assert_eq!(key_leaf.hash(), keccak256(&[&bytes]));
        bytes.truncate(44);
        bytes.extend([0; 33]);
        assert_eq!(KeyLeaf { value_hash: None, ..key_leaf }.hash(), keccak256(&[&bytes]));

        let prefix = Prefix::new(&[0xab; 32], 16, 1);
        let leaf = AmtLeaf { level: 1, prefix, version: 258, commitment: [3; 32] };
        let mut bytes = alloc::vec![0, 1, 1, 0xab, 0xab, 0, 0, 0, 0, 0, 0, 1, 2];
        bytes.extend([3; 32]);
        assert_eq!(leaf.hash(), keccak256(&[&bytes]));

        let mut bytes = alloc::vec![0, 0, 0, 0, 0, 0, 0, 0, 3];
        bytes.extend([4; 32]);
        assert_eq!(block_leaf(3, &[4; 32]), keccak256(&[&bytes]));
    }
}

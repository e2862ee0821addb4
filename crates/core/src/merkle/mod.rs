//! Merkle trees of RFC 9162, generic over the hash.
//!
//! leaf = H(0x00 || data), node = H(0x01 || left || right), the empty tree = H(""). A tree of n
//! leaves splits at the largest power of two smaller than n. A path's length is fixed by the leaf's
//! index and the tree's size. Source: RFC 9162 section 2.1.

mod multiproof;

use alloc::vec::Vec;

use crate::{Error, Hash, Hex, Reason, Result, blake2b256};

pub use multiproof::{Subtree, multiproof, multiproof_root};

/// The hash function of a tree.
pub trait TreeHash {
    /// The hash of the concatenated parts.
    fn hash(parts: &[&[u8]]) -> Hash;
}

/// The trees of chains and of `amb`: with [`blake2b256`].
#[derive(Clone, Copy, Debug)]
pub struct Blake2bTree;

impl TreeHash for Blake2bTree {
    fn hash(parts: &[&[u8]]) -> Hash {
        blake2b256(parts)
    }
}

/// The hash of the tree without leaves.
pub fn empty_root<H: TreeHash>() -> Hash {
    H::hash(&[])
}

/// The hash of a leaf.
pub fn leaf_hash<H: TreeHash>(data: &[u8]) -> Hash {
    H::hash(&[&[0], data])
}

/// The hash of an inner node.
pub fn node_hash<H: TreeHash>(left: &Hash, right: &Hash) -> Hash {
    H::hash(&[&[1], left, right])
}

/// The root over leaves given by their hashes.
pub fn root<H: TreeHash>(leaves: &[Hash]) -> Hash {
    let mut frontier = MerkleFrontier::<H>::new();
    for leaf in leaves {
        frontier.push(*leaf);
    }
    frontier.root()
}

/// The sibling hashes from a leaf up to the root; `invalid_argument` if there is no such leaf.
pub fn inclusion_path<H: TreeHash>(leaves: &[Hash], index: usize) -> Result<Vec<Hash>> {
    if index >= leaves.len() {
        return Err(Error::new(
            Reason::InvalidArgument,
            format_args!("an index below {}", leaves.len()),
            index,
        ));
    }
    // From the top down: the sibling of the subtree that contains the leaf.
    let mut path = Vec::new();
    let (mut part, mut index) = (leaves, index);
    while part.len() > 1 {
        let (left, right) = part.split_at(part.len().next_power_of_two() / 2);
        if index < left.len() {
            path.push(root::<H>(right));
            part = left;
        } else {
            path.push(root::<H>(left));
            index -= left.len();
            part = right;
        }
    }
    path.reverse();
    Ok(path)
}

/// The number of hashes in the path of a leaf.
pub fn path_length(index: u64, size: u64) -> u32 {
    let last = size.saturating_sub(1);
    // Levels at which the leaf and the last one differ, then one for each full tree on the left.
    let inner = u64::BITS - (index ^ last).leading_zeros();
    inner + index.checked_shr(inner).unwrap_or(0).count_ones()
}

/// Verifies that the tree of `size` leaves with this root has the leaf at `index`.
///
/// `path` goes from the leaf up. An index outside the tree is `index_out_of_range`, a path of another
/// length than (index, size) demands is `path_length`, another root is `root_mismatch`.
/// Source: RFC 9162 section 2.1.3.2.
pub fn verify_inclusion<H: TreeHash>(
    root: &Hash,
    leaf: &Hash,
    index: u64,
    size: u64,
    path: &[Hash],
) -> Result<()> {
    if index >= size {
        return Err(Error::new(
            Reason::IndexOutOfRange,
            format_args!("an index below {size}"),
            index,
        ));
    }
    let length = path_length(index, size);
    if path.len() as u64 != u64::from(length) {
        return Err(Error::new(Reason::PathLength, format_args!("{length} hashes"), path.len()));
    }
    let mut hash = *leaf;
    let (mut index, mut last) = (index, size - 1);
    for sibling in path {
        // The parent of a level's last node is again the last one: from here up, every sibling is on the
        // left, and levels without one are skipped.
        if index & 1 == 1 || index == last {
            hash = node_hash::<H>(sibling, &hash);
        } else {
            hash = node_hash::<H>(&hash, sibling);
        }
        index >>= 1;
        last >>= 1;
    }
    if hash != *root {
        return Err(Error::new(Reason::RootMismatch, Hex(root), Hex(&hash)));
    }
    Ok(())
}

/// A growing tree, kept as the roots of its full subtrees: enough to append and to compute the root.
#[derive(Debug)]
pub struct MerkleFrontier<H> {
    size: u64,
    /// The largest first; one for each bit of `size`.
    peaks: Vec<Hash>,
    hash: core::marker::PhantomData<H>,
}

impl<H: TreeHash> MerkleFrontier<H> {
    /// The empty tree.
    pub const fn new() -> Self {
        Self { size: 0, peaks: Vec::new(), hash: core::marker::PhantomData }
    }

    /// The number of leaves.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf, given by its hash.
    pub fn push(&mut self, leaf: Hash) {
        let mut hash = leaf;
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                hash = node_hash::<H>(&left, &hash);
            }
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    /// The current root.
    pub fn root(&self) -> Hash {
        let Some((last, rest)) = self.peaks.split_last() else { return empty_root::<H>() };
        rest.iter().rev().fold(*last, |right, left| node_hash::<H>(left, &right))
    }
}

impl<H: TreeHash> Default for MerkleFrontier<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H> Clone for MerkleFrontier<H> {
    fn clone(&self) -> Self {
        Self { size: self.size, peaks: self.peaks.clone(), hash: self.hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};
    use sha2::{Digest, Sha256};

    pub(super) struct Sha256Tree;

    impl TreeHash for Sha256Tree {
        fn hash(parts: &[&[u8]]) -> Hash {
            parts.iter().fold(Sha256::new(), Sha256::chain_update).finalize().into()
        }
    }

    fn hex(hash: &Hash) -> String {
        Hex(hash).to_string()
    }

    /// The leaves of the Certificate Transparency reference tests.
    fn leaves() -> Vec<Hash> {
        let data: [&[u8]; 8] = [
            &[],
            &[0x00],
            &[0x10],
            &[0x20, 0x21],
            &[0x30, 0x31],
            &[0x40, 0x41, 0x42, 0x43],
            &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
            b"`abcdefghijklmno",
        ];
        data.map(leaf_hash::<Sha256Tree>).to_vec()
    }

    /// Roots and paths as published with Certificate Transparency.
    #[test]
    fn certificate_transparency_roots() {
        let published = [
            "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "0x6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "0xfac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "0xaeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "0xd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "0x4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "0x76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "0xddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "0x5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        for (size, published) in published.into_iter().enumerate() {
            assert_eq!(hex(&root::<Sha256Tree>(&leaves()[..size])), published);
        }
    }

    #[test]
    fn certificate_transparency_paths() {
        let path = |size: usize, index| -> Vec<String> {
            let path = inclusion_path::<Sha256Tree>(&leaves()[..size], index).unwrap();
            path.iter().map(hex).collect()
        };
        assert!(path(1, 0).is_empty());
        assert_eq!(
            path(8, 0),
            [
                "0x96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "0x5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "0x6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ]
        );
        assert_eq!(
            path(8, 5),
            [
                "0xbc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "0xca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "0xd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ]
        );
        assert_eq!(
            path(3, 2),
            ["0xfac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]
        );
        assert_eq!(
            path(5, 1),
            [
                "0x6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                "0x5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "0xbc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ]
        );
    }

    #[test]
    fn every_path_verifies_at_its_place_and_nowhere_else() {
        let all: Vec<Hash> = (0..40u8).map(|n| leaf_hash::<Sha256Tree>(&[n])).collect();
        for size in 1..=all.len() {
            let root = root::<Sha256Tree>(&all[..size]);
            for index in 0..size {
                let path = inclusion_path::<Sha256Tree>(&all[..size], index).unwrap();
                let verify = |leaf: &Hash, index: usize, size: usize, path: &[Hash]| {
                    verify_inclusion::<Sha256Tree>(&root, leaf, index as u64, size as u64, path)
                };
                verify(&all[index], index, size, &path).unwrap();
                for other in (0..size).filter(|&other| other != index) {
                    assert!(verify(&all[index], other, size, &path).is_err());
                    assert!(verify(&all[other], index, size, &path).is_err());
                }
                for level in 0..path.len() {
                    let mut shorter = path.clone();
                    shorter.remove(level);
                    let refused = verify(&all[index], index, size, &shorter).unwrap_err();
                    assert_eq!(refused.reason(), Reason::PathLength);
                    let mut doubled = path.clone();
                    doubled.insert(level, path[level]);
                    let refused = verify(&all[index], index, size, &doubled).unwrap_err();
                    assert_eq!(refused.reason(), Reason::PathLength);
                    let mut flipped = path.clone();
                    flipped[level][31] ^= 1;
                    let refused = verify(&all[index], index, size, &flipped).unwrap_err();
                    assert_eq!(refused.reason(), Reason::RootMismatch);
                }
            }
        }
    }

    #[test]
    fn a_node_is_no_leaf_and_nothing_is_in_the_empty_tree() {
        let all = leaves();
        // As in CVE-2012-2459: an inner node passed off as a leaf one level up.
        let node = node_hash::<Sha256Tree>(&all[0], &all[1]);
        let path = inclusion_path::<Sha256Tree>(&all, 0).unwrap();
        let refused =
            verify_inclusion::<Sha256Tree>(&root::<Sha256Tree>(&all), &node, 0, 4, &path[1..]);
        assert!(refused.is_ok(), "the tree over four pairs is a tree: sizes must be trusted");
        assert_ne!(leaf_hash::<Sha256Tree>(&[all[0], all[1]].concat()), node);
        let refused =
            verify_inclusion::<Sha256Tree>(&empty_root::<Sha256Tree>(), &all[0], 0, 0, &[])
                .unwrap_err();
        assert_eq!(refused.reason(), Reason::IndexOutOfRange);
        let refused =
            verify_inclusion::<Sha256Tree>(&root::<Sha256Tree>(&all), &all[0], 8, 8, &path)
                .unwrap_err();
        assert_eq!(refused.reason(), Reason::IndexOutOfRange);
        assert_eq!(path_length(u64::MAX - 1, u64::MAX), 63);
        assert_eq!(path_length(0, u64::MAX), 64);
    }
}

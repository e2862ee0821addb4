//! The keys whose hashes start with one byte: their branches and leaves in slabs, by index.
//!
//! Nodes are never removed, since a deleted key leaves a tombstone, so a slab only grows.

use std::vec::Vec;

use super::node::{KeyEntry, NodeKind};
use super::prefetch::prefetch;
use prooflight_core::Hash;

/// The number of leading bits of a key hash that select its shard.
pub(super) const SHARD_BITS: usize = 8;
/// The number of shards of a tree.
pub(super) const SHARDS: usize = 1 << SHARD_BITS;
/// The number of key-hash bits that a branch keeps, so that a search rarely needs a leaf for them.
pub(super) const PATH_BITS: u8 = 56;
/// The mask of these bits.
pub(super) const PATH_MASK: u64 = !0xff;

/// A node's height and kind in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp(u64);

impl Stamp {
    /// The stamp of the empty tree.
    pub(super) const EMPTY: Self = Self(0);

    pub(super) const fn new(kind: NodeKind, height: u64) -> Self {
        let kind = match kind {
            NodeKind::Branch => 1,
            NodeKind::Leaf => 2,
            NodeKind::Tombstone => 3,
        };
        Self(height << 12 | kind)
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == Self::EMPTY.0
    }

    /// The kind of the node; must not be called on [`Self::EMPTY`].
    pub(super) const fn kind(self) -> NodeKind {
        match self.0 & 0xfff {
            2 => NodeKind::Leaf,
            3 => NodeKind::Tombstone,
            _ => NodeKind::Branch,
        }
    }

    pub(super) const fn height(self) -> u64 {
        self.0 >> 12
    }
}

/// The location and stamp of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeLink {
    pub(super) stamp: Stamp,
    /// The index in the slab of its kind.
    pub(super) slot: u32,
}

/// A branch, with everything that its hash covers, so that hashing never reads a sibling.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Branch {
    pub(super) hashes: [Hash; 2],
    pub(super) stamps: [Stamp; 2],
    pub(super) slots: [u32; 2],
    /// The first [`PATH_BITS`] bits of a key hash below it, valid above its depth; the last byte is its
    /// depth.
    path: u64,
}

impl Branch {
    /// A branch at bit `depth` over the keys that begin with `prefix`; its children are still to be set.
    pub(super) const fn new(depth: u8, prefix: u64) -> Self {
        Self {
            hashes: [[0; 32]; 2],
            stamps: [Stamp::EMPTY; 2],
            slots: [0; 2],
            path: prefix & PATH_MASK | depth as u64,
        }
    }

    pub(super) const fn depth(&self) -> u8 {
        let [depth, ..] = self.path.to_le_bytes();
        depth
    }

    pub(super) const fn path(&self) -> u64 {
        self.path
    }

    /// The bit at `depth`, which is above its own, of all keys below it; `key_hash` returns one of them.
    pub(super) fn side<'k>(&self, depth: u8, key_hash: impl FnOnce() -> &'k Hash) -> usize {
        match depth {
            0..PATH_BITS => (self.path >> (63 - depth) & 1) as usize,
            _ => bit(key_hash(), depth),
        }
    }

    pub(super) const fn child(&self, side: usize) -> NodeLink {
        NodeLink { stamp: self.stamps[side], slot: self.slots[side] }
    }

    /// The stamp; its height is the larger of the children's.
    pub(super) fn stamp(&self) -> Stamp {
        let [left, right] = self.stamps.map(Stamp::height);
        Stamp::new(NodeKind::Branch, left.max(right))
    }
}

/// A key's newest entry, in the form that is hashed; its height is in its parent's stamp.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Leaf(pub(super) [Hash; 2]);

impl Leaf {
    pub(super) const fn key_hash(&self) -> &Hash {
        &self.0[0]
    }

    /// The value's hash; zeros in a tombstone.
    pub(super) const fn value_hash(&self) -> &Hash {
        &self.0[1]
    }
}

/// The subtree of the keys whose hashes start with one byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Shard {
    pub(super) root: NodeLink,
    pub(super) branches: Vec<Branch>,
    pub(super) leaves: Vec<Leaf>,
}

impl Shard {
    pub(super) fn branch(&self, slot: u32) -> &Branch {
        &self.branches[slot as usize]
    }

    pub(super) fn leaf(&self, slot: u32) -> &Leaf {
        &self.leaves[slot as usize]
    }

    /// Starts to load a node.
    pub(super) fn prefetch(&self, node: NodeLink) {
        match node.stamp.kind() {
            NodeKind::Branch => prefetch(&self.branches, node.slot),
            NodeKind::Leaf | NodeKind::Tombstone => prefetch(&self.leaves, node.slot),
        }
    }

    /// The leaf that the bits of a key hash lead to: the key's own if it was ever written.
    pub(super) fn search(&self, key_hash: &Hash) -> Option<(Stamp, &Leaf)> {
        let mut link = self.root;
        while link.stamp.kind() == NodeKind::Branch {
            if link.stamp.is_empty() {
                return None;
            }
            let branch = self.branch(link.slot);
            link = branch.child(bit(key_hash, branch.depth()));
        }
        Some((link.stamp, self.leaf(link.slot)))
    }

    pub(super) fn get(&self, key_hash: &Hash) -> Option<KeyEntry> {
        let (stamp, leaf) = self.search(key_hash)?;
        let value_hash = (stamp.kind() == NodeKind::Leaf).then(|| *leaf.value_hash());
        (leaf.key_hash() == key_hash).then_some(KeyEntry { height: stamp.height(), value_hash })
    }

    /// The key hash of some leaf below a node.
    pub(super) fn some_key(&self, mut link: NodeLink) -> &Hash {
        while link.stamp.kind() == NodeKind::Branch {
            link = self.branch(link.slot).child(0);
        }
        self.leaf(link.slot).key_hash()
    }
}

/// A bit of a key hash, counted from the most significant.
pub(super) fn bit(key_hash: &Hash, depth: u8) -> usize {
    usize::from(key_hash[usize::from(depth / 8)] >> (7 - depth % 8) & 1)
}

/// The first eight bytes of a key hash as a number, which compares as the bytes do.
pub(super) fn prefix(key_hash: &Hash) -> u64 {
    u64::from_be_bytes(core::array::from_fn(|at| key_hash[at]))
}

/// The index of the first bit in which two key hashes differ.
pub(super) fn first_difference(one: &Hash, other: &Hash) -> Option<u8> {
    let words = |hash: &Hash| -> [u64; 4] {
        core::array::from_fn(|word| {
            u64::from_be_bytes(core::array::from_fn(|byte| hash[8 * word + byte]))
        })
    };
    let words = words(one).into_iter().zip(words(other));
    [0, 64, 128, 192]
        .into_iter()
        .zip(words)
        .find_map(|(bits, (a, b))| Some(bits + first_set_bit(a ^ b)?))
}

/// The index of the first 1, from the most significant bit.
pub(super) const fn first_set_bit(bits: u64) -> Option<u8> {
    let [zeros, ..] = bits.leading_zeros().to_le_bytes();
    if zeros < 64 { Some(zeros) } else { None }
}

/// An index into slabs and drafts, which `MemoryTree::prepare` keeps below 2^32 items.
#[allow(clippy::cast_possible_truncation, reason = "prepare refuses larger ones")]
pub(super) const fn index(length: usize) -> u32 {
    length as u32
}

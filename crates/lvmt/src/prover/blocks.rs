//! The tree over blocks: RFC 9162 over the roots of their trees. Every full subtree is kept.

use alloc::vec::Vec;

use prooflight_core::merkle::{empty_root, node_hash};
use prooflight_core::store::{ReadStore, WriteBatch};
use prooflight_core::{Hash, Hex, Result};

use super::record::{StateHead, blocks_node_key, corrupt, put, read, require};
use crate::leaf::{KeccakTree, block_leaf};

/// The tree over blocks, as the roots of its full subtrees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BlocksTree {
    size: u64,
    /// The largest first; one for each bit of the size.
    peaks: Vec<Hash>,
}

impl BlocksTree {
    /// The tree of the first `size` blocks in a store.
    pub(super) fn read<S: ReadStore + ?Sized>(store: &S, size: u64) -> Result<Self> {
        let mut peaks = Vec::new();
        for level in (0..u64::BITS).rev().filter(|level| size >> level & 1 == 1) {
            peaks.push(read_node(store, level, (size >> level) - 1)?);
        }
        Ok(Self { size, peaks })
    }

    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// Appends the next block's tree by its root, and writes the subtrees that it fills.
    pub(super) fn append(&mut self, block_root: &Hash, writes: &mut WriteBatch) {
        let mut hash = block_leaf(self.size, block_root);
        put_node(writes, 0, self.size, &hash);
        for level in 0..self.size.trailing_ones() {
            let Some(left) = self.peaks.pop() else { break };
            hash = node_hash::<KeccakTree>(&left, &hash);
            put_node(writes, level + 1, self.size >> (level + 1), &hash);
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    /// The root: `hroot`.
    pub(super) fn root(&self) -> Hash {
        let Some((last, rest)) = self.peaks.split_last() else { return empty_root::<KeccakTree>() };
        rest.iter().rev().fold(*last, |right, left| node_hash::<KeccakTree>(left, &right))
    }
}

impl StateHead {
    /// Reads the head and the tree over its blocks.
    ///
    /// An older head is `store_corrupt`: the block after it exists.
    pub(super) fn read_with_blocks<S: ReadStore + ?Sized>(store: &S) -> Result<(Self, BlocksTree)> {
        let head = Self::read(store)?;
        if read(store, &blocks_node_key(0, head.blocks))?.is_some() {
            let expected = format_args!("the newest of more than {} blocks", head.blocks);
            return Err(corrupt(expected, "an older head"));
        }
        let blocks = BlocksTree::read(store, head.blocks)?;
        if blocks.root() != head.hroot {
            return Err(corrupt(Hex(&head.hroot), Hex(&blocks.root())));
        }
        Ok((head, blocks))
    }
}

/// The root of a subtree: of the blocks from `start`, a multiple of the largest power of two in `length`.
pub(super) fn subtree<S: ReadStore + ?Sized>(store: &S, start: u64, length: u64) -> Result<Hash> {
    // One full subtree from left to right for each set bit of `length`.
    let (mut peaks, mut at) = (Vec::new(), start);
    for level in (0..u64::BITS).rev().filter(|level| length >> level & 1 == 1) {
        peaks.push(read_node(store, level, at >> level)?);
        at += 1 << level;
    }
    Ok(BlocksTree { size: length, peaks }.root())
}

fn put_node(writes: &mut WriteBatch, level: u32, index: u64, hash: &Hash) {
    put(writes, blocks_node_key(level as u8, index), hash.to_vec());
}

fn read_node<S: ReadStore + ?Sized>(store: &S, level: u32, index: u64) -> Result<Hash> {
    let node = require(store, &blocks_node_key(level as u8, index))?;
    node.try_into().map_err(|node: Vec<u8>| {
        corrupt(format_args!("32 bytes of node {index} of level {level}"), node.len())
    })
}

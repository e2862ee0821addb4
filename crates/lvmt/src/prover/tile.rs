//! A block's tree, kept in tiles of 32 nodes, from which dead leaves are pruned.
//!
//! A tile of level 0 has 32 adjacent leaves, one of level 1 the roots of 32 such tiles, and so on up to the
//! tile with the root. A subtree of a tile without a live leaf is truncated to its root; a tile without a live
//! leaf is not kept, since the tile above has its root. Source: Li et al. 2023, section 4.4.

use alloc::vec::Vec;

use prooflight_core::merkle::node_hash;
use prooflight_core::{ByteReader, Hash, Result};

use super::record::corrupt;
use crate::leaf::KeccakTree;

/// log2 of the number of nodes at the bottom of a tile.
pub(super) const LOG_TILE_WIDTH: u32 = 5;

/// The largest number of nodes at the bottom of a tile.
pub(super) const TILE_WIDTH: usize = 1 << LOG_TILE_WIDTH;

/// The bit of an item's first byte that marks a live item.
const LIVE_BIT: u8 = 0x80;

/// A tile, as its maximal subtrees below which nothing is live, from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// The number of nodes at the bottom of the whole tile.
    width: usize,
    nodes: Vec<TileNode>,
}

/// A node of a tile; nothing below it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TileNode {
    /// The node's level above the bottom.
    level: u8,
    /// Whether the node is live; then its level is 0.
    live: bool,
    hash: Hash,
}

impl Tile {
    /// The tile over at most 32 hashes, each live or dead as `live` says.
    pub(super) fn new(hashes: &[Hash], live: impl Fn(usize) -> bool) -> Self {
        let items = hashes
            .iter()
            .enumerate()
            .map(|(at, hash)| TileNode { level: 0, live: live(at), hash: *hash })
            .collect();
        let mut tile = Self { width: hashes.len(), nodes: items };
        tile.truncate();
        tile
    }

    /// The number of live nodes at the bottom.
    pub(super) fn live(&self) -> usize {
        self.nodes.iter().filter(|item| item.live).count()
    }

    /// Marks a node at the bottom as dead.
    ///
    /// `store_corrupt` if it is not live: every leaf dies once.
    pub(super) fn mark_dead(&mut self, index: usize) -> Result<()> {
        let mut start = 0;
        for item in &mut self.nodes {
            if start == index && item.live {
                item.live = false;
                return Ok(());
            }
            start += 1 << item.level;
        }
        Err(corrupt(format_args!("a live node {index} of a tile"), "none"))
    }

    /// Truncates every subtree without a live leaf to its root.
    pub(super) fn truncate(&mut self) {
        for level in 0..LOG_TILE_WIDTH as u8 {
            let mut start = 0_usize;
            let mut joined: Vec<TileNode> = Vec::with_capacity(self.nodes.len());
            let mut items = self.nodes.iter().peekable();
            while let Some(item) = items.next() {
                let is_left = item.level == level && !item.live && (start >> level) & 1 == 0;
                let end = start + (1 << item.level);
                let next = items.peek().filter(|next| next.level == level && !next.live);
                match next {
                    Some(right) if is_left => {
                        let hash = node_hash::<KeccakTree>(&item.hash, &right.hash);
                        joined.push(TileNode { level: level + 1, live: false, hash });
                        start = end + (1 << level);
                        items.next();
                    }
                    // With an odd number of nodes, the last one rises unchanged.
                    None if is_left && end >= self.width => {
                        joined.push(TileNode { level: level + 1, ..*item });
                        start = end + (1 << level);
                    }
                    _ => {
                        joined.push(*item);
                        start = end;
                    }
                }
            }
            self.nodes = joined;
        }
    }

    /// The hash of the node at a level above the bottom, and an index in that level.
    pub(super) fn node(&self, level: u32, index: usize) -> Result<Hash> {
        let (from, to) = (index << level, (index + 1) << level);
        let mut start = 0;
        // Full subtrees without their right siblings yet, as in a growing tree.
        let mut peaks: Vec<(u8, Hash)> = Vec::new();
        for item in &self.nodes {
            let end = start + (1 << item.level);
            // At the right edge, a node without a sibling is its own parent.
            if start == from && end.min(self.width) == to.min(self.width) {
                return Ok(item.hash);
            }
            if start >= from && end <= to {
                let (mut height, mut hash) = (item.level, item.hash);
                while let Some((_, left)) = peaks.pop_if(|(left, _)| *left == height) {
                    hash = node_hash::<KeccakTree>(&left, &hash);
                    height += 1;
                }
                peaks.push((height, hash));
            }
            start = end;
        }
        let joined = peaks
            .into_iter()
            .rev()
            .reduce(|(_, right), (height, left)| (height, node_hash::<KeccakTree>(&left, &right)));
        joined
            .map(|(_, hash)| hash)
            .ok_or_else(|| corrupt(format_args!("node {index} of level {level} of a tile"), "none"))
    }

    /// The record: the width, then of each item its level with the live bit, and its hash.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(1 + 33 * self.nodes.len() + 8);
        record.push(self.width as u8);
        for item in &self.nodes {
            record.push(item.level | if item.live { LIVE_BIT } else { 0 });
            record.extend_from_slice(&item.hash);
        }
        record
    }

    pub(super) fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        let width = usize::from(reader.u8()?);
        let (mut items, mut start) = (Vec::new(), 0);
        while !reader.rest().is_empty() {
            let head = reader.u8()?;
            let (level, live) = (head & !LIVE_BIT, head & LIVE_BIT != 0);
            if u32::from(level) > LOG_TILE_WIDTH || start % (1 << level) != 0 || live && level > 0 {
                return Err(corrupt("a tile's subtrees side by side", level));
            }
            items.push(TileNode { level, live, hash: reader.array()? });
            start += 1 << level;
        }
        let last = items.last().map_or(0, |item| 1 << item.level);
        if width == 0 || width > TILE_WIDTH || start < width || start - last >= width {
            return Err(corrupt(format_args!("a tile of {width} nodes"), start));
        }
        Ok(Self { width, nodes: items })
    }
}

/// The root of a tile over at most 32 hashes, which are overwritten.
pub(super) fn tile_root(hashes: &mut [Hash]) -> Hash {
    let mut length = hashes.len();
    while length > 1 {
        for pair in 0..length / 2 {
            hashes[pair] = node_hash::<KeccakTree>(&hashes[2 * pair], &hashes[2 * pair + 1]);
        }
        if length % 2 == 1 {
            hashes[length / 2] = hashes[length - 1];
        }
        length = length.div_ceil(2);
    }
    hashes.first().copied().unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use prooflight_core::merkle::{leaf_hash, root};

    fn leaves(count: u8) -> Vec<Hash> {
        (0..count).map(|n| leaf_hash::<KeccakTree>(&[n])).collect()
    }

    #[test]
    fn every_node_of_every_width_is_that_of_the_tree() {
        for width in 1..=32_u8 {
            let leaves = leaves(width);
            assert_eq!(tile_root(&mut leaves.clone()), root::<KeccakTree>(&leaves));
            let tile = Tile::new(&leaves, |_| true);
            for level in 0..=LOG_TILE_WIDTH {
                for (index, part) in leaves.chunks(1 << level).enumerate() {
                    assert_eq!(tile.node(level, index), Ok(root::<KeccakTree>(part)));
                }
            }
        }
    }

    #[test]
    fn what_is_left_has_the_live_leaves_and_what_is_beside_them() {
        for width in 1..=32_u8 {
            for seed in 0..40_u32 {
                let pattern = seed.wrapping_mul(0x9e37_79b9) | seed;
                let all = leaves(width);
                let live = |at: usize| pattern >> at & 1 == 1;
                let mut tile = Tile::new(&all, |_| true);
                for at in (0..usize::from(width)).filter(|&at| !live(at)) {
                    tile.mark_dead(at).unwrap();
                    assert!(tile.mark_dead(at).is_err());
                }
                tile.truncate();
                assert_eq!(tile, Tile::new(&all, live));
                let record = tile.encode();
                let read = Tile::decode(&mut ByteReader::new(&record)).unwrap();
                assert_eq!(read, tile);
                assert_eq!(tile.node(LOG_TILE_WIDTH, 0), Ok(root::<KeccakTree>(&all)));
                for at in (0..usize::from(width)).filter(|&at| live(at)) {
                    for level in 0..LOG_TILE_WIDTH {
                        let beside = (at >> level) ^ 1;
                        if let Some(part) = all.chunks(1 << level).nth(beside) {
                            assert_eq!(tile.node(level, beside), Ok(root::<KeccakTree>(part)));
                        }
                    }
                }
                if tile.live() == 0 {
                    assert_eq!(tile.nodes.len(), 1);
                }
                // No two dead siblings remain: the fewest hashes that suffice.
                assert!(tile.nodes.len() <= usize::from(width).min(1 + 5 * tile.live().max(1)));
            }
        }
    }
}

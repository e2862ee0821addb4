//! A block's tree in its tiles: written once, read for proofs, and pruned as leaves die.

use alloc::vec::Vec;

use prooflight_core::merkle::empty_root;
use prooflight_core::store::{ReadStore, WriteBatch};
use prooflight_core::{Hash, Result};
use rayon::prelude::*;

use super::record::{BlockRecord, block_key, decode, put, require, sealed, tile_key};
use super::tile::{LOG_TILE_WIDTH, TILE_WIDTH, Tile, tile_root};
use crate::leaf::KeccakTree;

/// Writes a block's tree: its record, and the tiles with a live leaf, as `live` says.
///
/// Without `live` nothing is written. Returns the root.
pub(super) fn put_tree(
    writes: &mut WriteBatch,
    block: u64,
    leaves: Vec<Hash>,
    live: Option<impl Fn(usize) -> bool + Send + Sync>,
) -> Hash {
    let size = leaves.len() as u32;
    let mut live: Option<Vec<bool>> =
        live.map(|live| (0..leaves.len()).into_par_iter().with_min_len(1024).map(live).collect());
    let count = |live: &Vec<bool>| live.iter().filter(|live| **live).count() as u32;
    let live_leaves = live.as_ref().map_or(0, count);
    let mut hashes = leaves;
    let mut level = 0;
    while hashes.len() > 1 || level == 0 && !hashes.is_empty() {
        if let Some(live) = &mut live {
            let tiles: Vec<_> = hashes
                .par_chunks(TILE_WIDTH)
                .zip(live.par_chunks(TILE_WIDTH))
                .enumerate()
                .with_min_len(16)
                .filter(|(_, (_, live))| live.contains(&true))
                .map(|(index, (hashes, live))| {
                    let tile = Tile::new(hashes, |at| live[at]);
                    sealed(tile_key(block, level, index as u32), tile.encode())
                })
                .collect();
            for (key, tile) in tiles {
                writes.put(key, tile);
            }
            *live = live.chunks(TILE_WIDTH).map(|live| live.contains(&true)).collect();
        }
        hashes = hashes.par_chunks_mut(TILE_WIDTH).with_min_len(16).map(tile_root).collect();
        level += 1;
    }
    let root = hashes.first().copied().unwrap_or_else(empty_root::<KeccakTree>);
    if live.is_some() {
        let record = BlockRecord { root, size, live: live_leaves, given_up: 0 };
        put(writes, block_key(block), record.encode());
    }
    root
}

/// The root of a subtree of a block's tree of `tree_size` leaves: of `size` leaves from `start` on.
///
/// It can be read as long as the subtree beside it has a live leaf.
pub(super) fn subtree<S: ReadStore + ?Sized>(
    store: &S,
    block: u64,
    tree_size: u64,
    start: u64,
    size: u64,
) -> Result<Hash> {
    // At the right edge, a node without a sibling is its own parent. Its own tile goes with its last live leaf;
    // the node that has a sibling is in a tile of both.
    let is_last = start > 0 && start + size == tree_size;
    let level = if is_last { start } else { size.next_power_of_two() }.trailing_zeros();
    let (tile_level, within) = (level / LOG_TILE_WIDTH, level % LOG_TILE_WIDTH);
    let index = start >> level;
    let tile_index = index >> (LOG_TILE_WIDTH - within);
    let tile = read_tile(store, &tile_key(block, tile_level as u8, tile_index as u32))?;
    tile.node(within, index as usize % (TILE_WIDTH >> within))
}

/// Marks leaves as dead, ascending and each once, and prunes all subtrees without a live leaf.
pub(super) fn prune_leaves<S: ReadStore + ?Sized>(
    store: &S,
    writes: &mut WriteBatch,
    block: u64,
    size: u32,
    leaves: &[u32],
) -> Result<()> {
    let mut given_up: Vec<u32> = leaves.to_vec();
    let mut level = 0;
    while !given_up.is_empty() {
        let mut emptied = Vec::new();
        for of_tile in given_up.chunk_by(|a, b| a >> LOG_TILE_WIDTH == b >> LOG_TILE_WIDTH) {
            let index = of_tile[0] >> LOG_TILE_WIDTH;
            let key = tile_key(block, level, index);
            let mut tile = read_tile(store, &key)?;
            for leaf in of_tile {
                tile.mark_dead(*leaf as usize % TILE_WIDTH)?;
            }
            if tile.live() == 0 {
                writes.delete(key);
                emptied.push(index);
            } else {
                tile.truncate();
                put(writes, key, tile.encode());
            }
        }
        // The tile with the root has no parent.
        level += 1;
        let has_above = u64::from(size) > 1 << (LOG_TILE_WIDTH * u32::from(level));
        given_up = if has_above { emptied } else { Vec::new() };
    }
    Ok(())
}

fn read_tile<S: ReadStore + ?Sized>(store: &S, key: &[u8]) -> Result<Tile> {
    decode(key, &require(store, key)?, Tile::decode)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use prooflight_core::merkle::{leaf_hash, multiproof, root};
    use prooflight_core::store::{MemoryStore, Store};

    #[test]
    fn leaves_that_are_left_can_be_proved() {
        // Below, at and above the widths of one tile, of two levels of tiles, and of three.
        let sizes = (1..=70).chain([96, 97, 1023, 1024, 1025, 1056, 1057, 2000, 2049, 33_000]);
        for size in sizes {
            let leaves: Vec<_> =
                (0..size).map(|n: u32| leaf_hash::<KeccakTree>(&n.to_be_bytes())).collect();
            for left in [1, size.div_ceil(2), size - size / 3, size] {
                let mut store = MemoryStore::default();
                let mut writes = WriteBatch::new();
                put_tree(&mut writes, 7, leaves.clone(), Some(|_: usize| true));
                store.write(writes).unwrap();
                // First those on the right, then every second one of the others.
                let steps: [(Vec<u32>, Vec<u32>); 2] = [
                    ((left..size).collect(), (0..left).collect()),
                    ((1..left).step_by(2).collect(), (0..left).step_by(2).collect()),
                ];
                for (given_up, live) in steps {
                    let mut writes = WriteBatch::new();
                    prune_leaves(&store, &mut writes, 7, size, &given_up).unwrap();
                    store.write(writes).unwrap();
                    let live: Vec<_> = live.into_iter().map(u64::from).collect();
                    let single = live.chunks(1).step_by(live.len().div_ceil(40));
                    for proved in single.chain([&live[..]]) {
                        for part in multiproof(proved, size.into()).unwrap() {
                            let expected = &leaves[part.start as usize..][..part.size as usize];
                            let found = subtree(&store, 7, size.into(), part.start, part.size);
                            assert_eq!(found, Ok(root::<KeccakTree>(expected)), "{size}, {part:?}");
                        }
                    }
                }
            }
        }
    }
}

//! The history tree: RFC 9162 over the hashes of all headers, stored so that paths need few reads.
//!
//! Every full subtree that begins at a multiple of its size is stored under `t` level u8, index u64
//! (big-endian). The root and any path of any size follow from O(log n) of these nodes.

use prooflight_core::chain::Blake2bTree;
use prooflight_core::merkle::{empty_root, leaf_hash, multiproof, node_hash};
use prooflight_core::store::{ReadStore, WriteBatch};
use prooflight_core::{Error, Hash, Reason, Result};

/// Adds the nodes that the header hash at `index` completes to a batch.
///
/// `store` must have the nodes of all earlier indices.
pub fn append<S: ReadStore + ?Sized>(
    store: &S,
    index: u64,
    header: &Hash,
    batch: &mut WriteBatch,
) -> Result<()> {
    let mut hash = leaf_hash::<Blake2bTree>(header);
    batch.put(node_key(0, index), hash);
    for level in 0..index.trailing_ones() {
        let left = read(store, level, (index >> level) - 1)?;
        hash = node_hash::<Blake2bTree>(&left, &hash);
        batch.put(node_key(level + 1, index >> (level + 1)), hash);
    }
    Ok(())
}

/// Appends consecutive headers from the first on, without reading any node.
#[derive(Clone, Debug, Default)]
pub struct HistoryAppender {
    /// By level: the newest full subtree, if it is a left one.
    lefts: Vec<Hash>,
}

impl HistoryAppender {
    /// Adds the nodes that the header hash at `index` completes to a batch. All earlier headers must have been added.
    pub fn append(&mut self, index: u64, header: &Hash, batch: &mut WriteBatch) {
        let mut hash = leaf_hash::<Blake2bTree>(header);
        batch.put(node_key(0, index), hash);
        let levels = index.trailing_ones();
        for level in 0..levels {
            // A left subtree of each of these levels is complete.
            let left = self.lefts.get(level as usize).copied().unwrap_or_default();
            hash = node_hash::<Blake2bTree>(&left, &hash);
            batch.put(node_key(level + 1, index >> (level + 1)), hash);
        }
        let level = levels as usize;
        if self.lefts.len() <= level {
            self.lefts.resize(level + 1, [0; 32]);
        }
        self.lefts[level] = hash;
    }
}

/// The root over the header hashes before height `size`.
pub fn root<S: ReadStore + ?Sized>(store: &S, size: u64) -> Result<Hash> {
    if size == 0 {
        return Ok(empty_root::<Blake2bTree>());
    }
    subtree(store, 0, size)
}

/// The path of the header hash at `index` in the tree of the first `size`, from the leaf up.
///
/// `invalid_argument` if `index` is not below `size`.
pub fn path<S: ReadStore + ?Sized>(store: &S, index: u64, size: u64) -> Result<Vec<Hash>> {
    if index >= size {
        return Err(Error::new(
            Reason::InvalidArgument,
            format_args!("a height below that of the head, {size}"),
            index,
        ));
    }
    let mut path = Vec::new();
    let (mut start, mut length) = (0, size);
    while length > 1 {
        let left = split(length);
        if index < start + left {
            path.push(subtree(store, start + left, length - left)?);
            length = left;
        } else {
            path.push(subtree(store, start, left)?);
            start += left;
            length -= left;
        }
    }
    path.reverse();
    Ok(path)
}

/// Proves the positions of the header hashes at `heights`, ascending, in the tree of the first `size`:
/// returns the hashes of [`multiproof`].
///
/// `invalid_argument` if the heights are not ascending, `index_out_of_range` if one is not below `size`.
pub fn hashes<S: ReadStore + ?Sized>(store: &S, heights: &[u64], size: u64) -> Result<Vec<Hash>> {
    let parts = if heights.is_empty() { Vec::new() } else { multiproof(heights, size)? };
    parts.into_iter().map(|part| subtree(store, part.start, part.size)).collect()
}

/// The stored leaf of a height: the hash that its header must have.
pub fn leaf<S: ReadStore + ?Sized>(store: &S, height: u64) -> Result<Hash> {
    read(store, 0, height)
}

/// The root of the leaves from `start`, a multiple of the largest power of two in `length`.
fn subtree<S: ReadStore + ?Sized>(store: &S, start: u64, length: u64) -> Result<Hash> {
    if length.is_power_of_two() {
        return read(store, length.trailing_zeros(), start / length);
    }
    let left = split(length);
    let right = subtree(store, start + left, length - left)?;
    Ok(node_hash::<Blake2bTree>(&subtree(store, start, left)?, &right))
}

/// The largest power of two below a length of at least 2.
const fn split(length: u64) -> u64 {
    1 << (length - 1).ilog2()
}

fn read<S: ReadStore + ?Sized>(store: &S, level: u32, index: u64) -> Result<Hash> {
    let node = store.get(&node_key(level, index))?;
    node.as_deref().and_then(|node| node.try_into().ok()).ok_or_else(|| {
        let expected = format_args!("history node {index} of level {level}, 32 bytes");
        let found = node.as_ref().map_or("none".to_owned(), |node| format!("{} bytes", node.len()));
        Error::new(Reason::StoreCorrupt, expected, found)
    })
}

fn node_key(level: u32, index: u64) -> Vec<u8> {
    // There are 65 levels at most.
    let level = u8::try_from(level).unwrap_or(u8::MAX);
    [&[b't', level][..], &index.to_be_bytes()].concat()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use prooflight_core::merkle::{inclusion_path, multiproof_root, root as root_of};
    use prooflight_core::store::{MemoryStore, Store, StoreEntry};
    use std::cell::Cell;

    #[test]
    fn an_appender_makes_the_same_nodes() {
        let headers = headers(200);
        let (one_by_one, mut at_once) = (kept(&headers), MemoryStore::default());
        let (mut appended, mut batch) = (HistoryAppender::default(), WriteBatch::new());
        for (index, header) in (0..).zip(&headers) {
            appended.append(index, header, &mut batch);
        }
        at_once.write(batch).unwrap();
        let nodes = |store: &MemoryStore| -> Vec<_> {
            store.range(b"", &[0xff]).map(Result::unwrap).collect()
        };
        assert_eq!(nodes(&at_once), nodes(&one_by_one));
    }

    fn kept(headers: &[Hash]) -> MemoryStore {
        let mut store = MemoryStore::default();
        for (index, header) in (0..).zip(headers) {
            let mut batch = WriteBatch::new();
            append(&store, index, header, &mut batch).unwrap();
            store.write(batch).unwrap();
        }
        store
    }

    fn headers(count: u8) -> Vec<Hash> {
        (0..count).map(|n| [n; 32]).collect()
    }

    #[test]
    fn roots_and_paths_are_those_of_the_whole_tree() {
        let headers = headers(70);
        let store = kept(&headers);
        let leaves: Vec<Hash> = headers.iter().map(|h| leaf_hash::<Blake2bTree>(h)).collect();
        for size in 0..=leaves.len() {
            let tree = &leaves[..size];
            assert_eq!(root(&store, size as u64).unwrap(), root_of::<Blake2bTree>(tree));
            for index in 0..size {
                assert_eq!(
                    path(&store, index as u64, size as u64),
                    inclusion_path::<Blake2bTree>(tree, index)
                );
            }
            let all: Vec<u64> = (0..size as u64).collect();
            for heights in all.windows(3).chain(all.chunks(1)).chain([&all[..]]) {
                let chosen: Vec<_> =
                    heights.iter().map(|&h| (h, leaves[usize::try_from(h).unwrap()])).collect();
                let mut hashes = hashes(&store, heights, size as u64).unwrap().into_iter();
                if !heights.is_empty() {
                    let root =
                        multiproof_root::<Blake2bTree>(&chosen, size as u64, &mut hashes).unwrap();
                    assert_eq!(root, root_of::<Blake2bTree>(tree));
                }
                assert_eq!(hashes.len(), 0);
            }
            let refused = path(&store, size as u64, size as u64).unwrap_err();
            assert_eq!(refused.reason(), Reason::InvalidArgument);
        }
    }

    #[test]
    fn a_path_needs_few_reads() {
        struct CountingStore(MemoryStore, Cell<u32>);
        impl ReadStore for CountingStore {
            fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
                self.1.set(self.1.get() + 1);
                self.0.get(key)
            }

            fn range(
                &self,
                from: &[u8],
                to: &[u8],
            ) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
                self.0.range(from, to)
            }
        }

        let store = CountingStore(kept(&headers(255)), Cell::new(0));
        for index in 0..255 {
            store.1.set(0);
            path(&store, index, 255).unwrap();
            assert!(store.1.get() <= 2 * 8, "{} reads for index {index}", store.1.get());
        }
    }

    #[test]
    fn a_missing_node_is_named() {
        let mut store = kept(&headers(4));
        let mut batch = WriteBatch::new();
        batch.delete(node_key(1, 1));
        store.write(batch).unwrap();
        let refused = path(&store, 0, 4).unwrap_err();
        assert_eq!(refused.reason(), Reason::StoreCorrupt);
        assert!(refused.expected().contains("node 1 of level 1"), "{refused}");
    }
}

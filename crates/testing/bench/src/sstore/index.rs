//! The index level: a Merkle B+ tree over the hashed keys of one zone (section IV-B), and its part
//! of a proof.

use prooflight_core::{ByteReader, Hash, keccak256};

use super::versions::{KeyVersion, SkipList};
use super::{NO_NODE, versions};
use crate::Result;

/// A Merkle B+ tree with the versions of each key.
pub(super) struct ZoneIndex {
    fan_out: usize,
    nodes: Vec<Node>,
    /// The root is node `root`, `height` levels above the leaves.
    root: usize,
    height: usize,
    versions: Vec<SkipList>,
}

/// A node: the smallest key, the hash and the place of each child, or of each key's versions.
#[derive(Default)]
struct Node {
    keys: Vec<Hash>,
    hashes: Vec<Hash>,
    places: Vec<u32>,
    /// The children whose hashes are stale, as bits.
    stale: u128,
}

impl ZoneIndex {
    /// An empty tree; the fan-out is 3 to 127.
    pub(super) fn new(fan_out: u8) -> Result<Self> {
        if !(3..128).contains(&fan_out) {
            return Err("the fan-out is 3 to 127".into());
        }
        let fan_out = usize::from(fan_out);
        let nodes = vec![Node::with_room(fan_out)];
        Ok(Self { fan_out, nodes, root: 0, height: 0, versions: Vec::new() })
    }

    /// Adds a version of a key; [`root`](Self::root) hashes the nodes above it.
    pub(super) fn put(&mut self, key: &Hash, version: KeyVersion) -> Result<()> {
        let (way, leaf) = self.descend(key);
        for &(above, slot) in &way {
            self.nodes[above].stale |= 1 << slot;
        }
        let node = &mut self.nodes[leaf];
        match node.keys.binary_search(key) {
            Ok(slot) => {
                let list = &mut self.versions[node.places[slot] as usize];
                node.hashes[slot] = list.put(key, version)?;
            }
            Err(slot) => {
                let mut list = SkipList::default();
                let hash = list.put(key, version)?;
                node.insert(slot, *key, hash, self.versions.len())?;
                self.versions.push(list);
                self.split(way, leaf)?;
            }
        }
        Ok(())
    }

    /// Hashes the nodes that have changed, each once; returns the root.
    pub(super) fn root(&mut self) -> Hash {
        if self.versions.is_empty() { NO_NODE } else { self.rehash(self.root) }
    }

    /// Writes the nodes on the path to a key, from the root on, and its versions as
    /// [`SkipList::prove`] does; false if the key was never written.
    pub(super) fn prove(&self, key: &Hash, from: u64, to: u64, proof: &mut Vec<u8>) -> bool {
        let (way, leaf) = self.descend(key);
        let leaf = &self.nodes[leaf];
        let Ok(slot) = leaf.keys.binary_search(key) else { return false };
        proof.extend(u8::try_from(way.len() + 1));
        for (node, slot) in way.iter().map(|&(node, slot)| (&self.nodes[node], slot)) {
            node.show(slot, proof);
        }
        leaf.show(slot, proof);
        self.versions[leaf.places[slot] as usize].prove(from, to, proof);
        true
    }

    /// The nodes above the leaf of a key, each with the slot to follow, and the leaf.
    fn descend(&self, key: &Hash) -> (Vec<(usize, usize)>, usize) {
        let (mut way, mut at) = (Vec::with_capacity(self.height), self.root);
        for _ in 0..self.height {
            let node = &self.nodes[at];
            let slot = node.keys.partition_point(|first| first <= key).saturating_sub(1);
            way.push((at, slot));
            at = node.places[slot] as usize;
        }
        (way, at)
    }

    /// Splits a node that is too full in the middle, and then those above it.
    fn split(&mut self, mut way: Vec<(usize, usize)>, mut full: usize) -> Result<()> {
        while self.nodes[full].keys.len() > self.fan_out {
            let middle = self.nodes[full].keys.len() / 2;
            let right = self.nodes[full].split_off(middle, self.fan_out);
            let first = right.keys[0];
            let place = self.nodes.len();
            self.nodes.push(right);
            let (above, slot) = way.pop().map_or_else(|| self.raise(), Ok)?;
            let node = &mut self.nodes[above];
            node.insert(slot + 1, first, NO_NODE, place)?;
            node.stale |= 0b11 << slot;
            full = above;
        }
        Ok(())
    }

    /// Puts a root above the root.
    fn raise(&mut self) -> Result<(usize, usize)> {
        let mut root = Node::with_room(self.fan_out);
        root.insert(0, self.nodes[self.root].keys[0], NO_NODE, self.root)?;
        self.root = self.nodes.len();
        self.height += 1;
        self.nodes.push(root);
        Ok((self.root, 0))
    }

    fn rehash(&mut self, at: usize) -> Hash {
        let mut stale = core::mem::take(&mut self.nodes[at].stale);
        while stale != 0 {
            let slot = stale.trailing_zeros() as usize;
            stale &= stale - 1;
            let child = self.nodes[at].places[slot] as usize;
            self.nodes[at].hashes[slot] = self.rehash(child);
        }
        keccak256(&[self.nodes[at].hashes.as_flattened()])
    }
}

impl Node {
    /// An empty node with room until it is split.
    fn with_room(fan_out: usize) -> Self {
        let room = fan_out + 1;
        let (keys, hashes) = (Vec::with_capacity(room), Vec::with_capacity(room));
        Self { keys, hashes, places: Vec::with_capacity(room), stale: 0 }
    }

    fn insert(&mut self, slot: usize, key: Hash, hash: Hash, place: usize) -> Result<()> {
        self.keys.insert(slot, key);
        self.hashes.insert(slot, hash);
        self.places.insert(slot, u32::try_from(place)?);
        let before = self.stale & ((1 << slot) - 1);
        self.stale = before | (self.stale ^ before) << 1;
        Ok(())
    }

    fn split_off(&mut self, middle: usize, fan_out: usize) -> Self {
        let mut right = Self::with_room(fan_out);
        right.keys.extend(self.keys.drain(middle..));
        right.hashes.extend(self.hashes.drain(middle..));
        right.places.extend(self.places.drain(middle..));
        right.stale = self.stale >> middle;
        self.stale ^= right.stale << middle;
        right
    }

    /// Writes every hash except that of one item.
    fn show(&self, slot: usize, proof: &mut Vec<u8>) {
        proof.extend(u8::try_from(slot));
        proof.extend(u8::try_from(self.hashes.len()));
        proof.extend(self.hashes[..slot].as_flattened());
        proof.extend(self.hashes[slot + 1..].as_flattened());
    }
}

/// Reads the versions of a key as [`versions::verify`] does; returns them with the root of the tree.
pub(super) fn verify(
    key: &Hash,
    from: u64,
    to: u64,
    reader: &mut ByteReader<'_>,
) -> Result<(Vec<KeyVersion>, Hash)> {
    let levels = usize::from(reader.u8()?);
    let mut nodes = Vec::with_capacity(levels);
    for _ in 0..levels {
        let (slot, items) = (usize::from(reader.u8()?), usize::from(reader.u8()?));
        if slot >= items {
            return Err("a node has no such item".into());
        }
        nodes.push((reader.take(slot * 32)?, reader.take((items - slot - 1) * 32)?));
    }
    let (versions, newest) = versions::verify(key, from, to, reader)?;
    let above = |hash: Hash, (before, after): (&[u8], &[u8])| keccak256(&[before, &hash, after]);
    Ok((versions, nodes.into_iter().rev().fold(newest, above)))
}

//! The Merkle bucket tree (section II-B): buckets of sorted entries under a Merkle tree of fixed
//! shape. The bucket of a key and the shape are those of Hyperledger Fabric 0.6, which the paper
//! took it from.

use prooflight_core::{ByteReader, Hash, keccak256};

use super::Value;
use crate::Result;

/// A Merkle bucket tree with entries of `ENTRY` bytes: a key, then a value of 32 bytes.
pub struct BucketTree<const ENTRY: usize> {
    shape: TreeShape,
    buckets: Vec<Vec<[u8; ENTRY]>>,
    /// The hashes of the buckets, then those of each level above.
    levels: Vec<Vec<Hash>>,
}

/// The number of buckets and of children of each node above them.
#[derive(Clone, Copy)]
struct TreeShape {
    buckets: usize,
    group: usize,
}

impl<const ENTRY: usize> BucketTree<ENTRY> {
    /// A tree of empty buckets; a node has `group` children, at least 2.
    pub fn new(buckets: usize, group: usize) -> Result<Self> {
        if buckets == 0 || group < 2 {
            return Err("no bucket, or nodes without two children".into());
        }
        let mut levels = vec![vec![keccak256(&[]); buckets]];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let nodes = below.chunks(group).map(|nodes| keccak256(&[nodes.as_flattened()]));
            levels.push(nodes.collect());
        }
        let shape = TreeShape { buckets, group };
        Ok(Self { shape, buckets: vec![Vec::new(); buckets], levels })
    }

    /// The root.
    pub fn root(&self) -> Hash {
        self.levels.last().map_or([0; 32], |top| top[0])
    }

    /// Puts entries; returns the root. Every node is hashed once, after the last entry.
    pub fn put(&mut self, entries: &[[u8; ENTRY]]) -> Hash {
        let mut changed = Vec::with_capacity(entries.len());
        for entry in entries {
            let number = self.shape.bucket(key(entry));
            let bucket = &mut self.buckets[number];
            match bucket.binary_search_by_key(&key(entry), |it| key(it)) {
                Ok(place) => bucket[place] = *entry,
                Err(place) => bucket.insert(place, *entry),
            }
            changed.push(number);
        }
        changed.sort_unstable();
        changed.dedup();
        for &number in &changed {
            self.levels[0][number] = keccak256(&[self.buckets[number].as_flattened()]);
        }
        for level in 1..self.levels.len() {
            for node in &mut changed {
                *node /= self.shape.group;
            }
            changed.dedup();
            for &node in &changed {
                let children = self.shape.children(node, self.levels[level - 1].len());
                let children = self.levels[level - 1][children].as_flattened();
                self.levels[level][node] = keccak256(&[children]);
            }
        }
        self.root()
    }

    /// Proves the value of a key, or its absence: its whole bucket, and the hashes beside the path
    /// to the root. The paper says that there is no witness of a single entry.
    pub fn get(&self, key: &[u8]) -> Vec<u8> {
        let mut node = self.shape.bucket(key);
        let bucket = &self.buckets[node];
        let mut proof = Vec::with_capacity(4 + bucket.len() * ENTRY);
        proof.extend(u32::try_from(bucket.len()).unwrap_or(u32::MAX).to_be_bytes());
        proof.extend(bucket.as_flattened());
        for level in &self.levels[..self.levels.len() - 1] {
            let children = self.shape.children(node / self.shape.group, level.len());
            proof.extend(level[children.start..node].as_flattened());
            proof.extend(level[node + 1..children.end].as_flattened());
            node /= self.shape.group;
        }
        proof
    }

    /// Verifies a proof of [`get`](Self::get) against the root of a tree of this shape.
    pub fn verify(&self, root: &Hash, key: &[u8], proof: &[u8]) -> Result<Option<Value>> {
        let mut reader = ByteReader::new(proof);
        let entries = usize::try_from(reader.u32_be()?)?;
        let bucket = reader.take(entries.checked_mul(ENTRY).ok_or("a bucket too large")?)?;
        let mut hash = keccak256(&[bucket]);
        let (mut node, mut nodes) = (self.shape.bucket(key), self.shape.buckets);
        while nodes > 1 {
            let children = self.shape.children(node / self.shape.group, nodes);
            let before = reader.take((node - children.start) * 32)?;
            let after = reader.take((children.end - node - 1) * 32)?;
            hash = keccak256(&[before, &hash, after]);
            (node, nodes) = (node / self.shape.group, nodes.div_ceil(self.shape.group));
        }
        reader.finish()?;
        if hash != *root {
            return Err("another root".into());
        }
        let found = bucket.chunks(ENTRY).find_map(|entry| entry.strip_prefix(key));
        Ok(found.map(Value::try_from).transpose()?)
    }
}

impl TreeShape {
    /// The bucket of a key: its 32-bit FNV-1a hash modulo the number of buckets.
    fn bucket(&self, key: &[u8]) -> usize {
        let mix = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        key.iter().fold(0x811c_9dc5, mix) as usize % self.buckets
    }

    /// The children of a node above a level of `below` nodes.
    fn children(&self, node: usize, below: usize) -> core::ops::Range<usize> {
        node * self.group..below.min((node + 1) * self.group)
    }
}

fn key<const ENTRY: usize>(entry: &[u8; ENTRY]) -> &[u8] {
    &entry[..ENTRY - 32]
}

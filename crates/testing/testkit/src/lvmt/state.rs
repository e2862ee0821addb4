//! The state of a chain: entries, keys, and the leaves of all blocks.

use std::collections::{BTreeMap, BTreeSet};

use prooflight_core::merkle::{TreeHash, root};
use prooflight_core::{Hash, keccak256};
use prooflight_lvmt::LvmtRoot;
use prooflight_lvmt::proof::LeafPlace;

use super::vector::DevSetup;

/// Keccak-256, for trees.
pub struct KeccakTree;

impl TreeHash for KeccakTree {
    fn hash(parts: &[&[u8]]) -> Hash {
        keccak256(parts)
    }
}

pub fn keccak(bytes: &[u8]) -> Hash {
    keccak256(&[bytes])
}

/// An entry or an AMT: its level, and the bits of key hashes that lead there, followed by zeros.
pub type LevelPrefix = (u8, Hash);

/// The record of a key.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    pub level: u8,
    pub slot: u8,
    pub version: u64,
    pub value: Option<Vec<u8>>,
    /// The places of its leaves, by version from 1 on, with the hashes of their values.
    pub leaves: Vec<(LeafPlace, Option<Hash>)>,
}

/// An AMT below the root.
#[derive(Clone, Copy, Debug)]
pub struct LowerAmt {
    pub version: u64,
    pub commitment: [u8; 32],
    pub place: LeafPlace,
}

/// A state after some blocks; a liar may change anything.
#[derive(Clone, Debug)]
pub struct LvmtModel {
    pub setup: DevSetup,
    pub log_arity: u8,
    pub entries: BTreeMap<LevelPrefix, [u64; 6]>,
    pub keys: BTreeMap<Hash, KeyRecord>,
    pub amts: BTreeMap<LevelPrefix, LowerAmt>,
    /// The hashes of the leaves of each block.
    pub blocks: Vec<Vec<Hash>>,
}

impl LvmtModel {
    pub fn new(log_n: u8, log_arity: u8) -> Self {
        Self {
            setup: DevSetup::new(log_n),
            log_arity,
            entries: BTreeMap::new(),
            keys: BTreeMap::new(),
            amts: BTreeMap::new(),
            blocks: Vec::new(),
        }
    }

    /// The roots after the last block.
    pub fn root(&self) -> LvmtRoot {
        let hroot = root::<KeccakTree>(&self.block_leaves());
        let aroot = self.setup.commitment(&self.values((0, [0; 32])));
        LvmtRoot { aroot, hroot, height: self.blocks.len() as u64 - 1 }
    }

    /// The leaves of the tree over blocks.
    pub fn block_leaves(&self) -> Vec<Hash> {
        let leaf = |(block, leaves): (usize, &Vec<Hash>)| {
            block_leaf(block as u64, &root::<KeccakTree>(leaves))
        };
        self.blocks.iter().enumerate().map(leaf).collect()
    }

    /// Adds a block that sets and deletes keys: the last write of a key wins, and a delete of a key without a
    /// value does nothing.
    pub fn commit(&mut self, changes: &[(&[u8], Option<&[u8]>)]) {
        let mut last: BTreeMap<Hash, Option<&[u8]>> = BTreeMap::new();
        for (key, value) in changes {
            last.insert(keccak(key), *value);
        }
        let live = |key: &Hash| {
            self.keys.get(key).is_some_and(|record: &KeyRecord| record.value.is_some())
        };
        last.retain(|key, value| value.is_some() || live(key));

        let block = self.blocks.len() as u64;
        let mut touched = BTreeSet::new();
        let mut written = BTreeSet::new();
        for (key, value) in last {
            let (level, slot) = match self.keys.get(&key) {
                Some(record) => (record.level, record.slot),
                None => self.free_slot(&key),
            };
            let entry = self.entries.entry(self.entry_name(&key, level)).or_default();
            entry[usize::from(slot)] += 1;
            let record = self.keys.entry(key).or_insert_with(|| KeyRecord {
                level,
                slot,
                version: 0,
                value: None,
                leaves: Vec::new(),
            });
            (record.version, record.value) = (record.version + 1, value.map(<[u8]>::to_vec));
            written.insert((level, key));
            touched.insert(self.amt_name(&key, level));
        }

        let mut leaves = Vec::new();
        for (level, key) in written {
            let record = self.keys.get_mut(&key).unwrap();
            let value_hash = record.value.as_deref().map(keccak);
            leaves.push(key_leaf(level, record.slot, record.version, &key, value_hash));
            record.leaves.push((LeafPlace { block, index: leaves.len() as u32 - 1 }, value_hash));
        }
        for level in (1..=255).rev() {
            for name in touched.clone().into_iter().filter(|name| name.0 == level) {
                let parent = self.entries.get_mut(&(level - 1, name.1)).unwrap();
                parent[0] += 1;
                let version = parent[0];
                touched.insert(self.amt_name(&name.1, level - 1));
                let commitment = self.setup.commitment(&self.values(name));
                leaves.push(self.amt_leaf(name, version, &commitment));
                let place = LeafPlace { block, index: leaves.len() as u32 - 1 };
                self.amts.insert(name, LowerAmt { version, commitment, place });
            }
        }
        self.blocks.push(leaves);
    }

    fn free_slot(&self, key: &Hash) -> (u8, u8) {
        let mut levels = (0..).map(|level| (level, self.entry_at(key, level)));
        let free = |(level, entry): (u8, [u64; 6])| {
            (1..6u8).find(|slot| entry[usize::from(*slot)] == 0).map(|slot| (level, slot))
        };
        levels.find_map(free).unwrap()
    }

    pub fn entry_at(&self, key: &Hash, level: u8) -> [u64; 6] {
        self.entries.get(&self.entry_name(key, level)).copied().unwrap_or_default()
    }

    pub fn entry_name(&self, key: &Hash, level: u8) -> LevelPrefix {
        (level, first_bits(key, usize::from(self.setup.log_n) * (usize::from(level) + 1)))
    }

    pub fn amt_name(&self, key: &Hash, level: u8) -> LevelPrefix {
        (level, first_bits(key, usize::from(self.setup.log_n) * usize::from(level)))
    }

    /// The index of the entry in its AMT.
    pub fn index(&self, entry: &LevelPrefix) -> u32 {
        let log_n = usize::from(self.setup.log_n);
        let end = log_n * (usize::from(entry.0) + 1);
        (end - log_n..end).fold(0, |index, bit| 2 * index + u32::from(bit_of(&entry.1, bit)))
    }

    /// The entries of an AMT.
    pub fn values(&self, amt: LevelPrefix) -> Vec<(u32, [u64; 6])> {
        let of_level = self.entries.range((amt.0, amt.1)..=(amt.0, [0xff; 32]));
        let of_amt = of_level.filter(|(name, _)| self.amt_name(&name.1, name.0) == amt);
        of_amt.map(|(name, versions)| (self.index(name), *versions)).collect()
    }

    /// The leaf of an AMT.
    pub fn amt_leaf(&self, amt: LevelPrefix, version: u64, commitment: &[u8; 32]) -> Hash {
        // The prefix as an integer, in as few bytes as its bits need.
        let bits = usize::from(self.setup.log_n) * usize::from(amt.0);
        let mut prefix = vec![0; bits.div_ceil(8)];
        let length = 8 * prefix.len();
        for bit in 0..bits {
            let to = length - bits + bit;
            prefix[to / 8] |= bit_of(&amt.1, bit) << (7 - to % 8);
        }
        keccak(&[&[0, 1, amt.0], &prefix[..], &version.to_be_bytes(), commitment].concat())
    }

    /// Adds a dishonest leaf to the last block; returns its place.
    pub fn plant(&mut self, leaf: Hash) -> LeafPlace {
        let block = self.blocks.len() as u64 - 1;
        let leaves = self.blocks.last_mut().unwrap();
        leaves.push(leaf);
        LeafPlace { block, index: leaves.len() as u32 - 1 }
    }
}

/// The leaf of a block.
pub fn block_leaf(block: u64, block_root: &Hash) -> Hash {
    keccak(&[&[0], &block.to_be_bytes()[..], block_root].concat())
}

/// The leaf of a key.
pub fn key_leaf(
    level: u8,
    slot: u8,
    version: u64,
    key_hash: &Hash,
    value_hash: Option<Hash>,
) -> Hash {
    let tag = u8::from(value_hash.is_some());
    let (version, value_hash) = (version.to_be_bytes(), value_hash.unwrap_or_default());
    keccak(&[&[0, 0, level, slot], &version[..], key_hash, &[tag], &value_hash].concat())
}

fn first_bits(hash: &Hash, bits: usize) -> Hash {
    let mut first = [0; 32];
    for bit in 0..bits {
        first[bit / 8] |= bit_of(hash, bit) << (7 - bit % 8);
    }
    first
}

fn bit_of(hash: &Hash, bit: usize) -> u8 {
    hash[bit / 8] >> (7 - bit % 8) & 1
}

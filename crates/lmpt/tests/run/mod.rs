//! A chain of random blocks and a model: the history of a plain dictionary, and tries made from scratch.
#![allow(dead_code, reason = "each test uses only some of it")]
#![allow(unreachable_pub, reason = "a test crate exports nothing")]
#![allow(clippy::missing_panics_doc, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::sync::OnceLock;

use prooflight_core::chain::LmptConfig;
use prooflight_core::store::{MemoryStore, RawKeyChange, StateProof};
use prooflight_core::{Hash, Limits, keccak256};
use prooflight_lmpt::{Layer, LayerRoots, verify};
use prooflight_mpt::PersistentTrie;
use rand::Rng;
use rand::rngs::StdRng;

/// The changes of a block, by raw key.
pub type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// The history of a chain.
#[derive(Clone, Debug)]
pub struct Model {
    pub eras: LmptConfig,
    /// The normalised changes of each block.
    pub blocks: Vec<Changes>,
    /// The dictionary after each block.
    states: Vec<BTreeMap<Vec<u8>, Vec<u8>>>,
    /// The blocks that ended an era, ascending.
    pub ends: Vec<usize>,
    pub roots: Vec<LayerRoots>,
}

impl Model {
    pub fn new(eras: LmptConfig) -> Self {
        let (blocks, states, ends, roots) = Default::default();
        Self { eras, blocks, states, ends, roots }
    }

    pub fn height(&self) -> usize {
        self.blocks.len() - 1
    }

    /// The changes of the next block: some operations, normalised.
    pub fn normalise(&self, mut changes: Changes) -> Changes {
        let state = self.states.last();
        changes.retain(|key, value| {
            value.is_some() || state.is_some_and(|state| state.contains_key(key))
        });
        changes
    }

    /// Adds a block of normalised changes, with the roots after it.
    pub fn push(&mut self, changes: Changes) {
        self.push_block(changes);
        let [delta, intermediate, snapshot] =
            self.layers(self.height()).map(|layer| root_of(&layer));
        self.roots.push(LayerRoots { snapshot, intermediate, delta });
    }

    /// Adds a block of normalised changes.
    pub fn push_block(&mut self, changes: Changes) {
        let mut state = self.states.last().cloned().unwrap_or_default();
        for (key, value) in &changes {
            match value {
                Some(value) => state.insert(key.clone(), value.clone()),
                None => state.remove(key),
            };
        }
        self.states.push(state);
        self.blocks.push(changes);
        let height = self.height();
        if height > 0 {
            let era = &self.blocks[self.ends.last().unwrap_or(&0) + 1..];
            let bytes = |value: &Option<Vec<u8>>| 64 + value.as_ref().map_or(0, Vec::len);
            let bytes: usize = era.iter().flat_map(BTreeMap::values).map(bytes).sum();
            let operations: usize = era.iter().map(BTreeMap::len).sum();
            if era.len() >= self.eras.era_blocks as usize
                || operations >= self.eras.era_ops as usize
                || bytes as u64 >= self.eras.era_bytes
            {
                self.ends.push(height);
            }
        }
    }

    /// Reverts the blocks after `height`.
    pub fn roll_back(&mut self, height: usize) {
        self.blocks.truncate(height + 1);
        self.states.truncate(height + 1);
        self.roots.truncate(height + 1);
        self.ends.retain(|end| *end <= height);
    }

    /// The last blocks of the last ended era and of the one before it; 0 if there is none.
    fn layer_ends(&self, height: usize) -> (usize, usize) {
        let mut ends = self.ends.iter().rev().filter(|end| **end <= height);
        let last = ends.next().copied().unwrap_or(0);
        (last, ends.next().copied().unwrap_or(0))
    }

    /// The first block that shows the layers of the current era at `height`.
    pub fn era_start(&self, height: usize) -> usize {
        self.layer_ends(height).0
    }

    /// Delta, intermediate, snapshot: their leaves by key hash.
    pub fn layers(&self, height: usize) -> [BTreeMap<Hash, Vec<u8>>; 3] {
        let (e, d) = self.layer_ends(height);
        let last_operations = |blocks: &[Changes]| {
            let operations = blocks.iter().flatten();
            operations.map(|(key, value)| (hash(key), leaf(value.as_deref()))).collect()
        };
        let snapshot = self.states[d].iter().map(|(key, value)| (hash(key), leaf(Some(value))));
        let delta = last_operations(&self.blocks[e + 1..=height]);
        [delta, last_operations(&self.blocks[d + 1..=e]), snapshot.collect()]
    }

    pub fn value(&self, height: usize, key: &[u8]) -> Option<&[u8]> {
        self.states[height].get(key).map(Vec::as_slice)
    }

    /// Verifies a proof of keys, and compares the answers with the dictionary and the layers.
    pub fn check(&self, height: usize, keys: &[Vec<u8>], proved: &StateProof) {
        let roots = self.roots[height];
        assert_eq!(proved.roots, [(height as u64, roots.encode().to_vec())]);
        let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let answers = verify(&roots, &slices, &proved.proof, &Limits::DEFAULT).unwrap();
        let layers = self.layers(height);
        for (key, answer) in keys.iter().zip(answers.get()) {
            assert_eq!(answer.value, self.value(height, key), "block {height}, key {key:02x?}");
            let holds = |at: &usize| layers[*at].contains_key(&hash(key));
            let layer = Layer::ALL[(0..3).find(holds).unwrap_or(2)];
            assert_eq!(answer.layer, layer, "block {height}, key {key:02x?}");
        }
    }
}

fn hash(key: &[u8]) -> Hash {
    keccak256(&[key])
}

fn leaf(value: Option<&[u8]>) -> Vec<u8> {
    value.map_or(vec![0], |value| [&[1], value].concat())
}

fn root_of(layer: &BTreeMap<Hash, Vec<u8>>) -> Hash {
    trie_of(layer).root()
}

/// A trie made from scratch.
pub fn trie_of(layer: &BTreeMap<Hash, Vec<u8>>) -> PersistentTrie<MemoryStore> {
    let mut trie = PersistentTrie::open(MemoryStore::default()).unwrap();
    let changes: Vec<_> = layer.iter().map(|(key, leaf)| RawKeyChange::set(key, leaf)).collect();
    trie.apply(&changes).unwrap();
    trie
}

/// Keys of few names, so that blocks overlap; two of their hashes share eight nibbles, so that their leaves are
/// embedded in a branch.
pub fn keys() -> &'static [Vec<u8>] {
    static KEYS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let name = |n: u32| n.to_be_bytes().to_vec();
        let mut keys: Vec<_> = (0..60).map(name).collect();
        let mut seen = BTreeMap::new();
        let pair = (0..).find_map(|n| {
            let start = hash(&name(n))[..4].to_vec();
            seen.insert(start, n).map(|other| [name(other), name(n)])
        });
        keys.extend(pair.unwrap());
        keys.push(Vec::new());
        keys
    })
}

pub fn draw_changes(rng: &mut StdRng, most: usize) -> Changes {
    let count = rng.random_range(0..=most);
    let one = |rng: &mut StdRng| {
        // The last keys, the embedded ones, often.
        let from = if rng.random_ratio(1, 5) { keys().len() - 3 } else { 0 };
        let key = keys()[rng.random_range(from..keys().len())].clone();
        let value = match rng.random_range(0..8) {
            0..=2 => None,
            3 => Some(Vec::new()),
            4 => Some(vec![0]),
            _ => {
                let length = rng.random_range(1..40);
                Some((0..length).map(|_| rng.random()).collect())
            }
        };
        (key, value)
    };
    (0..count).map(|_| one(rng)).collect()
}

pub fn changes(changes: &Changes) -> Vec<RawKeyChange<'_>> {
    changes.iter().map(|(key, value)| RawKeyChange { key, value: value.as_deref() }).collect()
}

/// Random bounds of eras: by blocks, by operations, by bytes, or all of them.
pub fn draw_eras(rng: &mut StdRng) -> LmptConfig {
    let mut eras = LmptConfig { era_blocks: u32::MAX, era_ops: u32::MAX, era_bytes: u64::MAX };
    let which = rng.random_range(0..5);
    if which == 0 || which == 3 {
        eras.era_blocks = rng.random_range(1..6);
    }
    if which == 1 || which == 3 {
        eras.era_ops = rng.random_range(1..30);
    }
    if which == 2 || which == 3 {
        eras.era_bytes = rng.random_range(1..3000);
    }
    if which == 4 {
        eras.era_blocks = 1;
    }
    eras
}

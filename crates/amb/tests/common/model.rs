//! All versions of all keys in a dictionary.

use std::collections::BTreeMap;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Hash, PastState};
use prooflight_testkit::amb::state::AmbModel;
use rand::Rng;
use rand::rngs::StdRng;

pub(crate) type Key = Vec<u8>;
pub(crate) type Value = Option<Vec<u8>>;

/// Every key with its versions: blocks and values, `None` for a tombstone.
#[derive(Clone, Default)]
pub(crate) struct Model(pub(crate) BTreeMap<Key, Vec<(u64, Value)>>);

impl Model {
    pub(crate) fn apply(&mut self, block: u64, changes: &[(Key, Value)]) {
        for (key, value) in changes {
            self.0.entry(key.clone()).or_default().push((block, value.clone()));
        }
    }

    pub(crate) fn is_live(&self, key: &[u8]) -> bool {
        self.0.get(key).and_then(|it| it.last()).is_some_and(|(_, value)| value.is_some())
    }

    /// The state of a key at a block.
    pub(crate) fn at(&self, key: &[u8], block: u64) -> PastState<'_> {
        let versions = self.0.get(key).map(Vec::as_slice).unwrap_or_default();
        versions.iter().rfind(|(at, _)| *at <= block).map_or(PastState::NeverWritten, answer)
    }

    /// The versions of a key in a range of blocks, and the version before them.
    pub(crate) fn history(
        &self,
        key: &[u8],
        from: u64,
        to: u64,
    ) -> (PastState<'_>, Vec<PastState<'_>>) {
        let versions = self.0.get(key).map(Vec::as_slice).unwrap_or_default();
        let before = versions.iter().rfind(|(at, _)| *at < from);
        let inside = versions.iter().filter(|(at, _)| (from..=to).contains(at));
        (before.map_or(PastState::NeverWritten, answer), inside.map(answer).collect())
    }

    /// The keys in a range that have a value at a block.
    pub(crate) fn range(
        &self,
        lo: &[u8],
        hi: Option<&[u8]>,
        at: u64,
    ) -> Vec<(&Key, PastState<'_>)> {
        let inside = self
            .0
            .keys()
            .filter(|key| lo <= key.as_slice() && hi.is_none_or(|hi| key.as_slice() < hi));
        let states = inside.map(|key| (key, self.at(key, at)));
        states.filter(|(_, state)| state.value().is_some()).collect()
    }

    /// Draws the changes of a block: some keys set, some deleted.
    pub(crate) fn draw(&self, rng: &mut StdRng, count: usize) -> Vec<(Key, Value)> {
        let mut changes = BTreeMap::new();
        for _ in 0..count {
            let key = if !self.0.is_empty() && rng.random_bool(0.5) {
                self.some_key(rng)
            } else {
                draw_key(rng)
            };
            if rng.random_bool(0.3) && self.is_live(&key) {
                changes.insert(key, None);
            } else {
                changes.insert(key, Some(vec![rng.random(); rng.random_range(0..5)]));
            }
        }
        changes.into_iter().collect()
    }

    /// A key that was ever set.
    pub(crate) fn some_key(&self, rng: &mut StdRng) -> Key {
        self.0.keys().nth(rng.random_range(0..self.0.len())).unwrap().clone()
    }

    /// The model of the tree after a block, which has roots and proofs by their definitions.
    pub(crate) fn tree(&self, height: u64) -> AmbModel {
        AmbModel { height, entries: self.0.clone() }
    }

    /// The root.
    pub(crate) fn root(&self) -> Hash {
        self.tree(0).root()
    }
}

fn answer((block, value): &(u64, Value)) -> PastState<'_> {
    match value {
        Some(value) => PastState::Present { value, since: *block },
        None => PastState::Deleted { deleted_at: *block },
    }
}

pub(crate) fn changes(block: &[(Key, Value)]) -> Vec<RawKeyChange<'_>> {
    block.iter().map(RawKeyChange::from).collect()
}

/// Keys that are often prefixes of each other, or differ in the last bits.
pub(crate) fn draw_key(rng: &mut StdRng) -> Key {
    let length = match rng.random_range(0..20) {
        0 => 256,
        1..4 => rng.random_range(0..40),
        _ => rng.random_range(0..4),
    };
    (0..length).map(|_| [0, 1, 0x80, 0xff][rng.random_range(0..4)]).collect()
}

//! All versions of all keys in a dictionary, and the root by its definition.

use std::collections::BTreeMap;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Hash, PastState, blake2b256};
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

    /// The root, by its definition.
    pub(crate) fn root(&self) -> Hash {
        let entries: Vec<_> =
            self.0.iter().map(|(key, versions)| (bits(key), key, versions)).collect();
        blake2b256(&[&[0x15], &record(&entries)])
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

type Entries<'m> = [(Vec<bool>, &'m Key, &'m Vec<(u64, Value)>)];

/// The bits of a key, followed by as many zeros as the longest key has.
fn bits(key: &[u8]) -> Vec<bool> {
    let of = |byte: u8| (0..9).map(move |at| at == 0 || byte.rotate_left(at) & 1 == 1);
    let mut bits: Vec<bool> = key.iter().copied().flat_map(of).collect();
    bits.resize(9 * 256, false);
    bits
}

fn record(entries: &Entries<'_>) -> Vec<u8> {
    let [(first, ..), .., (last, ..)] = entries else {
        return entries.first().map_or(vec![0; 56], |(_, key, versions)| entry(key, versions));
    };
    let depth = first.iter().zip(last).position(|(a, b)| a != b).unwrap();
    let (left, right) = entries.split_at(entries.partition_point(|(bits, ..)| !bits[depth]));
    let prefix: Vec<&[bool]> = first[..depth].chunks(9).collect();
    let byte = |bits: &&[bool]| {
        let bits = bits.iter().skip(1).enumerate();
        bits.fold(0, |byte, (at, bit)| byte | u8::from(*bit) << (7 - at))
    };
    let pre: Vec<u8> = prefix.iter().filter(|bits| bits.len() > 1).map(byte).collect();
    let (left, right) = (record(left), record(right));
    let depth = u16::try_from(depth).unwrap().to_be_bytes();
    let hash = blake2b256(&[&[0x11], &depth, &pre, &left, &right]);
    let number = |record: &[u8], at: usize| {
        u64::from_be_bytes(record[8 * at..8 * at + 8].try_into().unwrap())
    };
    let version = number(&left, 0).max(number(&right, 0));
    let [live, dead] = [1, 2].map(|at| number(&left, at) + number(&right, at));
    let numbers = [version, live, dead].map(u64::to_be_bytes);
    [numbers.as_flattened(), &hash].concat()
}

fn entry(key: &[u8], versions: &[(u64, Value)]) -> Vec<u8> {
    let (newest, past) = versions.split_last().unwrap();
    let leaves: Vec<Hash> =
        past.iter().map(|it| blake2b256(&[&[0], &[0x13], &version(it)])).collect();
    let count = (versions.len() as u64).to_be_bytes();
    let length = u16::try_from(key.len()).unwrap().to_be_bytes();
    let past = merkle_root(&leaves);
    let hash = blake2b256(&[&[0x10], &length, key, &count, &version(newest), &past]);
    let live = u64::from(newest.1.is_some());
    let numbers = [newest.0, live, 1 - live].map(u64::to_be_bytes);
    [numbers.as_flattened(), &hash].concat()
}

fn version((block, value): &(u64, Value)) -> Vec<u8> {
    let hash = value.as_ref().map_or([0; 32], |value| blake2b256(&[&[0x12], value]));
    [&block.to_be_bytes()[..], &[u8::from(value.is_some())], &hash].concat()
}

fn merkle_root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => blake2b256(&[]),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            blake2b256(&[&[1], &merkle_root(left), &merkle_root(right)])
        }
    }
}

//! The keys and values, identical for every side.

use std::collections::HashSet;

use prooflight_bench::sstore::{Key, Value};

use crate::workload::{SplitMix, bytes};

/// Values in a block, except those put one by one.
pub(crate) const BLOCK_VALUES: usize = 10_000;

/// Generates blocks, and tracks the newest value of each key.
pub(crate) struct FigureWorkload {
    block: u64,
    /// The seed of each key's value.
    values: Vec<u64>,
    random: SplitMix,
}

/// A block: its height, and the values that it puts.
pub(crate) type BlockPuts = (u64, Vec<(Key, Value)>);

impl FigureWorkload {
    pub(crate) const fn new() -> Self {
        Self { block: 0, values: Vec::new(), random: SplitMix(11) }
    }

    /// The newest block.
    pub(crate) const fn newest(&self) -> u64 {
        self.block - 1
    }

    /// Returns the next new keys, in about a hundred blocks; `None` once there are `keys` keys.
    pub(crate) fn grow(&mut self, keys: usize) -> Option<BlockPuts> {
        let from = self.values.len();
        let to = keys.min(from + BLOCK_VALUES.max(keys / 100));
        self.values.resize(to, 0);
        (to > from).then(|| self.put(from..to))
    }

    /// Returns updates of `count` random keys.
    pub(crate) fn updates(&mut self, count: usize) -> BlockPuts {
        let mut numbers = HashSet::with_capacity(count);
        while numbers.len() < count {
            numbers.insert(self.random());
        }
        let mut numbers: Vec<_> = numbers.into_iter().collect();
        // The order of the set differs from run to run.
        numbers.sort_unstable_by_key(|&number| key(number));
        self.put(numbers)
    }

    /// Returns values of the first keys.
    pub(crate) fn first(&mut self, count: usize) -> BlockPuts {
        self.put(0..count)
    }

    /// Returns a random key and its newest value.
    pub(crate) fn known(&mut self) -> (Key, Value) {
        let number = self.random();
        (key(number), value(self.values[number]))
    }

    /// Returns one of the first keys and its newest value.
    pub(crate) fn at(&self, number: usize) -> (Key, Value) {
        (key(number), value(self.values[number]))
    }

    fn put(&mut self, numbers: impl IntoIterator<Item = usize>) -> BlockPuts {
        let mut put = |number| {
            self.values[number] = self.random.next();
            (key(number), value(self.values[number]))
        };
        let changes = numbers.into_iter().map(&mut put).collect();
        self.block += 1;
        (self.block - 1, changes)
    }

    #[allow(clippy::cast_possible_truncation, reason = "below the number of keys")]
    fn random(&mut self) -> usize {
        (self.random.next() % self.values.len() as u64) as usize
    }
}

fn key(number: usize) -> Key {
    bytes(&mut SplitMix(number as u64))
}

fn value(seed: u64) -> Value {
    bytes(&mut SplitMix(!seed))
}

//! The dictionaries and batches, identical in every run.

use prooflight_avl::Params;
use prooflight_json::HexBytes;
use prooflight_vectors::avl::AvlOp;

/// Operations per batch. Every fourth one inserts, the others update.
pub(crate) const BATCH_OPERATIONS: usize = 2000;

/// Inserts per batch while a dictionary grows.
const GROWTH_BATCH: usize = 20_000;

/// The parameters that both sides pin for every dictionary.
pub(crate) const DICTIONARY_PARAMS: Params = Params::new(32, Some(8));

/// Generates operations, and tracks the number of keys in the dictionary after them.
pub(crate) struct BatchWorkload {
    keys: usize,
    values: SplitMix,
}

impl BatchWorkload {
    pub(crate) const fn new() -> Self {
        Self { keys: 0, values: SplitMix(u64::MAX / 3) }
    }

    /// Returns the current number of keys.
    pub(crate) const fn keys(&self) -> usize {
        self.keys
    }

    /// Returns inserts towards `keys` keys; `None` once there are that many.
    pub(crate) fn grow(&mut self, keys: usize) -> Option<Vec<AvlOp>> {
        let count = GROWTH_BATCH.min(keys.saturating_sub(self.keys));
        (count > 0).then(|| (0..count).map(|_| self.insert()).collect())
    }

    /// Returns 500 inserts of new keys among 1500 updates of random ones.
    pub(crate) fn batch(&mut self) -> Vec<AvlOp> {
        (0..BATCH_OPERATIONS)
            .map(|n| if n % 4 == 0 { self.insert() } else { self.update() })
            .collect()
    }

    fn insert(&mut self) -> AvlOp {
        self.keys += 1;
        AvlOp::Insert { key: key(self.keys as u64 - 1), value: self.value() }
    }

    fn update(&mut self) -> AvlOp {
        AvlOp::Update { key: key(self.values.next() % self.keys as u64), value: self.value() }
    }

    fn value(&mut self) -> HexBytes {
        HexBytes(self.values.next().to_be_bytes().to_vec())
    }
}

/// Returns the pseudorandom 32-byte key for a number.
fn key(number: u64) -> HexBytes {
    let mut words = SplitMix(number);
    HexBytes((0..4).flat_map(|_| words.next().to_be_bytes()).collect())
}

/// The `SplitMix` generator of Steele, Lea and Flood ("Fast splittable pseudorandom number
/// generators", 2014).
pub(crate) struct SplitMix(pub(crate) u64);

impl SplitMix {
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}

/// Returns the next 32 bytes of a generator.
pub(crate) fn bytes(words: &mut SplitMix) -> [u8; 32] {
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&words.next().to_be_bytes());
    }
    bytes
}

//! Keys and operations.

use std::collections::BTreeMap;

use prooflight_core::{Hash, keccak256};

/// A key and its new value.
pub type KeyPut = ([u8; 32], [u8; 32]);

/// The key of a number.
pub fn key(number: u64) -> [u8; 32] {
    SplitMix(number << 8).word()
}

/// The hash by which tries store a key.
pub fn key_hash(key: &[u8]) -> Hash {
    keccak256(&[key])
}

/// Random operations on a number of keys.
pub(super) struct CommitWorkload {
    keys: u64,
    zipf: Option<Zipf>,
    random: SplitMix,
}

impl CommitWorkload {
    pub(super) fn new(keys: usize, zipf: Option<f64>) -> Self {
        let zipf = zipf.map(|exponent| Zipf::new(keys, exponent));
        Self { keys: keys as u64, zipf, random: SplitMix(7) }
    }

    /// A key of the workload.
    pub(super) fn key(&mut self) -> [u8; 32] {
        let random = self.random.next();
        key(self.zipf.as_ref().map_or_else(|| random % self.keys, |zipf| zipf.rank(random)))
    }

    /// The value of a key that is written first.
    pub(super) fn word(&mut self) -> [u8; 32] {
        self.random.word()
    }

    /// The operations of a block: the keys that it reads, and those that it writes, ascending without repetition.
    pub(super) fn block(&mut self, operations: usize) -> (Vec<[u8; 32]>, Vec<KeyPut>) {
        let reads: Vec<_> = (0..operations).map(|_| self.key()).collect();
        let writes: BTreeMap<_, _> = reads.iter().map(|key| (*key, self.random.word())).collect();
        (reads, writes.into_iter().collect())
    }
}

/// A Zipf distribution over ranks, drawn as in Gray et al., "Quickly Generating Billion-Record Synthetic
/// Databases" (1994).
struct Zipf {
    count: f64,
    exponent: f64,
    zeta: f64,
    eta: f64,
}

impl Zipf {
    fn new(count: usize, exponent: f64) -> Self {
        let zeta =
            |count: usize| (1..=count).map(|rank| (rank as f64).powf(-exponent)).sum::<f64>();
        let (all, two) = (zeta(count), zeta(2));
        let count = count as f64;
        let eta = (1.0 - (2.0 / count).powf(1.0 - exponent)) / (1.0 - two / all);
        Self { count, exponent, zeta: all, eta }
    }

    #[allow(clippy::cast_possible_truncation, reason = "a rank is below the count")]
    fn rank(&self, random: u64) -> u64 {
        let uniform = (random >> 11) as f64 / (1_u64 << 53) as f64;
        let scaled = uniform * self.zeta;
        if scaled < 1.0 {
            return 0;
        }
        if scaled < 1.0 + 0.5_f64.powf(self.exponent) {
            return 1;
        }
        let base = self.eta.mul_add(uniform, 1.0 - self.eta);
        let rank = self.count * base.powf(1.0 / (1.0 - self.exponent));
        rank.min(self.count - 1.0) as u64
    }
}

/// The generator of Steele, Lea and Flood (2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn word(&mut self) -> [u8; 32] {
        let mut word = [0; 32];
        for chunk in word.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_be_bytes());
        }
        word
    }
}

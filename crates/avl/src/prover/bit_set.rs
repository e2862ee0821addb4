//! A set of small integers.

/// A set of small integers.
pub(super) struct BitSet(Vec<u64>);

impl BitSet {
    pub(super) fn new(end: usize) -> Self {
        Self(vec![0; end.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, item: u32) {
        self.0[item as usize >> 6] |= 1 << (item & 63);
    }

    pub(super) fn contains(&self, item: u32) -> bool {
        self.0[item as usize >> 6] >> (item & 63) & 1 == 1
    }
}

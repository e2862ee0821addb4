//! What a node's hash commits to besides two hashes, in BLAKE2's salt and personalisation.

use blake2s_simd::Params;

/// The highest block that a tree can have: 2^52 - 1.
pub const MAX_HEIGHT: u64 = (1 << 52) - 1;

/// The depth in the salt of a leaf; a branch has a depth of at most 255.
const LEAF_DEPTH: u64 = 0xfff;

/// In the personalisation: the kind of the node.
mod tag {
    /// A branch whose left child is at least as new as the right one.
    pub(super) const LEFT_IS_NEWER: u64 = 0x001;
    /// A branch whose right child is newer than the left one.
    pub(super) const RIGHT_IS_NEWER: u64 = 0x002;
    pub(super) const LEAF: u64 = 0x010;
    pub(super) const TOMBSTONE: u64 = 0x011;
}

/// Salt and personalisation: everything in a node's preimage except the two hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tweak {
    pub(super) salt: u64,
    pub(super) personal: u64,
}

impl Tweak {
    pub(crate) fn leaf(height: u64) -> Self {
        Self::new(height, LEAF_DEPTH, tag::LEAF)
    }

    pub(crate) fn tombstone(height: u64) -> Self {
        Self::new(height, LEAF_DEPTH, tag::TOMBSTONE)
    }

    pub(crate) fn branch(depth: u8, left: u64, right: u64) -> Self {
        let tag = if left >= right { tag::LEFT_IS_NEWER } else { tag::RIGHT_IS_NEWER };
        Self::new(left.max(right), depth.into(), left.min(right) << 12 | tag)
    }

    /// Heights have at most 52 bits, so that nothing is shifted out.
    fn new(height: u64, depth: u64, personal: u64) -> Self {
        debug_assert!(height <= MAX_HEIGHT && personal >> 12 <= MAX_HEIGHT);
        Self { salt: height << 12 | depth, personal }
    }

    #[inline]
    pub(super) fn params(self) -> Params {
        let mut params = Params::new();
        params.salt(&self.salt.to_le_bytes()).personal(&self.personal.to_le_bytes());
        params
    }
}

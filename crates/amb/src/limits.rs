//! The limits of keys, bounds and blocks.

/// The longest key, in bytes.
pub const MAX_KEY_BYTES: usize = 256;

/// The longest bound of a range, in bytes: a key and `00`, the first key after it.
pub const MAX_BOUND_BYTES: usize = MAX_KEY_BYTES + 1;

/// Blocks are below this one.
pub(crate) const BLOCK_LIMIT: u64 = 1 << 52;

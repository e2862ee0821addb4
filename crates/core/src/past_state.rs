//! The states of keys that schemes with old values prove.

use alloc::vec::Vec;

/// The state of a key at a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastState<'a> {
    /// A value.
    Present {
        /// The value.
        value: &'a [u8],
        /// The block that set it.
        since: u64,
    },
    /// Deleted: no value any more.
    Deleted {
        /// The block that deleted it.
        deleted_at: u64,
    },
    /// Never written, in no block up to this one.
    NeverWritten,
}

impl<'a> PastState<'a> {
    /// The value, if the key has one.
    pub const fn value(&self) -> Option<&'a [u8]> {
        match *self {
            Self::Present { value, .. } => Some(value),
            Self::Deleted { .. } | Self::NeverWritten => None,
        }
    }

    /// The block in which the key last changed, if any.
    pub const fn changed_at(&self) -> Option<u64> {
        match *self {
            Self::Present { since: at, .. } | Self::Deleted { deleted_at: at } => Some(at),
            Self::NeverWritten => None,
        }
    }
}

/// The complete history of a key from one block to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHistory<'a> {
    /// The first block.
    pub from: u64,
    /// The last block.
    pub to: u64,
    /// The key's state before the first block; `None` if the proof does not show it, as in `smt` if the key changed in
    /// the first block.
    pub entering: Option<PastState<'a>>,
    /// Every change in these blocks, oldest first; none of them is [`PastState::NeverWritten`].
    pub changes: Vec<PastState<'a>>,
}

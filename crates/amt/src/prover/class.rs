//! The indices whose entries a tree state can open.

use prooflight_core::{Error, Reason, Result};

/// The indices congruent to `value` modulo `2^bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexClass {
    bits: u8,
    value: u32,
}

impl IndexClass {
    /// All indices.
    pub const ALL: Self = Self { bits: 0, value: 0 };

    /// Creates a class; `invalid_argument` unless `bits <= 28` and `value < 2^bits`.
    pub fn new(bits: u8, value: u32) -> Result<Self> {
        if bits > crate::MAX_LOG_N || value >> bits != 0 {
            return Err(Error::new(
                Reason::InvalidArgument,
                "a value below 2^bits, with bits of at most 28",
                format_args!("the value {value} and {bits} bits"),
            ));
        }
        Ok(Self { bits, value })
    }

    /// Returns the number of low bits of an index that determine membership.
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// Returns the value of those bits.
    pub const fn value(self) -> u32 {
        self.value
    }

    /// Whether an index is in the class.
    pub const fn contains(self, index: u32) -> bool {
        (index ^ self.value) & ((1 << self.bits) - 1) == 0
    }

    /// Returns the class given by the low `bits` bits, or this class if it has no more than that.
    pub(super) fn coarser(self, bits: u8) -> Self {
        let bits = bits.min(self.bits);
        Self { bits, value: self.value & ((1 << bits) - 1) }
    }
}

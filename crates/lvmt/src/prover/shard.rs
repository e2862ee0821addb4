//! Proof shards: the keys that a store can prove.

use prooflight_core::{Error, Hash, Reason, Result};

use crate::path::index_at;

/// The keys that a store can prove; the roots are the same for all shards.
///
/// The class of a key is the low bits of the index of its entry in the root AMT. Four stores with 2 bits each,
/// or sixteen with 4, together prove everything. Source: Li et al. 2023, section 3.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProofShard {
    /// No key: enough to produce and check blocks.
    None,
    /// The keys of one class.
    Class {
        /// The number of low bits of the index that make the class; at most `log_n`.
        bits: u8,
        /// The class, below 2^`bits`.
        value: u32,
    },
    /// Every key.
    #[default]
    Full,
}

impl ProofShard {
    /// Whether a store with this shard proves a key.
    pub fn proves(self, key_hash: &Hash, log_n: u8) -> bool {
        self.has_index(index_at(key_hash, log_n, 0))
    }

    /// Whether a store with this shard proves the keys below an index of the root AMT.
    pub(super) const fn has_index(self, index: u32) -> bool {
        match self {
            Self::None => false,
            Self::Class { bits, value } => index & low_bits(bits) == value,
            Self::Full => true,
        }
    }

    /// A class that no AMT of `log_n` can have is `invalid_argument`.
    pub(super) fn check(self, log_n: u8) -> Result<()> {
        match self {
            Self::Class { bits, value } if bits > log_n || value > low_bits(bits) => {
                Err(Error::new(
                    Reason::InvalidArgument,
                    format_args!("a class of at most {log_n} bits"),
                    format_args!("{bits} bits, class {value}"),
                ))
            }
            _ => Ok(()),
        }
    }

    /// A key that the store does not prove is `shard_unavailable`, which names the class it needs.
    pub(super) fn check_proves(self, key_hash: &Hash, log_n: u8) -> Result<()> {
        if self.proves(key_hash, log_n) {
            return Ok(());
        }
        let index = index_at(key_hash, log_n, 0);
        match self {
            Self::Class { bits, value } => Err(Error::new(
                Reason::ShardUnavailable,
                format_args!("class {} of {}", index & low_bits(bits), 1_u64 << bits),
                format_args!("class {value}"),
            )),
            Self::None | Self::Full => Err(Error::new(
                Reason::ShardUnavailable,
                format_args!("a store that proves the index {index}"),
                "one that keeps no proof state",
            )),
        }
    }

    /// The shard's record in a store.
    pub(super) const fn encode(self) -> [u8; 6] {
        let (kind, bits, value) = match self {
            Self::None => (0, 0, 0),
            Self::Class { bits, value } => (1, bits, value),
            Self::Full => (2, 0, 0),
        };
        let [a, b, c, d] = value.to_be_bytes();
        [kind, bits, a, b, c, d]
    }
}

/// A mask of `bits` ones, at most 31.
const fn low_bits(bits: u8) -> u32 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_of_exactly_one_class() {
        for index in 0..64 {
            let mut classes =
                (0..4).filter(|&value| ProofShard::Class { bits: 2, value }.has_index(index));
            assert_eq!((classes.next(), classes.next()), (Some(index % 4), None));
            assert!(ProofShard::Class { bits: 0, value: 0 }.has_index(index));
            assert!(ProofShard::Full.has_index(index) && !ProofShard::None.has_index(index));
        }
    }

    #[test]
    fn a_class_must_be_one_that_there_is() {
        assert_eq!(ProofShard::Class { bits: 4, value: 15 }.check(4), Ok(()));
        for (bits, value) in [(4, 16), (5, 0), (0, 1)] {
            let refused = ProofShard::Class { bits, value }.check(4).map_err(|e| e.reason());
            assert_eq!(refused, Err(Reason::InvalidArgument));
        }
    }
}

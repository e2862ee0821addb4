//! What an execution read that was not proven.

use alloc::collections::{BTreeMap, BTreeSet};

use prooflight_core::{Hash, Verified};
use prooflight_mpt::{Address, Word};

/// What an execution came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// The result, which rests on proven state alone.
    Done(Verified<T>),
    /// The state that must be proven before the execution is tried again.
    Missing(Missing),
}

/// State that an execution read and that no proof had shown.
///
/// Behind the first gap an execution goes on with nothing and zero, to find more: what it finds then may be more than
/// the true execution reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Accounts, each with the slots that are to be proven together with it.
    pub proofs: BTreeMap<Address, BTreeSet<Word>>,
    /// Codes: their hashes, each with an account that has it.
    pub codes: BTreeMap<Hash, Address>,
    /// The numbers of older blocks whose headers lead from the block to the hash of one before them.
    pub ancestors: BTreeSet<u64>,
}

impl Missing {
    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.proofs.is_empty() && self.codes.is_empty() && self.ancestors.is_empty()
    }
}

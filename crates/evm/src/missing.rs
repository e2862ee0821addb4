//! What an execution read: all of it, or what was not proven.

use prooflight_core::{Hash, Verified};
use prooflight_mpt::{Address, Word};

use crate::sorted::{SortedMap, SortedSet};

/// What an execution came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// The result, which rests on proven state alone.
    Done {
        /// The result.
        result: Verified<T>,
        /// The state that was read.
        reads: StateKeys,
    },
    /// The state that must be proven before the execution is tried again.
    ///
    /// Behind the first gap an execution goes on with nothing and zero, to find more: what it finds then may be more
    /// than the true execution reads.
    Missing(StateKeys),
}

/// State by its keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateKeys {
    /// Accounts, each with the slots that are to be proven together with it.
    pub proofs: SortedMap<Address, SortedSet<Word>>,
    /// Codes: their hashes, each with an account that has it.
    pub codes: SortedMap<Hash, Address>,
    /// The numbers of older blocks whose headers lead from the block to the hash of one before them.
    pub ancestors: SortedSet<u64>,
}

impl StateKeys {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.proofs.is_empty() && self.codes.is_empty() && self.ancestors.is_empty()
    }

    /// Adds others.
    pub(crate) fn extend(&mut self, others: &Self) {
        for (address, slots) in others.proofs.iter() {
            self.slots(*address).extend(slots.iter().copied());
        }
        for (hash, owner) in others.codes.iter() {
            self.codes.insert(*hash, *owner);
        }
        self.ancestors.extend(others.ancestors.iter().copied());
    }

    /// The slots of an account, which is added.
    pub(crate) fn slots(&mut self, address: Address) -> &mut SortedSet<Word> {
        self.proofs.get_or_insert(address, SortedSet::default())
    }
}

impl<T> Step<T> {
    /// The result of an execution that read nothing but proven state.
    pub(crate) const fn done(value: T, reads: StateKeys) -> Self {
        Self::Done { result: Verified::by_verifier(value), reads }
    }
}

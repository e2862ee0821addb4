//! Questions about a chain's state, which a server answers with a proof and a verifier checks.

use crate::{Ability, Error, Reason, Scheme};

/// A question about the state that a chain keeps in one scheme.
///
/// Schemes differ in what they answer: only `mpt` has accounts. Histories and diffs need a scheme that keeps old
/// values, ranges and counts one that keeps the order of keys. Keys are raw, as the application has them. The
/// proofs are those of `test-vectors/spec/chain.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement<'a> {
    /// The values of keys after a block.
    Keys {
        /// The block.
        height: u64,
        /// The keys, in the order of the answers.
        keys: &'a [&'a [u8]],
    },
    /// An account and some of its slots after a block.
    Account {
        /// The block.
        height: u64,
        /// The account's address.
        address: &'a [u8; 20],
        /// The keys of the slots, in the order of the answers.
        slots: &'a [[u8; 32]],
    },
    /// Every value of a key from one block to another, both included.
    History {
        /// The key.
        key: &'a [u8],
        /// The first block.
        from: u64,
        /// The last block.
        to: u64,
    },
    /// The keys that changed between two blocks.
    Diff {
        /// The block before the first change; `None` for everything since the first block.
        from: Option<u64>,
        /// The block after the last change.
        to: u64,
    },
    /// The keys between two bounds that have a value after a block, or the first page of them.
    Range {
        /// The block.
        height: u64,
        /// The first key that may be in the range.
        lo: &'a [u8],
        /// The first key after the range; `None` if it has no end.
        hi: Option<&'a [u8]>,
        /// Whether the answers are in descending order.
        reverse: bool,
    },
    /// The number of keys between two bounds that have a value after a block.
    Count {
        /// The block.
        height: u64,
        /// The first key that may be in the range.
        lo: &'a [u8],
        /// The first key after the range; `None` if it has no end.
        hi: Option<&'a [u8]>,
    },
}

impl Statement<'_> {
    /// The newest block that the statement is about.
    pub const fn height(&self) -> u64 {
        match *self {
            Self::Keys { height, .. }
            | Self::Account { height, .. }
            | Self::Range { height, .. }
            | Self::Count { height, .. } => height,
            Self::History { to, .. } | Self::Diff { to, .. } => to,
        }
    }

    /// The capability that a scheme needs to answer.
    pub const fn ability(&self) -> Ability {
        match self {
            Self::Keys { .. } => Ability::Keys,
            Self::Account { .. } => Ability::Account,
            Self::History { .. } => Ability::History,
            Self::Diff { .. } => Ability::Diff,
            Self::Range { .. } => Ability::Range,
            Self::Count { .. } => Ability::Count,
        }
    }

    /// The refusal of a scheme that has no proofs of such statements: `unknown_statement`.
    #[cold]
    pub fn unknown_to(&self, scheme: Scheme) -> Error {
        let able = Scheme::names(|scheme| scheme.proves(self.ability()));
        Error::new(Reason::UnknownStatement, able, scheme.as_str())
    }
}

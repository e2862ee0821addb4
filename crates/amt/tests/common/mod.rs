//! Shared by the tests: vectors of the development setup with their trees, and openings that own their points.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "each test uses only some of it")]

use prooflight_amt::{
    EntryChange, IndexClass, Opening, OpeningKind, PointBytes, Scalar, TableParts, Tables,
    TreeState, VerifyingKey, verify_openings,
};
use prooflight_core::{Reason, Result};

/// A vector with its commitment and its tree.
pub(crate) struct Vector {
    pub(crate) tables: Tables,
    pub(crate) log_arity: u8,
    pub(crate) entries: Vec<(u32, Scalar)>,
    pub(crate) state: TreeState,
    commitment: PointBytes,
}

/// An opening that owns its points.
#[derive(Clone, Debug)]
pub(crate) struct Owned {
    pub(crate) commitment: PointBytes,
    pub(crate) index: u32,
    pub(crate) value: Scalar,
    pub(crate) kind: OpeningKind,
    pub(crate) points: Vec<PointBytes>,
}

impl Vector {
    /// The vector with these entries.
    pub(crate) fn new(log_n: u8, log_arity: u8, entries: &[(u32, Scalar)]) -> Self {
        let parts = TableParts { single: true, tree: Some(log_arity) };
        let tables = Tables::dev(log_n, parts).unwrap();
        let mut state = TreeState::new(log_n, log_arity, IndexClass::ALL).unwrap();
        let changes: Vec<_> =
            entries.iter().map(|(index, value)| EntryChange::value(*index, *value)).collect();
        state.update(&tables, &changes).unwrap();
        let commitment = tables.commit(entries).unwrap().to_bytes();
        Self { tables, log_arity, entries: entries.to_vec(), state, commitment }
    }

    /// The vector with a value in every third entry.
    pub(crate) fn sample(log_n: u8, log_arity: u8) -> Self {
        let entry = |i: u32| (i, value(u64::from(i) + 1));
        let entries: Vec<_> = (0..1 << log_n).filter(|i| i % 3 != 1).map(entry).collect();
        Self::new(log_n, log_arity, &entries)
    }

    pub(crate) fn commitment(&self) -> PointBytes {
        self.commitment
    }

    pub(crate) fn value(&self, index: u32) -> Scalar {
        let entry = self.entries.iter().find(|entry| entry.0 == index);
        entry.map_or(Scalar::ZERO, |entry| entry.1)
    }

    pub(crate) fn tree(&self, index: u32) -> Owned {
        let kind = OpeningKind::Tree { log_arity: self.log_arity };
        self.owned(index, kind, self.state.open(index).unwrap())
    }

    pub(crate) fn single(&self, index: u32) -> Owned {
        let point = self.tables.open_single(&self.entries, index).unwrap();
        self.owned(index, OpeningKind::Single, vec![point])
    }

    fn owned(&self, index: u32, kind: OpeningKind, points: Vec<PointBytes>) -> Owned {
        Owned { commitment: self.commitment(), index, value: self.value(index), kind, points }
    }
}

impl Owned {
    pub(crate) fn as_opening(&self) -> Opening<'_> {
        let Self { commitment, index, value, kind, ref points } = *self;
        Opening { commitment, index, value, kind, points }
    }
}

/// Some value that uses all of its bits.
pub(crate) fn value(seed: u64) -> Scalar {
    let mut bytes = [0; 32];
    for (i, byte) in (0_u64..).zip(&mut bytes) {
        let mixed = (seed * 40 + i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        *byte = (mixed >> 56) as u8;
    }
    bytes[31] &= 0x1f;
    Scalar::from_bytes(&bytes).unwrap()
}

pub(crate) fn verify(key: &VerifyingKey, openings: &[Owned]) -> Result<()> {
    let openings: Vec<_> = openings.iter().map(Owned::as_opening).collect();
    verify_openings(&openings, key)
}

pub(crate) fn refusal(key: &VerifyingKey, openings: &[Owned]) -> Option<Reason> {
    verify(key, openings).err().map(|error| error.reason())
}

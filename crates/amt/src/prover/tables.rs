//! The rows that a change of one entry adds to commitments and trees.

use std::sync::Arc;
use std::vec::Vec;

use ark_bn254::G1Affine;
use prooflight_core::{Error, Reason, Result};
use rayon::prelude::*;

use super::entry_change::EntryChange;
use super::group::{ADDITION_BATCH, Point, SumTerm, add_terms};
use super::index::check_index;
use super::known_rows::KnownRows;
use super::known_tau::KnownTau;
use crate::dev;
use crate::domain::Domain;
use crate::key::VerifyingKey;
use crate::opening::OpeningKind;
use crate::scalar::{SLOTS, Scalar};

/// Optional parts of tables. Commitments can be updated with any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableParts {
    /// Single-point openings.
    pub single: bool,
    /// Trees of arity `2^log_arity`.
    pub tree: Option<u8>,
}

/// Multiples of a setup's points, one row per index; commitments and openings are sums of them.
///
/// For 2^16 entries and trees of arity 4: 25 MB for commitments, 4 MB for single points, 100 MB for
/// trees.
#[derive(Clone, Debug)]
pub struct Tables {
    key: VerifyingKey,
    parts: TableParts,
    pub(super) rows: RowSource,
}

/// The source of the rows.
#[derive(Clone, Debug)]
pub(super) enum RowSource {
    /// Computed on demand, as multiples of the generator.
    Known(Arc<KnownRows>),
    /// In memory.
    Built(BuiltRows),
}

/// Rows in memory. Parts that the tables lack are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct BuiltRows {
    /// `2^(40 s) I_t` at `6 t + s`.
    pub(super) lagrange: Vec<G1Affine>,
    /// `K_t` at t.
    pub(super) single: Vec<G1Affine>,
    /// `P_{d,t,k}` for each t in the order of d, then k.
    pub(super) tree: Vec<G1Affine>,
}

impl Tables {
    /// Tables of the development setup, which need no building: rows are computed from tau.
    ///
    /// Rows that are needed twice are cached: up to 150 MB for 2^16 entries and trees of arity 4. `invalid_argument`
    /// unless `1 <= log_n <= 28` and the arity of the trees fits.
    pub fn dev(log_n: u8, parts: TableParts) -> Result<Self> {
        let key = VerifyingKey::dev(log_n)?;
        let known = KnownTau::new(key.domain(), dev::tau());
        Self::new(key, parts, RowSource::Known(Arc::new(KnownRows::new(known))))
    }

    pub(super) fn new(key: VerifyingKey, parts: TableParts, rows: RowSource) -> Result<Self> {
        if let Some(log_arity) = parts.tree {
            OpeningKind::Tree { log_arity }.points(key.log_n())?;
        }
        Ok(Self { key, parts, rows })
    }

    /// Returns the verifying key of the setup.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.key
    }

    /// Returns the parts that these tables have.
    pub const fn parts(&self) -> TableParts {
        self.parts
    }

    /// Adds each change to the commitment at its index in `commitments`.
    ///
    /// Passing all changes of a block in one call is several times faster than one call each.
    /// `invalid_argument` for an index without a commitment and for slots above 5,
    /// `index_out_of_range` for an entry outside the vector; on error nothing is changed.
    pub fn update(&self, commitments: &mut [Point], changes: &[(u32, EntryChange)]) -> Result<()> {
        for (number, change) in changes {
            if *number as usize >= commitments.len() {
                return Err(Error::new(
                    Reason::InvalidArgument,
                    format_args!("a number below {}", commitments.len()),
                    number,
                ));
            }
            self.check(change)?;
        }
        let terms = self.terms(commitments.len(), changes);
        add_terms(commitments, terms);
        Ok(())
    }

    /// Computes the commitment of a vector from its nonzero entries; entries with the same index
    /// are added up.
    ///
    /// `index_out_of_range` for an index outside the vector.
    pub fn commit(&self, entries: &[(u32, Scalar)]) -> Result<Point> {
        let mut commitment = [Point::ZERO];
        let changes: Vec<_> =
            entries.iter().map(|(index, value)| (0, EntryChange::value(*index, *value))).collect();
        self.update(&mut commitment, &changes)?;
        let [commitment] = commitment;
        Ok(commitment)
    }

    pub(super) const fn domain(&self) -> Domain {
        self.key.domain()
    }

    pub(super) fn check(&self, change: &EntryChange) -> Result<()> {
        check_index(self.domain(), change.index())?;
        if usize::from(change.slot()) >= SLOTS {
            return Err(Error::new(Reason::InvalidArgument, "a slot from 0 to 5", change.slot()));
        }
        Ok(())
    }

    /// Returns the terms that changes add to `sums` commitments.
    fn terms(&self, sums: usize, changes: &[(u32, EntryChange)]) -> Vec<SumTerm> {
        match &self.rows {
            RowSource::Known(known) => known.commitment_terms(sums, changes),
            RowSource::Built(built) => {
                let term = |(number, change): &(u32, EntryChange)| {
                    (*number, change.times(built.lagrange(change.index(), change.slot())))
                };
                changes.par_iter().with_min_len(ADDITION_BATCH).map(term).collect()
            }
        }
    }

    /// Returns the rows of single-point openings; `invalid_argument` if the tables lack this part.
    pub(super) fn single(&self) -> Result<&RowSource> {
        if self.parts.single {
            return Ok(&self.rows);
        }
        Err(Error::new(Reason::InvalidArgument, "tables for single points", "others"))
    }
}

impl BuiltRows {
    /// `2^(40 slot) I_t`.
    pub(super) fn lagrange(&self, t: u32, slot: u8) -> G1Affine {
        row(&self.lagrange, SLOTS * t as usize + usize::from(slot))
    }

    /// `K_t`.
    pub(super) fn single(&self, t: u32) -> G1Affine {
        row(&self.single, t as usize)
    }
}

fn row(rows: &[G1Affine], number: usize) -> G1Affine {
    rows.get(number).copied().unwrap_or_default()
}

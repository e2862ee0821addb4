//! The rows that a change of one entry adds to commitments and trees.

use std::borrow::Cow;
use std::vec::Vec;

use ark_bn254::{Fr, G1Affine};
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field};
use prooflight_core::{Error, Reason, Result};

use super::fixed_base::FixedBase;
use super::group::{Point, add_terms};
use super::known::KnownTau;
use crate::dev;
use crate::domain::Domain;
use crate::key::VerifyingKey;
use crate::opening::Kind;
use crate::scalar::{SLOTS, Scalar, VERSION_BITS};

/// Optional parts of tables. Commitments can be updated with any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
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
    parts: Parts,
    pub(super) rows: Rows,
}

/// The source of the rows.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// Computed on demand.
    Known(KnownTau, FixedBase),
    /// In memory.
    Built(Built),
}

/// Rows in memory. Parts that the tables lack are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Built {
    /// `2^(40 s) I_t` at `6 t + s`.
    pub(super) lagrange: Vec<G1Affine>,
    /// `K_t` at t.
    pub(super) single: Vec<G1Affine>,
    /// `P_{d,t,i}` for each t in the order of d, then i.
    pub(super) tree: Vec<G1Affine>,
}

/// A change of one entry of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    index: u32,
    slot: u8,
    factor: Factor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factor {
    Steps(i64),
    Value(Scalar),
}

impl Change {
    /// Adds `steps` to the version in `slot` (0 to 5) of the entry, that is, `steps * 2^(40 slot)`
    /// to its value.
    pub const fn version(index: u32, slot: u8, steps: i64) -> Self {
        Self { index, slot, factor: Factor::Steps(steps) }
    }

    /// Adds `value` to the value of the entry.
    pub const fn value(index: u32, value: Scalar) -> Self {
        Self { index, slot: 0, factor: Factor::Value(value) }
    }

    /// The index of the entry.
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// The slot; 0 for a change of the whole value.
    pub(super) const fn slot(&self) -> u8 {
        self.slot
    }

    /// Multiplies `point` by the change.
    pub(super) fn times(&self, point: G1Affine) -> Point {
        Point(match self.factor {
            Factor::Steps(1) => point,
            Factor::Steps(-1) => -point,
            Factor::Steps(steps) => (point * Fr::from(steps)).into_affine(),
            Factor::Value(value) => (point * value.0).into_affine(),
        })
    }
}

impl Tables {
    /// Tables of the development setup that need no building: each row is computed on demand.
    ///
    /// For small chains; built tables are faster to use. `invalid_argument` unless `1 <= log_n <=
    /// 28` and the arity of the trees fits.
    pub fn dev(log_n: u8, parts: Parts) -> Result<Self> {
        let key = VerifyingKey::dev(log_n)?;
        let known = KnownTau::new(key.domain(), dev::tau());
        Self::new(key, parts, Rows::Known(known, FixedBase::new()))
    }

    pub(super) fn new(key: VerifyingKey, parts: Parts, rows: Rows) -> Result<Self> {
        if let Some(log_arity) = parts.tree {
            Kind::Tree { log_arity }.points(key.log_n())?;
        }
        Ok(Self { key, parts, rows })
    }

    /// Returns the verifying key of the setup.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.key
    }

    /// Returns the parts that these tables have.
    pub const fn parts(&self) -> Parts {
        self.parts
    }

    /// Adds each change to the commitment at its index in `commitments`.
    ///
    /// Passing all changes of a block in one call is several times faster than one call each.
    /// `invalid_argument` for an index without a commitment and for slots above 5,
    /// `index_out_of_range` for an entry outside the vector; on error nothing is changed.
    pub fn update(&self, commitments: &mut [Point], changes: &[(u32, Change)]) -> Result<()> {
        let mut terms = Vec::with_capacity(changes.len());
        for (number, change) in changes {
            if *number as usize >= commitments.len() {
                return Err(Error::new(
                    Reason::InvalidArgument,
                    format_args!("a number below {}", commitments.len()),
                    number,
                ));
            }
            self.check(change)?;
            terms.push((*number, self.lagrange(change)));
        }
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
            entries.iter().map(|(index, value)| (0, Change::value(*index, *value))).collect();
        self.update(&mut commitment, &changes)?;
        let [commitment] = commitment;
        Ok(commitment)
    }

    pub(super) const fn domain(&self) -> Domain {
        self.key.domain()
    }

    pub(super) fn check(&self, change: &Change) -> Result<()> {
        check_index(self.domain(), change.index)?;
        if usize::from(change.slot) >= SLOTS {
            return Err(Error::new(Reason::InvalidArgument, "a slot from 0 to 5", change.slot));
        }
        Ok(())
    }

    /// Returns what a change adds to a commitment.
    fn lagrange(&self, change: &Change) -> Point {
        change.times(self.lagrange_row(change.index, change.slot))
    }

    /// `2^(40 slot) I_t`.
    pub(super) fn lagrange_row(&self, t: u32, slot: u8) -> G1Affine {
        match &self.rows {
            Rows::Known(known, base) => base.multiple(&(known.lagrange(t) * shift(slot))),
            Rows::Built(built) => row(&built.lagrange, SLOTS * t as usize + usize::from(slot)),
        }
    }

    /// Returns `K_t`; `invalid_argument` if the tables lack this part.
    pub(super) fn single_row(&self, t: u32) -> Result<G1Affine> {
        if !self.parts.single {
            return Err(Error::new(Reason::InvalidArgument, "tables for single points", "others"));
        }
        Ok(match &self.rows {
            Rows::Known(known, base) => base.multiple(&known.single(t)),
            Rows::Built(built) => row(&built.single, t as usize),
        })
    }

    /// Returns `P_{d,t,i}`, ordered by d, then i.
    pub(super) fn tree_rows(&self, log_arity: u8, t: u32) -> Cow<'_, [G1Affine]> {
        match &self.rows {
            Rows::Known(known, base) => base.multiples(&known.tree(log_arity, t)).into(),
            Rows::Built(built) => {
                let rows = built.tree.len() >> self.domain().log_n;
                built.tree.get(rows * t as usize..rows * (t as usize + 1)).unwrap_or(&[]).into()
            }
        }
    }
}

/// `2^(40 slot)`.
pub(super) fn shift(slot: u8) -> Fr {
    Fr::ONE.double().pow([u64::from(VERSION_BITS) * u64::from(slot)])
}

pub(super) fn check_index(domain: Domain, index: u32) -> Result<()> {
    if index < domain.n() {
        return Ok(());
    }
    Err(Error::new(Reason::IndexOutOfRange, format_args!("an index below {}", domain.n()), index))
}

fn row(rows: &[G1Affine], number: usize) -> G1Affine {
    rows.get(number).copied().unwrap_or_default()
}

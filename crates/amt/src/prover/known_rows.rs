//! The rows of a known tau: multiples of the generator, cached from their second use on.
//!
//! Computing a multiple costs about twenty additions; adding a cached point costs one. If many changes go into few
//! sums, it is even cheaper to add up scalars first, and no row is cached. A row is computed when it is needed for the
//! second time, so a chain in which each entry changes once pays nothing for the cache.

use core::ops::Range;
use std::sync::Arc;
use std::vec::Vec;

use ark_bn254::{Fr, G1Affine};
use rayon::prelude::*;

use super::entry_change::{EntryChange, shifts};
use super::fixed_base::FixedBase;
use super::group::{ADDITION_BATCH, SumTerm};
use super::known_tau::KnownTau;
use super::row_cache::{PointRow, RowCache};

/// The rows of a known tau.
#[derive(Debug)]
pub(super) struct KnownRows {
    pub(super) tau: KnownTau,
    /// `P_{d,t,k}` at t.
    tree: RowCache,
    /// `2^(40 s) I_t` at `8 t + s`.
    lagrange: RowCache,
}

/// From this many changes per sum, add scalars first and multiply once.
const SCALAR_SUM_MIN: usize = 8;

/// The largest number of cached rows of trees: all entries of the usual size. With arity 4 they take 113 MB at most.
const MAX_TREE_ROWS: usize = 1 << 16;

/// The largest number of cached multiples of points `I_t`.
const MAX_LAGRANGE_ROWS: usize = 1 << 17;

/// The low bits of a multiple's number are the slot. An index has at most 28 bits.
const SLOT_BITS: u32 = 3;

const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;

impl KnownRows {
    pub(super) fn new(tau: KnownTau) -> Self {
        Self { tau, tree: RowCache::new(MAX_TREE_ROWS), lagrange: RowCache::new(MAX_LAGRANGE_ROWS) }
    }

    /// Returns what changes add to `sums` commitments.
    pub(super) fn commitment_terms(
        &self,
        sums: usize,
        changes: &[(u32, EntryChange)],
    ) -> Vec<SumTerm> {
        let number =
            |change: &EntryChange| (change.index() << SLOT_BITS) + u32::from(change.slot());
        let make = |numbers: &[u32]| {
            let change = |number: &u32| {
                EntryChange::version(number >> SLOT_BITS, (number & SLOT_MASK) as u8, 1)
            };
            let changes: Vec<_> = numbers.iter().map(|number| (0, change(number))).collect();
            let scalars = self.scalars(&changes).into_iter().map(|scalar| scalar.1);
            let points = FixedBase::shared().multiples(&scalars.collect::<Vec<_>>());
            points.into_iter().map(|point| PointRow { level: 0, points: [point].into() }).collect()
        };
        let is_crowded = SCALAR_SUM_MIN * sums <= changes.len();
        let numbers = changes
            .iter()
            .map(|(_, change)| (!is_crowded && change.is_step()).then(|| number(change)));
        let rows = self.lagrange.get_or_make(&numbers.collect::<Vec<_>>(), 0, make);
        let mut terms = Vec::with_capacity(changes.len());
        let mut others = Vec::new();
        for (numbered, row) in changes.iter().zip(rows) {
            match row.and_then(|row| row.points.first().copied()) {
                Some(point) => terms.push((numbered.0, numbered.1.times(point))),
                None => others.push(*numbered),
            }
        }
        terms.extend(FixedBase::shared().terms(self.scalars(&others)));
        terms
    }

    /// Returns the scalars that changes add to the commitments with their numbers.
    fn scalars(&self, changes: &[(u32, EntryChange)]) -> Vec<(u32, Fr)> {
        let shifts = shifts();
        let scalars = |changes: &[(u32, EntryChange)]| {
            let indices: Vec<_> = changes.iter().map(|(_, change)| change.index()).collect();
            let rows = changes.iter().zip(self.tau.lagrange(&indices));
            let scalar = |((number, change), row): (&(u32, EntryChange), Fr)| {
                let shift = shifts.get(usize::from(change.slot())).copied();
                (*number, change.factor() * shift.unwrap_or_default() * row)
            };
            rows.map(scalar).collect::<Vec<_>>()
        };
        changes.par_chunks(ADDITION_BATCH).flat_map_iter(scalars).collect()
    }

    /// Returns the rows that changes add to trees.
    ///
    /// `nodes` are the numbers of nodes on each level; `is_kept` tells whether the row of an index may be cached.
    pub(super) fn tree(
        &self,
        log_arity: u8,
        nodes: &[u32],
        changes: &[EntryChange],
        is_kept: impl Fn(u32) -> bool,
    ) -> TreeParts {
        let crowded =
            nodes.iter().take_while(|nodes| SCALAR_SUM_MIN * **nodes as usize <= changes.len());
        let split = u8::try_from(crowded.count()).unwrap_or(u8::MAX);
        let depth = u8::try_from(nodes.len()).unwrap_or(u8::MAX);
        let width = (1_usize << log_arity) - 1;
        let scalars = |levels: Range<u8>, indices: &[u32]| -> Vec<Fr> {
            let of = |indices: &[u32]| self.tau.tree(log_arity, levels.clone(), indices);
            indices.par_chunks(ADDITION_BATCH).flat_map_iter(of).collect()
        };
        let make = |indices: &[u32]| {
            let points = FixedBase::shared().multiples(&scalars(split..depth, indices));
            let rows = points.chunks(width * usize::from(depth - split));
            rows.map(|points| PointRow { level: split, points: points.into() }).collect()
        };
        let number = |change: &EntryChange| {
            let is_row = split < depth && change.is_step() && is_kept(change.index());
            is_row.then(|| change.index())
        };
        let numbers: Vec<_> = changes.iter().map(number).collect();
        let rows = self.tree.get_or_make(&numbers, split, make);
        let mut parts =
            TreeParts { width, scalars: Vec::new(), starts: std::vec![0; changes.len()], rows };
        for (has_row, levels) in [(true, 0..split), (false, 0..depth)] {
            parts.add(changes, has_row, levels.len(), |indices| scalars(levels, indices));
        }
        parts
    }
}

/// The rows that changes add to trees.
#[derive(Debug)]
pub(super) struct TreeParts {
    /// The number of parts of a row on each level.
    width: usize,
    scalars: Vec<Fr>,
    /// The first scalar of each change.
    starts: Vec<usize>,
    /// The cached row of each change, if any.
    rows: Vec<Option<Arc<PointRow>>>,
}

/// A part of a row.
pub(super) enum RowPart {
    /// The generator times this scalar.
    Scalar(Fr),
    Point(G1Affine),
}

impl TreeParts {
    /// Adds the scalars of `levels` levels for the changes with or without a cached row.
    fn add(
        &mut self,
        changes: &[EntryChange],
        has_row: bool,
        levels: usize,
        scalars: impl FnOnce(&[u32]) -> Vec<Fr>,
    ) {
        let mut indices = Vec::new();
        let lacking = changes.iter().zip(&self.rows).zip(&mut self.starts);
        for ((change, _), start) in lacking.filter(|((_, row), _)| row.is_some() == has_row) {
            *start = self.scalars.len() + self.width * levels * indices.len();
            indices.push(change.index());
        }
        self.scalars.extend(scalars(&indices));
    }

    /// Returns a part of the row of a change.
    pub(super) fn part(&self, change: usize, part: usize) -> RowPart {
        let row = self.rows.get(change).and_then(Option::as_deref);
        let point = row.and_then(|row| {
            let first = self.width * usize::from(row.level);
            row.points.get(part.checked_sub(first)?)
        });
        if let Some(point) = point {
            return RowPart::Point(*point);
        }
        let start = self.starts.get(change).copied().unwrap_or_default();
        RowPart::Scalar(self.scalars.get(start + part).copied().unwrap_or_default())
    }
}

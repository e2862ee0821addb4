//! The state from which tree openings are computed.
//!
//! For each level d from 1 to D, each of its nodes s < M^(d-1), and each of the node's children k < M - 1, the state
//! has `U_{d,s,k} = sum over t = s mod M^(d-1) of a_t P_{d,t,k}`: the point of level d in the opening of every
//! entry below child k, which is s + k M^(d-1). That of the last child follows from the others ([`open_entries`]). Each U
//! is kept as six points, one per version slot: a change of a version is then one addition, and an opening adds
//! up the six.

use std::vec::Vec;

use ark_bn254::G1Affine;
use prooflight_core::{Error, Reason, Result};
use rayon::prelude::*;

use super::class::IndexClass;
use super::entry_change::EntryChange;
use super::fixed_base::FixedBase;
use super::group::{Point, SumTerm, new_sums, set_sums};
use super::index::check_index;
use super::known_rows::{RowPart, TreeParts};
use super::open_tree::open_entries;
use super::tables::{RowSource, Tables};
use crate::domain::Domain;
use crate::opening::OpeningKind;
use crate::point::PointBytes;
use crate::scalar::SLOTS;

/// The state a prover keeps to open the entries of a vector, or those of a class, with tree
/// openings.
///
/// The state is a list of nodes that a store can keep one by one: an update returns the nodes it
/// changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeState {
    domain: Domain,
    log_arity: u8,
    class: IndexClass,
    /// The first node of each level; the last element is the number of nodes.
    levels: Vec<u32>,
    /// The points of each node: `U_{d,s,k}`, k from 0, six each.
    points: Vec<Point>,
}

impl TreeState {
    /// The state of a vector of zeros, for openings of the entries of a class.
    ///
    /// `invalid_argument` unless `1 <= log_n <= 28` and `log_arity` divides it.
    pub fn new(log_n: u8, log_arity: u8, class: IndexClass) -> Result<Self> {
        let domain = Domain::new(log_n)?;
        OpeningKind::Tree { log_arity }.points(log_n)?;
        let mut levels = Vec::from([0]);
        let mut nodes = 0;
        for level in 0..log_n / log_arity {
            let bits = log_arity * level;
            nodes += 1_u32 << (bits - class.coarser(bits).bits());
            levels.push(nodes);
        }
        let points = std::vec![Point::ZERO; (nodes * node_points(log_arity)) as usize];
        Ok(Self { domain, log_arity, class, levels, points })
    }

    /// Applies changes to the state; returns the changed nodes, ascending.
    ///
    /// Passing all changes of a block in one call is several times faster than one call each.
    /// Errors are those of [`draft`](Self::draft); on error nothing is changed.
    pub fn update(&mut self, tables: &Tables, changes: &[EntryChange]) -> Result<Vec<u32>> {
        let draft = self.draft(tables, changes)?;
        let touched = draft.nodes(self).map(|(node, _)| node).collect();
        self.apply(&draft);
        Ok(touched)
    }

    /// Computes the effect of changes on the state, without modifying it.
    ///
    /// Time and memory depend only on the nodes that change. Errors: `index_out_of_range` for an
    /// index outside the vector, `invalid_argument` for slots above 5 and tables of another size or
    /// arity.
    pub fn draft(&self, tables: &Tables, changes: &[EntryChange]) -> Result<TreeDraft> {
        if tables.domain() != self.domain || tables.parts().tree != Some(self.log_arity) {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!(
                    "tables for trees of 2^{} entries and arity {}",
                    self.domain.log_n,
                    1_u32 << self.log_arity
                ),
                "others",
            ));
        }
        changes.iter().try_for_each(|change| tables.check(change))?;
        let rows = match &tables.rows {
            RowSource::Known(known) => {
                let nodes: Vec<_> = self.levels.windows(2).map(|it| it[1] - it[0]).collect();
                let is_kept = |index| self.class.contains(index);
                TreeRows::Known(known.tree(self.log_arity, &nodes, changes, is_kept))
            }
            RowSource::Built(built) => TreeRows::Built(&built.tree),
        };
        // Nodes are numbered level by level, so the points of all levels are in ascending order.
        let levels = (0..self.depth()).into_par_iter();
        let levels = levels.map(|level| new_sums(&self.points, self.terms(changes, &rows, level)));
        Ok(TreeDraft { points: levels.collect::<Vec<_>>().concat() })
    }

    /// Applies a draft of this state. The state must not have changed since.
    pub fn apply(&mut self, draft: &TreeDraft) {
        set_sums(&mut self.points, &draft.points);
    }

    /// Returns the points that open an entry, starting with the one for the largest powers.
    ///
    /// Errors: `index_out_of_range` for an index outside the vector, `invalid_argument` for one
    /// outside the class.
    pub fn open(&self, index: u32) -> Result<Vec<PointBytes>> {
        check_index(self.domain, index)?;
        if !self.class.contains(index) {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!(
                    "an index that is {} modulo 2^{}",
                    self.class.value(),
                    self.class.bits()
                ),
                index,
            ));
        }
        let node = |level, _| {
            let node = self.node_of(level, index).and_then(|node| self.node(node));
            Ok(node.unwrap_or_default().to_vec())
        };
        let opened = open_entries(self.domain.log_n, self.log_arity, &[index], node)?;
        Ok(opened.concat().iter().map(Point::to_bytes).collect())
    }

    /// The base-2 logarithm of the number of entries of the vector.
    pub const fn log_n(&self) -> u8 {
        self.domain.log_n
    }

    /// The base-2 logarithm of the arity.
    pub const fn log_arity(&self) -> u8 {
        self.log_arity
    }

    /// The indices whose entries can be opened.
    pub const fn class(&self) -> IndexClass {
        self.class
    }

    /// The number of nodes of the state.
    pub fn nodes(&self) -> u32 {
        self.levels.last().copied().unwrap_or(0)
    }

    /// Returns the points of a node, six for each child but the last; `None` if there is no such node.
    pub fn node(&self, node: u32) -> Option<&[Point]> {
        self.points.chunks(node_points(self.log_arity) as usize).nth(node as usize)
    }

    /// Sets the points of a node for one version slot, for loading from a store; `invalid_argument` if there is no such
    /// node or slot, or the number of points is not `M - 1`.
    pub fn set_points(&mut self, node: u32, slot: u8, points: &[Point]) -> Result<()> {
        let count = node_points(self.log_arity) as usize;
        let of_node = self.points.chunks_mut(count).nth(node as usize);
        match of_node.and_then(|of_node| of_node.get_mut(usize::from(slot)..)) {
            Some(places) if usize::from(slot) < SLOTS && SLOTS * points.len() == count => {
                let places = places.iter_mut().step_by(SLOTS);
                places.zip(points).for_each(|(place, point)| *place = *point);
                Ok(())
            }
            _ => Err(Error::new(
                Reason::InvalidArgument,
                format_args!(
                    "a node below {}, a slot below {SLOTS} and {} points",
                    self.nodes(),
                    count / SLOTS
                ),
                format_args!("the node {node}, the slot {slot} and {} points", points.len()),
            )),
        }
    }

    fn depth(&self) -> u8 {
        self.domain.log_n / self.log_arity
    }

    /// Returns the ancestor of an index on a level, counted from 0; `None` if the state does not
    /// have it.
    fn node_of(&self, level: u8, index: u32) -> Option<u32> {
        let bits = self.log_arity * level;
        let class = self.class.coarser(bits);
        let node = (index & ((1 << bits) - 1)) >> class.bits();
        let first = self.levels.get(usize::from(level))?;
        class.contains(index).then_some(first + node)
    }

    /// Returns the terms that the changes add to the nodes of a level.
    fn terms(&self, changes: &[EntryChange], rows: &TreeRows<'_>, level: u8) -> Vec<SumTerm> {
        let places = self.places(changes, level);
        match rows {
            TreeRows::Known(rows) => {
                let (mut terms, mut scalars) = (Vec::new(), Vec::new());
                for place in places {
                    match rows.part(place.number, place.row) {
                        RowPart::Scalar(row) => {
                            scalars.push((place.point, place.change.factor() * row));
                        }
                        RowPart::Point(row) => terms.push((place.point, place.change.times(row))),
                    }
                }
                terms.extend(FixedBase::shared().terms(scalars));
                terms
            }
            TreeRows::Built(rows) => {
                let term = |place: RowTarget<'_>| {
                    let row = rows.get(self.rows() * place.change.index() as usize + place.row);
                    (place.point, place.change.times(row.copied().unwrap_or_default()))
                };
                places.map(term).collect()
            }
        }
    }

    /// Returns the points to which the rows of a level are added.
    fn places<'c>(
        &'c self,
        changes: &'c [EntryChange],
        level: u8,
    ) -> impl Iterator<Item = RowTarget<'c>> + 'c {
        let width = (1 << self.log_arity) - 1;
        changes.iter().enumerate().flat_map(move |(number, change)| {
            let node = self.node_of(level, change.index());
            node.into_iter().flat_map(move |node| {
                let first = node * node_points(self.log_arity) + u32::from(change.slot());
                let rows = width * usize::from(level)..;
                let places = rows.zip((first..).step_by(SLOTS)).take(width);
                places.map(move |(row, point)| RowTarget { number, change, row, point })
            })
        })
    }

    /// Returns the number of rows of an index.
    fn rows(&self) -> usize {
        usize::from(self.depth()) * ((1 << self.log_arity) - 1)
    }
}

/// The rows that changes add to trees.
enum TreeRows<'t> {
    Known(TreeParts),
    /// Those of every index.
    Built(&'t [G1Affine]),
}

/// A row and the point to which it is added.
struct RowTarget<'c> {
    /// The number of the change.
    number: usize,
    change: &'c EntryChange,
    /// The row, among those of its index.
    row: usize,
    /// The point of the state.
    point: u32,
}

/// The effect of changes on a [`TreeState`]: the points that they change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeDraft {
    /// By index in the state, ascending.
    points: Vec<SumTerm>,
}

impl TreeDraft {
    /// Returns the changed nodes, ascending, each with all its new points; `state` is the state
    /// before the changes.
    pub fn nodes<'d>(
        &'d self,
        state: &'d TreeState,
    ) -> impl Iterator<Item = (u32, Vec<Point>)> + 'd {
        let count = node_points(state.log_arity);
        self.points.chunk_by(move |a, b| a.0 / count == b.0 / count).map(move |changed| {
            let node = changed[0].0 / count;
            let mut points = state.node(node).unwrap_or_default().to_vec();
            let changed: Vec<_> =
                changed.iter().map(|(point, sum)| (point % count, *sum)).collect();
            set_sums(&mut points, &changed);
            (node, points)
        })
    }
}

/// `SLOTS`, in the type of point indices.
const SLOT_COUNT: u32 = 6;
const _: () = assert!(SLOT_COUNT as usize == SLOTS);

/// The number of points of a node: six for each child but the last.
const fn node_points(log_arity: u8) -> u32 {
    ((1 << log_arity) - 1) * SLOT_COUNT
}

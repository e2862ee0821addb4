//! Opens entries of a dense vector from the nodes of a tree state above them.

use std::collections::{BTreeMap, BTreeSet};
use std::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use prooflight_core::Result;
use rayon::prelude::*;

use super::group::Point;
use super::halves;
use super::tables::check_index;
use crate::domain::Domain;
use crate::opening::Kind;
use crate::scalar::{SLOTS, VERSION_BITS};

/// Opens entries with tree openings; returns the points of each, starting with the one for the largest powers.
///
/// `node` returns the points of a node of the [`TreeState`](super::TreeState), given its level from 0 and its number
/// in the level: the index of an entry modulo `2^(log_arity level)`. It is called once for each node above the
/// entries, and entries below one node share its work. Errors: `index_out_of_range` for an index outside the
/// vector, `invalid_argument` unless `1 <= log_n <= 28` and `log_arity` divides it, and those of `node`.
pub fn open_entries(
    log_n: u8,
    log_arity: u8,
    indices: &[u32],
    mut node: impl FnMut(u8, u32) -> Result<Vec<Point>>,
) -> Result<Vec<Vec<Point>>> {
    let domain = Domain::new(log_n)?;
    Kind::Tree { log_arity }.points(log_n)?;
    indices.iter().try_for_each(|index| check_index(domain, *index))?;
    // An entry's quotient at a level depends on the node, and on which child of it leads to the entry.
    let child = |index: u32, level: u8| index & ((1 << (log_arity * (level + 1))) - 1);
    let mut above: BTreeMap<(u8, u32), BTreeSet<u32>> = BTreeMap::new();
    for index in indices {
        for level in 0..log_n / log_arity {
            let number = index & ((1 << (log_arity * level)) - 1);
            above.entry((level, number)).or_default().insert(child(*index, level));
        }
    }
    let read = |((level, number), children)| Ok((level, node(level, number)?, children));
    let nodes: Vec<(u8, Vec<Point>, BTreeSet<u32>)> =
        above.into_iter().map(read).collect::<Result<_>>()?;
    let quotients = nodes.par_iter().flat_map_iter(|(level, points, children)| {
        let sums = sums(points);
        let log_m = log_n - log_arity * (level + 1);
        let quotient =
            move |child: &u32| ((*level, *child), quotient(&sums, domain.x(child << log_m)));
        children.iter().map(quotient)
    });
    let (places, quotients): (Vec<_>, Vec<_>) = quotients.unzip();
    let quotients = G1Projective::normalize_batch(&quotients).into_iter().map(Point);
    let quotients: BTreeMap<(u8, u32), Point> = places.into_iter().zip(quotients).collect();
    let opening = |index: &u32| {
        let points =
            (0..log_n / log_arity).map(|level| quotients.get(&(level, child(*index, level))));
        points.map(|point| point.copied().unwrap_or(Point::ZERO)).collect()
    };
    Ok(indices.iter().map(opening).collect())
}

/// `sum_s 2^(40 s) U_{i,s}` for each i.
fn sums(node: &[Point]) -> Vec<G1Affine> {
    let sum = |six: &[Point]| {
        let mut sum = G1Projective::ZERO;
        for (slot, point) in six.iter().enumerate().rev() {
            sum += point.0;
            if slot > 0 && sum != G1Projective::ZERO {
                for _ in 0..VERSION_BITS {
                    sum.double_in_place();
                }
            }
        }
        sum
    };
    G1Projective::normalize_batch(&node.chunks(SLOTS).map(sum).collect::<Vec<_>>())
}

/// `sum_i c^i V_i`.
fn quotient(sums: &[G1Affine], c: Fr) -> G1Projective {
    let Some((first, rest)) = sums.split_first() else { return G1Projective::ZERO };
    let powers = core::iter::successors(Some(c), |power| Some(*power * c));
    let terms: Vec<_> = rest.iter().copied().zip(powers).collect();
    halves::sum(&terms) + first
}

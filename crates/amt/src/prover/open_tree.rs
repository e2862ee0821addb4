//! Opens entries of a dense vector from the nodes of a tree state above them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::vec::Vec;

use ark_bn254::{Fr, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use prooflight_core::Result;
use rayon::prelude::*;

use super::glv;
use super::group::Point;
use super::index::{check_index, child};
use crate::domain::Domain;
use crate::opening::OpeningKind;
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
    OpeningKind::Tree { log_arity }.points(log_n)?;
    indices.iter().try_for_each(|index| check_index(domain, *index))?;
    // An entry's point of a level depends on the node, and on which child of it leads to the entry.
    let place = |index: u32, level: u8| -> NodePlace {
        (level, index & ((1 << (log_arity * (level + 1))) - 1))
    };
    let levels = 0..log_n / log_arity;
    let mut above: BTreeMap<NodePlace, BTreeSet<u32>> = BTreeMap::new();
    for index in indices {
        for level in levels.clone() {
            let number = index & ((1 << (log_arity * level)) - 1);
            above.entry((level, number)).or_default().insert(place(*index, level).1);
        }
    }
    let mut asked: Vec<(NodePlace, Arc<Vec<Point>>)> = Vec::new();
    for ((level, number), children) in above {
        let points = Arc::new(node(level, number)?);
        asked.extend(children.into_iter().map(|child| ((level, child), points.clone())));
    }
    let roots = domain.roots(log_arity);
    let quotient = |((level, number), points): &(NodePlace, Arc<Vec<Point>>)| {
        quotient(points, child(*number, log_arity, *level), &roots)
    };
    let quotients: Vec<_> =
        asked.par_iter().with_min_len(MIN_POINTS_PER_THREAD).map(quotient).collect();
    let quotients = G1Projective::normalize_batch(&quotients).into_iter().map(Point);
    let quotients: BTreeMap<NodePlace, Point> =
        asked.into_iter().map(|(place, _)| place).zip(quotients).collect();
    let opening = |index: &u32| {
        let points = levels.clone().map(|level| quotients.get(&place(*index, level)));
        points.map(|point| point.copied().unwrap_or(Point::ZERO)).collect()
    };
    Ok(indices.iter().map(opening).collect())
}

/// A level from 0, and the number of a node in it.
type NodePlace = (u8, u32);

/// The smallest number of points for which another thread pays off.
const MIN_POINTS_PER_THREAD: usize = 8;

/// The point of a child, from the points of its node; `roots` are the powers of the root of unity w of order M.
///
/// For the last child, `q_{M-1} = q_{M/2-1} - sum_{k < M/2-1} w^(k+1) (q_k - q_{k+M/2})`: as polynomials in
/// `c_k = c_0 w^k` without the power M - 1, all q are `sum_k w^k q_k = 0`, and `w^(M/2)` is -1.
fn quotient(node: &[Point], child: usize, roots: &[Fr]) -> G1Projective {
    let of = |child: usize| node.chunks(SLOTS).nth(child).unwrap_or_default();
    let half = roots.len() / 2;
    if child + 1 < roots.len() {
        return sum(of(child), &[]);
    }
    let differences: Vec<_> = (0..half - 1).map(|k| sum(of(k + half), of(k))).collect();
    let differences = G1Projective::normalize_batch(&differences);
    let terms: Vec<_> = differences.into_iter().zip(roots.iter().skip(1).copied()).collect();
    glv::sum(&terms) + sum(of(half - 1), &[])
}

/// `sum_s 2^(40 s) U_s`, less the same sum of other points.
fn sum(plus: &[Point], minus: &[Point]) -> G1Projective {
    let mut sum = G1Projective::ZERO;
    for slot in (0..plus.len()).rev() {
        let of = |points: &[Point]| points.get(slot).map_or(Point::ZERO.0, |point| point.0);
        sum += of(plus);
        sum -= of(minus);
        if slot > 0 && sum != G1Projective::ZERO {
            for _ in 0..VERSION_BITS {
                sum.double_in_place();
            }
        }
    }
    sum
}

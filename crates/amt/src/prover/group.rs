//! Points of G1 in the prover's representation, and batched additions.

use std::vec::Vec;

use ark_bn254::{Fq, G1Affine};
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field};
use prooflight_core::{Error, Hex, Reason, Result};
use rayon::prelude::*;

use crate::point::{PointBytes, decode, encode, fq, fq_bytes};

/// A point of the group G1: a commitment, or a part of a tree's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point(pub(crate) G1Affine);

impl Point {
    /// Infinity: the commitment of a zero vector.
    pub const ZERO: Self = Self(G1Affine::new_unchecked(Fq::ZERO, Fq::ZERO));

    /// Returns the compressed form.
    pub fn to_bytes(&self) -> PointBytes {
        encode(&self.0)
    }

    /// Decodes the compressed form, which takes a square root; `invalid_point` if it encodes no
    /// point.
    pub fn from_bytes(bytes: &PointBytes) -> Result<Self> {
        decode(bytes).map(Self)
    }

    /// Returns both coordinates, 32 bytes little-endian each, all zeros for infinity: fast to read
    /// back.
    pub fn to_coordinates(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let (x, y) = bytes.split_at_mut(32);
        x.copy_from_slice(&fq_bytes(&self.0.x));
        y.copy_from_slice(&fq_bytes(&self.0.y));
        bytes
    }

    /// Decodes coordinates; `invalid_point` unless they are those of a point on the curve.
    pub fn from_coordinates(bytes: &[u8; 64]) -> Result<Self> {
        let (x, y) = (bytes.first_chunk().and_then(fq), bytes.last_chunk().and_then(fq));
        match x.zip(y).map(|(x, y)| G1Affine::new_unchecked(x, y)) {
            Some(point) if point.is_zero() || point.is_on_curve() => Ok(Self(point)),
            _ => Err(Error::new(
                Reason::InvalidPoint,
                "the coordinates of a point on the curve",
                Hex(bytes),
            )),
        }
    }
}

/// The index of a sum, and a point to add to it.
pub(super) type SumTerm = (u32, Point);

/// Adds each term to the sum with its index.
pub(super) fn add_terms(sums: &mut [Point], terms: Vec<SumTerm>) {
    let changed = new_sums(sums, terms);
    set_sums(sums, &changed);
}

/// Returns the new values of the sums that `terms` change, ascending by index, without changing
/// `sums`.
///
/// Terms of one sum are added in pairs, and all pairs of a round share inversions: about half the
/// cost of additions in projective coordinates, and the result needs no conversion.
pub(super) fn new_sums(sums: &[Point], mut terms: Vec<SumTerm>) -> Vec<SumTerm> {
    let mut totals = if terms.len() < 2 * MIN_TERMS_PER_THREAD {
        terms.sort_unstable_by_key(|term| term.0);
        reduce(terms)
    } else {
        terms.par_sort_unstable_by_key(|term| term.0);
        let share = terms.len().div_ceil(rayon::current_num_threads()).max(MIN_TERMS_PER_THREAD);
        let parts: Vec<_> = terms.par_chunks(share).map(|part| reduce(part.to_vec())).collect();
        reduce(parts.concat())
    };
    let sum = |number: u32| sums.get(number as usize).copied().unwrap_or(Point::ZERO);
    totals.par_chunks_mut(ADDITION_BATCH).for_each(|totals| {
        let added: Vec<_> = totals.iter().map(|total| total.1.0).collect();
        let mut sums: Vec<_> = totals.iter().map(|total| sum(total.0).0).collect();
        add_batch(&mut sums, &added);
        for (total, sum) in totals.iter_mut().zip(sums) {
            total.1 = Point(sum);
        }
    });
    totals
}

/// Stores changed sums.
pub(super) fn set_sums(sums: &mut [Point], changed: &[SumTerm]) {
    for (number, total) in changed {
        if let Some(sum) = sums.get_mut(*number as usize) {
            *sum = *total;
        }
    }
}

/// The smallest number of terms for which another thread pays off.
const MIN_TERMS_PER_THREAD: usize = 1 << 10;

/// Sums runs of terms with the same index until each index is unique. `terms` is sorted by index.
fn reduce(mut terms: Vec<SumTerm>) -> Vec<SumTerm> {
    loop {
        let mut sums = Vec::with_capacity(terms.len() / 2);
        let mut added = Vec::with_capacity(terms.len() / 2);
        let mut next = Vec::with_capacity(terms.len() / 2 + 1);
        let mut places = Vec::with_capacity(terms.len() / 2);
        let mut rest = &terms[..];
        while let [first, tail @ ..] = rest {
            rest = tail;
            if let [second, tail @ ..] = tail
                && first.0 == second.0
            {
                places.push(next.len());
                sums.push(first.1.0);
                added.push(second.1.0);
                rest = tail;
            }
            next.push(*first);
        }
        if sums.is_empty() {
            return terms;
        }
        for (sums, added) in sums.chunks_mut(ADDITION_BATCH).zip(added.chunks(ADDITION_BATCH)) {
            add_batch(sums, added);
        }
        for (place, sum) in places.into_iter().zip(sums) {
            if let Some(term) = next.get_mut(place) {
                term.1 = Point(sum);
            }
        }
        terms = next;
    }
}

/// The number of sums that share one inversion: small enough to stay in the processor's cache.
pub(super) const ADDITION_BATCH: usize = 512;

/// Adds to each sum the point with its number, with one inversion for all.
///
/// The inverse of each denominator follows from that of the product of all (Montgomery's trick). It is used
/// immediately, so that no sum is read twice, and the next multiplications do not depend on it.
pub(super) fn add_batch(sums: &mut [G1Affine], points: &[G1Affine]) {
    let mut product = Fq::ONE;
    // Each denominator, and the product of those before it.
    let denominators = sums.iter().zip(points).map(|(p, q)| {
        let denominator = if p == q { p.y.double() } else { q.x - p.x };
        let before = product;
        // Zero: one point of the pair is infinity or the negative of the other, or both are infinity.
        if denominator != Fq::ZERO {
            product *= denominator;
        }
        (denominator, before)
    });
    let denominators: Vec<_> = denominators.collect();
    // No product of numbers other than zero is zero.
    let mut inverse_of_product = product.inverse().unwrap_or_default();
    for ((p, q), (denominator, before)) in sums.iter_mut().zip(points).zip(denominators).rev() {
        let inverse = inverse_of_product * before;
        if denominator != Fq::ZERO {
            inverse_of_product *= denominator;
        }
        if q.is_zero() {
            continue;
        }
        if p.is_zero() {
            *p = *q;
        } else if denominator == Fq::ZERO {
            *p = G1Affine::identity();
        } else {
            let slope = inverse
                * if p == q {
                    let square = p.x.square();
                    square.double() + square
                } else {
                    q.y - p.y
                };
            let x = slope.square() - p.x - q.x;
            *p = G1Affine::new_unchecked(x, slope * (p.x - x) - p.y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::Fr;
    use ark_ec::CurveGroup;

    fn multiple(k: i64) -> G1Affine {
        (G1Affine::generator() * Fr::from(k)).into_affine()
    }

    #[test]
    fn every_case_of_an_addition() {
        let cases = [(0, 0), (0, 5), (5, 0), (5, 5), (5, -5), (5, 7), (-7, 7), (7, -5)];
        let (mut sums, points) = (cases.map(|it| multiple(it.0)), cases.map(|it| multiple(it.1)));
        add_batch(&mut sums, &points);
        assert_eq!(sums, cases.map(|(a, b)| multiple(a + b)));
    }

    #[test]
    fn many_terms_into_few_and_many_sums() {
        for sums in [1_u32, 3, 700] {
            let mut state = std::vec![Point(multiple(9)); sums as usize];
            let mut expected = std::vec![9_i64; sums as usize];
            let terms = (0..5000_u32).map(|i| (i * 7919 % sums, i64::from(i % 50) - 20));
            let mut list = Vec::new();
            for (sum, k) in terms {
                expected[sum as usize] += k;
                list.push((sum, Point(multiple(k))));
            }
            let before = state.clone();
            let changed = new_sums(&state, list);
            assert_eq!(state, before);
            assert!(changed.iter().map(|sum| sum.0).eq(0..sums));
            set_sums(&mut state, &changed);
            assert_eq!(state, expected.into_iter().map(|k| Point(multiple(k))).collect::<Vec<_>>());
        }
    }

    #[test]
    fn coordinates_are_checked() {
        let point = Point(multiple(3));
        assert_eq!(Point::from_coordinates(&point.to_coordinates()), Ok(point));
        assert_eq!(Point::from_coordinates(&[0; 64]), Ok(Point::ZERO));
        let mut bytes = point.to_coordinates();
        bytes[0] ^= 1;
        assert_eq!(Point::from_coordinates(&bytes).unwrap_err().reason(), Reason::InvalidPoint);
    }
}

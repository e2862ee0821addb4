//! Verifies any number of openings with one product of pairings.
//!
//! An opening of C to a at `x = w^t` holds iff
//! `e(C - a [1]_1 + sum_d c_d q_d, [1]_2) = prod_d e(q_d, [tau^(2^j_d)]_2)` with `c_d = x^(2^j_d)`:
//! for a tree of arity `2^b`, `j_d = log_n - b d` for d from 1 to `log_n / b`; a single point is paired with
//! `[tau]_2`, so `j_1 = 0`. All openings are combined with random coefficients, and points that are
//! paired with the same power are added up first.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::AdditiveGroup;
use prooflight_core::{Error, Reason, Result};

use crate::buckets;
use crate::key::VerifyingKey;
use crate::msm::OddMultiples;
use crate::opening::Opening;
use crate::pairing::product_is_one;
use crate::point::{PointBytes, decode};
use crate::transcript::coefficients;

/// Verifies that each opening holds for its commitment, all of them at once.
///
/// The openings may be of any kinds and commitments, and in any order; an empty batch is valid. Work and
/// memory are linear in the number of points. Checked in this order: for each opening, the arity fits
/// (`invalid_argument`), the index is in the vector (`index_out_of_range`), the number of points is that of
/// the kind (`opening_length`); for each opening, its commitment and its points are points of the group
/// (`invalid_point`); all openings together hold (`opening_mismatch`).
pub fn verify_openings(openings: &[Opening<'_>], key: &VerifyingKey) -> Result<()> {
    verify_decoded(openings, key, decode)
}

/// Like [`verify_openings`], for a prover that still has some of the points in decoded form: decoding a point takes a
/// square root.
#[cfg(feature = "prover")]
pub fn verify_openings_with(
    openings: &[Opening<'_>],
    key: &VerifyingKey,
    points: &[crate::Point],
) -> Result<()> {
    let own: BTreeMap<_, _> = points.iter().map(|point| (point.to_bytes(), point.0)).collect();
    verify_decoded(openings, key, |bytes| match own.get(bytes) {
        Some(point) => Ok(*point),
        None => decode(bytes),
    })
}

fn verify_decoded(
    openings: &[Opening<'_>],
    key: &VerifyingKey,
    decode: impl Fn(&PointBytes) -> Result<G1Affine>,
) -> Result<()> {
    openings.iter().try_for_each(|opening| opening.check_form(key.domain()))?;
    let points = PointTable::decode(openings, decode)?;
    let mut equation = PairingEquation::new(key);
    for (opening, coefficient) in openings.iter().zip(coefficients(key, openings)) {
        equation.add(key, &points, opening, coefficient);
    }
    if equation.holds(key, &points) {
        Ok(())
    } else {
        Err(Error::new(
            Reason::OpeningMismatch,
            "valid openings",
            format_args!("{}, at least one of them invalid", openings.len()),
        ))
    }
}

/// The distinct points of a batch; the generator has the number 0.
struct PointTable {
    numbers: BTreeMap<PointBytes, usize>,
    points: Vec<G1Affine>,
}

impl PointTable {
    fn decode(
        openings: &[Opening<'_>],
        decode: impl Fn(&PointBytes) -> Result<G1Affine>,
    ) -> Result<Self> {
        let mut numbers = BTreeMap::new();
        let mut points = Vec::from([G1Affine::generator()]);
        for opening in openings {
            for bytes in core::iter::once(&opening.commitment).chain(opening.points) {
                if !numbers.contains_key(bytes) {
                    numbers.insert(*bytes, points.len());
                    points.push(decode(bytes)?);
                }
            }
        }
        Ok(Self { numbers, points })
    }

    fn number(&self, bytes: &PointBytes) -> usize {
        self.numbers.get(bytes).copied().unwrap_or(0)
    }
}

/// The combined equation: for each point of the key, the multiples of points that are paired with it.
struct PairingEquation {
    /// `[1]_2`, then `[tau^(2^j)]_2` for j from 0; each maps the number of a point to its factor.
    sides: Vec<BTreeMap<usize, Fr>>,
}

impl PairingEquation {
    fn new(key: &VerifyingKey) -> Self {
        Self { sides: key.prepared().iter().map(|_| BTreeMap::new()).collect() }
    }

    fn add(&mut self, key: &VerifyingKey, points: &PointTable, opening: &Opening<'_>, r: Fr) {
        let log_n = key.log_n();
        let squares = key.domain().squares(opening.index);
        self.add_term(0, points.number(&opening.commitment), r);
        self.add_term(0, 0, -r * opening.value.0);
        for (j, bytes) in opening.kind.bases(log_n).zip(opening.points) {
            let (j, point) = (usize::from(j), points.number(bytes));
            self.add_term(0, point, squares.get(j).map_or(Fr::ZERO, |c| r * c));
            self.add_term(j + 1, point, r);
        }
    }

    fn add_term(&mut self, side: usize, point: usize, factor: Fr) {
        if let Some(side) = self.sides.get_mut(side) {
            *side.entry(point).or_insert(Fr::ZERO) += factor;
        }
    }

    /// `e(sum of the first side, [1]_2) = prod_j e(sum of side j, [tau^(2^j)]_2)`.
    fn holds(&self, key: &VerifyingKey, points: &PointTable) -> bool {
        let mut sums = self.sums(&points.points);
        if let Some(first) = sums.first_mut() {
            *first = -*first;
        }
        let sums = G1Projective::normalize_batch(&sums);
        let pairs: Vec<_> = sums.into_iter().zip(key.prepared()).collect();
        product_is_one(&pairs)
    }

    /// The sum of each side.
    fn sums(&self, points: &[G1Affine]) -> Vec<G1Projective> {
        let sides = self.sides.iter();
        let sides =
            sides.map(|side| side.iter().map(|(point, factor)| (*point, *factor)).collect());
        if points.len() < BUCKET_SUM_MIN {
            let multiples = OddMultiples::new(points);
            sides.map(|terms: Vec<_>| multiples.sum(&terms)).collect()
        } else {
            sides.map(|terms: Vec<_>| buckets::sum(points, &terms)).collect()
        }
    }
}

/// From this many points on, buckets cost less than a table of multiples.
const BUCKET_SUM_MIN: usize = 1 << 9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{INFINITY, OpeningKind, Scalar};

    #[test]
    fn as_many_points_as_are_summed_by_buckets() {
        // Commitments of constant vectors, each opened by infinity.
        let key = VerifyingKey::dev(1).unwrap();
        let generator = G1Affine::generator();
        let commitments: Vec<_> =
            core::iter::successors(Some(G1Projective::from(generator)), |sum| {
                Some(*sum + generator)
            })
            .take(BUCKET_SUM_MIN + 70)
            .collect();
        let commitments: Vec<_> =
            G1Projective::normalize_batch(&commitments).iter().map(crate::point::encode).collect();
        let mut openings: Vec<_> = (1..)
            .zip(commitments)
            .map(|(value, commitment)| Opening {
                commitment,
                index: 1,
                value: Scalar::from(value),
                kind: OpeningKind::Single,
                points: &[INFINITY],
            })
            .collect();
        assert_eq!(verify_openings(&openings, &key), Ok(()));
        for wrong in [0, BUCKET_SUM_MIN - 2, BUCKET_SUM_MIN, BUCKET_SUM_MIN + 69] {
            let value = core::mem::replace(&mut openings[wrong].value, Scalar::ZERO);
            let error = verify_openings(&openings, &key).unwrap_err();
            assert_eq!(error.reason(), Reason::OpeningMismatch, "{wrong}");
            openings[wrong].value = value;
        }
    }
}

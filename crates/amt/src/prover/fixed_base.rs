//! Multiples of the generator of G1, for setups with a known tau.

use std::sync::LazyLock;
use std::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, PrimeField};
use rayon::prelude::*;

use super::group::{BATCH, Point, Term, add_batch};
use crate::buckets::digit;

/// `d 2^(12 j) [1]_1` for each digit d from 0 to 2^11 and each place j.
#[derive(Clone, Debug)]
pub(super) struct FixedBase(Vec<G1Affine>);

/// Bits of a signed digit.
const WIDTH: u32 = 12;

/// The number of non-negative digits at a place.
const DIGITS: usize = (1 << (WIDTH - 1)) + 1;

/// The number of digits of a scalar below 2^254, with a carry.
const PLACES: usize = 22;
const _: () = assert!(WIDTH as usize * PLACES > 254);

static SHARED: LazyLock<FixedBase> = LazyLock::new(FixedBase::new);

impl FixedBase {
    /// Returns the table of this process: 3 MB, computed by the first call.
    pub(super) fn shared() -> &'static Self {
        &SHARED
    }

    fn new() -> Self {
        let mut multiples = Vec::with_capacity(PLACES * DIGITS);
        let mut base = G1Projective::from(G1Affine::generator());
        for _ in 0..PLACES {
            let mut multiple = G1Projective::ZERO;
            for _ in 0..DIGITS {
                multiples.push(multiple);
                multiple += base;
            }
            for _ in 0..WIDTH {
                base.double_in_place();
            }
        }
        Self(G1Projective::normalize_batch(&multiples))
    }

    /// Returns `[scalar]_1`.
    pub(super) fn multiple(&self, scalar: &Fr) -> G1Affine {
        let mut sum = G1Projective::ZERO;
        for (place, digit) in digits(scalar).into_iter().enumerate() {
            sum += self.entry(place, digit);
        }
        sum.into_affine()
    }

    /// Returns `[scalar]_1` for each scalar, on all threads; several times faster than one by one.
    pub(super) fn multiples(&self, scalars: &[Fr]) -> Vec<G1Affine> {
        let parts: Vec<_> = scalars.par_chunks(BATCH).map(|scalars| self.batch(scalars)).collect();
        parts.concat()
    }

    /// Adds up scalars with the same index; returns the multiples, ascending by index.
    pub(super) fn terms(&self, mut scalars: Vec<(u32, Fr)>) -> Vec<Term> {
        scalars.sort_unstable_by_key(|scalar| scalar.0);
        scalars.dedup_by(|next, sum| {
            let is_same = next.0 == sum.0;
            if is_same {
                sum.1 += next.1;
            }
            is_same
        });
        let (indices, scalars): (Vec<_>, Vec<_>) = scalars.into_iter().unzip();
        indices.into_iter().zip(self.multiples(&scalars).into_iter().map(Point)).collect()
    }

    fn batch(&self, scalars: &[Fr]) -> Vec<G1Affine> {
        let digits: Vec<_> = scalars.iter().map(digits).collect();
        let entry = |digits: &Digits, place: usize| self.entry(place, digits[place]);
        let entries = |place| digits.iter().map(move |digits| entry(digits, place));
        let mut sums: Vec<_> = entries(0).collect();
        let mut points = Vec::with_capacity(sums.len());
        for place in 1..PLACES {
            points.clear();
            points.extend(entries(place));
            add_batch(&mut sums, &points);
        }
        sums
    }

    fn entry(&self, place: usize, digit: i32) -> G1Affine {
        let entry = self.0.get(place * DIGITS + digit.unsigned_abs() as usize);
        let entry = entry.copied().unwrap_or_default();
        if digit < 0 { -entry } else { entry }
    }
}

type Digits = [i32; PLACES];

/// Returns the signed digits of a scalar, from -2^11 + 1 to 2^11, the least significant first.
fn digits(scalar: &Fr) -> Digits {
    let scalar = scalar.into_bigint();
    let (mut position, mut carry) = (0, 0);
    core::array::from_fn(|_| {
        let sum = i32::try_from(digit(&scalar, position, WIDTH)).unwrap_or_default() + carry;
        position += WIDTH;
        carry = i32::from(sum > 1 << (WIDTH - 1));
        sum - (carry << WIDTH)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::Field;

    #[test]
    fn multiples_are_those_of_the_curve() {
        let base = FixedBase::shared();
        let small = [0, 1, 2047, 2048, 2049, 4095, 4096, 1 << 23, (1 << 24) - 1].map(Fr::from);
        let large = [-Fr::ONE, -Fr::from(2048), crate::dev::tau(), crate::dev::tau().square()];
        let scalars: Vec<_> = small.into_iter().chain(large).collect();
        let expected: Vec<_> =
            scalars.iter().map(|scalar| (G1Affine::generator() * scalar).into_affine()).collect();
        assert_eq!(base.multiples(&scalars), expected);
        let one_by_one: Vec<_> = scalars.iter().map(|scalar| base.multiple(scalar)).collect();
        assert_eq!(one_by_one, expected);
    }

    #[test]
    fn scalars_of_one_index_are_added_up() {
        let base = FixedBase::shared();
        let one = Fr::ONE;
        let terms = base.terms(std::vec![(7, one), (2, one), (7, one), (3, one), (3, -one)]);
        let expected = [(2, one), (3, Fr::ZERO), (7, one.double())];
        assert_eq!(terms, expected.map(|(at, scalar)| (at, Point(base.multiple(&scalar)))));
    }
}

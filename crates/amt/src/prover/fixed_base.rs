//! Multiples of the generator of G1, for setups with a known tau.

use std::sync::LazyLock;
use std::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, PrimeField};
use rayon::prelude::*;

use super::group::{ADDITION_BATCH, Point, SumTerm, add_batch};
use crate::buckets::digit;

/// `d 2^(12 j) [1]_1` for each digit d from 0 to 2^11 and each place j.
#[derive(Clone, Debug)]
pub(super) struct FixedBase(Vec<G1Affine>);

/// Bits of a signed digit.
const DIGIT_BITS: u32 = 12;

/// The number of non-negative digits at a place.
const DIGITS_PER_PLACE: usize = (1 << (DIGIT_BITS - 1)) + 1;

/// The number of digits of a scalar below 2^254, with a carry.
const SCALAR_DIGITS: usize = 22;
const _: () = assert!(DIGIT_BITS as usize * SCALAR_DIGITS > 254);

static SHARED_FIXED_BASE: LazyLock<FixedBase> = LazyLock::new(FixedBase::new);

impl FixedBase {
    /// Returns the table of this process: 3 MB, computed by the first call.
    pub(super) fn shared() -> &'static Self {
        &SHARED_FIXED_BASE
    }

    fn new() -> Self {
        let mut multiples = Vec::with_capacity(SCALAR_DIGITS * DIGITS_PER_PLACE);
        let mut base = G1Projective::from(G1Affine::generator());
        for _ in 0..SCALAR_DIGITS {
            let mut multiple = G1Projective::ZERO;
            for _ in 0..DIGITS_PER_PLACE {
                multiples.push(multiple);
                multiple += base;
            }
            for _ in 0..DIGIT_BITS {
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
        let parts: Vec<_> =
            scalars.par_chunks(ADDITION_BATCH).map(|scalars| self.batch(scalars)).collect();
        parts.concat()
    }

    /// Adds up scalars with the same index; returns the multiples, ascending by index.
    pub(super) fn terms(&self, mut scalars: Vec<(u32, Fr)>) -> Vec<SumTerm> {
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
        let entry = |digits: &SignedDigits, place: usize| self.entry(place, digits[place]);
        let entries = |place| digits.iter().map(move |digits| entry(digits, place));
        let mut sums: Vec<_> = entries(0).collect();
        let mut points = Vec::with_capacity(sums.len());
        for place in 1..SCALAR_DIGITS {
            points.clear();
            points.extend(entries(place));
            add_batch(&mut sums, &points);
        }
        sums
    }

    fn entry(&self, place: usize, digit: i32) -> G1Affine {
        let entry = self.0.get(place * DIGITS_PER_PLACE + digit.unsigned_abs() as usize);
        let entry = entry.copied().unwrap_or_default();
        if digit < 0 { -entry } else { entry }
    }
}

type SignedDigits = [i32; SCALAR_DIGITS];

/// Returns the signed digits of a scalar, from -2^11 + 1 to 2^11, the least significant first.
fn digits(scalar: &Fr) -> SignedDigits {
    let scalar = scalar.into_bigint();
    let (mut position, mut carry) = (0, 0);
    core::array::from_fn(|_| {
        let sum = i32::try_from(digit(&scalar, position, DIGIT_BITS)).unwrap_or_default() + carry;
        position += DIGIT_BITS;
        carry = i32::from(sum > 1 << (DIGIT_BITS - 1));
        sum - (carry << DIGIT_BITS)
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

//! Multiples of the generator of G1, for setups with a known tau.

use std::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, PrimeField};

use super::group::{BATCH, add_batch};
use crate::point::limb_bytes;

/// `d 2^(8 j) [1]_1` for each byte value d and each byte position j.
#[derive(Clone, Debug)]
pub(super) struct FixedBase(Vec<G1Affine>);

const DIGITS: usize = 1 << 8;

impl FixedBase {
    pub(super) fn new() -> Self {
        let mut multiples = Vec::with_capacity(32 * DIGITS);
        let mut base = G1Projective::from(G1Affine::generator());
        for _ in 0..32 {
            let mut multiple = G1Projective::ZERO;
            for _ in 0..DIGITS {
                multiples.push(multiple);
                multiple += base;
            }
            base = multiple;
        }
        Self(G1Projective::normalize_batch(&multiples))
    }

    /// Returns `[scalar]_1`.
    pub(super) fn multiple(&self, scalar: &Fr) -> G1Affine {
        let mut sum = G1Projective::ZERO;
        for (place, digit) in limb_bytes(&scalar.into_bigint()).into_iter().enumerate() {
            sum += self.entry(place, digit);
        }
        sum.into_affine()
    }

    /// Returns `[scalar]_1` for each scalar; several times faster than one by one.
    pub(super) fn multiples(&self, scalars: &[Fr]) -> Vec<G1Affine> {
        scalars.chunks(BATCH).flat_map(|scalars| self.batch(scalars)).collect()
    }

    fn batch(&self, scalars: &[Fr]) -> Vec<G1Affine> {
        let digits: Vec<_> =
            scalars.iter().map(|scalar| limb_bytes(&scalar.into_bigint())).collect();
        let mut sums = std::vec![G1Affine::identity(); scalars.len()];
        for place in 0..32 {
            let pairs = sums.iter().zip(&digits).map(|(sum, digits)| {
                (*sum, self.entry(place, digits.get(place).copied().unwrap_or(0)))
            });
            sums = add_batch(&pairs.collect::<Vec<_>>());
        }
        sums
    }

    fn entry(&self, place: usize, digit: u8) -> G1Affine {
        self.0.get(place * DIGITS + usize::from(digit)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::Field;

    #[test]
    fn multiples_are_those_of_the_curve() {
        let base = FixedBase::new();
        let scalars = [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(256), crate::dev::tau()];
        let expected = scalars.map(|scalar| (G1Affine::generator() * scalar).into_affine());
        assert_eq!(base.multiples(&scalars), expected);
        assert_eq!(scalars.map(|scalar| base.multiple(&scalar)), expected);
    }
}

//! Multi-scalar multiplications over the same points, sharing one table of odd multiples.
//!
//! Not constant-time: every input is public.

use alloc::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, BigInteger, PrimeField};

/// Bits of a window of signed digits. A table has `2^(WINDOW_BITS - 2)` odd multiples of each point.
const WINDOW_BITS: usize = 5;
const MULTIPLES_PER_POINT: usize = 1 << (WINDOW_BITS - 2);

/// The odd multiples P, 3P, 5P, ... of each point of a list.
pub(crate) struct OddMultiples(Vec<G1Affine>);

impl OddMultiples {
    /// Builds the table of `points`.
    pub(crate) fn new(points: &[G1Affine]) -> Self {
        let mut multiples = Vec::with_capacity(points.len() * MULTIPLES_PER_POINT);
        for point in points {
            let double = G1Projective::from(*point).double();
            let mut multiple = G1Projective::from(*point);
            for _ in 0..MULTIPLES_PER_POINT {
                multiples.push(multiple);
                multiple += double;
            }
        }
        Self(G1Projective::normalize_batch(&multiples))
    }

    /// Computes the sum of `scalar * point` over `terms`, pairs of a point's index and a scalar.
    pub(crate) fn sum(&self, terms: &[(usize, Fr)]) -> G1Projective {
        // Each digit is zero, or odd with absolute value below 2^(WINDOW - 1); least significant
        // first.
        let digits = |scalar: &Fr| scalar.into_bigint().find_wnaf(WINDOW_BITS).unwrap_or_default();
        let digits: Vec<_> = terms.iter().map(|(point, scalar)| (*point, digits(scalar))).collect();
        let bits = digits.iter().map(|(_, digits)| digits.len()).max().unwrap_or(0);
        let mut sum = G1Projective::ZERO;
        for bit in (0..bits).rev() {
            sum.double_in_place();
            for (point, digits) in &digits {
                let digit = digits.get(bit).copied().unwrap_or(0);
                if digit != 0 {
                    let multiple = usize::try_from(digit.unsigned_abs() / 2).unwrap_or(usize::MAX);
                    let multiple = self.0.get(point * MULTIPLES_PER_POINT + multiple);
                    let multiple = multiple.copied().unwrap_or_default();
                    sum += if digit > 0 { multiple } else { -multiple };
                }
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::AffineRepr;
    use ark_ff::Field;

    #[test]
    fn sums_are_those_of_one_multiplication_after_the_other() {
        let points: [_; 4] = core::array::from_fn(|i| {
            (G1Affine::generator() * Fr::from(i as u64 * i as u64)).into_affine()
        });
        let multiples = OddMultiples::new(&points);
        let scalars = [0, 1, 2, 15, 16, 17, 31, 32, 33, u64::MAX].map(Fr::from);
        let scalars = scalars.into_iter().chain([-Fr::ONE, crate::dev::tau(), -Fr::from(31)]);
        let mut terms = Vec::new();
        let mut expected = G1Projective::ZERO;
        for (i, scalar) in scalars.enumerate() {
            assert_eq!(multiples.sum(&[(i % 4, scalar)]), points[i % 4] * scalar, "{scalar}");
            terms.push((i % 4, scalar));
            expected += points[i % 4] * scalar;
        }
        assert_eq!(multiples.sum(&terms), expected);
        assert_eq!(multiples.sum(&[]), G1Projective::ZERO);
    }
}

//! Sums of few points with large factors.
//!
//! The curve has an endomorphism that multiplies points by a constant and costs one multiplication. With it, each
//! factor is two numbers of half its length, which halves the doublings. Source: Gallant, Lambert and Vanstone
//! 2001, "Faster Point Multiplication on Elliptic Curves with Efficient Endomorphisms".

use std::vec::Vec;

use ark_bn254::g1::Config;
use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ec::scalar_mul::glv::GLVConfig;
use ark_ff::{AdditiveGroup, BigInteger, PrimeField};

/// Bits of a window of signed digits.
const WINDOW_BITS: usize = 5;
const MULTIPLES_PER_POINT: usize = 1 << (WINDOW_BITS - 2);

/// Computes the sum of `scalar * point` over `terms`.
pub(super) fn sum(terms: &[(G1Affine, Fr)]) -> G1Projective {
    let multiples = odd_multiples(terms.iter().map(|(point, _)| *point));
    let mut halves = Vec::with_capacity(2 * terms.len());
    for ((_, scalar), multiples) in terms.iter().zip(multiples.chunks(MULTIPLES_PER_POINT)) {
        let (first, second) = Config::scalar_decomposition(*scalar);
        halves.push((digits(first), multiples.to_vec()));
        let moved = multiples.iter().map(Config::endomorphism_affine).collect();
        halves.push((digits(second), moved));
    }
    let bits = halves.iter().map(|(digits, _)| digits.len()).max().unwrap_or(0);
    let mut sum = G1Projective::ZERO;
    for bit in (0..bits).rev() {
        sum.double_in_place();
        for (digits, multiples) in &halves {
            let digit = digits.get(bit).copied().unwrap_or(0);
            if digit != 0 {
                let at = usize::try_from(digit.unsigned_abs() / 2).unwrap_or(usize::MAX);
                let multiple = multiples.get(at).copied().unwrap_or_default();
                sum += if digit > 0 { multiple } else { -multiple };
            }
        }
    }
    sum
}

/// P, 3P, 5P, ... of each point.
fn odd_multiples(points: impl Iterator<Item = G1Affine>) -> Vec<G1Affine> {
    let mut multiples = Vec::new();
    for point in points {
        let double = G1Projective::from(point).double();
        let mut multiple = G1Projective::from(point);
        for _ in 0..MULTIPLES_PER_POINT {
            multiples.push(multiple);
            multiple += double;
        }
    }
    G1Projective::normalize_batch(&multiples)
}

/// The signed digits of a number with its sign: each is zero, or odd; least significant first.
fn digits((is_positive, number): (bool, Fr)) -> Vec<i64> {
    let mut digits = number.into_bigint().find_wnaf(WINDOW_BITS).unwrap_or_default();
    if !is_positive {
        for digit in &mut digits {
            *digit = -*digit;
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::AffineRepr;
    use ark_ff::Field;

    #[test]
    fn sums_are_those_of_one_multiplication_after_the_other() {
        let mut terms = Vec::new();
        let mut expected = G1Projective::ZERO;
        let scalars = [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(31), Config::LAMBDA];
        let scalars = scalars.into_iter().chain([crate::dev::tau(), -crate::dev::tau()]);
        for (i, scalar) in scalars.enumerate() {
            let point = (G1Affine::generator() * Fr::from(i as u64 * i as u64)).into_affine();
            assert_eq!(sum(&[(point, scalar)]), point * scalar, "{i}");
            terms.push((point, scalar));
            expected += point * scalar;
        }
        assert_eq!(sum(&terms), expected);
        assert_eq!(sum(&[]), G1Projective::ZERO);
    }
}

//! Multi-scalar multiplication with buckets (Pippenger); the cost per point falls as the number of
//! points grows.
//!
//! Not constant-time: every input is public.

use alloc::vec;
use alloc::vec::Vec;

use ark_bn254::g1::Config;
use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::short_weierstrass::Bucket;
use ark_ff::{AdditiveGroup, BigInt, BigInteger, PrimeField};

/// Computes the sum of `scalar * point` over `terms`, pairs of an index into `points` and a scalar.
///
/// Each scalar is split into signed digits of `width` bits. For each digit position, points with
/// the same digit share a bucket.
pub(crate) fn sum(points: &[G1Affine], terms: &[(usize, Fr)]) -> G1Projective {
    let terms: Vec<_> =
        terms.iter().map(|(point, scalar)| (*point, scalar.into_bigint())).collect();
    let bits = terms.iter().map(|(_, scalar)| scalar.num_bits()).max().unwrap_or(0);
    let width = width(terms.len() as u64, bits);
    let half = 1_u64 << (width - 1);
    // Whether the previous digit was negative, which adds 1 to this one.
    let mut carries = vec![false; terms.len()];
    let mut sums = Vec::new();
    for place in 0..=bits / width {
        let mut buckets = DigitBuckets::new(half);
        for ((point, scalar), carry) in terms.iter().zip(&mut carries) {
            let digit = digit(scalar, place * width, width) + u64::from(*carry);
            *carry = digit > half;
            let point = points.get(*point).copied().unwrap_or_default();
            if *carry {
                buckets.add(2 * half - digit, -point);
            } else {
                buckets.add(digit, point);
            }
        }
        sums.push(buckets.sum());
    }
    let mut sum = G1Projective::ZERO;
    for of_place in sums.iter().rev() {
        for _ in 0..width {
            sum.double_in_place();
        }
        sum += of_place;
    }
    sum
}

/// Returns the digit width that needs the fewest additions.
fn width(terms: u64, bits: u32) -> u32 {
    // Each bucket takes two additions, which cost more than the mixed addition of an affine point.
    let cost = |width: &u32| u64::from(bits / width + 1) * (5 * terms + (14 << (width - 1)));
    (1..=16).min_by_key(cost).unwrap_or(1)
}

/// Returns `width` bits of `number`, starting at bit `position`.
pub(crate) fn digit(number: &BigInt<4>, position: u32, width: u32) -> u64 {
    let (first, shift) = (position as usize / 64, position % 64);
    let limb = |at: usize| number.0.get(at).copied().unwrap_or(0);
    let [low, high] = [limb(first) >> shift, limb(first + 1)];
    let bits = if shift == 0 { low } else { low | high << (64 - shift) };
    bits & ((1 << width) - 1)
}

/// One bucket for each digit from 1: the sum of the points with that digit.
struct DigitBuckets(Vec<Bucket<Config>>);

impl DigitBuckets {
    fn new(count: u64) -> Self {
        Self(vec![Bucket::ZERO; usize::try_from(count).unwrap_or(0)])
    }

    fn add(&mut self, digit: u64, point: G1Affine) {
        let bucket = usize::try_from(digit).ok().and_then(|digit| digit.checked_sub(1));
        if let Some(bucket) = bucket.and_then(|at| self.0.get_mut(at)) {
            *bucket += point;
        }
    }

    /// Returns the sum of digit times bucket over all buckets.
    fn sum(&self) -> G1Projective {
        let (mut above, mut sum) = (Bucket::ZERO, Bucket::ZERO);
        for bucket in self.0.iter().rev() {
            above += bucket;
            sum += &above;
        }
        sum.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::{AffineRepr, CurveGroup};
    use ark_ff::{AdditiveGroup, Field};

    #[test]
    fn sums_are_those_of_one_multiplication_after_the_other() {
        let points: Vec<_> =
            (0..40).map(|i| (G1Affine::generator() * Fr::from(i * i)).into_affine()).collect();
        let scalars = [0, 1, 2, 15, 16, 17, 31, 32, 33, 0x8000, 0xffff, u64::MAX].map(Fr::from);
        let large = [-Fr::ONE, crate::dev::tau(), -Fr::from(31), Fr::from(u128::MAX)];
        let scalars: Vec<_> = scalars.into_iter().chain(large).collect();
        // Covers repeated points, and a point together with its negative.
        for count in [0, 1, 2, 3, 16, 17, 100, 3000] {
            let term = |i: usize| ((i * i) % 40, scalars[i % 16] * Fr::from((i / 16) as u64 + 1));
            let terms: Vec<_> = (0..count).map(term).collect();
            let expected: G1Projective = terms.iter().map(|(at, by)| points[*at] * by).sum();
            assert_eq!(sum(&points, &terms), expected, "{count}");
        }
        let none = [(3, Fr::ONE), (3, -Fr::ONE), (0, crate::dev::tau())];
        assert_eq!(sum(&points, &none), G1Projective::ZERO);
    }

    #[test]
    fn digits_are_the_bits_of_all_limbs() {
        let number = BigInt::new([0x8000_0000_0000_0001, 0x3, 0, 0xf000_0000_0000_0000]);
        assert_eq!(digit(&number, 0, 4), 1);
        assert_eq!(digit(&number, 62, 5), 0b01110);
        assert_eq!(digit(&number, 252, 13), 0xf);
        assert_eq!(digit(&number, 256, 13), 0);
    }
}

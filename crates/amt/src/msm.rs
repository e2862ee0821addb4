//! Sums of multiples of points that share the points: one table of odd multiples for all of them.
//!
//! Not constant in time: everything here is public.

use alloc::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, BigInt, PrimeField};

/// Bits of a window of the signed digits; a table has `2^(WINDOW - 2)` odd multiples of a point.
const WINDOW: u32 = 5;
const MULTIPLES: usize = 1 << (WINDOW - 2);

/// The points P, 3P, 5P, ... of each of a list of points.
pub(crate) struct Multiples(Vec<G1Affine>);

impl Multiples {
    /// The table of these points.
    pub(crate) fn new(points: &[G1Affine]) -> Self {
        let mut multiples = Vec::with_capacity(points.len() * MULTIPLES);
        for point in points {
            let double = G1Projective::from(*point).double();
            let mut multiple = G1Projective::from(*point);
            for _ in 0..MULTIPLES {
                multiples.push(multiple);
                multiple += double;
            }
        }
        Self(G1Projective::normalize_batch(&multiples))
    }

    /// The sum of `scalar * point` over these pairs of a point's number and a scalar.
    pub(crate) fn sum(&self, terms: &[(usize, Fr)]) -> G1Projective {
        let digits: Vec<_> =
            terms.iter().map(|(point, scalar)| (*point, digits(scalar.into_bigint()))).collect();
        let bits = digits.iter().map(|(_, digits)| digits.len()).max().unwrap_or(0);
        let mut sum = G1Projective::ZERO;
        for bit in (0..bits).rev() {
            sum.double_in_place();
            for (point, digits) in &digits {
                let digit = digits.get(bit).copied().unwrap_or(0);
                let Some(multiple) = digit.unsigned_abs().checked_sub(1) else { continue };
                let multiple = self.0.get(point * MULTIPLES + usize::from(multiple / 2));
                let multiple = multiple.copied().unwrap_or_default();
                sum += if digit > 0 { multiple } else { -multiple };
            }
        }
        sum
    }
}

/// The number in signed digits: each zero, or odd and below `2^(WINDOW - 1)`, then at least
/// `WINDOW - 1` zeros; the least significant first.
fn digits(mut number: BigInt<4>) -> Vec<i8> {
    let mut digits = Vec::with_capacity(256);
    while number != BigInt::<4>::default() {
        let mut digit = 0;
        if number.0[0] & 1 == 1 {
            digit = (number.0[0] & ((1 << WINDOW) - 1)) as i8;
            if digit >= 1 << (WINDOW - 1) {
                digit -= 1 << WINDOW;
            }
            subtract(&mut number, digit);
        }
        digits.push(digit);
        halve(&mut number);
    }
    digits
}

/// Subtracts a digit; the number is far below 2^256.
fn subtract(number: &mut BigInt<4>, digit: i8) {
    let mut carry = i128::from(digit);
    for limb in &mut number.0 {
        let difference = i128::from(*limb) - carry;
        *limb = difference as u64;
        carry = -(difference >> 64);
    }
}

fn halve(number: &mut BigInt<4>) {
    let mut carry = 0;
    for limb in number.0.iter_mut().rev() {
        (*limb, carry) = (*limb >> 1 | carry, *limb << 63);
    }
}

//! Fourier transforms of points: the values of a polynomial whose coefficients are points.

use std::vec::Vec;

use ark_bn254::{Fr, G1Affine, G1Projective};
use ark_ec::CurveGroup;
use ark_ff::Field;
use rayon::prelude::*;

/// `sum_j root^(t j) points[j]` for each t, where `root` has as many powers as there are points.
pub(super) fn transform(points: Vec<G1Projective>, root: Fr) -> Vec<G1Affine> {
    let roots = powers(root, points.len());
    let mut points = points;
    in_place(&mut points, &roots, 1);
    normalize(&bit_reversed(&points))
}

/// `sum_j root^(t j) points[j]` for each t below n, where `root` has n powers; n is a multiple of the number of points.
///
/// The points `root^t` are those of as many cosets of the powers of `root^cosets`.
pub(super) fn transform_cosets(points: &[G1Projective], n: usize, root: Fr) -> Vec<G1Affine> {
    let cosets = n / points.len();
    let roots = powers(root, n);
    let values: Vec<_> = (0..cosets)
        .into_par_iter()
        .map(|coset| {
            let scale = |(j, point): (usize, &G1Projective)| match roots.get(coset * j) {
                Some(root) if coset * j != 0 => *point * root,
                _ => *point,
            };
            let mut scaled: Vec<_> = points.iter().enumerate().map(scale).collect();
            in_place(&mut scaled, &roots, cosets);
            normalize(&bit_reversed(&scaled))
        })
        .collect();
    // Value u of coset s is that at the power s + cosets * u.
    let value = |t: usize| values.get(t % cosets).and_then(|values| values.get(t / cosets));
    (0..n).map(|t| value(t).copied().unwrap_or_default()).collect()
}

/// Decimation in frequency: the values come out in bit-reversed order.
///
/// `roots[step]` has as many powers as there are points.
fn in_place(points: &mut [G1Projective], roots: &[Fr], step: usize) {
    let half = points.len() / 2;
    if half == 0 {
        return;
    }
    let (low, high) = points.split_at_mut(half);
    let butterfly = |(j, (a, b)): (usize, (&mut G1Projective, &mut G1Projective))| {
        let difference = *a - *b;
        *a += *b;
        *b = match roots.get(j * step) {
            Some(root) if j != 0 => difference * root,
            _ => difference,
        };
    };
    low.par_iter_mut().zip(high.par_iter_mut()).enumerate().with_min_len(8).for_each(butterfly);
    rayon::join(|| in_place(low, roots, 2 * step), || in_place(high, roots, 2 * step));
}

fn bit_reversed(points: &[G1Projective]) -> Vec<G1Projective> {
    let bits = points.len().trailing_zeros();
    let place = |t: usize| t.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
    (0..points.len()).map(|t| points.get(place(t)).copied().unwrap_or_default()).collect()
}

fn normalize(points: &[G1Projective]) -> Vec<G1Affine> {
    points.par_chunks(1 << 10).flat_map_iter(G1Projective::normalize_batch).collect()
}

/// The powers of a root, from 1 on.
fn powers(root: Fr, count: usize) -> Vec<Fr> {
    core::iter::successors(Some(Fr::ONE), |power| Some(*power * root)).take(count).collect()
}

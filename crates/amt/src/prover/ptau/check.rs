//! Checks that the points of a `.ptau` file are the powers of one number.

use std::io::{Read, Seek};
use std::vec::Vec;

use ark_bn254::{Fr, G1Affine, G2Affine};
use ark_ec::bn::G2Prepared;
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::PrimeField;
use blake2::{Blake2b512, Digest};
use prooflight_core::{Error, Reason, Result};

use super::contributions;
use super::file::PtauFile;
use crate::domain::Domain;
use crate::pairing::product_is_one;
use crate::point::{encode, encode_g2};

/// The powers of a file that vectors of n entries need.
pub(super) struct PtauPowers {
    /// `[tau^j]_1`, j < 2n - 1.
    pub(super) tau_g1: Vec<G1Affine>,
    /// `[tau^j]_2`, j < n.
    pub(super) tau_g2: Vec<G2Affine>,
    /// The number of contributions listed.
    pub(super) contributions: u32,
}

/// Reads and checks the powers.
///
/// With random `r_j`, `e(sum_j r_j P_(j+1), [1]_2) = e(sum_j r_j P_j, [tau]_2)` shows that each
/// point P of a section is tau times the point before it; for G2 with the sides swapped.
pub(super) fn check<R: Read + Seek>(file: &mut PtauFile<R>, domain: Domain) -> Result<PtauPowers> {
    let n = domain.n() as usize;
    let tau_g1 = file.g1(2, 2 * n - 1)?;
    let tau_g2 = file.g2(3, n)?;
    let alpha_g1 = file.g1(4, n)?;
    let beta_g1 = file.g1(5, n)?;
    let beta_g2 = file.g2(6, 1)?;
    let (one_g1, one_g2) = (G1Affine::generator(), G2Affine::generator());
    let ([first, tau, ..], [first_g2, tau_2, ..], [beta, ..], [beta_2]) =
        (&tau_g1[..], &tau_g2[..], &beta_g1[..], &beta_g2[..])
    else {
        return Err(inconsistent("two powers or more"));
    };
    if *first != one_g1 || *first_g2 != one_g2 {
        return Err(inconsistent("the generators as the first powers"));
    }
    // `[tau^n]_1`. It is the generator iff tau is in the domain.
    if tau_g1.get(n) == Some(&one_g1) {
        return Err(inconsistent("a tau outside the domain: at least one contribution"));
    }
    let coefficients = RandomCoefficients::of(&[&tau_g1, &alpha_g1, &beta_g1], &tau_g2);
    for (name, points) in [("tau", &tau_g1), ("alpha tau", &alpha_g1), ("beta tau", &beta_g1)] {
        let (before, after) = coefficients.combine_g1(points);
        if !equal(after, &one_g2, before, tau_2) {
            return Err(inconsistent(&std::format!("the powers {name} in G1")));
        }
    }
    let (before, after) = coefficients.combine_g2(&tau_g2);
    if !equal(one_g1, &after, *tau, &before) {
        return Err(inconsistent("the powers of tau in G2"));
    }
    if !equal(*beta, &one_g2, one_g1, beta_2) {
        return Err(inconsistent("the same beta in G1 and G2"));
    }
    let contributions = contributions::check(
        file,
        &[*tau, alpha_g1.first().copied().unwrap_or_default(), *beta],
        &[*tau_2, *beta_2],
    )?;
    Ok(PtauPowers { tau_g1, tau_g2, contributions })
}

/// Random coefficients derived from every point.
struct RandomCoefficients {
    seed: [u8; 64],
}

impl RandomCoefficients {
    fn of(g1: &[&[G1Affine]], g2: &[G2Affine]) -> Self {
        let mut hash = Blake2b512::new();
        hash.update(b"prooflight/amt/ptau/v1");
        for point in g1.iter().copied().flatten() {
            hash.update(encode(point));
        }
        for point in g2 {
            hash.update(encode_g2(point));
        }
        Self { seed: hash.finalize().into() }
    }

    fn scalars(&self, count: usize) -> Vec<<Fr as PrimeField>::BigInt> {
        let scalar = |j: u64| {
            let mut hash = Blake2b512::new();
            hash.update(self.seed);
            hash.update(j.to_le_bytes());
            let hash: [u8; 64] = hash.finalize().into();
            Fr::from(hash.first_chunk().copied().map_or(0, u128::from_le_bytes)).into_bigint()
        };
        (0..count as u64).map(scalar).collect()
    }

    /// Returns `sum_j r_j P_j`, without the last point, and `sum_j r_j P_(j+1)`, without the first.
    fn combine_g1(&self, points: &[G1Affine]) -> (G1Affine, G1Affine) {
        let scalars = self.scalars(points.len() - 1);
        let sum =
            |points| <G1Affine as AffineRepr>::Group::msm_bigint(points, &scalars).into_affine();
        (sum(&points[..points.len() - 1]), sum(&points[1..]))
    }

    /// Like [`Self::combine_g1`], for G2.
    fn combine_g2(&self, points: &[G2Affine]) -> (G2Affine, G2Affine) {
        let scalars = self.scalars(points.len() - 1);
        let sum =
            |points| <G2Affine as AffineRepr>::Group::msm_bigint(points, &scalars).into_affine();
        (sum(&points[..points.len() - 1]), sum(&points[1..]))
    }
}

/// Whether `e(a, b) = e(c, d)`.
fn equal(a: G1Affine, b: &G2Affine, c: G1Affine, d: &G2Affine) -> bool {
    product_is_one(&[(a, &G2Prepared::from(b)), (-c, &G2Prepared::from(d))])
}

#[cold]
fn inconsistent(expected: &str) -> Error {
    Error::new(Reason::InvalidSetup, expected, "other points")
}

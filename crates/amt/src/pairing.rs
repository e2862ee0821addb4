//! The product of pairings, with one chain of squarings shared by all pairs.

use ark_bn254::{Bn254, Config, Fq12, G1Affine};
use ark_ec::AffineRepr;
use ark_ec::bn::{BnConfig, G2Prepared};
use ark_ec::pairing::{MillerLoopOutput, Pairing};
use ark_ff::Field;

/// Whether `prod e(p, q)` over these pairs is 1.
pub(crate) fn product_is_one(pairs: &[(G1Affine, &G2Prepared<Config>)]) -> bool {
    let product = miller_loop(pairs);
    Bn254::final_exponentiation(MillerLoopOutput(product))
        .is_some_and(|output| output.0 == Fq12::ONE)
}

fn miller_loop(pairs: &[(G1Affine, &G2Prepared<Config>)]) -> Fq12 {
    let mut product = Fq12::ONE;
    let mut lines = 0..;
    let mut multiply = |product: &mut Fq12| {
        let line = lines.next().unwrap_or(usize::MAX);
        for (point, prepared) in pairs {
            // A pairing with infinity is 1.
            if let (Some((x, y)), Some(line)) = (point.xy(), prepared.ell_coeffs.get(line)) {
                let (mut c0, mut c1, c2) = *line;
                c0.mul_assign_by_fp(&y);
                c1.mul_assign_by_fp(&x);
                product.mul_by_034(&c0, &c1, &c2);
            }
        }
    };
    for digit in Config::ATE_LOOP_COUNT.iter().rev().skip(1) {
        product.square_in_place();
        multiply(&mut product);
        if *digit != 0 {
            multiply(&mut product);
        }
    }
    multiply(&mut product);
    multiply(&mut product);
    product
}

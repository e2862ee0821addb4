//! Wrong openings whose errors cancel where the coefficients do not depend on the indices.
//!
//! Whoever can choose nothing but indices chooses, with the points below, the error of each opening from -3 to 3.
//! Then the errors are small integers that, multiplied by the coefficients, have the sum 0: a short vector of
//! a lattice.

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, FftField, Field};
use prooflight_amt::{INFINITY, VerifyingKey};
use prooflight_core::Reason;

use super::dev;
use crate::amt::{KindName, OpeningInput};
use crate::carrier::Hash32;
use crate::generate::builder::Builder;
use crate::generate::coefficients::{Claimed, Without, coefficients, plus, tau};

const LOG_N: u8 = 6;

/// The errors at the indices 1, 2, 4, ..., 32; that at the index 0 is 0.
const CHOICE: [i64; LOG_N as usize] = [1, -1, 2, -2, 3, -3];

/// The value that all openings claim.
const VALUE: u8 = 1;

/// The errors, which cancel; found by LLL for the coefficients that all that is constant here leads to.
const ERRORS: [i64; 64] = [
    1, -1, 3, -3, -1, 3, 0, 1, -2, -2, -3, -1, -1, 3, 0, 0, 1, -3, -1, 0, 2, -1, 0, 2, 0, 2, -3, 0,
    -2, 3, -1, 2, 1, 1, 1, 0, -1, -1, 0, -1, 1, -2, 0, -2, -1, 1, 0, 0, -1, -2, 3, -1, 0, 1, 0, 0,
    -1, 1, 0, 1, 0, 0, 0, 0,
];

pub(super) fn add(file: &mut Builder) {
    let mut openings = vec![opening(); ERRORS.len()];
    let id = VerifyingKey::dev(LOG_N).expect("a key").params_id();
    let r = coefficients(&id, &openings, Without::Indices);
    let sum: Fr = r.iter().zip(ERRORS).map(|(r, error)| Fr::from(error) * r).sum();
    assert_eq!(sum, Fr::ZERO, "other coefficients have other errors that cancel");
    for (opening, error) in openings.iter_mut().zip(ERRORS) {
        opening.index = CHOICE.iter().position(|choice| *choice == error).map_or(0, |at| 1 << at);
    }
    let input = |claimed: &Claimed| OpeningInput {
        kind: KindName::Tree,
        log_arity: Some(claimed.kind),
        commitment: Hash32(claimed.commitment),
        index: claimed.index,
        value: Some(Hash32(claimed.value)),
        versions: None,
        points: claimed.points.iter().copied().map(Hash32).collect(),
    };
    let input = dev(LOG_N.into(), openings.iter().map(input).collect());
    let comment = "errors that cancel under a transcript without the indices";
    file.invalid(&["Coefficients"], comment, &input, Reason::OpeningMismatch);
}

/// An opening by a tree of arity 2 that is true of index 0, and wrong by the chosen errors at the others.
fn opening() -> Claimed {
    let w = Fr::get_root_of_unity(1 << LOG_N).expect("a small domain");
    let levels = usize::from(LOG_N);
    // The exponent m_d of the power of tau that the point of a level is paired with.
    let m = |level: usize| 1_u64 << (levels - 1 - level);
    // At the index 2^j the points of the first j levels have the factor 1, as they have at 0; the others' factors
    // differ from 1. So the last points' equations are solved first.
    let mut points = [Fr::ZERO; LOG_N as usize];
    for (j, error) in CHOICE.iter().enumerate().rev() {
        let factor = |level: usize| w.pow([m(level) << j]) - Fr::ONE;
        let known: Fr = (j + 1..levels).map(|level| factor(level) * points[level]).sum();
        points[j] = (Fr::from(*error) - known) / factor(j);
    }
    let sides =
        points.iter().enumerate().map(|(level, point)| (tau().pow([m(level)]) - Fr::ONE) * point);
    let commitment = Fr::from(VALUE) + sides.sum::<Fr>();
    let mut value = [0; 32];
    value[0] = VALUE;
    Claimed {
        kind: 1,
        commitment: plus(&INFINITY, commitment),
        index: 0,
        value,
        points: points.iter().map(|point| plus(&INFINITY, *point)).collect(),
    }
}

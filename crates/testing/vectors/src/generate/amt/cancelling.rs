//! Wrong openings whose errors cancel under the coefficients of a verifier with a fault.

use ark_bn254::{Fr, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, FftField, Field};
use ark_serialize::CanonicalSerialize;
use prooflight_amt::{INFINITY, VerifyingKey};
use prooflight_core::Reason;
use prooflight_json::{Hash32, HexBytes};

use super::{SampleVector, dev};
use crate::amt::{AmtOpening, KindName, OpeningInput};
use crate::generate::builder::FileBuilder;
use crate::generate::coefficients::{
    ClaimedOpening, OmittedPart, coefficients, plus, under_powers,
};

const LOG_N: u8 = 4;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("AmtOpening");
    known(file);
    left_out(file);
    of_other_setups(file);
}

fn refuse(
    file: &mut FileBuilder,
    comment: &str,
    openings: &[OpeningInput],
    claimed: &[ClaimedOpening],
) {
    let openings = openings.iter().zip(claimed).map(|(opening, claimed)| claimed.to_input(opening));
    let input = dev(LOG_N.into(), openings.collect());
    file.invalid(&["Coefficients"], comment, &input, Reason::OpeningMismatch);
}

/// Coefficients that depend only on the index of the opening.
fn known(file: &mut FileBuilder) {
    let by_hash =
        |count: usize| coefficients(&[0; 32], &claimed(&openings(count)), OmittedPart::Seed);
    let hashed = by_hash(2)[1];
    for (comment, errors) in [
        // Fourth differences: those of a polynomial of degree 3 are 0.
        ("coefficients that are a polynomial of degree 3 in i", under_powers([1; 4])),
        ("coefficients that are the powers of a number up to 16", under_powers(2..=16)),
        ("coefficients that are hashes of i alone", vec![hashed, -Fr::ONE]),
        ("one coefficient for all but the first", vec![Fr::ZERO, Fr::ONE, -Fr::ONE]),
    ] {
        let openings = openings(errors.len());
        let mut wrong = claimed(&openings);
        for (opening, error) in wrong.iter_mut().zip(errors) {
            opening.repoint(LOG_N, error);
        }
        refuse(file, &format!("errors that cancel under {comment}"), &openings, &wrong);
    }
}

/// A way to make an opening wrong by an error.
type ErrorInjection = fn(&mut ClaimedOpening, Fr);

/// Coefficients that omit a part of the claims.
fn left_out(file: &mut FileBuilder) {
    let value: ErrorInjection = ClaimedOpening::misstate;
    let commitment: ErrorInjection = ClaimedOpening::recommit;
    let point: ErrorInjection = |opening, error| opening.repoint(LOG_N, error);
    // For each: the number of openings, and the two wrong ones.
    for (what, without, wrong, count, [one, other]) in [
        ("commitments", OmittedPart::Commitments, commitment, 2, [0, 1]),
        ("values", OmittedPart::Values, value, 2, [0, 1]),
        ("points", OmittedPart::Points, point, 2, [0, 1]),
        ("points but the first of each opening", OmittedPart::LaterPoints, point, 3, [0, 2]),
        ("openings but the first", OmittedPart::LaterOpenings, value, 3, [1, 2]),
        ("openings", OmittedPart::Openings, value, 2, [0, 1]),
    ] {
        let openings = openings(count);
        let mut claims = claimed(&openings);
        let r = coefficients(&params_id(), &claims, without);
        wrong(&mut claims[one], r[other]);
        wrong(&mut claims[other], -r[one]);
        assert_eq!(
            r,
            coefficients(&params_id(), &claims, without),
            "{what}: not in the transcript"
        );
        let comment = format!("errors that cancel under a transcript without the {what}");
        refuse(file, &comment, &openings, &claims);
    }
    let openings = openings(3);
    for (what, without, hashed, other) in
        [("last", OmittedPart::LastOpening, 0, 2), ("first", OmittedPart::FirstOpening, 2, 0)]
    {
        let mut claims = claimed(&openings);
        claims[hashed].misstate(Fr::ONE);
        let r = coefficients(&params_id(), &claims, without);
        claims[other].misstate(-r[hashed] / r[other]);
        let comment = format!("errors that cancel under a transcript without the {what} opening");
        refuse(file, &comment, &openings, &claims);
    }
}

/// A setup made for two wrong openings whose errors cancel if the coefficients do not depend on the setup.
fn of_other_setups(file: &mut FileBuilder) {
    const LOG_N: u8 = 2;
    let x = |index: u32| {
        Fr::get_root_of_unity(1 << LOG_N).expect("a small domain").pow([u64::from(index)])
    };
    // Commitment, index, value, point: the first and the last as multiples of the generator.
    let parts = [(5, 1, 7, 3), (11, 2, 13, 4)];
    let claims = parts.map(|(commitment, index, value, point)| {
        let mut claimed = ClaimedOpening {
            kind: 0,
            commitment: plus(&INFINITY, Fr::from(commitment)),
            index,
            value: [0; 32],
            points: vec![plus(&INFINITY, Fr::from(point))],
        };
        claimed.value[0] = value;
        claimed
    });
    let r = coefficients(&[0; 32], &claims, OmittedPart::ParamsId);
    let (mut above, mut below) = (Fr::ZERO, Fr::ZERO);
    for ((commitment, index, value, point), r) in parts.into_iter().zip(r) {
        let point = Fr::from(point);
        above += r * (Fr::from(commitment) - Fr::from(value) + x(index) * point);
        below += r * point;
    }
    let tau = above / below;
    let mut key = vec![LOG_N];
    for power in [Fr::ONE, tau, tau.square()] {
        let point = (G2Affine::generator() * power).into_affine();
        point.serialize_compressed(&mut key).expect("memory");
    }
    let form = OpeningInput { kind: KindName::Single, log_arity: None, ..openings(1).remove(0) };
    let input = AmtOpening {
        setup: HexBytes(key).to_string(),
        log_n: None,
        params_id: None,
        allow_insecure_setup: None,
        openings: claims.iter().map(|claimed| claimed.to_input(&form)).collect(),
    };
    let comment = "errors that cancel under a transcript without the setup, which is made for that";
    file.invalid(&["Coefficients"], comment, &input, Reason::OpeningMismatch);
}

/// True openings of several entries, alternating between trees of two levels and single points.
///
/// An even number of them ends with a single point; the first and the last of three are trees.
fn openings(count: usize) -> Vec<OpeningInput> {
    let vector = SampleVector::sample(LOG_N, 2);
    let opening = |at: u32| {
        if at.is_multiple_of(2) { vector.tree(at % 16) } else { vector.single(at % 16) }
    };
    (0..).map(opening).take(count).collect()
}

fn params_id() -> [u8; 32] {
    VerifyingKey::dev(LOG_N).expect("a key").params_id()
}

fn claimed(openings: &[OpeningInput]) -> Vec<ClaimedOpening> {
    let claimed = |opening: &OpeningInput| ClaimedOpening {
        kind: opening.log_arity.unwrap_or(0),
        commitment: opening.commitment.0,
        index: opening.index,
        value: opening.value.expect("a value").0,
        points: opening.points.iter().map(|point| point.0).collect(),
    };
    openings.iter().map(claimed).collect()
}

impl ClaimedOpening {
    /// This claim as an opening of the given form.
    fn to_input(&self, form: &OpeningInput) -> OpeningInput {
        OpeningInput {
            commitment: Hash32(self.commitment),
            index: self.index,
            value: Some(Hash32(self.value)),
            points: self.points.iter().copied().map(Hash32).collect(),
            ..form.clone()
        }
    }
}

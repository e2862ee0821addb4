//! Proofs with wrong openings whose errors cancel under the coefficients of a verifier with a fault.

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};
use prooflight_amt::{Scalar, VerifyingKey};
use prooflight_core::Reason;
use prooflight_lvmt::LvmtRoot;
use prooflight_lvmt::proof::{OpeningForm, Proof, SlotVersion};

use super::input;
use super::sample::{find, name, sample};
use super::state::{KeyRecord, LevelPrefix, LvmtModel, keccak, key_leaf};
use crate::generate::builder::FileBuilder;
use crate::generate::coefficients::{ClaimedOpening, OmittedPart, coefficients, under_powers};

const LOG_N: u8 = 4;
const LOG_ARITY: u8 = 2;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("LvmtProof");
    let state = sample(LOG_N, LOG_ARITY, 150);
    known(file, &state);
    points(file, &state);
    commitments(file, &state);
    values(file, &state);
}

/// A proof about a state, with the root that it is checked against.
struct ForgedProof {
    state: LvmtModel,
    keys: Vec<Vec<u8>>,
    proof: Proof,
    root: LvmtRoot,
    /// The openings of the proof, in order.
    openings: Vec<ClaimedOpening>,
}

impl ForgedProof {
    /// The honest proof of these keys.
    fn new(state: &LvmtModel, keys: Vec<Vec<u8>>) -> Self {
        let asked: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let (proof, root) = (state.prove(&asked), state.root());
        let openings = openings(state, &keys, &root, &proof);
        Self { state: state.clone(), keys, proof, root, openings }
    }

    /// Coefficients that do not depend on this part.
    fn coefficients(&self, without: OmittedPart) -> Vec<Fr> {
        coefficients(&params_id(), &self.openings, without)
    }

    /// Changes the points of the openings by these errors.
    fn repoint(&mut self, errors: impl IntoIterator<Item = Fr>) {
        for (opening, error) in self.openings.iter_mut().zip(errors) {
            opening.repoint(LOG_N, error);
        }
        self.proof.points =
            self.openings.iter().flat_map(|opening| &opening.points).copied().collect();
    }

    fn refuse(&self, file: &mut FileBuilder, comment: &str) {
        let keys: Vec<&[u8]> = self.keys.iter().map(|key| &key[..]).collect();
        let input = input(&self.state, self.root, &keys, &self.proof);
        let comment = format!("errors that cancel under {comment}");
        file.invalid(&["Coefficients"], comment, &input, Reason::OpeningMismatch);
    }
}

/// The openings of a proof.
fn openings(
    state: &LvmtModel,
    keys: &[Vec<u8>],
    root: &LvmtRoot,
    proof: &Proof,
) -> Vec<ClaimedOpening> {
    let passed = state.visited_entries(&keys.iter().map(|key| keccak(key)).collect());
    let (mut amts, mut points) = (proof.amts.iter(), proof.points.iter().copied());
    let mut of: Option<(LevelPrefix, [u8; 32], OpeningForm)> = None;
    let mut openings = Vec::new();
    for (entry, versions) in passed.keys().zip(&proof.entries) {
        let amt = state.amt_name(&entry.1, entry.0);
        let (_, commitment, form) = match of {
            Some(of @ (name, ..)) if name == amt => of,
            _ if entry.0 == 0 => (amt, root.aroot, OpeningForm::Tree),
            _ => {
                let below = amts.next().expect("one for each AMT");
                (amt, below.commitment, below.opening)
            }
        };
        of = Some((amt, commitment, form));
        let (kind, length) = match form {
            OpeningForm::Tree => (LOG_ARITY, LOG_N / LOG_ARITY),
            OpeningForm::Single => (0, 1),
        };
        let points = points.by_ref().take(length.into()).collect();
        let value = Scalar::from_versions(&versions.versions()).expect("small versions").to_bytes();
        openings.push(ClaimedOpening {
            kind,
            commitment,
            index: state.index(entry),
            value,
            points,
        });
    }
    openings
}

fn params_id() -> [u8; 32] {
    VerifyingKey::dev(LOG_N).expect("a key").params_id()
}

/// Keys with values whose proof has `count` openings.
fn with_openings(state: &LvmtModel, count: usize) -> Vec<Vec<u8>> {
    let passed = |keys: &[Vec<u8>]| {
        state.visited_entries(&keys.iter().map(|key| keccak(key)).collect()).len()
    };
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let present =
        |key: &Vec<u8>| state.keys.get(&keccak(key)).is_some_and(|record| record.value.is_some());
    for key in (0..150).map(name).filter(present) {
        let mut more = keys.clone();
        more.push(key);
        if (passed(&keys) + 1..=count).contains(&passed(&more)) {
            keys = more;
        }
    }
    assert_eq!(passed(&keys), count);
    keys
}

/// Keys with values in this slot of different entries of the root.
fn in_root(state: &LvmtModel, count: usize, slot: u8) -> Vec<Vec<u8>> {
    let there =
        |record: &KeyRecord| (record.level, record.slot) == (0, slot) && record.value.is_some();
    let there = |key: &Vec<u8>| state.keys.get(&keccak(key)).is_some_and(there);
    let keys: Vec<_> = (0..150).map(name).filter(there).take(count).collect();
    assert_eq!(keys.len(), count, "a key in each of some entries");
    keys
}

/// Coefficients that depend only on the index of the opening.
fn known(file: &mut FileBuilder, state: &LvmtModel) {
    for (comment, errors) in [
        // Fourth differences: those of a polynomial of degree 3 are 0.
        ("coefficients that are a polynomial of degree 3 in i", under_powers([1; 4])),
        ("coefficients that are the powers of a number up to 16", under_powers(2..=16)),
        ("one coefficient for all but the first", vec![Fr::ZERO, Fr::ONE, -Fr::ONE]),
    ] {
        let mut told = ForgedProof::new(state, with_openings(state, errors.len()));
        told.repoint(errors);
        told.refuse(file, comment);
    }
    let mut told = ForgedProof::new(state, with_openings(state, 2));
    let r = told.coefficients(OmittedPart::Seed);
    told.repoint([r[1], -r[0]]);
    told.refuse(file, "coefficients that are hashes of i alone");
}

/// Coefficients that do not depend on some points.
fn points(file: &mut FileBuilder, state: &LvmtModel) {
    let two_trees = in_root(state, 2, 1);
    for (what, without, keys) in [
        ("points", OmittedPart::Points, with_openings(state, 2)),
        ("points but the first of each opening", OmittedPart::LaterPoints, two_trees),
        ("openings", OmittedPart::Openings, with_openings(state, 2)),
    ] {
        let mut told = ForgedProof::new(state, keys);
        let r = told.coefficients(without);
        told.repoint([r[1], -r[0]]);
        assert_eq!(told.coefficients(without), r, "{what}: not in the transcript");
        told.refuse(file, &format!("a transcript without the {what}"));
    }
    let mut told = ForgedProof::new(state, with_openings(state, 3));
    let r = told.coefficients(OmittedPart::LaterOpenings);
    told.repoint([Fr::ZERO, r[2], -r[1]]);
    told.refuse(file, "a transcript without the openings but the first");

    let mut told = ForgedProof::new(state, with_openings(state, 3));
    told.repoint([Fr::ONE]);
    let r = told.coefficients(OmittedPart::LastOpening);
    told.repoint([Fr::ZERO, Fr::ZERO, -r[0] / r[2]]);
    told.refuse(file, "a transcript without the last opening");
}

/// Coefficients that do not depend on the commitments; those of the root and of an AMT below are wrong.
fn commitments(file: &mut FileBuilder, state: &LvmtModel) {
    let key = find(state, |record| record.level == 1 && record.value.is_some());
    let mut told = ForgedProof::new(state, vec![key]);
    let r = told.coefficients(OmittedPart::Commitments);
    let [of_root, below] = &mut told.openings[..] else { panic!("two openings") };
    of_root.recommit(r[1]);
    below.recommit(-r[0]);
    let (aroot, commitment) = (of_root.commitment, below.commitment);
    assert_eq!(told.coefficients(OmittedPart::Commitments), r, "not in the transcript");

    let amt = told.state.amt_name(&keccak(&told.keys[0]), 1);
    let leaf = told.state.amt_leaf(amt, told.proof.entries[0].child(), &commitment);
    let place = told.state.plant(leaf);
    (told.proof.amts[0].commitment, told.proof.amts[0].place) = (commitment, place);
    told.state.seal(&mut told.proof);
    told.root = LvmtRoot { aroot, ..told.state.root() };
    told.refuse(file, "a transcript without the commitments");
}

/// Coefficients that do not depend on the values: a slot has a later version, and the child of another entry
/// an earlier one.
fn values(file: &mut FileBuilder, state: &LvmtModel) {
    let mut told = ForgedProof::new(state, in_root(state, 2, 1));
    let r = told.coefficients(OmittedPart::Values);
    let [one, other] = &mut told.openings[..] else { panic!("two openings") };
    one.misstate(-r[1]);
    other.misstate(r[0]);
    assert_eq!(told.coefficients(OmittedPart::Values), r, "not in the transcript");
    for (entry, opening) in told.proof.entries.iter_mut().zip(&told.openings) {
        let value = Fr::from_le_bytes_mod_order(&opening.value).into_bigint();
        assert!(value.num_bits() <= 240, "six versions");
        for (version, bytes) in entry.0.iter_mut().zip(opening.value.chunks(5)) {
            let mut number = [0; 8];
            number[..5].copy_from_slice(bytes);
            *version = SlotVersion::new(u64::from_le_bytes(number)).expect("five bytes");
        }
    }
    // The claim of the first entry is about the slot whose version is false.
    let first = told.keys.iter().map(|key| (keccak(key), key)).min().expect("two keys").0;
    let version = told.proof.entries[0].0[1].get();
    let mut record = told.state.keys[&first].clone();
    assert_ne!(record.version, version, "a false version");
    let value_hash = record.value.as_deref().map(keccak);
    let place = told.state.plant(key_leaf(0, 1, version, &first, value_hash));
    record.leaves.push((place, value_hash));
    told.state.keys.insert(first, record);
    told.proof.claims[0] = told.state.claim(&first);
    told.state.seal(&mut told.proof);
    told.root.hroot = told.state.root().hroot;
    told.refuse(file, "a transcript without the values");
}

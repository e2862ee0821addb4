//! A small honest proof with its bytes changed in every place, and lists that are said to be longer.

use prooflight_core::Reason;
use prooflight_lvmt::proof::{Claim, ENVELOPE, Proof};
use serde_json::to_value;

use super::input;
use super::lies::Question;
use super::sample::name;
use super::state::State;
use crate::answer::Answer;
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::lvmt::LvmtProof;
use crate::run::verify;

pub(super) fn add(file: &mut Builder) {
    let state = small();
    let proof = state.prove(&[&name(0)]);
    let honest = input(&Question::new(&state, &[&name(0)], &proof));
    truncated(file, &honest);
    changed(file, &honest);
    counts(file, &honest, &proof);
}

/// Two keys in one block, of which the second block writes one again.
fn small() -> State {
    let mut state = State::new(4, 4);
    state.commit(&[(&name(0), Some(b"zero")), (&name(1), Some(b"one"))]);
    state.commit(&[(&name(0), Some(b"again"))]);
    state
}

fn with_proof(honest: &LvmtProof, proof: Vec<u8>) -> LvmtProof {
    LvmtProof { proof: Hex(proof), ..honest.clone() }
}

fn truncated(file: &mut Builder, honest: &LvmtProof) {
    let proof = &honest.proof.0;
    for length in 0..proof.len() {
        let comment = format!("the first {length} of {} bytes", proof.len());
        let reason = if length < 3 { Reason::Truncated } else { Reason::InvalidEncoding };
        file.invalid(
            &["Truncated"],
            comment,
            &with_proof(honest, proof[..length].to_vec()),
            reason,
        );
    }
}

/// Each byte with one bit flipped, deleted, inserted, and swapped with the next one.
fn changed(file: &mut Builder, honest: &LvmtProof) {
    let proof = &honest.proof.0;
    for at in 0..proof.len() {
        let bit = at * 5 % 8;
        let mut flipped = proof.clone();
        flipped[at] ^= 1 << bit;
        refuse(file, format!("bit {bit} of byte {at} flipped"), honest, flipped);
        let mut longer = proof.clone();
        longer.insert(at, 0x10);
        refuse(file, format!("a byte inserted before byte {at}"), honest, longer);
        let mut shorter = proof.clone();
        shorter.remove(at);
        refuse(file, format!("byte {at} deleted"), honest, shorter);
        if at + 1 < proof.len() && proof[at] != proof[at + 1] {
            let mut swapped = proof.clone();
            swapped.swap(at, at + 1);
            refuse(file, format!("bytes {at} and {} swapped", at + 1), honest, swapped);
        }
    }
}

/// A test of the bytes, unless they prove what the honest ones do: another number of leaves may give the
/// same tree.
fn refuse(file: &mut Builder, comment: String, honest: &LvmtProof, proof: Vec<u8>) {
    let changed = with_proof(honest, proof);
    match answer(&changed) {
        Some(same) => assert_eq!(Some(same), answer(honest), "{comment}"),
        None => file.refused(&["Mutated"], comment, &changed),
    }
}

fn answer(input: &LvmtProof) -> Option<Answer> {
    verify("LvmtProof", &to_value(input).expect("plain data")).ok()?.ok()
}

/// Each list with more elements than there are, and with fewer.
fn counts(file: &mut Builder, honest: &LvmtProof, proof: &Proof) {
    let lengths = [
        ("claims", proof.claims.len()),
        ("entries", proof.entries.len()),
        ("amts", proof.amts.len()),
        ("points", proof.points.len()),
        ("owners", proof.owners.len()),
        ("sizes", proof.sizes.len()),
        ("hashes", proof.hashes.len()),
    ];
    for (list, (name, length)) in lengths.into_iter().enumerate() {
        let at = count_at(proof, list);
        let length = u32::try_from(length).expect("a short list");
        assert_eq!(honest.proof.0[at..at + 4], length.to_le_bytes(), "the number of {name}");
        for wrong in [length + 1, 0x0100_0000, 0x7fff_ffff, u32::MAX] {
            let comment = format!("{wrong} {name} are declared, {length} are there");
            let input = with_proof(honest, with_count(honest, at, wrong));
            if wrong == length + 1 {
                file.refused(&["Encoding"], comment, &input);
            } else {
                file.invalid(&["Encoding"], comment, &input, Reason::InvalidEncoding);
            }
        }
        if length > 0 {
            let comment = format!("{} {name} are declared, {length} are there", length - 1);
            let input = with_proof(honest, with_count(honest, at, length - 1));
            file.refused(&["Encoding"], comment, &input);
        }
    }
    // After the number of claims, the claim's tag, its slot and its place.
    let at = count_at(proof, 0) + 4 + 1 + 2 + 12;
    let Claim::Present { value, .. } = &proof.claims[0] else { panic!("present") };
    assert_eq!(honest.proof.0[at..at + 4], [5, 0, 0, 0], "the length of {value:?}");
    for wrong in [0x0100_0000, 0x7fff_ffff, u32::MAX] {
        let comment = format!("{wrong} bytes of a value are declared, 5 are there");
        let input = with_proof(honest, with_count(honest, at, wrong));
        file.invalid(&["Encoding"], comment, &input, Reason::InvalidEncoding);
    }
}

fn with_count(honest: &LvmtProof, at: usize, count: u32) -> Vec<u8> {
    let mut bytes = honest.proof.0.clone();
    bytes[at..at + 4].copy_from_slice(&count.to_le_bytes());
    bytes
}

/// Where the proof has the number of elements of a list: behind the lists before it.
fn count_at(proof: &Proof, list: usize) -> usize {
    let mut before = proof.clone();
    let clear: [&dyn Fn(&mut Proof); 7] = [
        &|proof| proof.claims.clear(),
        &|proof| proof.entries.clear(),
        &|proof| proof.amts.clear(),
        &|proof| proof.points.clear(),
        &|proof| proof.owners.clear(),
        &|proof| proof.sizes.clear(),
        &|proof| proof.hashes.clear(),
    ];
    clear[list..].iter().for_each(|clear| clear(&mut before));
    ENVELOPE.encode(&before).len() - 4 * (clear.len() - list)
}

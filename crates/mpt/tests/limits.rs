//! Limits: an input at a limit is accepted; above it, it is refused before any work.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use prooflight_core::{Limits, Reason};
use prooflight_mpt::{EMPTY_ROOT, GetProof, verify_get_proof, verify_header, verify_proof};

#[test]
fn the_bytes_of_a_proof() {
    let most = Limits::DEFAULT.max_proof_bytes;
    let half = vec![0; most / 2];
    let proof = |last: &'static [u8]| {
        let proof = [&half[..], &half, last];
        verify_proof(&EMPTY_ROOT, b"key", &proof, &Limits::DEFAULT).unwrap_err().reason()
    };
    assert_eq!(proof(&[]), Reason::TrailingBytes);
    assert_eq!(proof(&[0]), Reason::ProofTooLarge);
}

#[test]
fn the_bytes_of_a_header() {
    let most = Limits::DEFAULT.max_proof_bytes;
    let header = |length| {
        let header = vec![0; length];
        verify_header(&EMPTY_ROOT, &header, &Limits::DEFAULT).unwrap_err().reason()
    };
    assert_eq!(header(most), Reason::TrailingBytes);
    assert_eq!(header(most + 1), Reason::ProofTooLarge);
}

#[test]
fn the_number_of_slots() {
    let answer = GetProof {
        address: [1; 20],
        nonce: 0,
        balance: [0; 32],
        storage_hash: [0; 32],
        code_hash: [0; 32],
        account_proof: Vec::new(),
        storage_proof: Vec::new(),
    };
    let most = Limits::DEFAULT.max_keys;
    let asked = |count| {
        let slots = vec![[0; 32]; count];
        let answer = verify_get_proof(&EMPTY_ROOT, &[1; 20], &slots, &answer, &Limits::DEFAULT);
        answer.unwrap_err().reason()
    };
    assert_eq!(asked(most), Reason::SlotKeysMismatch);
    assert_eq!(asked(most + 1), Reason::TooManyKeys);
}

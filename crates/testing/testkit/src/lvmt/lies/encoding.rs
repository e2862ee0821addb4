//! Bytes that do not encode a proof.

use prooflight_core::{Limits, Reason};

use super::super::sample::{find, name, sample};
use super::{LieCollector, RefusedInput, VerifierInput};

pub(super) fn lies() -> Vec<RefusedInput> {
    let state = sample(4, 2, 30);
    let present = find(&state, |record| record.value.is_some());
    let absent = name(1000);
    let mut told = LieCollector::new("Encoding", &state);
    let bytes = |key: &[u8]| VerifierInput::new(&state, &[key], &state.prove(&[key])).proof;
    let mut told_bytes = |reason, comment: &str, key: &[u8], proof| {
        let question = VerifierInput::new(&state, &[key], &state.prove(&[key]));
        told.question(reason, comment, VerifierInput { proof, ..question });
    };
    let replaced = |key: &[u8], at: usize, byte| {
        let mut bytes = bytes(key);
        bytes[at] = byte;
        bytes
    };

    told_bytes(Reason::Truncated, "no bytes at all", &present, vec![]);
    told_bytes(Reason::Truncated, "only version and scheme", &present, vec![1, 2]);
    told_bytes(Reason::InvalidEncoding, "only the envelope", &present, vec![1, 2, 1]);
    told_bytes(Reason::UnknownVersion, "version 2", &present, replaced(&present, 0, 2));
    told_bytes(Reason::UnknownScheme, "another scheme", &present, replaced(&present, 1, 3));
    told_bytes(Reason::UnknownScheme, "scheme 0", &present, replaced(&present, 1, 0));
    told_bytes(Reason::UnknownKind, "kind 2", &present, replaced(&present, 2, 2));
    told_bytes(Reason::InvalidEncoding, "a claim of kind 3", &present, replaced(&present, 7, 3));
    let honest = bytes(&present);
    let longer = [&honest[..], &[0]].concat();
    told_bytes(Reason::TrailingBytes, "a byte after the end", &present, longer);
    let shorter = honest[..honest.len() - 1].to_vec();
    told_bytes(Reason::InvalidEncoding, "the last byte is missing", &present, shorter);
    let mut counts = vec![1, 2, 1];
    counts.extend([0xff; 4]);
    told_bytes(Reason::InvalidEncoding, "2^32 - 1 claims in no bytes", &present, counts);

    // Claim (tag 2), its count before, then one entry of 30 bytes with its count, then the AMTs.
    let never = bytes(&absent);
    assert_eq!(never[3..8], [1, 0, 0, 0, 2], "one claim: never written");
    let claimed_present = replaced(&absent, 7, 0);
    let comment = "a claim of absence with the tag of presence";
    told_bytes(Reason::InvalidEncoding, comment, &absent, claimed_present);

    let mut question = VerifierInput::new(&state, &[&present], &state.prove(&[&present]));
    question.limits = Limits { max_proof_bytes: question.proof.len() - 1, ..Limits::DEFAULT };
    told.question(Reason::ProofTooLarge, "one byte more than the limit", question);
    told.lies.extend(options());
    told.lies
}

/// Tags of members deep inside.
fn options() -> Vec<RefusedInput> {
    let state = sample(2, 1, 60);
    let below = find(&state, |record| record.level == 1 && record.value.is_some());
    let absent = name(1000);
    let mut told = LieCollector::new("Encoding", &state);
    let mut byte = |comment: &str, key: &[u8], at: &dyn Fn(&[u8]) -> usize| {
        let mut question = VerifierInput::new(&state, &[key], &state.prove(&[key]));
        let at = at(&question.proof);
        question.proof[at] = 2;
        told.question(Reason::InvalidEncoding, comment, question);
    };
    let find_in = |bytes: &[u8], part: &[u8]| {
        bytes.windows(part.len()).position(|window| window == part).expect("part of the proof")
    };
    let commitment = state.prove(&[&below]).amts[0].commitment;
    byte("a form of openings that does not exist", &below, &|bytes| {
        find_in(bytes, &commitment) + 32 + 12
    });
    let owner = state.prove(&[&absent]).owners[0];
    byte("an option that is neither none nor some", &absent, &|bytes| {
        find_in(bytes, &owner.key_hash) + 32 + 5
    });
    told.lies
}

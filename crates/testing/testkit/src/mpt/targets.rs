//! The fuzz targets; a panic is a finding.

use arbitrary::{Result, Unstructured};
use prooflight_core::{Limits, keccak256};
use prooflight_mpt::{EMPTY_CODE_HASH, EMPTY_ROOT, read_proof, verify_header, verify_proof};

use super::honest::{HonestTrie, assert_is_refusal, owned_value};
use super::hostile::HostileProof;
use super::mutation::mutate;
use super::state::{AnsweredQuestion, HonestState, draw_address, draw_slot, draw_word};
use super::{oracle, slices};
use crate::replay::FuzzTarget;

/// The targets, by name.
pub const TARGETS: [(&str, FuzzTarget); 3] = [
    ("mpt_proof", mpt_proof),
    ("mpt_get_proof", mpt_get_proof),
    ("mpt_sent_proof", mpt_sent_proof),
];

/// Verifies proofs in one trie: changed ones, forged ones under their own root, and arbitrary bytes.
pub fn mpt_proof(u: &mut Unstructured<'_>) -> Result<()> {
    match u.int_in_range(0..=7)? {
        0 => any_bytes(u),
        1..=3 => {
            HostileProof::draw(u)?.check();
            Ok(())
        }
        _ => changed_proof(u),
    }
}

fn any_bytes(u: &mut Unstructured<'_>) -> Result<()> {
    let length = *u.choose(&[0, 1, 32])?;
    let key = u.bytes(length)?;
    let mut proof = Vec::new();
    for _ in 0..u.int_in_range(1..=3)? {
        let length = u.arbitrary_len::<u8>()?;
        proof.push(u.bytes(length)?.to_vec());
    }
    let root = keccak256(&[&proof[0]]);
    HostileProof { root, key: key.to_vec(), proof: proof.clone() }.check();
    match verify_header(&root, &proof[0], &Limits::DEFAULT) {
        Ok(header) => assert!(proof[0].len() > 500, "{header:?}"),
        Err(error) => assert_is_refusal(&error),
    }
    Ok(())
}

fn changed_proof(u: &mut Unstructured<'_>) -> Result<()> {
    let honest = HonestTrie::draw(u, 12)?;
    let (key, other) = (honest.draw_key(u)?, honest.draw_key(u)?);
    let mut proof = honest.proof(&key);
    honest.judge(&key, &proof).expect("an honest proof");
    for _ in 0..u.int_in_range(0..=2)? {
        mutate(u, &mut proof, &honest.proof(&other))?;
    }
    let accepted = honest.judge(&key, &proof).is_ok();
    let root = honest.trie.root();
    assert_eq!(oracle::verify(&root, &key, &proof).is_some(), accepted, "{proof:02x?}");

    // The same under the proof's own root, as if the server had chosen it.
    let root = keccak256(&[proof.first().map_or(&[0x80], Vec::as_slice)]);
    let expected = oracle::verify(&root, &key, &proof);
    let found = verify_proof(&root, &key, &slices(&proof), &Limits::DEFAULT);
    assert_eq!(found.ok().map(owned_value), expected, "{proof:02x?}");
    Ok(())
}

/// Changes answers about an honest state: if still accepted, they must be true.
pub fn mpt_get_proof(u: &mut Unstructured<'_>) -> Result<()> {
    let honest = HonestState::draw(u, 2)?;
    let mut asked = honest.draw_question(u)?;
    honest.judge(&asked).expect("an honest answer");
    let other = honest.draw_question(u)?;
    for _ in 0..u.int_in_range(1..=2)? {
        change(u, &mut asked, &other)?;
    }
    // The judges check that it is refused or true; reading refuses nothing that is canonical.
    let is_canonical = honest.judge(&asked).is_ok();
    let is_read = honest.judge_sent(&asked).is_ok();
    assert!(is_read || !is_canonical, "{asked:02x?}");
    Ok(())
}

/// Reads proofs as nodes send them, with more changes: what is accepted of the canonical proof must be true.
pub fn mpt_sent_proof(u: &mut Unstructured<'_>) -> Result<()> {
    let honest = HonestTrie::draw(u, 12)?;
    let (key, other) = (honest.draw_key(u)?, honest.draw_key(u)?);
    let proof = honest.proof(&key);
    let read = |sent: &[Vec<u8>]| {
        let canonical = read_proof(&key, &slices(sent), &Limits::DEFAULT);
        canonical.into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    // Every node on the path, also those inside their parent.
    let mut sent = oracle::path(&key, &proof);
    assert_eq!(read(&sent), proof, "{sent:02x?}");
    for _ in 0..u.int_in_range(0..=3)? {
        let other = oracle::path(&other, &honest.proof(&other));
        if u.ratio(1, 3)? {
            let at = u.int_in_range(0..=sent.len())?;
            sent.insert(at, Vec::new());
        } else {
            mutate(u, &mut sent, &other)?;
        }
    }
    let canonical = read(&sent);
    // The judge checks that it is refused or true, and the honest proof itself.
    if honest.judge(&key, &canonical).is_ok() {
        assert_eq!(read(&canonical), canonical, "{sent:02x?}");
    }
    if honest.judge(&key, &sent).is_ok() {
        assert_eq!(canonical, sent);
    }
    Ok(())
}

fn change(
    u: &mut Unstructured<'_>,
    asked: &mut AnsweredQuestion,
    other: &AnsweredQuestion,
) -> Result<()> {
    let AnsweredQuestion { address, slots, answer } = asked;
    match u.int_in_range(0..=14)? {
        0 => *address = draw_address(u)?,
        1 => answer.address = draw_address(u)?,
        2 => answer.nonce ^= 1 << u.int_in_range(0..=9)?,
        3 => answer.balance = draw_word(u)?,
        4 => answer.storage_hash = *u.choose(&[[0; 32], EMPTY_ROOT, other.answer.storage_hash])?,
        5 => answer.code_hash = *u.choose(&[[0; 32], EMPTY_CODE_HASH, other.answer.code_hash])?,
        6 => slots.push(draw_slot(u)?),
        7 => {
            answer.account_proof.clone_from(&other.answer.account_proof);
        }
        8 => {
            answer.slots.clone_from(&other.answer.slots);
            answer.storage_hash = other.answer.storage_hash;
        }
        13 => answer.slots.clear(),
        14 => answer.account_proof.push(Vec::new()),
        _ if slots.is_empty() || answer.slots.is_empty() => {
            mutate(u, &mut answer.account_proof, &other.answer.account_proof)?;
        }
        9 => {
            let (one, two) =
                (u.choose_index(answer.slots.len())?, u.choose_index(answer.slots.len())?);
            answer.slots.swap(one, two);
        }
        10 => {
            let at = u.choose_index(answer.slots.len())?;
            answer.slots[at].value = draw_word(u)?;
        }
        11 => {
            let at = u.choose_index(answer.slots.len())?;
            answer.slots[at].key = draw_slot(u)?;
        }
        _ => {
            let mut proofs = answer.proofs_mut();
            let at = u.choose_index(proofs.len())?;
            mutate(u, proofs[at], &other.answer.account_proof)?;
        }
    }
    Ok(())
}

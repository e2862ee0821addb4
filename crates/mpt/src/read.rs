//! Converts answers as Ethereum's nodes send them to canonical answers. Only canonical answers are verified.

use alloc::vec::Vec;

use prooflight_core::{Hash, Limits, Result, keccak256};

use crate::account::Word;
use crate::get_proof::{GetProof, SlotProof};
use crate::hash::{EMPTY_CODE_HASH, EMPTY_ROOT};
use crate::node::{ChildRef, Node};
use crate::verify::EMPTY_TRIE;
use crate::walk::walk_from;

/// Converts a server's answer to `eth_getProof` to the canonical answer, which [`verify_get_proof`] takes.
///
/// Servers send more or less than the canonical answer. Each proof is converted as by [`read_proof`]. If the proof
/// shows that the account is absent, zero hashes become those of an account without slots and code, and an empty list
/// of slots becomes the list of all `slots`, each zero. Everything else is unchanged, for the verifier to refuse.
/// Nothing is verified here. More slots than `limits.max_keys` are `too_many_keys`; `limits.max_proof_bytes` is for
/// all strings together.
///
/// Source: `test-vectors/spec/mpt.md`, section 10.
///
/// [`verify_get_proof`]: crate::verify_get_proof
pub fn read_get_proof(slots: &[Word], answer: &mut GetProof<'_>, limits: &Limits) -> Result<()> {
    limits.check_keys(slots.len())?;
    answer.check_size(limits)?;

    let key = keccak256(&[&answer.address]);
    let is_absent = read_in_place(&key, &mut answer.account_proof, limits);
    for slot in &mut answer.storage_proof {
        read_in_place(&keccak256(&[&slot.key]), &mut slot.proof, limits);
    }
    if is_absent {
        if answer.storage_hash == Hash::default() {
            answer.storage_hash = EMPTY_ROOT;
        }
        if answer.code_hash == Hash::default() {
            answer.code_hash = EMPTY_CODE_HASH;
        }
        if answer.storage_proof.is_empty() {
            let zero = |&key| SlotProof { key, value: Word::default(), proof: Vec::new() };
            answer.storage_proof = slots.iter().map(zero).collect();
        }
    }
    Ok(())
}

/// Converts a proof of one key as servers send it to the canonical proof, which [`verify_proof`] takes.
///
/// `key` is the path in the trie. Removes empty strings, and nodes on the key's path that are embedded in their parent
/// and listed again after it. A proof with more strings than any such proof has is unchanged.
///
/// [`verify_proof`]: crate::verify_proof
pub fn read_proof<'a>(key: &[u8], proof: &[&'a [u8]], limits: &Limits) -> Vec<&'a [u8]> {
    let mut proof = proof.to_vec();
    read_in_place(key, &mut proof, limits);
    proof
}

/// Makes a proof canonical; returns whether its nodes, whatever their hashes are, show that the key is absent.
fn read_in_place(key: &[u8], proof: &mut Vec<&[u8]>, limits: &Limits) -> bool {
    // A key's path has at most `2 * key.len() + 1` nodes; as many strings may be empty.
    if proof.len() > 4 * key.len() + 2 {
        return false;
    }
    proof.retain(|string| !string.is_empty());
    if proof.is_empty() || proof[..] == [EMPTY_TRIE] {
        return true;
    }
    let walked = node_at(proof, 0, limits).and_then(|first| {
        let mut at = 1;
        walk_from(first, &[key], &mut |child| {
            Ok(Some(match child {
                ChildRef::Empty => return Ok(None),
                ChildRef::Inline(payload) => {
                    if proof.get(at).is_some_and(|string| encodes(string, payload)) {
                        proof.remove(at);
                    }
                    Node::from_items(payload, &Limits::NONE)?
                }
                ChildRef::Hash(_) => {
                    at += 1;
                    node_at(proof, at - 1, limits)?
                }
            }))
        })
    });
    walked.is_ok_and(|values| values == [None])
}

/// The node that a string encodes; an error if the string is absent.
fn node_at<'a>(proof: &[&'a [u8]], at: usize, limits: &Limits) -> Result<Node<'a>> {
    Node::decode(proof.get(at).copied().unwrap_or_default(), limits)
}

/// Whether a string is the encoding of an inline node with these items.
fn encodes(string: &[u8], payload: &[u8]) -> bool {
    string
        .split_first()
        .is_some_and(|(&head, rest)| rest == payload && usize::from(head) == 0xc0 + payload.len())
}

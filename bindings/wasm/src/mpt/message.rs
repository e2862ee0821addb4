//! The messages about Ethereum, in borsh.
//!
//! ```text
//! struct ProofRequest   { root: [u8; 32], key: Vec<u8>, limits: Limits, proof: Vec<Vec<u8>> }
//! struct AnswersRequest { state_root: [u8; 32], limits: Limits, as_sent: bool, questions: Vec<Question> }
//! struct Question       { address: [u8; 20], slots: Vec<[u8; 32]>,
//!                         what the server answered:
//!                         answered: [u8; 20], nonce: u64, balance: [u8; 32],
//!                         storage_hash: Option<[u8; 32]>, code_hash: Option<[u8; 32]>,
//!                         account_proof: Vec<Vec<u8>>, storage_proof: Vec<Slot> }
//! struct Slot           { key: [u8; 32], value: [u8; 32], proof: Vec<Vec<u8>> }
//! struct AccountState   { present: bool, has_code: bool, nonce: u64, balance: [u8; 32],
//!                         storage_root: [u8; 32], code_hash: [u8; 32], storage: Vec<[u8; 32]> }
//! type   Proofs         = Vec<Vec<Vec<u8>>>; // the nodes of the account's proof, then those of each slot's
//! ```
//! Answers `as_sent` are converted to canonical answers before they are verified. An absent hash is that of an
//! account without slots or code. An absent account has the fields of an empty one.

use std::vec;

use prooflight_core::{Hash, Limits, Result, Verified};
use prooflight_mpt::{
    Account, AccountState, Address, EMPTY_CODE_HASH, EMPTY_ROOT, GetProof, SlotProof, Word,
    read_get_proof,
};

use crate::limits::limits;
use crate::wire::{self, RequestReader, ResponseWriter};

/// A proof in a trie, and the root to verify it against.
pub(crate) struct TrieProofRequest<'a> {
    pub(crate) root: Hash,
    pub(crate) key: &'a [u8],
    pub(crate) limits: Limits,
    pub(crate) proof: Vec<&'a [u8]>,
}

impl<'a> TrieProofRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                root: r.array()?,
                key: r.bytes()?,
                limits: limits(r)?,
                proof: r.sequence(RequestReader::bytes)?,
            })
        })
    }
}

/// Answers, and the state root to verify them against.
pub(crate) struct AnswersRequest<'a> {
    pub(crate) state_root: Hash,
    pub(crate) limits: Limits,
    as_sent: bool,
    questions: vec::IntoIter<AccountQuestion<'a>>,
}

/// A question and its canonical answer.
pub(crate) struct AccountQuestion<'a> {
    pub(crate) address: Address,
    pub(crate) slots: Vec<Word>,
    pub(crate) answer: GetProof<'a>,
}

impl<'a> AnswersRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                state_root: r.array()?,
                limits: limits(r)?,
                as_sent: r.bool()?,
                questions: r.sequence(question)?.into_iter(),
            })
        })
    }

    /// Returns the next question; an answer `as_sent` is converted to the canonical answer.
    pub(crate) fn next(&mut self) -> Result<Option<AccountQuestion<'a>>> {
        let Some(mut question) = self.questions.next() else { return Ok(None) };
        if self.as_sent {
            read_get_proof(&question.slots, &mut question.answer, &self.limits)?;
        }
        Ok(Some(question))
    }
}

fn question<'a>(r: &mut RequestReader<'a>) -> Result<AccountQuestion<'a>> {
    Ok(AccountQuestion {
        address: r.array()?,
        slots: r.sequence(RequestReader::array)?,
        answer: GetProof {
            address: r.array()?,
            nonce: r.u64()?,
            balance: r.array()?,
            storage_hash: r.option(RequestReader::array)?.unwrap_or(EMPTY_ROOT),
            code_hash: r.option(RequestReader::array)?.unwrap_or(EMPTY_CODE_HASH),
            account_proof: r.sequence(RequestReader::bytes)?,
            storage_proof: r.sequence(|r| {
                let (key, value) = (r.array()?, r.array()?);
                Ok(SlotProof { key, value, proof: r.sequence(RequestReader::bytes)? })
            })?,
        },
    })
}

/// Encodes `Option<Vec<u8>>`.
pub(crate) fn optional(value: Option<&[u8]>) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(8 + value.map_or(0, <[u8]>::len));
    response.option(value);
    response.into_bytes()
}

/// Encodes `Vec<AccountState>`.
pub(crate) fn states(states: &[Verified<AccountState>]) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(8 + 128 * states.len());
    response.length(states.len());
    for AccountState { account, storage } in states.iter().map(Verified::get) {
        let empty = Account {
            nonce: 0,
            balance: [0; 32],
            storage_root: EMPTY_ROOT,
            code_hash: EMPTY_CODE_HASH,
        };
        let Account { nonce, balance, storage_root, code_hash } =
            account.as_ref().unwrap_or(&empty);
        response.u8(account.is_some().into());
        response.u8((*code_hash != EMPTY_CODE_HASH).into());
        response.array(&nonce.to_le_bytes());
        for word in [balance, storage_root, code_hash] {
            response.array(word);
        }
        response.length(storage.len());
        for word in storage {
            response.array(word);
        }
    }
    response.into_bytes()
}

/// Encodes the `Proofs` of an answer.
pub(crate) fn proofs(answer: &GetProof<'_>) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(4096);
    response.length(1 + answer.storage_proof.len());
    let slots = answer.storage_proof.iter().map(|slot| &slot.proof);
    for proof in core::iter::once(&answer.account_proof).chain(slots) {
        response.length(proof.len());
        for node in proof {
            response.bytes(node);
        }
    }
    response.into_bytes()
}

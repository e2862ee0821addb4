//! The messages about Ethereum, in borsh.
//!
//! ```text
//! struct AccountState { present: bool, has_code: bool, nonce: u64, balance: [u8; 32],
//!                       storage_root: [u8; 32], code_hash: [u8; 32], storage: Vec<[u8; 32]> }
//! type   Proofs       = Vec<Vec<Vec<u8>>>; // the nodes of the account's proof, then those of each slot's
//! ```
//! Answers `as_sent` are converted to canonical answers before they are verified. An absent hash is that of an
//! account without slots or code. An absent account has the fields of an empty one.

use prooflight_core::{Hash, Limits, Result, Verified};
use prooflight_mpt::{
    Account, AccountState, Address, EMPTY_CODE_HASH, EMPTY_ROOT, GetProof, SlotProof, Word,
    read_get_proof,
};

use crate::wire::{RequestReader, ResponseValue as _, ResponseWriter, requests};

requests! {
    /// A proof in a trie, and the root to verify it against.
    struct TrieProofRequest<'a> { root: Hash, key: &'a [u8], limits: Limits, proof: Vec<&'a [u8]>, }

    /// Answers, and the state root to verify them against.
    struct AnswersRequest<'a> {
        state_root: Hash,
        limits: Limits,
        as_sent: bool,
        questions: Vec<AccountQuestion<'a>>,
    }

    /// A question, and the server's answer.
    struct AccountQuestion<'a> { address: Address, slots: Vec<Word>, answer: GetProof<'a>, }

    extern struct GetProof<'a> {
        address: Address,
        nonce: u64,
        balance: Word,
        storage_hash: Hash = |r| optional_hash(r, EMPTY_ROOT),
        code_hash: Hash = |r| optional_hash(r, EMPTY_CODE_HASH),
        account_proof: Vec<&'a [u8]>,
        storage_proof: Vec<SlotProof<'a>>,
    }

    extern struct SlotProof<'a> { key: Word, value: Word, proof: Vec<&'a [u8]>, }
}

fn optional_hash(r: &mut RequestReader<'_>, absent: Hash) -> Result<Hash> {
    r.read::<Option<Hash>>().map(|hash| hash.unwrap_or(absent))
}

impl<'a> AnswersRequest<'a> {
    /// The questions with their canonical answers, each of which is computed when the iterator reaches it.
    pub(crate) fn canonical(self) -> impl Iterator<Item = Result<AccountQuestion<'a>>> {
        self.questions.into_iter().map(move |mut question| {
            if self.as_sent {
                read_get_proof(&question.slots, &mut question.answer, &self.limits)?;
            }
            Ok(question)
        })
    }
}

/// Encodes `Vec<AccountState>`.
pub(crate) fn states(states: &[Verified<AccountState>]) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(8 + 128 * states.len());
    response.write(&states.len());
    for AccountState { account, storage } in states.iter().map(Verified::get) {
        let empty = Account {
            nonce: 0,
            balance: [0; 32],
            storage_root: EMPTY_ROOT,
            code_hash: EMPTY_CODE_HASH,
        };
        let Account { nonce, balance, storage_root, code_hash } =
            account.as_ref().unwrap_or(&empty);
        response.write(&account.is_some());
        response.write(&(*code_hash != EMPTY_CODE_HASH));
        response.write(nonce);
        for word in [balance, storage_root, code_hash] {
            response.write(word);
        }
        response.write(storage);
    }
    response.into_bytes()
}

/// Encodes the `Proofs` of an answer.
pub(crate) fn proofs(answer: &GetProof<'_>) -> Vec<u8> {
    let slots = answer.storage_proof.iter().map(|slot| &slot.proof);
    let proofs: Vec<_> = core::iter::once(&answer.account_proof).chain(slots).collect();
    proofs.encode(4096)
}

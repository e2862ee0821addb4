//! The answers of `eth_getProof` (EIP-1186), checked as a whole.

use alloc::vec::Vec;
use core::fmt;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified};

use crate::account::{Account, Address, Word, verify_account, verify_slot};
use crate::hash::{EMPTY_CODE_HASH, EMPTY_ROOT};
use crate::verify::check_size;

/// A server's answer to `eth_getProof`; all of it is untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetProof<'a> {
    /// The account that the answer is about.
    pub address: Address,
    /// `nonce`.
    pub nonce: u64,
    /// `balance`.
    pub balance: Word,
    /// `storageHash`.
    pub storage_hash: Hash,
    /// `codeHash`.
    pub code_hash: Hash,
    /// `accountProof`: the nodes from the state root on.
    pub account_proof: Vec<&'a [u8]>,
    /// `storageProof`: one answer for each requested slot.
    pub storage_proof: Vec<SlotProof<'a>>,
}

/// A server's answer about one storage slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotProof<'a> {
    /// `key`: the slot.
    pub key: Word,
    /// `value`: the slot's value.
    pub value: Word,
    /// `proof`: the nodes from the account's storage root on.
    pub proof: Vec<&'a [u8]>,
}

/// An account of the state with some of its slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountState {
    /// The account, if there is one.
    pub account: Option<Account>,
    /// The value of each requested slot, in the order of the request; zero if it is absent.
    pub storage: Vec<Word>,
}

/// Verifies a server's whole answer to `eth_getProof` for an account and its slots.
///
/// The proof of each slot is bound to the proven account's storage root, and every field of the
/// answer must agree with its proof; the result is taken from the proofs. The fields of a
/// nonexistent account must be those of an empty one. The caller must trust `state_root`. More slots
/// than `limits.max_keys` are `too_many_keys`; `limits.max_proof_bytes` is for all nodes together.
/// An answer whose bytes cannot be correct for any question is `malformed`, one that does not answer
/// this question under this root is `mismatch`. Servers may send more or less than the canonical answer:
/// apply [`read_get_proof`](crate::read_get_proof) first.
///
/// Source: EIP-1186; `test-vectors/spec/mpt.md`, section 6.
pub fn verify_get_proof(
    state_root: &Hash,
    address: &Address,
    slots: &[Word],
    answer: &GetProof<'_>,
    limits: &Limits,
) -> Result<Verified<AccountState>> {
    limits.check_keys(slots.len())?;
    answer.check_size(limits)?;
    answer.check_question(address, slots)?;

    let account = *verify_account(state_root, address, &answer.account_proof, limits)?;
    let storage_root = match &account {
        Some(account) => answer.check_account(account)?,
        None => answer.check_no_account()?,
    };
    let storage = (0..).zip(&answer.storage_proof).map(|(index, slot): (usize, _)| {
        slot.verify(&storage_root, limits).map_err(|error| in_slot(index, &error))
    });
    let storage = storage.collect::<Result<_>>()?;
    Ok(Verified::by_verifier(AccountState { account, storage }))
}

impl GetProof<'_> {
    /// Checks the nodes of all proofs together against the limit.
    #[inline(never)]
    pub(crate) fn check_size(&self, limits: &Limits) -> Result<()> {
        let mut left = *limits;
        for proof in core::iter::once(&self.account_proof)
            .chain(self.storage_proof.iter().map(|slot| &slot.proof))
        {
            check_size(proof, &left)?;
            left.max_proof_bytes -= proof.iter().map(|node| node.len()).sum::<usize>();
        }
        Ok(())
    }

    /// Checks that the answer is about the requested account and slots.
    fn check_question(&self, address: &Address, slots: &[Word]) -> Result<()> {
        if self.address != *address {
            return Err(Error::new(Reason::AddressMismatch, Hex(address), Hex(&self.address)));
        }
        let different = |expected: &dyn fmt::Display, found: &dyn fmt::Display| {
            Err(Error::new(Reason::SlotKeysMismatch, expected, found))
        };
        if self.storage_proof.len() != slots.len() {
            let expected = format_args!("{} slots", slots.len());
            return different(&expected, &format_args!("{}", self.storage_proof.len()));
        }
        for (index, (asked, answered)) in slots.iter().zip(&self.storage_proof).enumerate() {
            if *asked != answered.key {
                let found = format_args!("{} at place {index}", Hex(&answered.key));
                return different(&Hex(asked), &found);
            }
        }
        Ok(())
    }

    /// Checks the fields of an existing account; returns its storage root.
    fn check_account(&self, account: &Account) -> Result<Hash> {
        if self.nonce != account.nonce {
            return Err(differs("nonce", account.nonce, self.nonce));
        }
        check_field("balance", &account.balance, &self.balance)?;
        check_field("storageHash", &account.storage_root, &self.storage_hash)?;
        check_field("codeHash", &account.code_hash, &self.code_hash)?;
        Ok(account.storage_root)
    }

    /// Checks the fields of a nonexistent account; returns the root of the empty storage.
    ///
    /// Servers write the two hashes either as zeros or as those of empty storage and empty code.
    fn check_no_account(&self) -> Result<Hash> {
        if self.nonce != 0 {
            return Err(differs("nonce", "0 of no account", self.nonce));
        }
        check_field("balance", &Word::default(), &self.balance)?;
        let hashes = (self.storage_hash, self.code_hash);
        if hashes != (EMPTY_ROOT, EMPTY_CODE_HASH) && hashes != (Hash::default(), Hash::default()) {
            let found = format_args!("{} and {}", Hex(&self.storage_hash), Hex(&self.code_hash));
            return Err(differs("storageHash and codeHash", "those of no account", found));
        }
        Ok(EMPTY_ROOT)
    }
}

impl SlotProof<'_> {
    /// Verifies the slot's value, and checks that the answer has the same one.
    fn verify(&self, storage_root: &Hash, limits: &Limits) -> Result<Word> {
        let value = verify_slot(storage_root, &self.key, &self.proof, limits)?;
        let value = value.unwrap_or_default();
        if value != self.value {
            return Err(Error::new(Reason::SlotMismatch, Hex(&value), Hex(&self.value)));
        }
        Ok(value)
    }
}

fn check_field(name: &str, proven: &[u8; 32], said: &[u8; 32]) -> Result<()> {
    if proven == said { Ok(()) } else { Err(differs(name, Hex(proven), Hex(said))) }
}

#[cold]
fn differs(name: &str, proven: impl fmt::Display, said: impl fmt::Display) -> Error {
    Error::new(Reason::AccountMismatch, format_args!("{name}: {proven}"), said)
}

#[cold]
fn in_slot(index: usize, error: &Error) -> Error {
    let found = format_args!("{} in storageProof {index}", error.found());
    Error::new(error.reason(), error.expected(), found)
}

//! The content of Ethereum's state: accounts, and the storage slots of each.

use core::fmt;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified, keccak256};

use crate::rlp::{self, RlpItem};
use crate::verify::verify_proof;

/// The address of an account.
pub type Address = [u8; 20];

/// An integer of 256 bits, big-endian.
pub type Word = [u8; 32];

/// An account in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The number of transactions it has sent, or of contracts it has created.
    pub nonce: u64,
    /// Its balance, in wei.
    pub balance: Word,
    /// The root of the trie of its storage slots.
    pub storage_root: Hash,
    /// The hash of its code.
    pub code_hash: Hash,
}

/// Verifies an account, or its absence, in the state with this root.
///
/// `proof` is the `accountProof` of EIP-1186. Errors are those of [`verify_proof`], and
/// `invalid_account` if the trie's value at this address is not an account.
pub fn verify_account(
    state_root: &Hash,
    address: &Address,
    proof: &[&[u8]],
    limits: &Limits,
) -> Result<Verified<Option<Account>>> {
    let value = verify_proof(state_root, &keccak256(&[address]), proof, limits)?;
    value.map(Account::decode).transpose().map(Verified::by_verifier)
}

/// Verifies the value of a storage slot in the storage trie with this root; absent means zero.
///
/// `storage_root` must come from a verified account: otherwise the slot is not bound to any account.
/// `proof` is one of the `storageProof`s of EIP-1186. Errors are those of [`verify_proof`], and
/// `invalid_slot_value` if the trie's value at this slot is not a nonzero integer.
pub fn verify_slot(
    storage_root: &Hash,
    slot: &Word,
    proof: &[&[u8]],
    limits: &Limits,
) -> Result<Verified<Option<Word>>> {
    let value = verify_proof(storage_root, &keccak256(&[slot]), proof, limits)?;
    value.map(decode_slot).transpose().map(Verified::by_verifier)
}

impl Account {
    /// Reads RLP([nonce, balance, storage root, code hash]).
    pub(crate) fn decode(value: &[u8]) -> Result<Self> {
        let mut items = match rlp::decode(value) {
            Ok(RlpItem::List(payload)) => rlp::items(payload),
            Ok(RlpItem::String(_)) => return Err(invalid_account("a list", "a string")),
            Err(error) => return Err(invalid_account(error.expected(), error.found())),
        };
        let mut next =
            || items.take().map_err(|error| invalid_account(error.expected(), error.found()));
        let account = Self {
            nonce: rlp::integer(next()?)
                .map(u64::from_be_bytes)
                .ok_or_else(|| invalid_account("a nonce of 64 bits", Hex(value)))?,
            balance: rlp::integer(next()?)
                .ok_or_else(|| invalid_account("a balance of 256 bits", Hex(value)))?,
            storage_root: rlp::array(next()?)
                .ok_or_else(|| invalid_account("a storage root of 32 bytes", Hex(value)))?,
            code_hash: rlp::array(next()?)
                .ok_or_else(|| invalid_account("a code hash of 32 bytes", Hex(value)))?,
        };
        if items.is_empty() { Ok(account) } else { Err(invalid_account("four items", "more")) }
    }
}

/// Reads the RLP of an integer that is not zero.
pub(crate) fn decode_slot(value: &[u8]) -> Result<Word> {
    let integer = rlp::decode(value).ok().and_then(rlp::integer);
    integer.filter(|word| *word != Word::default()).ok_or_else(|| {
        Error::new(Reason::InvalidSlotValue, "a non-zero integer of 256 bits", Hex(value))
    })
}

#[cold]
fn invalid_account(expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(Reason::InvalidAccount, expected, found)
}

//! The proofs of an account and of some of its slots, encoded as one byte string.
//!
//! RLP([[node, …], [[node, …], …]]): the nodes from the state root down, then, for each slot in the
//! order of the request, the nodes from the storage root down. A node is a string. Servers divide
//! the proof again for `eth_getProof`.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Limits, Reason, Result};

use super::state::ProvedAccount;
use crate::account::{Address, Word, verify_account, verify_slot};
use crate::encode;
use crate::get_proof::AccountState;
use crate::hash::EMPTY_ROOT;
use crate::rlp::{self, RlpItem};

/// The proofs of an account and of slots of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountProof<'a> {
    /// The nodes from the state root down.
    pub account: Vec<&'a [u8]>,
    /// For each slot, the nodes from the account's storage root down.
    pub slots: Vec<Vec<&'a [u8]>>,
}

impl<'a> AccountProof<'a> {
    /// Decodes the output of [`ProvedAccount::encode`]; anything else is `invalid_encoding`.
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        let [account, slots] = items_of(rlp::decode(bytes)?)?
            .try_into()
            .map_err(|_| invalid("the nodes of an account, and of slots"))?;
        let slots = items_of(slots)?.into_iter().map(strings).collect::<Result<_>>()?;
        Ok(Self { account: strings(account)?, slots })
    }

    /// Verifies the proofs of an account and of these slots against a state root; returns the account
    /// and the slots' values.
    ///
    /// `slot_keys_mismatch` unless there is one slot per proof. Other errors are those of
    /// [`verify_account`] and [`verify_slot`].
    pub fn verify(
        &self,
        state_root: &Hash,
        address: &Address,
        slots: &[Word],
        limits: &Limits,
    ) -> Result<AccountState> {
        if slots.len() != self.slots.len() {
            let expected = format_args!("proofs of {} slots", slots.len());
            return Err(Error::new(Reason::SlotKeysMismatch, expected, self.slots.len()));
        }
        let account = *verify_account(state_root, address, &self.account, limits)?;
        let storage_root = account.map_or(EMPTY_ROOT, |account| account.storage_root);
        let storage = slots.iter().zip(&self.slots).map(|(slot, proof)| {
            Ok(verify_slot(&storage_root, slot, proof, limits)?.unwrap_or_default())
        });
        Ok(AccountState { account, storage: storage.collect::<Result<_>>()? })
    }
}

impl ProvedAccount {
    /// Encodes the proofs as one byte string.
    pub fn encode(&self) -> Vec<u8> {
        let slots: Vec<_> = self.storage.iter().map(|slot| nodes(&slot.proof)).collect();
        encode::list(&[nodes(&self.account_proof), encode::list(&slots)])
    }
}

fn nodes(proof: &[Vec<u8>]) -> Vec<u8> {
    let nodes: Vec<_> = proof.iter().map(|node| encode::string(node)).collect();
    encode::list(&nodes)
}

/// Returns the items of a list.
fn items_of(list: RlpItem<'_>) -> Result<Vec<RlpItem<'_>>> {
    let RlpItem::List(payload) = list else { return Err(invalid("a list")) };
    let (mut items, mut read) = (rlp::items(payload), Vec::new());
    while !items.is_empty() {
        read.push(items.take()?);
    }
    Ok(read)
}

/// Returns the items of a list of strings.
fn strings(list: RlpItem<'_>) -> Result<Vec<&[u8]>> {
    let string = |item| match item {
        RlpItem::String(string) => Ok(string),
        RlpItem::List(_) => Err(invalid("a node in a string")),
    };
    items_of(list)?.into_iter().map(string).collect()
}

#[cold]
fn invalid(expected: &str) -> Error {
    Error::new(Reason::InvalidEncoding, expected, "another item")
}

//! Calls, as JSON-RPC names them.

use alloc::vec::Vec;

use prooflight_core::Hash;
use prooflight_mpt::{Address, Word};
use revm::context::TxEnv;
use revm::context_interface::either::Either;
use revm::context_interface::transaction::{
    AccessList, AccessListItem, Authorization as RevmAuthorization, SignedAuthorization,
    TransactionType,
};
use revm::primitives::{B256, TxKind, U256};

/// A call: a transaction that nobody signed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The sender; nothing checks that it agreed.
    pub from: Address,
    /// The account that is called; `None` creates a contract.
    pub to: Option<Address>,
    /// The sender's nonce; only transactions need the right one.
    pub nonce: Option<u64>,
    /// The most gas that it may take; `None` for what servers allow.
    pub gas: Option<u64>,
    /// The fees of gas.
    pub fees: CallFees,
    /// The wei that are sent.
    pub value: Word,
    /// The data, or the code that creates a contract.
    pub data: Vec<u8>,
    /// The accounts and slots that are warm from the beginning.
    pub access_list: Vec<AccessListEntry>,
    /// The hashes of blobs; `None` for a call without.
    pub blob_hashes: Option<Vec<Hash>>,
    /// The most that a unit of blob gas may cost, in wei.
    pub max_fee_per_blob_gas: Option<u128>,
    /// Delegations of accounts; `None` for a call without.
    pub authorizations: Option<Vec<Authorization>>,
    /// The chain that the call is for; `None` for any.
    pub chain_id: Option<u64>,
}

/// The fees of a call, in wei for a unit of gas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallFees {
    /// `gasPrice`.
    pub gas_price: Option<u128>,
    /// `maxFeePerGas`.
    pub max_fee: Option<u128>,
    /// `maxPriorityFeePerGas`.
    pub max_priority_fee: Option<u128>,
}

/// An account of an access list, with some of its slots.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccessListEntry {
    /// The account.
    pub address: Address,
    /// Its slots.
    pub slots: Vec<Word>,
}

/// A signed delegation of an account to a code (EIP-7702). One that is not valid is skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authorization {
    /// The chain that it is for; 0 for any.
    pub chain_id: Word,
    /// The account whose code is run.
    pub address: Address,
    /// The nonce of the account that signed.
    pub nonce: u64,
    /// The parity of the signature's point.
    pub y_parity: u8,
    /// The signature's `r`.
    pub r: Word,
    /// The signature's `s`.
    pub s: Word,
}

impl CallFees {
    /// The most that a unit of gas may cost; 0 if no fee is named.
    pub(crate) fn cap(&self) -> u128 {
        self.gas_price.or(self.max_fee).unwrap_or_default()
    }

    /// The most that the coinbase gets for a unit of gas.
    pub(crate) fn tip(&self) -> u128 {
        self.gas_price.or(self.max_priority_fee).unwrap_or_default()
    }

    /// Whether gas costs nothing, whatever the base fee is.
    pub(crate) fn are_zero(&self) -> bool {
        self.cap() == 0 && self.tip() == 0
    }
}

impl Call {
    /// The transaction that is executed with this gas.
    pub(crate) fn transaction(&self, gas: u64) -> TxEnv {
        let kind = if self.authorizations.is_some() {
            TransactionType::Eip7702
        } else if self.blob_hashes.is_some() {
            TransactionType::Eip4844
        } else {
            TransactionType::Eip1559
        };
        let entries = self.access_list.iter().map(|entry| AccessListItem {
            address: entry.address.into(),
            storage_keys: entry.slots.iter().copied().map(B256::new).collect(),
        });
        let authorizations = self.authorizations.iter().flatten();
        TxEnv {
            tx_type: kind as u8,
            caller: self.from.into(),
            gas_limit: gas,
            gas_price: self.fees.cap(),
            kind: self.to.map_or(TxKind::Create, |to| TxKind::Call(to.into())),
            value: U256::from_be_bytes(self.value),
            data: self.data.clone().into(),
            nonce: self.nonce.unwrap_or_default(),
            chain_id: self.chain_id,
            access_list: AccessList(entries.collect()),
            gas_priority_fee: Some(self.fees.tip()),
            blob_hashes: self.blob_hashes.iter().flatten().copied().map(B256::new).collect(),
            max_fee_per_blob_gas: self.max_fee_per_blob_gas.unwrap_or_default(),
            authorization_list: authorizations.map(|one| Either::Left(one.signed())).collect(),
        }
    }
}

impl Authorization {
    pub(crate) fn signed(&self) -> SignedAuthorization {
        let inner = RevmAuthorization {
            chain_id: U256::from_be_bytes(self.chain_id),
            address: self.address.into(),
            nonce: self.nonce,
        };
        let (r, s) = (U256::from_be_bytes(self.r), U256::from_be_bytes(self.s));
        SignedAuthorization::new_unchecked(inner, self.y_parity, r, s)
    }
}

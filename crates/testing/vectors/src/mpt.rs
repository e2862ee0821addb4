//! `MptProof` and the types `Eth…`: Ethereum's tries, answers, headers, codes and transactions.

use prooflight_core::{Error, Limits, Reason, Result};
use prooflight_json::strict::{object, objects, some_object};
use prooflight_json::{Address, Hash32, HexBytes, Quantity, Word};
use prooflight_mpt::{
    Account, AccountState, GetProof, SlotProof, verify_code, verify_get_proof, verify_header,
    verify_proof, verify_transaction_hash,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::VerifierAnswer;
use crate::limits::CallerLimits;

/// The input of an `MptProof` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MptProof {
    /// The trusted root of the trie.
    pub root: Hash32,
    /// The path in the trie: the hash of the actual key, if it is a secure trie.
    pub key: HexBytes,
    /// The nodes, from the root on.
    pub proof: Vec<HexBytes>,
    /// Limits that differ from the defaults.
    #[serde(default, deserialize_with = "some_object", skip_serializing_if = "Option::is_none")]
    pub limits: Option<CallerLimits>,
}

/// The input of an `EthGetProof` or `EthAnswer` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EthGetProof {
    /// The trusted root of the state.
    pub state_root: Hash32,
    /// The requested account.
    pub address: Address,
    /// The requested slots.
    pub slots: Vec<Word>,
    /// The server's answer, which may be anything.
    pub response: Value,
    /// Limits that differ from the defaults.
    #[serde(default, deserialize_with = "some_object", skip_serializing_if = "Option::is_none")]
    pub limits: Option<CallerLimits>,
}

/// The input of an `EthHeader` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EthHeader {
    /// The trusted hash of the block.
    pub hash: Hash32,
    /// The header's RLP.
    pub header_rlp: HexBytes,
}

/// The input of an `EthCode` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EthCode {
    /// The verified code hash of an account.
    pub code_hash: Hash32,
    /// The account's code, according to a server.
    pub code: HexBytes,
}

/// The input of an `EthTransaction` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EthTransaction {
    /// The transaction, as it was sent to a server.
    pub raw: HexBytes,
    /// The hash that the server returned for it.
    pub hash: Hash32,
}

/// A server's answer to `eth_getProof`; other members are ignored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofResponse {
    /// The account that the answer is about.
    pub address: Address,
    /// The nodes from the state root on.
    pub account_proof: Vec<HexBytes>,
    /// The account's balance, in wei.
    pub balance: Word,
    /// The hash of the account's code.
    pub code_hash: Hash32,
    /// The account's nonce.
    pub nonce: Word,
    /// The root of the account's storage.
    pub storage_hash: Hash32,
    /// One answer for each slot.
    #[serde(deserialize_with = "objects")]
    pub storage_proof: Vec<ResponseSlot>,
}

/// A server's answer about one slot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResponseSlot {
    /// The slot.
    pub key: Word,
    /// The value of the slot.
    pub value: Word,
    /// The nodes from the account's storage root on.
    pub proof: Vec<HexBytes>,
}

impl MptProof {
    /// Verifies the value or the absence of the key.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let limits = CallerLimits::or_default(self.limits);
        let verified = verify_proof(&self.root.0, &self.key.0, &slices(&self.proof), &limits)?;
        let value = verified.map(|value| HexBytes(value.to_vec()).to_string());
        Ok(VerifierAnswer::from_iter([("value".to_owned(), json!(value))]))
    }
}

impl EthGetProof {
    /// Verifies the whole answer.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let limits = CallerLimits::or_default(self.limits);
        let slots: Vec<_> = self.slots.iter().map(|slot| slot.0).collect();
        let response: ProofResponse =
            object(&self.response).map_err(|error| invalid_answer(&error))?;
        let answer = GetProof {
            address: response.address.0,
            nonce: response
                .nonce
                .to_u64()
                .ok_or_else(|| invalid_answer(&"a nonce above 64 bits"))?,
            balance: response.balance.0,
            storage_hash: response.storage_hash.0,
            code_hash: response.code_hash.0,
            account_proof: slices(&response.account_proof),
            storage_proof: response.storage_proof.iter().map(ResponseSlot::proof).collect(),
        };
        let state =
            verify_get_proof(&self.state_root.0, &self.address.0, &slots, &answer, &limits)?;
        Ok(state_answer(&state))
    }
}

impl EthHeader {
    /// Verifies the header.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let header = verify_header(&self.hash.0, &self.header_rlp.0, &Limits::DEFAULT)?;
        Ok(VerifierAnswer::from_iter([
            ("number".to_owned(), json!(Quantity(header.number))),
            ("stateRoot".to_owned(), json!(Hash32(header.state_root))),
        ]))
    }
}

impl EthCode {
    /// Verifies that the code is the account's.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        verify_code(&self.code_hash.0, &self.code.0).map(|()| VerifierAnswer::new())
    }
}

impl EthTransaction {
    /// Verifies that the hash is the transaction's.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let hash = verify_transaction_hash(&self.raw.0, &self.hash.0)?;
        Ok(VerifierAnswer::from_iter([("hash".to_owned(), json!(Hash32(hash)))]))
    }
}

impl ResponseSlot {
    /// The slot's part of the answer, in the form that the verifier takes.
    fn proof(&self) -> SlotProof<'_> {
        SlotProof { key: self.key.0, value: self.value.0, proof: slices(&self.proof) }
    }
}

pub(crate) fn slices(nodes: &[HexBytes]) -> Vec<&[u8]> {
    nodes.iter().map(|node| &node.0[..]).collect()
}

/// The members that `expected` may have.
pub(crate) fn state_answer(state: &AccountState) -> VerifierAnswer {
    let storage = state.storage.iter().map(|&value| Word(value).to_string());
    VerifierAnswer::from_iter([
        ("account".to_owned(), account(state.account.as_ref())),
        ("storage".to_owned(), storage.collect()),
    ])
}

fn account(account: Option<&Account>) -> Value {
    let Some(account) = account else { return Value::Null };
    json!({
        "nonce": Quantity(account.nonce),
        "balance": Word(account.balance),
        "storageHash": Hash32(account.storage_root),
        "codeHash": Hash32(account.code_hash),
    })
}

#[cold]
pub(crate) fn invalid_answer(found: &dyn core::fmt::Display) -> Error {
    Error::new(Reason::InvalidAnswer, "an answer to eth_getProof", found)
}

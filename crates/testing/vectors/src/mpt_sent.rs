//! `EthAnswer`: an answer to `eth_getProof` as a node sent it.

use prooflight_core::{Error, Reason, Result};
use prooflight_json::strict::object;
use prooflight_json::{Address, Hash32, HexBytes, Word};
use prooflight_mpt::{
    EMPTY_CODE_HASH, EMPTY_ROOT, GetProof, SlotProof, read_get_proof, verify_get_proof,
};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::answer::VerifierAnswer;
use crate::limits::CallerLimits;
use crate::mpt::{EthGetProof, ProofResponse, ResponseSlot, invalid_answer, slices, state_answer};

/// A node's answer; a null member is empty or zero, and so is a missing list of slots.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentResponse {
    address: Address,
    #[serde(deserialize_with = "or_null")]
    account_proof: Option<Vec<HexBytes>>,
    #[serde(deserialize_with = "or_null")]
    balance: Option<SentInteger>,
    #[serde(deserialize_with = "or_null")]
    code_hash: Option<Hash32>,
    #[serde(deserialize_with = "or_null")]
    nonce: Option<SentInteger>,
    #[serde(deserialize_with = "or_null")]
    storage_hash: Option<Hash32>,
    storage_proof: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct SentSlot {
    key: SentInteger,
    #[serde(deserialize_with = "or_null")]
    value: Option<SentInteger>,
    #[serde(deserialize_with = "or_null")]
    proof: Option<Vec<HexBytes>>,
}

/// Reads a member that may be null. Serde's own option may also be missing.
fn or_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(d)
}

/// Reads a node's answer, and verifies the canonical answer.
pub(crate) fn verify(input: &EthGetProof) -> Result<VerifierAnswer> {
    let limits = CallerLimits::or_default(input.limits);
    let asked: Vec<_> = input.slots.iter().map(|slot| slot.0).collect();
    let sent: SentResponse = object(&input.response).map_err(|error| invalid_answer(&error))?;
    let slots =
        sent.storage_proof.iter().flatten().map(object).collect::<Result<Vec<SentSlot>, _>>();
    let slots = slots.map_err(|error| invalid_answer(&error))?;
    let nonce = Word(sent.nonce.unwrap_or_default().0).to_u64();
    let mut canonical = GetProof {
        address: sent.address.0,
        nonce: nonce.ok_or_else(|| invalid_answer(&"a nonce above 64 bits"))?,
        balance: sent.balance.unwrap_or_default().0,
        storage_hash: sent.storage_hash.map_or(EMPTY_ROOT, |hash| hash.0),
        code_hash: sent.code_hash.map_or(EMPTY_CODE_HASH, |hash| hash.0),
        account_proof: slices(sent.account_proof.as_deref().unwrap_or_default()),
        storage_proof: slots.iter().map(SentSlot::proof).collect(),
    };
    read_get_proof(&asked, &mut canonical, &limits)?;
    let (root, address) = (&input.state_root.0, &input.address.0);
    let state = verify_get_proof(root, address, &asked, &canonical, &limits)?;
    let mut answer = state_answer(&state);
    answer.insert("canonical".to_owned(), json_of(&canonical)?);
    Ok(answer)
}

impl SentSlot {
    fn proof(&self) -> SlotProof<'_> {
        SlotProof {
            key: self.key.0,
            value: self.value.unwrap_or_default().0,
            proof: slices(self.proof.as_deref().unwrap_or_default()),
        }
    }
}

/// The canonical answer as JSON.
fn json_of(answer: &GetProof<'_>) -> Result<Value> {
    let nodes = |proof: &[&[u8]]| proof.iter().map(|node| HexBytes(node.to_vec())).collect();
    let slot = |slot: &SlotProof<'_>| ResponseSlot {
        key: Word(slot.key),
        value: Word(slot.value),
        proof: nodes(&slot.proof),
    };
    let mut nonce = [0; 32];
    nonce[24..].copy_from_slice(&answer.nonce.to_be_bytes());
    let response = ProofResponse {
        address: Address(answer.address),
        account_proof: nodes(&answer.account_proof),
        balance: Word(answer.balance),
        code_hash: Hash32(answer.code_hash),
        nonce: Word(nonce),
        storage_hash: Hash32(answer.storage_hash),
        storage_proof: answer.storage_proof.iter().map(slot).collect(),
    };
    serde_json::to_value(response)
        .map_err(|error| Error::new(Reason::Bug, "an answer as JSON", error))
}

/// An integer of 256 bits as nodes write it.
#[derive(Clone, Copy, Default)]
struct SentInteger([u8; 32]);

impl<'de> Deserialize<'de> for SentInteger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let text = if text == "0x" { "0x0" } else { &text };
        text.parse().map(|Word(word)| Self(word)).map_err(de::Error::custom)
    }
}

//! `EthAnswer`: an answer to `eth_getProof` as a node sent it.

use prooflight_core::{Reason, Result};
use prooflight_json::strict::object;
use prooflight_json::{Address, Hash32, Hex, Word};
use prooflight_mpt::{
    EMPTY_CODE_HASH, EMPTY_ROOT, GetProof, SlotProof, read_get_proof, verify_get_proof,
};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::answer::Answer;
use crate::limits::CallerLimits;
use crate::mpt::{EthGetProof, Response, ResponseSlot, invalid_answer, slices, state_answer};

/// A node's answer; members that it leaves out, or that are null, stand for nothing.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    address: Address,
    account_proof: Option<Vec<Hex>>,
    balance: Option<Integer>,
    code_hash: Option<Hash32>,
    nonce: Option<Integer>,
    storage_hash: Option<Hash32>,
    storage_proof: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct SentSlot {
    key: Integer,
    value: Option<Integer>,
    proof: Option<Vec<Hex>>,
}

/// Reads a node's answer, and verifies the canonical answer.
pub(crate) fn verify(input: &EthGetProof) -> Result<Answer> {
    let limits = CallerLimits::or_default(input.limits);
    let asked: Vec<_> = input.slots.iter().map(|slot| slot.0).collect();
    let sent: Sent = object(&input.response).map_err(|error| invalid_answer(&error))?;
    let slots =
        sent.storage_proof.iter().flatten().map(object).collect::<Result<Vec<SentSlot>, _>>();
    let slots = slots.map_err(|error| invalid_answer(&error))?;
    let nonce = Word(sent.nonce.unwrap_or_default().0).to_u64();
    let answer = GetProof {
        address: sent.address.0,
        nonce: nonce.ok_or_else(|| invalid_answer(&"a nonce above 64 bits"))?,
        balance: sent.balance.unwrap_or_default().0,
        storage_hash: sent.storage_hash.map_or(EMPTY_ROOT, |hash| hash.0),
        code_hash: sent.code_hash.map_or(EMPTY_CODE_HASH, |hash| hash.0),
        account_proof: slices(sent.account_proof.as_deref().unwrap_or_default()),
        storage_proof: slots.iter().map(SentSlot::proof).collect(),
    };
    let canonical = read_get_proof(&asked, answer, &limits)?;
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
    let nodes = |proof: &[&[u8]]| proof.iter().map(|node| Hex(node.to_vec())).collect();
    let slot = |slot: &SlotProof<'_>| ResponseSlot {
        key: Word(slot.key),
        value: Word(slot.value),
        proof: nodes(&slot.proof),
    };
    let mut nonce = [0; 32];
    nonce[24..].copy_from_slice(&answer.nonce.to_be_bytes());
    let response = Response {
        address: Address(answer.address),
        account_proof: nodes(&answer.account_proof),
        balance: Word(answer.balance),
        code_hash: Hash32(answer.code_hash),
        nonce: Word(nonce),
        storage_hash: Hash32(answer.storage_hash),
        storage_proof: answer.storage_proof.iter().map(slot).collect(),
    };
    serde_json::to_value(response)
        .map_err(|error| prooflight_core::Error::new(Reason::Bug, "an answer as JSON", error))
}

/// An integer of 256 bits as nodes, and libraries in front of them, write it.
#[derive(Clone, Copy, Default)]
struct Integer([u8; 32]);

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let integer = match Value::deserialize(deserializer)? {
            Value::Number(number) => {
                let number = number.as_u64().filter(|number| *number < 1 << 53);
                number.and_then(|number| of_decimal(&number.to_string()))
            }
            Value::String(text) if text == "0x" => Some([0; 32]),
            Value::String(text) => {
                text.parse().ok().map(|Word(word)| word).or_else(|| of_decimal(&text))
            }
            _ => None,
        };
        integer.map(Self).ok_or_else(|| de::Error::custom("an integer of another form"))
    }
}

/// The integer of decimal digits without leading zeros.
fn of_decimal(text: &str) -> Option<[u8; 32]> {
    if text.is_empty() || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    let mut word = [0_u8; 32];
    for letter in text.chars() {
        let mut carry = letter.to_digit(10)?;
        for byte in word.iter_mut().rev() {
            carry += u32::from(*byte) * 10;
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        if carry != 0 {
            return None;
        }
    }
    Some(word)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn integers_are_read_in_every_form_that_nodes_and_libraries_give_them() {
        let read = |json: Value| {
            serde_json::from_value::<Integer>(json).ok().map(|it| Word(it.0).to_string())
        };
        let most = format!("0x{}", "f".repeat(64));
        let decimal =
            "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        for (given, expected) in [
            (json!("0x"), "0x0"),
            (json!("0x00Ff"), "0xff"),
            (json!(0), "0x0"),
            (json!(9_007_199_254_740_991_u64), "0x1fffffffffffff"),
            (json!("0"), "0x0"),
            (json!("10"), "0xa"),
            (json!(decimal), &most),
        ] {
            assert_eq!(read(given.clone()).as_deref(), Some(expected), "{given}");
        }
        for given in [
            json!(9_007_199_254_740_992_u64),
            json!(-1),
            json!(1.5),
            json!("-1"),
            json!(""),
            json!("01"),
            json!("1a"),
            json!("0X1"),
            json!(decimal.replace("935", "936")),
            json!("1".repeat(79)),
            json!(true),
            json!([]),
        ] {
            assert_eq!(read(given.clone()), None, "{given}");
        }
    }
}

//! Ordered keys with their versions: values, histories, ranges, counts, entries for replicas, updates.

pub(crate) mod message;

use prooflight_amb::{
    HistoryQuestion, KeysQuestion, UpdatePart, verify, verify_count, verify_history, verify_range,
    verify_transfer, verify_update,
};
use prooflight_core::store::RawKeyChange;
use prooflight_core::{Result, Scheme};
use prooflight_light::{KeyState, StatementAnswer};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::amb::message::{AmbQuery, AmbRequest, GetQuery, HistQuery, UpdateQuery};
use crate::refusal::throw;
use crate::wire::RequestValue as _;

/// Verifies a proof of any kind: takes an `AmbRequest` and the proof, returns the matching response. An update has its
/// proofs in the request.
#[wasm_bindgen(js_name = ambVerify)]
pub fn amb_verify(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Amb, answer(request, proof))
}

fn answer(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let AmbRequest { root, limits, query } = AmbRequest::decode(request)?;
    match query {
        AmbQuery::Get(GetQuery { keys, at }) => {
            let states = verify(&root, &KeysQuestion { keys: &keys, at }, proof, &limits)?;
            let states = states.into_inner().into_iter().map(KeyState::from).collect();
            crate::state::message::keys(&StatementAnswer::Keys(states))
        }
        AmbQuery::Hist(HistQuery { keys, from, to }) => {
            let question = HistoryQuestion { keys: &keys, from, to };
            Ok(message::histories(verify_history(&root, &question, proof, &limits)?.get()))
        }
        AmbQuery::Range(range) => {
            Ok(crate::answers::entries(verify_range(&root, &range, proof, &limits)?.get()))
        }
        AmbQuery::Count(count) => {
            Ok(verify_count(&root, &count, proof, &limits)?.get().to_le_bytes().to_vec())
        }
        AmbQuery::Transfer(transfer) => {
            Ok(message::replicas(verify_transfer(&root, &transfer, proof, &limits)?.get()))
        }
        AmbQuery::Update(UpdateQuery { operations, parts }) => {
            let operations = operations.iter().map(|&(key, value)| RawKeyChange { key, value });
            let parts = parts.iter().map(|(keys, proof)| UpdatePart { keys, proof });
            let (operations, parts) = (operations.collect::<Vec<_>>(), parts.collect::<Vec<_>>());
            Ok(verify_update(&root, &operations, &parts, &limits)?.get().to_vec())
        }
    }
}

//! Statements about a chain's state, verified against headers: one entry point for every scheme and statement.

pub(crate) mod message;

use prooflight_core::Result;
use prooflight_light::{Statement, Trust, verify};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::refusal::throw;
#[cfg(feature = "smt")]
use crate::state::message::DiffRequest;
#[cfg(feature = "histories")]
use crate::state::message::HistoryRequest;
use crate::state::message::{self as messages, KeysRequest, StateRequest};
#[cfg(feature = "ranges")]
use crate::state::message::{CountRequest, PageRequest};
use crate::wire::RequestValue as _;

/// Verifies a proof about the state: takes a `StateRequest` and the proof, returns the matching response.
#[wasm_bindgen(js_name = verifyState)]
pub fn verify_state(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    let request = throw(None, StateRequest::decode(request))?;
    throw(request.scheme(), answer(&request, proof))
}

fn answer(request: &StateRequest<'_>, proof: &[u8]) -> Result<Vec<u8>> {
    match request {
        StateRequest::Keys(request) => keys(request, proof),
        #[cfg(feature = "histories")]
        StateRequest::History(request) => history(request, proof),
        #[cfg(feature = "smt")]
        StateRequest::Diff(request) => diff(request, proof),
        #[cfg(feature = "avl")]
        StateRequest::Block(request) => block(request, proof),
        #[cfg(feature = "ranges")]
        StateRequest::Range(request) => range(request, proof),
        #[cfg(feature = "ranges")]
        StateRequest::Count(request) => count(request, proof),
    }
}

fn keys(request: &KeysRequest<'_>, proof: &[u8]) -> Result<Vec<u8>> {
    let headers = messages::one_header(request.header)?;
    let height = request.at.unwrap_or(headers.newest().height);
    let statement = Statement::Keys { height, keys: &request.keys };
    let verify = |trust: &Trust<'_>| verify(trust, request.scheme, &headers, &statement, proof);
    #[cfg(feature = "lvmt")]
    if let Some(setup) = request.setup()? {
        let key = setup.key()?;
        let setup =
            prooflight_light::TrustedSetup { key: &key, allow_insecure: setup.allow_insecure };
        return messages::keys(verify(&Trust::new(&request.config).with_setup(setup))?.get());
    }
    messages::keys(verify(&Trust::new(&request.config))?.get())
}

#[cfg(feature = "histories")]
fn history(request: &HistoryRequest<'_>, proof: &[u8]) -> Result<Vec<u8>> {
    let headers = request.history.headers()?;
    let trust = Trust::new(&request.history.config);
    let (from, to) = (request.from, request.to.unwrap_or(headers.newest().height));
    let key = request.key;
    #[cfg(feature = "smt")]
    if request.average {
        let (history, average) =
            prooflight_light::verify_average(&trust, &headers, key, (from, to), proof)?;
        let average = crate::smt::message::average(average.get());
        return Ok(messages::history(&headers, &history, Some(average)));
    }
    let statement = Statement::History { key, from, to };
    match verify(&trust, request.scheme, &headers, &statement, proof)?.get() {
        prooflight_light::StatementAnswer::History(history) => {
            Ok(messages::history(&headers, history, None))
        }
        _ => Err(messages::wrong_answer()),
    }
}

#[cfg(feature = "smt")]
fn diff(request: &DiffRequest<'_>, proof: &[u8]) -> Result<Vec<u8>> {
    let headers = request.history.headers()?;
    let trust = Trust::new(&request.history.config);
    let to = request.to.unwrap_or(headers.newest().height);
    let statement = Statement::Diff { from: request.from, to };
    match verify(&trust, prooflight_core::Scheme::Smt, &headers, &statement, proof)?.get() {
        prooflight_light::StatementAnswer::Diff(changes) => Ok(messages::diff(&headers, changes)),
        _ => Err(messages::wrong_answer()),
    }
}

#[cfg(feature = "ranges")]
fn range(request: &PageRequest<'_>, proof: &[u8]) -> Result<Vec<u8>> {
    let headers = messages::one_header(request.header)?;
    let PageRequest { at, lo, hi, reverse, .. } = *request;
    let height = at.unwrap_or(headers.newest().height);
    let statement = Statement::Range { height, lo, hi, reverse };
    let trust = Trust::new(&request.config);
    match verify(&trust, request.scheme, &headers, &statement, proof)?.get() {
        prooflight_light::StatementAnswer::Range(page) => Ok(crate::answers::entries(page)),
        _ => Err(messages::wrong_answer()),
    }
}

#[cfg(feature = "ranges")]
fn count(request: &CountRequest<'_>, proof: &[u8]) -> Result<Vec<u8>> {
    let headers = messages::one_header(request.header)?;
    let CountRequest { lo, hi, .. } = *request;
    let statement = Statement::Count { height: headers.newest().height, lo, hi };
    let trust = Trust::new(&request.config);
    match verify(&trust, request.scheme, &headers, &statement, proof)?.get() {
        prooflight_light::StatementAnswer::Count(count) => Ok(count.to_le_bytes().to_vec()),
        _ => Err(messages::wrong_answer()),
    }
}

#[cfg(feature = "avl")]
fn block(request: &messages::BlockRequest<'_>, proof: &[u8]) -> Result<Vec<u8>> {
    use prooflight_avl::Digest;
    use prooflight_light::{PreviousState, verify_block};

    let parent = request.parent.map(messages::header).transpose()?;
    let digest = request.digest.map(Digest::try_from).transpose()?;
    let before = PreviousState { parent: parent.as_ref(), digest };
    let header = messages::header(request.header)?;
    let after = verify_block(&before, &header, &request.operations, proof, &request.limits)?;
    Ok(after.0.to_vec())
}

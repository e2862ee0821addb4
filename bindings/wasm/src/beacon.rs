//! Ethereum's heads. A call takes the client's state as bytes, and returns the next one.

mod message;

use prooflight_beacon::{Kind, LightClient, read_chunks};
use prooflight_core::{Limits, Reason, Result};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::beacon::message::{AgeRequest, ProcessRequest, StartRequest, Updates, heads};
use crate::refusal::throw;

/// Starts at a checkpoint: takes a `StartRequest` and a bootstrap in SSZ, returns `Heads`.
#[wasm_bindgen(js_name = beaconStart)]
pub fn beacon_start(request: &[u8], bootstrap: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, start(request, bootstrap))
}

/// Continues from an exported state, which the caller trusts: takes an `AgeRequest`, returns `Heads`.
#[wasm_bindgen(js_name = beaconResume)]
pub fn beacon_resume(request: &[u8], state: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, resume(request, state))
}

/// Processes updates in SSZ: takes a `ProcessRequest`, returns `Heads`.
#[wasm_bindgen(js_name = beaconProcess)]
pub fn beacon_process(request: &[u8], state: &[u8], updates: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, process(request, state, updates))
}

/// Checks that the newest head is not too old: takes an `AgeRequest`.
#[wasm_bindgen(js_name = beaconCheckHead)]
pub fn beacon_check_head(request: &[u8], state: &[u8]) -> Result<(), JsValue> {
    throw(None, check_head(request, state))
}

fn start(request: &[u8], bootstrap: &[u8]) -> Result<Vec<u8>> {
    let StartRequest { age, checkpoint } = StartRequest::decode(request)?;
    let (slot, most) = (age.slot(), age.slots());
    heads(&LightClient::start(age.network, &checkpoint, bootstrap, slot, most)?, slot)
}

fn resume(request: &[u8], state: &[u8]) -> Result<Vec<u8>> {
    let age = AgeRequest::decode(request)?;
    let (slot, most) = (age.slot(), age.slots());
    heads(&LightClient::import(age.network, state, slot, most)?, slot)
}

fn process(request: &[u8], state: &[u8], ssz: &[u8]) -> Result<Vec<u8>> {
    let ProcessRequest { network, now, updates } = ProcessRequest::decode(request)?;
    let slot = network.slot_at(now);
    let mut client = LightClient::import(network, state, slot, u64::MAX)?;
    match updates {
        Updates::Finality => client.process(Kind::Finality, ssz, slot).map(|_| ())?,
        Updates::Optimistic => client.process(Kind::Optimistic, ssz, slot).map(|_| ())?,
        Updates::Update => allow_known(client.process(Kind::Update, ssz, slot))?,
        Updates::Answer { most } => {
            for chunk in read_chunks(ssz, most, &Limits::DEFAULT)? {
                allow_known(client.process_chunk(&chunk, slot))?;
            }
        }
    }
    heads(&client, slot)
}

/// A server gives each period's best update, which may be older than the finalized head.
fn allow_known<T>(processed: Result<T>) -> Result<()> {
    match processed {
        Err(error) if error.reason() == Reason::UpdateNotNewer => Ok(()),
        other => other.map(|_| ()),
    }
}

fn check_head(request: &[u8], state: &[u8]) -> Result<()> {
    let age = AgeRequest::decode(request)?;
    let (slot, most) = (age.slot(), age.slots());
    let client = LightClient::import(age.network, state, slot, u64::MAX)?;
    client.optimistic()?.check_age(slot, most)
}

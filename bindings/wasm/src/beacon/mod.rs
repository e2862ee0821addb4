//! Ethereum's heads. A call takes the client's state as bytes, and returns the next one.

mod message;

use prooflight_beacon::{LightClient, SlotClock, UpdateKind, read_chunks};
use prooflight_core::{Limits, Reason, Result};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::beacon::message::{AgeRequest, ProcessRequest, StartRequest, UpdateForm, heads};
use crate::refusal::throw;
use crate::wire::RequestValue as _;

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

/// The fork version that signatures of a slot cover, 4 bytes: takes an `AgeRequest` and the slot's time in seconds.
#[wasm_bindgen(js_name = beaconForkVersion)]
pub fn beacon_fork_version(request: &[u8], time: u64) -> Result<Vec<u8>, JsValue> {
    throw(None, fork_version(request, time))
}

fn fork_version(request: &[u8], time: u64) -> Result<Vec<u8>> {
    let (network, _, _) = AgeRequest::decode(request)?.slots()?;
    Ok(network.fork_version(network.slot_at(time)).to_vec())
}

fn start(request: &[u8], bootstrap: &[u8]) -> Result<Vec<u8>> {
    let StartRequest { age, checkpoint } = StartRequest::decode(request)?;
    let (network, clock, max_age) = age.slots()?;
    heads(&LightClient::start(network, &checkpoint, bootstrap, clock, max_age)?, clock)
}

fn resume(request: &[u8], state: &[u8]) -> Result<Vec<u8>> {
    let (network, clock, max_age) = AgeRequest::decode(request)?.slots()?;
    heads(&LightClient::import(network, state, clock, max_age)?, clock)
}

fn process(request: &[u8], state: &[u8], ssz: &[u8]) -> Result<Vec<u8>> {
    let ProcessRequest { clock, updates } = ProcessRequest::decode(request)?;
    let (network, clock) = clock.slots()?;
    let mut client = LightClient::import(network, state, clock, u64::MAX)?;
    match updates {
        UpdateForm::Finality => client.process(UpdateKind::Finality, ssz, clock).map(|_| ())?,
        UpdateForm::Optimistic => client.process(UpdateKind::Optimistic, ssz, clock).map(|_| ())?,
        UpdateForm::Update => allow_known(client.process(UpdateKind::Update, ssz, clock))?,
        UpdateForm::Answer { most } => process_answer(&mut client, ssz, most, clock)?,
    }
    heads(&client, clock)
}

/// Processes updates in order, up to the first that does not verify. That one is refused, unless an update before it led
/// to another committee.
fn process_answer(
    client: &mut LightClient,
    ssz: &[u8],
    most: usize,
    clock: SlotClock,
) -> Result<()> {
    let committees = |client: &LightClient| (client.period(), client.knows_next_committee());
    let before = committees(client);
    for chunk in read_chunks(ssz, most, &Limits::DEFAULT)? {
        let processed = allow_known(client.process_chunk(&chunk, clock));
        if processed.is_err() && client.evidence().is_none() && committees(client) != before {
            return Ok(());
        }
        processed?;
    }
    Ok(())
}

/// Accepts an update that is not newer: a server sends each period's best update, which may be older than the
/// finalized head.
fn allow_known<T>(processed: Result<T>) -> Result<()> {
    match processed {
        Err(error) if error.reason() == Reason::UpdateNotNewer => Ok(()),
        other => other.map(|_| ()),
    }
}

fn check_head(request: &[u8], state: &[u8]) -> Result<()> {
    let (network, clock, max_age) = AgeRequest::decode(request)?.slots()?;
    LightClient::import(network, state, clock, u64::MAX)?.optimistic()?.check_age(clock, max_age)
}

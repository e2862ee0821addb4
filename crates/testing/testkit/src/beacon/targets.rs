//! The fuzz targets; a panic is a finding.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use prooflight_beacon::{
    BeaconHead, Bootstrap, LightClient, Network, Update, UpdateKind, read_chunks,
};
use prooflight_core::{Code, Error, Limits};

use super::BeaconChain;
use crate::replay::FuzzTarget;

/// The targets, by name.
pub const TARGETS: [(&str, FuzzTarget); 2] =
    [("beacon_decode", beacon_decode), ("beacon_mutate", beacon_mutate)];

const MESSAGE_KINDS: [UpdateKind; 3] =
    [UpdateKind::Update, UpdateKind::Finality, UpdateKind::Optimistic];
const NOW_SECONDS: u64 = 1000;

/// Decodes arbitrary bytes with every decoder: none may panic.
pub fn beacon_decode(u: &mut Unstructured<'_>) -> Result<()> {
    let bytes = u.bytes(u.len())?;
    let made_up = &HONEST_MESSAGES.chain.network;
    for network in [&Network::MAINNET, made_up] {
        check(Bootstrap::decode(bytes, network));
        for kind in MESSAGE_KINDS {
            check(Update::decode(kind, bytes, network));
        }
        check(LightClient::import(network.clone(), bytes, NOW_SECONDS, NOW_SECONDS));
    }
    for chunk in read_chunks(bytes, 4, &Limits::DEFAULT).unwrap_or_default() {
        assert!(chunk.ssz.len() < bytes.len());
    }
    Ok(())
}

fn check<T>(result: std::result::Result<T, Error>) {
    if let Err(error) = result {
        assert_ne!(error.code(), Code::Internal, "{error}");
    }
}

/// Changes honest messages of every fork: if still accepted, they must lead to the honest heads.
pub fn beacon_mutate(u: &mut Unstructured<'_>) -> Result<()> {
    let case = u.choose(&HONEST_MESSAGES.cases)?;
    let other = u.choose(&HONEST_MESSAGES.cases)?;
    let mut ssz = case.ssz.clone();
    for _ in 0..u.int_in_range(1..=2)? {
        mutate(u, &mut ssz, &other.ssz)?;
    }
    let mut client = case.client.clone();
    match client.process(case.kind, &ssz, NOW_SECONDS) {
        Ok(_) => {
            let heads = [client.finalized(), client.optimistic()].map(|head| *head.unwrap());
            assert!(heads == case.heads || heads == case.before, "{heads:?}");
        }
        Err(error) => assert_ne!(error.code(), Code::Internal, "{error}"),
    }
    Ok(())
}

fn mutate(u: &mut Unstructured<'_>, ssz: &mut Vec<u8>, other: &[u8]) -> Result<()> {
    let at = if ssz.is_empty() { 0 } else { u.choose_index(ssz.len())? };
    match u.int_in_range(0..=4)? {
        0 => ssz.truncate(at),
        1 => ssz.extend(u.bytes(u.len().min(40))?),
        2 if !other.is_empty() => {
            let from = u.choose_index(other.len())?;
            let length = u.int_in_range(1..=256)?.min(other.len() - from).min(ssz.len() - at);
            ssz[at..at + length].copy_from_slice(&other[from..from + length]);
        }
        _ => {
            if let Some(byte) = ssz.get_mut(at) {
                *byte ^= 1 << u.int_in_range(0..=7)?;
            }
        }
    }
    Ok(())
}

struct HonestMessages {
    chain: BeaconChain,
    cases: Vec<MessageCase>,
}

struct MessageCase {
    client: LightClient,
    kind: UpdateKind,
    ssz: Vec<u8>,
    before: [BeaconHead; 2],
    heads: [BeaconHead; 2],
}

/// Every kind of message in every fork.
static HONEST_MESSAGES: LazyLock<HonestMessages> = LazyLock::new(|| {
    let chain = BeaconChain::new(8);
    let mut cases = Vec::new();
    for period in 0..7 {
        let start = 64 * period + 8;
        let client = LightClient::start(
            chain.network.clone(),
            &chain.root(start),
            &chain.bootstrap(start, None),
            NOW_SECONDS,
            NOW_SECONDS,
        )
        .unwrap();
        for kind in MESSAGE_KINDS {
            let ssz = chain.message(&chain.honest_message(kind, start + 32));
            let heads = |client: &LightClient| {
                [client.finalized(), client.optimistic()].map(|head| *head.unwrap())
            };
            let before = heads(&client);
            let mut after = client.clone();
            after.process(kind, &ssz, NOW_SECONDS).unwrap();
            let heads = heads(&after);
            cases.push(MessageCase { client: client.clone(), kind, ssz, before, heads });
        }
    }
    HonestMessages { chain, cases }
});

//! Blocks of a made-up chain, whose operations are numbers.
#![allow(dead_code, reason = "each test file uses only some of it")]

use std::sync::Arc;

use ed25519_dalek::{Signer, SigningKey};
use prooflight_core::chain::{
    Blake2bTree, ChainConfig, ChainLimits, Header, SchemeConfig, SignedHeader,
};
use prooflight_core::{Scheme, blake2b256, merkle};
use prooflight_log::LogEntry;

fn keys() -> [SigningKey; 2] {
    [1, 2].map(|n| SigningKey::from_bytes(&[n; 32]))
}

/// A chain with two authorities, one of which must sign.
pub(crate) fn config(name: &str) -> Arc<ChainConfig> {
    Arc::new(ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: name.into(),
        schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
        authorities: keys().iter().map(|key| key.verifying_key().to_bytes()).collect(),
        quorum: 1,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: 1_700_000_000_000,
    })
}

/// The block after another, with these operations, signed by one of the authorities.
pub(crate) fn block(
    config: &ChainConfig,
    parent: Option<&LogEntry>,
    operations: &[u64],
    signer: u16,
) -> LogEntry {
    let body: Vec<u8> = operations.iter().flat_map(|number| number.to_le_bytes()).collect();
    let header = Header {
        version: 1,
        chain: config.id(),
        height: parent.map_or(0, |parent| parent.height() + 1),
        parent: parent.map_or([0; 32], LogEntry::hash),
        timestamp_ms: parent
            .map_or(config.genesis_timestamp_ms, |parent| parent.header.header.timestamp_ms + 1),
        ops_root: blake2b256(&[&body]),
        history_root: merkle::root::<Blake2bTree>(&[]),
        roots: vec![(Scheme::Avl.id(), vec![7; 33])],
    };
    let signature = keys()[usize::from(signer)].sign(&header.hash()).to_bytes();
    LogEntry { header: SignedHeader { header, signatures: vec![(signer, signature)] }, body }
}

/// The operations of a block.
pub(crate) fn operations(block: &LogEntry) -> Vec<u64> {
    let (numbers, rest) = block.body.as_chunks();
    assert!(rest.is_empty());
    numbers.iter().map(|number| u64::from_le_bytes(*number)).collect()
}

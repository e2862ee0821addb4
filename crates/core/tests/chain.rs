//! What no vector states of chains: values that were never decoded, and headers without a proof.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests fail by panicking, and count blocks in tens"
)]

use ed25519_dalek::{Signer, SigningKey};
use prooflight_core::chain::{
    AcceptedHeaders, Blake2bTree, ChainConfig, ChainLimits, Checkpoint, Header, SchemeConfig,
    SignedHeader, SyncPolicy, operations_root, verify_head,
};
use prooflight_core::merkle::{self, leaf_hash};
use prooflight_core::{Hash, Limits, Reason, Scheme};

const START: u64 = 1_700_000_000_000;

fn keys() -> Vec<SigningKey> {
    (1..=4).map(|n| SigningKey::from_bytes(&[n; 32])).collect()
}

fn config() -> ChainConfig {
    ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: "test".into(),
        schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
        authorities: keys().iter().map(|key| key.verifying_key().to_bytes()).collect(),
        quorum: 3,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: START,
    }
}

/// The headers of the heights 0..length.
fn headers(length: u64) -> Vec<Header> {
    let mut headers: Vec<Header> = Vec::new();
    for height in 0..length {
        let hashes: Vec<Hash> = headers.iter().map(leaf).collect();
        headers.push(Header {
            version: 1,
            chain: config().id(),
            height,
            parent: headers.last().map_or([0; 32], Header::hash),
            timestamp_ms: START + height * 1000,
            ops_root: operations_root(&[]),
            history_root: merkle::root::<Blake2bTree>(&hashes),
            roots: vec![(1, vec![7; 33])],
        });
    }
    headers
}

fn leaf(header: &Header) -> Hash {
    leaf_hash::<Blake2bTree>(&header.hash())
}

#[test]
fn a_head_is_checked_when_it_is_decoded_and_when_it_never_was() {
    let [header]: [Header; 1] = headers(1).try_into().unwrap();
    let checkpoint = Checkpoint { config: config(), height: 0, header_hash: header.hash() };
    let sign = |header: &Header, authorities: &[u16]| {
        let hash = header.hash();
        let sign = |&index: &u16| (index, keys()[usize::from(index)].sign(&hash).to_bytes());
        SignedHeader { signatures: authorities.iter().map(sign).collect(), header: header.clone() }
    };
    let reasons = |head: &SignedHeader| {
        let decoded = SignedHeader::decode(&head.encode(), &Limits::DEFAULT);
        if let Ok(decoded) = &decoded {
            assert_eq!(decoded, head);
        }
        let verified = verify_head(&checkpoint, head, &[], &SyncPolicy::at(START));
        [decoded.err(), verified.err()].map(|error| error.map(|error| error.reason()))
    };
    assert_eq!(reasons(&sign(&header, &[0, 1, 3])), [None; 2]);
    // One authority counted twice or more.
    for again in [[0, 0, 0], [0, 0, 1], [1, 0, 3]] {
        assert_eq!(reasons(&sign(&header, &again)), [Some(Reason::SignatureOrder); 2]);
    }
    let newer = Header { version: 2, ..header.clone() };
    assert_eq!(reasons(&sign(&newer, &[0, 1, 3])), [Some(Reason::InvalidHeader); 2]);
}

#[test]
fn a_block_follows_its_parent_and_no_other() {
    let [genesis, one, two]: [Header; 3] = headers(3).try_into().unwrap();
    assert_eq!(one.check_follows(&genesis), Ok(()));
    assert_eq!(two.check_follows(&one), Ok(()));
    let reason = |header: &Header, parent| header.check_follows(parent).unwrap_err().reason();
    assert_eq!(reason(&two, &genesis), Reason::NotExtending);
    assert_eq!(reason(&one, &one), Reason::NotExtending);
    let later = Header { height: 3, ..two.clone() };
    assert_eq!(reason(&later, &one), Reason::InvalidHeader);
    for timestamp_ms in [one.timestamp_ms, one.timestamp_ms - 1] {
        let at_once = Header { timestamp_ms, ..two.clone() };
        assert_eq!(reason(&at_once, &one), Reason::InvalidHeader);
    }
}

#[test]
fn headers_of_one_history_are_found_by_their_height() {
    let chain = headers(6);
    let head = chain[5].clone();
    let older = [1, 3].map(|at| chain[at].clone());
    let leaves: Vec<Hash> = chain[..5].iter().map(leaf).collect();
    let hashes: Vec<Hash> = merkle::multiproof(&[1, 3], 5)
        .unwrap()
        .into_iter()
        .map(|part| {
            merkle::root::<Blake2bTree>(&leaves[part.start as usize..][..part.size as usize])
        })
        .collect();
    let headers = AcceptedHeaders::with_ancestors(head.clone(), older.to_vec(), &hashes).unwrap();
    for found in [&head, &older[0], &older[1]] {
        assert_eq!(headers.at(found.height), Ok(found));
    }
    for missing in [0, 2, 4, 6] {
        assert_eq!(headers.at(missing).unwrap_err().reason(), Reason::InvalidResult);
    }
    let others = [1, 2].map(|at| chain[at].clone());
    let refused =
        AcceptedHeaders::with_ancestors(head.clone(), others.to_vec(), &hashes).unwrap_err();
    assert_eq!(refused.reason(), Reason::NotAnAncestor);
    assert!(AcceptedHeaders::one(head).older().is_empty());
}

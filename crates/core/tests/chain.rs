//! The heads that a light client accepts, and each kind that it must refuse.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests fail by panicking, and count blocks in tens"
)]

use ed25519_dalek::{Signer, SigningKey};
use prooflight_core::chain::{
    AcceptedHeaders, Blake2bTree, ChainConfig, ChainLimits, Checkpoint, Header, HeaderOrder,
    RequestedBlock, SchemeConfig, SignedHeader, StateOperation, SyncPolicy, check_requested,
    operations_root, relation, verify_ancestor, verify_ancestor_at, verify_ancestors, verify_head,
};
use prooflight_core::merkle::{self, inclusion_path, leaf_hash};
use prooflight_core::{Code, Error, Hash, Limits, Reason, Scheme};

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

/// A chain whose heights 0..length all have a header.
struct Chain {
    config: ChainConfig,
    headers: Vec<Header>,
}

impl Chain {
    fn new(length: u64, root: u8) -> Self {
        let config = config();
        let mut headers: Vec<Header> = Vec::new();
        for height in 0..length {
            let hashes: Vec<Hash> = headers.iter().map(leaf).collect();
            headers.push(Header {
                version: 1,
                chain: config.id(),
                height,
                parent: headers.last().map_or([0; 32], Header::hash),
                timestamp_ms: START + height * 1000,
                ops_root: operations_root(&[]),
                history_root: merkle::root::<Blake2bTree>(&hashes),
                roots: vec![(1, vec![root; 33])],
            });
        }
        Self { config, headers }
    }

    fn signed(&self, height: usize) -> SignedHeader {
        sign(self.headers[height].clone(), &[0, 1, 3])
    }

    fn checkpoint(&self, height: usize) -> Checkpoint {
        let header = &self.headers[height];
        Checkpoint {
            config: self.config.clone(),
            height: height as u64,
            header_hash: header.hash(),
        }
    }

    fn path(&self, height: usize, head: usize) -> Vec<Hash> {
        let leaves: Vec<Hash> = self.headers[..head].iter().map(leaf).collect();
        inclusion_path::<Blake2bTree>(&leaves, height).unwrap()
    }
}

fn leaf(header: &Header) -> Hash {
    leaf_hash::<Blake2bTree>(&header.hash())
}

fn sign(header: Header, authorities: &[u16]) -> SignedHeader {
    let hash = header.hash();
    let sign = |&index: &u16| (index, keys()[usize::from(index)].sign(&hash).to_bytes());
    SignedHeader { signatures: authorities.iter().map(sign).collect(), header }
}

fn policy() -> SyncPolicy {
    SyncPolicy::at(START + 60_000)
}

fn refused(
    checkpoint: &Checkpoint,
    head: &SignedHeader,
    path: &[Hash],
    policy: &SyncPolicy,
) -> Reason {
    let error: Error = verify_head(checkpoint, head, path, policy).unwrap_err();
    error.reason()
}

#[test]
fn every_head_extends_every_checkpoint_before_it() {
    let chain = Chain::new(20, 7);
    for head in 0..20 {
        for at in 0..=head {
            let path = if at == head { Vec::new() } else { chain.path(at, head) };
            let accepted =
                verify_head(&chain.checkpoint(at), &chain.signed(head), &path, &policy()).unwrap();
            assert_eq!(accepted, chain.checkpoint(head));
            verify_ancestor(&chain.headers[head], &chain.headers[at], &path).unwrap();
        }
    }
}

#[test]
fn a_head_that_does_not_extend_the_checkpoint_is_untrusted() {
    let (chain, fork) = (Chain::new(10, 7), Chain::new(10, 8));
    let checkpoint = chain.checkpoint(4);
    // Another chain's history, even if correctly signed.
    let path = fork.path(4, 9);
    assert_eq!(refused(&checkpoint, &fork.signed(9), &path, &policy()), Reason::NotExtending);
    let path = chain.path(4, 9);
    assert_eq!(refused(&checkpoint, &chain.signed(9), &path[1..], &policy()), Reason::NotExtending);
    assert_eq!(refused(&checkpoint, &chain.signed(9), &[], &policy()), Reason::NotExtending);
    assert_eq!(refused(&checkpoint, &chain.signed(4), &path, &policy()), Reason::NotExtending);
    // Two headers of one height.
    assert_eq!(refused(&checkpoint, &fork.signed(4), &[], &policy()), Reason::Equivocation);
    assert_eq!(refused(&checkpoint, &chain.signed(3), &[], &policy()), Reason::HeadBehind);
}

#[test]
fn only_valid_signatures_of_distinct_authorities_count() {
    let chain = Chain::new(3, 7);
    let checkpoint = chain.checkpoint(2);
    let check = |head: &SignedHeader| refused(&checkpoint, head, &[], &policy());
    let header = || chain.headers[2].clone();
    assert_eq!(check(&sign(header(), &[])), Reason::TooFewSignatures);
    assert_eq!(check(&sign(header(), &[0, 3])), Reason::TooFewSignatures);
    // One authority counted twice or more, in values that were never decoded.
    for again in [[0, 0, 0], [0, 0, 1], [1, 0, 3]] {
        assert_eq!(check(&sign(header(), &again)), Reason::SignatureOrder);
    }
    // A signature of the wrong key, of another header, with one bit flipped.
    let mut head = sign(header(), &[0, 1, 2]);
    head.signatures[2].0 = 3;
    assert_eq!(check(&head), Reason::TooFewSignatures);
    let mut head = sign(chain.headers[1].clone(), &[0, 1, 2]);
    head.header = header();
    assert_eq!(check(&head), Reason::TooFewSignatures);
    let mut head = sign(header(), &[0, 1, 2]);
    head.signatures[0].1[63] ^= 0x20;
    assert_eq!(check(&head), Reason::TooFewSignatures);
    // Four signatures, three of them valid, are enough.
    let mut head = sign(header(), &[0, 1, 2, 3]);
    head.signatures[1].1 = [0; 64];
    verify_head(&checkpoint, &head, &[], &policy()).unwrap();
    let mut head = sign(header(), &[0, 1, 2]);
    head.signatures[2].0 = 4;
    assert_eq!(check(&head), Reason::SignatureOrder);
}

#[test]
fn a_key_of_small_order_signs_nothing() {
    let mut chain = Chain::new(1, 7);
    // The neutral element: with lenient verification R = 0, s = 0 is a signature of everything.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    chain.config.authorities = vec![neutral];
    chain.config.quorum = 1;
    chain.headers[0].chain = chain.config.id();
    let mut signature = [0; 64];
    signature[0] = 1;
    let head = SignedHeader { header: chain.headers[0].clone(), signatures: vec![(0, signature)] };
    assert_eq!(refused(&chain.checkpoint(0), &head, &[], &policy()), Reason::TooFewSignatures);
}

#[test]
fn another_chain_or_other_schemes_are_untrusted() {
    let chain = Chain::new(1, 7);
    let mut checkpoint = chain.checkpoint(0);
    checkpoint.config.chain_id = "other".into();
    assert_eq!(refused(&checkpoint, &chain.signed(0), &[], &policy()), Reason::WrongChain);
    let mut header = chain.headers[0].clone();
    header.roots.push((3, vec![0; 32]));
    let head = sign(header, &[0, 1, 2]);
    assert_eq!(refused(&chain.checkpoint(0), &head, &[], &policy()), Reason::WrongSchemes);
}

#[test]
fn the_clock_counts() {
    let chain = Chain::new(1, 7);
    let check = |policy: &SyncPolicy| {
        verify_head(&chain.checkpoint(0), &chain.signed(0), &[], policy).map_err(|e| e.reason())
    };
    assert!(check(&SyncPolicy::at(START - 30_000)).is_ok());
    assert_eq!(check(&SyncPolicy::at(START - 30_001)).unwrap_err(), Reason::HeadInFuture);
    let aged = |age| SyncPolicy { max_head_age_ms: Some(5000), ..SyncPolicy::at(START + age) };
    assert!(check(&aged(5000)).is_ok());
    assert_eq!(check(&aged(5001)).unwrap_err(), Reason::HeadTooOld);
    assert!(check(&SyncPolicy::at(u64::MAX)).is_ok());
}

#[test]
fn an_ancestor_is_in_its_place_or_nowhere() {
    let (chain, fork) = (Chain::new(10, 7), Chain::new(10, 8));
    let head = &chain.headers[9];
    let check = |header: &Header, path: &[Hash]| {
        verify_ancestor(head, header, path).map_err(|error| error.reason())
    };
    assert_eq!(check(&fork.headers[4], &chain.path(4, 9)), Err(Reason::NotAnAncestor));
    assert_eq!(check(&chain.headers[4], &chain.path(5, 9)), Err(Reason::NotAnAncestor));
    assert_eq!(check(&chain.headers[4], &[]), Err(Reason::NotAnAncestor));
    assert_eq!(check(&fork.headers[9], &[]), Err(Reason::NotAnAncestor));
    let mut later = chain.headers[9].clone();
    later.height = 10;
    assert_eq!(check(&later, &[]), Err(Reason::NotAnAncestor));
}

#[test]
fn several_ancestors_are_in_their_places_or_refused() {
    let chain = Chain::new(14, 7);
    let other = Chain::new(14, 8);
    let head = &chain.headers[13];
    let leaves: Vec<Hash> = chain.headers[..13].iter().map(leaf).collect();
    let hashes_of = |heights: &[u64]| -> Vec<Hash> {
        let parts = merkle::multiproof(heights, 13).unwrap();
        let root = |part: merkle::Subtree| {
            let start = part.start as usize;
            merkle::root::<Blake2bTree>(&leaves[start..start + part.size as usize])
        };
        parts.into_iter().map(root).collect()
    };
    let headers_of = |heights: &[u64]| -> Vec<Header> {
        heights.iter().map(|&height| chain.headers[height as usize].clone()).collect()
    };
    let refused = |headers: &[Header], hashes: &[Hash]| {
        let error = verify_ancestors(head, headers, hashes).unwrap_err();
        assert_eq!(error.reason(), Reason::NotAnAncestor);
    };
    for mask in 1_u32..1 << 13 {
        let heights: Vec<u64> = (0..13).filter(|height| mask >> height & 1 == 1).collect();
        verify_ancestors(head, &headers_of(&heights), &hashes_of(&heights)).unwrap();
    }
    verify_ancestors(head, &[], &[]).unwrap();
    refused(&[], &[[0; 32]]);

    let heights = [2, 3, 9];
    let (headers, hashes) = (headers_of(&heights), hashes_of(&heights));
    for at in 0..headers.len() {
        let mut forged = headers.clone();
        forged[at] = other.headers[heights[at] as usize].clone();
        refused(&forged, &hashes);
        let mut dropped = headers.clone();
        dropped.remove(at);
        refused(&dropped, &hashes);
        let mut twice = headers.clone();
        twice.insert(at, headers[at].clone());
        refused(&twice, &hashes);
    }
    for at in 0..hashes.len() {
        let mut forged = hashes.clone();
        forged[at][31] ^= 1;
        refused(&headers, &forged);
        refused(&headers, &hashes[..at]);
    }
    refused(&headers, &[&hashes[..], &[[0; 32]]].concat());
    refused(&[headers[1].clone(), headers[0].clone(), headers[2].clone()], &hashes);
    // The head is not in its own history.
    refused(&headers_of(&[13]), &[]);
}

#[test]
fn configurations_that_no_chain_has() {
    let valid = config();
    valid.check().unwrap();
    let broken = |change: fn(&mut ChainConfig)| {
        let mut config = config();
        change(&mut config);
        let error = config.check().unwrap_err();
        assert_eq!((error.code(), error.reason()), (Code::InvalidInput, Reason::InvalidConfig));
    };
    broken(|c| c.version = 1);
    broken(|c| c.quorum = 0);
    broken(|c| c.quorum = 5);
    broken(|c| c.authorities[1] = c.authorities[0]);
    broken(|c| c.schemes = [Scheme::Smt, Scheme::Avl].map(SchemeConfig::without_params).to_vec());
    broken(|c| c.schemes = [Scheme::Avl, Scheme::Avl].map(SchemeConfig::without_params).to_vec());
    broken(|c| c.schemes = vec![SchemeConfig { id: 9, params: vec![] }]);
    broken(|c| c.schemes = vec![SchemeConfig::without_params(Scheme::Lvmt)]);
    broken(|c| c.schemes = vec![SchemeConfig { id: 1, params: vec![0] }]);
    broken(|c| c.authorities.clear());
}

#[test]
fn encodings_are_strict() {
    let chain = Chain::new(2, 7);
    let limits = Limits::default();
    let bytes = chain.signed(1).encode();
    assert_eq!(SignedHeader::decode(&bytes, &limits), Ok(chain.signed(1)));
    for n in 0..bytes.len() {
        let error = SignedHeader::decode(&bytes[..n], &limits).unwrap_err();
        assert_eq!(error.code(), Code::Malformed);
    }
    let reason = |change: fn(&mut SignedHeader)| {
        let mut signed = chain.signed(1);
        change(&mut signed);
        SignedHeader::decode(&signed.encode(), &limits).unwrap_err().reason()
    };
    assert_eq!(reason(|s| s.signatures.swap(0, 1)), Reason::SignatureOrder);
    assert_eq!(reason(|s| s.signatures[1].0 = 0), Reason::SignatureOrder);
    assert_eq!(reason(|s| s.header.version = 2), Reason::InvalidHeader);
    assert_eq!(reason(|s| s.header.parent = [0; 32]), Reason::InvalidHeader);
    assert_eq!(reason(|s| s.header.height = 0), Reason::InvalidHeader);
    assert_eq!(reason(|s| s.header.roots[0].1.push(0)), Reason::InvalidHeader);
    assert_eq!(reason(|s| s.header.roots[0].0 = 255), Reason::UnknownScheme);
    assert_eq!(
        reason(|s| s.header.roots = vec![(3, vec![0; 32]), (1, vec![0; 33])]),
        Reason::InvalidHeader
    );
    let mut genesis = chain.headers[0].clone();
    genesis.history_root = [0; 32];
    assert_eq!(
        Header::decode(&genesis.encode(), &limits).unwrap_err().reason(),
        Reason::InvalidHeader
    );
    let long = [&bytes[..], &[0]].concat();
    assert_eq!(SignedHeader::decode(&long, &limits).unwrap_err().reason(), Reason::TrailingBytes);
}

#[test]
fn a_block_follows_its_parent_and_no_other() {
    let chain = Chain::new(3, 7);
    let [genesis, one, two] = [0, 1, 2].map(|at| chain.headers[at].clone());
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
    let chain = Chain::new(6, 7);
    let head = chain.headers[5].clone();
    let older = [1, 3].map(|at| chain.headers[at].clone());
    let leaves: Vec<Hash> = chain.headers[..5].iter().map(leaf).collect();
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
    let others = [1, 2].map(|at| chain.headers[at].clone());
    let refused =
        AcceptedHeaders::with_ancestors(head.clone(), others.to_vec(), &hashes).unwrap_err();
    assert_eq!(refused.reason(), Reason::NotAnAncestor);
    assert!(AcceptedHeaders::one(head).older().is_empty());
}

#[test]
fn a_header_is_that_of_the_block_that_was_asked_for() {
    let header = Chain::new(3, 7).headers[2].clone();
    let reason = |wanted| check_requested(&wanted, &header).map_err(|error| error.reason());
    assert_eq!(reason(RequestedBlock::Newest(2)), Ok(()));
    assert_eq!(reason(RequestedBlock::Newest(3)), Err(Reason::HeadBehind));
    assert_eq!(reason(RequestedBlock::Height(2)), Ok(()));
    assert_eq!(reason(RequestedBlock::Height(1)), Err(Reason::WrongBlock));
    assert_eq!(reason(RequestedBlock::Hash(header.hash())), Ok(()));
    assert_eq!(reason(RequestedBlock::Hash(header.parent)), Err(Reason::WrongBlock));
}

#[test]
fn two_headers_of_one_height_are_the_same_or_conflict() {
    let (a, b) = ([1; 32], [2; 32]);
    assert_eq!(relation((5, &a), (5, &a)), HeaderOrder::Same);
    assert_eq!(relation((5, &a), (5, &b)), HeaderOrder::Conflicting);
    assert_eq!(relation((4, &a), (5, &a)), HeaderOrder::Below);
    assert_eq!(relation((5, &a), (4, &b)), HeaderOrder::Above);
}

#[test]
fn an_ancestor_of_another_height_is_none() {
    let chain = Chain::new(2, 7);
    let (head, genesis) = (&chain.headers[1], &chain.headers[0]);
    assert_eq!(verify_ancestor_at(head, 0, genesis, &[]), Ok(()));
    let refused = verify_ancestor_at(head, 1, genesis, &[]).unwrap_err();
    assert_eq!(refused.reason(), Reason::NotAnAncestor);
}

#[test]
fn keys_are_as_long_as_the_chain_allows() {
    let limits = ChainLimits { max_key: 2, max_value: 3, max_ops: 4 };
    assert_eq!(limits.check_keys(&[&b""[..], b"ab"]), Ok(()));
    let refused = limits.check_keys(&[&b"ab"[..], b"abc"]).unwrap_err();
    assert_eq!(refused.reason(), Reason::KeyLength);
    assert_eq!(limits.proof_limits(), Limits { max_value_bytes: 3, ..Limits::DEFAULT });
}

/// The preimages written out by hand, so that a change of the format fails the test.
#[test]
fn hashes_are_of_the_specified_bytes() {
    let header = &Chain::new(1, 7).headers[0];
    let mut bytes = vec![1];
    bytes.extend(config().id());
    bytes.extend([0; 8]);
    bytes.extend([0; 32]);
    bytes.extend(START.to_le_bytes());
    bytes.extend(header.ops_root);
    bytes.extend(header.history_root);
    bytes.extend([1, 0, 0, 0, 1, 33, 0, 0, 0]);
    bytes.extend([7; 33]);
    assert_eq!(header.encode(), bytes);
    let tagged = [&b"prooflight/header/v1"[..], &bytes].concat();
    assert_eq!(header.hash(), prooflight_core::blake2b256(&[&tagged]));
    let operations = [
        StateOperation::Set { key: b"k".to_vec(), value: Vec::new() },
        StateOperation::Delete { key: b"q".to_vec() },
    ];
    let leaves = [&[0, 1, 0, 0, 0, b'k', 0, 0, 0, 0][..], &[1, 1, 0, 0, 0, b'q']]
        .map(leaf_hash::<Blake2bTree>);
    assert_eq!(operations_root(&operations), merkle::root::<Blake2bTree>(&leaves));
}

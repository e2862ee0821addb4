//! The rules of this crate alone: which scheme answers which statement, and where a block begins.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_amt::VerifyingKey;
use prooflight_avl::state::{empty_state, state_params};
use prooflight_avl::{AvlProver, Digest, Operation};
use prooflight_core::chain::{
    AcceptedHeaders, ChainConfig, ChainLimits, Header, LvmtConfig, SchemeConfig, StateOperation,
    operations_root, state_key,
};
use prooflight_core::{Ability, Reason, Scheme, Verified};
use prooflight_light::{
    KeyState, PreviousState, ProvenValue, Statement, StatementAnswer, Trust, TrustedSetup, verify,
    verify_block,
};

/// A block and its proof.
struct Made {
    header: Header,
    operations: Vec<StateOperation>,
    proof: Vec<u8>,
    digest: Digest,
}

/// Two blocks: the first one sets "a", the second one "b".
fn blocks() -> (AvlProver, [Made; 2]) {
    let mut prover = AvlProver::new(state_params(&ChainLimits::default())).unwrap();
    let mut parent = [0; 32];
    let blocks = [(0, "a"), (1, "b")].map(|(height, name)| {
        let (key, value) = (name.as_bytes().to_vec(), vec![1]);
        let set = Operation::InsertOrUpdate { key: &state_key(&key), value: &value };
        let proved = prover.apply_batch(&[set]).unwrap();
        let operations = vec![StateOperation::Set { key, value }];
        let header = Header {
            version: 1,
            chain: [1; 32],
            height,
            parent,
            timestamp_ms: 10 + height,
            ops_root: operations_root(&operations),
            history_root: [4; 32],
            roots: vec![(Scheme::Avl.id(), proved.digest.0.to_vec())],
        };
        parent = header.hash();
        Made { header, operations, proof: proved.proof, digest: proved.digest }
    });
    (prover, blocks)
}

fn check(block: &Made, before: &PreviousState<'_>) -> Result<Digest, Reason> {
    let Made { header, operations, proof, .. } = block;
    verify_block(before, header, operations, proof, &ChainLimits::default())
        .map(Verified::into_inner)
        .map_err(|error| error.reason())
}

#[test]
fn a_block_begins_where_its_parent_ends() {
    let (_, [genesis, next]) = blocks();
    let parent = Some(&genesis.header);
    assert_eq!(check(&genesis, &PreviousState::default()), Ok(genesis.digest));
    assert_eq!(check(&next, &PreviousState { parent, digest: None }), Ok(next.digest));
    let digest = Some(genesis.digest);
    assert_eq!(check(&next, &PreviousState { parent: None, digest }), Ok(next.digest));
    // Neither a parent nor a digest.
    assert_eq!(check(&next, &PreviousState::default()), Err(Reason::InvalidArgument));
    let empty = Some(empty_state());
    assert_eq!(check(&next, &PreviousState { parent, digest: empty }), Err(Reason::TooManyNodes));
    // Another parent with the same root, and one that is not older.
    let other = Header { chain: [2; 32], ..genesis.header.clone() };
    let before = PreviousState { parent: Some(&other), digest };
    assert_eq!(check(&next, &before), Err(Reason::NotExtending));
    let late = Header { timestamp_ms: 11, ..genesis.header.clone() };
    let header = Header { parent: late.hash(), ..next.header.clone() };
    let before = PreviousState { parent: Some(&late), digest };
    assert_eq!(check(&Made { header, ..next }, &before), Err(Reason::InvalidHeader));
}

fn config() -> ChainConfig {
    ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: String::new(),
        schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
        authorities: vec![[1; 32]],
        quorum: 1,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: 10,
    }
}

#[test]
fn keys_have_what_the_header_shows() {
    let (prover, [_, Made { header, .. }]) = blocks();
    let keys: [&[u8]; 3] = [b"b", b"c", b"b"];
    let hashes = keys.map(state_key);
    let lookups: Vec<_> = hashes.iter().map(|key| Operation::Lookup { key }).collect();
    let proof = prover.prove_batch(&lookups).unwrap().proof;
    let (config, headers) = (config(), AcceptedHeaders::one(header));
    let trust = Trust::new(&config);
    let ask = |scheme, statement| {
        verify(&trust, scheme, &headers, &statement, &proof)
            .map(Verified::into_inner)
            .map_err(|error| error.reason())
    };
    let value = ProvenValue::Proof(&[1]);
    let present = KeyState::Present { value, since: None, version: None, layer: None };
    let absent = KeyState::Absent { deleted_at: None, version: None, layer: None };
    let states = vec![present.clone(), absent, present];
    let keys = Statement::Keys { height: 1, keys: &keys };
    assert_eq!(ask(Scheme::Avl, keys), Ok(StatementAnswer::Keys(states)));
    assert_eq!(ask(Scheme::Smt, keys), Err(Reason::WrongSchemes));
    // The header of another block is not accepted instead.
    let other = Statement::Keys { height: 0, keys: &[] };
    assert_eq!(ask(Scheme::Avl, other), Err(Reason::InvalidResult));
}

#[test]
fn a_scheme_has_the_statements_that_it_proves() {
    let (_, [_, Made { header, .. }]) = blocks();
    let (config, headers) = (config(), AcceptedHeaders::one(header));
    let statements = [
        Statement::Keys { height: 1, keys: &[] },
        Statement::Account { height: 1, address: &[0; 20], slots: &[] },
        Statement::History { key: b"", from: 0, to: 1 },
        Statement::Diff { from: None, to: 1 },
        Statement::Range { height: 1, lo: b"", hi: None, reverse: false },
        Statement::Count { height: 1, lo: b"", hi: None },
    ];
    for scheme in Scheme::ALL {
        let known = statements.map(|statement| {
            let refused = verify(&Trust::new(&config), scheme, &headers, &statement, &[]);
            refused.unwrap_err().reason() != Reason::UnknownStatement
        });
        // Answers about accounts are verified against a state root, not a header of a chain.
        let expected = statements.map(|statement| match statement.ability() {
            Ability::Account => false,
            ability => scheme.proves(ability),
        });
        assert_eq!(known, expected, "{scheme:?}");
    }
}

#[test]
fn lvmt_needs_the_setup_of_its_chain() {
    let of = |params_id, log_n| {
        let lvmt = LvmtConfig { params_id, log_n, log_arity: 1 };
        ChainConfig { schemes: vec![SchemeConfig::lvmt(&lvmt)], ..config() }
    };
    let (_, [_, Made { header, .. }]) = blocks();
    let roots = vec![(Scheme::Lvmt.id(), vec![0; 64])];
    let headers = AcceptedHeaders::one(Header { roots, ..header });
    let keys = Statement::Keys { height: 1, keys: &[b"a"] };
    let ask = |trust: &Trust<'_>| {
        verify(trust, Scheme::Lvmt, &headers, &keys, &[]).map(|_| ()).unwrap_err().reason()
    };
    let own = VerifyingKey::dev(4).unwrap();
    let right = of(own.params_id(), 4);
    assert_eq!(ask(&Trust::new(&right)), Reason::UnknownSetup);
    let with = |config, key| {
        ask(&Trust::new(config).with_setup(TrustedSetup { key, allow_insecure: true }))
    };
    // With the right setup, the verifier goes on to refuse the empty proof.
    assert_eq!(with(&right, &own), Reason::Truncated);
    let others = [VerifyingKey::dev(8).unwrap(), VerifyingKey::ppot(4).unwrap()];
    for other in &others {
        assert_eq!(with(&right, other), Reason::SetupMismatch);
    }
    let no_key_fits = of(own.params_id(), 8);
    assert_eq!(with(&no_key_fits, &own), Reason::SetupMismatch);
}

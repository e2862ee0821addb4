//! The store beside the model: random runs, shards, collection.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod run;

use std::collections::BTreeSet;

use prooflight_core::store::sealed::{seal, unseal};
use prooflight_core::store::{MemoryStore, ReadStore, Store, WriteBatch};
use prooflight_core::{Limits, Reason};
use prooflight_lvmt::proof::{Claim, PROOF_ENVELOPE, Proof};
use prooflight_lvmt::{LvmtStore, ProofShard, StoreParams, prove_at};
use prooflight_testkit::damage::records;
use prooflight_testkit::lvmt::state::keccak;
use rand::Rng;

use run::{Changes, Run, changes, params, verify_proof};

/// `log_n`, `log_arity`: deep walks, and wide AMTs.
const SHAPES: [(u8, u8); 5] = [(1, 1), (2, 1), (2, 2), (4, 2), (6, 2)];

#[test]
fn random_runs_are_as_the_model_says() {
    let (mut kinds, mut refused) = ([0; 3], 0);
    let mut levels = BTreeSet::new();
    for (seed, (log_n, log_arity)) in (0..15).zip(SHAPES.into_iter().cycle()) {
        let mut run = Run::new(seed, params(log_n, log_arity, ProofShard::Full));
        run.apply(20);
        for _ in 0..24 {
            let height = run.store.height().unwrap();
            match run.rng.random_range(0..12) {
                0..=5 => run.apply(20),
                6 => {
                    let prepared = run.draw_changes(20);
                    let prepared = run.store.prepare(&changes(&prepared)).unwrap();
                    assert_ne!(prepared.root, run.store.root());
                    run.check_root();
                }
                7 => run.reopen(),
                8..=10 => {
                    let oldest = run.rng.random_range(run.store.oldest().unwrap()..=height);
                    run.store.prune(oldest).unwrap();
                    assert_eq!(run.store.oldest(), Some(oldest));
                    for gone in [oldest.checked_sub(1), Some(height + 1)].into_iter().flatten() {
                        let refusal = run.store.prune(gone).unwrap_err();
                        assert_eq!(refusal.reason(), Reason::VersionUnavailable);
                        refused += 1;
                    }
                }
                _ => run.store.collect().unwrap(),
            }
            run.check_root();
            if run.rng.random_ratio(1, 4) {
                let found = run.check_all();
                kinds.iter_mut().zip(found).for_each(|(kind, found)| *kind += found);
            }
        }
        run.check_all();
        levels.extend(run.known.last().unwrap().keys.values().map(|record| record.level));
    }
    assert!(kinds.iter().all(|&kind| kind > 100), "{kinds:?}");
    assert!(refused > 40, "{refused}");
    assert!((0..4).all(|level| levels.contains(&level)), "{levels:?}");
}

#[test]
fn each_key_is_proved_alone() {
    for (log_n, log_arity) in SHAPES {
        let mut run = Run::new(100, params(log_n, log_arity, ProofShard::Full));
        for _ in 0..4 {
            run.apply(40);
        }
        let state = run.known.last().unwrap().clone();
        for n in 0..100 {
            let verified = run.verify(&[vec![b'k', n]]).unwrap();
            let written = state.keys.contains_key(&keccak(&[b'k', n]));
            let is_absent = format!("{verified:?}").contains("NeverWritten");
            assert_eq!(written, !is_absent, "{verified:?}");
        }
        // The same key twice, and no key at all.
        let twice = [vec![b'k', 1], vec![b'k', 1]];
        assert_eq!(run.verify(&twice).unwrap().len(), 2);
        assert_eq!(run.verify(&[]).unwrap(), []);
    }
}

#[test]
fn a_prepared_block_changes_nothing_until_it_is_committed() {
    let mut run = Run::new(300, params(4, 2, ProofShard::Full));
    run.apply(20);
    let root = run.store.root();
    let [first, second] = [1, 2].map(|byte| vec![(b"key".to_vec(), Some(vec![byte]))]);
    let first = run.store.prepare(&changes(&first)).unwrap();
    let second = run.store.prepare(&changes(&second)).unwrap();
    assert_eq!((run.store.root(), run.store.height()), (root, Some(0)));
    let mut written = run.kept();
    written.write(first.writes.clone()).unwrap();
    let params = run.store.params().clone();
    let mut opened = LvmtStore::open(written, params).unwrap();
    assert_eq!((opened.root(), opened.height()), (first.root, Some(1)));
    assert_eq!(opened.commit(second).unwrap_err().reason(), Reason::InvalidArgument);
    let expected = first.root;
    assert_eq!(run.store.commit(first), Ok(expected));
}

#[test]
fn only_what_the_newest_state_needs_is_left_after_collection() {
    for shard in [ProofShard::Full, ProofShard::Class { bits: 1, value: 1 }] {
        let mut run = Run::new(400, params(4, 2, shard));
        for _ in 0..12 {
            run.apply(60);
        }
        let before = records(&run.kept()).len();
        run.store.prune(11).unwrap();
        run.store.collect().unwrap();
        let state = run.known.last().unwrap();
        let is_own = |key: &[u8; 32]| shard.proves(key, 4);
        let keys = state.keys.keys().filter(|key| is_own(key)).count();
        let amts = state.amts.keys().filter(|(_, key)| is_own(key)).count();
        let kept = records(&run.kept());
        assert!(kept.len() < before);
        let of_kind = |kind| kept.iter().filter(move |(key, _)| key[0] == kind);
        assert_eq!((of_kind(b'r').count(), of_kind(b'd').count()), (0, 0));
        let live: u32 = of_kind(b'b')
            .map(|(_, record)| u32::from_be_bytes(record[36..40].try_into().unwrap()))
            .sum();
        assert_eq!(usize::try_from(live).unwrap(), keys + amts);
        // Every kept tile has a live node: a live leaf at the bottom, a kept tile above it.
        let mut live_leaves = 0;
        for (key, tile) in of_kind(b't') {
            let items = tile[1..tile.len() - 8].chunks(33).filter(|item| item[0] & 0x80 != 0);
            let count = items.count();
            assert!(count > 0);
            live_leaves += if key[9] == 0 { count } else { 0 };
        }
        assert_eq!(live_leaves, keys + amts);
    }
}

#[test]
fn four_shards_prove_every_key_together_and_none_alone() {
    let mut runs: Vec<Run> = (0..4)
        .map(|value| Run::new(500, params(4, 1, ProofShard::Class { bits: 2, value })))
        .collect();
    let mut none = Run::new(500, params(4, 1, ProofShard::None));
    for _ in 0..8 {
        none.apply(40);
        for run in &mut runs {
            run.apply(40);
            assert_eq!(run.store.root(), none.store.root());
        }
    }
    for run in &mut runs {
        run.store.prune(5).unwrap();
        run.store.collect().unwrap();
        run.reopen();
    }
    for n in 0..100 {
        let key = vec![b'k', n];
        let class = u32::from(keccak(&key)[0] >> 4 & 3);
        for (value, run) in (0..).zip(&runs) {
            assert_eq!(run.store.root(), none.store.root());
            match run.verify(core::slice::from_ref(&key)) {
                Ok(verified) => {
                    assert_eq!((value, verified.len()), (class, 1));
                }
                Err(error) => {
                    assert_ne!(value, class);
                    assert_eq!(error.reason(), Reason::ShardUnavailable);
                    assert_eq!(error.expected(), format!("class {class} of 4"));
                }
            }
        }
        let refusal = none.verify(&[key]).unwrap_err();
        assert_eq!(refusal.reason(), Reason::ShardUnavailable);
    }
    let kept = records(&none.kept());
    assert!(kept.iter().all(|(key, _)| !b"btud".contains(&key[0])), "no proof state");
}

#[test]
fn proofs_are_of_the_newest_state_alone() {
    let mut run = Run::new(600, params(4, 2, ProofShard::Full));
    let empty = run.store.prove(&[b"k"]).unwrap_err();
    assert_eq!(empty.reason(), Reason::VersionUnavailable);
    run.apply(40);
    run.apply(40);
    let (snapshot, params) = (run.kept(), run.store.params().clone());
    run.apply(40);
    // A snapshot still proves the state that was the newest when it was made.
    let key: &[u8] = &[b'k', 5];
    let proved = prove_at(&snapshot, &params, 1, &[key]).unwrap();
    verify_proof(&params, &proved.root, 1, &[key], &proved.proof).unwrap();
    for height in [0, 2] {
        let refusal = prove_at(&snapshot, &params, height, &[key]).unwrap_err();
        assert_eq!(refusal.reason(), Reason::VersionUnavailable);
    }
    let many = vec![key; 4097];
    let refusal = prove_at(&snapshot, &params, 1, &many).unwrap_err();
    assert_eq!(refusal.reason(), Reason::TooManyKeys);
}

#[test]
fn a_store_is_opened_as_it_was_made() {
    let kept = Run::new(700, params(4, 2, ProofShard::Full)).kept();
    for other in [
        params(2, 2, ProofShard::Full),
        params(4, 1, ProofShard::Full),
        params(4, 2, ProofShard::None),
        params(4, 2, ProofShard::Class { bits: 0, value: 0 }),
    ] {
        let refusal = LvmtStore::open(kept.clone(), other.clone()).unwrap_err();
        assert_eq!(refusal.reason(), Reason::InvalidArgument);
        let refusal = prove_at(&kept, &other, 0, &[b"k"]).unwrap_err();
        assert_eq!(refusal.reason(), Reason::InvalidArgument);
    }
    // The last byte of the parameters is the version of the layout.
    let mut other = kept.clone();
    let mut params_record = unseal(b"p", other.get(b"p").unwrap().unwrap()).unwrap();
    *params_record.last_mut().unwrap() -= 1;
    let mut batch = WriteBatch::new();
    batch.put(*b"p", seal(b"p", params_record));
    other.write(batch).unwrap();
    let refusal = LvmtStore::open(other, params(4, 2, ProofShard::Full)).unwrap_err();
    assert_eq!(refusal.reason(), Reason::InvalidArgument);
    let wrong = StoreParams { log_arity: 3, ..params(4, 2, ProofShard::Full) };
    let refusal = LvmtStore::open(MemoryStore::default(), wrong).unwrap_err();
    assert_eq!(refusal.reason(), Reason::InvalidArgument);
}

#[test]
fn the_last_change_of_a_key_wins_and_a_delete_of_nothing_does_nothing() {
    let mut run = Run::new(800, params(4, 2, ProofShard::Full));
    let set = |value: &[u8]| (b"k\x01".to_vec(), Some(value.to_vec()));
    let delete = (b"k\x01".to_vec(), None);
    let blocks: [(Changes, _); 6] = [
        (vec![delete.clone()], None),
        (vec![set(b"a"), delete.clone()], None),
        (vec![set(b"a"), set(b"b")], Some((b"b".to_vec(), 1))),
        (vec![delete.clone(), set(b"")], Some((Vec::new(), 2))),
        (vec![set(b"c"), delete.clone()], None),
        (vec![delete], None),
    ];
    for (block, expected) in blocks {
        run.store.apply(&changes(&block)).unwrap();
        assert_eq!(run.store.get(b"k\x01").unwrap(), expected.as_ref().map(|it| it.0.clone()));
        let proved = run.store.prove(&[b"k\x01"]).unwrap();
        let proof: Proof = PROOF_ENVELOPE.decode(&proved.proof, &Limits::default()).unwrap();
        let version = proof.entries[0].versions()[1];
        match (&proof.claims[0], expected) {
            (Claim::Present { value, .. }, Some(expected)) => {
                assert_eq!((value, version), (&expected.0, expected.1));
            }
            (Claim::Deleted { .. }, None) => assert_eq!(version, 3),
            (Claim::NeverWritten, None) => assert_eq!(version, 0),
            (claim, expected) => panic!("{claim:?} {expected:?}"),
        }
    }
}

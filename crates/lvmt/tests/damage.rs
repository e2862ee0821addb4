//! A damaged store: changed bytes, lost records, and older copies of records put back.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod run;

use std::collections::BTreeMap;

use prooflight_core::store::{MemoryStore, Store, WriteBatch};
use prooflight_core::{Reason, Result};
use prooflight_lvmt::{LvmtStore, ProofShard, ProvedKeys, StateRoot};
use prooflight_testkit::damage::{self, DamageReport, Records, deleted, older_copies, records};
use rand::Rng;

use run::{Run, changes, params, verify_proof};

/// Every operation of a store: opens it, proves all keys, makes a block, and collects leaves.
fn use_all(store: MemoryStore, run: &Run) -> Result<(ProvedKeys, StateRoot, StateRoot)> {
    let keys: Vec<_> = (0..100_u8).map(|n| [b'k', n]).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 2]>::as_slice).collect();
    let mut store = LvmtStore::open(store, run.store.params().clone())?;
    let proved = store.prove(&keys)?;
    let block = (0..100).step_by(3).map(|n| (vec![b'k', n], Some(vec![n]))).collect();
    let after = store.apply(&changes(&block))?;
    store.prune(3)?;
    store.collect()?;
    Ok((proved, after, store.root()))
}

#[test]
fn a_changed_byte_is_found_or_harmless() {
    let (mut found, mut harmless) = (0, 0);
    for (seed, shard) in [(1, ProofShard::Full), (2, ProofShard::Class { bits: 0, value: 0 })] {
        let mut run = Run::new(seed, params(2, 2, shard));
        for _ in 0..6 {
            run.apply(25);
        }
        let kept = run.kept();
        let expected = use_all(kept.clone(), &run).unwrap();
        for (key, value) in records(&kept) {
            let middle = run.rng.random_range(0..value.len());
            for at in [0, middle, value.len() - 1] {
                let mut changed = value.clone();
                changed[at] ^= 1 << run.rng.random_range(0..8);
                let mut damaged = kept.clone();
                let mut batch = WriteBatch::new();
                batch.put(key.clone(), changed);
                damaged.write(batch).unwrap();
                match use_all(damaged, &run) {
                    Ok(done) => {
                        assert_eq!(done, expected, "{key:02x?}");
                        harmless += 1;
                    }
                    Err(error) => {
                        assert_eq!(error.reason(), Reason::StoreCorrupt, "{error}");
                        found += 1;
                    }
                }
            }
        }
        let (proved, ..) = expected;
        let keys: Vec<_> = (0..100_u8).map(|n| [b'k', n]).collect();
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; 2]>::as_slice).collect();
        verify_proof(run.store.params(), &proved.root, 5, &keys, &proved.proof).unwrap();
    }
    assert!(found > 400 && harmless > 20, "{found} {harmless}");
}

#[test]
fn a_record_of_another_key_is_found() {
    let mut run = Run::new(3, params(2, 1, ProofShard::Full));
    for _ in 0..4 {
        run.apply(25);
    }
    let kept = run.kept();
    let records = records(&kept);
    let mut found = 0;
    for (a, b) in records.iter().zip(&records[1..]).filter(|(a, b)| a.0[0] == b.0[0]) {
        let mut damaged = kept.clone();
        let mut batch = WriteBatch::new();
        batch.put(a.0.clone(), b.1.clone());
        damaged.write(batch).unwrap();
        if let Err(error) = use_all(damaged, &run) {
            assert_eq!(error.reason(), Reason::StoreCorrupt, "{error}");
            found += 1;
        }
    }
    assert!(found > 40, "{found}");
}

/// The number of questions to a damaged store.
const QUESTIONS: usize = 5;

/// Answers, each from a separately opened store.
type Answers = [Result<Vec<u8>>; QUESTIONS];

/// Opening; the values; proofs of each key; two blocks; pruning all and collecting.
fn ask(store: &MemoryStore, run: &Run, keys: &[Vec<u8>]) -> Answers {
    let open = || LvmtStore::open(store.clone(), run.store.params().clone());
    let values = || {
        let store = open()?;
        let values: Result<Vec<_>> = keys.iter().map(|key| store.get(key)).collect();
        Ok(format!("{:?}", values?).into_bytes())
    };
    let proofs_of = |store: &LvmtStore<MemoryStore>| {
        if store.params().shard == ProofShard::None {
            // Nothing is proved, so compare the root alone.
            return Ok(store.root().to_vec());
        }
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        store.prove(&keys).map(|proved| [&proved.root[..], &proved.proof].concat())
    };
    let proofs = || proofs_of(&open()?);
    let blocks = || {
        let mut store = open()?;
        let mut roots = Vec::new();
        for (value, step) in [(Some(vec![1]), 2), (None, 3)] {
            // Keys that were written before, similar ones that were not, and new ones below every entry.
            let new = (0..100).map(|n| vec![b'n', n]);
            let keys = keys.iter().step_by(step).cloned().chain(new);
            let block = keys.map(|key| (key, value.clone())).collect();
            roots.extend(store.apply(&changes(&block))?);
        }
        Ok(roots)
    };
    let collected = || {
        let mut store = open()?;
        store.prune(store.height().unwrap())?;
        store.collect()?;
        proofs_of(&store)
    };
    [open().map(|store| store.root().to_vec()), values(), proofs(), blocks(), collected()]
}

/// A store after many blocks, and the records that it had after each.
fn grown(seed: u64, shard: ProofShard) -> (Run, Vec<Records>) {
    let mut run = Run::new(seed, params(2, 1, shard));
    let mut kept = Vec::new();
    for block in 0..9 {
        run.apply(25);
        kept.push(records(&run.kept()));
        if block % 3 == 1 {
            run.store.prune(block - 1).unwrap();
            kept.push(records(&run.kept()));
        }
    }
    (run, kept)
}

/// Damages each of these records in turn, as `damages` says; returns the outcome for each kind.
fn damage_each(
    run: &Run,
    store: &MemoryStore,
    of: &Records,
    damages: impl FnMut(&[u8], &[u8]) -> Vec<Option<Vec<u8>>>,
) -> BTreeMap<char, DamageReport> {
    // Also keys that no block wrote.
    let keys: Vec<_> = (0..100_u8).map(|n| vec![b'k', n]).collect();
    if run.store.params().shard != ProofShard::None {
        run.verify(&keys).unwrap();
    }
    damage::damage_each(store, of, |store| ask(store, run, &keys), damages)
}

#[test]
fn a_lost_record_is_found_or_was_not_needed() {
    for (seed, shard) in [(10, ProofShard::Full), (11, ProofShard::None)] {
        let (mut run, _) = grown(seed, shard);
        let kept = run.kept();
        let kinds = damage_each(&run, &kept, &records(&kept), |_, _| vec![None]);
        for (kind, DamageReport { found, unneeded }) in &kinds {
            assert!(*found > 0, "{kind}");
            // Subtrees of the tree over blocks that no proof of these keys has; deeper tiles without live leaves.
            assert!("nbtc".contains(*kind) || *unneeded == 0, "{kind}: {unneeded} of {found}");
        }
    }
}

#[test]
fn an_older_copy_of_a_record_is_found_or_makes_no_difference() {
    for (seed, shard) in [(20, ProofShard::Full), (21, ProofShard::None)] {
        let (mut run, kept) = grown(seed, shard);
        let now = run.kept();
        let older = |key: &[u8], value: &[u8]| older_copies(&kept, key, value);
        let kinds = damage_each(&run, &now, &records(&now), older);
        for kind in "haklo".chars().chain((shard == ProofShard::Full).then_some('u')) {
            let DamageReport { found, unneeded } = &kinds[&kind];
            assert!(*found > 0 && *unneeded == 0, "{kind}: {unneeded} of {found}");
        }
    }
}

#[test]
fn a_deleted_record_that_is_back_makes_no_difference() {
    let (mut run, kept) = grown(30, ProofShard::Full);
    let now = run.kept();
    let gone = deleted(&kept, &now);
    let kinds = damage_each(&run, &now, &gone, |_, value| vec![Some(value.to_vec())]);
    let found: usize = kinds.values().map(|report| report.found).sum();
    assert!(found > 0 && gone.len() > 5, "{found} {}", gone.len());
}

#[test]
fn a_store_without_its_parameters_is_not_taken_for_an_empty_one() {
    let mut run = Run::new(40, params(4, 2, ProofShard::Full));
    let mut batch = WriteBatch::new();
    batch.delete(*b"p");
    let mut damaged = run.kept();
    damaged.write(batch).unwrap();
    let error = LvmtStore::open(damaged, run.store.params().clone()).unwrap_err();
    assert_eq!(error.reason(), Reason::StoreCorrupt);
}

/// Proves all keys, and some of them alone, with a store that was opened before these records changed or were lost.
fn prove_after(
    kept: &MemoryStore,
    run: &Run,
    keys: &[Vec<u8>],
    damages: &[(&[u8], Option<&[u8]>)],
) -> Vec<Result<ProvedKeys>> {
    let mut store = LvmtStore::open(kept.clone(), run.store.params().clone()).unwrap();
    let mut batch = WriteBatch::new();
    for (key, value) in damages {
        match value {
            Some(value) => batch.put(*key, *value),
            None => batch.delete(*key),
        }
    }
    store.store_mut().write(batch).unwrap();
    let all: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let each = keys.iter().step_by(9).map(|key| store.prove(&[key]));
    std::iter::once(store.prove(&all)).chain(each).collect()
}

/// The number of refused proofs; panics if a proof is neither refused nor the expected one.
fn refused(
    proofs: Vec<Result<ProvedKeys>>,
    expected: &[Result<ProvedKeys>],
    damaged: &[u8],
) -> usize {
    let mut refused = 0;
    for (proof, expected) in proofs.into_iter().zip(expected) {
        match proof {
            Err(error) if error.reason() == Reason::StoreCorrupt => refused += 1,
            Err(error) => panic!("{error} {damaged:02x?}"),
            proof => assert!(proof == *expected, "another proof {damaged:02x?}"),
        }
    }
    refused
}

#[test]
fn damage_to_a_running_store_reaches_no_proof() {
    let (mut run, kept) = grown(50, ProofShard::Full);
    let newest = run.kept();
    let keys: Vec<_> = (0..100_u8).map(|n| vec![b'k', n]).collect();
    let expected = prove_after(&newest, &run, &keys, &[]);
    assert!(expected.iter().all(Result::is_ok));
    let mut kinds: BTreeMap<(char, bool), DamageReport> = BTreeMap::new();
    // Other parameters than at opening are refused as such.
    for (key, value) in records(&newest).into_iter().filter(|(key, _)| key[..] != *b"p") {
        let older = kept.iter().rev().filter_map(|then| {
            let at = then.binary_search_by(|(other, _)| other.cmp(&key)).ok()?;
            Some(&then[at].1[..]).filter(|older| *older != value)
        });
        let older: Vec<_> = older.take(1).map(Some).collect();
        for damage in older.into_iter().chain([None]) {
            let proofs = prove_after(&newest, &run, &keys, &[(&key, damage)]);
            let found = kinds.entry((char::from(key[0]), damage.is_some())).or_default();
            let is_found = refused(proofs, &expected, &key) > 0;
            *(if is_found { &mut found.found } else { &mut found.unneeded }) += 1;
        }
    }
    println!("{kinds:?}");
    for kind in "aku".chars() {
        for is_older in [false, true] {
            let DamageReport { found, unneeded } = &kinds[&(kind, is_older)];
            assert!(*found > 0 && *unneeded == 0, "{kind} {is_older}: {unneeded} of {found}");
        }
    }
}

#[test]
fn older_copies_of_many_records_that_agree_reach_no_proof() {
    let (mut run, kept) = grown(60, ProofShard::Full);
    let newest = run.kept();
    let keys: Vec<_> = (0..100_u8).map(|n| vec![b'k', n]).collect();
    let expected = prove_after(&newest, &run, &keys, &[]);
    let now: BTreeMap<_, _> = records(&newest).into_iter().collect();
    for then in &kept[..kept.len() - 1] {
        let then: BTreeMap<_, _> = then.iter().cloned().collect();
        for kinds in ["k", "a", "u", "ka", "kac", "kaoc", "kau", "kaucoh", "kaucohbntlr"] {
            // Each record with its old content, if it existed.
            let of_kinds = |key: &&Vec<u8>| kinds.contains(char::from(key[0]));
            let names: Vec<_> = now.keys().chain(then.keys()).filter(of_kinds).collect();
            let damages: Vec<_> =
                names.iter().map(|key| (&key[..], then.get(*key).map(Vec::as_slice))).collect();
            let proofs = prove_after(&newest, &run, &keys, &damages);
            assert!(refused(proofs, &expected, kinds.as_bytes()) > 0, "{kinds}");
        }
    }
}

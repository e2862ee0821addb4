//! A store with changed bytes: what is read is found to be damaged, or was not needed.
#![allow(clippy::unwrap_used, reason = "tests say what they expect by panicking")]

mod harness;

use harness::run::{Run, changes, entries, params, verify_proof};
use prooflight_core::store::{MemoryStore, Store, WriteBatch};
use prooflight_core::{Reason, Result};
use prooflight_lvmt::{LvmtStore, ProofShard, ProvedKeys, StateRoot};
use rand::Rng;

/// Whatever a store does: it is opened, proves all keys, makes a block, and goes back.
fn use_all(store: MemoryStore, run: &Run) -> Result<(ProvedKeys, StateRoot, StateRoot)> {
    let keys: Vec<_> = (0..100_u8).map(|n| [b'k', n]).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 2]>::as_slice).collect();
    let mut store = LvmtStore::open(store, run.store.params().clone())?;
    let proved = store.prove(&keys)?;
    let block = (0..100).step_by(3).map(|n| (vec![b'k', n], Some(vec![n]))).collect();
    let after = store.apply(&changes(&block))?;
    store.prune(3)?;
    store.collect()?;
    store.roll_back(4)?;
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
        for (key, value) in entries(&kept) {
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
    let records = entries(&kept);
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

//! Blocks of an import, which leave the nodes behind that only proofs need.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod run;

use prooflight_core::Reason;
use prooflight_core::store::{MemoryStore, ReadStore, Store, WriteBatch};
use prooflight_lvmt::{LvmtStore, ProofShard, StoreParams, prove_at};
use rand::Rng;

use run::{Run, changes, params};

const SHARDS: [ProofShard; 3] =
    [ProofShard::Full, ProofShard::Class { bits: 1, value: 1 }, ProofShard::None];

/// A store whose blocks are proved, and one whose blocks are not, until it is settled.
struct Both {
    proved: Run,
    unproved: LvmtStore<MemoryStore>,
}

impl Both {
    fn new(seed: u64, params: &StoreParams) -> Self {
        let unproved = StoreParams { defer_proof_nodes: true, ..params.clone() };
        let unproved = LvmtStore::open(MemoryStore::default(), unproved).unwrap();
        Self { proved: Run::new(seed, params.clone()), unproved }
    }

    fn apply(&mut self, blocks: u64) {
        for _ in 0..blocks {
            let block = self.proved.draw_changes(30);
            let root = self.proved.store.apply(&changes(&block)).unwrap();
            self.proved.know(&block);
            self.proved.check_root();
            assert_eq!(self.unproved.apply(&changes(&block)), Ok(root));
        }
    }

    /// Checks that both stores have the same records.
    fn check_same(&mut self) {
        let kept = self.proved.kept();
        let copy = self.copy();
        let all = |store: &MemoryStore| store.range(&[], &[0xff]).map(Result::unwrap).collect();
        let (expected, found): (Vec<_>, Vec<_>) = (all(&kept), all(&copy));
        assert_eq!(found, expected);
    }

    /// A copy of the records of the store whose blocks are not proved.
    fn copy(&mut self) -> MemoryStore {
        let mut writes = WriteBatch::new();
        for entry in self.unproved.store_mut().range(&[], &[0xff]) {
            let (key, value) = entry.unwrap();
            writes.put(key, value);
        }
        let mut copy = MemoryStore::default();
        copy.write(writes).unwrap();
        copy
    }
}

#[test]
fn a_settled_store_is_like_one_whose_blocks_were_proved() {
    for (seed, (shard, log_n)) in (0..).zip(SHARDS.into_iter().zip([4, 6, 2])) {
        let mut both = Both::new(seed, &params(log_n, 2, shard));
        for _ in 0..4 {
            both.apply(3);
            both.unproved.catch_up().unwrap();
            both.check_same();
            both.unproved.catch_up().unwrap();
        }
    }
}

#[test]
fn a_store_that_was_not_settled_is_brought_up_to_date_when_it_is_opened() {
    for (seed, shard) in (10..).zip(SHARDS) {
        let proved = params(4, 2, shard);
        let mut both = Both::new(seed, &proved);
        for unproved in [true, false, true] {
            both.apply(4);
            let kept = both.copy();
            both.unproved = LvmtStore::open(
                kept,
                StoreParams { defer_proof_nodes: unproved, ..proved.clone() },
            )
            .unwrap();
            both.check_same();
        }
    }
}

#[test]
fn a_store_that_was_not_settled_proves_nothing() {
    let mut both = Both::new(20, &params(4, 2, ProofShard::Full));
    both.apply(3);
    let key = both.proved.draw_key();
    let unproved = both.unproved.params().clone();
    let refused = both.unproved.prove(&[&key]).unwrap_err();
    assert_eq!(refused.reason(), Reason::VersionUnavailable);
    assert_eq!(prove_at(both.unproved.store_mut(), &unproved, 2, &[&key]).unwrap_err(), refused);
    assert_eq!(both.unproved.get(&key), both.proved.store.get(&key));
    both.unproved.catch_up().unwrap();
    assert_eq!(both.unproved.prove(&[&key]), both.proved.store.prove(&[&key]));
}

#[test]
fn nodes_are_made_of_records_that_the_root_has() {
    // A store that proves nothing has no nodes.
    let shards = SHARDS.into_iter().filter(|shard| *shard != ProofShard::None);
    for (seed, (shard, log_n)) in (30..).zip(shards.zip([4, 2])) {
        let mut both = Both::new(seed, &params(log_n, 2, shard));
        both.apply(6);
        let older = both.copy();
        both.apply(4);
        let newer = both.copy();
        let mut found = [0; 2];
        for entry in newer.range(b"a", b"b").chain(newer.range(b"k", b"l")) {
            let (key, value) = entry.unwrap();
            let before = older.get(&key).unwrap().filter(|before| *before != value);
            let mut damaged = newer.clone();
            let mut writes = WriteBatch::new();
            match before {
                Some(before) if both.proved.rng.random() => writes.put(key.clone(), before),
                _ => writes.delete(key.clone()),
            }
            damaged.write(writes).unwrap();
            // The versions of a deeper level are in the commitment of its AMT alone.
            match LvmtStore::open(damaged, both.proved.store.params().clone()) {
                Err(refused) => {
                    assert_eq!(refused.reason(), Reason::StoreCorrupt);
                    found[usize::from(key[0] == b'k')] += 1;
                }
                Ok(_) => assert!(key[0] == b'k' || key[1] > 1, "{key:02x?}"),
            }
        }
        assert!(found.iter().all(|found| *found > 2), "{shard:?}: {found:?}");
    }
}

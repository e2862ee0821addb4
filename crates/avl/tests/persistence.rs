//! Versions in a store: reopened, pruned, damaged.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "tests fail by panicking, and count versions in tens"
)]

use prooflight_avl::{
    AvlProver, Operation, Params, PersistentAvlProver, prove_lookups_at, verify_batch,
};
use prooflight_core::store::{MemoryStore, ReadStore, Store, WriteBatch};
use prooflight_core::{Error, Reason, Result};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const PARAMS: Params = Params::new(8, None);

type Owned = Vec<(Vec<u8>, Option<Vec<u8>>)>;

fn random_batch(rng: &mut StdRng) -> Owned {
    (0..rng.random_range(0..30))
        .map(|_| {
            let key = rng.random_range(1..60u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let value = rng.random::<u16>().to_string().into_bytes();
            (key.to_be_bytes().to_vec(), (rng.random_range(0..3) > 0).then_some(value))
        })
        .collect()
}

fn operations(batch: &Owned) -> Vec<Operation<'_>> {
    batch
        .iter()
        .map(|(key, value)| match value {
            Some(value) => Operation::InsertOrUpdate { key, value },
            None => Operation::RemoveIfExists { key },
        })
        .collect()
}

fn open(store: MemoryStore) -> PersistentAvlProver<MemoryStore> {
    PersistentAvlProver::open(store, PARAMS).unwrap()
}

#[test]
fn reopened_dictionaries_prove_the_same() {
    for seed in 0..20 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut kept = open(MemoryStore::default());
        // The same history in memory alone: one dictionary for each version.
        let mut history = vec![AvlProver::new(PARAMS).unwrap()];
        for _ in 0..40 {
            let batch = random_batch(&mut rng);
            let ops = operations(&batch);
            let mut expected = history.last().unwrap().clone();
            let before = expected.digest();
            let proved = kept.apply_batch(&ops).unwrap();
            assert_eq!(proved, expected.apply_batch(&ops).unwrap());
            let verified = verify_batch(&before, &ops, &proved.proof, &PARAMS).unwrap();
            assert_eq!(verified.digest, kept.prover().digest());
            history.push(expected);
            assert_eq!(kept.revision() as usize + 1, history.len());
            match rng.random_range(0..6) {
                0 => kept = open(kept.into_store()),
                1 => {
                    let oldest = kept.revision().saturating_sub(3).max(kept.oldest_revision());
                    kept.prune(oldest).unwrap();
                }
                _ => {}
            }
            assert_eq!(kept.prover().digest(), history.last().unwrap().digest());
        }
        for version in kept.oldest_revision()..=kept.revision() {
            assert_eq!(kept.digest_at(version).unwrap(), history[version as usize].digest());
        }
    }
}

#[test]
fn pruning_leaves_exactly_the_nodes_of_the_kept_versions() {
    let mut rng = StdRng::seed_from_u64(7);
    let mut kept = open(MemoryStore::default());
    for _ in 0..50 {
        kept.apply_batch(&operations(&random_batch(&mut rng))).unwrap();
    }
    kept.prune(kept.revision()).unwrap();
    let leaves = kept.prover().iter().count() + 1;
    let version = kept.revision();
    let store = kept.into_store();
    assert_eq!(store.range(b"n", b"o").count(), 2 * leaves - 1);
    assert_eq!(store.range(b"v", b"w").count(), 1);

    let kept = open(store);
    assert_eq!(kept.oldest_revision(), version);
    assert_eq!(kept.digest_at(version - 1).unwrap_err().reason(), Reason::VersionUnavailable);
    assert_eq!(kept.digest_at(version + 1).unwrap_err().reason(), Reason::VersionUnavailable);
    assert_eq!(kept.digest_at(0).unwrap_err().reason(), Reason::VersionUnavailable);
}

#[test]
fn a_flipped_bit_anywhere_is_found_or_harmless() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut kept = open(MemoryStore::default());
    for _ in 0..4 {
        kept.apply_batch(&operations(&random_batch(&mut rng))).unwrap();
    }
    let digest = kept.prover().digest();
    let entries: Vec<(Vec<u8>, Vec<u8>)> =
        kept.prover().iter().map(|(k, v)| (k.into(), v.into())).collect();
    let store = kept.into_store();
    let all: Vec<_> = store.range(b"", b"\xff").map(Result::unwrap).collect();
    let mut found = 0;
    for (key, value) in &all {
        for bit in 0..value.len() * 8 {
            let mut damaged = value.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let mut store = store.clone();
            let mut batch = WriteBatch::new();
            batch.put(key.clone(), damaged);
            store.write(batch).unwrap();
            match PersistentAvlProver::open(store, PARAMS) {
                Err(_) => found += 1,
                // Opening does not need the records of older versions; the opened version is correct.
                Ok(kept) if kept.revision() == 4 => {
                    assert_eq!(kept.prover().digest(), digest);
                    let same =
                        kept.prover().iter().eq(entries.iter().map(|(k, v)| (&k[..], &v[..])));
                    assert!(same, "a changed byte in {key:?} changed an answer");
                }
                // The head names another version: it is opened, unchanged.
                Ok(kept) => assert!(kept.revision() < 4),
            }
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn another_shape_is_refused() {
    let store = open(MemoryStore::default()).into_store();
    for params in [Params::new(9, None), Params::new(8, Some(8))] {
        let refused = PersistentAvlProver::open(store.clone(), params).unwrap_err();
        assert_eq!(refused.reason(), Reason::InvalidArgument);
    }
}

#[test]
fn a_missing_node_is_named() {
    let mut kept = open(MemoryStore::default());
    kept.apply_batch(&[Operation::Insert { key: b"somekey.", value: b"1" }]).unwrap();
    let mut store = kept.into_store();
    let mut batch = WriteBatch::new();
    batch.delete([b"n", &1u64.to_be_bytes()[..]].concat());
    store.write(batch).unwrap();
    let refused = PersistentAvlProver::open(store, PARAMS).unwrap_err();
    assert_eq!(refused.reason(), Reason::StoreCorrupt);
    assert!(refused.expected().contains("node 1"), "{refused}");
}

/// A store whose next write fails.
#[derive(Debug)]
struct Failing {
    inner: MemoryStore,
    fail: bool,
}

impl ReadStore for Failing {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.inner.get(key)
    }

    fn range(
        &self,
        from: &[u8],
        to: &[u8],
    ) -> Box<dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>> + '_> {
        self.inner.range(from, to)
    }
}

impl Store for Failing {
    type Snapshot = MemoryStore;

    fn snapshot(&self) -> Result<MemoryStore> {
        self.inner.snapshot()
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        if self.fail {
            self.fail = false;
            return Err(Error::new(Reason::StoreFailed, "a full write", "a full disk"));
        }
        self.fail = self.inner.get(b"h")?.is_some();
        self.inner.write(batch)
    }
}

#[test]
fn a_failed_write_changes_nothing() {
    let store = Failing { inner: MemoryStore::default(), fail: false };
    let mut kept = PersistentAvlProver::open(store, PARAMS).unwrap();
    let ops = [Operation::Insert { key: b"somekey.", value: b"1" }];
    kept.apply_batch(&ops).unwrap();
    let before = (kept.revision(), kept.prover().digest());
    let more = [Operation::Update { key: b"somekey.", value: b"2" }];
    assert_eq!(kept.apply_batch(&more).unwrap_err().reason(), Reason::StoreFailed);
    assert_eq!((kept.revision(), kept.prover().digest()), before);
    kept.apply_batch(&more).unwrap();
    assert_eq!(kept.prover().get(b"somekey."), Some(&b"2"[..]));
}

#[test]
fn a_failing_operation_changes_nothing() {
    let mut kept = open(MemoryStore::default());
    let before = kept.prover().digest();
    let ops = [
        Operation::Insert { key: b"somekey.", value: b"1" },
        Operation::Remove { key: b"otherkey" },
    ];
    let refused = kept.apply_batch(&ops).unwrap_err();
    assert_eq!(refused.reason(), Reason::KeyAbsent);
    assert!(refused.found().starts_with("operation 1:"), "{refused}");
    assert_eq!((kept.revision(), kept.prover().digest()), (0, before));
}

/// Lookups of some keys, present and absent.
fn some_keys(rng: &mut StdRng) -> Vec<Vec<u8>> {
    let count = rng.random_range(0..12);
    let key = |rng: &mut StdRng| rng.random_range(1..70u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..count).map(|_| key(rng).to_be_bytes().to_vec()).collect()
}

#[test]
fn lookups_in_any_kept_version_are_proved_as_a_whole_dictionary_proves_them() {
    for seed in 0..10 {
        let mut rng = StdRng::seed_from_u64(100 + seed);
        let mut kept = open(MemoryStore::default());
        let mut history = vec![AvlProver::new(PARAMS).unwrap()];
        for _ in 0..30 {
            let batch = random_batch(&mut rng);
            let mut next = history.last().unwrap().clone();
            next.apply_batch(&operations(&batch)).unwrap();
            kept.apply_batch(&operations(&batch)).unwrap();
            history.push(next);
        }
        kept.prune(5).unwrap();
        let newest = kept.revision();
        let store = kept.into_store();
        for version in 5..=newest {
            let keys = some_keys(&mut rng);
            let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
            let ops: Vec<_> = keys.iter().map(|key| Operation::Lookup { key }).collect();
            let expected = history[version as usize].prove_batch(&ops).unwrap();
            assert_eq!(prove_lookups_at(&store, &PARAMS, version, &keys).unwrap(), expected);
        }
        for version in [4, newest + 1] {
            let refused = prove_lookups_at(&store, &PARAMS, version, &[]).unwrap_err();
            assert_eq!(refused.reason(), Reason::VersionUnavailable);
        }
    }
}

#[test]
fn a_lookup_reads_the_nodes_of_its_path_and_no_others() {
    struct Counting(MemoryStore, core::cell::Cell<usize>);
    impl ReadStore for Counting {
        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
            self.1.set(self.1.get() + usize::from(key.starts_with(b"n")));
            self.0.get(key)
        }

        fn range(
            &self,
            from: &[u8],
            to: &[u8],
        ) -> Box<dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>> + '_> {
            self.0.range(from, to)
        }
    }

    let mut kept = open(MemoryStore::default());
    let keys: Vec<_> =
        (1..=1000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()).collect();
    let ops: Vec<_> = keys.iter().map(|key| Operation::Insert { key, value: b"1" }).collect();
    kept.apply_batch(&ops).unwrap();
    let height = usize::from(kept.prover().digest().height());
    let store = Counting(kept.into_store(), core::cell::Cell::new(0));
    prove_lookups_at(&store, &PARAMS, 1, &[&keys[7]]).unwrap();
    assert!(store.1.get() <= height + 1, "{} reads at height {height}", store.1.get());
}

#[test]
fn a_flipped_bit_is_found_by_lookups_or_harmless() {
    let mut rng = StdRng::seed_from_u64(4);
    let mut kept = open(MemoryStore::default());
    kept.apply_batch(&operations(&random_batch(&mut rng))).unwrap();
    kept.apply_batch(&operations(&random_batch(&mut rng))).unwrap();
    let version = kept.revision();
    let prover = kept.prover().clone();
    let keys: Vec<Vec<u8>> =
        (1..60u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes().to_vec()).collect();
    let store = kept.into_store();
    let all: Vec<_> = store.range(b"", b"\xff").map(Result::unwrap).collect();
    let (mut found, mut harmless) = (0, 0);
    for (key, value) in &all {
        for bit in 0..value.len() * 8 {
            let mut damaged = value.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let mut store = store.clone();
            let mut batch = WriteBatch::new();
            batch.put(key.clone(), damaged);
            store.write(batch).unwrap();
            let asked = &keys[bit % keys.len()];
            let ops = [Operation::Lookup { key: asked }];
            match prove_lookups_at(&store, &PARAMS, version, &[asked]) {
                // A proof of another state is refused by the caller, who knows the digest.
                Ok(proved) if proved.digest == prover.digest() => {
                    assert_eq!(proved, prover.prove_batch(&ops).unwrap());
                    harmless += 1;
                }
                Ok(_) => found += 1,
                Err(error) => {
                    let named = [Reason::StoreCorrupt, Reason::VersionUnavailable];
                    assert!(named.contains(&error.reason()), "{error}");
                    found += 1;
                }
            }
        }
    }
    assert!(found > 300 && harmless > 300, "{found} found, {harmless} harmless");
}

#[test]
fn a_prepared_batch_changes_nothing_until_it_is_committed_once() {
    let mut kept = open(MemoryStore::default());
    let ops = [Operation::Insert { key: b"somekey.", value: b"1" }];
    let empty = kept.prover().digest();
    let first = kept.prepare(&ops).unwrap();
    let second = kept.prepare(&ops).unwrap();
    assert_eq!((kept.revision(), kept.prover().digest()), (0, empty));

    let after = first.proved.digest;
    assert_eq!(kept.commit(first).unwrap().digest, after);
    assert_eq!((kept.revision(), kept.prover().digest()), (1, after));
    assert_eq!(kept.commit(second).unwrap_err().reason(), Reason::InvalidArgument);
    assert_eq!((kept.revision(), kept.prover().digest()), (1, after));
}

#[test]
fn a_prepared_batch_in_a_larger_one_is_the_next_version() {
    let mut store = MemoryStore::default();
    let mut kept = open(store.clone());
    let ops = [Operation::Insert { key: b"somekey.", value: b"1" }];
    let mut prepared = kept.prepare(&ops).unwrap();
    let writes = prepared.take_writes();
    kept.commit(prepared).unwrap();
    let digest = kept.prover().digest();
    store = kept.into_store();
    let mut batch = WriteBatch::new();
    batch.put(*b"z", *b"something else");
    for (key, value) in writes.into_changes() {
        batch.put(key, value.unwrap());
    }
    store.write(batch).unwrap();
    assert_eq!(open(store).prover().digest(), digest);
}

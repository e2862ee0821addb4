//! A revision that is transferred to another store in chunks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use prooflight_avl::{Operation, Params, PersistentAvlProver, RevisionAssembly, read_chunk};
use prooflight_core::store::{MemoryStore, ReadStore, Store, WriteBatch};
use prooflight_core::{Code, Reason, Result};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const PARAMS: Params = Params::new(8, None);

type Kept = PersistentAvlProver<MemoryStore>;

/// A dictionary with several revisions, whose shape depends on the order of its writes.
fn made(seed: u64, batches: u32) -> Kept {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut kept = PersistentAvlProver::open(MemoryStore::default(), PARAMS).unwrap();
    for _ in 0..batches {
        let changes: Vec<_> = (0..rng.random_range(0..40))
            .map(|_| {
                let key = rng.random_range(1..400_u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let value = vec![b'v'; rng.random_range(0..40)];
                (key.to_be_bytes(), value, rng.random_range(0..3) > 0)
            })
            .collect();
        let operations: Vec<_> = changes
            .iter()
            .map(|(key, value, sets)| {
                if *sets {
                    Operation::InsertOrUpdate { key, value }
                } else {
                    Operation::RemoveIfExists { key }
                }
            })
            .collect();
        kept.apply_batch(&operations).unwrap();
    }
    kept
}

/// All chunks of a revision, and the store that they lead to.
fn carried(
    from: &MemoryStore,
    kept: &Kept,
    revision: u64,
    enough: usize,
) -> (Vec<Vec<u8>>, MemoryStore) {
    let mut assembly = RevisionAssembly::new(kept.digest_at(revision).unwrap(), PARAMS);
    let (mut chunks, mut to) = (Vec::new(), MemoryStore::default());
    let mut values = Vec::new();
    while let Some(next) = assembly.next().map(<[u8]>::to_vec) {
        let chunk = read_chunk(from, &PARAMS, revision, &next, enough).unwrap();
        let taken = assembly.take(&chunk).unwrap();
        let mut batch = WriteBatch::new();
        for (key, node) in taken.nodes {
            batch.put(key, node);
        }
        to.write(batch).unwrap();
        values.extend(taken.values);
        chunks.push(chunk);
    }
    assert!(values.is_sorted_by_key(|(key, _)| key.clone()));
    to.write(assembly.finish(revision).unwrap()).unwrap();
    (chunks, to)
}

#[test]
fn a_dictionary_goes_on_in_another_store_as_in_its_own() {
    for seed in 0..10 {
        let mut kept = made(seed, 1 + u32::try_from(seed).unwrap() * 3);
        let from = kept.snapshot().unwrap();
        for enough in [0, 300, 5000, usize::MAX] {
            for revision in [kept.revision(), kept.revision() / 2, 0] {
                let (chunks, to) = carried(&from, &kept, revision, enough);
                let full = &chunks[..chunks.len() - 1];
                assert!(full.iter().all(|chunk| chunk.len() > enough), "{enough}");
                let other = PersistentAvlProver::open(to, PARAMS).unwrap();
                assert_eq!(other.prover().digest(), kept.digest_at(revision).unwrap());
                assert_eq!((other.revision(), other.oldest_revision()), (revision, revision));
            }
        }
        let (_, to) = carried(&from, &kept, kept.revision(), 300);
        let mut other = PersistentAvlProver::open(to, PARAMS).unwrap();
        for number in 0..20_u64 {
            let key = number.wrapping_mul(0x1357_9bdf_0246_8ace).to_be_bytes();
            let set = [Operation::InsertOrUpdate { key: &key, value: b"more" }];
            if number == 0 {
                continue;
            }
            assert_eq!(other.apply_batch(&set).unwrap(), kept.apply_batch(&set).unwrap());
        }
    }
}

/// The result of taking the first chunks unchanged, and then this one.
fn taken(kept: &Kept, before: &[Vec<u8>], chunk: &[u8]) -> Result<()> {
    let mut assembly = RevisionAssembly::new(kept.digest_at(kept.revision()).unwrap(), PARAMS);
    for chunk in before {
        assembly.take(chunk).unwrap();
    }
    assembly.take(chunk).map(drop)
}

#[test]
fn a_chunk_that_was_altered_or_is_another_is_refused() {
    let kept = made(3, 30);
    let (chunks, _) = carried(&kept.snapshot().unwrap(), &kept, kept.revision(), 1500);
    assert!(chunks.len() > 3, "{}", chunks.len());
    for at in [0, 1, chunks.len() - 1] {
        let (before, chunk) = (&chunks[..at], &chunks[at]);
        taken(&kept, before, chunk).unwrap();
        for byte in 0..chunk.len() {
            let mut altered = chunk.clone();
            altered[byte] ^= 1 << (byte % 8);
            let refused = taken(&kept, before, &altered).unwrap_err();
            assert!([Code::Malformed, Code::Mismatch].contains(&refused.code()), "{refused}");
            taken(&kept, before, &chunk[..byte]).unwrap_err();
        }
        taken(&kept, before, &[&chunk[..], &[0]].concat()).unwrap_err();
        for (other, chunk) in chunks.iter().enumerate().filter(|(other, _)| *other != at) {
            let refused = taken(&kept, before, chunk).unwrap_err();
            assert_eq!(refused.reason(), Reason::KeyNotInLeaf, "chunk {other} instead of {at}");
        }
    }
    // After the last one, and without it.
    let refused = taken(&kept, &chunks, &chunks[0]).unwrap_err();
    assert_eq!(refused.reason(), Reason::KeyNotInLeaf);
    let mut assembly = RevisionAssembly::new(kept.digest_at(kept.revision()).unwrap(), PARAMS);
    assembly.take(&chunks[0]).unwrap();
    assert_eq!(assembly.finish(1).unwrap_err().reason(), Reason::InvalidArgument);
}

#[test]
fn a_chunk_of_labels_alone_makes_no_progress() {
    let kept = made(3, 30);
    let digest = kept.digest_at(kept.revision()).unwrap();
    let label = [&[3][..], digest.root(), &[4]].concat();
    assert_eq!(taken(&kept, &[], &label).unwrap_err().reason(), Reason::KeyNotInLeaf);
}

#[test]
fn damage_is_found_where_it_is_read() {
    let kept = made(5, 30);
    let revision = kept.revision();
    let whole = kept.snapshot().unwrap();
    let keys: Vec<_> = ReadStore::range(&whole, b"n", b"o").map(|entry| entry.unwrap().0).collect();
    let right = read_chunk(&whole, &PARAMS, revision, &[0; 8], usize::MAX).unwrap();
    for key in keys {
        let mut damaged = whole.clone();
        let mut record = ReadStore::get(&damaged, &key).unwrap().unwrap();
        let last = record.len() - 1;
        record[last] ^= 1;
        let mut batch = WriteBatch::new();
        batch.put(key, record);
        damaged.write(batch).unwrap();
        match read_chunk(&damaged, &PARAMS, revision, &[0; 8], usize::MAX) {
            Ok(chunk) => assert_eq!(chunk, right, "a node of another revision"),
            Err(error) => assert_eq!(error.reason(), Reason::StoreCorrupt),
        }
    }
}

//! How much of the store a proof reads: the page of a key, not its neighbours.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prooflight_amb::prover::AmbState;
use prooflight_amb::{KeysQuestion, TrustedRoot, verify};
use prooflight_core::statement::Statement;
use prooflight_core::store::{
    MemoryStore, RawKeyChange, ReadStore, StateReader as _, StateStore as _, Store, StoreEntry,
    WriteBatch,
};
use prooflight_core::{Limits, PastState, Result};

/// A store that counts what is read from it and from its snapshots.
#[derive(Clone, Default)]
struct CountingStore {
    store: MemoryStore,
    reads: Arc<AtomicUsize>,
}

impl ReadStore for CountingStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.store.get(key)
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let count = |entry| {
            self.reads.fetch_add(1, Ordering::Relaxed);
            entry
        };
        Box::new(self.store.range(from, to).map(count))
    }
}

impl Store for CountingStore {
    type Snapshot = Self;

    fn snapshot(&self) -> Result<Self> {
        Ok(self.clone())
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.store.write(batch)
    }
}

#[test]
fn a_proof_of_a_key_reads_one_page() {
    let keys: Vec<[u8; 2]> = (0..5000_u16).map(|key| (key * 13).to_be_bytes()).collect();
    let block: Vec<_> = keys.iter().map(|key| RawKeyChange::set(key, b"value")).collect();
    let mut state = AmbState::open(CountingStore::default(), ()).unwrap();
    let root = TrustedRoot { hash: state.apply(&block).unwrap(), height: 0 };
    let reads = state.store_mut().reads.clone();
    let reader = state.reader().unwrap();
    // Keys with a value, and one without, between two others.
    let absent = 1_u16.to_be_bytes();
    for key in keys.iter().step_by(97).chain([&absent]) {
        reads.store(0, Ordering::Relaxed);
        let asked: &[&[u8]] = &[key];
        let proof = reader.prove(&Statement::Keys { height: 0, keys: asked }).unwrap().proof;
        assert_eq!(reads.load(Ordering::Relaxed), 1, "reads for {key:?}");
        let question = KeysQuestion { keys: asked, at: 0 };
        let answers = verify(&root, &question, &proof, &Limits::DEFAULT).unwrap();
        let expected = if *key == absent {
            PastState::NeverWritten
        } else {
            PastState::Present { value: b"value", since: 0 }
        };
        assert_eq!(*answers, [expected]);
    }
}

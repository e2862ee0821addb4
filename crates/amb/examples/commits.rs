//! Measures the time of blocks: `cargo run --release -p prooflight-amb --features prover --example amb-commits -- KEYS BLOCKS [CASE...]`.
//!
//! Cases: `raw`, the store alone; `amb`, the state in the store. The examples of `lmpt` and `lvmt` measure those with the
//! same flags.
//!
//! Flags: `--folder FOLDER` for the reference node's stores, each block synced (fsync) before the next, else stores are
//! in memory; `--keys N`, `--blocks N`, `--ops-per-block N`, `--zipf 0.99`.
#![allow(clippy::unwrap_used, reason = "a failed measurement stops the program")]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded anyway")]

use std::time::Instant;

use prooflight_amb::prover::AmbState;
use prooflight_amb::{KeysQuestion, TrustedRoot, verify};
use prooflight_core::Limits;
use prooflight_core::statement::Statement;
use prooflight_core::store::{MemoryStore, RawKeyChange, StateReader, StateStore, Store};
use prooflight_testkit::commits::{
    self, BenchArgs, CaseFigures, CountingStore, KeyPut, MeasuredStore, PlainStore, ProofFigures,
    StoreFolder,
};
use prooflight_testkit::store::SharedStore;

fn main() {
    commits::main(&["raw", "amb"], |case, args| {
        if let Some(within) = &args.folder {
            let folder = StoreFolder::new(within, case);
            let mut row = measure(case, args, folder.store(&[]));
            row.put("on disk, MB", folder.megabytes() as f64);
            row
        } else {
            measure(case, args, SharedStore::new(MemoryStore::default()))
        }
    });
}

fn measure<S: Store + Clone>(case: &str, args: &BenchArgs, store: S) -> CaseFigures {
    let store = CountingStore::new(store);
    let counts = store.counts();
    if case == "raw" {
        CaseFigures::measure(case, args, PlainStore(store), &counts)
    } else {
        let amb = Amb { state: AmbState::open(store.clone(), ()).unwrap(), store };
        CaseFigures::measure(case, args, amb, &counts)
    }
}

struct Amb<S: Store> {
    state: AmbState<S>,
    store: S,
}

/// Keys that are proved.
const PROVED: usize = 1000;

impl<S: Store + Clone> MeasuredStore for Amb<S> {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.state.get(key).unwrap()
    }

    fn commit(&mut self, ops: &[KeyPut]) {
        let mut changes: Vec<_> =
            ops.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
        changes.sort_by_key(|change| change.key);
        changes.dedup_by_key(|change| change.key);
        self.state.apply(&changes).unwrap();
    }

    fn prune(&mut self) {}

    fn finish(mut self, row: &mut CaseFigures, sample: &[[u8; 32]]) {
        let height = self.state.height().unwrap();
        let root = TrustedRoot { hash: self.state.root().try_into().unwrap(), height };
        let reader = self.state.reader().unwrap();
        let mut proofs = ProofFigures::default();
        let started = Instant::now();
        for key in &sample[..PROVED] {
            reader.prove(&Statement::Keys { height, keys: &[key] }).unwrap();
        }
        let millis = started.elapsed().as_secs_f64() * 1000.0;
        row.put("a proof, us", millis * 1000.0 / PROVED as f64);
        for key in &sample[..PROVED] {
            let statement = Statement::Keys { height, keys: &[key] };
            let proof = reader.prove(&statement).unwrap().proof;
            let started = Instant::now();
            let question = KeysQuestion { keys: &[key], at: height };
            let _ = verify(&root, &question, &proof, &Limits::DEFAULT).unwrap();
            proofs.add(proof.len(), started);
        }
        proofs.put(row, " of a key");
        drop((reader, self.state));
        let started = Instant::now();
        AmbState::open(self.store, ()).unwrap();
        row.put("restart, ms", started.elapsed().as_secs_f64() * 1000.0);
    }
}

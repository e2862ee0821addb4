//! Measures the time of blocks: `cargo run --release -p prooflight-lvmt --features prover --example commits -- KEYS BLOCKS [CASE...]`.
//!
//! A case is an arity with a shard: `2-full`, `4-class` (1 of 16), `4-none`. The flags are those of
//! `crates/lmpt/examples/commits.rs`, which measures the store alone and one trie as well: `--folder FOLDER` for the
//! reference node's stores on disk, synced at each block, `--keys N`, `--blocks N`, `--ops-per-block N`, `--zipf 0.99`.
#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "a program with text output")]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded anyway")]

use std::sync::Arc;
use std::time::Instant;

use prooflight_amt::{ProverSetup, TableParts, Tables};
use prooflight_core::store::{MemoryStore, RawKeyChange, Store};
use prooflight_lvmt::{LvmtRoot, LvmtStore, Params, ProofShard, StoreParams, verify};
use prooflight_testkit::commits::{
    self, BenchArgs, CaseFigures, CountingStore, KeyPut, MeasuredStore, ProofFigures, StoreFolder,
};

fn main() {
    commits::main(&["4-none", "4-full"], |case, args| {
        if let Some(within) = &args.folder {
            let folder = StoreFolder::new(within, case);
            // As the reference node does.
            let mut row = measure(case, args, folder.store(&[b"t", b"u"]));
            row.put("on disk, MB", folder.megabytes() as f64);
            row
        } else {
            measure(case, args, MemoryStore::default())
        }
    });
}

fn measure(case: &str, args: &BenchArgs, store: impl Store + Sync) -> CaseFigures {
    let store = CountingStore::new(store);
    let counts = store.counts();
    let params = params(case);
    let lvmt = Lvmt { state: LvmtStore::open(store, params.clone()).unwrap(), params };
    CaseFigures::measure(case, args, lvmt, &counts)
}

fn params(case: &str) -> StoreParams {
    let (arity, shard) = case.split_once('-').unwrap();
    let log_arity = u8::try_from(arity.parse::<u8>().unwrap().ilog2()).unwrap();
    let shard = match shard {
        "none" => ProofShard::None,
        "class" => ProofShard::Class { bits: 4, value: 5 },
        _ => ProofShard::Full,
    };
    let is_prover = shard != ProofShard::None;
    let parts = TableParts { single: is_prover, tree: is_prover.then_some(log_arity) };
    let started = Instant::now();
    let tables = Tables::build(&ProverSetup::dev(16).unwrap(), parts, &|_, _| {}).unwrap();
    eprintln!("{case}: tables {:.1} s", started.elapsed().as_secs_f64());
    StoreParams { tables: Arc::new(tables), log_arity, shard, defer_proof_nodes: false }
}

struct Lvmt<S> {
    state: LvmtStore<S>,
    params: StoreParams,
}

/// Keys that are proved.
const PROVED: usize = 200;

impl<S: Store + Sync> MeasuredStore for Lvmt<S> {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.state.get(key).unwrap()
    }

    fn commit(&mut self, ops: &[KeyPut]) {
        let changes: Vec<_> =
            ops.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
        self.state.apply(&changes).unwrap();
    }

    fn prune(&mut self) {
        self.state.prune(self.state.height().unwrap().saturating_sub(1)).unwrap();
    }

    fn finish(self, row: &mut CaseFigures, sample: &[[u8; 32]]) {
        let Self { state, params } = self;
        if params.shard == ProofShard::Full {
            let root = LvmtRoot::new(&state.root(), state.height().unwrap());
            let trusted =
                Params::new(params.tables.verifying_key(), params.log_arity).with_insecure_setup();
            let mut proofs = ProofFigures::default();
            for key in &sample[..PROVED] {
                let proof = state.prove(&[key]).unwrap().proof;
                let started = Instant::now();
                let _ = verify(&root, &[key], &proof, &trusted).unwrap();
                proofs.add(proof.len(), started);
            }
            proofs.put(row, " of a key");
        }
        let store = state.into_store();
        let started = Instant::now();
        LvmtStore::open(store, params).unwrap();
        row.put("restart, ms", started.elapsed().as_secs_f64() * 1000.0);
    }
}

//! Measures the time of blocks: `cargo run --release -p prooflight-lmpt --features prover --example lmpt-commits -- KEYS BLOCKS [CASE...]`.
//!
//! Cases: `raw`, the store alone; `mpt`, one trie in the store; `lmpt`, with its merges on a thread; `lmpt-attack`,
//! whose eras end with every third block. `crates/lvmt/examples/commits.rs` measures LVMT with the same flags.
//!
//! Flags: `--folder FOLDER` for the reference node's stores, each block synced (fsync) before the next, else stores are
//! in memory; `--keys N`, `--blocks N` (four eras and a half by default), `--ops-per-block N`, `--zipf 0.99`,
//! `--era-ops N`, `--era-bytes N`, `--era-blocks N`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed measurement stops the program")]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded anyway")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use prooflight_core::Limits;
use prooflight_core::chain::LmptConfig;
use prooflight_core::statement::Statement;
use prooflight_core::store::{MemoryStore, Prepared, RawKeyChange, StateReader, StateStore, Store};
use prooflight_lmpt::{
    Layer, LayerRoots, LmptMerging, LmptParams, MergeEvent, MergingParams, verify,
};
use prooflight_mpt::{PersistentTrie, prove_at, verify_proof};
use prooflight_testkit::commits::{
    self, BenchArgs, CaseFigures, CountingStore, KeyPut, MeasuredStore, PlainStore, ProofFigures,
    StoreFolder, key_hash,
};
use prooflight_testkit::store::SharedStore;

fn main() {
    commits::main(&["raw", "mpt", "lmpt", "lmpt-attack"], |case, args| {
        if let Some(within) = &args.folder {
            let folder = StoreFolder::new(within, case);
            // The reference node keeps its raw state apart, and the nodes of `mpt`.
            let prefixes: &[&[u8]] = match case {
                "raw" => &[],
                "mpt" => &[b"n"],
                _ => &[b"f"],
            };
            let mut row = measure(case, args, folder.store(prefixes));
            row.put("on disk, MB", folder.megabytes() as f64);
            row
        } else {
            measure(case, args, SharedStore::new(MemoryStore::default()))
        }
    });
}

fn measure<S: Store + Clone + Send + 'static>(
    case: &str,
    args: &BenchArgs,
    store: S,
) -> CaseFigures {
    let store = CountingStore::new(store);
    let counts = store.counts();
    match case {
        "raw" => CaseFigures::measure(case, args, PlainStore(store), &counts),
        "mpt" => {
            let keep = 2 * args.blocks_of_an_era() as u64;
            let mpt = Mpt { trie: PersistentTrie::open(store).unwrap(), keep };
            CaseFigures::measure(case, args, mpt, &counts)
        }
        _ => {
            let mut eras = LmptConfig {
                era_blocks: args.era_blocks,
                era_ops: args.era_ops,
                era_bytes: args.era_bytes,
            };
            let mut keep = 2 * args.blocks_of_an_era() as u64;
            if case == "lmpt-attack" {
                (eras.era_blocks, keep) = (3, 6);
            }
            CaseFigures::measure(case, args, Lmpt::open(store, eras, keep), &counts)
        }
    }
}

/// One trie in the store.
struct Mpt<S> {
    trie: PersistentTrie<S>,
    keep: u64,
}

impl<S: Store> MeasuredStore for Mpt<S> {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.trie.get(&key_hash(key)).unwrap()
    }

    fn commit(&mut self, ops: &[KeyPut]) {
        let ops: Vec<_> = ops.iter().map(|(key, value)| (key_hash(key), value)).collect();
        let changes: Vec<_> =
            ops.iter().map(|(key, value)| RawKeyChange::set(key, *value)).collect();
        self.trie.apply(&changes).unwrap();
    }

    fn prune(&mut self) {
        if let Some(oldest) = self.trie.revision().checked_sub(self.keep)
            && oldest > self.trie.oldest_revision()
        {
            self.trie.prune(oldest).unwrap();
        }
    }

    fn finish(self, row: &mut CaseFigures, sample: &[[u8; 32]]) {
        let mut proofs = ProofFigures::default();
        for key in &sample[..PROVED] {
            let key = key_hash(key);
            let proved = self.trie.prove(&key).unwrap();
            let nodes: Vec<&[u8]> = proved.proof.iter().map(Vec::as_slice).collect();
            let started = Instant::now();
            let _ = verify_proof(&proved.root, &key, &nodes, &Limits::DEFAULT).unwrap();
            proofs.add(nodes.iter().map(|node| node.len()).sum(), started);
        }
        proofs.put(row, " of a key");
        let oldest = self.trie.oldest_revision();
        let started = Instant::now();
        let store = self.trie.into_store();
        let trie = PersistentTrie::open(store).unwrap();
        row.put("restart, ms", started.elapsed().as_secs_f64() * 1000.0);
        let store = trie.into_store();
        for (name, key) in [("an old height, ms", sample[0]), ("the same again, ms", sample[1])] {
            let started = Instant::now();
            prove_at(&store, oldest, &key_hash(&key)).unwrap();
            row.put(name, started.elapsed().as_secs_f64() * 1000.0);
        }
    }
}

/// Keys that are proved.
const PROVED: usize = 1000;

struct Lmpt<S: Store> {
    state: LmptMerging<S>,
    store: S,
    eras: LmptConfig,
    keep: u64,
    waits: Arc<Waits>,
}

/// The times that blocks waited for merges, in microseconds.
#[derive(Default)]
struct Waits {
    ends: AtomicU64,
    sum: AtomicU64,
    max: AtomicU64,
}

impl<S: Store + Clone + Send + 'static> Lmpt<S> {
    fn open(store: S, eras: LmptConfig, keep: u64) -> Self {
        let waits = Arc::new(Waits::default());
        let state = LmptMerging::open(store.clone(), params(eras, &waits)).unwrap();
        Self { state, store, eras, keep, waits }
    }
}

fn params(eras: LmptConfig, waits: &Arc<Waits>) -> MergingParams {
    let waits = waits.clone();
    let watch = move |event: &MergeEvent<'_>| match event {
        MergeEvent::Waited { time, .. } => {
            let micros = u64::try_from(time.as_micros()).unwrap();
            waits.ends.fetch_add(1, Relaxed);
            waits.sum.fetch_add(micros, Relaxed);
            waits.max.fetch_max(micros, Relaxed);
        }
        MergeEvent::Part { .. } => {}
        MergeEvent::Failed(error) => panic!("{error}"),
    };
    let store = LmptParams { is_flat: true, replays: true, ..LmptParams::new(eras) };
    MergingParams { store, on_event: Arc::new(watch) }
}

impl<S: Store + Clone + Send + 'static> MeasuredStore for Lmpt<S> {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.state.get(key).unwrap()
    }

    fn commit(&mut self, ops: &[KeyPut]) {
        let changes: Vec<_> =
            ops.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
        let Prepared { writes, next, .. } = self.state.prepare(&changes).unwrap();
        self.store.write(writes).unwrap();
        self.state.commit(next).unwrap();
    }

    fn prune(&mut self) {
        if let Some(oldest) = self.state.height().unwrap().checked_sub(self.keep) {
            self.state.prune(oldest).unwrap();
        }
    }

    fn settle(&mut self) {
        self.state.finish().unwrap();
    }

    fn begin(&mut self) {
        for counter in [&self.waits.ends, &self.waits.sum, &self.waits.max] {
            counter.store(0, Relaxed);
        }
    }

    fn finish(mut self, row: &mut CaseFigures, sample: &[[u8; 32]]) {
        let millis = |counter: &AtomicU64| counter.load(Relaxed) as f64 / 1000.0;
        row.put("ends of eras", self.waits.ends.load(Relaxed) as f64);
        row.put("waits, ms in all", millis(&self.waits.sum));
        row.put("longest wait, ms", millis(&self.waits.max));
        let height = self.state.height().unwrap();
        self.prove(row, sample, height);
        let Self { state, store, eras, waits, .. } = self;
        drop(state);
        let started = Instant::now();
        let mut state = LmptMerging::open(store, params(eras, &waits)).unwrap();
        row.put("restart, ms", started.elapsed().as_secs_f64() * 1000.0);
        // The last block of the era before: only a replay has it.
        let old =
            (0..height).rev().find(|old| state.state_mut().prove(*old, &[&sample[0]]).is_err());
        if let Some(height) = old {
            let reader = state.reader().unwrap();
            let started = Instant::now();
            reader.prove(&Statement::Keys { height, keys: &[&sample[0]] }).unwrap();
            row.put("an old height, ms", started.elapsed().as_secs_f64() * 1000.0);
            let started = Instant::now();
            reader.prove(&Statement::Keys { height, keys: &[&sample[1]] }).unwrap();
            row.put("the same again, ms", started.elapsed().as_secs_f64() * 1000.0);
        }
    }
}

impl<S: Store + Clone + Send + 'static> Lmpt<S> {
    /// Proves single keys, by the layer that has them, and a hundred keys together.
    fn prove(&mut self, row: &mut CaseFigures, sample: &[[u8; 32]], height: u64) {
        let roots = LayerRoots::decode(&self.state.root()).unwrap();
        let mut by_layer = [ProofFigures::default(); 3];
        let mut together = ProofFigures::default();
        let reader = self.state.reader().unwrap();
        let chosen = sample.chunks(1).take(PROVED).chain(sample.chunks(100).take(10));
        for keys in chosen {
            let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
            let proof = reader.prove(&Statement::Keys { height, keys: &keys }).unwrap().proof;
            let started = Instant::now();
            let answers = verify(&roots, &keys, &proof, &Limits::DEFAULT).unwrap();
            if keys.len() > 1 {
                together.add(proof.len(), started);
                continue;
            }
            let layer = answers.get()[0].layer;
            let at = Layer::ALL.iter().position(|other| *other == layer).unwrap();
            by_layer[at].add(proof.len(), started);
        }
        for (layer, proofs) in Layer::ALL.iter().zip(by_layer) {
            proofs.put(row, &format!(" in {}", layer.as_str()));
        }
        together.put(row, " of 100 keys");
    }
}

//! Measures the time of blocks: `cargo run --release --features prover --example commits -- KEYS BLOCKS [CASE...]`.
//!
//! A case is `mpt`, or an arity with a shard: `2-full`, `4-class` (1 of 16), `4-none`. Blocks have 100,000
//! operations that each read a random key and write it. `--operations N` makes smaller blocks, once all keys
//! are written. Stores are in memory; with `--folder FOLDER` they are the reference node's on-disk stores in
//! that folder, and each block is synced (fsync) before the next begins.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program with text output")]
#![allow(clippy::cast_precision_loss, reason = "times are rounded anyway")]

mod stores;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prooflight_amt::{Parts, Setup, Tables};
use prooflight_core::store::{Change, MemoryStore, Store};
use prooflight_lvmt::path::key_hash;
use prooflight_lvmt::{LvmtStore, ProofShard, StoreParams};
use prooflight_mpt::PersistentTrie;
use stores::Folder;

/// Operations of a block while the keys are written, and afterwards unless `--operations` is given.
const OPERATIONS: usize = 100_000;

/// The size of a run.
struct Sizes {
    keys: usize,
    blocks: usize,
    operations: usize,
}

fn main() {
    let mut sizes = Sizes { keys: 1_000_000, blocks: 5, operations: OPERATIONS };
    let (mut folder, mut plain) = (None, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match &*arg {
            "--folder" => folder = Some(PathBuf::from(args.next().unwrap())),
            "--operations" => sizes.operations = args.next().unwrap().parse().unwrap(),
            _ => plain.push(arg),
        }
    }
    let mut plain = plain.into_iter();
    sizes.keys = plain.next().map_or(sizes.keys, |arg| arg.parse().unwrap());
    sizes.blocks = plain.next().map_or(sizes.blocks, |arg| arg.parse().unwrap());
    for case in plain {
        if let Some(within) = &folder {
            let folder = Folder::new(within, &case);
            measure(&case, &sizes, folder.store());
            println!("{case}: {} MB on disk", folder.megabytes());
        } else {
            measure(&case, &sizes, MemoryStore::default());
        }
    }
}

fn measure(case: &str, sizes: &Sizes, store: impl Store + Sync) {
    if case == "mpt" { mpt(sizes, store) } else { lvmt(case, sizes, store) }
}

fn lvmt(case: &str, sizes: &Sizes, store: impl Store + Sync) {
    let (arity, shard) = case.split_once('-').unwrap();
    let log_arity = u8::try_from(arity.parse::<u8>().unwrap().ilog2()).unwrap();
    let shard = match shard {
        "none" => ProofShard::None,
        "class" => ProofShard::Class { bits: 4, value: 5 },
        _ => ProofShard::Full,
    };
    let is_prover = shard != ProofShard::None;
    let parts = Parts { single: is_prover, tree: is_prover.then_some(log_arity) };
    let base = resident();
    let started = Instant::now();
    let tables = Tables::build(&Setup::dev(16).unwrap(), parts, &|_, _| {}).unwrap();
    println!("{case}: tables {:.1} s, {} MB", started.elapsed().as_secs_f64(), resident() - base);
    let params = StoreParams { tables: Arc::new(tables), log_arity, shard };
    let mut store = LvmtStore::open(store, params).unwrap();
    println!("{case}: tables and state {} MB", resident() - base);
    run(case, sizes, |ops, times| {
        let started = Instant::now();
        for (key, _) in ops {
            assert_eq!(store.get(key).unwrap().is_some(), times.is_some());
        }
        let read = started.elapsed();
        let changes: Vec<_> = ops.iter().map(|(key, value)| Change::set(key, value)).collect();
        let started = Instant::now();
        let mut prepared = store.prepare(&changes).unwrap();
        let prepare = started.elapsed();
        let writes = core::mem::take(&mut prepared.writes);
        let started = Instant::now();
        store.store_mut().write(writes).unwrap();
        store.commit(prepared).unwrap();
        let write = started.elapsed();
        let started = Instant::now();
        store.prune(store.height().unwrap().saturating_sub(1)).unwrap();
        [read, prepare, write, started.elapsed()]
    });
}

fn mpt(sizes: &Sizes, store: impl Store) {
    let mut trie = PersistentTrie::open(store).unwrap();
    run("mpt", sizes, |ops, times| {
        let ops: Vec<_> = ops.iter().map(|(key, value)| (key_hash(key), value)).collect();
        let started = Instant::now();
        for (key, _) in &ops {
            assert_eq!(trie.get(key).unwrap().is_some(), times.is_some());
        }
        let read = started.elapsed();
        let changes: Vec<_> = ops.iter().map(|(key, value)| Change::set(key, *value)).collect();
        let started = Instant::now();
        trie.apply(&changes).unwrap();
        let prepare = started.elapsed();
        let started = Instant::now();
        trie.prune(trie.revision().saturating_sub(1)).unwrap();
        [read, prepare, Duration::ZERO, started.elapsed()]
    });
}

type Op = ([u8; 32], [u8; 32]);

/// Writes all keys, then blocks of operations; the closure gives the times to read, prepare, write and prune.
fn run(
    case: &str,
    &Sizes { keys, blocks, operations }: &Sizes,
    mut block: impl FnMut(&[Op], Option<()>) -> [Duration; 4],
) {
    let mut random = SplitMix(7);
    let started = Instant::now();
    let all: Vec<_> = (0..keys).map(|n| key(n as u64)).collect();
    for part in all.chunks(OPERATIONS) {
        let ops: Vec<Op> = part.iter().map(|key| (*key, random.word())).collect();
        block(&ops, None);
    }
    println!("{case}: {keys} keys in {:.1} s", started.elapsed().as_secs_f64());
    let mut sum = [Duration::ZERO; 4];
    let before = cpu();
    for _ in 0..blocks {
        let mut draw = || key(random.next() % keys as u64);
        let drawn: Vec<_> = (0..operations).map(|_| draw()).collect();
        let ops: Vec<Op> = drawn.into_iter().map(|key| (key, random.word())).collect();
        let times = block(&ops, Some(()));
        let ms = times.map(|time| time.as_secs_f64() * 1000.0);
        println!(
            "{case}: read {:.1} prepare {:.1} write {:.1} prune {:.1} ms",
            ms[0], ms[1], ms[2], ms[3]
        );
        sum.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
    }
    let [read, prepare, write, prune] = sum.map(|sum| sum.as_secs_f64() * 1000.0 / blocks as f64);
    let (user, system) = cpu();
    let of_block = |now: u64, before: u64| (now - before) as f64 * 10.0 / blocks as f64;
    let (user, system) = (of_block(user, before.0), of_block(system, before.1));
    println!(
        "{case}: processor time of a block {:.1} ms (user {user:.1}, system {system:.1}), memory {} MB",
        user + system,
        resident()
    );
    println!(
        "{case}: a block {:.1} ms (read {read:.1}, prepare {prepare:.1}, write {write:.1}), prune {prune:.1} ms",
        read + prepare + write
    );
}

fn key(number: u64) -> [u8; 32] {
    SplitMix(number << 8).word()
}

struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn word(&mut self) -> [u8; 32] {
        let mut word = [0; 32];
        for chunk in word.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_be_bytes());
        }
        word
    }
}

/// The processor time of all threads of this process so far, in hundredths of a second: user and system.
fn cpu() -> (u64, u64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
    let mut fields = fields.map(|field| field.parse().unwrap_or(0));
    (fields.next().unwrap_or(0), fields.next().unwrap_or(0))
}

/// The resident memory of this process, in megabytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

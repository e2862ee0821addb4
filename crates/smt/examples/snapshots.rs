//! The cost of snapshot files: `cargo run --release --features snapshots --example snapshots -- FOLDER [KEYS] [BLOCKS]`.
//!
//! Blocks of 100,000 changes on KEYS keys (default 1,000,000): 90% updates, 5% inserts, 5% deletes. Keys
//! and values have 32 bytes. Creates two folders in FOLDER. Uses `RAYON_NUM_THREADS` threads, and one more
//! for background writes.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a program that prints numbers and stops at any error"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use prooflight_core::Limits;
use prooflight_core::store::RawKeyChange;
use prooflight_smt::hash::{hash_keys, hash_values};
use prooflight_smt::snapshot::{SnapshotFiles, SnapshotReader, SnapshotWriter, WriterOptions};
use prooflight_smt::tree::{HashedChange, MemoryTree};
use prooflight_smt::verify;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const BLOCK: usize = 100_000;

type Op = ([u8; 32], Option<[u8; 32]>);

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap();
    let mut number = |default: usize| args.next().map_or(default, |it| it.parse().unwrap());
    let (keys, blocks) = (number(1_000_000), number(20));
    let mut workload = Workload { rng: StdRng::seed_from_u64(1), keys: Vec::new() };
    let filling: Vec<Vec<Op>> = (0..keys.div_ceil(BLOCK)).map(|_| workload.inserts()).collect();
    let blocks: Vec<Vec<Op>> = (0..blocks).map(|_| workload.block()).collect();

    let mut tree_only = MemoryTree::new();
    let (mut alone, mut height) = (Clock::default(), 0);
    for (at, ops) in filling.iter().chain(&blocks).enumerate() {
        let mut update = || tree_only.update(height, &hashed(ops)).unwrap();
        if at >= filling.len() {
            alone.time(&mut update);
        } else {
            update();
        }
        height += 1;
    }
    let updates = blocks.len() * BLOCK;
    println!("without snapshots: {}", alone.per_update(updates));

    let all = [filling.as_slice(), &blocks];
    for (name, way) in [("background", Way::Background), ("durable", Way::Durable)] {
        let folder = Path::new(&folder).join(name);
        let root = write(&folder, all, way);
        assert_eq!(root, tree_only.root());
    }
    let folder = Path::new(&folder).join("durable");

    prove(&folder, &mut workload, height - 1);
    let mut opening = Clock::default();
    let (writer, damage) = opening.time(|| open(&folder));
    let [wall, cpu] = [opening.wall, opening.cpu].map(|time| time.as_secs_f64());
    println!("reopened in {wall:.2} s, {cpu:.2} s of processor time");
    assert_eq!((damage, writer.root()), (0, tree_only.root()));
}

/// When a block's file is durable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// When the block is committed.
    Durable,
    /// When the next one is committed.
    Background,
}

/// Writes snapshot files and prints the cost of those after the initial filling.
fn write(folder: &Path, [filling, blocks]: [&[Vec<Op>]; 2], way: Way) -> [u8; 32] {
    let (mut writer, damage) = open(folder);
    assert_eq!(damage, 0);
    let (mut prepare, mut commit) = (Clock::default(), Clock::default());
    for (height, ops) in (0..).zip(filling.iter().chain(blocks)) {
        if height == filling.len() as u64 {
            writer.publish().unwrap();
            (prepare, commit) = (Clock::default(), Clock::default());
        }
        let changes: Vec<_> = ops.iter().map(RawKeyChange::from).collect();
        let prepared = prepare.time(|| writer.prepare(height, &changes).unwrap());
        commit.time(|| match way {
            Way::Durable => writer.commit(prepared).unwrap(),
            Way::Background => writer.commit_in_background(prepared).unwrap(),
        });
    }
    commit.time(|| writer.publish().unwrap());
    let updates = blocks.len() * BLOCK;
    let durable = match way {
        Way::Durable => "each block durable before the next",
        Way::Background => "each file written while the next block is prepared",
    };
    println!("with snapshots, {durable}: {}", prepare.with(commit).per_update(updates));
    println!("  prepare {}", prepare.per_update(updates));
    println!("  commit {}", commit.per_update(updates));
    let bytes: u64 = (filling.len()..filling.len() + blocks.len())
        .map(|height| std::fs::metadata(folder.join(format!("{height:016}.smt"))))
        .map(|file| file.unwrap().len())
        .sum();
    let per_update = bytes as f64 / updates as f64;
    println!("  {per_update:.1} bytes per update, of which the record has 70");
    writer.root()
}

/// Elapsed time, and the processor time of all threads.
#[derive(Clone, Copy, Default)]
struct Clock {
    wall: Duration,
    cpu: Duration,
}

impl Clock {
    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let done = work();
        self.wall += wall.elapsed();
        self.cpu += cpu.elapsed();
        done
    }

    fn with(self, other: Self) -> Self {
        Self { wall: self.wall + other.wall, cpu: self.cpu + other.cpu }
    }

    fn per_update(&self, updates: usize) -> String {
        let rate = |time: Duration| updates as f64 / time.as_secs_f64() / 1e6;
        let ns = |time: Duration| time.as_secs_f64() * 1e9 / updates as f64;
        format!(
            "{:.0} ns per update ({:.2} M/s), {:.0} ns of processor time ({:.2} M/s)",
            ns(self.wall),
            rate(self.wall),
            ns(self.cpu),
            rate(self.cpu)
        )
    }
}

fn prove(folder: &Path, workload: &mut Workload, newest: u64) {
    for cache in [1 << 13, 64 << 20] {
        let files = SnapshotFiles::local(folder).unwrap();
        let reader = SnapshotReader::open(files, cache).unwrap();
        for height in [newest, newest / 2 + newest / 4, newest / 2] {
            let mut times = Vec::new();
            let mut size = 0;
            for _ in 0..2000 {
                let key = workload.keys[workload.rng.random_range(0..workload.keys.len())];
                let start = Instant::now();
                let proved = reader.prove(height, &[&key]).unwrap();
                times.push(start.elapsed());
                size += proved.proof.len();
                let _ =
                    verify(&proved.root, height, &[&key], &proved.proof, &Limits::DEFAULT).unwrap();
            }
            times.sort_unstable();
            let us = |at: usize| times[at].as_secs_f64() * 1e6;
            println!(
                "proof at block {height} of {newest}, {} KiB of cache: median {:.0} us, 90% {:.0} us, {} bytes",
                cache >> 10,
                us(times.len() / 2),
                us(times.len() * 9 / 10),
                size / times.len()
            );
        }
    }
}

fn open(folder: &Path) -> (SnapshotWriter, usize) {
    let files = SnapshotFiles::local(folder).unwrap();
    let (writer, damage) = SnapshotWriter::open(files, WriterOptions::default()).unwrap();
    (writer, damage.len())
}

fn hashed(ops: &[Op]) -> Vec<HashedChange> {
    let key_hashes = hash_keys(ops.iter().map(|(key, _)| key.as_slice()));
    let values = ops.iter().filter_map(|(_, value)| value.as_ref());
    let mut value_hashes = hash_values(values.map(<[u8; 32]>::as_slice)).into_iter();
    ops.iter()
        .zip(key_hashes)
        .map(|((_, value), key_hash)| HashedChange {
            key_hash,
            value_hash: value.and_then(|_| value_hashes.next()),
        })
        .collect()
}

struct Workload {
    rng: StdRng,
    keys: Vec<[u8; 32]>,
}

impl Workload {
    fn inserts(&mut self) -> Vec<Op> {
        (0..BLOCK).map(|_| self.insert()).collect()
    }

    fn insert(&mut self) -> Op {
        let key = self.rng.random();
        self.keys.push(key);
        (key, Some(self.rng.random()))
    }

    fn block(&mut self) -> Vec<Op> {
        let old = self.keys.len();
        let op = |workload: &mut Self| match workload.rng.random_range(0..20) {
            0 => workload.insert(),
            deletes => {
                let key = workload.keys[workload.rng.random_range(0..old)];
                (key, (deletes > 1).then(|| workload.rng.random()))
            }
        };
        (0..BLOCK).map(|_| op(self)).collect()
    }
}

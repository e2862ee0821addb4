//! Measures what a node costs as its state grows: `cargo run --release -p prooflight-node --example costs -- FOLDER SIZE,SIZE,... [SCHEME,...]`.
//!
//! One chain in a new folder grows to each number of keys in blocks of 10,000. Then it is measured: blocks, proofs
//! as the node makes them, what is on disk, and opening. Each size prints a line of JSON. Times are processor
//! time of the whole process in milliseconds, if they are not called wall time.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program with text output")]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded anyway")]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use prooflight_amt::VerifyingKey;
use prooflight_avl::CachedAvlState;
use prooflight_core::chain::{
    ChainConfig, ChainLimits, LvmtConfig, SchemeConfig, StateOperation, state_key,
};
use prooflight_core::statement::Statement;
use prooflight_core::store::StateStore as _;
use prooflight_core::{Hash, Scheme, blake2b256};
use prooflight_node::chain::keys::{Signers, generate_key};
use prooflight_node::chain::schemes::{self, SchemeContext, SchemeOptions};
use prooflight_node::chain::store;
use prooflight_node::{Chain, View};
use serde_json::{Map, Value, json};

/// That of the node.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The operations of a block.
const BLOCK_OPERATIONS: u64 = 10_000;

/// Blocks of which the median counts.
const MEDIAN_BLOCKS: u64 = 25;

/// Proofs right after blocks, of which the median counts as well.
const FIRST_PROOFS: u64 = 5;

/// Proofs of 100 keys that a node has made when it is warm.
const WARM_PROOFS: u64 = 500;

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().unwrap());
    let sizes: Vec<u64> = args.next().unwrap().split(',').map(|it| it.parse().unwrap()).collect();
    let schemes = args.next().unwrap_or_else(|| "avl,lvmt,smt".to_owned());
    let schemes: Vec<Scheme> = schemes.split(',').map(|it| Scheme::named(it).unwrap()).collect();
    let (config, signers) = config(&schemes);
    let mut chain = Chain::create(&folder, &config).unwrap();
    signers.make(&mut chain, [], 1).unwrap();
    drop(chain);
    let importing = SchemeOptions { readers_disabled: true, ..SchemeOptions::default() };
    let (mut keys, mut seed) = (0, 0);
    for size in sizes {
        let mut row = Map::new();
        row.insert("keys".into(), size.into());
        row.insert("load before".into(), load());
        // As the command does it.
        let mut chain = Chain::reopen(&folder, &importing).unwrap();
        let (time, wall, written) = (ProcessTime::now(), Instant::now(), written());
        let before = keys;
        while keys < size {
            let end = size.min(keys + BLOCK_OPERATIONS);
            make(&mut chain, &signers, (keys..end).map(|number| (number, 0)));
            keys = end;
        }
        chain.finish_import().unwrap();
        settle();
        let inserted = (keys - before) as f64;
        put(&mut row, "import of a key, µs", 1000.0 * ms(time.elapsed()) / inserted);
        put(&mut row, "import of a key, wall µs", 1000.0 * ms(wall.elapsed()) / inserted);
        put(&mut row, "import of a key, bytes written", (self::written() - written) / inserted);

        let mut chain = Chain::open(&folder).unwrap();
        let updates =
            |seed: u64| (0..BLOCK_OPERATIONS).map(move |at| (random(seed, at) % keys, seed));
        let mut samples = Vec::new();
        let start = self::written();
        for _ in 0..MEDIAN_BLOCKS {
            seed += 1;
            let (time, wall) = (ProcessTime::now(), Instant::now());
            make(&mut chain, &signers, updates(seed));
            samples.push((ms(wall.elapsed()), ms(time.elapsed())));
        }
        settle();
        let operations = (MEDIAN_BLOCKS * BLOCK_OPERATIONS) as f64;
        put(&mut row, "update, bytes written", (self::written() - start) / operations);
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        put(&mut row, "block of 10,000, wall ms", samples[samples.len() / 2].0);
        samples.sort_by(|a, b| a.1.total_cmp(&b.1));
        put(&mut row, "block of 10,000, ms", samples[samples.len() / 2].1);
        put(&mut row, "on disk, MB", megabytes(&folder));

        for scheme in &schemes {
            let name = scheme.as_str();
            let first = prove_times(&chain, *scheme, keys, 100, 0..FIRST_PROOFS);
            put(&mut row, &format!("{name}: one of the first proofs of 100, ms"), median(first.0));
            // What a node keeps in memory for proofs of this scheme fills slowly.
            if *scheme == Scheme::Smt {
                prove_times(&chain, *scheme, keys, 100, FIRST_PROOFS..WARM_PROOFS);
            }
            for asked in [1, 10, 100] {
                let (time, wall) = prove(&chain, *scheme, keys, asked);
                put(&mut row, &format!("{name}: proof of {asked}, ms"), time);
                put(&mut row, &format!("{name}: proof of {asked}, wall ms"), wall);
            }
        }
        drop(chain);
        if schemes.contains(&Scheme::Avl) {
            // The store reads again what it had not yet written as tables.
            let time = ProcessTime::now();
            let store = store::open(&folder.join("store")).unwrap();
            put(&mut row, "store: opening, ms", ms(time.elapsed()));
            let time = ProcessTime::now();
            let own = schemes::namespace(store, Scheme::Avl);
            let options = SchemeOptions::default();
            let place = SchemeContext { folder: &folder, options: &options };
            let params = schemes::avl_params(&config, place);
            let state = CachedAvlState::open(own, params).unwrap();
            put(&mut row, "avl: opening, ms", ms(time.elapsed()));
            drop(state);
        }
        let (time, wall) = (ProcessTime::now(), Instant::now());
        drop(Chain::open(&folder).unwrap());
        put(&mut row, "opening, ms", ms(time.elapsed()));
        put(&mut row, "opening, wall ms", ms(wall.elapsed()));
        row.insert("load after".into(), load());
        println!("{}", Value::Object(row));
    }
}

fn config(schemes: &[Scheme]) -> (ChainConfig, Signers) {
    let lvmt = LvmtConfig {
        params_id: VerifyingKey::dev(16).unwrap().params_id(),
        log_n: 16,
        log_arity: 2,
    };
    let key = generate_key().unwrap();
    let config = ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: "costs".to_owned(),
        schemes: schemes
            .iter()
            .map(|scheme| match scheme {
                Scheme::Lvmt => SchemeConfig::lvmt(&lvmt),
                other => SchemeConfig::without_params(*other),
            })
            .collect(),
        authorities: vec![key.verifying_key().to_bytes()],
        quorum: 1,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: 1,
    };
    let signers = Signers::new(&config, vec![key]).unwrap();
    (config, signers)
}

/// Makes a block that sets keys, given by their numbers, to values of 32 bytes.
fn make(chain: &mut Chain, signers: &Signers, sets: impl Iterator<Item = (u64, u64)>) {
    let operations = sets.map(|(number, seed)| {
        let value = blake2b256(&[&number.to_be_bytes(), &seed.to_be_bytes()]);
        StateOperation::Set { key: key(number).to_vec(), value: value.to_vec() }
    });
    signers.make(chain, operations, 1).unwrap();
}

fn key(number: u64) -> Hash {
    state_key(&number.to_be_bytes())
}

fn random(seed: u64, at: u64) -> u64 {
    let hash = blake2b256(&[b"random", &seed.to_be_bytes(), &at.to_be_bytes()]);
    u64::from_be_bytes(*hash.first_chunk().unwrap())
}

/// The median processor and wall time of a proof of random keys in the newest block.
fn prove(chain: &Chain, scheme: Scheme, keys: u64, asked: u64) -> (f64, f64) {
    let samples = (400 / asked).clamp(20, 100);
    let start = 1_000_000 * asked;
    // The first ones fill the caches.
    prove_times(chain, scheme, keys, asked, start..start + samples / 4);
    let range = start + samples / 4..start + samples;
    let (times, walls) = prove_times(chain, scheme, keys, asked, range);
    (median(times), median(walls))
}

/// The times of proofs of random keys, as the node makes them: on a thread for blocking work.
fn prove_times(
    chain: &Chain,
    scheme: Scheme,
    keys: u64,
    asked: u64,
    seeds: Range<u64>,
) -> (Vec<f64>, Vec<f64>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let prove = move |view: &View, seed: u64| {
        let keys: Vec<_> = (0..asked).map(|at| key(random(seed, at) % keys)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        view.prove(scheme, &Statement::Keys { height: view.height(), keys: &keys }).unwrap();
    };
    let mut times = (Vec::new(), Vec::new());
    for seed in seeds {
        let view = chain.view().unwrap();
        let (wall, time) = (Instant::now(), ProcessTime::now());
        let proved = runtime.spawn(async move {
            tokio::task::spawn_blocking(move || prove(&view, 1_000_000_000 + seed)).await
        });
        runtime.block_on(proved).unwrap().unwrap();
        times.0.push(ms(time.elapsed()));
        times.1.push(ms(wall.elapsed()));
    }
    times
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Waits until the store has no more work to do in the background.
fn settle() {
    loop {
        let time = ProcessTime::now();
        thread::sleep(Duration::from_millis(200));
        if time.elapsed() < Duration::from_millis(10) {
            return;
        }
    }
}

fn put(row: &mut Map<String, Value>, name: &str, value: f64) {
    row.insert(name.to_owned(), json!((value * 100.0).round() / 100.0));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The bytes that this process has had written to disk; 0 where the system does not say.
fn written() -> f64 {
    let counters = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let bytes = counters.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    bytes.map_or(0.0, |bytes| bytes.parse().unwrap())
}

fn load() -> Value {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().into()
}

fn megabytes(folder: &Path) -> f64 {
    let bytes = |entry: fs::DirEntry| {
        if entry.path().is_dir() {
            megabytes(&entry.path())
        } else {
            entry.metadata().map_or(0.0, |data| data.len() as f64 / 1e6)
        }
    };
    fs::read_dir(folder).unwrap().filter_map(Result::ok).map(bytes).sum()
}

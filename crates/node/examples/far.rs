//! Measures proofs from snapshot files in a bucket that answers late:
//! `cargo run --profile node -p prooflight-node --example far -- FOLDER [KEYS] [BLOCKS] [MILLISECONDS]`.
//!
//! The first block sets KEYS keys (default 1,000,000); each of BLOCKS blocks (default 10,000) then changes 100 random ones.
//! One key is changed 100 times, at even distances. The files go to FOLDER/smt/1 and are used again if they are there. Each
//! request to the bucket takes MILLISECONDS (default 20) longer than a file does. For each question, this prints the
//! requests, the bytes and the time of a server that has just started, of one that has opened, and of the first one again
//! (the mean of ten answers); and that from the local folder. No other task of a server runs meanwhile.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program with text output")]

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use bytes::Bytes;
use object_store::local::LocalFileSystem;
use prooflight_core::statement::Statement;
use prooflight_core::store::{RawKeyChange, StateReader as _};
use prooflight_core::{Result, blake2b256};
use prooflight_log::Bucket;
use prooflight_node::replication::snapshots::BucketFiles;
use prooflight_smt::snapshot::{
    RemoteFiles, SmtReader, SnapshotFiles, SnapshotWriter, WriterOptions,
};
use tokio::runtime::Handle;

const BLOCK_CHANGES: u64 = 100;
const CACHE_BYTES: u64 = 256 << 20;
const WARM_RUNS: u32 = 10;

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap();
    let mut number = |default: u64| args.next().map_or(default, |it| it.parse().unwrap());
    let (keys, blocks, latency) = (number(1_000_000), number(10_000), number(20));
    let folder = Path::new(&folder);
    let own = folder.join("smt/1");
    if !own.exists() {
        make(&own, keys, blocks);
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (seldom, old) = (key(0), key(keys / 2));
    let value = Statement::Keys { height: blocks / 2, keys: &[&old] };
    let hundred: Vec<[u8; 32]> = (0..100).map(|number| key(number * (keys / 100))).collect();
    let hundred: Vec<&[u8]> = hundred.iter().map(|key| &key[..]).collect();
    let questions = [
        ("a value", value),
        ("100 values", Statement::Keys { height: blocks / 2, keys: &hundred }),
        ("a history of 100 changes", Statement::History { key: &seldom, from: 1, to: blocks }),
        ("a diff of 1 block", Statement::Diff { from: Some(blocks / 2 - 1), to: blocks / 2 }),
        ("a diff of 100 blocks", Statement::Diff { from: Some(blocks / 2 - 100), to: blocks / 2 }),
    ];
    println!(
        "| {latency} ms | cold: requests | KiB | ms | opened: requests | KiB | ms | warm: requests | ms | folder, warm: ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, question) in questions {
        let counts = Arc::new(RequestCounts::default());
        let server = || {
            let files = SlowBucket::new(folder, latency, counts.clone(), runtime.handle().clone());
            SmtReader::new(SnapshotFiles::remote(Arc::new(files)), CACHE_BYTES)
        };
        let cold = server();
        let first = counts.of(|| drop(cold.prove(&question).unwrap()));
        let again = counts.of_warm(|| drop(cold.prove(&question).unwrap()));
        let open = server();
        open.newest().unwrap();
        let opened = counts.of(|| drop(open.prove(&question).unwrap()));
        let near = SmtReader::new(SnapshotFiles::open_existing(&own).unwrap(), CACHE_BYTES);
        drop(near.prove(&question).unwrap());
        let near = counts.of_warm(|| drop(near.prove(&question).unwrap()));
        println!(
            "| {name} | {} | {} | {:.0} | {} | {} | {:.0} | {} | {:.2} | {:.2} |",
            first.requests,
            first.bytes >> 10,
            first.milliseconds,
            opened.requests,
            opened.bytes >> 10,
            opened.milliseconds,
            again.requests,
            again.milliseconds,
            near.milliseconds
        );
    }
}

fn key(number: u64) -> [u8; 32] {
    blake2b256(&[&number.to_le_bytes()])
}

/// Writes the files, which need not survive a crash.
fn make(own: &Path, keys: u64, blocks: u64) {
    std::fs::create_dir_all(own).unwrap();
    let store = LocalFileSystem::new_with_prefix(own).unwrap();
    let files = SnapshotFiles::new(Arc::new(store));
    let (mut writer, _) = SnapshotWriter::open(files, WriterOptions::default()).unwrap();
    let begun = Instant::now();
    let apply = |writer: &mut SnapshotWriter, height: u64, numbers: &[u64]| {
        let value = blake2b256(&[&height.to_le_bytes()]);
        let keys: Vec<[u8; 32]> = numbers.iter().map(|number| key(*number)).collect();
        let changes: Vec<RawKeyChange<'_>> =
            keys.iter().map(|key| RawKeyChange { key, value: Some(&value) }).collect();
        writer.apply(height, &changes).unwrap();
    };
    apply(&mut writer, 0, &(0..keys).collect::<Vec<_>>());
    let every = (blocks / 100).max(1);
    for height in 1..=blocks {
        // Key 0 is changed seldom, and by nobody else.
        let random = (0..BLOCK_CHANGES).map(|number| {
            let hash = blake2b256(&[&height.to_le_bytes(), &number.to_le_bytes()]);
            1 + hash.first_chunk().map_or(0, |start| u64::from_le_bytes(*start)) % (keys - 1)
        });
        let seldom = (height % every == every / 2).then_some(0);
        apply(&mut writer, height, &random.chain(seldom).collect::<Vec<_>>());
    }
    println!("{keys} keys and {blocks} blocks in {:.0} s", begun.elapsed().as_secs_f64());
}

#[derive(Debug, Default)]
struct RequestCounts {
    requests: AtomicU64,
    bytes: AtomicU64,
}

struct RunCost {
    requests: u64,
    bytes: u64,
    milliseconds: f64,
}

impl RequestCounts {
    fn of(&self, run: impl FnOnce()) -> RunCost {
        self.requests.store(0, Relaxed);
        self.bytes.store(0, Relaxed);
        let begun = Instant::now();
        run();
        RunCost {
            milliseconds: begun.elapsed().as_secs_f64() * 1000.0,
            requests: self.requests.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
        }
    }

    /// The mean time of several runs, and all of their requests.
    fn of_warm(&self, run: impl Fn()) -> RunCost {
        let all = self.of(|| (0..WARM_RUNS).for_each(|_| run()));
        RunCost { milliseconds: all.milliseconds / f64::from(WARM_RUNS), ..all }
    }
}

/// The files of a bucket that answers late, with the bytes that it gives.
#[derive(Debug)]
struct SlowBucket {
    files: BucketFiles,
    latency: Duration,
    counts: Arc<RequestCounts>,
}

impl SlowBucket {
    fn new(folder: &Path, latency: u64, counts: Arc<RequestCounts>, runtime: Handle) -> Self {
        let store = Arc::new(LocalFileSystem::new_with_prefix(folder).unwrap());
        let observed = counts.clone();
        let bucket =
            Bucket::new(store, object_store::path::Path::default()).with_observer(move |_| {
                observed.requests.fetch_add(1, Relaxed);
            });
        let latency = Duration::from_millis(latency);
        Self { files: BucketFiles::new(bucket, runtime), latency, counts }
    }
}

impl RemoteFiles for SlowBucket {
    fn blocks_per_file(&self) -> Result<Option<u64>> {
        sleep(self.latency);
        self.files.blocks_per_file()
    }

    fn read_range(&self, name: &str, range: Range<u64>) -> Result<Option<Bytes>> {
        sleep(self.latency);
        let found = self.files.read_range(name, range)?;
        self.counts.bytes.fetch_add(found.as_ref().map_or(0, |it| it.len() as u64), Relaxed);
        Ok(found)
    }
}

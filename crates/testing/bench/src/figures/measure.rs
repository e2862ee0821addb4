//! One side in its own process.

use std::io::{Write, stdin, stdout};
use std::time::Duration;

use cpu_time::ProcessTime;
use prooflight_bench::Result;
use prooflight_bench::sstore::{AmbTree, BucketTree, FAN_OUT};
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};

use super::amb::AmbSide;
use super::mpt::MptSide;
use super::papers::{BucketSide, VersionedBuckets};
use super::side::{FigureSide, displayed};
use super::smt::{SmtSide, SnapshotSide};
use super::workload::{BLOCK_VALUES, FigureWorkload};
use crate::tree::resident;

/// Values that are put one by one, and keys that are proved, in a round.
const ROUND_OPERATIONS: usize = 1000;

/// Figure 8: the keys, the blocks, and the keys that have a version in each of these blocks.
const HISTORY_KEYS: usize = 100_000;
const HISTORY_BLOCKS: u64 = 1000;
const CHANGING_KEYS: usize = 100;
/// The requested numbers of versions.
const VERSION_COUNTS: [u64; 7] = [1, 3, 10, 30, 100, 300, 1000];

/// Fabric 0.6's own number of buckets and of children of a node, and those of the configuration
/// that it comes with.
const BUCKET_SHAPE: (usize, usize) = (10_009, 10);
const LARGE_BUCKET_SHAPE: (usize, usize) = (1_000_003, 5);

/// The measurements of a round: microseconds for each operation.
#[derive(Serialize, Deserialize)]
pub(crate) struct RoundFigures {
    pub(crate) put_one: f64,
    pub(crate) put_block: f64,
    pub(crate) get: f64,
    pub(crate) verify: f64,
    /// Bytes of a proof.
    pub(crate) bytes: f64,
}

/// The measurements of a side when every key has been put once.
#[derive(Serialize, Deserialize)]
pub(crate) struct MemoryFigures {
    /// Bytes of memory for each key.
    pub(crate) memory: f64,
    /// Bytes of a proof of 1,000 neighbouring keys, for each byte of the keys and their values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) range: Option<f64>,
}

/// The measurements of a round for one number of versions.
#[derive(Serialize, Deserialize)]
pub(crate) struct HistoryFigures {
    pub(crate) versions: u64,
    pub(crate) time: f64,
    pub(crate) verify: f64,
    pub(crate) bytes: f64,
}

impl RoundFigures {
    pub(crate) fn median(rounds: &[Self]) -> Self {
        Self {
            put_one: median(rounds, |it| it.put_one),
            put_block: median(rounds, |it| it.put_block),
            get: median(rounds, |it| it.get),
            verify: median(rounds, |it| it.verify),
            bytes: median(rounds, |it| it.bytes),
        }
    }
}

impl HistoryFigures {
    /// The medians for each number of versions.
    pub(crate) fn medians(rounds: &[Vec<Self>]) -> Vec<Self> {
        let medians = VERSION_COUNTS.into_iter().enumerate().map(|(place, versions)| {
            let of = |get: fn(&Self) -> f64| median(rounds, |round| get(&round[place]));
            Self {
                versions,
                time: of(|it| it.time),
                verify: of(|it| it.verify),
                bytes: of(|it| it.bytes),
            }
        });
        medians.collect()
    }
}

fn median<T>(rounds: &[T], get: impl Fn(&T) -> f64) -> f64 {
    let mut sorted: Vec<_> = rounds.iter().map(get).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Fills one side, then measures a round for each empty line.
pub(crate) fn serve(side: &str, keys: &str) -> Result<()> {
    ThreadPoolBuilder::new().num_threads(1).build_global()?;
    if keys == "history" {
        return match side {
            "S-Store" => histories(AmbTree::new(FAN_OUT)?),
            "MBT" => histories(VersionedBuckets(BucketTree::new(BUCKET_SHAPE.0, BUCKET_SHAPE.1)?)),
            "amb" => histories(AmbSide::new()?),
            "MPT" => histories(MptSide::new()?),
            "smt" => histories(SnapshotSide::new()?),
            _ => Err(format!("no histories of {side}").into()),
        };
    }
    let keys = keys.parse()?;
    match side {
        "S-Store" => rounds(AmbTree::new(FAN_OUT)?, keys),
        "MBT" => rounds(BucketSide(BucketTree::new(BUCKET_SHAPE.0, BUCKET_SHAPE.1)?), keys),
        "MBT, more buckets" => {
            rounds(BucketSide(BucketTree::new(LARGE_BUCKET_SHAPE.0, LARGE_BUCKET_SHAPE.1)?), keys)
        }
        "amb" => rounds(AmbSide::new()?, keys),
        "MPT" => rounds(MptSide::new()?, keys),
        "smt" => rounds(SmtSide::default(), keys),
        _ => match side.strip_prefix("S-Store, fan-out ") {
            Some(fan_out) => rounds(AmbTree::new(fan_out.parse()?)?, keys),
            None => Err(format!("no side {side}").into()),
        },
    }
}

fn rounds<S: FigureSide>(mut side: S, keys: usize) -> Result<()> {
    let mut workload = FigureWorkload::new();
    let before = resident()?;
    while let Some((block, changes)) = workload.grow(keys) {
        side.put(block, &changes)?;
        side.forget()?;
    }
    let memory = (resident()? - before) / displayed(keys);
    let range = side.range_overhead(&workload.known().0, ROUND_OPERATIONS)?;
    answer(&MemoryFigures { memory, range })?;
    for line in stdin().lines() {
        line?;
        answer(&round(&mut side, &mut workload)?)?;
        side.forget()?;
    }
    Ok(())
}

fn round<S: FigureSide>(side: &mut S, workload: &mut FigureWorkload) -> Result<RoundFigures> {
    let blocks: Vec<_> = (0..ROUND_OPERATIONS).map(|_| workload.updates(1)).collect();
    let put_one = each(ROUND_OPERATIONS, || {
        blocks.iter().try_for_each(|(block, changes)| side.put(*block, changes))
    })?;
    side.forget()?;
    let (block, changes) = workload.updates(BLOCK_VALUES);
    let put_block = each(BLOCK_VALUES, || side.put(block, &changes))?;
    let known: Vec<_> = (0..ROUND_OPERATIONS).map(|_| workload.known()).collect();
    let mut proofs = Vec::with_capacity(ROUND_OPERATIONS);
    let get = each(ROUND_OPERATIONS, || {
        for (key, _) in &known {
            proofs.push(side.get(key)?);
        }
        Ok(())
    })?;
    let mut values = Vec::with_capacity(ROUND_OPERATIONS);
    let verify = each(ROUND_OPERATIONS, || {
        for ((key, _), proof) in known.iter().zip(&proofs) {
            values.push(side.verify(key, proof)?);
        }
        Ok(())
    })?;
    if known.iter().zip(&values).any(|((_, expected), value)| *value != Some(*expected)) {
        return Err("a proof shows another value".into());
    }
    let bytes = proofs.iter().map(S::bytes).sum::<usize>();
    let bytes = displayed(bytes) / displayed(ROUND_OPERATIONS);
    Ok(RoundFigures { put_one, put_block, get, verify, bytes })
}

fn histories<S: FigureSide>(mut side: S) -> Result<()> {
    let mut workload = FigureWorkload::new();
    while let Some((block, changes)) = workload.grow(HISTORY_KEYS) {
        side.put(block, &changes)?;
    }
    for _ in 0..HISTORY_BLOCKS {
        let (block, changes) = workload.first(CHANGING_KEYS);
        side.put(block, &changes)?;
    }
    side.settle()?;
    for line in stdin().lines() {
        line?;
        let points = VERSION_COUNTS.map(|versions| history(&side, &workload, versions));
        answer(&points.into_iter().collect::<Result<Vec<_>>>()?)?;
    }
    Ok(())
}

fn history<S: FigureSide>(
    side: &S,
    workload: &FigureWorkload,
    versions: u64,
) -> Result<HistoryFigures> {
    let (from, to) = (workload.newest() + 1 - versions, workload.newest());
    // Long histories of fewer keys.
    let count = if versions < 100 { CHANGING_KEYS } else { CHANGING_KEYS / 10 };
    let known: Vec<_> = (0..count).map(|number| workload.at(number)).collect();
    let mut proofs = Vec::with_capacity(count);
    let time = each(count, || {
        for (key, _) in &known {
            proofs.push(side.hist(key, from, to)?);
        }
        Ok(())
    })?;
    let mut shown = Vec::with_capacity(count);
    let verify = each(count, || {
        for ((key, _), proof) in known.iter().zip(&proofs) {
            shown.push(side.verify_hist(key, from, to, proof)?);
        }
        Ok(())
    })?;
    for ((_, newest), found) in known.iter().zip(&shown) {
        let asked = found.iter().filter(|version| version.block >= from);
        let blocks = asked.map(|version| version.block);
        if !blocks.eq((from..=to).rev()) || found[0].value != *newest {
            return Err("a proof shows other versions".into());
        }
    }
    let bytes = proofs.iter().map(S::history_bytes).sum::<usize>();
    Ok(HistoryFigures { versions, time, verify, bytes: displayed(bytes) / displayed(count) })
}

/// Runs operations; returns the processor time of each in microseconds.
fn each(operations: usize, run: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = ProcessTime::now();
    run()?;
    let time: Duration = start.elapsed();
    Ok(time.as_secs_f64() * 1e6 / displayed(operations))
}

fn answer(answer: &impl Serialize) -> Result<()> {
    writeln!(stdout(), "{}", serde_json::to_string(answer)?)?;
    Ok(())
}

//! Sparse Merkle trees in memory, ours, `jmt`'s and Nervos': updates, memory, proofs. Each
//! measurement runs in its own process.

#![allow(clippy::cast_precision_loss, reason = "the numbers are only displayed")]

use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use jmt::mock::MockTreeStore;
use jmt::proof::SparseMerkleProof;
use jmt::{KeyHash, RootHash, Sha256Jmt};
use prooflight_bench::Result;
use prooflight_core::Limits;
use prooflight_smt::hash::{hash_key, hash_value};
use prooflight_smt::tree::{HashedChange, MemoryTree};
use prooflight_smt::verify;
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};

use crate::nervos::NervosTree;
use crate::report::{ReportTable, TimeSamples};
use crate::workload::{SplitMix, bytes};

/// Operations per block: 90 % update, 5 % insert and 5 % delete random keys.
const BLOCK_OPERATIONS: usize = 100_000;
/// Number of keys that are proved and verified.
const PROOF_COUNT: usize = 1000;

/// Compares trees of `keys` keys. With `peers` also those of the peers, which take minutes, and
/// gigabytes for more keys.
pub(crate) fn trees(
    table: &mut ReportTable,
    keys: usize,
    blocks: usize,
    peers: bool,
) -> Result<()> {
    let run = |side: &str, threads: usize| -> Result<TreeFigures> {
        eprintln!("{} M keys, {side}, {threads} threads", keys / 1_000_000);
        let args = ["--tree".into(), side.into(), keys.to_string()];
        let output = Command::new(std::env::current_exe()?)
            .args(args)
            .args([blocks.to_string(), threads.to_string()])
            .output()?;
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    let (ours, two) = (run("ours", 1)?, run("ours", 2)?);
    let peer = |side| if peers { run(side, 1).map(Some) } else { Ok(None) };
    let (jmt, nervos) = (peer("jmt")?, peer("nervos")?);
    table.text(&format!("{} M keys, blocks of 100 k operations", keys / 1_000_000));
    let mut beside = |what: &str, get: fn(&TreeFigures) -> f64| {
        table.rates(what, get(&ours), jmt.as_ref().map(get));
        if let Some(nervos) = &nervos {
            table.rates("  beside sparse-merkle-tree", get(&ours), Some(get(nervos)));
        }
    };
    beside("operations a second", TreeFigures::rate);
    beside("  the clock's, one thread", TreeFigures::wall_rate);
    beside("bytes of memory a key", |it| it.bytes_a_key);
    beside("bytes of a proof", |it| it.proof_bytes);
    beside("ns to verify one, from its bytes", |it| it.verify_ns);
    if let Some(decoded) = jmt.and_then(|jmt| jmt.decoded_ns) {
        table.rates("  beside jmt's, decoded before", ours.verify_ns, Some(decoded));
    }
    table.rates("operations a second, keys and values hashed too", ours.hashed_rate(), None);
    table.rates("  the clock's, two threads", two.wall_rate(), None);
    Ok(())
}

/// The measurements of one process.
#[derive(Default, Serialize, Deserialize)]
struct TreeFigures {
    /// Nanoseconds per block: CPU time, and wall-clock time.
    cpu: Vec<u64>,
    wall: Vec<u64>,
    /// CPU time to hash the keys and values of a block.
    hashing: Vec<u64>,
    bytes_a_key: f64,
    proof_bytes: f64,
    verify_ns: f64,
    /// Time to verify without decoding the proof.
    decoded_ns: Option<f64>,
}

impl TreeFigures {
    fn rate(&self) -> f64 {
        rate(&self.cpu)
    }

    fn wall_rate(&self) -> f64 {
        rate(&self.wall)
    }

    fn hashed_rate(&self) -> f64 {
        1.0 / (1.0 / rate(&self.cpu) + 1.0 / rate(&self.hashing))
    }
}

/// Returns operations per second in the median block.
fn rate(nanoseconds: &[u64]) -> f64 {
    let mut samples = TimeSamples::default();
    for &it in nanoseconds {
        samples.add(Duration::from_nanos(it));
    }
    BLOCK_OPERATIONS as f64 * 1e3 / samples.median()
}

/// Measures one side and prints a [`TreeFigures`].
pub(crate) fn serve(side: &str, keys: &str, blocks: &str, threads: &str) -> Result<()> {
    let (keys, blocks) = (keys.parse()?, blocks.parse()?);
    let pool = ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let run = match side {
        "ours" => pool.install(|| measure(&mut SmtTree::default(), keys, blocks)),
        "jmt" => {
            measure(&mut JmtTree { store: MockTreeStore::default(), root: None }, keys, blocks)
        }
        "nervos" => measure(&mut NervosTree::default(), keys, blocks),
        _ => Err("sides are ours, jmt and nervos".into()),
    }?;
    println!("{}", serde_json::to_string(&run)?);
    Ok(())
}

pub(crate) type KeyBytes = [u8; 32];
pub(crate) type BlockChanges = Vec<(KeyBytes, Option<KeyBytes>)>;

pub(crate) trait TreeSide {
    type Prepared;

    /// Prepares whatever depends on the keys and values but not on the tree.
    fn hash(&self, block: &BlockChanges) -> Self::Prepared;
    fn apply(&mut self, height: u64, block: Self::Prepared) -> Result<()>;
    /// Proves live keys at a height, and verifies the proofs.
    fn prove(&self, height: u64, live: &[(KeyBytes, KeyBytes)]) -> Result<VerifiedProofs>;
}

/// Verified proofs.
pub(crate) struct VerifiedProofs {
    pub(crate) bytes: usize,
    /// The time taken, including hashing the keys and decoding the proofs.
    pub(crate) time: Duration,
    /// The time without decoding, if decoding is a separate step.
    pub(crate) decoded: Option<Duration>,
}

fn measure<S: TreeSide>(side: &mut S, keys: usize, blocks: usize) -> Result<TreeFigures> {
    let mut workload = TreeWorkload { keys: 0, random: SplitMix(7) };
    let mut run = TreeFigures::default();
    let before = resident()?;
    let mut height = 0;
    while let Some(block) = workload.grow(keys) {
        let block = side.hash(&block);
        side.apply(height, block)?;
        height += 1;
    }
    run.bytes_a_key = (resident()? - before) / keys as f64;
    let mut newest = BTreeMap::new();
    for _ in 0..blocks {
        let block = workload.block();
        let start = ProcessTime::now();
        let hashed = side.hash(&block);
        run.hashing.push(u64::try_from(start.elapsed().as_nanos())?);
        let (start, wall) = (ProcessTime::now(), Instant::now());
        side.apply(height, hashed)?;
        run.cpu.push(u64::try_from(start.elapsed().as_nanos())?);
        run.wall.push(u64::try_from(wall.elapsed().as_nanos())?);
        newest.extend(block);
        height += 1;
    }
    let live = newest.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let live: Vec<_> = live.take(PROOF_COUNT).collect();
    let VerifiedProofs { bytes, time, decoded } = side.prove(height - 1, &live)?;
    let each = |time: Duration| time.as_nanos() as f64 / PROOF_COUNT as f64;
    run.proof_bytes = bytes as f64 / PROOF_COUNT as f64;
    run.verify_ns = each(time);
    run.decoded_ns = decoded.map(each);
    Ok(run)
}

/// Returns the resident memory of this process in bytes.
pub(crate) fn resident() -> Result<f64> {
    let pages = read_to_string("/proc/self/statm")?;
    let pages: f64 = pages.split(' ').nth(1).ok_or("no resident pages")?.parse()?;
    Ok(pages * 4096.0)
}

#[derive(Default)]
struct SmtTree(MemoryTree);

impl TreeSide for SmtTree {
    type Prepared = Vec<HashedChange>;

    fn hash(&self, block: &BlockChanges) -> Vec<HashedChange> {
        let change = |(key, value): &(KeyBytes, Option<KeyBytes>)| HashedChange {
            key_hash: hash_key(key),
            value_hash: value.as_ref().map(|value| hash_value(value)),
        };
        block.iter().map(change).collect()
    }

    fn apply(&mut self, height: u64, block: Vec<HashedChange>) -> Result<()> {
        self.0.update(height, &block)?;
        Ok(())
    }

    fn prove(&self, height: u64, live: &[(KeyBytes, KeyBytes)]) -> Result<VerifiedProofs> {
        let prove = |(key, value): &(KeyBytes, KeyBytes)| {
            Ok(self.0.prove(&[hash_key(key)], |_| Ok(value))?)
        };
        let proofs = live.iter().map(prove).collect::<Result<Vec<_>>>()?;
        let (root, start) = (self.0.root(), ProcessTime::now());
        for ((key, _), proof) in live.iter().zip(&proofs) {
            drop(black_box(verify(&root, height, &[key], proof, &Limits::DEFAULT)?));
        }
        let time = start.elapsed();
        Ok(VerifiedProofs { bytes: proofs.iter().map(Vec::len).sum(), time, decoded: None })
    }
}

struct JmtTree {
    store: MockTreeStore,
    root: Option<RootHash>,
}

impl TreeSide for JmtTree {
    type Prepared = Vec<(KeyHash, Option<Vec<u8>>)>;

    fn hash(&self, block: &BlockChanges) -> Self::Prepared {
        let change = |(key, value): &(KeyBytes, Option<KeyBytes>)| {
            (KeyHash::with::<sha2::Sha256>(key), value.map(|it| it.to_vec()))
        };
        block.iter().map(change).collect()
    }

    fn apply(&mut self, height: u64, block: Self::Prepared) -> Result<()> {
        let tree = Sha256Jmt::new(&self.store);
        let (root, batch) = tree.put_value_set(block, height)?;
        self.store.write_tree_update_batch(batch)?;
        self.root = Some(root);
        Ok(())
    }

    fn prove(&self, height: u64, live: &[(KeyBytes, KeyBytes)]) -> Result<VerifiedProofs> {
        let tree = Sha256Jmt::new(&self.store);
        let prove = |(key, _): &(KeyBytes, KeyBytes)| {
            Ok(tree.get_with_proof(KeyHash::with::<sha2::Sha256>(key), height)?.1)
        };
        let proofs = live.iter().map(prove).collect::<Result<Vec<_>>>()?;
        let (root, start) = (self.root.ok_or("no block")?, ProcessTime::now());
        for ((key, value), proof) in live.iter().zip(&proofs) {
            proof.verify_existence(root, KeyHash::with::<sha2::Sha256>(key), value)?;
        }
        let decoded = Some(start.elapsed());
        let encode = |proof| Ok(borsh::to_vec(proof)?);
        let encoded = proofs.iter().map(encode).collect::<Result<Vec<_>>>()?;
        let start = ProcessTime::now();
        for ((key, value), proof) in live.iter().zip(&encoded) {
            let proof: SparseMerkleProof<sha2::Sha256> = borsh::from_slice(proof)?;
            proof.verify_existence(root, KeyHash::with::<sha2::Sha256>(key), value)?;
        }
        let time = start.elapsed();
        Ok(VerifiedProofs { bytes: encoded.iter().map(Vec::len).sum(), time, decoded })
    }
}

/// The blocks, identical in every run.
struct TreeWorkload {
    keys: usize,
    random: SplitMix,
}

impl TreeWorkload {
    fn grow(&mut self, keys: usize) -> Option<BlockChanges> {
        let count = BLOCK_OPERATIONS.min(keys - self.keys);
        (count > 0).then(|| (0..count).map(|_| self.insert()).collect())
    }

    fn block(&mut self) -> BlockChanges {
        let operation = |_| match self.random.next() % 100 {
            0..5 => self.insert(),
            5..10 => (self.known(), None),
            _ => (self.known(), Some(self.value())),
        };
        (0..BLOCK_OPERATIONS).map(operation).collect()
    }

    fn insert(&mut self) -> (KeyBytes, Option<KeyBytes>) {
        self.keys += 1;
        (bytes(&mut SplitMix(self.keys as u64)), Some(self.value()))
    }

    fn known(&mut self) -> KeyBytes {
        bytes(&mut SplitMix(self.random.next() % self.keys as u64 + 1))
    }

    fn value(&mut self) -> KeyBytes {
        bytes(&mut self.random)
    }
}

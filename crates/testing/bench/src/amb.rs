//! Ordered keys with versions: updates, bytes of proofs, and times to verify them.

#![allow(clippy::cast_precision_loss, reason = "the numbers are only displayed")]

use std::hint::black_box;
use std::time::Duration;

use prooflight_amb::prover::{AmbState, PageSize, StateProver};
use prooflight_amb::{KeysQuestion, RangeQuestion, TrustedRoot, verify, verify_range};
use prooflight_bench::Result;
use prooflight_core::Limits;
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};
use prooflight_json::HexBytes;
use serde_json::{Value, json};

use crate::report::{ReportTable, TimeSamples, timed};
use crate::workload::SplitMix;

/// Changes of a block: first new keys, later new values of random ones.
const BLOCK_CHANGES: usize = 10_000;
/// The number of blocks of new values.
const UPDATE_BLOCKS: usize = 50;
/// The number of proofs of each kind.
const PROOFS_PER_KIND: usize = 1000;
/// Rounds over all proofs of a kind.
const MEASURE_ROUNDS: usize = 30;
/// Entries of a page.
const PAGE_ENTRIES: usize = 1000;

type EntryBytes = [u8; 32];

/// Measures a state of this many keys.
pub(crate) fn trees(table: &mut ReportTable, keys: usize) -> Result<()> {
    let mut grown = GrowingState::new(keys)?;
    table.text(&format!("amb, {} keys, blocks of {BLOCK_CHANGES}", grown.keys));
    proofs(table, &grown.state.prover()?, keys)?;
    let (mut known, mut updates) = (SplitMix(11), TimeSamples::new());
    for _ in 0..UPDATE_BLOCKS {
        let mut keys = (0..BLOCK_CHANGES).map(|_| known.next() % keys as u64);
        updates.add(grown.apply(&mut keys)?);
    }
    let rate = |times: &TimeSamples| BLOCK_CHANGES as f64 * 1e3 / times.median();
    table.rates("new keys a second", rate(&grown.inserts), None);
    table.rates("new values a second", rate(&updates), None);
    Ok(())
}

/// Proofs for the WebAssembly benchmark from a state of this many keys, with the milliseconds in which they are
/// verified natively.
pub(crate) fn cases(keys: usize) -> Result<Value> {
    let grown = GrowingState::new(keys)?;
    let prover = grown.state.prover()?;
    let root = *prover.root();
    let TrustedRoot { hash, height } = root;
    let (gets, pages) =
        (gets(&prover, keys, PROOFS_PER_KIND)?, pages(&prover, PROOFS_PER_KIND / 10)?);
    let native_gets = gets.per_call(|key, proof| {
        let question = KeysQuestion { keys: &[key], at: height };
        black_box(verify(&root, &question, proof, &Limits::DEFAULT)?.get());
        Ok(())
    })?;
    let native_pages = pages.per_call(|lo, proof| {
        let question = RangeQuestion { lo, hi: None, at: height, reverse: false };
        black_box(verify_range(&root, &question, proof, &Limits::DEFAULT)?.get());
        Ok(())
    })?;
    let list = |proved: &ProofSamples| -> Vec<Value> {
        let hex = |bytes: &[u8]| HexBytes(bytes.to_vec());
        proved.proofs.iter().map(|(key, proof)| json!([hex(key), hex(proof)])).collect()
    };
    Ok(json!({
        "keys": grown.keys,
        "root": HexBytes(hash.to_vec()),
        "block": height,
        "gets": list(&gets),
        "pages": list(&pages),
        "native": { "gets": native_gets, "pages": native_pages },
    }))
}

/// A state that has grown block by block, over a store in memory.
struct GrowingState {
    state: AmbState<MemoryStore>,
    /// The number of keys: whole blocks of new ones.
    keys: usize,
    values: SplitMix,
    /// Times of the last blocks only: the state is smaller before.
    inserts: TimeSamples,
}

impl GrowingState {
    fn new(keys: usize) -> Result<Self> {
        let state = AmbState::open(MemoryStore::default(), ())?;
        let (values, inserts) = (SplitMix(7), TimeSamples::new());
        let mut grown = Self { state, keys: keys.next_multiple_of(BLOCK_CHANGES), values, inserts };
        for first in (0..keys).step_by(BLOCK_CHANGES) {
            let time = grown.apply(&mut (first..first + BLOCK_CHANGES).map(|key| key as u64))?;
            if first + UPDATE_BLOCKS * BLOCK_CHANGES >= keys {
                grown.inserts.add(time);
            }
        }
        Ok(grown)
    }

    /// Writes new values of these keys as a block; returns the time.
    fn apply(&mut self, keys: &mut dyn Iterator<Item = u64>) -> Result<Duration> {
        let mut changes: Vec<(EntryBytes, EntryBytes)> =
            keys.map(|key| (bytes(&mut SplitMix(key)), bytes(&mut self.values))).collect();
        changes.sort_unstable();
        changes.dedup_by_key(|change| change.0);
        let changes: Vec<_> =
            changes.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
        let (root, time) = timed(|| self.state.apply(&changes));
        root?;
        Ok(time)
    }
}

fn proofs(
    table: &mut ReportTable,
    prover: &StateProver<'_, MemoryStore>,
    keys: usize,
) -> Result<()> {
    let gets = gets(prover, keys, PROOFS_PER_KIND)?;
    table.rates("bytes of a proof of one key", gets.length() as f64 / PROOFS_PER_KIND as f64, None);
    table.rates("ns to verify it", gets.times.median() * 1e6, None);
    let pages = pages(prover, PROOFS_PER_KIND / 10)?;
    let ratio = pages.length() as f64 / (64 * pages.entries) as f64;
    table.text(&format!(
        "pages of {PAGE_ENTRIES}: {ratio:.3} times the bytes of the keys and values"
    ));
    table.rates("ns to verify one", pages.times.median() * 1e6, None);
    Ok(())
}

/// Proofs about a state, and the times to verify them.
#[derive(Default)]
struct ProofSamples {
    /// The key, or the lower bound of a page, and the proof.
    proofs: Vec<(EntryBytes, Vec<u8>)>,
    /// The number of entries of all pages.
    entries: usize,
    times: TimeSamples,
}

impl ProofSamples {
    fn length(&self) -> usize {
        self.proofs.iter().map(|(_, proof)| proof.len()).sum()
    }

    /// The milliseconds of a call: the median of rounds over all proofs.
    fn per_call(&self, verify: impl Fn(&[u8], &[u8]) -> Result<()>) -> Result<f64> {
        let calls = u32::try_from(self.proofs.len())?;
        let mut times = TimeSamples::new();
        for _ in 0..MEASURE_ROUNDS {
            let (done, time) =
                timed(|| self.proofs.iter().try_for_each(|(key, proof)| verify(key, proof)));
            done?;
            times.add(time / calls);
        }
        Ok(times.median())
    }
}

/// Proofs of one key each.
fn gets(prover: &StateProver<'_, MemoryStore>, keys: usize, count: usize) -> Result<ProofSamples> {
    let root = prover.root();
    let mut random = SplitMix(13);
    let mut proved = ProofSamples::default();
    for _ in 0..count {
        let key = bytes(&mut SplitMix(random.next() % keys as u64));
        let question = KeysQuestion { keys: &[&key], at: root.height };
        let proof = prover.keys(&question)?;
        for _ in 0..5 {
            let (answers, time) = timed(|| verify(root, &question, &proof, &Limits::DEFAULT));
            black_box(answers?.get());
            proved.times.add(time);
        }
        proved.proofs.push((key, proof));
    }
    Ok(proved)
}

/// Pages with random lower bounds.
fn pages(prover: &StateProver<'_, MemoryStore>, count: usize) -> Result<ProofSamples> {
    let root = prover.root();
    let mut random = SplitMix(17);
    let mut proved = ProofSamples::default();
    let page = PageSize { entries: PAGE_ENTRIES, ..PageSize::default() };
    for _ in 0..count {
        let lo = bytes(&mut random);
        let question = RangeQuestion { lo: &lo, hi: None, at: root.height, reverse: false };
        let proof = prover.range(&question, page)?;
        let (found, time) = timed(|| verify_range(root, &question, &proof, &Limits::DEFAULT));
        proved.entries += found?.entries.len();
        proved.times.add(time);
        proved.proofs.push((lo, proof));
    }
    Ok(proved)
}

fn bytes(words: &mut SplitMix) -> EntryBytes {
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&words.next().to_be_bytes());
    }
    bytes
}

//! Ordered keys with versions: updates, bytes of proofs, and times to verify them.

#![allow(clippy::cast_precision_loss, reason = "the numbers are only displayed")]

use std::hint::black_box;
use std::time::Duration;

use prooflight_amb::prover::{PageSize, Tree};
use prooflight_amb::{Get, Range, Root, verify, verify_range};
use prooflight_bench::Result;
use prooflight_core::Limits;
use prooflight_core::store::Change;
use prooflight_json::Hex;
use serde_json::{Value, json};

use crate::report::{Samples, Table, timed};
use crate::workload::SplitMix;

/// Changes of a block: first new keys, later new values of random ones.
const BLOCK: usize = 10_000;
/// The number of blocks of new values.
const UPDATES: usize = 50;
/// The number of proofs of each kind.
const PROOFS: usize = 1000;
/// Rounds over all proofs of a kind.
const ROUNDS: usize = 30;
/// Entries of a page.
const PAGE: usize = 1000;

type Bytes = [u8; 32];

/// Measures a tree of this many keys.
pub(crate) fn trees(table: &mut Table, keys: usize) -> Result<()> {
    let mut grown = Grown::new(keys)?;
    table.text(&format!("amb, {} keys, blocks of {BLOCK}", grown.tree.len()));
    proofs(table, &grown.tree, keys)?;
    let (mut known, mut updates) = (SplitMix(11), Samples::new());
    for _ in 0..UPDATES {
        let mut keys = (0..BLOCK).map(|_| known.next() % keys as u64);
        updates.add(grown.apply(&mut keys)?);
    }
    let rate = |times: &Samples| BLOCK as f64 * 1e3 / times.median();
    table.rates("new keys a second", rate(&grown.inserts), None);
    table.rates("new values a second", rate(&updates), None);
    Ok(())
}

/// Proofs for the WebAssembly benchmark from a tree of this many keys, with the milliseconds in which they are
/// verified natively.
pub(crate) fn cases(keys: usize) -> Result<Value> {
    let Grown { tree, .. } = Grown::new(keys)?;
    let root = root_of(&tree)?;
    let Root { hash, height } = root;
    let (gets, pages) = (gets(&tree, keys, PROOFS)?, pages(&tree, PROOFS / 10)?);
    let native_gets = gets.per_call(|key, proof| {
        let question = Get { keys: &[key], at: height };
        black_box(verify(&root, &question, proof, &Limits::DEFAULT)?.get());
        Ok(())
    })?;
    let native_pages = pages.per_call(|lo, proof| {
        let question = Range { lo, hi: None, at: height, reverse: false };
        black_box(verify_range(&root, &question, proof, &Limits::DEFAULT)?.get());
        Ok(())
    })?;
    let list = |proved: &Proved| -> Vec<Value> {
        let hex = |bytes: &[u8]| Hex(bytes.to_vec());
        proved.proofs.iter().map(|(key, proof)| json!([hex(key), hex(proof)])).collect()
    };
    Ok(json!({
        "keys": tree.len(),
        "root": Hex(hash.to_vec()),
        "block": height,
        "gets": list(&gets),
        "pages": list(&pages),
        "native": { "gets": native_gets, "pages": native_pages },
    }))
}

/// A tree that has grown block by block.
struct Grown {
    tree: Tree,
    height: u64,
    values: SplitMix,
    /// Times of the last blocks only: the tree is smaller before.
    inserts: Samples,
}

impl Grown {
    fn new(keys: usize) -> Result<Self> {
        let tree = Tree::new();
        let mut grown = Self { tree, height: 0, values: SplitMix(7), inserts: Samples::new() };
        for first in (0..keys).step_by(BLOCK) {
            let time = grown.apply(&mut (first..first + BLOCK).map(|key| key as u64))?;
            if first + UPDATES * BLOCK >= keys {
                grown.inserts.add(time);
            }
        }
        Ok(grown)
    }

    /// Writes new values of these keys as a block; returns the time.
    fn apply(&mut self, keys: &mut dyn Iterator<Item = u64>) -> Result<Duration> {
        let mut changes: Vec<(Bytes, Bytes)> =
            keys.map(|key| (bytes(&mut SplitMix(key)), bytes(&mut self.values))).collect();
        changes.sort_unstable();
        changes.dedup_by_key(|change| change.0);
        let changes: Vec<_> = changes.iter().map(|(key, value)| Change::set(key, value)).collect();
        let (root, time) = timed(|| self.tree.update(self.height, &changes));
        root?;
        self.height += 1;
        Ok(time)
    }
}

fn proofs(table: &mut Table, tree: &Tree, keys: usize) -> Result<()> {
    let gets = gets(tree, keys, PROOFS)?;
    table.rates("bytes of a proof of one key", gets.length() as f64 / PROOFS as f64, None);
    table.rates("ns to verify it", gets.times.median() * 1e6, None);
    let pages = pages(tree, PROOFS / 10)?;
    let ratio = pages.length() as f64 / (64 * pages.entries) as f64;
    table.text(&format!("pages of {PAGE}: {ratio:.3} times the bytes of the keys and values"));
    table.rates("ns to verify one", pages.times.median() * 1e6, None);
    Ok(())
}

/// Proofs about a tree, and the times to verify them.
#[derive(Default)]
struct Proved {
    /// The key, or the lower bound of a page, and the proof.
    proofs: Vec<(Bytes, Vec<u8>)>,
    /// The number of entries of all pages.
    entries: usize,
    times: Samples,
}

impl Proved {
    fn length(&self) -> usize {
        self.proofs.iter().map(|(_, proof)| proof.len()).sum()
    }

    /// The milliseconds of a call: the median of rounds over all proofs.
    fn per_call(&self, verify: impl Fn(&[u8], &[u8]) -> Result<()>) -> Result<f64> {
        let calls = u32::try_from(self.proofs.len())?;
        let mut times = Samples::new();
        for _ in 0..ROUNDS {
            let (done, time) =
                timed(|| self.proofs.iter().try_for_each(|(key, proof)| verify(key, proof)));
            done?;
            times.add(time / calls);
        }
        Ok(times.median())
    }
}

/// Proofs of one key each.
fn gets(tree: &Tree, keys: usize, count: usize) -> Result<Proved> {
    let root = root_of(tree)?;
    let mut random = SplitMix(13);
    let mut proved = Proved::default();
    for _ in 0..count {
        let key = bytes(&mut SplitMix(random.next() % keys as u64));
        let question = Get { keys: &[&key], at: root.height };
        let proof = tree.prove(&question)?;
        for _ in 0..5 {
            let (answers, time) = timed(|| verify(&root, &question, &proof, &Limits::DEFAULT));
            black_box(answers?.get());
            proved.times.add(time);
        }
        proved.proofs.push((key, proof));
    }
    Ok(proved)
}

/// Pages with random lower bounds.
fn pages(tree: &Tree, count: usize) -> Result<Proved> {
    let root = root_of(tree)?;
    let mut random = SplitMix(17);
    let mut proved = Proved::default();
    let page = PageSize { entries: PAGE, ..PageSize::default() };
    for _ in 0..count {
        let lo = bytes(&mut random);
        let question = Range { lo: &lo, hi: None, at: root.height, reverse: false };
        let proof = tree.prove_range(&question, page)?;
        let (found, time) = timed(|| verify_range(&root, &question, &proof, &Limits::DEFAULT));
        proved.entries += found?.entries.len();
        proved.times.add(time);
        proved.proofs.push((lo, proof));
    }
    Ok(proved)
}

fn root_of(tree: &Tree) -> Result<Root> {
    let height = tree.height().ok_or("no block")?;
    Ok(Root { hash: tree.root(), height })
}

fn bytes(words: &mut SplitMix) -> Bytes {
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&words.next().to_be_bytes());
    }
    bytes
}

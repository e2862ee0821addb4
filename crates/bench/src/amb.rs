//! Ordered keys with versions: updates, bytes of proofs, and times to verify them.

#![allow(clippy::cast_precision_loss, reason = "the numbers are only displayed")]

use std::hint::black_box;
use std::time::Duration;

use prooflight_amb::prover::{PageSize, Tree};
use prooflight_amb::{Get, Range, Root, verify, verify_range};
use prooflight_bench::Result;
use prooflight_core::Limits;
use prooflight_core::store::Change;

use crate::report::{Samples, Table, timed};
use crate::workload::SplitMix;

/// Changes of a block: first new keys, later new values of random ones.
const BLOCK: usize = 10_000;
/// The number of blocks of new values.
const UPDATES: usize = 50;
/// The number of proofs of each kind.
const PROOFS: usize = 1000;
/// Entries of a page.
const PAGE: usize = 1000;

type Bytes = [u8; 32];

/// Measures a tree of this many keys.
pub(crate) fn trees(table: &mut Table, keys: usize) -> Result<()> {
    let mut tree = Tree::new();
    let mut random = SplitMix(7);
    let mut blocks = 0_u64..;
    let mut apply = |tree: &mut Tree, keys: &mut dyn Iterator<Item = u64>| -> Result<Duration> {
        let mut changes: Vec<(Bytes, Bytes)> =
            keys.map(|key| (bytes(&mut SplitMix(key)), bytes(&mut random))).collect();
        changes.sort_unstable();
        changes.dedup_by_key(|change| change.0);
        let changes: Vec<_> = changes.iter().map(|(key, value)| Change::set(key, value)).collect();
        let block = blocks.next().ok_or("no more blocks")?;
        let (root, time) = timed(|| tree.update(block, &changes));
        root?;
        Ok(time)
    };
    let [mut inserts, mut updates] = [const { Samples::new() }; 2];
    for first in (0..keys).step_by(BLOCK) {
        let time = apply(&mut tree, &mut (first..first + BLOCK).map(|key| key as u64))?;
        // The last ones only: before, the tree is smaller.
        if first + UPDATES * BLOCK >= keys {
            inserts.add(time);
        }
    }
    table.text(&format!("amb, {} keys, blocks of {BLOCK}", tree.len()));
    proofs(table, &tree, keys)?;
    let mut known = SplitMix(11);
    for _ in 0..UPDATES {
        let mut keys = (0..BLOCK).map(|_| known.next() % keys as u64);
        updates.add(apply(&mut tree, &mut keys)?);
    }
    let rate = |times: &Samples| BLOCK as f64 * 1e3 / times.median();
    table.rates("new keys a second", rate(&inserts), None);
    table.rates("new values a second", rate(&updates), None);
    Ok(())
}

fn proofs(table: &mut Table, tree: &Tree, keys: usize) -> Result<()> {
    let height = tree.height().ok_or("no block")?;
    let root = Root { hash: tree.root(), height };
    let mut random = SplitMix(13);
    let (mut length, mut times) = (0, Samples::new());
    for _ in 0..PROOFS {
        let key = bytes(&mut SplitMix(random.next() % keys as u64));
        let question = Get { keys: &[&key], at: height };
        let proof = tree.prove(&question)?;
        length += proof.len();
        for _ in 0..5 {
            let (answers, time) = timed(|| verify(&root, &question, &proof, &Limits::DEFAULT));
            black_box(answers?.get());
            times.add(time);
        }
    }
    table.rates("bytes of a proof of one key", length as f64 / PROOFS as f64, None);
    table.rates("ns to verify it", times.median() * 1e6, None);

    let (mut length, mut entries, mut times) = (0, 0, Samples::new());
    let page = PageSize { entries: PAGE, ..PageSize::default() };
    for _ in 0..PROOFS / 10 {
        let lo = bytes(&mut random);
        let question = Range { lo: &lo, hi: None, at: height, reverse: false };
        let proof = tree.prove_range(&question, page)?;
        let (found, time) = timed(|| verify_range(&root, &question, &proof, &Limits::DEFAULT));
        length += proof.len();
        entries += found?.entries.len();
        times.add(time);
    }
    let ratio = length as f64 / (64 * entries) as f64;
    table.text(&format!("pages of {PAGE}: {ratio:.3} times the bytes of the keys and values"));
    table.rates("ns to verify one", times.median() * 1e6, None);
    Ok(())
}

fn bytes(words: &mut SplitMix) -> Bytes {
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&words.next().to_be_bytes());
    }
    bytes
}

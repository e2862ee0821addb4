//! Measures proofs: `cargo run --release --features prover --example proofs -- KEYS...`.
//!
//! For each number of keys, written in blocks of 10,000: the size of a proof and of its parts, and the time to
//! make and verify a proof of 1, 10, 100 and 1,000 keys. Arity 4, 2^16 entries. The store is in memory; with
//! `--folder FOLDER` it is the reference node's on-disk store in that folder.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program with text output")]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "times are rounded anyway, and addresses have 64 bits"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use prooflight_amt::{ProverSetup, TableParts, Tables, VerifyingKey};
use prooflight_core::Limits;
use prooflight_core::store::{MemoryStore, RawKeyChange, Store};
use prooflight_lvmt::proof::{Claim, PROOF_ENVELOPE, Proof};
use prooflight_lvmt::{LvmtRoot, LvmtStore, Params, ProofShard, StoreParams, verify};
use prooflight_testkit::commits::StoreFolder;

const BLOCK: u64 = 10_000;
const LOG_N: u8 = 16;
const LOG_ARITY: u8 = 2;

fn main() {
    let (mut folder, mut args) = (None, std::env::args().skip(1));
    while let Some(arg) = args.next() {
        if arg == "--folder" {
            folder = Some(PathBuf::from(args.next().unwrap()));
            continue;
        }
        let keys = arg.parse().unwrap();
        match &folder {
            None => measure(keys, MemoryStore::default()),
            Some(within) => {
                let folder = StoreFolder::new(within, &arg);
                measure(keys, folder.store(&[]));
            }
        }
    }
}

fn measure(keys: u64, store: impl Store + Sync) {
    let parts = TableParts { single: true, tree: Some(LOG_ARITY) };
    let tables = Tables::build(&ProverSetup::dev(LOG_N).unwrap(), parts, &|_, _| {}).unwrap();
    let (tables, shard) = (Arc::new(tables), ProofShard::Full);
    let params = StoreParams { tables, log_arity: LOG_ARITY, shard, defer_proof_nodes: false };
    let mut store = LvmtStore::open(store, params).unwrap();
    for first in (0..keys).step_by(BLOCK as usize) {
        let block: Vec<_> = (first..keys.min(first + BLOCK)).map(key).collect();
        let changes: Vec<_> = block.iter().map(|key| RawKeyChange::set(key, key)).collect();
        store.apply(&changes).unwrap();
        store.prune(store.height().unwrap().saturating_sub(1)).unwrap();
    }
    println!("{keys} keys in blocks of {BLOCK}");
    let setup = VerifyingKey::dev(LOG_N).unwrap();
    let params = Params::new(&setup, LOG_ARITY).with_insecure_setup();
    let root = LvmtRoot::new(&store.root(), store.height().unwrap());
    // At level 1, where most keys are once there are more than five for each entry of the root.
    let asked: Vec<_> = (0..keys).step_by((keys / 4000).max(1) as usize).map(key).collect();
    let deep: Vec<_> =
        asked.into_iter().filter(|key| level(&store.prove(&[key]).unwrap().proof) == 1).collect();
    for count in [1, 10, 100, 1000] {
        let groups: Vec<&[[u8; 32]]> = deep.chunks_exact(count).take(20).collect();
        if groups.is_empty() {
            println!("  {count} keys at level 1: too few exist");
            continue;
        }
        let (mut making, mut verifying) = (Vec::new(), Vec::new());
        let mut sizes = [0; 4];
        for group in &groups {
            let keys: Vec<&[u8]> = group.iter().map(|key| &key[..]).collect();
            let started = Instant::now();
            let proof = store.prove(&keys).unwrap().proof;
            making.push(started.elapsed().as_secs_f64());
            let started = Instant::now();
            let answers = verify(&root, group, &proof, &params).unwrap();
            verifying.push(started.elapsed().as_secs_f64());
            for (key, answer) in group.iter().zip(answers.get()) {
                assert_eq!(&**answer.value().unwrap(), key);
            }
            for (sum, size) in sizes.iter_mut().zip(split(&proof)) {
                *sum += size;
            }
        }
        let per_key = |total: usize| total as f64 / (groups.len() * count) as f64;
        let [all, openings, entries, merkle] = sizes.map(per_key);
        let ms = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2] * 1000.0
        };
        let (making, verifying) = (ms(&mut making), ms(&mut verifying));
        println!(
            "  {count} keys at level 1: {all:.0} bytes a key (openings and commitments {openings:.0}, entries \
             {entries:.0}, Merkle paths {merkle:.0}); made in {making:.2} ms, verified in {verifying:.2} ms, \
             {:.3} ms a key",
            verifying / count as f64
        );
    }
}

fn level(proof: &[u8]) -> u8 {
    match &decode(proof).claims[0] {
        Claim::Present { slot, .. } | Claim::Deleted { slot, .. } => slot.level,
        Claim::NeverWritten => u8::MAX,
    }
}

/// The bytes of a proof: in total, openings with commitments, entries, Merkle paths.
fn split(bytes: &[u8]) -> [usize; 4] {
    let proof = decode(bytes);
    let openings = 32 * (proof.points.len() + proof.amts.len());
    [bytes.len(), openings, 30 * proof.entries.len(), 32 * proof.hashes.len()]
}

fn decode(proof: &[u8]) -> Proof {
    PROOF_ENVELOPE.decode(proof, &Limits::DEFAULT).unwrap()
}

fn key(number: u64) -> [u8; 32] {
    let mut state = number << 8;
    let mut key = [0; 32];
    for word in key.chunks_exact_mut(8) {
        // SplitMix64, by Sebastiano Vigna, public domain.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes());
    }
    key
}

//! Measures the most expensive proofs: `cargo run --release -p prooflight-amb --features prover --example
//! amb-hostile`.
//!
//! A key with a neighbour for each of its bits, runs of deleted keys, and ranges at a block before all keys were written again.
//! The example prints the bytes of each proof, the pages of a walk, and the median time of proving and of verifying.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program with text output")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use prooflight_amb::prover::{AmbState, PageSize};
use prooflight_amb::{KeysQuestion, RangeQuestion, verify, verify_range};
use prooflight_core::Limits;
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};

/// The keys of a run.
const RUN: u32 = 100_000;

fn main() {
    println!("proof                                        pages      bytes      prove     verify");
    for length in [32, 256] {
        one_key(length);
    }
    deleted_keys();
    old_block();
}

fn empty() -> AmbState<MemoryStore> {
    AmbState::open(MemoryStore::default(), ()).unwrap()
}

/// Every key that differs from a key in one of its bits and ends there; the key itself and, if it has the greatest
/// length, all its prefixes.
fn one_key(length: usize) {
    let victim = vec![0x5a_u8; length];
    let mut keys: Vec<Vec<u8>> = (0..8 * length)
        .map(|bit| {
            let mut key = victim[..=bit / 8].to_vec();
            key[bit / 8] ^= 0x80 >> (bit % 8);
            key
        })
        .chain((0..=length).map(|length| victim[..length].to_vec()))
        .collect();
    keys.sort();
    let changes: Vec<_> = keys.iter().map(|key| RawKeyChange::set(key, &[7; 32])).collect();
    let mut state = empty();
    state.apply(&changes).unwrap();
    let prover = state.prover().unwrap();
    let keys: &[&[u8]] = &[&victim];
    let question = KeysQuestion { keys, at: 0 };
    let proof = prover.keys(&question).unwrap();
    let prove = median(|| black_box(prover.keys(&question).unwrap()).len());
    let check = median(|| {
        let found = verify(prover.root(), &question, &proof, &Limits::DEFAULT).unwrap();
        black_box(found).get().len()
    });
    print(
        &format!("a key of {length} bytes, {} neighbours", changes.len() - 1),
        1,
        proof.len(),
        prove,
        check,
    );
}

/// A range over keys that are all deleted, after the deletion and before.
fn deleted_keys() {
    let mut state = empty();
    let keys: Vec<_> = (0..RUN).map(u32::to_be_bytes).collect();
    let set: Vec<_> = keys.iter().map(|key| RawKeyChange::set(key, &[7; 32])).collect();
    state.apply(&set).unwrap();
    let delete: Vec<_> = keys.iter().map(|key| RawKeyChange::delete(key)).collect();
    state.apply(&delete).unwrap();
    walk(&format!("{RUN} deleted keys, newest block"), &state, 1);
    walk(&format!("{RUN} deleted keys, block before"), &state, 0);
}

/// A range at a block at which none of its keys had been written.
fn old_block() {
    let mut state = empty();
    state.apply(&[RawKeyChange::set(b"", b"")]).unwrap();
    let keys: Vec<_> = (0..RUN).map(u32::to_be_bytes).collect();
    let set: Vec<_> = keys.iter().map(|key| RawKeyChange::set(key, &[7; 32])).collect();
    state.apply(&set).unwrap();
    walk(&format!("{RUN} keys, block before the first"), &state, 0);
}

/// Walks over all keys in pages, as a client does.
fn walk(what: &str, state: &AmbState<MemoryStore>, at: u64) {
    let prover = state.prover().unwrap();
    let (mut pages, mut bytes) = (0, 0);
    let (mut prove, mut check) = (Duration::ZERO, Duration::ZERO);
    let mut lo = Vec::new();
    loop {
        let question = RangeQuestion { lo: &lo, hi: None, at, reverse: false };
        let start = Instant::now();
        let proof = prover.range(&question, PageSize::default()).unwrap();
        prove += start.elapsed();
        let start = Instant::now();
        let page = verify_range(prover.root(), &question, &proof, &Limits::DEFAULT).unwrap();
        check += start.elapsed();
        pages += 1;
        bytes += proof.len();
        match page.get().next {
            Some(next) => lo = next.to_vec(),
            None => break,
        }
    }
    print(what, pages, bytes, prove, check);
}

fn median<T>(mut run: impl FnMut() -> T) -> Duration {
    let mut times: Vec<_> = (0..101)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn print(what: &str, pages: usize, bytes: usize, prove: Duration, check: Duration) {
    let us = |time: Duration| format!("{} us", time.as_micros());
    println!("{what:<44} {pages:>5} {bytes:>10} {:>10} {:>10}", us(prove), us(check));
}

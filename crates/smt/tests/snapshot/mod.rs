//! Shared by the tests of snapshot files: folders, blocks, and comparison with the plain tree.
#![allow(dead_code, reason = "each test uses only some of it")]
#![allow(unreachable_pub, reason = "a test crate exports nothing")]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::{Path, PathBuf};

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Limits, Result};
use prooflight_smt::snapshot::{SnapshotFiles, SnapshotReader, SnapshotWriter, WriterOptions};
use prooflight_smt::verify;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use prooflight_testkit::smt::plain::{BlockOp, PlainTree};

pub const LIMITS: Limits = Limits::DEFAULT;

pub fn files(folder: &Path) -> SnapshotFiles {
    SnapshotFiles::local(folder).unwrap()
}

/// Every file of a folder, with its bytes.
pub fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    files.sort();
    files
}

/// A writer of a folder in which nothing is damaged.
pub fn open(folder: &Path, options: WriterOptions) -> SnapshotWriter {
    let (writer, damage) = SnapshotWriter::open(files(folder), options).unwrap();
    assert_eq!(damage, []);
    writer
}

/// A reader with a cache so small that it must reread pages.
pub fn reader(folder: &Path) -> SnapshotReader {
    SnapshotReader::open(files(folder), 1 << 16).unwrap()
}

pub fn blocks_per_file(blocks_per_file: u64) -> WriterOptions {
    WriterOptions { blocks_per_file, ..WriterOptions::default() }
}

pub fn changes(ops: &[BlockOp]) -> Vec<RawKeyChange<'_>> {
    ops.iter().map(RawKeyChange::from).collect()
}

pub fn set(key: &[u8], value: &[u8]) -> BlockOp {
    (key.to_vec(), Some(value.to_vec()))
}

/// The operations of a block, the same on every call.
pub fn block(seed: u64, height: u64, keys: u32, most: usize) -> Vec<BlockOp> {
    let mut rng = StdRng::seed_from_u64(seed << 32 | height);
    let count = rng.random_range(0..most);
    (0..count).map(|_| (key(&mut rng, keys), value(&mut rng))).collect()
}

pub fn key(rng: &mut StdRng, keys: u32) -> Vec<u8> {
    format!("key {}", rng.random_range(0..keys)).into_bytes()
}

fn value(rng: &mut StdRng) -> Option<Vec<u8>> {
    let length = rng.random_range(0..50);
    rng.random_bool(0.8).then(|| (0..length).map(|_| rng.random()).collect())
}

/// Proves keys and compares the answers with the plain tree; returns a refusal.
pub fn prove_and_compare(
    reader: &SnapshotReader,
    plain: &PlainTree,
    root: &[u8; 32],
    height: u64,
    keys: &[Vec<u8>],
) -> Result<()> {
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let proved = reader.prove(height, &keys)?;
    assert_eq!(proved.root, *root, "block {height}");
    let answers = verify(root, height, &keys, &proved.proof, &LIMITS).unwrap();
    for (key, answer) in keys.iter().zip(answers.get()) {
        assert_eq!(*answer, plain.answer(key, height), "block {height}");
    }
    Ok(())
}

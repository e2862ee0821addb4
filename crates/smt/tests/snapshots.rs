//! Proofs from snapshot files against the plain tree, which keeps every version.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests say what they expect by panicking")]

mod harness;

use harness::plain::{Op, Plain};
use prooflight_core::{Limits, Reason};
use prooflight_smt::snapshot::{Files, Options, Record, SnapshotReader, SnapshotWriter};
use prooflight_smt::{verify, verify_diff, verify_history};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tempfile::TempDir;

const LIMITS: Limits = Limits::DEFAULT;

fn open(folder: &TempDir, options: Options) -> SnapshotWriter {
    let (writer, damage) = SnapshotWriter::open(files(folder), options).unwrap();
    assert_eq!(damage, []);
    writer
}

fn files(folder: &TempDir) -> Files {
    Files::local(folder.path()).unwrap()
}

fn reader(folder: &TempDir) -> SnapshotReader {
    SnapshotReader::open(files(folder), 1 << 16).unwrap()
}

fn blocks_per_file(blocks_per_file: u64) -> Options {
    Options { blocks_per_file, ..Options::default() }
}

fn records(ops: &[Op]) -> Vec<Record<'_>> {
    ops.iter().map(|(key, value)| Record { key, value: value.as_deref() }).collect()
}

fn key(rng: &mut StdRng, keys: u32) -> Vec<u8> {
    format!("key {}", rng.random_range(0..keys)).into_bytes()
}

fn block(rng: &mut StdRng, keys: u32) -> Vec<Op> {
    let op = |rng: &mut StdRng| {
        let value = (rng.random_range(0..4) > 0)
            .then(|| vec![b'v'; rng.random_range(0..40)].into_iter().chain(*b"end").collect());
        (key(rng, keys), value)
    };
    let most = if rng.random_bool(0.2) { 60 } else { 6 };
    (0..rng.random_range(0..most)).map(|_| op(rng)).collect()
}

#[test]
fn proofs_at_any_block_are_those_of_the_plain_tree() {
    for (seed, group) in (0..12).zip([1, 1, 3, 1, 2, 1, 8].into_iter().cycle()) {
        let mut rng = StdRng::seed_from_u64(seed);
        let folder = TempDir::new().unwrap();
        let options = blocks_per_file(group);
        let keys = if seed % 3 == 0 { 7 } else { 300 };
        let mut plain = Plain::default();
        let mut history = Vec::new();
        let mut writer = open(&folder, options);
        while history.len() < 40 || history.len() as u64 % group > 0 {
            let height = history.len() as u64;
            let ops = block(&mut rng, keys);
            plain.apply(height, ops.clone());
            assert_eq!(writer.apply(height, &records(&ops)).unwrap(), plain.root(height));
            history.push(ops);
            if rng.random_range(0..5) == 0 {
                // As after a crash: the blocks without a file come again.
                writer = open(&folder, options);
                let next = writer.newest().map_or(0, |newest| newest + 1);
                assert_eq!(next, (height + 1) / group * group, "seed {seed}");
                for (height, ops) in (0..).zip(&history).skip(usize::try_from(next).unwrap()) {
                    writer.apply(height, &records(ops)).unwrap();
                }
            }
        }
        let reader = reader(&folder);
        let newest = history.len() as u64 - 1;
        assert_eq!(reader.check().unwrap(), []);
        for height in (0..=newest).filter(|height| (height + 1) % group == 0) {
            let many: Vec<_> = (0..9).map(|_| key(&mut rng, keys + 5)).collect();
            for asked in [&many[..1], &many] {
                let asked: Vec<&[u8]> = asked.iter().map(Vec::as_slice).collect();
                let proved = reader.prove(height, &asked).unwrap();
                assert_eq!(proved.root, plain.root(height));
                assert_eq!(proved.proof, plain.prove(height, &asked), "seed {seed} {height}");
                let _ = verify(&proved.root, height, &asked, &proved.proof, &LIMITS).unwrap();
            }
            let after = rng.random_range(0..=height).checked_sub(1);
            let diff = reader.diff(after, height).unwrap();
            assert_eq!(diff.proof, plain.prove_diff(after, height), "seed {seed} {height}");
            let _ = verify_diff(after, height, &diff.root, &diff.proof, &LIMITS).unwrap();
            let (from, asked) = (rng.random_range(0..=height), &many[0]);
            let needed = plain.history_blocks(asked, from, height);
            if needed.iter().any(|block| (block + 1) % group > 0) {
                let refused = reader.history(asked, from, height).unwrap_err();
                assert_eq!(refused.reason(), Reason::VersionUnavailable);
                continue;
            }
            let proved = reader.history(asked, from, height).unwrap();
            assert_eq!(proved.proof, plain.prove_history(asked, from, height));
            assert_eq!(proved.roots, plain.roots(&needed));
            let _ =
                verify_history(asked, from, height, &proved.roots, &proved.proof, &LIMITS).unwrap();
        }
    }
}

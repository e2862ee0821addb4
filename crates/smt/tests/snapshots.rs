//! Proofs from snapshot files against the plain tree, which keeps every block's state.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod snapshot;

use std::sync::Arc;

use object_store::memory::InMemory;
use prooflight_core::Reason;
use prooflight_core::store::RawKeyChange;
use prooflight_smt::hash::EMPTY_ROOT;
use prooflight_smt::snapshot::{
    KeptBlocks, Retention, SnapshotFiles, SnapshotReader, SnapshotWriter, WriterOptions,
};
use prooflight_smt::{PastState, verify, verify_diff, verify_history};
use prooflight_testkit::smt::plain::{BlockOp, PlainTree};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use snapshot::{
    LIMITS, block, blocks_per_file, changes, key, open, prove_and_compare, reader, set,
};
use tempfile::TempDir;

#[test]
fn proofs_at_any_block_are_those_of_the_plain_tree() {
    for (seed, group) in (0..12).zip([1, 1, 3, 1, 2, 1, 8].into_iter().cycle()) {
        let mut rng = StdRng::seed_from_u64(seed);
        let folder = TempDir::new().unwrap();
        let options = blocks_per_file(group);
        let keys = if seed % 3 == 0 { 7 } else { 300 };
        let mut plain = PlainTree::default();
        let mut history = Vec::new();
        let mut writer = open(folder.path(), options);
        while history.len() < 40 || !(history.len() as u64).is_multiple_of(group) {
            let height = history.len() as u64;
            let most = if height.is_multiple_of(5) { 60 } else { 6 };
            let ops = block(seed, height, keys, most);
            plain.apply(height, ops.clone());
            assert_eq!(writer.apply(height, &changes(&ops)).unwrap(), plain.root(height));
            history.push(ops);
            if rng.random_range(0..5) == 0 {
                // As after a crash, blocks without a file are applied again.
                writer = open(folder.path(), options);
                let next = writer.newest().map_or(0, |newest| newest + 1);
                assert_eq!(next, (height + 1) / group * group, "seed {seed}");
                for (height, ops) in (0..).zip(&history).skip(usize::try_from(next).unwrap()) {
                    writer.apply(height, &changes(ops)).unwrap();
                }
            }
        }
        let reader = reader(folder.path());
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
            let _ = verify_diff(&diff.root, after, height, &diff.proof, &LIMITS).unwrap();
            let (from, asked) = (rng.random_range(0..=height), &many[0]);
            let needed = plain.history_blocks(asked, from, height);
            if needed.iter().any(|height| (height + 1) % group > 0) {
                let refused = reader.history(asked, from, height).unwrap_err();
                assert_eq!(refused.reason(), Reason::VersionUnavailable);
                continue;
            }
            let proved = reader.history(asked, from, height).unwrap();
            assert_eq!(proved.proof, plain.prove_history(asked, from, height));
            assert_eq!(proved.roots, plain.roots(&needed));
            let _ =
                verify_history(&proved.roots, asked, from, height, &proved.proof, &LIMITS).unwrap();
        }
    }
}

#[test]
fn a_then_b_then_a_again_is_three_changes() {
    let folder = TempDir::new().unwrap();
    let mut writer = open(folder.path(), WriterOptions::default());
    for (height, value) in [(0, b"A"), (1, b"B"), (2, b"A"), (3, b"A")] {
        writer.apply(height, &changes(&[set(b"key", value), set(b"other", b"x")])).unwrap();
    }
    writer.apply(4, &[]).unwrap();
    let proved = reader(folder.path()).history(b"key", 0, 4).unwrap();
    let history = verify_history(&proved.roots, b"key", 0, 4, &proved.proof, &LIMITS).unwrap();
    let value = |value, since| PastState::Present { value, since };
    let a: &[u8] = b"A";
    assert_eq!(history.changes, [value(a, 0), value(b"B", 1), value(a, 2), value(a, 3)]);
}

#[test]
fn groups_say_which_blocks_they_can_prove() {
    let folder = TempDir::new().unwrap();
    let mut writer = open(folder.path(), blocks_per_file(4));
    for (height, value) in (1..).zip([b"A", b"B", b"A", b"A", b"B", b"A", b"C"]) {
        writer.apply(height, &changes(&[set(b"key", value)])).unwrap();
    }
    assert_eq!((writer.newest(), writer.published()), (Some(7), Some(7)));
    writer.apply(8, &[]).unwrap();
    assert_eq!((writer.newest(), writer.published()), (Some(8), Some(7)));
    let reader = reader(folder.path());
    assert_eq!(reader.kept_blocks(), KeptBlocks { oldest: 1, newest: 7, blocks_per_file: 4 });
    for (height, nearest) in
        [(1, "nearest is 3"), (6, "nearest is 3 or 7"), (0, "1 to 7"), (8, "1 to 7")]
    {
        let refused = reader.prove(height, &[b"key"]).unwrap_err();
        assert_eq!(refused.reason(), Reason::VersionUnavailable);
        assert!(refused.to_string().contains(nearest), "{refused}");
        assert_eq!(reader.root(height).unwrap_err().reason(), Reason::VersionUnavailable);
    }
    // The last change is dated exactly; those before it lie inside a file.
    let proved = reader.prove(7, &[b"key"]).unwrap();
    let answers = verify(&proved.root, 7, &[b"key"], &proved.proof, &LIMITS).unwrap();
    assert_eq!(*answers, [PastState::Present { value: b"C", since: 7 }]);
    let refused = reader.history(b"key", 1, 7).unwrap_err();
    assert!(refused.to_string().contains("nearest is 3 or 7"), "{refused}");
    let proved = reader.history(b"key", 7, 7).unwrap();
    assert_eq!(proved.roots, [(7, reader.root(7).unwrap())]);
    // A folder's number of blocks per file is fixed.
    drop(writer);
    let files = SnapshotFiles::local(folder.path()).unwrap();
    let refused = SnapshotWriter::open(files, blocks_per_file(2)).unwrap_err();
    assert_eq!(refused.reason(), Reason::InvalidArgument);
}

#[test]
fn a_block_comes_again_only_with_the_same_changes() {
    for group in [1, 3] {
        let folder = TempDir::new().unwrap();
        let mut writer = open(folder.path(), blocks_per_file(group));
        let blocks: Vec<Vec<BlockOp>> = (0..5)
            .map(|n| vec![set(b"key", &[n]), set(&[n], b"new"), (b"never there".to_vec(), None)])
            .collect();
        let roots: Vec<_> =
            (0..).zip(&blocks).map(|(at, ops)| writer.apply(at, &changes(ops)).unwrap()).collect();
        for (at, (ops, root)) in (0..).zip(blocks.iter().zip(&roots)) {
            let mut again = changes(ops);
            again.reverse();
            assert_eq!(writer.apply(at, &again).unwrap(), *root, "block {at} of {group}");
            for other in [
                vec![],
                changes(&ops[..1]),
                changes(&[ops[0].clone(), set(&[77], b"new")]),
                changes(&[ops[0].clone(), ops[1].clone(), set(b"more", b"")]),
                vec![RawKeyChange::delete(b"key"), changes(ops)[1]],
            ] {
                let refused = writer.prepare(at, &other).unwrap_err();
                assert_eq!(refused.reason(), Reason::InvalidArgument, "block {at} of {group}");
            }
        }
        assert_eq!(writer.root(), roots[4]);
        for gap in [6, 7, u64::MAX] {
            let refused = writer.prepare(gap, &[]).unwrap_err();
            assert_eq!(refused.reason(), Reason::InvalidArgument);
        }
    }
}

#[test]
fn a_prepared_block_changes_nothing_until_it_is_committed() {
    let folder = TempDir::new().unwrap();
    let mut writer = open(folder.path(), WriterOptions::default());
    let before = writer.apply(0, &changes(&[set(b"key", b"0")])).unwrap();
    let abandoned = writer.prepare(1, &changes(&[set(b"key", b"1")])).unwrap();
    let other = writer.prepare(1, &changes(&[set(b"key", b"2")])).unwrap();
    let late = writer.prepare(1, &changes(&[set(b"key", b"3")])).unwrap();
    assert_ne!(abandoned.root(), other.root());
    drop(abandoned);
    assert_eq!((writer.newest(), writer.root()), (Some(0), before));
    assert_eq!(reader(folder.path()).kept_blocks().newest, 0);
    let root = other.root();
    assert_eq!(writer.commit(other).unwrap(), root);
    assert_eq!(writer.commit(late).unwrap_err().reason(), Reason::InvalidArgument);
    assert_eq!(reader(folder.path()).root(1).unwrap(), root);
    assert_eq!(open(folder.path(), WriterOptions::default()).root(), root);
}

#[test]
fn blocks_committed_in_the_background_have_the_same_files() {
    for group in [1, 3] {
        let (at_once, later) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let options = blocks_per_file(group);
        let mut first = open(at_once.path(), options);
        let mut second = open(later.path(), options);
        for height in 0..9 {
            let ops = block(8, height, 200, 60);
            let root = first.apply(height, &changes(&ops)).unwrap();
            let prepared = second.prepare(height, &changes(&ops)).unwrap();
            assert_eq!(second.commit_in_background(prepared).unwrap(), root);
            assert_eq!((second.newest(), second.root()), (Some(height), root));
            // A file being written in the background does not count yet.
            let before = (height / group * group).checked_sub(1);
            assert_eq!(second.published(), before);
            if height == 5 {
                second.publish().unwrap();
                assert_eq!(second.published(), Some(5));
                assert_eq!(reader(later.path()).root(5).unwrap(), root);
            }
        }
        // Dropping it waits for the last file.
        drop(second);
        let names = |folder: &TempDir| {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&at_once), names(&later));
        for name in names(&at_once) {
            let bytes = |folder: &TempDir| std::fs::read(folder.path().join(&name)).unwrap();
            assert_eq!(bytes(&at_once), bytes(&later), "{}", name.display());
        }
        assert_eq!(open(later.path(), options).root(), first.root());
    }
    // Other stores are written in the foreground.
    let files = SnapshotFiles::new(Arc::new(InMemory::new()));
    let (mut writer, _) = SnapshotWriter::open(files, WriterOptions::default()).unwrap();
    let prepared = writer.prepare(0, &changes(&[set(b"key", b"value")])).unwrap();
    writer.commit_in_background(prepared).unwrap();
    assert_eq!(writer.published(), Some(0));
}

#[test]
fn arguments_that_cannot_be_are_refused() {
    let folder = TempDir::new().unwrap();
    let empty = SnapshotReader::open(SnapshotFiles::local(folder.path()).unwrap(), 0).unwrap_err();
    assert_eq!(empty.reason(), Reason::VersionUnavailable);
    for number in [0, (1 << 16) + 1] {
        let files = SnapshotFiles::local(folder.path()).unwrap();
        let refused = SnapshotWriter::open(files, blocks_per_file(number)).unwrap_err();
        assert_eq!(refused.reason(), Reason::InvalidArgument);
    }
    let mut writer = open(folder.path(), WriterOptions::default());
    let key = vec![7; 1 << 16];
    let refused = writer.apply(0, &[RawKeyChange::delete(&key)]).unwrap_err();
    assert_eq!(refused.reason(), Reason::KeyLength);
    assert_eq!(writer.apply(0, &[]).unwrap(), EMPTY_ROOT);
    writer.apply(1, &changes(&[set(b"key", b"value")])).unwrap();
    let reader = reader(folder.path());
    assert_eq!(reader.prove(1, &[]).unwrap_err().reason(), Reason::InvalidArgument);
    assert_eq!(reader.history(b"key", 1, 0).unwrap_err().reason(), Reason::InvalidArgument);
    assert_eq!(reader.diff(Some(1), 1).unwrap_err().reason(), Reason::InvalidArgument);
    let tight = prooflight_core::Limits { max_keys: 1, max_proof_bytes: 8, ..LIMITS };
    let reader = reader.with_limits(tight);
    assert_eq!(reader.prove(1, &[b"a", b"b"]).unwrap_err().reason(), Reason::TooManyKeys);
    for refused in [
        reader.prove(1, &[b"key"]).map(drop),
        reader.diff(None, 1).map(drop),
        reader.history(b"key", 0, 1).map(drop),
    ] {
        assert_eq!(refused.unwrap_err().reason(), Reason::ProofTooLarge);
    }
}

#[test]
fn a_reader_follows_the_writer_and_a_store_may_be_anything() {
    let files = SnapshotFiles::new(Arc::new(InMemory::new()));
    let (mut writer, _) = SnapshotWriter::open(files.clone(), WriterOptions::default()).unwrap();
    let mut plain = PlainTree::default();
    let mut reader = None;
    for height in 0..30 {
        let ops = block(99, height, 50, 20);
        plain.apply(height, ops.clone());
        let root = writer.apply(height, &changes(&ops)).unwrap();
        let reader =
            reader.get_or_insert_with(|| SnapshotReader::open(files.clone(), 1 << 20).unwrap());
        let keys: Vec<Vec<u8>> = ops.into_iter().map(|(key, _)| key).chain([vec![1]]).collect();
        prove_and_compare(reader, &plain, &root, height, &keys).unwrap();
    }
    let (again, damage) = SnapshotWriter::open(files, WriterOptions::default()).unwrap();
    assert_eq!((again.root(), damage), (writer.root(), vec![]));
}

#[test]
fn blocks_that_are_not_kept_are_unavailable_and_their_files_go() {
    for group in [1, 2] {
        let folder = TempDir::new().unwrap();
        let options = WriterOptions { blocks_per_file: group, retention: Retention::Last(10) };
        let mut writer = open(folder.path(), options);
        let mut plain = PlainTree::default();
        let (mut roots, early) = (Vec::new(), reader_of_first(folder.path(), &mut writer));
        plain.apply(0, [set(b"cold", b"kept for ever")]);
        roots.push(plain.root(0));
        for height in 1..300 * group {
            let ops = block(7, height, 6, 10);
            plain.apply(height, ops.clone());
            roots.push(writer.apply(height, &changes(&ops)).unwrap());
            if height == 150 {
                drop(writer);
                writer = open(folder.path(), options);
                for height in writer.newest().unwrap() + 1..=150 {
                    writer.apply(height, &changes(&block(7, height, 6, 10))).unwrap();
                }
            }
        }
        let newest = 300 * group - 1;
        let kept = early.unwrap_or_else(|| reader(folder.path())).refresh().unwrap();
        assert_eq!(kept.oldest, newest - 9);
        let reader = reader(folder.path());
        assert_eq!(reader.check().unwrap(), []);
        for height in (kept.oldest..=newest).filter(|height| (height + 1) % group == 0) {
            let keys: Vec<Vec<u8>> = plain.keys();
            let root = roots[usize::try_from(height).unwrap()];
            prove_and_compare(&reader, &plain, &root, height, &keys).unwrap();
        }
        let refused = reader.prove(kept.oldest - 1, &[b"cold"]).unwrap_err();
        assert_eq!(refused.reason(), Reason::VersionUnavailable);
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert!((12 / group..170).contains(&(left as u64)), "{left} files");
        assert!(folder.path().join(format!("{:016}.smt", group - 1)).exists(), "a leaf is in it");
    }
}

/// Writes the first block, and opens a reader if that makes a file.
fn reader_of_first(
    folder: &std::path::Path,
    writer: &mut SnapshotWriter,
) -> Option<SnapshotReader> {
    writer.apply(0, &changes(&[set(b"cold", b"kept for ever")])).unwrap();
    writer.published().map(|_| reader(folder))
}

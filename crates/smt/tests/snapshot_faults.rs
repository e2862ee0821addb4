//! Damaged files are reported and never served, and the writer continues from before them; kill -9 at any time.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod snapshot;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use prooflight_core::{Hash, Reason, Result};
use prooflight_smt::hash::{hash_key, hash_value};
use prooflight_smt::snapshot::{SnapshotReader, SnapshotWriter, WriterOptions};
use prooflight_smt::tree::{HashedChange, MemoryTree};
use prooflight_testkit::smt::plain::PlainTree;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use snapshot::{
    block, blocks_per_file, changes, contents, files, key, open, prove_and_compare, reader,
};
use tempfile::TempDir;

const KEY_COUNT: u32 = 40;
const BLOCK_COUNT: u64 = 12;

/// A folder with blocks, and their expected content.
struct TestChain {
    folder: TempDir,
    options: WriterOptions,
    plain: PlainTree,
    roots: Vec<Hash>,
}

impl TestChain {
    fn new(seed: u64, group: u64) -> Self {
        Self::forked(seed, group, BLOCK_COUNT)
    }

    /// The same blocks before `from`, and different ones from there on.
    fn forked(seed: u64, group: u64, from: u64) -> Self {
        let folder = TempDir::new().unwrap();
        let options = blocks_per_file(group);
        let (mut writer, mut plain) = (open(folder.path(), options), PlainTree::default());
        let write = |height| {
            let seed = if height < from { seed } else { seed + 100 };
            let ops = block(seed, height, KEY_COUNT, 30);
            plain.apply(height, ops.clone());
            writer.apply(height, &changes(&ops)).unwrap()
        };
        let roots = (0..BLOCK_COUNT).map(write).collect();
        Self { folder, options, plain, roots }
    }

    fn file(&self, last: u64) -> PathBuf {
        self.folder.path().join(format!("{last:016}.smt"))
    }

    fn root(&self, height: u64) -> &Hash {
        &self.roots[usize::try_from(height).unwrap()]
    }

    /// Every answer of every block is right or refused as damaged, by the name of a file; counts the
    /// refusals.
    fn serves_nothing_wrong(&self, reader: &SnapshotReader) -> usize {
        let group = self.options.blocks_per_file;
        let mut refusals = 0;
        for height in (0..BLOCK_COUNT).filter(|height| (height + 1) % group == 0) {
            for key in self.plain.keys() {
                let keys = [key];
                match prove_and_compare(reader, &self.plain, self.root(height), height, &keys) {
                    Ok(()) => {}
                    Err(refused) => {
                        assert_eq!(refused.reason(), Reason::StoreCorrupt, "{refused}");
                        assert!(refused.expected().contains(".smt"), "{refused}");
                        refusals += 1;
                    }
                }
            }
            if let Ok(diff) = reader.diff(None, height) {
                assert_eq!(diff.proof, self.plain.prove_diff(None, height));
            }
        }
        refusals
    }

    /// The writer detects the damage in this file, continues from before it, and repairs it.
    fn recovers(&self, seed: u64, damaged: u64) {
        let group = self.options.blocks_per_file;
        let (mut writer, damage) =
            SnapshotWriter::open(files(self.folder.path()), self.options).unwrap();
        let next = writer.newest().map_or(0, |newest| newest + 1);
        let name = format!("{damaged:016}.smt");
        if damage.is_empty() {
            // Opening does not read a file that the newest tree does not need.
            assert_eq!(next, BLOCK_COUNT);
            fs::remove_file(self.file(damaged)).unwrap();
            return self.recovers(seed, damaged);
        }
        assert!(damage.iter().any(|damage| damage.file == name), "{damage:?}");
        assert_eq!(next, damaged + 1 - group);
        if let Some(newest) = writer.newest() {
            assert_eq!(writer.root(), *self.root(newest));
        }
        for height in next..BLOCK_COUNT {
            let root = writer.apply(height, &changes(&block(seed, height, KEY_COUNT, 30))).unwrap();
            assert_eq!(root, *self.root(height));
        }
        let reader = reader(self.folder.path());
        assert_eq!(reader.check().unwrap(), []);
        assert_eq!(self.serves_nothing_wrong(&reader), 0);
    }
}

#[test]
fn damaged_files_are_named_and_never_served() {
    let mut rng = StdRng::seed_from_u64(11);
    let mut refusals = 0;
    for round in 0..48 {
        let chain = TestChain::new(round, if round.is_multiple_of(2) { 1 } else { 3 });
        let group = chain.options.blocks_per_file;
        let last = rng.random_range(0..BLOCK_COUNT / group) * group + group - 1;
        let file = chain.file(last);
        let mut bytes = fs::read(&file).unwrap();
        let at = rng.random_range(0..bytes.len());
        let what = match round / 2 % 4 {
            0 => {
                bytes[at] ^= 1 << rng.random_range(0..8);
                "flipped"
            }
            1 => {
                bytes.truncate(at);
                "cut off"
            }
            2 => {
                // An interrupted write.
                bytes[at] = !bytes[at];
                bytes[at + 1..].fill(0);
                "torn"
            }
            _ => "missing",
        };
        if what == "missing" {
            fs::remove_file(&file).unwrap();
        } else {
            fs::write(&file, &bytes).unwrap();
        }
        let reader = reader(chain.folder.path());
        let damage = reader.check().unwrap();
        let names: Vec<&str> = damage.iter().map(|damage| damage.file.as_str()).collect();
        assert_eq!(names, [file.file_name().unwrap().to_str().unwrap()], "{what} in round {round}");
        refusals += chain.serves_nothing_wrong(&reader);
        chain.recovers(round, last);
    }
    assert!(refusals > 1000, "{refusals}");
}

#[test]
fn a_file_of_another_chain_or_block_is_named() {
    let (chain, other) = (TestChain::new(1, 1), TestChain::new(2, 1));
    for (from, to) in
        [(other.file(5), 5), (chain.file(4), 6), (other.file(BLOCK_COUNT - 1), BLOCK_COUNT - 1)]
    {
        let kept = fs::read(chain.file(to)).unwrap();
        fs::copy(from, chain.file(to)).unwrap();
        let damage = reader(chain.folder.path()).check().unwrap();
        // The file after it does not follow it either.
        assert_eq!(damage[0].file, format!("{to:016}.smt"));
        let (writer, damage) =
            SnapshotWriter::open(files(chain.folder.path()), chain.options).unwrap();
        assert!(!damage.is_empty());
        assert_eq!(writer.newest(), Some(to - 1));
        fs::write(chain.file(to), kept).unwrap();
    }
}

#[test]
fn with_the_roots_of_the_chain_a_file_of_elsewhere_is_named_and_nothing_is_written() {
    for group in [1, 3] {
        let last = 3 * group - 1;
        // A fork has the same file before it.
        let [chain, fork, other] =
            [BLOCK_COUNT, last, 0].map(|from| TestChain::forked(1, group, from));
        let root_of =
            |height| Ok(usize::try_from(height).ok().and_then(|it| chain.roots.get(it).copied()));
        let beyond = |height| Ok(if height > last { None } else { root_of(height)? });
        let open_for = |root_of: &dyn Fn(u64) -> Result<Option<Hash>>| {
            SnapshotWriter::open_for(files(chain.folder.path()), chain.options, root_of)
        };
        assert_eq!(open_for(&root_of).unwrap().1, []);
        let refused = open_for(&beyond).unwrap_err();
        assert_eq!(refused.reason(), Reason::StoreCorrupt);
        let next = chain.file(last + group);
        assert!(
            refused.expected().contains(next.file_name().unwrap().to_str().unwrap()),
            "{refused}"
        );
        for from in [fork.file(last), other.file(last), chain.file(last - group)] {
            let kept = fs::read(chain.file(last)).unwrap();
            fs::copy(from, chain.file(last)).unwrap();
            let before = contents(chain.folder.path());
            let refused = open_for(&root_of).unwrap_err();
            assert_eq!(refused.reason(), Reason::StoreCorrupt);
            assert!(
                refused.expected().starts_with(&format!("{last:016}.smt of this chain")),
                "{refused}"
            );
            assert!(!refused.expected().contains("more up to"), "{refused}");
            assert_eq!(contents(chain.folder.path()), before);
            fs::write(chain.file(last), kept).unwrap();
        }
        // A damaged file does not count as another chain's, and is written again.
        let mut bytes = fs::read(chain.file(last)).unwrap();
        bytes[40] ^= 1;
        fs::write(chain.file(last), bytes).unwrap();
        let (writer, damage) = open_for(&root_of).unwrap();
        assert_eq!(damage[0].file, format!("{last:016}.smt"));
        assert_eq!(writer.newest(), Some(last - group));
    }
}

#[test]
fn a_damaged_manifest_is_named_and_made_again() {
    for (round, group) in [(0, 1), (1, 3), (2, 1)] {
        let chain = TestChain::new(round, group);
        let manifest = chain.folder.path().join("manifest");
        let bytes = fs::read(&manifest).unwrap();
        let damages: [fn(&Path, &[u8]); 3] = [
            |path, bytes| fs::write(path, &bytes[..bytes.len() - 1]).unwrap(),
            |path, bytes| {
                let mut bytes = bytes.to_vec();
                bytes[20] ^= 4;
                fs::write(path, bytes).unwrap();
            },
            |path, _| fs::remove_file(path).unwrap(),
        ];
        for damage in damages {
            damage(&manifest, &bytes);
            let refused = SnapshotReader::open(files(chain.folder.path()), 0).unwrap_err();
            let expected = [Reason::StoreCorrupt, Reason::VersionUnavailable];
            assert!(expected.contains(&refused.reason()), "{refused}");
            let (mut writer, found) =
                SnapshotWriter::open(files(chain.folder.path()), chain.options).unwrap();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].file, "manifest");
            assert_eq!(writer.newest(), Some(BLOCK_COUNT - 1));
            assert_eq!(writer.root(), *chain.root(BLOCK_COUNT - 1));
            for height in BLOCK_COUNT..BLOCK_COUNT + group {
                writer.apply(height, &[]).unwrap();
            }
            assert_eq!(chain.serves_nothing_wrong(&reader(chain.folder.path())), 0);
            for height in BLOCK_COUNT..BLOCK_COUNT + group {
                let _ = fs::remove_file(chain.file(height));
            }
            fs::write(&manifest, &bytes).unwrap();
        }
    }
}

#[test]
fn a_file_that_could_not_be_written_is_written_later() {
    let outer = TempDir::new().unwrap();
    let (folder, away) = (outer.path().join("files"), outer.path().join("away"));
    let ops = |height| block(3, height, KEY_COUNT, 30);
    let mut writer = open(&folder, WriterOptions::default());
    writer.apply(0, &changes(&ops(0))).unwrap();
    fs::rename(&folder, &away).unwrap();
    fs::write(&folder, "no folder").unwrap();
    let prepared = writer.prepare(1, &changes(&ops(1))).unwrap();
    let root = prepared.root();
    assert_eq!(writer.commit(prepared).unwrap_err().reason(), Reason::StoreFailed);
    assert_eq!((writer.newest(), writer.published()), (Some(1), Some(0)));
    assert_eq!(writer.publish().unwrap_err().reason(), Reason::StoreFailed);
    let again = writer.prepare(1, &changes(&ops(1))).unwrap_err();
    assert_eq!(again.reason(), Reason::StoreFailed);
    fs::remove_file(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    // The next block writes the one before it first.
    writer.apply(2, &changes(&ops(2))).unwrap();
    assert_eq!(writer.published(), Some(2));
    let reader = reader(&folder);
    assert_eq!(reader.root(1).unwrap(), root);
    assert_eq!(reader.check().unwrap(), []);
}

#[test]
fn a_file_that_another_thread_could_not_write_is_written_later() {
    let outer = TempDir::new().unwrap();
    let (folder, away) = (outer.path().join("files"), outer.path().join("away"));
    let ops = |height| block(3, height, KEY_COUNT, 30);
    let mut writer = open(&folder, WriterOptions::default());
    writer.apply(0, &changes(&ops(0))).unwrap();
    fs::rename(&folder, &away).unwrap();
    fs::write(&folder, "no folder").unwrap();
    let prepared = writer.prepare(1, &changes(&ops(1))).unwrap();
    let root = prepared.root();
    assert_eq!(writer.commit_in_background(prepared).unwrap(), root);
    assert_eq!((writer.newest(), writer.published()), (Some(1), Some(0)));
    // The next block is refused as long as this one has no file, and can be committed later.
    let next = writer.prepare(2, &changes(&ops(2))).unwrap();
    assert_eq!(writer.commit_in_background(next).unwrap_err().reason(), Reason::StoreFailed);
    assert_eq!(writer.publish().unwrap_err().reason(), Reason::StoreFailed);
    assert_eq!((writer.newest(), writer.published()), (Some(1), Some(0)));
    fs::remove_file(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    writer.publish().unwrap();
    assert_eq!(writer.published(), Some(1));
    writer.apply(2, &changes(&ops(2))).unwrap();
    let reader = reader(&folder);
    assert_eq!((reader.root(1).unwrap(), reader.root(2).unwrap()), (root, writer.root()));
    assert_eq!(reader.check().unwrap(), []);
}

const FOLDER_VARIABLE: &str = "PROOFLIGHT_SNAPSHOT_FOLDER";
const GROUP_VARIABLE: &str = "PROOFLIGHT_SNAPSHOT_GROUP";
const BACKGROUND_VARIABLE: &str = "PROOFLIGHT_SNAPSHOT_BACKGROUND";

/// A block whose file takes some time to write.
fn large_block(height: u64) -> Vec<prooflight_testkit::smt::plain::BlockOp> {
    block(500, height, 3000, 2000)
}

#[test]
#[ignore = "run as a child process by the next test, which kills it"]
fn writes_until_it_is_killed() {
    let folder = PathBuf::from(std::env::var(FOLDER_VARIABLE).unwrap());
    let group = std::env::var(GROUP_VARIABLE).unwrap().parse().unwrap();
    let background = std::env::var(BACKGROUND_VARIABLE).unwrap() == "true";
    let mut writer = open(&folder, blocks_per_file(group));
    loop {
        let height = writer.newest().map_or(0, |newest| newest + 1);
        let prepared = writer.prepare(height, &changes(&large_block(height))).unwrap();
        if background {
            writer.commit_in_background(prepared).unwrap();
        } else {
            writer.commit(prepared).unwrap();
        }
    }
}

#[test]
fn after_kill_9_every_named_block_is_there_and_right() {
    let kills: usize = std::env::var("PROOFLIGHT_KILLS").map_or(50, |it| it.parse().unwrap());
    let few = kills.div_ceil(2);
    for (group, background, kills) in
        [(1, false, few), (3, false, kills / 2), (1, true, few), (3, true, kills / 2)]
    {
        let folder = TempDir::new().unwrap();
        let mut rng = StdRng::seed_from_u64(group);
        let (mut plain, mut tree, mut roots) =
            (PlainTree::default(), MemoryTree::new(), Vec::new());
        // The manifest exists before the first kill, so that no kill may cause damage.
        let mut writer = open(folder.path(), blocks_per_file(group));
        for height in 0..group {
            writer.apply(height, &changes(&large_block(height))).unwrap();
        }
        drop(writer);
        for kill in 0..kills {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "writes_until_it_is_killed"])
                .env(FOLDER_VARIABLE, folder.path())
                .env(GROUP_VARIABLE, group.to_string())
                .env(BACKGROUND_VARIABLE, background.to_string())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            let before = reader(folder.path());
            // Wait until it has written a block, then for a random time.
            let started = before.kept_blocks().newest;
            while before.refresh().unwrap().newest == started {
                assert_eq!(child.try_wait().unwrap(), None, "the writer stopped");
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(rng.random_range(0..20_000)));
            child.kill().unwrap();
            child.wait().unwrap();

            let kept = before.refresh().unwrap();
            for height in roots.len() as u64..=kept.newest {
                let ops = large_block(height);
                roots.push(tree.update(height, &hashed(&ops)).unwrap());
                plain.apply(height, ops);
            }
            let check = |height: u64, rng: &mut StdRng| {
                let keys: Vec<Vec<u8>> = (0..20).map(|_| key(rng, 3010)).collect();
                let root = roots[usize::try_from(height).unwrap()];
                prove_and_compare(&before, &plain, &root, height, &keys).unwrap();
            };
            let provable: Vec<u64> =
                (0..=kept.newest).filter(|height| (height + 1) % group == 0).collect();
            for &height in provable.iter().rev().take(10) {
                check(height, &mut rng);
            }
            if kill % 10 == 9 || kill + 1 == kills {
                for &height in &provable {
                    check(height, &mut rng);
                }
                assert_eq!(before.check().unwrap(), []);
            }
            let writer = open(folder.path(), blocks_per_file(group));
            assert_eq!(writer.newest(), Some(kept.newest));
            assert_eq!(Some(&writer.root()), roots.last());
        }
    }
}

fn hashed(ops: &[prooflight_testkit::smt::plain::BlockOp]) -> Vec<HashedChange> {
    ops.iter()
        .map(|(key, value)| HashedChange {
            key_hash: hash_key(key),
            value_hash: value.as_deref().map(hash_value),
        })
        .collect()
}

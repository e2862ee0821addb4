//! The revision file: whatever happens to it, the state is that of the store.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use prooflight_avl::state::state_params;
use prooflight_avl::{AvlState, CachedAvlParams, CachedAvlState, RevisionFileEvent};
use prooflight_core::chain::ChainLimits;
use prooflight_core::store::{RawKeyChange, ReadStore, StateStore, Store, WriteBatch};
use prooflight_core::{Reason, Result};
use prooflight_testkit::store::SharedStore;
use tempfile::TempDir;

const LIMITS: ChainLimits = ChainLimits { max_key: 8, max_value: 16, max_ops: 64 };

/// A chain's state in a store, and its file in a folder.
struct Kept {
    store: SharedStore,
    folder: TempDir,
    events: Arc<Mutex<Vec<String>>>,
    blocks: u64,
}

impl Kept {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: SharedStore::default(), folder, events: Arc::default(), blocks: 0 }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("nodes")
    }

    fn open(&self) -> Result<CachedAvlState<SharedStore>> {
        let events = self.events.clone();
        let watch =
            move |event: &RevisionFileEvent<'_>| events.lock().unwrap().push(format!("{event:?}"));
        let (state, file) = (state_params(&LIMITS), self.file());
        let params = CachedAvlParams { state, file, min_new_nodes: 16, on_event: Arc::new(watch) };
        CachedAvlState::open(self.store.clone(), params)
    }

    fn events(&self) -> Vec<String> {
        std::mem::take(&mut self.events.lock().unwrap())
    }

    /// Commits blocks, and waits for each file that one starts.
    fn grow(&mut self, blocks: u64) {
        let mut state = self.open().unwrap();
        self.events();
        for _ in 0..blocks {
            self.blocks += 1;
            let sets: Vec<_> = (0..8)
                .map(|at| (self.blocks * at * 7919 % 61).to_be_bytes())
                .map(|key| (key, self.blocks.to_be_bytes()))
                .collect();
            let mut changes: Vec<_> =
                sets.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
            changes.sort_by_key(|change| change.key);
            changes.dedup_by_key(|change| change.key);
            let mut prepared = state.prepare(&changes).unwrap();
            self.store.write(std::mem::take(&mut prepared.writes)).unwrap();
            state.commit(prepared.next).unwrap();
            state.finish();
        }
    }

    /// Opens the state, and compares it with the store alone; returns whether the file was used.
    fn check(&self) -> bool {
        self.events();
        let (state, alone) = (
            self.open().unwrap(),
            AvlState::open(self.store.clone(), state_params(&LIMITS)).unwrap(),
        );
        assert_eq!((state.height(), state.root()), (alone.height(), alone.root()));
        // The writes name the nodes in the store.
        let keys: Vec<_> = (0..61_u64).map(u64::to_be_bytes).collect();
        let changes: Vec<_> = keys.iter().map(|key| RawKeyChange::set(key, b"next")).collect();
        let next = |prepared: prooflight_core::store::Prepared<_>| (prepared.root, prepared.writes);
        assert_eq!(next(state.prepare(&changes).unwrap()), next(alone.prepare(&changes).unwrap()));
        self.events() != ["Unused"]
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.file()).unwrap()
    }

    fn write(&self, bytes: impl AsRef<[u8]>) {
        fs::write(self.file(), bytes).unwrap();
    }
}

/// The ids of nodes that a store has.
fn ids(store: &impl ReadStore) -> Vec<Vec<u8>> {
    store.range(b"n", b"o").map(|entry| entry.unwrap().0).collect()
}

#[test]
fn a_state_opens_with_the_file_of_an_earlier_block() {
    let mut kept = Kept::new();
    let (mut written, mut before) = (0, Vec::new());
    for _ in 0..60 {
        kept.grow(1);
        if kept.file().exists() {
            assert!(kept.check(), "block {}", kept.blocks);
            written += usize::from(kept.bytes() != before);
            before = kept.bytes();
        }
    }
    assert!((3..30).contains(&written), "{written}");
    assert!(!kept.file().with_extension("new").exists());
}

/// A state whose newest block has started the file.
fn fresh() -> Kept {
    let mut kept = Kept::new();
    kept.grow(10);
    loop {
        kept.grow(1);
        if kept.events().iter().any(|event| event.starts_with("Written")) {
            return kept;
        }
    }
}

#[test]
fn nodes_in_the_file_are_not_read_from_the_store_and_later_ones_are() {
    let mut kept = fresh();
    let whole = kept.store.content();
    let mut without = WriteBatch::new();
    for key in ids(&whole) {
        without.delete(key);
    }
    let root = kept.open().unwrap().root();
    let empty = Kept { store: SharedStore::new(whole.clone()), ..fresh_folder(&kept) };
    let mut store = empty.store.clone();
    store.write(without).unwrap();
    assert_eq!(empty.open().unwrap().root(), root);

    kept.grow(1);
    let newest = ids(&kept.store).pop().unwrap();
    assert!(kept.check());
    let mut lost = WriteBatch::new();
    lost.delete(newest);
    kept.store.write(lost).unwrap();
    assert_eq!(kept.open().unwrap_err().reason(), Reason::StoreCorrupt);
}

/// Another folder with the same file.
fn fresh_folder(kept: &Kept) -> Kept {
    let other = Kept::new();
    other.write(kept.bytes());
    other
}

#[test]
fn a_damaged_or_missing_file_is_as_good_as_none() {
    let mut kept = fresh();
    kept.grow(1);
    let whole = kept.bytes();
    assert!(kept.check());
    for at in (0..64).chain((64..whole.len()).step_by(97)) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        kept.write(changed);
        assert!(!kept.check(), "byte {at}");
    }
    for length in (0..whole.len()).step_by(211) {
        kept.write(&whole[..length]);
        assert!(!kept.check(), "{length} bytes");
    }
    fs::remove_file(kept.file()).unwrap();
    assert!(!kept.check());
    fs::create_dir(kept.file()).unwrap();
    assert!(!kept.check());
    fs::remove_dir(kept.file()).unwrap();

    // It is written again after the next block.
    kept.grow(1);
    assert!(kept.check());
}

#[test]
fn the_file_of_another_store_or_of_a_later_state_is_not_used() {
    let kept = fresh();
    let earlier = kept.store.content();
    let mut later = Kept { blocks: kept.blocks, ..Kept::new() };
    later.store = SharedStore::new(earlier.clone());
    later.write(kept.bytes());
    while later.bytes() == kept.bytes() {
        later.grow(1);
    }
    // The same store at an earlier block, with a file of nodes that it does not have.
    kept.write(later.bytes());
    assert!(!kept.check());

    // Another store of the same blocks, with the same nodes under the same ids.
    let other = fresh();
    assert_eq!(other.open().unwrap().root(), kept.open().unwrap().root());
    kept.write(other.bytes());
    assert!(!kept.check());
}

#[test]
fn a_file_of_another_fork_is_not_used() {
    let mut kept = fresh();
    let mut fork = Kept { store: SharedStore::new(kept.store.content()), ..fresh_folder(&kept) };
    // From here on, both have other values under the same ids.
    fork.blocks = kept.blocks + 100;
    while fork.bytes() == kept.bytes() {
        fork.grow(1);
    }
    kept.grow(fork.blocks - kept.blocks - 90);
    kept.write(fork.bytes());
    assert!(!kept.check());
}

#[test]
fn a_file_that_cannot_be_written_stops_no_block() {
    let mut kept = Kept::new();
    fs::create_dir(kept.file()).unwrap();
    kept.grow(20);
    assert!(kept.events().iter().all(|event| event.starts_with("Failed")));
    assert!(!kept.check());
}

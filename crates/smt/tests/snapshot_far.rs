//! Remote files: the same answers as from a folder, without a read once their pages are cached.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod snapshot;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use prooflight_core::statement::Statement;
use prooflight_core::store::{StateProof, StateReader as _};
use prooflight_core::{Error, Reason, Result};
use prooflight_smt::snapshot::{RemoteFiles, SmtReader, SnapshotFiles, WriterOptions, file_name};
use snapshot::{block, changes, contents, files, open};
use tempfile::TempDir;

const BLOCK_COUNT: u64 = 60;
const CACHE_BYTES: u64 = 64 << 20;

/// Remote, read-only files, and the number of reads.
#[derive(Debug, Default)]
struct RemoteFolder {
    files: Mutex<BTreeMap<String, Bytes>>,
    reads: AtomicU64,
    /// Whether every read fails.
    away: Mutex<bool>,
}

impl RemoteFolder {
    /// The files of a folder.
    fn of(folder: &TempDir) -> Arc<Self> {
        let far = Self::default();
        for (path, bytes) in contents(folder.path()) {
            far.put(path.file_name().unwrap().to_str().unwrap(), bytes);
        }
        Arc::new(far)
    }

    fn put(&self, name: &str, bytes: Vec<u8>) {
        self.files.lock().unwrap().insert(name.to_owned(), bytes.into());
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        self.files.lock().unwrap()[name].to_vec()
    }

    fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    fn reader(self: &Arc<Self>, cache_bytes: u64) -> SmtReader {
        SmtReader::new(SnapshotFiles::remote(self.clone()), cache_bytes)
    }
}

impl RemoteFiles for RemoteFolder {
    fn blocks_per_file(&self) -> Result<Option<u64>> {
        Ok(Some(1))
    }

    fn read_range(&self, name: &str, range: Range<u64>) -> Result<Option<Bytes>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        if *self.away.lock().unwrap() {
            return Err(Error::new(Reason::Unreachable, name, "none"));
        }
        let files = self.files.lock().unwrap();
        let part = |bytes: &Bytes| {
            let at = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
            bytes.slice(at(range.start)..at(range.end))
        };
        Ok(files.get(name).map(part))
    }
}

/// A folder with blocks.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut writer = open(folder.path(), WriterOptions::default());
    for height in 0..BLOCK_COUNT {
        writer.apply(height, &changes(&block(1, height, 300, 60))).unwrap();
    }
    folder
}

/// Questions of every kind, to one reader after another.
fn ask(reader: &SmtReader) -> Vec<Result<StateProof>> {
    let keys: Vec<String> = (0..300).map(|number| format!("key {number}")).collect();
    let keys: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
    let mut questions = Vec::new();
    for height in [0, 7, BLOCK_COUNT / 2, BLOCK_COUNT - 1] {
        questions.push(Statement::Keys { height, keys: &keys[3..4] });
        questions.push(Statement::Keys { height, keys: &keys });
        questions.push(Statement::Diff { from: height.checked_sub(1), to: height });
        questions.push(Statement::Diff { from: None, to: height });
        questions.push(Statement::History { key: keys[5], from: height / 2, to: height });
    }
    questions.push(Statement::Keys { height: 7, keys: &[] });
    questions.push(Statement::Diff { from: Some(7), to: 7 });
    questions.iter().map(|question| reader.prove(question)).collect()
}

#[test]
fn answers_are_those_of_the_folder_and_warm_ones_read_nothing() {
    let folder = folder();
    let expected = ask(&SmtReader::new(files(folder.path()), CACHE_BYTES));
    let far = RemoteFolder::of(&folder);
    let warm = far.reader(CACHE_BYTES);
    assert_eq!(ask(&warm), expected);
    let reads = far.reads();
    *far.away.lock().unwrap() = true;
    assert_eq!((ask(&warm), far.reads()), (expected.clone(), reads));
    *far.away.lock().unwrap() = false;
    // With a cache that is too small, every answer has cached pages and missing ones.
    for cache_bytes in [0, 1 << 12, 1 << 16, 1 << 20] {
        let reader = far.reader(cache_bytes);
        for _ in 0..2 {
            assert_eq!(ask(&reader), expected, "{cache_bytes}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_said_and_nothing_stays_of_it() {
    let folder = folder();
    let far = RemoteFolder::of(&folder);
    let expected = ask(&far.reader(CACHE_BYTES));
    let reader = far.reader(CACHE_BYTES);
    reader.newest().unwrap();
    *far.away.lock().unwrap() = true;
    // An empty range and no key are refused without a read.
    for (found, expected) in ask(&reader).into_iter().zip(&expected) {
        match expected {
            Ok(_) => assert_eq!(found.unwrap_err().reason(), Reason::Unreachable),
            Err(_) => assert_eq!(&found, expected),
        }
    }
    *far.away.lock().unwrap() = false;
    assert_eq!(ask(&reader), expected);
}

#[test]
fn damage_is_named_and_dropped_from_the_cache() {
    let folder = folder();
    let far = RemoteFolder::of(&folder);
    let expected = ask(&far.reader(CACHE_BYTES));
    let name = file_name(7);
    let honest = far.bytes(&name);
    for at in (0..honest.len()).step_by(honest.len() / 40) {
        let mut altered = honest.clone();
        altered[at] ^= 0x10;
        let reader = far.reader(CACHE_BYTES);
        for (round, bytes) in [&altered, &altered, &honest].into_iter().enumerate() {
            far.put(&name, bytes.clone());
            for (found, expected) in ask(&reader).into_iter().zip(&expected) {
                match found {
                    Err(error) if error.reason() == Reason::StoreCorrupt => {
                        assert!(round < 2, "byte {at}: {error}");
                        assert!(error.expected().contains(&name), "byte {at}: {error}");
                    }
                    found => assert_eq!(&found, expected, "byte {at}"),
                }
            }
        }
    }
}

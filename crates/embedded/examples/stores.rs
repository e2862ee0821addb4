//! Measures embedded stores that the node could use: `cargo run --release -p prooflight-embedded --example stores -- DIR`.
//!
//! Each store gets the same entries: keys of 33 bytes of which the last 32 are random, values of 128
//! bytes, in atomic batches as large as a block's, each on disk before the next. The results of reads
//! are compared. The numbers of one run are in `docs/storage.md`.
#![allow(clippy::unwrap_used, reason = "a failed measurement stops the program")]

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use fjall::{KeyspaceCreateOptions, PersistMode, Readable};
use prooflight_core::blake2b256;
use redb::{ReadableDatabase, TableDefinition};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const READS: usize = 20_000;
const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("all");

type Entry = (Vec<u8>, Vec<u8>);

/// The operations that are measured.
trait Engine: Sized {
    const NAME: &'static str;
    fn open(folder: &Path) -> Self;
    fn write(&self, entries: &[Entry]);
    /// Returns how many of the keys exist.
    fn read<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) -> usize;
    /// Returns the number of entries in a range.
    fn range(&self, from: &[u8], to: &[u8]) -> usize;
}

struct Fjall {
    database: fjall::Database,
    all: fjall::Keyspace,
}

impl Engine for Fjall {
    const NAME: &'static str = "fjall 3.1";

    fn open(folder: &Path) -> Self {
        let database = fjall::Database::builder(folder).open().unwrap();
        let all = database.keyspace("all", KeyspaceCreateOptions::default).unwrap();
        Self { database, all }
    }

    fn write(&self, entries: &[Entry]) {
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncAll));
        for (key, value) in entries {
            batch.insert(&self.all, key.as_slice(), value.as_slice());
        }
        batch.commit().unwrap();
    }

    fn read<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) -> usize {
        let snapshot = self.database.snapshot();
        keys.filter(|key| black_box(snapshot.get(&self.all, key).unwrap()).is_some()).count()
    }

    fn range(&self, from: &[u8], to: &[u8]) -> usize {
        let entries = self.database.snapshot().range(&self.all, from..to);
        entries.fold(0, |count, entry| {
            black_box(entry.into_inner().unwrap());
            count + 1
        })
    }
}

struct Redb(redb::Database);

impl Engine for Redb {
    const NAME: &'static str = "redb 4.5";

    fn open(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        Self(redb::Database::create(folder.join("all.redb")).unwrap())
    }

    fn write(&self, entries: &[Entry]) {
        let transaction = self.0.begin_write().unwrap();
        {
            let mut table = transaction.open_table(TABLE).unwrap();
            for (key, value) in entries {
                table.insert(key.as_slice(), value.as_slice()).unwrap();
            }
        }
        transaction.commit().unwrap();
    }

    fn read<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) -> usize {
        let table = self.0.begin_read().unwrap().open_table(TABLE).unwrap();
        keys.filter(|key| black_box(table.get(*key).unwrap()).is_some()).count()
    }

    fn range(&self, from: &[u8], to: &[u8]) -> usize {
        let table = self.0.begin_read().unwrap().open_table(TABLE).unwrap();
        table.range(from..to).unwrap().fold(0, |count, entry| {
            black_box(entry.unwrap());
            count + 1
        })
    }
}

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/stores".to_owned());
    println!(
        "| store | a batch | write, median of 10 | point read | range, per entry | open | on disk |"
    );
    println!("|---|---|---|---|---|---|---|");
    for size in SIZES {
        measure::<Fjall>(Path::new(&folder), size);
        measure::<Redb>(Path::new(&folder), size);
    }
}

fn measure<E: Engine>(folder: &Path, size: usize) {
    let folder = folder.join(format!("{}-{size}", E::NAME.replace(' ', "-")));
    let _ = fs::remove_dir_all(&folder);
    let entries: Vec<Entry> = (0..10 * size as u64).map(entry).collect();
    let store = E::open(&folder);
    let mut writes: Vec<Duration> =
        entries.chunks(size).map(|batch| time(|| store.write(batch)).0).collect();
    writes.sort();
    drop(store);

    let (opening, store) = time(|| E::open(&folder));
    let step = (entries.len() / READS).max(1);
    let asked = || entries.iter().step_by(step).map(|(key, _)| key.as_slice());
    let (reading, found) = time(|| store.read(asked()));
    assert_eq!(found, asked().count(), "{} lost an entry", E::NAME);
    let (ranging, passed) = time(|| store.range(&[b'n', 0x40], &[b'n', 0x60]));
    let expected = entries.iter().filter(|(key, _)| (0x40..0x60).contains(&key[1])).count();
    assert_eq!(passed, expected, "{} has another range", E::NAME);
    drop(store);
    println!(
        "| {} | {size} | {:.1?} | {:.2?} | {:.2?} | {opening:.1?} | {} kB |",
        E::NAME,
        writes[writes.len() / 2],
        per(reading, found),
        per(ranging, passed),
        disk_bytes(&folder) / 1000,
    );
    fs::remove_dir_all(&folder).unwrap();
}

fn entry(n: u64) -> Entry {
    // Four hashes: incompressible, like the nodes of a Merkle tree.
    let hash = |salt: u8| blake2b256(&[&n.to_be_bytes(), &[salt]]);
    let value = [1, 2, 3, 4].map(hash).concat();
    ([&b"n"[..], &hash(0)].concat(), value)
}

fn time<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

fn per(duration: Duration, count: usize) -> Duration {
    duration / u32::try_from(count.max(1)).unwrap()
}

fn disk_bytes(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let sizes = entries.map(|entry| {
        let metadata = entry.metadata().unwrap();
        // Allocated blocks, since files are sparse where a store has reserved space.
        if metadata.is_dir() { disk_bytes(&entry.path()) } else { metadata.blocks() * 512 }
    });
    sizes.sum()
}

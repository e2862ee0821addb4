//! Maintains the newest tree and writes its snapshot files.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, Hash, Reason, Result};

use super::background_write::BackgroundWrite;
use super::buffer_pool::BufferPool;
use super::group::{BlockGroup, BlockRecords, FIRST_RECORD_OFFSET, FinishedFile, are_records_of};
use super::retention::{FileCollector, Retention};
use super::shards;
use crate::hash::{MAX_HEIGHT, hash_keys, hash_values};
use crate::snapshot::files::check::read_whole;
use crate::snapshot::format::link::{MAX_BLOCKS_PER_FILE, MAX_FILE_BYTES};
use crate::snapshot::format::manifest::{Manifest, last_of_group};
use crate::snapshot::format::{corrupt, file_name, record};
use crate::snapshot::read::nodes::NodeReader;
use crate::tree::{HashedChange, MemoryTree, NodeKind, PreparedTree, ShardPart};

/// Options for writing snapshot files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Number of blocks per file, 1 to 65,536; only the last block of each file can be proved.
    /// Fixed once a folder has files.
    pub blocks_per_file: u64,
    /// Which blocks are kept.
    pub retention: Retention,
}

impl Default for WriterOptions {
    /// One block per file; every block is kept.
    fn default() -> Self {
        Self { blocks_per_file: 1, retention: Retention::All }
    }
}

impl WriterOptions {
    pub(super) fn check(&self) -> Result<()> {
        if (1..=MAX_BLOCKS_PER_FILE).contains(&self.blocks_per_file) {
            return Ok(());
        }
        let expected = format_args!("1 to {MAX_BLOCKS_PER_FILE} blocks in a file");
        Err(Error::new(Reason::InvalidArgument, expected, self.blocks_per_file))
    }
}

/// Applies blocks to a tree in memory, and writes their snapshot files.
///
/// A block is first prepared, which yields its root and changes nothing, then committed. In
/// between, the caller stores the block itself: after a crash it prepares and commits the blocks
/// after [`newest`](Self::newest) again. A folder may be open in only one writer at a time. Calls
/// block the thread; see [`SnapshotFiles`](crate::snapshot::SnapshotFiles).
#[derive(Debug)]
pub struct SnapshotWriter {
    pub(super) nodes: NodeReader,
    pub(super) options: WriterOptions,
    pub(super) tree: MemoryTree,
    /// The manifest that readers see.
    pub(super) manifest: Option<Manifest>,
    /// Whether the manifest in the folder differs or is missing.
    pub(super) is_manifest_stale: bool,
    /// The root node of the newest block whose file is written or ready to be.
    pub(super) root: Option<(NodeKind, u64)>,
    /// The blocks since then.
    pub(super) group: Option<BlockGroup>,
    /// A file being written, or one that could not be written yet.
    pub(super) ready: Option<FinishedFile>,
    pub(super) writing: Option<BackgroundWrite>,
    pub(super) collector: FileCollector,
    /// Buffers of the last file, for the next one.
    pub(super) spare: BufferPool,
}

/// A block not committed yet. Dropping it abandons the block.
#[derive(Debug)]
#[must_use]
pub struct PreparedBlock {
    pub(super) height: u64,
    pub(super) root: Hash,
    /// The changes; `None` if the block was already committed.
    pub(super) new: Option<(PreparedTree, BlockRecords)>,
}

impl PreparedBlock {
    /// The root after the block.
    pub const fn root(&self) -> Hash {
        self.root
    }

    /// The block number.
    pub const fn height(&self) -> u64 {
        self.height
    }
}

impl SnapshotWriter {
    /// The newest block in memory; the next block must follow it. `None` before the first.
    ///
    /// After opening, the newest block whose files are intact.
    pub const fn newest(&self) -> Option<u64> {
        self.tree.height()
    }

    /// The newest block that has a file and is visible to readers.
    pub fn published(&self) -> Option<u64> {
        self.manifest.map(|manifest| manifest.newest).min(self.newest())
    }

    /// The root after the newest block.
    pub fn root(&self) -> Hash {
        self.tree.root()
    }

    /// The tree after the newest block.
    pub const fn tree(&self) -> &MemoryTree {
        &self.tree
    }

    /// Sets the retention, from the next file on. Blocks already removed stay removed.
    pub const fn set_retention(&mut self, retention: Retention) {
        self.options.retention = retention;
    }

    /// Computes the next block, without adding it to the tree or to a file.
    ///
    /// Changes may come in any order. If a key occurs more than once, its last change counts;
    /// deletes of keys that are not live do nothing. The first block may have any number; each
    /// later one must follow the newest. A block that is already present is accepted again, without
    /// effect, if it has the same changes. `invalid_argument` for other blocks, and for more than
    /// 32 GiB of records in a file; `key_length` or `value_length` for keys of more than 65,535 or
    /// values of more than 2^32 - 2 bytes.
    pub fn prepare(&self, height: u64, changes: &[RawKeyChange<'_>]) -> Result<PreparedBlock> {
        let sorted = SortedChanges::new(changes)?;
        match self.newest() {
            Some(newest) if height <= newest => return self.prepare_again(height, &sorted),
            Some(newest) if height == newest + 1 => {}
            None => {}
            Some(newest) => {
                let expected = format_args!("block {}", newest + 1);
                return Err(Error::new(Reason::InvalidArgument, expected, height));
            }
        }
        if height > MAX_HEIGHT {
            let expected = format_args!("a block of at most {MAX_HEIGHT}");
            return Err(Error::new(Reason::InvalidArgument, expected, height));
        }
        let held = self.group.as_ref().map_or(0, BlockGroup::record_bytes) + sorted.record_bytes();
        if held as u64 > MAX_FILE_BYTES / 2 {
            let expected = format_args!("{} bytes of records in a file", MAX_FILE_BYTES / 2);
            return Err(Error::new(Reason::InvalidArgument, expected, held));
        }
        let prepared = self.tree.prepare(height, &sorted.hashed)?;
        let records = self.records(&prepared, &sorted);
        Ok(PreparedBlock { height, root: prepared.root(), new: Some((prepared, records)) })
    }

    /// Returns the records of the changes of a prepared block, and its branches if it has its own
    /// file.
    fn records(&self, prepared: &PreparedTree, sorted: &SortedChanges<'_, '_>) -> BlockRecords {
        let parts = prepared.parts();
        let starts = sorted.starts(&parts);
        let mut records = self.spare.records();
        let mut leaves = Vec::new();
        let alone = self.options.blocks_per_file == 1;
        sorted.write(&starts, &mut records, |key_hash, at| {
            if !alone {
                leaves.push((*key_hash, at));
            }
        });
        let record_at = |change: usize| FIRST_RECORD_OFFSET + starts[change];
        let branches = alone.then(|| shards::branches(prepared, &parts, record_at, &self.spare));
        BlockRecords { records, leaves, branches }
    }

    /// Accepts a block that is already present if it has the same changes.
    fn prepare_again(&self, height: u64, sorted: &SortedChanges<'_, '_>) -> Result<PreparedBlock> {
        if self.ready.as_ref().is_some_and(|ready| ready.first <= height) {
            let expected = "that the newest file is published first";
            return Err(Error::new(Reason::StoreFailed, expected, format_args!("block {height}")));
        }
        let changes = sorted.changes.iter().map(|&change| *change);
        let (same, root) = if let Some((records, root)) =
            self.group.as_ref().and_then(|group| group.records_of(height))
        {
            (are_records_of(records, changes), root)
        } else {
            let last = last_of_group(height, self.options.blocks_per_file);
            let (header, _, bytes) = read_whole(self.nodes.files(), last)?;
            let (records, root) = header
                .records_of(&bytes, height)
                .ok_or_else(|| corrupt(&file_name(last), format_args!("block {height}"), "none"))?;
            (are_records_of(records, changes), root)
        };
        if same {
            return Ok(PreparedBlock { height, root, new: None });
        }
        let expected = format_args!("block {height} as it was committed before");
        Err(Error::new(Reason::InvalidArgument, expected, "other changes"))
    }
}

/// The last change of each key, ascending by key hash.
struct SortedChanges<'w, 'r> {
    changes: Vec<&'w RawKeyChange<'r>>,
    hashed: Vec<HashedChange>,
}

impl<'w, 'r> SortedChanges<'w, 'r> {
    fn new(changes: &'w [RawKeyChange<'r>]) -> Result<Self> {
        changes.iter().try_for_each(record::check)?;
        let hashes = hash_keys(changes.iter().map(|change| change.key));
        // The first bytes nearly always decide; changes of the same key stay in order.
        let mut order: Vec<(u64, usize)> = hashes.iter().map(start_of).zip(0..).collect();
        order.sort_unstable_by(|&(start, at), &(other, other_at)| {
            let rest = || hashes[at].cmp(&hashes[other_at]).then(at.cmp(&other_at));
            start.cmp(&other).then_with(rest)
        });
        order.dedup_by(|&mut (_, later), (_, kept)| {
            let same = hashes[later] == hashes[*kept];
            if same {
                *kept = later;
            }
            same
        });
        let changes: Vec<_> = order.iter().map(|&(_, at)| &changes[at]).collect();
        let mut values = hash_values(changes.iter().filter_map(|change| change.value)).into_iter();
        let hashed = |(&(_, at), change): (&(u64, usize), &&RawKeyChange<'_>)| HashedChange {
            key_hash: hashes[at],
            value_hash: change.value.and_then(|_| values.next()),
        };
        let hashed = order.iter().zip(&changes).map(hashed).collect();
        Ok(Self { changes, hashed })
    }

    /// Returns where each record of an effective change begins, and where the last one ends.
    fn starts(&self, parts: &[ShardPart<'_>]) -> Vec<u64> {
        let mut starts = vec![0; self.changes.len() + 1];
        for change in parts.iter().flat_map(|part| part.changes()) {
            starts[change + 1] = record::length(self.changes[change]) as u64;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        starts
    }

    /// Writes the records of these changes, and calls `written` with the position of each.
    fn write(&self, starts: &[u64], bytes: &mut Vec<u8>, mut written: impl FnMut(&Hash, u64)) {
        bytes.reserve(self.record_bytes());
        for (at, change) in self.changes.iter().enumerate() {
            if starts[at] < starts[at + 1] {
                record::write(change, bytes);
                written(&self.hashed[at].key_hash, starts[at]);
            }
        }
    }

    fn record_bytes(&self) -> usize {
        self.changes.iter().map(|change| record::length(change)).sum()
    }
}

fn start_of(hash: &Hash) -> u64 {
    hash.first_chunk().map_or(0, |start| u64::from_be_bytes(*start))
}

//! The blocks that share a snapshot file, before it is written.

use alloc::vec::Vec;

use object_store::PutPayload;
use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, Hash, Reason, Result};
use xxhash_rust::xxh3::Xxh3;

use super::branches::{BranchCollector, FileClusters};
use crate::snapshot::files::parts;
use crate::snapshot::format::header::{BLOCK_ROW_BYTES, FileHeader, HEADER_BYTES};
use crate::snapshot::format::link::{FileLink, MAX_FILE_BYTES, NodeLocation};
use crate::snapshot::format::record;
use crate::tree::{MemoryTree, NodeKind, VisitedNode};

/// The records of the blocks of one file.
#[derive(Debug)]
pub(super) struct BlockGroup {
    pub(super) first: u64,
    records: Vec<u8>,
    /// For each block: where its records end, and its root.
    pub(super) blocks: Vec<(u64, Hash)>,
    /// Where the records of each written key begin, one entry per record.
    leaves: Vec<(Hash, u64)>,
}

/// The records of one block, and its branches if the block has its own file.
#[derive(Debug)]
pub(super) struct BlockRecords {
    pub(super) records: Vec<u8>,
    /// Key hashes with the position of their records in `records`; empty if the branches are
    /// present.
    pub(super) leaves: Vec<(Hash, u64)>,
    pub(super) branches: Option<FileClusters>,
}

/// A file ready to be written.
#[derive(Clone, Debug)]
pub(super) struct FinishedFile {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) payload: PutPayload,
    /// The checksum at the end of its header.
    pub(super) checksum: u64,
    /// The root node's kind and height, unless the tree is empty.
    pub(super) root: Option<(NodeKind, u64)>,
}

impl BlockGroup {
    pub(super) fn new(first: u64) -> Self {
        Self { first, records: Vec::new(), blocks: Vec::new(), leaves: Vec::new() }
    }

    /// The total length of the records.
    pub(super) fn record_bytes(&self) -> usize {
        self.records.len()
    }

    /// Appends the next block.
    pub(super) fn push(&mut self, block: BlockRecords, root: Hash) -> Option<FileClusters> {
        let base = self.end();
        if self.records.is_empty() {
            self.records = block.records;
        } else {
            self.records.extend_from_slice(&block.records);
        }
        self.leaves.extend(block.leaves.into_iter().map(|(hash, at)| (hash, base + at)));
        self.blocks.push((self.end(), root));
        block.branches
    }

    /// Returns the records of a block of the group, ascending by key hash.
    pub(super) fn records_of(&self, height: u64) -> Option<(&[u8], Hash)> {
        let at = usize::try_from(height.checked_sub(self.first)?).ok()?;
        let (end, root) = *self.blocks.get(at)?;
        let start = at.checked_sub(1).map_or(HEADER_BYTES as u64, |before| self.blocks[before].0);
        let in_records = |at: u64| usize::try_from(at).ok()?.checked_sub(HEADER_BYTES);
        Some((self.records.get(in_records(start)?..in_records(end)?)?, root))
    }

    /// Returns the branches changed by the group's blocks; `tree` is the tree after the last of
    /// them.
    pub(super) fn branches(&mut self, tree: &MemoryTree, last: u64) -> FileClusters {
        let mut branches = BranchCollector::new(self.first, last);
        // For each key, the last record is the one with the highest position.
        self.leaves.sort_unstable();
        let mut leaves = self.leaves.iter().peekable();
        tree.visit(self.first, |node| match node {
            VisitedNode::Branch { depth, left, right, .. } => branches.branch(depth, left, right),
            VisitedNode::Leaf { height, key_hash, value_hash, .. } => {
                let mut record = 0;
                while let Some((_, at)) = leaves.next_if(|(hash, _)| hash <= key_hash) {
                    record = *at;
                }
                branches.placed(kind_of(value_hash), height, record);
            }
        });
        branches.finish(Vec::new())
    }

    /// Builds the whole file; `before` is the root node before the group, `previous` the header
    /// checksum of the previous file.
    pub(super) fn finish(
        self,
        last: u64,
        branches: FileClusters,
        before: Option<(NodeKind, u64)>,
        previous: u64,
    ) -> Result<FinishedFile> {
        let branches_at = self.end();
        let FileClusters { parts: branches, root } = branches;
        let unchanged = before
            .map(|(kind, height)| FileLink { kind, place: NodeLocation::OtherFile { height } });
        let root = root.or(unchanged);
        let mut rows = Vec::with_capacity(self.blocks.len() * BLOCK_ROW_BYTES);
        for (end, root) in &self.blocks {
            rows.extend_from_slice(&end.to_le_bytes());
            rows.extend_from_slice(root);
        }
        let mut body = Xxh3::new();
        for part in [&self.records].into_iter().chain(&branches).chain([&rows]) {
            body.update(part);
        }
        let header = FileHeader {
            first: self.first,
            last,
            root,
            root_hash: self.blocks.last().map_or([0; 32], |(_, root)| *root),
            branches_at,
            branch_bytes: branches.iter().map(|part| part.len() as u64).sum(),
            body_checksum: body.digest(),
            previous,
        };
        if header.file_bytes() > MAX_FILE_BYTES {
            let expected = format_args!("blocks whose file has at most {MAX_FILE_BYTES} bytes");
            return Err(Error::new(Reason::InvalidArgument, expected, header.file_bytes()));
        }
        let (head, checksum) = header.encode();
        let before = [head.to_vec(), self.records];
        let payload = parts(before.into_iter().chain(branches).chain([rows]));
        let height = |link: FileLink| Some((link.kind, header.height(link.place)?));
        Ok(FinishedFile { first: self.first, last, payload, checksum, root: root.and_then(height) })
    }

    /// The position of the next record in the file.
    fn end(&self) -> u64 {
        (HEADER_BYTES + self.records.len()) as u64
    }
}

/// The position of the first record in a file.
pub(super) const FIRST_RECORD_OFFSET: u64 = HEADER_BYTES as u64;

pub(super) fn kind_of(value_hash: Option<&Hash>) -> NodeKind {
    if value_hash.is_some() { NodeKind::Leaf } else { NodeKind::Tombstone }
}

/// Whether `records` are exactly those of a block with these changes; both ascend by key hash.
///
/// A delete without a record had no effect, because the key was not live.
pub(super) fn are_records_of<'r>(
    mut records: &[u8],
    changes: impl IntoIterator<Item = RawKeyChange<'r>>,
) -> bool {
    for change in changes {
        match record::read(records) {
            Some((recorded, rest)) if recorded == change => records = rest,
            _ if change.value.is_none() => {}
            _ => return false,
        }
    }
    records.is_empty()
}

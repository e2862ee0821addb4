//! The branches of the tree in memory, in two cache lines each.

use prooflight_core::Hash;

use crate::hash::NodeRecord;
use crate::path::{KeyBits, first_bits, known_byte_count};

/// A branch, with the records of its children, so that its hash needs nothing else.
///
/// The path to a key reads only the first cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct MemoryBranch {
    links: [MemoryLink; 2],
    /// An entry below it, whose key has its prefix.
    pub(super) entry: u32,
    depth: u16,
    /// The bytes of the prefix of which a bit is known, if they fit.
    prefix: [u8; 18],
    records: [PackedRecord; 2],
}

/// The location of a node, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryLink(u32);

/// A node by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkedNode {
    Empty,
    Entry(u32),
    Branch(u32),
}

/// A node: its location and its record.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryChild {
    pub(super) link: MemoryLink,
    pub(super) record: NodeRecord,
}

/// A record of fewer than 2^32 entries.
#[derive(Clone, Copy, Debug)]
struct PackedRecord {
    version: u64,
    live: u32,
    dead: u32,
    hash: Hash,
}

impl MemoryBranch {
    /// A branch over two nodes; `key` is that of the entry, and has its prefix.
    pub(super) fn new(
        depth: usize,
        entry: u32,
        key: &[u8],
        [left, right]: [MemoryChild; 2],
    ) -> Self {
        let mut prefix = [0; 18];
        if let Some(room) = prefix.get_mut(..known_byte_count(depth)) {
            room.copy_from_slice(&first_bits(key, depth));
        }
        Self {
            links: [left.link, right.link],
            entry,
            // Below 2,304.
            depth: u16::try_from(depth).unwrap_or(u16::MAX),
            prefix,
            records: [left.record.into(), right.record.into()],
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth.into()
    }

    /// Reads a word of each of its cache lines.
    pub(super) fn read(&self) -> u64 {
        u64::from(self.depth) ^ self.records[1].version
    }

    pub(super) const fn link(&self, is_right: bool) -> MemoryLink {
        self.links[is_right as usize]
    }

    pub(super) const fn set_link(&mut self, is_right: bool, link: MemoryLink) {
        self.links[is_right as usize] = link;
    }

    pub(super) fn set_record(&mut self, is_right: bool, record: NodeRecord) {
        self.records[usize::from(is_right)] = record.into();
    }

    pub(super) fn child(&self, is_right: bool) -> MemoryChild {
        let at = usize::from(is_right);
        MemoryChild { link: self.links[at], record: self.records[at].into() }
    }

    /// The records of its children.
    pub(super) fn records(&self) -> [NodeRecord; 2] {
        self.records.map(Into::into)
    }

    /// The prefix; `key` reads the entry's key, which a long prefix needs.
    pub(super) fn prefix<'b>(&'b self, key: impl FnOnce() -> &'b [u8]) -> KeyBits<'b> {
        let known = self.prefix.get(..known_byte_count(self.depth()));
        KeyBits::of(known.unwrap_or_else(key), self.depth())
    }
}

impl MemoryLink {
    pub(super) const EMPTY: Self = Self(u32::MAX);
    /// Indices are below this one.
    pub(super) const END: u32 = u32::MAX >> 1;

    pub(super) const fn entry(index: u32) -> Self {
        Self(index << 1)
    }

    pub(super) const fn branch(index: u32) -> Self {
        Self(index << 1 | 1)
    }

    pub(super) const fn node(self) -> LinkedNode {
        match (self.0, self.0 & 1) {
            (u32::MAX, _) => LinkedNode::Empty,
            (link, 0) => LinkedNode::Entry(link >> 1),
            (link, _) => LinkedNode::Branch(link >> 1),
        }
    }
}

impl MemoryChild {
    /// The empty tree.
    pub(super) const EMPTY: Self = Self { link: MemoryLink::EMPTY, record: NodeRecord::EMPTY };
}

impl From<NodeRecord> for PackedRecord {
    fn from(record: NodeRecord) -> Self {
        let [live, dead] =
            [record.live, record.dead].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Self { version: record.version, live, dead, hash: record.hash }
    }
}

impl From<PackedRecord> for NodeRecord {
    fn from(packed: PackedRecord) -> Self {
        let PackedRecord { version, live, dead, hash } = packed;
        Self { version, live: live.into(), dead: dead.into(), hash }
    }
}

//! The tree over entries and its hashes, and the hashes of the trees over versions.

use prooflight_core::{Hash, blake2b256};

/// The block of a version, and its value; `None` for a tombstone.
pub type KeyVersion = (u64, Option<Vec<u8>>);

/// The value hash of a tombstone.
const NO_VALUE: Hash = [0; 32];

/// A node, with its record.
#[derive(Clone, Debug)]
pub struct TreeNode {
    pub record: NodeRecord,
    pub kind: NodeKind,
}

/// The two kinds of nodes.
#[derive(Clone, Debug)]
pub enum NodeKind {
    Leaf { key: Vec<u8>, versions: Vec<KeyVersion> },
    Branch { prefix: Vec<bool>, children: Box<[TreeNode; 2]> },
}

/// The part of a node that the hash of the branch above binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRecord {
    pub version: u64,
    pub live: u64,
    pub dead: u64,
    pub hash: Hash,
}

impl NodeRecord {
    /// The record of the tree without entries.
    pub const EMPTY: Self = Self { version: 0, live: 0, dead: 0, hash: [0; 32] };

    pub fn encode(&self) -> Vec<u8> {
        let numbers = [self.version, self.live, self.dead].map(u64::to_be_bytes);
        [numbers.as_flattened(), &self.hash].concat()
    }
}

/// A bit of a key; zero after its end.
pub fn bit(key: &[u8], at: usize) -> bool {
    let Some(byte) = key.get(at / 9) else { return false };
    at.is_multiple_of(9) || byte >> (8 - at % 9) & 1 == 1
}

/// The first bits of a key.
pub fn bits(key: &[u8], count: usize) -> Vec<bool> {
    (0..count).map(|at| bit(key, at)).collect()
}

/// The bytes of a prefix: whole ones, then the known bits of one more.
pub fn label(prefix: &[bool]) -> Vec<u8> {
    let bytes = prefix.chunks(9).filter(|bits| bits.len() > 1);
    let byte = |bits: &[bool]| {
        let places = bits[1..].iter().zip((0..8).rev());
        places.map(|(&bit, place)| u8::from(bit) << place).sum()
    };
    bytes.map(byte).collect()
}

/// The tree over entries, which are sorted by key.
pub fn grow(entries: &[(&[u8], &[KeyVersion])]) -> Option<TreeNode> {
    let (&(first, versions), &(last, _)) = (entries.first()?, entries.last()?);
    if entries.len() == 1 {
        let kind = NodeKind::Leaf { key: first.to_vec(), versions: versions.to_vec() };
        return Some(TreeNode { record: record_of_entry(first, versions), kind });
    }
    let depth = (0..=2304).find(|&at| bit(first, at) != bit(last, at)).expect("different keys");
    let middle = entries.partition_point(|(key, _)| !bit(key, depth));
    let children = [grow(&entries[..middle])?, grow(&entries[middle..])?];
    let prefix = bits(first, depth);
    let record = record_of_branch(&prefix, children.each_ref().map(|child| child.record));
    Some(TreeNode { record, kind: NodeKind::Branch { prefix, children: Box::new(children) } })
}

fn record_of_entry(key: &[u8], versions: &[KeyVersion]) -> NodeRecord {
    let (block, value) = versions.last().expect("an entry has a version");
    let is_live = value.is_some();
    let hash = blake2b256(&[
        &[0x10],
        &u16::try_from(key.len()).expect("a short key").to_be_bytes(),
        key,
        &(versions.len() as u64).to_be_bytes(),
        &block.to_be_bytes(),
        &[u8::from(is_live)],
        &value_hash(value.as_deref()),
        &past(versions),
    ]);
    NodeRecord { version: *block, live: u64::from(is_live), dead: u64::from(!is_live), hash }
}

fn record_of_branch(prefix: &[bool], [left, right]: [NodeRecord; 2]) -> NodeRecord {
    let depth = u16::try_from(prefix.len()).expect("keys are short").to_be_bytes();
    let hash = blake2b256(&[&[0x11], &depth, &label(prefix), &left.encode(), &right.encode()]);
    NodeRecord {
        version: left.version.max(right.version),
        live: left.live + right.live,
        dead: left.dead + right.dead,
        hash,
    }
}

pub fn value_hash(value: Option<&[u8]>) -> Hash {
    value.map_or(NO_VALUE, |value| blake2b256(&[&[0x12], value]))
}

/// The hashes of all versions but the newest.
pub fn past_hashes(versions: &[KeyVersion]) -> Vec<Hash> {
    let hash = |(block, value): &KeyVersion| {
        let value_hash = value_hash(value.as_deref());
        blake2b256(&[&[0, 0x13], &block.to_be_bytes(), &[u8::from(value.is_some())], &value_hash])
    };
    versions[..versions.len() - 1].iter().map(hash).collect()
}

/// The root over all versions but the newest.
pub fn past(versions: &[KeyVersion]) -> Hash {
    merkle_root(&past_hashes(versions))
}

/// The root of the tree of RFC 9162 over leaves.
pub fn merkle_root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => blake2b256(&[]),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(largest_power_below(leaves.len()));
            blake2b256(&[&[1], &merkle_root(left), &merkle_root(right)])
        }
    }
}

/// The roots of the largest subtrees without a leaf in `first..end`, in the order of the leaves.
pub fn roots_outside(leaves: &[Hash], first: usize, end: usize) -> Vec<Hash> {
    if first >= end || leaves.is_empty() {
        return vec![merkle_root(leaves)];
    }
    if leaves.len() == 1 {
        return vec![];
    }
    let middle = largest_power_below(leaves.len());
    let (left, right) = leaves.split_at(middle);
    let before = roots_outside(left, first.min(middle), end.min(middle));
    let after = roots_outside(right, first.max(middle) - middle, end.max(middle) - middle);
    [before, after].concat()
}

/// The roots of the perfect trees over leaves, largest first.
pub fn peaks(leaves: &[Hash]) -> Vec<Hash> {
    let Some(size) = leaves.len().checked_ilog2() else { return vec![] };
    let (perfect, rest) = leaves.split_at(1 << size);
    [vec![merkle_root(perfect)], peaks(rest)].concat()
}

const fn largest_power_below(size: usize) -> usize {
    1 << (size - 1).ilog2()
}

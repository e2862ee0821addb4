//! Reads all leaves below a node.
//!
//! The nodes of a level are read file by file, in the order of the paths to them: neighbours in the tree are neighbours in
//! a file, so each file is opened once for many nodes, and one read brings the records of many leaves.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Hash, Result};

use super::nodes::{NodeContent, NodePath, NodeReader};
use super::prove::with_bit;
use super::record_location::RecordLocation;
use super::record_window::RecordWindow;
use crate::hash::{Preimage, hash_keys, hash_nodes, hash_values};
use crate::snapshot::format::NodeRef;
use crate::tree::{KeyEntry, NodeKind};

/// A key's hash and its newest entry.
pub(super) type LeafEntry = (Hash, KeyEntry);

/// A node not read yet, the depth of the branch above it, and the path to it.
#[derive(Clone, Copy)]
pub(super) struct PendingSubtree {
    pub(super) node: NodeRef,
    pub(super) parent: Option<u8>,
    pub(super) prefix: Hash,
}

/// Leaves that are hashed together.
const HASH_BATCH: usize = 256;

impl PendingSubtree {
    pub(super) fn open(&self, nodes: &NodeReader) -> Result<NodeContent> {
        nodes.open(&self.node, self.path())
    }

    const fn path(&self) -> NodePath<'_> {
        NodePath { prefix: &self.prefix, parent: self.parent }
    }

    /// Returns the children of its top branch, right one first.
    pub(super) fn children(&self, depth: u8, [left, right]: [NodeRef; 2]) -> [Self; 2] {
        let of = |node, prefix| Self { node, parent: Some(depth), prefix };
        [of(right, with_bit(self.prefix, depth)), of(left, self.prefix)]
    }

    /// Appends all leaves below; each node is checked against its hash.
    pub(super) fn leaves(&self, nodes: &NodeReader, leaves: &mut Vec<LeafEntry>) -> Result<()> {
        let (mut level, mut places) = (vec![*self], Vec::new());
        while !level.is_empty() {
            level.sort_unstable_by_key(|it| (nodes.last_block_of(&it.node), it.prefix));
            let mut next = Vec::with_capacity(2 * level.len());
            for subtree in level {
                if subtree.node.kind != NodeKind::Branch {
                    places.push(nodes.locate_record(&subtree.node, subtree.path())?);
                } else if let NodeContent::Branch { depth, children } = subtree.open(nodes)? {
                    next.extend(subtree.children(depth, children));
                }
            }
            level = next;
        }
        places.sort_unstable_by_key(|place| (place.last, place.at));
        leaves.reserve(places.len());
        let mut window = RecordWindow::default();
        let mut read = |places: &[RecordLocation]| read_leaves(nodes, places, &mut window, leaves);
        places.chunks(HASH_BATCH).try_for_each(&mut read)
    }
}

/// Appends the leaves at these locations, in file order.
fn read_leaves(
    nodes: &NodeReader,
    places: &[RecordLocation],
    window: &mut RecordWindow,
    leaves: &mut Vec<LeafEntry>,
) -> Result<()> {
    let mut records = Vec::new();
    let mut ends = Vec::with_capacity(places.len());
    for place in places {
        records.extend_from_slice(window.record(nodes, place)?);
        ends.push(records.len());
    }
    let mut start = 0;
    let changes: Result<Vec<RawKeyChange<'_>>> = places
        .iter()
        .zip(ends)
        .map(|(place, end)| {
            let record = &records[core::mem::replace(&mut start, end)..end];
            place.change(record)
        })
        .collect();
    let changes = changes?;
    let key_hashes = hash_keys(changes.iter().map(|change| change.key));
    let mut value_hashes =
        hash_values(changes.iter().filter_map(|change| change.value)).into_iter();
    let entry = |(place, change): (&RecordLocation, &RawKeyChange<'_>)| KeyEntry {
        height: place.node.height,
        value_hash: change.value.and_then(|_| value_hashes.next()),
    };
    let entries: Vec<KeyEntry> = places.iter().zip(&changes).map(entry).collect();
    let preimage = |(key_hash, entry): (&Hash, &KeyEntry)| match &entry.value_hash {
        Some(value_hash) => Preimage::leaf(entry.height, key_hash, value_hash),
        None => Preimage::tombstone(entry.height, key_hash),
    };
    let preimages: Vec<Preimage> = key_hashes.iter().zip(&entries).map(preimage).collect();
    let mut hashes = vec![[0; 32]; places.len()];
    hash_nodes(&preimages, &mut hashes);
    places.iter().zip(&hashes).try_for_each(|(place, hash)| nodes.check(&place.node, hash))?;
    leaves.extend(key_hashes.into_iter().zip(entries));
    Ok(())
}

//! Reads all leaves below a node.
//!
//! The nodes of a level are read file by file, in the order of the paths to them: neighbours in the tree are neighbours in
//! a file, so each file is opened once for many nodes, and one read brings the records of many leaves.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::store::Change;
use prooflight_core::{Hash, Result};

use super::nodes::{LeafPlace, NodeRef, Nodes, Opened, Way, Window};
use super::prove::with_bit;
use crate::hash::{Preimage, hash_keys, hash_nodes, hash_values};
use crate::tree::{Entry, Kind};

/// A key's hash and its newest entry.
pub(super) type Leaf = (Hash, Entry);

/// A node not read yet, the depth of the branch above it, and the path to it.
#[derive(Clone, Copy)]
pub(super) struct Subtree {
    pub(super) node: NodeRef,
    pub(super) parent: Option<u8>,
    pub(super) prefix: Hash,
}

/// Leaves that are hashed together.
const HASHED_AT_ONCE: usize = 256;

impl Subtree {
    pub(super) fn open(&self, nodes: &Nodes) -> Result<Opened> {
        nodes.open(&self.node, self.way())
    }

    const fn way(&self) -> Way<'_> {
        Way { prefix: &self.prefix, parent: self.parent }
    }

    /// Returns the children of its top branch, right one first.
    pub(super) fn children(&self, depth: u8, [left, right]: [NodeRef; 2]) -> [Self; 2] {
        let of = |node, prefix| Self { node, parent: Some(depth), prefix };
        [of(right, with_bit(self.prefix, depth)), of(left, self.prefix)]
    }

    /// Appends all leaves below; each node is checked against its hash.
    pub(super) fn leaves(&self, nodes: &Nodes, leaves: &mut Vec<Leaf>) -> Result<()> {
        let (mut level, mut places) = (vec![*self], Vec::new());
        while !level.is_empty() {
            level.sort_unstable_by_key(|it| (nodes.last(&it.node), it.prefix));
            let mut next = Vec::with_capacity(2 * level.len());
            for subtree in level {
                if subtree.node.kind != Kind::Branch {
                    places.push(nodes.place(&subtree.node, subtree.way())?);
                } else if let Opened::Branch { depth, children } = subtree.open(nodes)? {
                    next.extend(subtree.children(depth, children));
                }
            }
            level = next;
        }
        places.sort_unstable_by_key(|place| (place.last, place.at));
        leaves.reserve(places.len());
        let mut window = Window::default();
        let mut read = |places: &[LeafPlace]| read(nodes, places, &mut window, leaves);
        places.chunks(HASHED_AT_ONCE).try_for_each(&mut read)
    }
}

/// Appends the leaves at these locations, in file order.
fn read(
    nodes: &Nodes,
    places: &[LeafPlace],
    window: &mut Window,
    leaves: &mut Vec<Leaf>,
) -> Result<()> {
    let mut records = Vec::new();
    let mut ends = Vec::with_capacity(places.len());
    for place in places {
        records.extend_from_slice(window.record(nodes, place)?);
        ends.push(records.len());
    }
    let mut start = 0;
    let changes: Result<Vec<Change<'_>>> = places
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
    let entry = |(place, change): (&LeafPlace, &Change<'_>)| Entry {
        height: place.node.height,
        value_hash: change.value.and_then(|_| value_hashes.next()),
    };
    let entries: Vec<Entry> = places.iter().zip(&changes).map(entry).collect();
    let preimage = |(key_hash, entry): (&Hash, &Entry)| match &entry.value_hash {
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

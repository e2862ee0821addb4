//! The changes of a batch: nodes read from the store, removed from it and added to it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::array::from_fn;

use prooflight_core::store::{ReadStore, WriteBatch, corrupt, node_key, require_node};
use prooflight_core::{Hex, Result, keccak256};

use super::node::{ChildLink, OverlayRoot, StoredNode, TrieNode};
use super::record::NodeRecord;
use crate::encode;
use crate::node::HASHED_NODE_BYTES;

/// Changes on top of a store. The store itself is not modified.
pub(super) struct Overlay<'s, S: ?Sized> {
    store: &'s S,
    /// Ids from this one on are new nodes.
    first_id: u64,
    next_id: u64,
    new: BTreeMap<u64, Vec<u8>>,
    removed: Vec<u64>,
}

impl<'s, S: ReadStore + ?Sized> Overlay<'s, S> {
    pub(super) const fn new(store: &'s S, next_id: u64) -> Self {
        let new = BTreeMap::new();
        Self { store, first_id: next_id, next_id, new, removed: Vec::new() }
    }

    /// Reads a node's record; `store_corrupt` unless it has the hash that its parent commits to.
    pub(super) fn record(&self, node: StoredNode) -> Result<NodeRecord> {
        let found = match self.new.get(&node.id) {
            Some(record) => record.clone(),
            None => require_node(self.store, node.id)?,
        };
        let record = NodeRecord::decode(found)?;
        let hash = keccak256(&[record.rlp()]);
        if hash != node.hash {
            let expected = format_args!("{} of node {}", Hex(&node.hash), node.id);
            return Err(corrupt(expected, Hex(&hash)));
        }
        Ok(record)
    }

    pub(super) fn read(&self, node: StoredNode) -> Result<TrieNode> {
        self.record(node)?.node()
    }

    /// Removes a node from the trie so that it can be changed; `None` if the link is empty.
    pub(super) fn take(&mut self, link: ChildLink) -> Result<Option<TrieNode>> {
        match link {
            ChildLink::Empty => Ok(None),
            ChildLink::InMemory(node) => Ok(Some(*node)),
            ChildLink::Stored(stored) => {
                let node = self.read(stored)?;
                self.remove_node(stored.id);
                Ok(Some(node))
            }
        }
    }

    pub(super) fn remove_node(&mut self, id: u64) {
        if id < self.first_id {
            self.removed.push(id);
        } else {
            self.new.remove(&id);
        }
    }

    /// Encodes and hashes the changed nodes below a root.
    pub(super) fn seal(&mut self, link: ChildLink) -> OverlayRoot {
        match link {
            ChildLink::Empty => None,
            ChildLink::Stored(stored) => Some(stored),
            ChildLink::InMemory(node) => {
                let record = self.encode(*node);
                Some(self.add(record))
            }
        }
    }

    fn encode(&mut self, node: TrieNode) -> NodeRecord {
        let mut ids = Vec::new();
        let items = match node {
            TrieNode::Leaf { path, value, below } => {
                ids.extend(below);
                [encode::path(&path, true), encode::string(&value)].to_vec()
            }
            TrieNode::Extension { path, child } => {
                [encode::path(&path, false), self.reference(child, &mut ids)].to_vec()
            }
            TrieNode::Branch { mut children, value } => {
                let take = |nibble: usize| core::mem::take(&mut children[nibble]);
                let children: [ChildLink; 16] = from_fn(take);
                let mut items: Vec<_> =
                    children.into_iter().map(|child| self.reference(child, &mut ids)).collect();
                items.push(encode::string(&value));
                items
            }
        };
        NodeRecord::new(encode::list(&items), &ids)
    }

    /// Returns a node's reference as its parent encodes it.
    fn reference(&mut self, link: ChildLink, ids: &mut Vec<u64>) -> Vec<u8> {
        let stored = match link {
            ChildLink::Empty => return encode::string(&[]),
            ChildLink::Stored(stored) => stored,
            ChildLink::InMemory(node) => {
                let record = self.encode(*node);
                if record.rlp().len() < HASHED_NODE_BYTES {
                    return record.rlp().to_vec();
                }
                self.add(record)
            }
        };
        ids.push(stored.id);
        encode::string(&stored.hash)
    }

    fn add(&mut self, record: NodeRecord) -> StoredNode {
        let stored = StoredNode { hash: keccak256(&[record.rlp()]), id: self.next_id };
        self.next_id += 1;
        self.new.insert(stored.id, record.into_bytes());
        stored
    }

    /// Appends the batch's nodes to `writes`; returns the next free id, and the ids no longer in
    /// use.
    pub(super) fn finish(self, writes: &mut WriteBatch) -> (u64, Vec<u64>) {
        for (id, record) in self.new {
            writes.put(node_key(id), record);
        }
        (self.next_id, self.removed)
    }
}

//! The changes of a batch: nodes read from the store, removed from it and added to it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::array::from_fn;

use prooflight_core::store::{Read, WriteBatch, corrupt, node_key, require_node};
use prooflight_core::{Hash, Hex, Result, keccak256};

use super::node::{Link, Node, Stored};
use super::record::NodeRecord;
use crate::encode;
use crate::hash::EMPTY_ROOT;
use crate::node::HASHED_LENGTH;

/// The root of a trie after a batch; `None` if it is empty.
pub(super) type Root = Option<Stored>;

/// Returns the hash of a root.
pub(super) fn root_hash(root: Root) -> Hash {
    root.map_or(EMPTY_ROOT, |root| root.hash)
}

/// Changes on top of a store. The store itself is not modified.
pub(super) struct Overlay<'s, S: ?Sized> {
    store: &'s S,
    /// Ids from this one on are new nodes.
    first_id: u64,
    next_id: u64,
    new: BTreeMap<u64, Vec<u8>>,
    removed: Vec<u64>,
}

impl<'s, S: Read + ?Sized> Overlay<'s, S> {
    pub(super) const fn new(store: &'s S, next_id: u64) -> Self {
        let new = BTreeMap::new();
        Self { store, first_id: next_id, next_id, new, removed: Vec::new() }
    }

    /// Reads a node's record; `store_corrupt` unless it has the hash that its parent commits to.
    pub(super) fn record(&self, node: Stored) -> Result<NodeRecord> {
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

    pub(super) fn read(&self, node: Stored) -> Result<Node> {
        self.record(node)?.node()
    }

    /// Removes a node from the trie so that it can be changed; `None` if the link is empty.
    pub(super) fn take(&mut self, link: Link) -> Result<Option<Node>> {
        match link {
            Link::Empty => Ok(None),
            Link::Held(node) => Ok(Some(*node)),
            Link::Stored(stored) => {
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
    pub(super) fn seal(&mut self, link: Link) -> Root {
        match link {
            Link::Empty => None,
            Link::Stored(stored) => Some(stored),
            Link::Held(node) => {
                let record = self.encode(*node);
                Some(self.add(record))
            }
        }
    }

    fn encode(&mut self, node: Node) -> NodeRecord {
        let mut ids = Vec::new();
        let items = match node {
            Node::Leaf { path, value, below } => {
                ids.extend(below);
                [encode::path(&path, true), encode::string(&value)].to_vec()
            }
            Node::Extension { path, child } => {
                [encode::path(&path, false), self.reference(child, &mut ids)].to_vec()
            }
            Node::Branch { mut children, value } => {
                let take = |nibble: usize| core::mem::take(&mut children[nibble]);
                let children: [Link; 16] = from_fn(take);
                let mut items: Vec<_> =
                    children.into_iter().map(|child| self.reference(child, &mut ids)).collect();
                items.push(encode::string(&value));
                items
            }
        };
        NodeRecord::new(encode::list(&items), &ids)
    }

    /// Returns a node's reference as its parent encodes it.
    fn reference(&mut self, link: Link, ids: &mut Vec<u64>) -> Vec<u8> {
        let stored = match link {
            Link::Empty => return encode::string(&[]),
            Link::Stored(stored) => stored,
            Link::Held(node) => {
                let record = self.encode(*node);
                if record.rlp().len() < HASHED_LENGTH {
                    return record.rlp().to_vec();
                }
                self.add(record)
            }
        };
        ids.push(stored.id);
        encode::string(&stored.hash)
    }

    fn add(&mut self, record: NodeRecord) -> Stored {
        let stored = Stored { hash: keccak256(&[record.rlp()]), id: self.next_id };
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

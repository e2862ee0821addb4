//! Loads a revision of a dictionary from its store, and checks all of it.

use prooflight_core::store::{Read, corrupt, require_node};
use prooflight_core::{Error, Result};

use super::arena::{Arena, Loaded, Node, index, prefix};
use super::record::{NodeRecord, TreeRoot};
use crate::hash::Preimage;
use crate::params::{Digest, Label, Params};
use crate::tree::{Kind, NodeId};

/// A dictionary, and the store's id of every node.
pub(super) struct LoadedRevision {
    pub(super) arena: Arena,
    pub(super) ids: Vec<u64>,
}

/// The properties of a subtree that the checks need.
#[derive(Clone, Copy)]
struct Subtree {
    height: u32,
    /// The smallest key.
    first: u32,
}

/// Loads a revision. Every label, height, separator and neighbour is recomputed and compared.
pub(super) fn load(store: &impl Read, root: &TreeRoot, params: &Params) -> Result<LoadedRevision> {
    let mut loader = Loader {
        store,
        params,
        loaded: Loaded::default(),
        labels: Vec::new(),
        subtrees: Vec::new(),
        ids: Vec::new(),
        next_key: None,
    };
    let top = loader.load(root.id)?;
    loader.finish(top, root)
}

struct Loader<'s, S> {
    store: &'s S,
    params: &'s Params,
    loaded: Loaded,
    labels: Vec<Label>,
    subtrees: Vec<Subtree>,
    ids: Vec<u64>,
    /// The next key of the previously loaded leaf; the next leaf must have this key.
    next_key: Option<Vec<u8>>,
}

/// The remaining work, in post-order.
enum Step {
    Enter { id: u64, depth: usize },
    Leave { id: u64, record: Vec<u8> },
}

impl<S: Read> Loader<'_, S> {
    fn load(&mut self, root_id: u64) -> Result<NodeId> {
        let mut pending = vec![Step::Enter { id: root_id, depth: 0 }];
        let mut done: Vec<NodeId> = Vec::new();
        while let Some(step) = pending.pop() {
            match step {
                Step::Enter { id, depth } => {
                    if depth > 255 {
                        return Err(corrupt("a tree of at most 255 levels", "more"));
                    }
                    let record = require_node(self.store, id)?;
                    match self.decode(id, &record)? {
                        NodeRecord::Leaf { key, next_key, value } => {
                            let node = self.leaf(id, key, next_key, value)?;
                            done.push(node);
                        }
                        NodeRecord::Internal { ids: [left, right], .. } => {
                            let depth = depth + 1;
                            pending.push(Step::Leave { id, record });
                            pending.push(Step::Enter { id: right, depth });
                            pending.push(Step::Enter { id: left, depth });
                        }
                    }
                }
                Step::Leave { id, record } => {
                    let (Some(right), Some(left)) = (done.pop(), done.pop()) else {
                        return Err(corrupt("two children", "fewer"));
                    };
                    let node = self.decode(id, &record)?;
                    let node = self.internal(id, &node, [left, right])?;
                    done.push(node);
                }
            }
        }
        done.pop().ok_or_else(|| corrupt("a root", "none"))
    }

    fn decode<'r>(&self, id: u64, record: &'r [u8]) -> Result<NodeRecord<'r>> {
        NodeRecord::decode(record, self.params.key_length).map_err(|error| {
            corrupt(format_args!("node {id}, {}", error.expected()), error.found())
        })
    }

    fn leaf(&mut self, id: u64, key: &[u8], next_key: &[u8], value: &[u8]) -> Result<NodeId> {
        let expected = match &self.next_key {
            Some(expected) => expected.clone(),
            None => vec![0; self.params.key_length],
        };
        if key != expected || key >= next_key {
            return Err(corrupt(
                format_args!("the leaf after the one before at node {id}"),
                "another leaf",
            ));
        }
        self.params.check_value(value.len()).map_err(|error| {
            corrupt(format_args!("node {id}, {}", error.expected()), error.found())
        })?;
        self.next_key = Some(next_key.to_vec());
        let first = index(self.loaded.keys.len())?;
        self.loaded.keys.push(key.into());
        let left = index(self.loaded.values.len())?;
        self.loaded.values.push(value.into());
        let node = Node {
            left,
            // The next leaf's key, or the upper sentinel after the last leaf.
            right: first + 1,
            key: first,
            prefix: 0,
            balance: 0,
            kind: Kind::Leaf,
        };
        let label = Preimage::Leaf { key, value, next_key }.label();
        self.push(id, node, label, Subtree { height: 0, first })
    }

    fn internal(
        &mut self,
        id: u64,
        record: &NodeRecord<'_>,
        [left, right]: [NodeId; 2],
    ) -> Result<NodeId> {
        let NodeRecord::Internal { balance, separator, labels, .. } = *record else {
            return Err(corrupt(format_args!("an internal node {id}"), "a leaf"));
        };
        let (below_left, below_right) =
            (self.subtrees[left as usize], self.subtrees[right as usize]);
        let difference = i64::from(below_right.height) - i64::from(below_left.height);
        if difference != i64::from(balance) || !(-1..=1).contains(&balance) {
            return Err(corrupt(format_args!("balance {difference} at node {id}"), balance));
        }
        if *self.loaded.keys[below_right.first as usize] != *separator {
            return Err(corrupt(format_args!("its smallest right key at node {id}"), "another"));
        }
        if [self.labels[left as usize], self.labels[right as usize]] != labels {
            return Err(corrupt(format_args!("its children's labels at node {id}"), "others"));
        }
        let node = Node {
            left,
            right,
            key: below_right.first,
            prefix: prefix(separator),
            balance,
            kind: Kind::Internal,
        };
        let height = below_left.height.max(below_right.height) + 1;
        let label = Preimage::Internal { balance, left: &labels[0], right: &labels[1] }.label();
        self.push(id, node, label, Subtree { height, first: below_left.first })
    }

    fn push(&mut self, id: u64, node: Node, label: Label, subtree: Subtree) -> Result<NodeId> {
        let at = index(self.loaded.nodes.len())?;
        self.loaded.nodes.push(node);
        self.labels.push(label);
        self.subtrees.push(subtree);
        self.ids.push(id);
        Ok(at)
    }

    fn finish(mut self, top: NodeId, root: &TreeRoot) -> Result<LoadedRevision> {
        let last = vec![0xff; self.params.key_length];
        if self.next_key.as_ref() != Some(&last) {
            return Err(corrupt("the upper sentinel after the last leaf", "another key"));
        }
        self.loaded.keys.push(last.into_boxed_slice());
        let height = u8::try_from(self.subtrees[top as usize].height)
            .map_err(|_| -> Error { corrupt("a height of at most 255", "more") })?;
        let found = Digest::new(&self.labels[top as usize], height);
        let expected = root.digest();
        if found != expected {
            return Err(corrupt(format_args!("digest {expected}"), found));
        }
        let arena = Arena::from_loaded(self.loaded, self.labels, top, height);
        Ok(LoadedRevision { arena, ids: self.ids })
    }
}

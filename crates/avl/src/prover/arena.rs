//! A whole dictionary in memory: nodes, keys and values in slabs, addressed by index.

use core::cmp::Ordering;
use core::fmt;
use core::mem::take;
use std::collections::HashMap;

use prooflight_core::{Error, Reason, Result};

use crate::hash::LabelPreimage;
use crate::params::{Digest, Label, Params};
use crate::tree::{NodeId, NodeKind};

/// The index of a key in its slab.
pub(super) type KeyId = u32;
/// The index of a value in its slab.
pub(super) type ValueId = u32;

/// A node without its label, small enough that a search touches one cache line per level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The left child; for a leaf, its value.
    pub(super) left: u32,
    /// The right child; for a leaf, the next key.
    pub(super) right: u32,
    /// The separator, that is, the smallest key on the right; for a leaf, its key.
    pub(super) key: KeyId,
    /// The first eight bytes of the key, which nearly always decide a comparison.
    pub(super) prefix: u64,
    pub(super) balance: i8,
    pub(super) kind: NodeKind,
}

/// The dictionary of an [`AvlProver`](super::AvlProver).
#[derive(Clone)]
pub(super) struct Arena {
    nodes: Slab<Node>,
    labels: Vec<Label>,
    keys: Slab<Box<[u8]>>,
    values: Slab<Box<[u8]>>,
    root: NodeId,
    height: u8,
}

/// The changes of a batch. Indices past the end of the arena refer to the vectors here.
pub(super) struct BatchChanges {
    pub(super) nodes: Vec<Node>,
    pub(super) labels: Vec<Label>,
    pub(super) keys: Vec<Box<[u8]>>,
    pub(super) values: Vec<Box<[u8]>>,
    /// The new nodes that belong to the new tree, children first.
    pub(super) live: Vec<NodeId>,
    pub(super) dead_nodes: Vec<NodeId>,
    pub(super) dead_keys: Vec<KeyId>,
    pub(super) dead_values: Vec<ValueId>,
    pub(super) root: NodeId,
    pub(super) root_label: Label,
    pub(super) height: u8,
}

impl BatchChanges {
    pub(super) fn digest(&self) -> Digest {
        Digest::new(&self.root_label, self.height)
    }

    pub(super) fn node<'c>(&'c self, node: NodeId, arena: &'c Arena) -> &'c Node {
        pick(&self.nodes, node, &arena.nodes.items)
    }

    pub(super) fn label<'c>(&'c self, node: NodeId, arena: &'c Arena) -> &'c Label {
        pick(&self.labels, node, &arena.labels)
    }

    pub(super) fn key<'c>(&'c self, key: KeyId, arena: &'c Arena) -> &'c [u8] {
        match (key as usize).checked_sub(arena.keys.items.len()) {
            Some(at) => &self.keys[at],
            None => arena.key(key),
        }
    }

    pub(super) fn value<'c>(&'c self, value: ValueId, arena: &'c Arena) -> &'c [u8] {
        match (value as usize).checked_sub(arena.values.items.len()) {
            Some(at) => &self.values[at],
            None => arena.value(value),
        }
    }
}

/// Returns the item at an index: of the dictionary, or, past its end, of the batch.
fn pick<'c, T>(new: &'c [T], index: u32, old: &'c [T]) -> &'c T {
    match (index as usize).checked_sub(old.len()) {
        Some(at) => &new[at],
        None => &old[index as usize],
    }
}

/// The slabs of a dictionary read from a store.
#[derive(Default)]
pub(super) struct ArenaSlabs {
    pub(super) nodes: Vec<Node>,
    pub(super) keys: Vec<Box<[u8]>>,
    pub(super) values: Vec<Box<[u8]>>,
}

impl Arena {
    /// Creates the empty dictionary: one leaf from the lower sentinel to the upper one.
    pub(super) fn new(params: &Params) -> Self {
        let first = vec![0; params.key_length].into_boxed_slice();
        let last = vec![0xff; params.key_length].into_boxed_slice();
        let value = vec![0; params.value_length.unwrap_or(0)].into_boxed_slice();
        let label = LabelPreimage::Leaf { key: &first, value: &value, next_key: &last }.label();
        let leaf = Node { left: 0, right: 1, key: 0, prefix: 0, balance: 0, kind: NodeKind::Leaf };
        Self {
            nodes: Slab::new(vec![leaf]),
            labels: vec![label],
            keys: Slab::new(vec![first, last]),
            values: Slab::new(vec![value]),
            root: 0,
            height: 0,
        }
    }

    pub(super) fn from_slabs(
        loaded: ArenaSlabs,
        labels: Vec<Label>,
        root: NodeId,
        height: u8,
    ) -> Self {
        Self {
            nodes: Slab::new(loaded.nodes),
            labels,
            keys: Slab::new(loaded.keys),
            values: Slab::new(loaded.values),
            root,
            height,
        }
    }

    pub(super) fn digest(&self) -> Digest {
        Digest::new(&self.labels[self.root as usize], self.height)
    }

    pub(super) const fn root(&self) -> NodeId {
        self.root
    }

    pub(super) const fn height(&self) -> u8 {
        self.height
    }

    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes.items[node as usize]
    }

    pub(super) fn label(&self, node: NodeId) -> &Label {
        &self.labels[node as usize]
    }

    pub(super) fn key(&self, key: KeyId) -> &[u8] {
        &self.keys.items[key as usize]
    }

    pub(super) fn value(&self, value: ValueId) -> &[u8] {
        &self.values.items[value as usize]
    }

    /// Returns the first index past the arena for nodes, keys and values.
    pub(super) fn ends(&self) -> (usize, usize, usize) {
        (self.nodes.items.len(), self.keys.items.len(), self.values.items.len())
    }

    /// The number of nodes of the tree.
    #[cfg(feature = "chain")]
    pub(super) const fn live(&self) -> usize {
        self.nodes.items.len() - self.nodes.free.len()
    }

    /// The nodes that are not in the tree.
    #[cfg(feature = "chain")]
    pub(super) fn free(&self) -> &[NodeId] {
        &self.nodes.free
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let prefix = prefix(key);
        let mut node = self.node(self.root);
        while node.kind == NodeKind::Internal {
            let ordering = prefix.cmp(&node.prefix).then_with(|| key.cmp(self.key(node.key)));
            node = self.node(if ordering == Ordering::Less { node.left } else { node.right });
        }
        let first = self.key(node.key);
        (first == key && !is_sentinel(first)).then(|| self.value(node.left))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut pending = vec![self.root];
        core::iter::from_fn(move || {
            loop {
                let node = self.node(pending.pop()?);
                match node.kind {
                    NodeKind::Internal => pending.extend([node.right, node.left]),
                    NodeKind::Leaf => {
                        let key = self.key(node.key);
                        if !is_sentinel(key) {
                            return Some((key, self.value(node.left)));
                        }
                    }
                    NodeKind::Label => {}
                }
            }
        })
    }

    /// Applies the changes of a batch; returns the indices of its live nodes, in their order.
    pub(super) fn commit(&mut self, mut changes: BatchChanges) -> Result<Vec<NodeId>> {
        let (first_node, first_key, first_value) = self.ends();
        for &dead in &changes.dead_nodes {
            self.nodes.free.push(dead);
        }
        for &dead in &changes.dead_keys {
            self.keys.release(dead);
        }
        for &dead in &changes.dead_values {
            self.values.release(dead);
        }
        let mut moved_nodes = vec![0; changes.nodes.len()];
        let mut moved_keys = HashMap::new();
        let mut moved_values = HashMap::new();
        for &id in &changes.live {
            let at = id as usize - first_node;
            let mut node = changes.nodes[at];
            let mut key = |keys: &mut Slab<Box<[u8]>>, id: KeyId| match (id as usize)
                .checked_sub(first_key)
            {
                None => Ok(id),
                Some(at) => match moved_keys.get(&at) {
                    Some(&id) => Ok(id),
                    None => keys.insert(take(&mut changes.keys[at])).inspect(|&id| {
                        moved_keys.insert(at, id);
                    }),
                },
            };
            node.key = key(&mut self.keys, node.key)?;
            if node.kind == NodeKind::Leaf {
                node.right = key(&mut self.keys, node.right)?;
                if let Some(at) = (node.left as usize).checked_sub(first_value) {
                    node.left = match moved_values.get(&at) {
                        Some(&id) => id,
                        None => self.values.insert(take(&mut changes.values[at]))?,
                    };
                    moved_values.insert(at, node.left);
                }
            } else {
                for child in [&mut node.left, &mut node.right] {
                    if let Some(at) = (*child as usize).checked_sub(first_node) {
                        *child = moved_nodes[at];
                    }
                }
            }
            let moved = self.nodes.insert(node)?;
            if moved as usize == self.labels.len() {
                self.labels.push(changes.labels[at]);
            } else {
                self.labels[moved as usize] = changes.labels[at];
            }
            moved_nodes[at] = moved;
        }
        self.root = match (changes.root as usize).checked_sub(first_node) {
            Some(at) => moved_nodes[at],
            None => changes.root,
        };
        self.height = changes.height;
        Ok(changes.live.iter().map(|&id| moved_nodes[id as usize - first_node]).collect())
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").field("digest", &self.digest()).finish_non_exhaustive()
    }
}

/// Items addressed by index. Freed indices are reused.
#[derive(Clone)]
struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    const fn new(items: Vec<T>) -> Self {
        Self { items, free: Vec::new() }
    }

    fn insert(&mut self, item: T) -> Result<u32> {
        if let Some(id) = self.free.pop() {
            self.items[id as usize] = item;
            return Ok(id);
        }
        let id = index(self.items.len())?;
        self.items.push(item);
        Ok(id)
    }
}

impl Slab<Box<[u8]>> {
    fn release(&mut self, id: u32) {
        self.items[id as usize] = Box::default();
        self.free.push(id);
    }
}

/// Returns the index of an item added at `length`; `dictionary_full` unless it is below 2^31.
pub(super) fn index(length: usize) -> Result<u32> {
    match u32::try_from(length) {
        Ok(index) if index < 1 << 31 => Ok(index),
        _ => Err(Error::new(Reason::DictionaryFull, "fewer than 2^31 nodes", length)),
    }
}

/// Returns the first eight bytes of a key as a big-endian integer, which compares as the bytes do.
pub(super) fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(key) {
        *to = *from;
    }
    u64::from_be_bytes(bytes)
}

fn is_sentinel(key: &[u8]) -> bool {
    key.iter().all(|&b| b == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_is_full_at_2_to_the_31() {
        assert_eq!(index((1 << 31) - 1), Ok((1 << 31) - 1));
        for length in [1 << 31, 1 << 32, usize::MAX] {
            assert_eq!(index(length).unwrap_err().reason(), Reason::DictionaryFull);
        }
    }
}

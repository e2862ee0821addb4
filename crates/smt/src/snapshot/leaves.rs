//! Every leaf of a block's tree, ascending by key hash.

use alloc::vec::Vec;

use prooflight_core::Error;

use super::nodes::{NodeRef, Nodes, Opened, Way};
use super::prove::with_bit;
use crate::hash::Hash;
use crate::prover::tree::Entry;

/// Walks a tree; ends early, with an error kept, at a node that cannot be read.
pub(super) struct Leaves<'n> {
    nodes: &'n Nodes,
    pending: Vec<(NodeRef, Option<u8>, Hash)>,
    pub(super) error: Option<Error>,
}

impl<'n> Leaves<'n> {
    pub(super) fn new(nodes: &'n Nodes, root: Option<NodeRef>) -> Self {
        let pending = root.map(|root| (root, None, [0; 32])).into_iter().collect();
        Self { nodes, pending, error: None }
    }
}

impl Iterator for Leaves<'_> {
    type Item = (Hash, Entry);

    fn next(&mut self) -> Option<(Hash, Entry)> {
        loop {
            let (node, parent, prefix) = self.pending.pop()?;
            match self.nodes.open(&node, Way { prefix: &prefix, parent }) {
                Ok(Opened::Branch { depth, children: [left, right] }) => {
                    self.pending.push((right, Some(depth), with_bit(prefix, depth)));
                    self.pending.push((left, Some(depth), prefix));
                }
                Ok(Opened::Leaf { key_hash, value_hash, .. }) => {
                    return Some((key_hash, Entry { version: node.version, value_hash }));
                }
                Err(error) => {
                    self.error = Some(error);
                    self.pending.clear();
                }
            }
        }
    }
}

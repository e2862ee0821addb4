//! The branches above pages, in memory, shared by the states that have them.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use crate::hash::NodeRecord;

/// A node above the pages, or a page, with its record.
#[derive(Clone, Debug)]
pub(super) struct TopChild {
    pub(super) record: NodeRecord,
    pub(super) node: TopNode,
}

#[derive(Clone, Debug)]
pub(super) enum TopNode {
    Empty,
    /// A page, by its first key.
    Page(Arc<[u8]>),
    Branch(Arc<TopBranch>),
}

#[derive(Debug)]
pub(super) struct TopBranch {
    pub(super) depth: usize,
    /// The key of an entry below it.
    pub(super) key: Arc<[u8]>,
    pub(super) children: [TopChild; 2],
}

impl TopChild {
    /// The empty tree.
    pub(super) const EMPTY: Self = Self { record: NodeRecord::EMPTY, node: TopNode::Empty };

    /// The key of an entry of the node; empty without entries.
    pub(super) fn key(&self) -> &[u8] {
        match &self.node {
            TopNode::Empty => &[],
            TopNode::Page(key) => key,
            TopNode::Branch(branch) => &branch.key,
        }
    }

    /// The same key, shared.
    pub(super) fn shared_key(&self) -> Arc<[u8]> {
        match &self.node {
            TopNode::Empty => Arc::default(),
            TopNode::Page(key) => key.clone(),
            TopNode::Branch(branch) => branch.key.clone(),
        }
    }
}

impl TopBranch {
    fn take_children(&mut self) -> [TopNode; 2] {
        self.children.each_mut().map(|child| mem::replace(&mut child.node, TopNode::Empty))
    }
}

impl Drop for TopBranch {
    /// Drops the branches below one after the other: hostile keys make a tree of 2,304 levels.
    fn drop(&mut self) {
        let mut below = Vec::from(self.take_children());
        while let Some(node) = below.pop() {
            if let TopNode::Branch(branch) = node
                && let Some(mut branch) = Arc::into_inner(branch)
            {
                below.extend(branch.take_children());
            }
        }
    }
}

//! The branches above pages, in memory, shared by the states that have them.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use crate::hash::Record;

/// A node above the pages, or a page, with its record.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) record: Record,
    pub(super) node: Node,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Empty,
    /// A page, by its first key.
    Page(Arc<[u8]>),
    Branch(Arc<Branch>),
}

#[derive(Debug)]
pub(super) struct Branch {
    pub(super) depth: usize,
    /// The key of an entry below it.
    pub(super) key: Arc<[u8]>,
    pub(super) children: [Child; 2],
}

impl Child {
    /// The empty tree.
    pub(super) const EMPTY: Self = Self { record: Record::EMPTY, node: Node::Empty };

    /// The key of an entry of the node; empty without entries.
    pub(super) fn key(&self) -> &[u8] {
        match &self.node {
            Node::Empty => &[],
            Node::Page(key) => key,
            Node::Branch(branch) => &branch.key,
        }
    }

    /// The same key, shared.
    pub(super) fn shared_key(&self) -> Arc<[u8]> {
        match &self.node {
            Node::Empty => Arc::default(),
            Node::Page(key) => key.clone(),
            Node::Branch(branch) => branch.key.clone(),
        }
    }
}

impl Branch {
    fn take(&mut self) -> [Node; 2] {
        self.children.each_mut().map(|child| mem::replace(&mut child.node, Node::Empty))
    }
}

impl Drop for Branch {
    /// Drops the branches below one after the other: hostile keys make a tree of 2,304 levels.
    fn drop(&mut self) {
        let mut below = Vec::from(self.take());
        while let Some(node) = below.pop() {
            if let Node::Branch(branch) = node
                && let Some(mut branch) = Arc::into_inner(branch)
            {
                below.extend(branch.take());
            }
        }
    }
}

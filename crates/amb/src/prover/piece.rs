//! What a tree is built from: entries, and unchanged nodes.

use super::entry::PageEntry;
use super::top::TopChild;
use crate::hash::NodeRecord;

/// A node in a list that is sorted by key.
pub(super) trait KeyedNode {
    /// A key of the node.
    fn key(&self) -> &[u8];

    /// The entry, or the record of an unchanged node.
    fn entry(&self) -> Result<&PageEntry<'_>, &NodeRecord>;
}

/// A part of a changed tree.
#[derive(Debug)]
pub(super) enum TreePiece<'p> {
    /// A page or a branch above pages, unchanged.
    Node(TopChild),
    Entry(PageEntry<'p>),
}

impl KeyedNode for TreePiece<'_> {
    fn key(&self) -> &[u8] {
        match self {
            Self::Node(child) => child.key(),
            Self::Entry(entry) => entry.key(),
        }
    }

    fn entry(&self) -> Result<&PageEntry<'_>, &NodeRecord> {
        match self {
            Self::Node(child) => Err(&child.record),
            Self::Entry(entry) => Ok(entry),
        }
    }
}

impl KeyedNode for PageEntry<'_> {
    fn key(&self) -> &[u8] {
        &self.key
    }

    fn entry(&self) -> Result<&PageEntry<'_>, &NodeRecord> {
        Ok(self)
    }
}

//! What a tree is built of: entries, and nodes that stay as they are.

use super::entry::Entry;
use super::top::Child;
use crate::hash::Record;

/// A node, next to others in the order of their keys.
pub(super) trait Item {
    /// A key of the node.
    fn key(&self) -> &[u8];

    /// The entry that it is, or the record of a node that stays as it is.
    fn entry(&self) -> Result<&Entry<'_>, &Record>;
}

/// A part of a changed tree.
#[derive(Debug)]
pub(super) enum Piece<'p> {
    /// A page or a branch above pages, as it was.
    Node(Child),
    Entry(Entry<'p>),
}

impl Item for Piece<'_> {
    fn key(&self) -> &[u8] {
        match self {
            Self::Node(child) => child.key(),
            Self::Entry(entry) => entry.key(),
        }
    }

    fn entry(&self) -> Result<&Entry<'_>, &Record> {
        match self {
            Self::Node(child) => Err(&child.record),
            Self::Entry(entry) => Ok(entry),
        }
    }
}

impl Item for Entry<'_> {
    fn key(&self) -> &[u8] {
        &self.key
    }

    fn entry(&self) -> Result<&Entry<'_>, &Record> {
        Ok(self)
    }
}

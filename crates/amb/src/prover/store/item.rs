//! What a tree is built from: entries, and unchanged nodes.

use super::entry::Entry;
use super::top::Child;
use crate::hash::Record;

/// A node in a list that is sorted by key.
pub(super) trait Item {
    /// A key of the node.
    fn key(&self) -> &[u8];

    /// The entry, or the record of an unchanged node.
    fn entry(&self) -> Result<&Entry<'_>, &Record>;
}

/// A part of a changed tree.
#[derive(Debug)]
pub(super) enum Piece<'p> {
    /// A page or a branch above pages, unchanged.
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

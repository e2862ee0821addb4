//! References to nodes: what a link of a file becomes when it is read.

use prooflight_core::Hash;

use super::header::FileHeader;
use super::link::{FileLink, NodeLocation};
use crate::tree::NodeKind;

/// A reference to a node that has not been read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeRef {
    pub(crate) kind: NodeKind,
    pub(crate) height: u64,
    pub(crate) hash: Hash,
    /// Its position in the file that covers its height, if known.
    pub(crate) at: Option<NodePosition>,
}

/// The position of a node in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodePosition {
    /// Where its cluster begins, relative to the first cluster; for a leaf, where its record
    /// begins.
    pub(crate) offset: u64,
    /// The index of the branch in its cluster.
    pub(crate) branch: u8,
}

impl NodeRef {
    /// Resolves a link of this file; `None` if there is no such node.
    pub(crate) fn new(header: &FileHeader, link: FileLink, hash: Hash) -> Option<Self> {
        let FileLink { kind, place } = link;
        let at = match place {
            NodeLocation::SameFile { at, .. } => Some(NodePosition { offset: at, branch: 0 }),
            NodeLocation::OtherFile { .. } => None,
        };
        Some(Self { kind, height: header.height(place)?, hash, at })
    }
}

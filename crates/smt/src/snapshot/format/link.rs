//! A branch's link to a child, in 8 bytes beside the hash: the child's kind and location.

use crate::tree::NodeKind;

/// Positions take 36 bits: files are shorter than 64 GiB.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 36;
/// Ages take 16 bits, which limits the number of blocks that share a file.
pub(crate) const MAX_BLOCKS_PER_FILE: u64 = 1 << 16;

/// The root word of a file whose newest block has an empty tree.
pub(crate) const NO_ROOT: u64 = u64::MAX;

const BRANCH_KIND: u64 = 0;
const LEAF_KIND: u64 = 1;
const TOMBSTONE_KIND: u64 = 2;
const KIND_SHIFT: u32 = 8;
const SAME_FILE_BIT: u64 = 1 << 10;
const VALUE_SHIFT: u32 = 12;
const AGE_SHIFT: u32 = 48;

/// The kind and location of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileLink {
    pub(crate) kind: NodeKind,
    pub(crate) place: NodeLocation,
}

/// The location of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeLocation {
    /// In the same file.
    SameFile {
        /// The file's newest block minus the node's height.
        age: u64,
        /// For a branch, where its cluster begins, relative to the first cluster; for a leaf, where
        /// its record begins in the file.
        at: u64,
    },
    /// In the file that covers this height, on the path of the same key hash.
    OtherFile {
        /// The node's height.
        height: u64,
    },
}

impl FileLink {
    /// Packs the link into 8 bytes: the kind in bits 8 and 9, whether the node is in the same file
    /// in bit 10, and from bit 12 the height, or the position (36 bits) and the age. All other bits
    /// are zero.
    pub(crate) fn pack(self) -> u64 {
        let kind = match self.kind {
            NodeKind::Branch => BRANCH_KIND,
            NodeKind::Leaf => LEAF_KIND,
            NodeKind::Tombstone => TOMBSTONE_KIND,
        };
        let place = match self.place {
            NodeLocation::SameFile { age, at } => {
                SAME_FILE_BIT | at << VALUE_SHIFT | age << AGE_SHIFT
            }
            NodeLocation::OtherFile { height } => height << VALUE_SHIFT,
        };
        kind << KIND_SHIFT | place
    }

    /// Unpacks a link; `None` if `word` is not the packed form of any link.
    pub(crate) fn unpack(word: u64) -> Option<Self> {
        let kind = match word >> KIND_SHIFT & 3 {
            BRANCH_KIND => NodeKind::Branch,
            LEAF_KIND => NodeKind::Leaf,
            TOMBSTONE_KIND => NodeKind::Tombstone,
            _ => return None,
        };
        let place = if word & SAME_FILE_BIT == 0 {
            NodeLocation::OtherFile { height: word >> VALUE_SHIFT }
        } else {
            NodeLocation::SameFile {
                age: word >> AGE_SHIFT,
                at: word >> VALUE_SHIFT & (MAX_FILE_BYTES - 1),
            }
        };
        let link = Self { kind, place };
        (link.pack() == word).then_some(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_what_was_packed() {
        let here = |age, at| NodeLocation::SameFile { age, at };
        let there = |height| NodeLocation::OtherFile { height };
        for kind in [NodeKind::Branch, NodeKind::Leaf, NodeKind::Tombstone] {
            for place in [
                here(0, 0),
                here(MAX_BLOCKS_PER_FILE - 1, MAX_FILE_BYTES - 1),
                there(0),
                there(crate::hash::MAX_HEIGHT),
            ] {
                let link = FileLink { kind, place };
                assert_eq!(FileLink::unpack(link.pack()), Some(link));
            }
        }
        assert_eq!(FileLink::unpack(NO_ROOT), None);
        assert_eq!(FileLink::unpack(3 << KIND_SHIFT), None);
        for bit in (0..8).chain([11]) {
            assert_eq!(FileLink::unpack(1 << bit), None);
        }
    }
}

//! A branch's link to a child, in 8 bytes beside the hash: the child's kind and location.

use crate::tree::Kind;

/// Positions take 36 bits: files are shorter than 64 GiB.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 36;
/// Ages take 16 bits, which limits the number of blocks that share a file.
pub(super) const MAX_BLOCKS_PER_FILE: u64 = 1 << 16;

/// The root word of a file whose newest block has an empty tree.
pub(super) const NO_ROOT: u64 = u64::MAX;

const BRANCH: u64 = 0;
const LEAF: u64 = 1;
const TOMBSTONE: u64 = 2;
const KIND_AT: u32 = 8;
const HERE: u64 = 1 << 10;
const VALUE_AT: u32 = 12;
const AGE_AT: u32 = 48;

/// The kind and location of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) kind: Kind,
    pub(super) place: Place,
}

/// The location of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the same file.
    Here {
        /// The file's newest block minus the node's height.
        age: u64,
        /// For a branch, where its cluster begins, relative to the first cluster; for a leaf, where
        /// its record begins in the file.
        at: u64,
    },
    /// In the file that covers this height, on the path of the same key hash.
    There {
        /// The node's height.
        height: u64,
    },
}

impl Link {
    /// Packs the link into 8 bytes: the kind in bits 8 and 9, whether the node is in the same file
    /// in bit 10, and from bit 12 the height, or the position (36 bits) and the age. All other bits
    /// are zero.
    pub(super) fn pack(self) -> u64 {
        let kind = match self.kind {
            Kind::Branch => BRANCH,
            Kind::Leaf => LEAF,
            Kind::Tombstone => TOMBSTONE,
        };
        let place = match self.place {
            Place::Here { age, at } => HERE | at << VALUE_AT | age << AGE_AT,
            Place::There { height } => height << VALUE_AT,
        };
        kind << KIND_AT | place
    }

    /// Unpacks a link; `None` if `word` is not the packed form of any link.
    pub(super) fn unpack(word: u64) -> Option<Self> {
        let kind = match word >> KIND_AT & 3 {
            BRANCH => Kind::Branch,
            LEAF => Kind::Leaf,
            TOMBSTONE => Kind::Tombstone,
            _ => return None,
        };
        let place = if word & HERE == 0 {
            Place::There { height: word >> VALUE_AT }
        } else {
            Place::Here { age: word >> AGE_AT, at: word >> VALUE_AT & (MAX_FILE_BYTES - 1) }
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
        let here = |age, at| Place::Here { age, at };
        let there = |height| Place::There { height };
        for kind in [Kind::Branch, Kind::Leaf, Kind::Tombstone] {
            for place in [
                here(0, 0),
                here(MAX_BLOCKS_PER_FILE - 1, MAX_FILE_BYTES - 1),
                there(0),
                there(crate::hash::MAX_HEIGHT),
            ] {
                let link = Link { kind, place };
                assert_eq!(Link::unpack(link.pack()), Some(link));
            }
        }
        assert_eq!(Link::unpack(NO_ROOT), None);
        assert_eq!(Link::unpack(3 << KIND_AT), None);
        for bit in (0..8).chain([11]) {
            assert_eq!(Link::unpack(1 << bit), None);
        }
    }
}

//! A node of a layer in memory. It never changes, and layers share it.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_core::{Hash, keccak256};
use prooflight_mpt::encode;

/// Nodes of at least this many bytes are outside their parent, which holds their hash.
pub(super) const MIN_HASHED_BYTES: usize = 32;

/// A node with the reference by which its parent encodes it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) reference: NodeReference,
    pub(super) kind: NodeKind,
}

#[derive(Debug)]
pub(super) enum NodeKind {
    /// A key with its leaf value.
    Leaf { key: Hash, value: Arc<[u8]> },
    /// A branch, and the extension in front of it if nibbles are skipped.
    Branch {
        /// The nibbles of the extension, one per byte.
        skipped: Box<[u8]>,
        /// Bit n is set if nibble n has a child.
        occupied: u16,
        /// The children, by nibble.
        children: Box<[Arc<Node>]>,
    },
}

impl Node {
    /// A leaf of which `depth` nibbles are above it.
    pub(super) fn leaf(key: Hash, value: Arc<[u8]>, depth: usize) -> Arc<Self> {
        let reference = NodeReference::to(&leaf_rlp(&key, &value, depth));
        Arc::new(Self { reference, kind: NodeKind::Leaf { key, value } })
    }

    /// A branch behind `skipped`, with children in the order of their nibbles.
    pub(super) fn branch(skipped: &[u8], occupied: u16, children: Box<[Arc<Self>]>) -> Arc<Self> {
        let branch = NodeReference::to(&branch_rlp(occupied, &children));
        let reference = if skipped.is_empty() {
            branch
        } else {
            NodeReference::to(&extension_rlp(skipped, &branch))
        };
        let skipped = skipped.into();
        Arc::new(Self { reference, kind: NodeKind::Branch { skipped, occupied, children } })
    }

    /// The RLP of the node, and that of the branch behind it if it is an extension.
    pub(super) fn rlp(&self, depth: usize) -> (Vec<u8>, Option<Vec<u8>>) {
        match &self.kind {
            NodeKind::Leaf { key, value } => (leaf_rlp(key, value, depth), None),
            NodeKind::Branch { skipped, occupied, children } => {
                let branch = branch_rlp(*occupied, children);
                if skipped.is_empty() {
                    return (branch, None);
                }
                (extension_rlp(skipped, &NodeReference::to(&branch)), Some(branch))
            }
        }
    }

    /// The hash of the node as a root.
    pub(super) fn root(&self) -> Hash {
        self.reference.hash().unwrap_or_else(|| keccak256(&[self.reference.as_bytes()]))
    }

    /// The child at a nibble; `None` if absent, or for a leaf.
    pub(super) fn child(&self, nibble: u8) -> Option<&Arc<Self>> {
        let NodeKind::Branch { occupied, children, .. } = &self.kind else { return None };
        let bit = 1_u16.checked_shl(nibble.into())?;
        if occupied & bit == 0 {
            return None;
        }
        let before = (occupied & (bit - 1)).count_ones();
        children.get(usize::try_from(before).ok()?)
    }
}

/// A reference to a node as its parent encodes it: RLP of a hash, or a node of less than 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeReference {
    length: u8,
    bytes: [u8; 33],
}

impl NodeReference {
    fn to(rlp: &[u8]) -> Self {
        let mut bytes = [0; 33];
        match bytes.get_mut(..rlp.len()) {
            Some(own) if rlp.len() < MIN_HASHED_BYTES => own.copy_from_slice(rlp),
            _ => {
                let (header, hash) = bytes.split_at_mut(1);
                header.copy_from_slice(&[0x80 + 32]);
                hash.copy_from_slice(&keccak256(&[rlp]));
                return Self { length: 33, bytes };
            }
        }
        Self { length: u8::try_from(rlp.len()).unwrap_or(0), bytes }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length.into()).unwrap_or_default()
    }

    fn hash(&self) -> Option<Hash> {
        let (_, hash) = self.bytes.split_last_chunk()?;
        (self.length == 33).then_some(*hash)
    }
}

/// The nibble of a key at a position.
pub(super) fn nibble(key: &Hash, at: usize) -> u8 {
    let byte = key.get(at / 2).copied().unwrap_or(0);
    if at.is_multiple_of(2) { byte >> 4 } else { byte & 0x0f }
}

fn leaf_rlp(key: &Hash, value: &[u8], depth: usize) -> Vec<u8> {
    let path: Vec<u8> = (depth..2 * key.len()).map(|at| nibble(key, at)).collect();
    encode::list_of(&[encode::path(&path, true), encode::string(value)].concat())
}

fn extension_rlp(skipped: &[u8], branch: &NodeReference) -> Vec<u8> {
    encode::list_of(&[&encode::path(skipped, false), branch.as_bytes()].concat())
}

fn branch_rlp(occupied: u16, children: &[Arc<Node>]) -> Vec<u8> {
    let mut items = Vec::with_capacity(17 + 33 * children.len());
    let mut children = children.iter();
    for nibble in 0..16 {
        let child = if occupied & 1 << nibble == 0 { None } else { children.next() };
        items.extend_from_slice(child.map_or(&[0x80][..], |child| child.reference.as_bytes()));
    }
    // Every key has 64 nibbles, so none ends at a branch.
    items.push(0x80);
    encode::list_of(&items)
}

//! The wire format: a part of a tree as a stream of bytes.
//!
//! A part of a tree is its opened nodes, each before its children, the left child before the right one.
//! The set of opened children follows from the question and is not encoded: in a proof of keys those
//! that a key leads to, in a diff those newer than its first block. The hashes of closed children
//! directly follow their branch.
//!
//! ```text
//! part   = age of the root || node
//! node   = branch || the hash of each closed child[32] || the node of each opened child
//!        | 00 || leaf
//! branch = depth minus the parent's as u8, not 0; for the root, depth + 1 || tilt
//! ```
//!
//! An age is the block's height minus a node's. A tilt t is the left child's height minus the right
//! one's, encoded as zigzag: 2t for t >= 0, -2t - 1 for t < 0. The newer child has the branch's height,
//! so the tilt gives both heights. Every integer is a LEB128 in its shortest form of at most 8 bytes.
//!
//! Bodies, each in the envelope of its kind:
//!
//! * [`PROOF_ENVELOPE`] (1): a part, whose leaves are [`ProofLeaf`]s; empty for the empty tree.
//! * [`HISTORY_ENVELOPE`] (2): for each needed block, newest first, a body of kind 1 for the single key.
//! * [`DIFF_ENVELOPE`] (3): a part, whose leaves are [`DiffLeaf`]s; empty for the empty tree.

use alloc::vec::Vec;
use prooflight_core::{
    ByteReader, Envelope, Error, Hash, Limits, Reason, Result, Scheme, envelope, write_integer,
};

/// The envelope of a proof of one or many keys at one block.
pub const PROOF_ENVELOPE: Envelope = Envelope { scheme: Scheme::Smt, kind: 1 };
/// The envelope of a key's history.
pub const HISTORY_ENVELOPE: Envelope = Envelope { scheme: Scheme::Smt, kind: 2 };
/// The envelope of the keys changed between two blocks.
pub const DIFF_ENVELOPE: Envelope = Envelope { scheme: Scheme::Smt, kind: 3 };

/// A leaf of a proof of keys: the keys that lead to it end here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofLeaf<'a> {
    /// `00 || index || length || value`: the live leaf of a requested key.
    Live {
        /// The key's index among those that end here, ascending by their hashes, from 0.
        index: u64,
        /// The key's value.
        value: &'a [u8],
    },
    /// `01 || index`: the tombstone of a requested key.
    Deleted {
        /// The key's index among those that end here, ascending by their hashes, from 0.
        index: u64,
    },
    /// `02 || key hash[32] || value hash[32]`: the live leaf of another key.
    OtherLive {
        /// The other key's hash.
        key_hash: &'a Hash,
        /// The other value's hash.
        value_hash: &'a Hash,
    },
    /// `03 || key hash[32]`: the tombstone of another key.
    OtherDeleted {
        /// The other key's hash.
        key_hash: &'a Hash,
    },
}

/// A leaf of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLeaf<'a> {
    /// `00 || length || key || length || value`: the key has this value.
    Live {
        /// The key itself.
        key: &'a [u8],
        /// Its value.
        value: &'a [u8],
    },
    /// `01 || length || key`: the key is deleted.
    Deleted {
        /// The key itself.
        key: &'a [u8],
    },
}

/// Writes a proof, a history or a diff, node by node.
#[derive(Clone, Debug)]
pub struct ProofWriter {
    bytes: Vec<u8>,
}

impl ProofWriter {
    /// Begins a message of this kind: [`PROOF_ENVELOPE`], [`HISTORY_ENVELOPE`] or [`DIFF_ENVELOPE`].
    pub fn new(kind: Envelope) -> Self {
        Self { bytes: Vec::from([envelope::ENVELOPE_VERSION, kind.scheme.id(), kind.kind]) }
    }

    /// Begins the part of a nonempty tree, that of the block at `height`; `of_root` is the height of its root
    /// node.
    pub fn root(&mut self, height: u64, of_root: u64) {
        self.integer(height.saturating_sub(of_root));
    }

    /// Writes a branch at `depth`; `parent` is the depth of the branch above, `None` for the root.
    ///
    /// Next come the hashes of its closed children, then its opened ones.
    pub fn branch(&mut self, parent: Option<u8>, depth: u8, left_height: u64, right_height: u64) {
        let further = parent.map_or(u16::from(depth) + 1, |parent| u16::from(depth - parent));
        // The increment is 256 only in a tree whose key hashes all agree in 255 bits, which does not occur.
        self.bytes.push(u8::try_from(further).unwrap_or(0));
        self.integer(if left_height >= right_height {
            2 * (left_height - right_height)
        } else {
            2 * (right_height - left_height) - 1
        });
    }

    /// Writes the hash of a closed child of the last branch.
    pub fn closed(&mut self, hash: &Hash) {
        self.bytes.extend_from_slice(hash);
    }

    /// Writes a leaf of a proof or a history.
    pub fn proof_leaf(&mut self, leaf: ProofLeaf<'_>) {
        self.bytes.push(LEAF_TAG);
        match leaf {
            ProofLeaf::Live { index, value } => {
                self.bytes.push(LIVE_FORM);
                self.integer(index);
                self.string(value);
            }
            ProofLeaf::Deleted { index } => {
                self.bytes.push(DELETED_FORM);
                self.integer(index);
            }
            ProofLeaf::OtherLive { key_hash, value_hash } => {
                self.bytes.push(OTHER_LIVE_FORM);
                self.bytes.extend_from_slice(key_hash);
                self.bytes.extend_from_slice(value_hash);
            }
            ProofLeaf::OtherDeleted { key_hash } => {
                self.bytes.push(OTHER_DELETED_FORM);
                self.bytes.extend_from_slice(key_hash);
            }
        }
    }

    /// Writes a leaf of a diff.
    pub fn diff_leaf(&mut self, leaf: DiffLeaf<'_>) {
        self.bytes.push(LEAF_TAG);
        match leaf {
            DiffLeaf::Live { key, value } => {
                self.bytes.push(LIVE_FORM);
                self.string(key);
                self.string(value);
            }
            DiffLeaf::Deleted { key } => {
                self.bytes.push(DELETED_FORM);
                self.string(key);
            }
        }
    }

    /// The number of bytes written so far.
    pub const fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The message.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    fn string(&mut self, bytes: &[u8]) {
        self.integer(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn integer(&mut self, integer: u64) {
        write_integer(integer, &mut self.bytes);
    }
}

/// The first byte of a leaf; a branch has its depth increment (1..=255) here.
const LEAF_TAG: u8 = 0;

const LIVE_FORM: u8 = 0;
const DELETED_FORM: u8 = 1;
const OTHER_LIVE_FORM: u8 = 2;
const OTHER_DELETED_FORM: u8 = 3;

/// The head of a node: its kind, and for a branch its shape.
pub(crate) enum NodeHead {
    /// The leaf follows.
    Leaf,
    /// A branch, with its depth increment.
    Branch { further: u8, tilt: Tilt },
}

/// The difference between the heights of a branch's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tilt {
    /// The side of the older child; the other one has the branch's height.
    pub(crate) older_side: usize,
    /// The difference, in blocks.
    pub(crate) by: u64,
}

/// Reads what [`ProofWriter`] writes, and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct ProofStream<'a> {
    reader: ByteReader<'a>,
    limits: Limits,
}

impl<'a> ProofStream<'a> {
    /// The body of a message of this kind.
    pub(crate) fn open(kind: Envelope, bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        let reader = ByteReader::new(kind.open(bytes, limits)?);
        Ok(Self { reader, limits: *limits })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.reader.rest().is_empty()
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.reader.finish()
    }

    #[inline]
    pub(crate) fn head(&mut self) -> Result<NodeHead> {
        Ok(match self.reader.u8()? {
            LEAF_TAG => NodeHead::Leaf,
            further => {
                let tilt = self.integer()?;
                let older_side = usize::from(tilt % 2 == 0);
                NodeHead::Branch { further, tilt: Tilt { older_side, by: tilt.div_ceil(2) } }
            }
        })
    }

    #[inline]
    pub(crate) fn hash(&mut self) -> Result<&'a Hash> {
        let bytes = self.reader.take(32)?;
        bytes.first_chunk().ok_or_else(|| Error::new(Reason::Truncated, 32, bytes.len()))
    }

    pub(crate) fn proof_leaf(&mut self) -> Result<ProofLeaf<'a>> {
        Ok(match self.reader.u8()? {
            LIVE_FORM => ProofLeaf::Live { index: self.integer()?, value: self.value()? },
            DELETED_FORM => ProofLeaf::Deleted { index: self.integer()? },
            OTHER_LIVE_FORM => {
                ProofLeaf::OtherLive { key_hash: self.hash()?, value_hash: self.hash()? }
            }
            OTHER_DELETED_FORM => ProofLeaf::OtherDeleted { key_hash: self.hash()? },
            form => return Err(Error::new(Reason::InvalidEncoding, "a leaf's form, 0 to 3", form)),
        })
    }

    pub(crate) fn diff_leaf(&mut self) -> Result<DiffLeaf<'a>> {
        Ok(match self.reader.u8()? {
            LIVE_FORM => DiffLeaf::Live { key: self.key()?, value: self.value()? },
            DELETED_FORM => DiffLeaf::Deleted { key: self.key()? },
            form => return Err(Error::new(Reason::InvalidEncoding, "a leaf's form, 0 or 1", form)),
        })
    }

    /// A key, bounded only by the proof's length.
    fn key(&mut self) -> Result<&'a [u8]> {
        let length = self.integer()?;
        self.take(length)
    }

    fn value(&mut self) -> Result<&'a [u8]> {
        let length = self.integer()?;
        self.limits.check_value(length)?;
        self.take(length)
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        // A length beyond the address space is beyond the input, too.
        self.reader.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    #[inline]
    pub(crate) fn integer(&mut self) -> Result<u64> {
        self.reader.integer()
    }
}

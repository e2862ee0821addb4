//! The wire format of a proof: borsh in the envelope `lvmt`, kind 1.
//!
//! A proof holds only what the verifier cannot derive from the requested keys. Every list is in one fixed order
//! without labels; a missing, superfluous or misplaced element is refused.
//!
//! * The **distinct keys** are the hashes of the requested keys, ascending, each once.
//! * The **walk** of a key goes from level 0 down to the level of its slot; the walk of a key that was never
//!   written goes on for as long as the entry has five occupied slots and a child.
//! * The **entries** of a proof are those on the walks, each once, ascending by (level, first
//!   `log_n * (level + 1)` bits of the key hash).
//! * The **AMTs** of a proof are those at level 1 and below with such an entry, ascending by (level,
//!   prefix).
//!
//! Specified in `test-vectors/spec/lvmt.md`, section 4.

use alloc::vec::Vec;

use borsh::{BorshDeserialize, BorshSerialize};
use prooflight_core::{Envelope, Hash, Scheme};

/// The envelope of a proof.
pub const PROOF_ENVELOPE: Envelope = Envelope { scheme: Scheme::Lvmt, kind: 1 };

/// The slots of an entry that hold versions of keys; slot 0 holds the version of the child.
pub const KEY_SLOTS: u8 = 5;

/// A proof about one or many keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Proof {
    /// The claim about each distinct key, in key order.
    #[borsh(deserialize_with = "read_claims")]
    pub claims: Vec<Claim>,
    /// The entries on the walks, in the order of entries.
    pub entries: Vec<AmtEntry>,
    /// The AMTs at level 1 and below that the entries are in, in the order of AMTs.
    pub amts: Vec<ProofAmt>,
    /// The points of the openings of all entries, in the order of the entries.
    ///
    /// An entry of the root AMT, or of an AMT opened as a tree, has `log_n / log_arity` of them, the first level of
    /// the tree opening first; any other entry has one.
    pub points: Vec<[u8; 32]>,
    /// The owners of the occupied slots that a never-written key meets.
    ///
    /// In the order of the entries that the walks of such keys pass, and of an entry's occupied slots from 1
    /// to 5. Slots covered by a claim of this proof are omitted.
    pub owners: Vec<SlotOwner>,
    /// The number of leaves of each block's tree that has a leaf of the proof, ascending by block, each once.
    pub sizes: Vec<u32>,
    /// The hashes that complete the trees: the blocks' trees ascending, then the tree over blocks.
    ///
    /// Those of one tree are in the order of `prooflight_core::merkle::multiproof`.
    pub hashes: Vec<Hash>,
}

/// The largest number of keys in a proof.
pub const MAX_KEYS: usize = 1 << 16;

/// Reads all claims, but keeps at most one more than a proof can have: a claim is one byte on the wire and
/// far more in memory.
fn read_claims<R: borsh::io::Read>(reader: &mut R) -> borsh::io::Result<Vec<Claim>> {
    let mut claims = Vec::new();
    for _ in 0..u32::deserialize_reader(reader)? {
        let claim = Claim::deserialize_reader(reader)?;
        if claims.len() <= MAX_KEYS {
            claims.push(claim);
        }
    }
    Ok(claims)
}

/// The claim about one key.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Claim {
    /// The key has a value.
    Present {
        /// The key's slot.
        slot: KeySlot,
        /// The place of the key's newest leaf.
        place: LeafPlace,
        /// The value.
        value: Vec<u8>,
    },
    /// The key had a value and was deleted.
    Deleted {
        /// The key's slot.
        slot: KeySlot,
        /// The place of the key's newest leaf, a tombstone.
        place: LeafPlace,
    },
    /// The key was never written.
    NeverWritten,
}

/// A key's permanent slot, on the key's own walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct KeySlot {
    /// The level of the entry, below `256 / log_n`.
    pub level: u8,
    /// The slot of the entry, 1 to 5.
    pub number: u8,
}

/// The place of a leaf: a block's tree, and the index in it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize,
)]
pub struct LeafPlace {
    /// The block.
    pub block: u64,
    /// The index of the leaf in the block's tree.
    pub index: u32,
}

/// The six versions of an entry: the child AMT's, then those of five keys; 0 if absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct AmtEntry(pub [SlotVersion; 6]);

/// A version: an integer below 2^40, five bytes little-endian.
#[derive(Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SlotVersion([u8; 5]);

/// An AMT at level 1 or below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ProofAmt {
    /// The commitment, compressed.
    pub commitment: [u8; 32],
    /// The place of the leaf with this commitment at its newest version.
    pub place: LeafPlace,
    /// How the proof opens its entries.
    pub opening: OpeningForm,
}

/// How a proof opens the entries of an AMT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum OpeningForm {
    /// By one point, computed from the AMT's entries.
    Single,
    /// By one point for each level of its tree, as the root AMT is.
    Tree,
}

/// A leaf of a slot, of any version, which shows the slot's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SlotOwner {
    /// The hash of the key.
    pub key_hash: Hash,
    /// The version of the leaf, at most that of the slot.
    pub version: SlotVersion,
    /// The hash of the value, or `None` for a tombstone.
    pub value_hash: Option<Hash>,
    /// The place of the leaf.
    pub place: LeafPlace,
}

impl Claim {
    /// The key's slot; `None` if the key was never written.
    pub const fn slot(&self) -> Option<KeySlot> {
        match self {
            Self::Present { slot, .. } | Self::Deleted { slot, .. } => Some(*slot),
            Self::NeverWritten => None,
        }
    }

    /// The place of the key's newest leaf; `None` if the key was never written.
    pub const fn place(&self) -> Option<LeafPlace> {
        match self {
            Self::Present { place, .. } | Self::Deleted { place, .. } => Some(*place),
            Self::NeverWritten => None,
        }
    }
}

impl SlotVersion {
    /// The largest version.
    pub const MAX: u64 = (1 << 40) - 1;

    /// Encodes the version; `None` if it is 2^40 or more.
    pub const fn new(version: u64) -> Option<Self> {
        let [low @ .., 0, 0, 0] = version.to_le_bytes() else { return None };
        Some(Self(low))
    }

    /// The version as an integer.
    pub const fn get(self) -> u64 {
        let mut bytes = [0; 8];
        bytes.split_at_mut(5).0.copy_from_slice(&self.0);
        u64::from_le_bytes(bytes)
    }
}

impl core::fmt::Debug for SlotVersion {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.get().fmt(f)
    }
}

impl AmtEntry {
    /// The version of the child AMT; 0 if absent.
    pub const fn child(&self) -> u64 {
        self.0[0].get()
    }

    /// The six versions as integers.
    pub fn versions(&self) -> [u64; 6] {
        self.0.map(SlotVersion::get)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn one_claim_more_than_a_proof_can_have_is_kept_and_no_more() {
        for (count, kept) in [(MAX_KEYS, MAX_KEYS), (MAX_KEYS + 2, MAX_KEYS + 1)] {
            let claims = alloc::vec![Claim::NeverWritten; count];
            let bytes = borsh::to_vec(&Proof { claims, ..Proof::default() }).unwrap();
            assert_eq!(Proof::try_from_slice(&bytes).unwrap().claims.len(), kept);
        }
    }
}

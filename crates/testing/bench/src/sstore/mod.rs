//! The structures of the paper on S-Store, from its text: the AMB-tree (section IV) with its index
//! of Merkle B+ trees and its skip lists of versions, and the Merkle bucket tree that it is compared
//! with. Everything is in memory.
//!
//! The paper leaves some choices open; each is made in the simplest way, and between equally simple
//! ones in favour of the peer:
//!
//! * The hash is Keccak-256 (section VII), also that of keys.
//! * There are 32 zones (section IV-A: "e.g. 32 or larger"), of equal size.
//! * The fan-out of the Merkle B+ trees is [`FAN_OUT`]: 64 items of a key and a hash fill a page of
//!   4 KiB, and the tree is "disk-oriented". Nodes split in the middle.
//! * The hash of a node is that of the hashes in its items. A version's hash binds its key, so no
//!   separators need to be hashed.
//! * Proofs leave out each hash and block that the verifier computes anyway.
//! * Values have 32 bytes, so versions contain them and not their hashes.
//!
//! Source: Qi 2022 (S-Store), sections II-B, IV and V-A.

mod buckets;
mod index;
mod tree;
mod versions;

use prooflight_core::Hash;

pub use buckets::BucketTree;
pub use tree::{AmbTree, verify_get, verify_history};
pub use versions::KeyVersion;

/// A key, before it is hashed.
pub type Key = [u8; 32];

/// A value.
pub type Value = [u8; 32];

/// The fan-out of the Merkle B+ trees unless another one is measured.
pub const FAN_OUT: u8 = 64;

/// The number of zones, as a power of two.
const LOG_ZONES: u32 = 5;

/// The hash of a missing node.
const NO_NODE: Hash = [0; 32];

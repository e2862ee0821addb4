//! The layers of a chain, their store and proofs.
//!
//! Delta and intermediate are [tries in memory](trie), rebuilt from the store's blocks by a [`replay`]. The snapshot
//! is a trie in the store; a [`merge`] makes the next one. The records are in [`record`].
//!
//! # Damage
//!
//! A lost record, or an older copy of one, is reported as `store_corrupt` before it leads to a wrong root or proof.
//!
//! | damage | found |
//! |---|---|
//! | a changed byte | by a checksum, or by the roots and hashes that it changes, when it is read |
//! | no parameters, in a store that has other records | at opening |
//! | an older or lost newest block | at opening: the next block exists |
//! | an older or lost oldest era, or lost first block of an era | at opening, or by a replay that begins there |
//! | an older or lost block | at opening, or by a replay: the roots after it are others |
//! | a lost snapshot | at opening, by a merge, or by the block that ends the era |
//! | an older or lost state of a merge | by the merge: its next part exists |
//! | a lost node of a snapshot | when it is needed |
//!
//! A lost record of removed nodes leaves them in the store. Flat values have no hashes.

mod chain;
mod era;
mod merge;
mod merging;
mod node;
mod prune;
mod record;
mod replay;
mod trie;
mod version;

pub use chain::{LmptBlock, LmptParams, LmptReader, LmptState};
pub use merge::{EraMerger, MERGE_PART_KEYS};
pub use merging::{LmptMerging, MergeEvent, MergingParams};
pub use version::RECENT_BLOCKS;

//! State sync: a replica begins with its leader's state after a block, instead of executing all blocks.
//!
//! The leader is not trusted. It [serves](SyncSource) parts in chunks; [`sync`] checks each chunk before it is stored:
//!
//! | part | from | a chunk | checked against |
//! |---|---|---|---|
//! | `headers` | a height, u64 | signed headers, borsh | their authorities, their parents, the checkpoint, the head's history |
//! | `avl` | a key of the tree | a part of the tree, see [`prooflight_avl::read_chunk`] | the head's root |
//! | `amb` | a raw key | a Transfer proof of at most 4,096 entries | the head's root |
//! | `values` | a raw key | raw keys and values, borsh; without `amb` | the values of the `avl` tree |
//! | `smt` | a name and an offset u64, borsh | the same, bytes of that snapshot file, whether it ends, borsh | checksums and the root of a header; at opening, all nodes of the newest tree |
//!
//! The states of other schemes cannot be sent: a replica that begins with a state leaves these schemes out.

mod files;
mod headers;
mod part;
mod pins;
mod replica;
mod serve;
mod trees;
mod values;

pub(crate) use part::StatePart;
pub use replica::{can_sync, is_interrupted, sync};
pub use serve::SyncSource;
pub(crate) use serve::chunk;

use borsh::{BorshDeserialize, BorshSerialize};
use prooflight_core::{Error, Reason, Result};

/// The bytes after which a chunk ends. Its last item may exceed them.
const SYNC_CHUNK_BYTES: usize = 1 << 20;

/// A resume position in the snapshot files of `smt`: the bytes of `file` already received, or `u64::MAX` for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
struct SnapshotCursor {
    file: String,
    at: u64,
}

/// A piece of a snapshot file of `smt`. After the last file, a piece without a name follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
struct SnapshotPiece {
    cursor: SnapshotCursor,
    bytes: Vec<u8>,
    /// Whether the file ends here.
    is_last: bool,
}

impl SnapshotPiece {
    /// The piece that says that there are no more files.
    fn end() -> Self {
        Self { is_last: true, ..Self::default() }
    }
}

fn encode(value: &impl BorshSerialize) -> Result<Vec<u8>> {
    borsh::to_vec(value).map_err(|error| Error::new(Reason::Bug, "a chunk", error))
}

fn decode<T: BorshDeserialize>(bytes: &[u8]) -> Result<T> {
    borsh::from_slice(bytes).map_err(|error| Error::new(Reason::InvalidResult, "a chunk", error))
}

//! The in-memory part of the newest state.

use prooflight_amt::Point;
use prooflight_core::Result;
use prooflight_core::store::Read;

use super::blocks::Blocks;
use super::cache::Cache;
use super::params::StoreParams;
use super::record::{Head, corrupt};
use super::root_tree::RootTree;

/// The root of a state: `aroot`, the commitment of the root AMT, and `hroot`, the root of the tree over blocks.
pub type StateRoot = [u8; 64];

/// The in-memory state that the next block starts from.
#[derive(Debug)]
pub(super) struct Newest {
    pub(super) params: StoreParams,
    pub(super) commitment: Point,
    pub(super) blocks: Blocks,
    pub(super) cache: Cache,
    pub(super) root_tree: RootTree,
}

impl Newest {
    /// The newest state in a store that was created with these parameters.
    pub(super) fn read<S: Read + ?Sized>(store: &S, params: StoreParams) -> Result<Self> {
        let (head, blocks) = Head::read_with_blocks(store)?;
        let tree_sum =
            head.tree_sum.ok_or_else(|| corrupt("nodes of the newest state", "others"))?;
        let root_tree = RootTree::read(store, &params, tree_sum)?;
        let cache = Cache::new(params.log_n());
        Ok(Self { params, commitment: head.commitment, blocks, cache, root_tree })
    }

    /// The newest block; `None` before the first.
    pub(super) const fn height(&self) -> Option<u64> {
        self.blocks.size().checked_sub(1)
    }

    pub(super) fn root(&self) -> StateRoot {
        state_root(&self.commitment, &self.blocks)
    }
}

pub(super) fn state_root(commitment: &Point, blocks: &Blocks) -> StateRoot {
    let mut root = [0; 64];
    let (aroot, hroot) = root.split_at_mut(32);
    aroot.copy_from_slice(&commitment.to_bytes());
    hroot.copy_from_slice(&blocks.root());
    root
}

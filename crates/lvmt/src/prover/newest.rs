//! The in-memory part of the newest state.

use prooflight_amt::Point;
use prooflight_core::Result;
use prooflight_core::store::ReadStore;

use super::blocks::BlocksTree;
use super::cache::StateCache;
use super::params::StoreParams;
use super::record::{StateHead, corrupt};
use super::root_tree::RootTree;

/// The root of a state: `aroot`, the commitment of the root AMT, and `hroot`, the root of the tree over blocks.
pub type StateRoot = [u8; 64];

/// The in-memory state that the next block starts from.
#[derive(Debug)]
pub(super) struct NewestState {
    pub(super) params: StoreParams,
    pub(super) commitment: Point,
    pub(super) blocks: BlocksTree,
    pub(super) cache: StateCache,
    pub(super) root_tree: RootTree,
}

impl NewestState {
    /// The newest state in a store that was created with these parameters.
    pub(super) fn read<S: ReadStore + ?Sized>(store: &S, params: StoreParams) -> Result<Self> {
        let (head, blocks) = StateHead::read_with_blocks(store)?;
        let tree_sum =
            head.tree_sum.ok_or_else(|| corrupt("nodes of the newest state", "others"))?;
        let root_tree = RootTree::read(store, &params, tree_sum)?;
        let cache = StateCache::new(params.log_n());
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

pub(super) fn state_root(commitment: &Point, blocks: &BlocksTree) -> StateRoot {
    let mut root = [0; 64];
    let (aroot, hroot) = root.split_at_mut(32);
    aroot.copy_from_slice(&commitment.to_bytes());
    hroot.copy_from_slice(&blocks.root());
    root
}

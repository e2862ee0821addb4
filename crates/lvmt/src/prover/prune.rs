//! Collecting the leaves that the newest state does not need.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use prooflight_core::store::{Store, WriteBatch};
use prooflight_core::{Error, Reason, Result};

use super::record::{
    BlockRecord, OLDEST_KEY, block_key, corrupt, given_up_key, open, put, replaced_key,
};
use super::replaced::read_replaced;
use super::store::LvmtStore;
use super::tree::prune_leaves;

impl<S: Store + Sync> LvmtStore<S> {
    /// Gives up the leaves that the blocks up to `oldest` replaced.
    ///
    /// They are collected once they are half of the leaves that remain in their block's tree, so that a tree is
    /// rewritten only a few times. `version_unavailable` for a block after the newest, or before an earlier `oldest`.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.check_kept(oldest)?;
        let mut writes = WriteBatch::new();
        let mut given_up: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for block in self.oldest + 1..=oldest {
            for place in read_replaced(&self.store, block)? {
                given_up.entry(place.block).or_default().push(place.index);
            }
            writes.delete(replaced_key(block));
        }
        for (block, mut leaves) in given_up {
            let mut tree = BlockRecord::read(&self.store, block)?;
            tree.given_up += leaves.len() as u32;
            if tree.given_up.saturating_mul(2) >= tree.live {
                self.collect_tree(&mut writes, block, tree, leaves)?;
            } else {
                leaves.sort_unstable();
                let leaves: Vec<_> = leaves.into_iter().map(u32::to_be_bytes).collect();
                put(&mut writes, given_up_key(block, oldest), leaves.as_flattened().to_vec());
                put(&mut writes, block_key(block), tree.encode());
            }
        }
        put(&mut writes, OLDEST_KEY.to_vec(), oldest.to_be_bytes().to_vec());
        self.store.write(writes)?;
        self.oldest = oldest;
        Ok(())
    }

    /// Collects every leaf that is given up; [`prune`](Self::prune) defers some of them.
    pub fn collect(&mut self) -> Result<()> {
        let mut blocks: Vec<[u8; 8]> = Vec::new();
        for entry in self.store.range(&given_up_key(0, 0), &given_up_key(u64::MAX, u64::MAX)) {
            let (key, _) = entry?;
            blocks.extend(key.get(1..).and_then(|block| block.first_chunk::<8>()).copied());
        }
        blocks.dedup();
        for block in blocks.into_iter().map(u64::from_be_bytes) {
            let mut writes = WriteBatch::new();
            let tree = BlockRecord::read(&self.store, block)?;
            self.collect_tree(&mut writes, block, tree, Vec::new())?;
            self.store.write(writes)?;
        }
        Ok(())
    }

    fn check_kept(&self, oldest: u64) -> Result<()> {
        match self.height() {
            Some(newest) if (self.oldest..=newest).contains(&oldest) => Ok(()),
            Some(newest) => Err(Error::new(
                Reason::VersionUnavailable,
                format_args!("a block of {} to {newest}", self.oldest),
                oldest,
            )),
            None => Err(Error::new(Reason::VersionUnavailable, "a first block", oldest)),
        }
    }

    /// Removes all given-up leaves from a block's tree: `more`, and those recorded before.
    fn collect_tree(
        &self,
        writes: &mut WriteBatch,
        block: u64,
        tree: BlockRecord,
        more: Vec<u32>,
    ) -> Result<()> {
        let mut leaves = more;
        for entry in self.store.range(&given_up_key(block, 0), &given_up_key(block, u64::MAX)) {
            let (key, value) = entry?;
            let noted = open(&key, value)?;
            leaves.extend(noted.as_chunks().0.iter().map(|leaf| u32::from_be_bytes(*leaf)));
            writes.delete(key);
        }
        leaves.sort_unstable();
        let live = tree.live.checked_sub(leaves.len() as u32);
        let (Some(live), true) = (live, leaves.len() == tree.given_up as usize) else {
            let expected = format_args!("{} leaves of block {block} given up", tree.given_up);
            return Err(corrupt(expected, leaves.len()));
        };
        prune_leaves(&self.store, writes, block, tree.size, &leaves)?;
        put(writes, block_key(block), BlockRecord { live, given_up: 0, ..tree }.encode());
        Ok(())
    }
}

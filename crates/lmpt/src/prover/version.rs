//! The state after one block.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_core::store::{ReadStore, corrupt};
use prooflight_core::{Hash, Hex, Result, keccak256};
use prooflight_mpt::TrieRoot;

use super::era::EraSums;
use super::trie::LayerTrie;
use crate::proof::PROOF_ENVELOPE;
use crate::{Layer, LayerRoots, leaf};

/// The state after one block: two layers in memory, and a snapshot in the store.
#[derive(Clone, Debug)]
pub(super) struct StateVersion {
    pub(super) height: u64,
    /// The era whose layers these are.
    pub(super) era: u64,
    /// The number of the block's operations.
    pub(super) operations: u64,
    /// The sums of the era so far.
    pub(super) sums: EraSums,
    pub(super) snapshot: TrieRoot,
    pub(super) intermediate: LayerTrie,
    pub(super) delta: LayerTrie,
}

impl StateVersion {
    pub(super) fn roots(&self) -> LayerRoots {
        LayerRoots {
            snapshot: self.snapshot.hash(),
            intermediate: self.intermediate.root(),
            delta: self.delta.root(),
        }
    }

    /// The leaf value of a key in the layers in memory; `None` if neither has the key.
    pub(super) fn leaf_in_memory(&self, key: &Hash) -> Option<&[u8]> {
        self.delta.get(key).or_else(|| self.intermediate.get(key))
    }

    /// The value of a key, without a proof.
    pub(super) fn get<S: ReadStore + ?Sized>(
        &self,
        store: &S,
        key: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        let key = keccak256(&[key]);
        let leaf = match self.leaf_in_memory(&key) {
            Some(leaf) => Some(leaf.to_vec()),
            None => self.snapshot.get(store, &key)?,
        };
        leaf.map_or(Ok(None), |leaf| value_of(&leaf))
    }

    /// The proof of keys: the nodes of each layer that some key needs.
    ///
    /// A key is looked up in one layer after another, until one has it.
    pub(super) fn prove<S: ReadStore + ?Sized>(
        &self,
        store: &S,
        keys: &[&[u8]],
    ) -> Result<Vec<u8>> {
        let mut open: Vec<Hash> = keys.iter().map(|key| keccak256(&[key])).collect();
        open.sort_unstable();
        open.dedup();
        let [mut delta, mut intermediate, snapshot] = [const { Vec::new() }; 3];
        for (layer, nodes) in [(&self.delta, &mut delta), (&self.intermediate, &mut intermediate)] {
            let mut found = layer.prove(&open, nodes).into_iter();
            open.retain(|_| found.next().flatten().is_none());
        }
        let snapshot =
            if open.is_empty() { snapshot } else { self.snapshot.prove_keys(store, &open)?.nodes };
        Ok(PROOF_ENVELOPE.encode(&(delta, intermediate, snapshot)))
    }

    /// Checks the roots against those that a block's record has.
    pub(super) fn check(&self, roots: &LayerRoots) -> Result<()> {
        let found = self.roots();
        for layer in Layer::ALL {
            let (expected, found) = (roots.of(layer), found.of(layer));
            if expected != found {
                let name = layer.as_str();
                let expected =
                    format_args!("the {name} root {} after block {}", Hex(expected), self.height);
                return Err(corrupt(expected, Hex(found)));
            }
        }
        Ok(())
    }
}

/// The versions that are kept in memory, ascending by height.
pub(super) type VersionQueue = VecDeque<Arc<StateVersion>>;

/// The number of newest blocks that can be proved without a replay.
pub const RECENT_BLOCKS: usize = 64;

/// Drops the oldest versions until there are at most [`RECENT_BLOCKS`], of at most this many operations together.
pub(super) fn trim(versions: &mut VersionQueue, operations: u64) {
    let mut sum = versions.iter().map(|version| version.operations).sum::<u64>();
    while versions.len() > 1 && (versions.len() > RECENT_BLOCKS || sum > operations) {
        sum -= versions.pop_front().map_or(0, |version| version.operations);
    }
}

/// The value in a leaf of a store; `store_corrupt` for anything but a value or a tombstone.
pub(super) fn value_of(leaf: &[u8]) -> Result<Option<Vec<u8>>> {
    let value = leaf::decode(leaf).map_err(|error| corrupt(error.expected(), error.found()))?;
    Ok(value.map(<[u8]>::to_vec))
}

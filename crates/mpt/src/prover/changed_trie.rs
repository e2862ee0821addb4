//! A trie whose owner keeps the roots, and applies changes in several steps.

use alloc::vec::Vec;

use prooflight_core::store::{RawKeyChange, ReadStore, WriteBatch};
use prooflight_core::{Hash, Result};

use super::node::{ChildLink, root_hash};
use super::overlay::Overlay;
use super::record::TrieRoot;
use super::trie::nibbles;

/// A trie after a change, not yet written.
#[derive(Clone, Debug)]
pub struct ChangedTrie {
    /// Its root.
    pub root: TrieRoot,
    /// The writes of its new nodes.
    pub writes: WriteBatch,
    /// The first id after those of its new nodes.
    pub next_id: u64,
    /// The ids of the nodes that the trie no longer has; they are still in the store.
    pub removed: Vec<u64>,
}

impl TrieRoot {
    /// The root of the empty trie.
    pub const EMPTY: Self = Self(None);

    /// The first id that a node may have.
    pub const FIRST_ID: u64 = 1;

    /// The hash of the root.
    pub fn hash(&self) -> Hash {
        root_hash(self.0)
    }

    /// Checks that the root's node is in the store; otherwise `store_corrupt`.
    pub fn check<S: ReadStore + ?Sized>(&self, store: &S) -> Result<()> {
        let overlay = Overlay::new(store, u64::MAX);
        self.0.map_or(Ok(()), |root| overlay.record(root).map(|_| ()))
    }

    /// The value of a key, without a proof.
    pub fn get<S: ReadStore + ?Sized>(&self, store: &S, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value = Overlay::new(store, u64::MAX).get(self.0, key)?;
        Ok(value.map(|value| value.bytes))
    }

    /// Changes the trie; its new nodes get ids from `next_id` on, which no other node may have.
    ///
    /// Values must not be empty. Deleting an absent key does nothing.
    pub fn change<'a, S: ReadStore + ?Sized>(
        &self,
        store: &S,
        next_id: u64,
        changes: impl Iterator<Item = RawKeyChange<'a>>,
    ) -> Result<ChangedTrie> {
        let mut overlay = Overlay::new(store, next_id);
        let mut link = ChildLink::from(self.0);
        for RawKeyChange { key, value } in changes {
            let path = nibbles(key);
            link = match value {
                Some(value) => overlay.insert(link, &path, value.into())?,
                None if overlay.find(&link, &path, &mut |_| {})?.is_some() => {
                    overlay.remove(link, &path)?
                }
                None => link,
            };
        }
        let root = Self(overlay.seal(link));
        let mut writes = WriteBatch::new();
        let (next_id, removed) = overlay.finish(&mut writes);
        Ok(ChangedTrie { root, writes, next_id, removed })
    }
}

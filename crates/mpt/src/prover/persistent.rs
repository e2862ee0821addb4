//! A trie in a store, with its revisions.

use alloc::vec::Vec;

use prooflight_core::store::{
    PreparedRevision, RawKeyChange, ReadStore, Store, TreeRevisions, WriteBatch, root_at,
};
use prooflight_core::{Error, Hash, Reason, Result};

use super::node::{ChildLink, OverlayRoot, root_hash};
use super::overlay::Overlay;
use super::record::TrieRoot;
use super::trie::nibbles;
use crate::verify::check_key;

/// A Merkle Patricia trie. Every revision stays in the store until it is pruned.
///
/// Revision 0 is the empty trie; each batch of changes creates the next. Data read from the store
/// is checked like a proof: a changed byte is `store_corrupt`.
#[derive(Debug)]
pub struct PersistentTrie<S> {
    revisions: TreeRevisions<S, TrieRoot>,
}

impl<S: Store> PersistentTrie<S> {
    /// Opens the newest revision in a store; an empty store becomes an empty trie.
    pub fn open(store: S) -> Result<Self> {
        // Id 0 means no node, so the first node has id 1.
        let revisions = TreeRevisions::open(store, |_| (TrieRoot(None), 1))?;
        Ok(Self { revisions })
    }

    /// Returns the newest revision.
    pub const fn revision(&self) -> u64 {
        self.revisions.newest()
    }

    /// Returns the oldest kept revision.
    pub const fn oldest_revision(&self) -> u64 {
        self.revisions.oldest()
    }

    /// Returns the root of the newest revision.
    pub fn root(&self) -> Hash {
        root_hash(self.newest_root())
    }

    /// Returns the root of a kept revision.
    pub fn root_at(&self, revision: u64) -> Result<Hash> {
        self.revisions.root_at(revision).map(|TrieRoot(root)| root_hash(root))
    }

    /// Returns the value of a key in the newest revision, without a proof.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value = self.overlay().get(self.newest_root(), key)?;
        Ok(value.map(|value| value.bytes))
    }

    /// Proves a key of the newest revision.
    pub fn prove(&self, key: &[u8]) -> Result<ProvedKey> {
        prove(self.store(), self.newest_root(), key)
    }

    /// Writes the next revision, and switches to it once it is written: all or nothing.
    pub fn apply(&mut self, changes: &[RawKeyChange<'_>]) -> Result<Hash> {
        let mut prepared = self.prepare(changes)?;
        self.write(&mut prepared)?;
        self.commit(&prepared)
    }

    /// Computes what to write for the next revision, without changing anything.
    ///
    /// For callers that write more than this trie in one atomic batch: write
    /// [`PreparedTrie::take_writes`] to this trie's store, then [commit](Self::commit).
    /// `key_length` for a key of more than [`MAX_KEY_LENGTH`](crate::MAX_KEY_LENGTH) bytes,
    /// `invalid_argument` for an empty value.
    pub fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<PreparedTrie> {
        self.prepare_with(|overlay, root| {
            let mut link = ChildLink::from(root);
            for change in changes {
                link = overlay.change(link, change)?;
            }
            Ok(overlay.seal(link))
        })
    }

    /// Prepares the next revision by applying `change` to the newest root.
    pub(super) fn prepare_with(
        &self,
        change: impl FnOnce(&mut Overlay<'_, S>, OverlayRoot) -> Result<OverlayRoot>,
    ) -> Result<PreparedTrie> {
        let mut overlay = self.overlay();
        let root = change(&mut overlay, self.newest_root())?;
        let mut nodes = WriteBatch::new();
        let (next_id, removed) = overlay.finish(&mut nodes);
        Ok(PreparedTrie(self.revisions.prepare(TrieRoot(root), nodes, next_id, removed)))
    }

    /// Switches to a prepared revision whose writes are in the store; returns its root.
    ///
    /// `invalid_argument` unless it was prepared on top of the newest revision.
    pub fn commit(&mut self, prepared: &PreparedTrie) -> Result<Hash> {
        self.revisions.commit(&prepared.0)?;
        Ok(self.root())
    }

    /// Removes the revisions before `oldest`, and the nodes that only they used.
    ///
    /// `version_unavailable` if `oldest` itself is not kept.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.revisions.prune(oldest)
    }

    /// Returns the store, with everything written.
    pub fn into_store(self) -> S {
        self.revisions.into_store()
    }

    pub(super) fn write(&mut self, prepared: &mut PreparedTrie) -> Result<()> {
        self.revisions.write(&mut prepared.0)
    }

    pub(super) const fn store(&self) -> &S {
        self.revisions.store()
    }

    pub(super) const fn newest_root(&self) -> OverlayRoot {
        self.revisions.root().0
    }

    fn overlay(&self) -> Overlay<'_, S> {
        Overlay::new(self.store(), self.revisions.next_id())
    }
}

/// A revision that has not been written yet.
#[derive(Debug)]
pub struct PreparedTrie(PreparedRevision<TrieRoot>);

impl PreparedTrie {
    /// The root of the revision.
    pub fn root(&self) -> Hash {
        root_hash(self.0.root().0)
    }

    /// Takes the writes that store the revision; empty once taken.
    pub fn take_writes(&mut self) -> WriteBatch {
        core::mem::take(&mut self.0.writes)
    }
}

/// A key with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedKey {
    /// The root of the trie.
    pub root: Hash,
    /// The value; `None` if the key is absent.
    pub value: Option<Vec<u8>>,
    /// The nodes that [`verify_proof`](crate::verify_proof) needs.
    pub proof: Vec<Vec<u8>>,
}

/// Proves a key of a kept revision, reading only the nodes on its path.
///
/// `version_unavailable` if the revision is not kept.
pub fn prove_at<S: ReadStore + ?Sized>(store: &S, revision: u64, key: &[u8]) -> Result<ProvedKey> {
    prove(store, root_at::<_, TrieRoot>(store, revision)?.0, key)
}

fn prove<S: ReadStore + ?Sized>(store: &S, root: OverlayRoot, key: &[u8]) -> Result<ProvedKey> {
    check_key(key)?;
    let (value, proof) = Overlay::new(store, u64::MAX).prove(root, key)?;
    Ok(ProvedKey { root: root_hash(root), value: value.map(|value| value.bytes), proof })
}

impl<S: ReadStore + ?Sized> Overlay<'_, S> {
    fn change(
        &mut self,
        link: ChildLink,
        &RawKeyChange { key, value }: &RawKeyChange<'_>,
    ) -> Result<ChildLink> {
        if value.is_some_and(<[u8]>::is_empty) {
            let found = format_args!("none for a key of {} bytes", key.len());
            return Err(Error::new(Reason::InvalidArgument, "a value of some bytes", found));
        }
        check_key(key)?;
        let path = nibbles(key);
        let has = self.find(&link, &path, &mut |_| {})?;
        match (has, value) {
            (Some(has), Some(value)) if has.bytes == value => Ok(link),
            (_, Some(value)) => self.insert(link, &path, value.into()),
            (Some(_), None) => self.remove(link, &path),
            (None, None) => Ok(link),
        }
    }
}

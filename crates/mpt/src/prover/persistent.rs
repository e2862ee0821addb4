//! A trie that is kept in a store, with its revisions.

use alloc::vec::Vec;

use prooflight_core::store::{PreparedRevision, Read, Revisions, Store, WriteBatch, root_at};
use prooflight_core::{Error, Hash, Reason, Result};

use super::node::Link;
use super::overlay::{Overlay, Root, root_hash};
use super::record::TrieRoot;
use super::trie::nibbles;
use crate::verify::check_key;

/// A change of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// Sets the value of a key, which must not be empty.
    Set {
        /// What the trie is walked by.
        key: &'a [u8],
        /// The value.
        value: &'a [u8],
    },
    /// Removes the value of a key, if it has one.
    Delete {
        /// What the trie is walked by.
        key: &'a [u8],
    },
}

/// A Merkle Patricia trie whose every revision is kept in a store until it is pruned.
///
/// Revision 0 is the empty trie; each batch of changes makes the next. What is read from the store is
/// checked as a proof would be: a store with a changed byte is `store_corrupt`.
#[derive(Debug)]
pub struct PersistentTrie<S> {
    revisions: Revisions<S, TrieRoot>,
}

impl<S: Store> PersistentTrie<S> {
    /// Opens the newest revision in a store, or begins an empty trie in an empty one.
    pub fn open(store: S) -> Result<Self> {
        // An id of 0 is none, so that the first node has 1.
        let revisions = Revisions::open(store, |_| (TrieRoot(None), 1))?;
        Ok(Self { revisions })
    }

    /// The newest revision.
    pub const fn revision(&self) -> u64 {
        self.revisions.newest()
    }

    /// The oldest revision that is kept.
    pub const fn oldest_revision(&self) -> u64 {
        self.revisions.oldest()
    }

    /// The root of the newest revision.
    pub fn root(&self) -> Hash {
        root_hash(self.newest_root())
    }

    /// The root of a kept revision.
    pub fn root_at(&self, revision: u64) -> Result<Hash> {
        self.revisions.root_at(revision).map(|TrieRoot(root)| root_hash(root))
    }

    /// The value of a key in the newest revision; without a proof.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value = self.overlay().get(self.newest_root(), key)?;
        Ok(value.map(|value| value.bytes))
    }

    /// Proves a key of the newest revision.
    pub fn prove(&self, key: &[u8]) -> Result<ProvedKey> {
        prove(self.store(), self.newest_root(), key)
    }

    /// Writes the next revision, and only then goes over to it: all or nothing.
    pub fn apply(&mut self, changes: &[Change<'_>]) -> Result<Hash> {
        let mut prepared = self.prepare(changes)?;
        self.write(&mut prepared)?;
        self.commit(&prepared)
    }

    /// Says what to write for the next revision; changes nothing.
    ///
    /// For a caller that writes more than this trie in one atomic batch: it writes
    /// [`PreparedTrie::take_writes`] to this trie's store, and then [commits](Self::commit). A key of
    /// more than [`MAX_KEY_LENGTH`](crate::MAX_KEY_LENGTH) bytes is `key_length`, an empty value
    /// `invalid_argument`.
    pub fn prepare(&self, changes: &[Change<'_>]) -> Result<PreparedTrie> {
        self.prepare_with(|overlay, root| {
            let mut link = Link::from(root);
            for change in changes {
                link = overlay.change(link, change)?;
            }
            Ok(overlay.seal(link))
        })
    }

    /// The next revision by what `change` makes of the newest one's root.
    pub(super) fn prepare_with(
        &self,
        change: impl FnOnce(&mut Overlay<'_, S>, Root) -> Result<Root>,
    ) -> Result<PreparedTrie> {
        let mut overlay = self.overlay();
        let root = change(&mut overlay, self.newest_root())?;
        let mut nodes = WriteBatch::new();
        let (next_id, removed) = overlay.finish(&mut nodes);
        Ok(PreparedTrie(self.revisions.prepare(TrieRoot(root), nodes, next_id, removed)))
    }

    /// Takes over a prepared revision whose writes are in the store; gives its root.
    ///
    /// `invalid_argument` if it was prepared for another revision than the newest.
    pub fn commit(&mut self, prepared: &PreparedTrie) -> Result<Hash> {
        self.revisions.commit(&prepared.0)?;
        Ok(self.root())
    }

    /// Forgets the revisions before `oldest`, and the nodes that only they had.
    ///
    /// `version_unavailable` if `oldest` itself is not kept.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.revisions.prune(oldest)
    }

    /// The store, with everything written.
    pub fn into_store(self) -> S {
        self.revisions.into_store()
    }

    pub(super) fn write(&mut self, prepared: &mut PreparedTrie) -> Result<()> {
        self.revisions.write(&mut prepared.0)
    }

    pub(super) const fn store(&self) -> &S {
        self.revisions.store()
    }

    pub(super) const fn newest_root(&self) -> Root {
        self.revisions.root().0
    }

    fn overlay(&self) -> Overlay<'_, S> {
        Overlay::new(self.store(), self.revisions.next_id())
    }
}

/// A revision that is not yet written.
#[derive(Debug)]
pub struct PreparedTrie(PreparedRevision<TrieRoot>);

impl PreparedTrie {
    /// The root of the revision.
    pub fn root(&self) -> Hash {
        root_hash(self.0.root().0)
    }

    /// What the revision is in the store; empty once taken.
    pub fn take_writes(&mut self) -> WriteBatch {
        core::mem::take(&mut self.0.writes)
    }
}

/// A key with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedKey {
    /// The root of the trie.
    pub root: Hash,
    /// The value, or none if the key is absent.
    pub value: Option<Vec<u8>>,
    /// The nodes that [`verify_proof`](crate::verify_proof) needs.
    pub proof: Vec<Vec<u8>>,
}

/// Proves a key of a kept revision, reading only the nodes on its path.
///
/// `version_unavailable` if the revision is not kept.
pub fn prove_at<S: Read + ?Sized>(store: &S, revision: u64, key: &[u8]) -> Result<ProvedKey> {
    prove(store, root_at::<_, TrieRoot>(store, revision)?.0, key)
}

fn prove<S: Read + ?Sized>(store: &S, root: Root, key: &[u8]) -> Result<ProvedKey> {
    check_key(key)?;
    let (value, proof) = Overlay::new(store, u64::MAX).prove(root, key)?;
    Ok(ProvedKey { root: root_hash(root), value: value.map(|value| value.bytes), proof })
}

impl<S: Read + ?Sized> Overlay<'_, S> {
    fn change(&mut self, link: Link, change: &Change<'_>) -> Result<Link> {
        let (key, value) = match *change {
            Change::Set { key, value: [] } => {
                let found = format_args!("none for a key of {} bytes", key.len());
                return Err(Error::new(Reason::InvalidArgument, "a value of some bytes", found));
            }
            Change::Set { key, value } => (key, Some(value)),
            Change::Delete { key } => (key, None),
        };
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

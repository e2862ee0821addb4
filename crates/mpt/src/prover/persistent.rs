//! A trie that is kept in a store, with its versions.

use alloc::vec::Vec;

use prooflight_core::store::{Read, Store, WriteBatch};
use prooflight_core::{Error, Reason, Result};

use super::node::Link;
use super::overlay::{Overlay, Root, root_hash};
use super::record::{
    HEAD_KEY, Head, VersionRecord, node_key, read_head, read_kept, read_version, version_key,
};
use super::trie::nibbles;
use crate::hash::Hash;
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

/// A Merkle Patricia trie whose every version is kept in a store until it is pruned.
///
/// Version 0 is the empty trie; each batch of changes makes the next version. What is read from the
/// store is checked as a proof would be: a store with a changed byte is `store_corrupt`.
#[derive(Debug)]
pub struct PersistentTrie<S> {
    store: S,
    head: Head,
    root: Root,
    next_id: u64,
}

impl<S: Store> PersistentTrie<S> {
    /// Opens the newest version in a store, or begins an empty trie in an empty one.
    pub fn open(mut store: S) -> Result<Self> {
        if let Some(head) = read_head(&store)? {
            let VersionRecord { root, next_id, .. } = read_version(&store, head.newest)?;
            return Ok(Self { store, head, root, next_id });
        }
        let head = Head { newest: 0, oldest: 0 };
        let version = VersionRecord { root: None, first_id: 1, next_id: 1, removed: Vec::new() };
        let mut batch = WriteBatch::new();
        batch.put(HEAD_KEY, head.encode());
        batch.put(version_key(0), version.encode());
        store.write(batch)?;
        Ok(Self { store, head, root: None, next_id: 1 })
    }

    /// The newest version.
    pub const fn version(&self) -> u64 {
        self.head.newest
    }

    /// The oldest version that can be rolled back to.
    pub const fn oldest_version(&self) -> u64 {
        self.head.oldest
    }

    /// The root of the newest version.
    pub fn root(&self) -> Hash {
        root_hash(self.root)
    }

    /// The root of a kept version.
    pub fn root_at(&self, version: u64) -> Result<Hash> {
        self.head.check_kept(version)?;
        read_version(&self.store, version).map(|record| root_hash(record.root))
    }

    /// The value of a key in the newest version; without a proof.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value = self.overlay().get(self.root, key)?;
        Ok(value.map(|value| value.bytes))
    }

    /// Proves a key of the newest version.
    pub fn prove(&self, key: &[u8]) -> Result<ProvedKey> {
        prove(&self.store, self.root, key)
    }

    /// Writes the next version, and only then goes over to it: all or nothing.
    pub fn apply(&mut self, changes: &[Change<'_>]) -> Result<Hash> {
        let mut prepared = self.prepare(changes)?;
        self.store.write(core::mem::take(&mut prepared.writes))?;
        self.commit(&prepared)
    }

    /// Says what has to be written for the next version; changes nothing.
    ///
    /// For a caller that writes more than this trie in one atomic batch: it writes
    /// [`PreparedVersion::writes`] to this trie's store, and then [commits](Self::commit). A key of
    /// more than [`MAX_KEY_LENGTH`](crate::MAX_KEY_LENGTH) bytes is `key_length`, an empty value
    /// `invalid_argument`.
    pub fn prepare(&self, changes: &[Change<'_>]) -> Result<PreparedVersion> {
        self.prepare_with(|overlay, root| {
            let mut link = Link::from(root);
            for change in changes {
                link = overlay.change(link, change)?;
            }
            Ok(overlay.seal(link))
        })
    }

    /// The next version by what `change` makes of the newest one's root.
    pub(super) fn prepare_with(
        &self,
        change: impl FnOnce(&mut Overlay<'_, S>, Root) -> Result<Root>,
    ) -> Result<PreparedVersion> {
        let mut overlay = self.overlay();
        let root = change(&mut overlay, self.root)?;
        let mut writes = WriteBatch::new();
        let (next_id, removed) = overlay.finish(&mut writes);
        let head = Head { newest: self.head.newest + 1, ..self.head };
        let version = VersionRecord { root, first_id: self.next_id, next_id, removed };
        writes.put(version_key(head.newest), version.encode());
        writes.put(HEAD_KEY, head.encode());
        let before = self.root;
        Ok(PreparedVersion { root: root_hash(root), writes, before, after: root, head, next_id })
    }

    /// Takes over a prepared version whose writes are in the store; gives its root.
    ///
    /// `invalid_argument` if it was prepared for another version than the newest.
    pub fn commit(&mut self, prepared: &PreparedVersion) -> Result<Hash> {
        let PreparedVersion { before, after, head, next_id, .. } = *prepared;
        if head.newest != self.head.newest + 1 || before != self.root {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("what was prepared for version {}", self.head.newest + 1),
                format_args!("what was prepared for version {}", head.newest),
            ));
        }
        // Pruning in between has moved the oldest version.
        self.head.newest = head.newest;
        self.root = after;
        self.next_id = next_id;
        Ok(self.root())
    }

    /// Goes back to a kept version and forgets the newer ones.
    ///
    /// `version_unavailable` if it is newer than the newest or older than the oldest kept one.
    pub fn roll_back(&mut self, version: u64) -> Result<()> {
        self.head.check_kept(version)?;
        let record = read_version(&self.store, version)?;
        let head = Head { newest: version, ..self.head };
        let mut batch = WriteBatch::new();
        for id in record.next_id..self.next_id {
            batch.delete(node_key(id));
        }
        for newer in version + 1..=self.head.newest {
            batch.delete(version_key(newer));
        }
        batch.put(HEAD_KEY, head.encode());
        self.store.write(batch)?;
        self.head = head;
        self.root = record.root;
        self.next_id = record.next_id;
        Ok(())
    }

    /// Forgets the versions before `oldest`, and the nodes that only they had.
    ///
    /// `version_unavailable` if `oldest` itself is not kept.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.head.check_kept(oldest)?;
        let head = Head { oldest, ..self.head };
        let mut batch = WriteBatch::new();
        for version in self.head.oldest..oldest {
            batch.delete(version_key(version));
            for id in read_version(&self.store, version + 1)?.removed {
                batch.delete(node_key(id));
            }
        }
        batch.put(HEAD_KEY, head.encode());
        self.store.write(batch)?;
        self.head = head;
        Ok(())
    }

    /// The store, with everything written.
    pub fn into_store(self) -> S {
        self.store
    }

    pub(super) fn write(&mut self, prepared: &mut PreparedVersion) -> Result<()> {
        self.store.write(core::mem::take(&mut prepared.writes))
    }

    pub(super) const fn store(&self) -> &S {
        &self.store
    }

    pub(super) const fn newest_root(&self) -> Root {
        self.root
    }

    fn overlay(&self) -> Overlay<'_, S> {
        Overlay::new(&self.store, self.next_id)
    }
}

/// A version that is not yet written.
#[derive(Debug)]
pub struct PreparedVersion {
    /// The root of the version.
    pub root: Hash,
    /// What the version is in the store.
    pub writes: WriteBatch,
    before: Root,
    after: Root,
    head: Head,
    next_id: u64,
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

/// Proves a key of a kept version, reading only the nodes on its path.
///
/// `version_unavailable` if the version is not kept.
pub fn prove_at<S: Read + ?Sized>(store: &S, version: u64, key: &[u8]) -> Result<ProvedKey> {
    prove(store, read_kept(store, version)?.root, key)
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

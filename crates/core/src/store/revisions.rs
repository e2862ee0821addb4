//! A tree of immutable nodes in a store, with a root for each revision.
//!
//! | key | value |
//! |---|---|
//! | `h` | the newest revision u64 |
//! | `o` | the oldest kept revision u64 |
//! | `v` revision u64 | the root's record, next id u64, removed ids u64… |
//! | `n` id u64 | a node |
//!
//! All integers are big-endian. A node never changes: a revision writes its new nodes under ids that no
//! revision had before, and lists the ids of the previous revision that it no longer uses.

use alloc::vec::Vec;
use core::mem::take;

use super::{ReadStore, Store, WriteBatch, corrupt};
use crate::{ByteReader, Error, Reason, Result};

const NEWEST_KEY: &[u8] = b"h";
const OLDEST_KEY: &[u8] = b"o";

/// A revision's record of its root.
pub trait RevisionRoot: Copy + PartialEq {
    /// Appends the record.
    fn encode(&self, record: &mut Vec<u8>);

    /// Reads the record back.
    fn decode(reader: &mut ByteReader<'_>) -> Result<Self>;
}

/// The revisions of one tree: each applied change creates the next, and pruning deletes the oldest.
///
/// Revision 0 is the empty tree. This type knows ids and roots; the owner decides what a node contains.
#[derive(Debug)]
pub struct TreeRevisions<S, R> {
    store: S,
    newest: u64,
    oldest: u64,
    root: R,
    next_id: u64,
}

/// The next revision, not yet written.
#[derive(Clone, Debug)]
pub struct PreparedRevision<R> {
    /// The writes that store the revision.
    pub writes: WriteBatch,
    revision: u64,
    before: R,
    after: R,
    next_id: u64,
}

impl<R> PreparedRevision<R> {
    /// The root of the revision.
    pub const fn root(&self) -> &R {
        &self.after
    }
}

impl<S: Store, R: RevisionRoot> TreeRevisions<S, R> {
    /// Opens the newest revision in a store, or writes revision 0 into an empty one.
    ///
    /// `empty` writes the empty tree to the batch and returns its root and the first free id.
    pub fn open(mut store: S, empty: impl FnOnce(&mut WriteBatch) -> (R, u64)) -> Result<Self> {
        if let Some((oldest, newest)) = revision_bounds(&store)? {
            let RevisionRecord { root, next_id, .. } = read(&store, newest)?;
            return Ok(Self { store, newest, oldest, root, next_id });
        }
        let mut writes = WriteBatch::new();
        let (root, next_id) = empty(&mut writes);
        writes.put(NEWEST_KEY, 0_u64.to_be_bytes());
        writes.put(OLDEST_KEY, 0_u64.to_be_bytes());
        writes.put(revision_key(0), RevisionRecord { root, next_id, removed: Vec::new() }.encode());
        store.write(writes)?;
        Ok(Self { store, newest: 0, oldest: 0, root, next_id })
    }

    /// The newest revision.
    pub const fn newest(&self) -> u64 {
        self.newest
    }

    /// The oldest revision that is kept.
    pub const fn oldest(&self) -> u64 {
        self.oldest
    }

    /// The root of the newest revision.
    pub const fn root(&self) -> &R {
        &self.root
    }

    /// The root of a kept revision; otherwise `version_unavailable`.
    pub fn root_at(&self, revision: u64) -> Result<R> {
        check_kept(revision, self.oldest, self.newest)?;
        read(&self.store, revision).map(|record| record.root)
    }

    /// The first id that no revision has used.
    pub const fn next_id(&self) -> u64 {
        self.next_id
    }

    /// The store.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The store, with everything written.
    pub fn into_store(self) -> S {
        self.store
    }

    /// Computes the writes of the next revision; changes nothing.
    ///
    /// `nodes` are the writes of its new nodes, under ids from [`next_id`](Self::next_id) up to `next_id`;
    /// `removed` are the nodes of the newest revision that it no longer has.
    pub fn prepare(
        &self,
        root: R,
        nodes: WriteBatch,
        next_id: u64,
        removed: Vec<u64>,
    ) -> PreparedRevision<R> {
        let revision = self.newest + 1;
        let mut writes = nodes;
        writes.put(revision_key(revision), RevisionRecord { root, next_id, removed }.encode());
        writes.put(NEWEST_KEY, revision.to_be_bytes());
        PreparedRevision { writes, revision, before: self.root, after: root, next_id }
    }

    /// Writes a prepared revision without adopting it.
    pub fn write(&mut self, prepared: &mut PreparedRevision<R>) -> Result<()> {
        self.store.write(take(&mut prepared.writes))
    }

    /// Adopts a prepared revision whose writes are in the store.
    ///
    /// `invalid_argument` if the newest revision is not the one that it was prepared for.
    pub fn commit(&mut self, prepared: &PreparedRevision<R>) -> Result<()> {
        let &PreparedRevision { revision, before, after, next_id, .. } = prepared;
        if revision != self.newest + 1 || before != self.root {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("a change prepared for revision {}", self.newest + 1),
                format_args!("one prepared for revision {revision} or from another root"),
            ));
        }
        self.newest = revision;
        self.root = after;
        self.next_id = next_id;
        Ok(())
    }

    /// Deletes the revisions before `oldest` and the nodes that only they use.
    ///
    /// `version_unavailable` if `oldest` itself is not kept.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        check_kept(oldest, self.oldest, self.newest)?;
        let mut writes = WriteBatch::new();
        for revision in self.oldest..oldest {
            writes.delete(revision_key(revision));
            for id in read::<_, R>(&self.store, revision + 1)?.removed {
                writes.delete(node_key(id));
            }
        }
        writes.put(OLDEST_KEY, oldest.to_be_bytes());
        self.store.write(writes)?;
        self.oldest = oldest;
        Ok(())
    }
}

/// The writes that make a revision the only one of an empty store; its nodes are already written, with ids below
/// `next_id`.
pub fn only_revision<R: RevisionRoot>(revision: u64, root: R, next_id: u64) -> WriteBatch {
    let mut writes = WriteBatch::new();
    writes.put(NEWEST_KEY, revision.to_be_bytes());
    writes.put(OLDEST_KEY, revision.to_be_bytes());
    writes.put(
        revision_key(revision),
        RevisionRecord { root, next_id, removed: Vec::new() }.encode(),
    );
    writes
}

/// The root of a kept revision in a store or a snapshot of one; otherwise `version_unavailable`.
pub fn root_at<S: ReadStore + ?Sized, R: RevisionRoot>(store: &S, revision: u64) -> Result<R> {
    let (oldest, newest) =
        revision_bounds(store)?.ok_or_else(|| corrupt("the newest revision", "none"))?;
    check_kept(revision, oldest, newest)?;
    read(store, revision).map(|record| record.root)
}

/// The key of a node.
pub fn node_key(id: u64) -> Vec<u8> {
    [b"n", &id.to_be_bytes()[..]].concat()
}

/// A node's record; `store_corrupt` if absent.
pub fn require_node<S: ReadStore + ?Sized>(store: &S, id: u64) -> Result<Vec<u8>> {
    store.get(&node_key(id))?.ok_or_else(|| corrupt(format_args!("node {id}"), "none"))
}

/// Reads an id.
pub fn id_be(reader: &mut ByteReader<'_>) -> Result<u64> {
    reader.array().map(u64::from_be_bytes)
}

/// The oldest and the newest revision; `None` if the store is empty.
fn revision_bounds<S: ReadStore + ?Sized>(store: &S) -> Result<Option<(u64, u64)>> {
    let Some(newest) = read_number(store, NEWEST_KEY, "the newest revision")? else {
        return Ok(None);
    };
    let oldest = read_number(store, OLDEST_KEY, "the oldest revision")?;
    let oldest = oldest.ok_or_else(|| corrupt("the oldest revision", "none"))?;
    Ok(Some((oldest, newest)))
}

fn read_number<S: ReadStore + ?Sized>(store: &S, key: &[u8], name: &str) -> Result<Option<u64>> {
    let Some(record) = store.get(key)? else { return Ok(None) };
    let number = <[u8; 8]>::try_from(&record[..]);
    let found = format_args!("{} bytes", record.len());
    let number = number.map_err(|_| corrupt(format_args!("{name} in 8 bytes"), found))?;
    Ok(Some(u64::from_be_bytes(number)))
}

fn check_kept(revision: u64, oldest: u64, newest: u64) -> Result<()> {
    if (oldest..=newest).contains(&revision) {
        return Ok(());
    }
    let expected = format_args!("a revision of {oldest} to {newest}");
    Err(Error::new(Reason::VersionUnavailable, expected, revision))
}

fn revision_key(revision: u64) -> Vec<u8> {
    [b"v", &revision.to_be_bytes()[..]].concat()
}

struct RevisionRecord<R> {
    root: R,
    next_id: u64,
    removed: Vec<u64>,
}

fn read<S: ReadStore + ?Sized, R: RevisionRoot>(
    store: &S,
    revision: u64,
) -> Result<RevisionRecord<R>> {
    let record = store.get(&revision_key(revision))?;
    let record = record.ok_or_else(|| corrupt(format_args!("revision {revision}"), "none"))?;
    RevisionRecord::decode(&record).map_err(|error| {
        corrupt(format_args!("revision {revision}: {}", error.expected()), error.found())
    })
}

impl<R: RevisionRoot> RevisionRecord<R> {
    fn encode(&self) -> Vec<u8> {
        let mut record = Vec::new();
        self.root.encode(&mut record);
        record.extend_from_slice(&self.next_id.to_be_bytes());
        for id in &self.removed {
            record.extend_from_slice(&id.to_be_bytes());
        }
        record
    }

    fn decode(record: &[u8]) -> Result<Self> {
        let mut reader = ByteReader::new(record);
        let root = R::decode(&mut reader)?;
        let next_id = id_be(&mut reader)?;
        let mut removed = Vec::new();
        while !reader.rest().is_empty() {
            removed.push(id_be(&mut reader)?);
        }
        Ok(Self { root, next_id, removed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    impl RevisionRoot for u64 {
        fn encode(&self, record: &mut Vec<u8>) {
            record.extend_from_slice(&self.to_be_bytes());
        }

        fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
            id_be(reader)
        }
    }

    fn begun() -> TreeRevisions<MemoryStore, u64> {
        TreeRevisions::open(MemoryStore::default(), |_| (0, 1)).unwrap()
    }

    /// The next revision: one new node, which replaces the root.
    fn grow(revisions: &TreeRevisions<MemoryStore, u64>) -> PreparedRevision<u64> {
        let id = revisions.next_id();
        let mut nodes = WriteBatch::new();
        nodes.put(node_key(id), *b"node");
        revisions.prepare(id, nodes, id + 1, alloc::vec![*revisions.root()])
    }

    #[test]
    fn a_prune_between_prepare_and_write_stays() {
        let mut revisions = begun();
        for _ in 0..3 {
            let mut prepared = grow(&revisions);
            revisions.write(&mut prepared).unwrap();
            revisions.commit(&prepared).unwrap();
        }
        let mut prepared = grow(&revisions);
        revisions.prune(2).unwrap();
        revisions.write(&mut prepared).unwrap();
        revisions.commit(&prepared).unwrap();
        let revisions = TreeRevisions::<_, u64>::open(revisions.into_store(), |_| (0, 1)).unwrap();
        assert_eq!((revisions.oldest(), revisions.newest()), (2, 4));
        assert_eq!(revisions.root_at(1).unwrap_err().reason(), Reason::VersionUnavailable);
        assert_eq!(revisions.root_at(2), Ok(2));
        assert_eq!(require_node(revisions.store(), 1).unwrap_err().reason(), Reason::StoreCorrupt);
    }

    #[test]
    fn what_was_prepared_for_another_revision_is_refused() {
        let mut revisions = begun();
        let (mut first, second) = (grow(&revisions), grow(&revisions));
        revisions.write(&mut first).unwrap();
        revisions.commit(&first).unwrap();
        assert_eq!(revisions.commit(&second).unwrap_err().reason(), Reason::InvalidArgument);
        assert_eq!(revisions.newest(), 1);
    }
}

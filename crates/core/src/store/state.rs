//! The interface of every authenticated store: it advances block by block, and proves statements.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::WriteBatch;
use crate::statement::Statement;
use crate::{Ability, Error, Reason, Result};

/// The state of a chain in one scheme, advanced block by block in two steps.
///
/// [`prepare`](Self::prepare) computes the next block and changes nothing. The caller writes
/// [`Prepared::writes`] to the store's source, in one atomic batch with the rest of the block, and then
/// [commits](Self::commit). To abandon a block, drop the [`Prepared`]. After a crash the store is in the state
/// before the batch or after it. A store with files of its own may lack the last blocks, which are then prepared
/// and committed again.
pub trait StateStore: Sized {
    /// The location of the state: a [`Store`](super::Store) of the scheme's own, or a folder.
    type Source;
    /// The node's settings for the store.
    type Params;
    /// In-memory changes that committing a prepared block adopts.
    type Next;
    /// A reader that proves one state while further blocks are committed.
    type Reader: StateReader;

    /// Opens the newest state; an empty source begins without a block.
    fn open(source: Self::Source, params: Self::Params) -> Result<Self>;

    /// The newest block; `None` before the first.
    fn height(&self) -> Option<u64>;

    /// The root after the newest block.
    fn root(&self) -> Vec<u8>;

    /// Computes the next block.
    ///
    /// `changes` are normalised: ascending by key, one for each key, and a delete only of a key that has a value.
    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<Self::Next>>;

    /// Adopts a prepared block whose writes are in the store.
    ///
    /// `invalid_argument` if it was prepared for another state than the newest.
    fn commit(&mut self, next: Self::Next) -> Result<()>;

    /// Deletes the data that only states before block `oldest` need.
    fn prune(&mut self, oldest: u64) -> Result<()>;

    /// A reader of the current state.
    ///
    /// Call it after each block that the caller has made durable. A reader proves older blocks as far back as the
    /// store keeps them.
    fn reader(&mut self) -> Result<Self::Reader>;
}

/// Proves statements about one state, which later blocks do not change.
pub trait StateReader {
    /// Proves a statement.
    ///
    /// `unknown_statement` if the scheme does not support the statement, `version_unavailable` if the store no longer
    /// keeps a state that the proof needs.
    fn prove(&self, statement: &Statement<'_>) -> Result<StateProof>;

    /// Proves a statement against the root after the block `root`, in a scheme whose roots prove all states before
    /// them; a page of a range opens at most `entries` entries.
    ///
    /// `unknown_statement` in other schemes; `version_unavailable` if the store does not keep that root.
    fn prove_at(&self, root: u64, statement: &Statement<'_>, entries: usize) -> Result<StateProof> {
        let _ = (root, entries);
        Err(unsupported_statement(statement))
    }

    /// Proves entries for a replica against the root after the block `root`; errors are those of
    /// [`prove_at`](Self::prove_at).
    fn transfer(&self, root: u64, entries: &TransferRequest<'_>) -> Result<StateProof> {
        let &TransferRequest { lo, hi, .. } = entries;
        Err(unsupported_statement(&Statement::Range { height: root, lo, hi, reverse: false }))
    }
}

/// The refusal of a scheme whose roots prove no state but their own.
#[cold]
fn unsupported_statement(statement: &Statement<'_>) -> Error {
    let expected = format_args!("a scheme with {}s", Ability::Range.as_str());
    Error::new(Reason::UnknownStatement, expected, statement.ability().as_str())
}

impl<R: StateReader + ?Sized> StateReader for Arc<R> {
    fn prove(&self, statement: &Statement<'_>) -> Result<StateProof> {
        (**self).prove(statement)
    }

    fn prove_at(&self, root: u64, statement: &Statement<'_>, entries: usize) -> Result<StateProof> {
        (**self).prove_at(root, statement, entries)
    }

    fn transfer(&self, root: u64, entries: &TransferRequest<'_>) -> Result<StateProof> {
        (**self).transfer(root, entries)
    }
}

/// The entries `lo <= key < hi` that a replica requests: all, or those that a block after `after` wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferRequest<'a> {
    /// The first key that may be in the range.
    pub lo: &'a [u8],
    /// The first key after the range; `None` if it has no end.
    pub hi: Option<&'a [u8]>,
    /// The block; `None` for all entries.
    pub after: Option<u64>,
    /// The largest number of entries in a page.
    pub limit: usize,
}

/// A block's change of one raw key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawKeyChange<'a> {
    /// The key.
    pub key: &'a [u8],
    /// Its new value, or `None` if it is deleted.
    pub value: Option<&'a [u8]>,
}

impl<'a> RawKeyChange<'a> {
    /// Sets a key to a value.
    pub const fn set(key: &'a [u8], value: &'a [u8]) -> Self {
        Self { key, value: Some(value) }
    }

    /// Deletes a key.
    pub const fn delete(key: &'a [u8]) -> Self {
        Self { key, value: None }
    }
}

impl<'a, K: AsRef<[u8]>, V: AsRef<[u8]>> From<&'a (K, Option<V>)> for RawKeyChange<'a> {
    fn from((key, value): &'a (K, Option<V>)) -> Self {
        Self { key: key.as_ref(), value: value.as_ref().map(AsRef::as_ref) }
    }
}

/// The next block of a store, computed but not written.
#[derive(Debug)]
pub struct Prepared<N> {
    /// The root after the block.
    pub root: Vec<u8>,
    /// The writes of the block.
    pub writes: WriteBatch,
    /// A proof that the changes lead from the previous root to this one, if the scheme has such proofs.
    pub transition: Option<Vec<u8>>,
    /// The part for [`StateStore::commit`].
    pub next: N,
}

/// A proof of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateProof {
    /// The blocks whose roots the proof is against, newest first, with these roots.
    pub roots: Vec<(u64, Vec<u8>)>,
    /// The proof, in the scheme's format.
    pub proof: Vec<u8>,
}

impl StateProof {
    /// A proof against the root of one block.
    pub fn at(height: u64, root: impl Into<Vec<u8>>, proof: Vec<u8>) -> Self {
        Self { roots: Vec::from([(height, root.into())]), proof }
    }
}

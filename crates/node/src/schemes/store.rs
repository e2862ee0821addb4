//! Stores of several schemes side by side.

use std::sync::Arc;

use prooflight_core::store::{Change, Prepared, StateReader, StateStore};
use prooflight_core::{Error, Reason, Result};

/// The next block of a scheme, as returned by [`SchemeStore::prepare`].
pub type Next = Prepared<()>;

/// A reader that proves a scheme's state while further blocks are made.
pub type Reader = Arc<dyn StateReader + Send + Sync>;

/// A [`StateStore`] of any scheme, which itself holds the prepared block.
pub trait SchemeStore: Send {
    /// See [`StateStore::height`].
    fn height(&self) -> Option<u64>;

    /// See [`StateStore::root`].
    fn root(&self) -> Vec<u8>;

    /// See [`StateStore::prepare`]; drops a previously prepared block.
    fn prepare(&mut self, changes: &[Change<'_>]) -> Result<Next>;

    /// See [`StateStore::commit`]: adopts the block that was prepared last.
    fn commit(&mut self) -> Result<()>;

    /// See [`StateStore::prune`].
    fn prune(&mut self, oldest: u64) -> Result<()>;

    /// See [`StateStore::reader`].
    fn reader(&mut self) -> Result<Reader>;
}

/// A store with its prepared block.
struct Held<T: StateStore> {
    store: T,
    next: Option<T::Next>,
}

/// Opens a store as one of several.
pub(super) fn hold<T>(source: T::Source, params: T::Params) -> Result<Box<dyn SchemeStore>>
where
    T: StateStore<Next: Send, Reader: Send + Sync> + Send + 'static,
{
    Ok(Box::new(Held { store: T::open(source, params)?, next: None }))
}

impl<T> SchemeStore for Held<T>
where
    T: StateStore<Next: Send, Reader: Send + Sync> + Send + 'static,
{
    fn height(&self) -> Option<u64> {
        self.store.height()
    }

    fn root(&self) -> Vec<u8> {
        self.store.root()
    }

    fn prepare(&mut self, changes: &[Change<'_>]) -> Result<Next> {
        self.next = None;
        let Prepared { root, writes, transition, next } = self.store.prepare(changes)?;
        self.next = Some(next);
        Ok(Prepared { root, writes, transition, next: () })
    }

    fn commit(&mut self) -> Result<()> {
        let next = self.next.take();
        let next = next.ok_or_else(|| Error::new(Reason::Bug, "a prepared block", "none"))?;
        self.store.commit(next)
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        self.store.prune(oldest)
    }

    fn reader(&mut self) -> Result<Reader> {
        Ok(Arc::new(self.store.reader()?))
    }
}

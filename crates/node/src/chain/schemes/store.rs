//! One trait for the stores of all schemes.

use core::any::Any;
use std::sync::Arc;

use prooflight_core::store::{Prepared, RawKeyChange, StateReader, StateStore};
use prooflight_core::{Error, Reason, Result};

/// The changes in memory that committing a scheme's prepared block adopts: the `NextState` of its [`StateStore`].
pub type NextState = Box<dyn Any + Send>;

/// A reader that proves a scheme's state while further blocks are made.
pub type SchemeReader = Arc<dyn StateReader + Send + Sync>;

/// A [`StateStore`] of any scheme.
pub trait SchemeStore: Send + Sync {
    /// See [`StateStore::height`].
    fn height(&self) -> Option<u64>;

    /// See [`StateStore::root`].
    fn root(&self) -> Vec<u8>;

    /// See [`StateStore::prepare`].
    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<NextState>>;

    /// See [`StateStore::commit`]; a block of another scheme is `invalid_argument`, too.
    fn commit(&mut self, next: NextState) -> Result<()>;

    /// See [`StateStore::prune`].
    fn prune(&mut self, oldest: u64) -> Result<()>;

    /// See [`StateStore::reader`].
    fn reader(&mut self) -> Result<SchemeReader>;
}

/// A [`StateStore`] behind [`SchemeStore`].
struct SchemeStoreOf<T>(T);

/// Opens a [`StateStore`] as a [`SchemeStore`].
pub(super) fn open_as<T>(source: T::Source, params: T::Params) -> Result<Box<dyn SchemeStore>>
where
    T: StateStore<Next: Send, Reader: Send + Sync> + Send + Sync + 'static,
{
    Ok(Box::new(SchemeStoreOf(T::open(source, params)?)))
}

impl<T> SchemeStore for SchemeStoreOf<T>
where
    T: StateStore<Next: Send, Reader: Send + Sync> + Send + Sync + 'static,
{
    fn height(&self) -> Option<u64> {
        self.0.height()
    }

    fn root(&self) -> Vec<u8> {
        self.0.root()
    }

    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<NextState>> {
        let Prepared { root, writes, transition, next } = self.0.prepare(changes)?;
        Ok(Prepared { root, writes, transition, next: Box::new(next) })
    }

    fn commit(&mut self, next: NextState) -> Result<()> {
        let next = next.downcast().map_err(|_| {
            Error::new(Reason::InvalidArgument, "a block that this scheme prepared", "another")
        })?;
        self.0.commit(*next)
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        self.0.prune(oldest)
    }

    fn reader(&mut self) -> Result<SchemeReader> {
        Ok(Arc::new(self.0.reader()?))
    }
}

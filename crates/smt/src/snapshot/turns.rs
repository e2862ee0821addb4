//! Single-flight page reads: one thread reads a page, and others wait for it.

use alloc::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The pages that are being read: the last block of the file, and the number of the page.
#[derive(Debug, Default)]
pub(super) struct Turns {
    taken: Mutex<BTreeSet<(u64, u64)>>,
    freed: Condvar,
}

/// The right to read one page; dropping it releases the page.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    page: (u64, u64),
}

impl Turns {
    /// Waits until no other thread reads this page, and reserves it.
    pub(super) fn take(&self, page: (u64, u64)) -> Turn<'_> {
        let mut taken = self.lock();
        while !taken.insert(page) {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        Turn { turns: self, page }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<(u64, u64)>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.lock().remove(&self.page);
        self.turns.freed.notify_all();
    }
}

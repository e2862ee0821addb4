//! Single-flight page reads: one thread reads a page, and others wait for it.

use alloc::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The pages that are being read: the last block of the file, and the number of the page.
#[derive(Debug, Default)]
pub(crate) struct SingleFlight {
    in_flight: Mutex<BTreeSet<(u64, u64)>>,
    freed: Condvar,
}

/// The right to read one page; dropping it releases the page.
pub(crate) struct FlightGuard<'t> {
    flights: &'t SingleFlight,
    page: (u64, u64),
}

impl SingleFlight {
    /// Waits until no other thread reads this page, and reserves it.
    pub(crate) fn acquire(&self, page: (u64, u64)) -> FlightGuard<'_> {
        let mut taken = self.lock();
        while !taken.insert(page) {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        FlightGuard { flights: self, page }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<(u64, u64)>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FlightGuard<'_> {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.page);
        self.flights.freed.notify_all();
    }
}

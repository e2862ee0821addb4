//! The memory of a file that was written, for the next one.

use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use bytes::{Bytes, BytesMut};

use super::group::Finished;

/// Keeps the largest parts of the last file: new memory of tens of megabytes for each block costs more
/// than what is written into it.
#[derive(Debug, Default)]
pub(super) struct Spare(Mutex<[Vec<u8>; 2]>);

impl Spare {
    /// Empty memory for records and for branches.
    pub(super) fn take(&self) -> [Vec<u8>; 2] {
        core::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the memory of a file that is written, unless the store still has it.
    pub(super) fn keep(&mut self, written: Option<Finished>) {
        let parts = written.map(|file| file.payload.iter().cloned().collect::<Vec<Bytes>>());
        let mut parts = parts.into_iter().flatten().skip(1).map(|part| {
            let mut memory = part.try_into_mut().unwrap_or_else(|_| BytesMut::new());
            memory.clear();
            Vec::from(memory)
        });
        let mut next = || parts.next().unwrap_or_default();
        *self.0.get_mut().unwrap_or_else(PoisonError::into_inner) = [next(), next()];
    }
}

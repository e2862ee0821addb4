//! Reuses the memory of a written file for the next one.

use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use bytes::{Bytes, BytesMut};

use super::group::FinishedFile;

/// Keeps the buffers for the records and branches of the last file: allocating tens of megabytes
/// for each block costs more than filling them.
#[derive(Debug, Default)]
pub(super) struct BufferPool(Mutex<SpareBuffers>);

#[derive(Debug, Default)]
struct SpareBuffers {
    records: Vec<u8>,
    branches: Vec<Vec<u8>>,
}

impl BufferPool {
    /// Returns an empty buffer for records.
    pub(super) fn records(&self) -> Vec<u8> {
        core::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).records)
    }

    /// Returns an empty buffer for one part of the branches.
    pub(super) fn branches(&self) -> Vec<u8> {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memory.branches.pop().unwrap_or_default()
    }

    /// Takes back the buffers of a written file, unless the store still holds them.
    pub(super) fn put_back(&mut self, written: Option<FinishedFile>) {
        let parts = written.map(|file| file.payload.iter().cloned().collect::<Vec<Bytes>>());
        let mut parts = parts.into_iter().flatten().skip(1).map(|part| {
            let mut memory = part.try_into_mut().unwrap_or_else(|_| BytesMut::new());
            memory.clear();
            Vec::from(memory)
        });
        let records = parts.next().unwrap_or_default();
        let memory = SpareBuffers { records, branches: parts.collect() };
        *self.0.get_mut().unwrap_or_else(PoisonError::into_inner) = memory;
    }
}

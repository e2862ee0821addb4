//! The heads of keys that were read since the last block, so that a block need not read them again.

use core::fmt;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prooflight_core::Hash;

use super::record::KeyHead;

/// Heads of keys in the newest state; none for a key that was never written.
#[derive(Default)]
pub(super) struct Remembered(Mutex<HashMap<Hash, Option<KeyHead>>>);

/// The most keys that are remembered: 16 MB.
const MOST: usize = 1 << 17;

impl Remembered {
    /// The head of a key that was read; its absence is remembered too.
    #[expect(clippy::option_option, reason = "whether it is known, then whether there is one")]
    pub(super) fn get(&self, key_hash: &Hash) -> Option<Option<KeyHead>> {
        self.lock().get(key_hash).copied()
    }

    pub(super) fn insert(&self, key_hash: Hash, head: Option<KeyHead>) {
        let mut heads = self.lock();
        if heads.len() < MOST {
            heads.insert(key_hash, head);
        }
    }

    /// Forgets all: the state has changed.
    pub(super) fn clear(&mut self) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Hash, Option<KeyHead>>> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Remembered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remembered").field("keys", &self.lock().len()).finish()
    }
}

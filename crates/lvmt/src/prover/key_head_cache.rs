//! A cache of the key heads read since the last block, for the next block.

use core::fmt;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prooflight_core::Hash;

use super::record::KeyHead;

/// The heads of keys in the newest state; `None` for a key that was never written.
#[derive(Default)]
pub(super) struct KeyHeadCache(Mutex<HashMap<Hash, Option<KeyHead>>>);

/// The largest number of cached keys: 16 MB.
const MAX_CACHED_KEYS: usize = 1 << 17;

impl KeyHeadCache {
    /// The cached head of a key. The outer `None` means not cached, the inner one never written.
    #[expect(clippy::option_option, reason = "whether it is known, then whether there is one")]
    pub(super) fn get(&self, key_hash: &Hash) -> Option<Option<KeyHead>> {
        self.lock().get(key_hash).copied()
    }

    pub(super) fn insert(&self, key_hash: Hash, head: Option<KeyHead>) {
        let mut heads = self.lock();
        if heads.len() < MAX_CACHED_KEYS {
            heads.insert(key_hash, head);
        }
    }

    /// Clears the cache, since the state has changed.
    pub(super) fn clear(&mut self) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Hash, Option<KeyHead>>> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for KeyHeadCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remembered").field("keys", &self.lock().len()).finish()
    }
}

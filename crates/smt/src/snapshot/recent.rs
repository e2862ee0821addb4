//! A cache of recently used values, shared by threads.

use core::hash::Hash;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Recently used values, and older ones: when there are enough recent ones, the older ones are dropped.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    /// The most values of a generation.
    capacity: usize,
    generations: Mutex<[HashMap<K, V>; 2]>,
}

impl<K: Copy + Eq + Hash, V: Clone> Recent<K, V> {
    /// Creates a cache of about this many values, and at least two.
    pub(super) fn new(values: u64) -> Self {
        let capacity = usize::try_from(values / 2).unwrap_or(usize::MAX).max(1);
        Self { capacity, generations: Mutex::default() }
    }

    pub(super) fn get(&self, key: K) -> Option<V> {
        let mut generations = self.lock();
        let [young, old] = &mut *generations;
        if let Some(value) = young.get(&key) {
            return Some(value.clone());
        }
        let value = old.remove(&key)?;
        self.put(&mut generations, key, value.clone());
        Some(value)
    }

    pub(super) fn insert(&self, key: K, value: V) {
        self.put(&mut self.lock(), key, value);
    }

    fn put(&self, [young, old]: &mut [HashMap<K, V>; 2], key: K, value: V) {
        if young.len() >= self.capacity {
            *old = core::mem::take(young);
        }
        young.insert(key, value);
    }

    fn lock(&self) -> MutexGuard<'_, [HashMap<K, V>; 2]> {
        // Nothing panics while it holds the lock with the state half updated.
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_values_stay_and_others_go() {
        let cache = Recent::new(20);
        for key in 0..100 {
            cache.insert(key, key + 1);
            assert_eq!((cache.get(key), cache.get(0)), (Some(key + 1), Some(1)));
        }
        let kept = (0..100).filter(|key| cache.get(*key).is_some()).count();
        assert!((10..=20).contains(&kept), "{kept}");
    }
}

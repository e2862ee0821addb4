//! A cache of recently used values, shared by threads.

use core::hash::{BuildHasherDefault, Hash, Hasher};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Two generations of values: when the young one is full, it becomes the old one, and the previous old
/// one is dropped.
#[derive(Debug)]
pub(crate) struct RecentCache<K, V> {
    /// The maximum weight of a generation.
    capacity: u64,
    generations: Mutex<[CacheGeneration<K, V>; 2]>,
}

/// Values with their weights, and the sum of the weights.
#[derive(Debug)]
struct CacheGeneration<K, V> {
    values: HashMap<K, (u64, V), BuildHasherDefault<KeyHasher>>,
    weight: u64,
}

impl<K, V> Default for CacheGeneration<K, V> {
    fn default() -> Self {
        Self { values: HashMap::default(), weight: 0 }
    }
}

impl<K: Copy + Eq + Hash, V: Clone> RecentCache<K, V> {
    /// Creates a cache of values that together weigh about this much.
    pub(crate) fn new(weight: u64) -> Self {
        Self { capacity: weight / 2, generations: Mutex::default() }
    }

    pub(crate) fn get(&self, key: K) -> Option<V> {
        let mut generations = self.lock();
        let [young, old] = &mut *generations;
        if let Some((_, value)) = young.values.get(&key) {
            return Some(value.clone());
        }
        let (weight, value) = old.remove(key)?;
        self.put(&mut generations, key, weight, value.clone());
        Some(value)
    }

    pub(crate) fn insert(&self, key: K, weight: u64, value: V) {
        self.put(&mut self.lock(), key, weight, value);
    }

    pub(crate) fn remove(&self, key: K) {
        for generation in &mut *self.lock() {
            generation.remove(key);
        }
    }

    /// Keeps only the values whose keys satisfy this.
    pub(crate) fn retain(&self, keep: impl Fn(K) -> bool) {
        for generation in &mut *self.lock() {
            generation.values.retain(|key, _| keep(*key));
            generation.weight = generation.values.values().map(|(weight, _)| weight).sum();
        }
    }

    fn put(&self, [young, old]: &mut [CacheGeneration<K, V>; 2], key: K, weight: u64, value: V) {
        if young.weight.saturating_add(weight) > self.capacity && young.weight > 0 {
            *old = core::mem::take(young);
        }
        young.remove(key);
        young.weight += weight;
        young.values.insert(key, (weight, value));
    }

    fn lock(&self) -> MutexGuard<'_, [CacheGeneration<K, V>; 2]> {
        // Nothing panics while it holds the lock with the state half updated.
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash, V> CacheGeneration<K, V> {
    fn remove(&mut self, key: K) -> Option<(u64, V)> {
        let removed = self.values.remove(&key)?;
        self.weight -= removed.0;
        Some(removed)
    }
}

/// Hashes block numbers and file positions, which no client chooses; several times faster than the
/// standard library's hasher.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u64(&mut self, number: u64) {
        // The golden ratio; the multiplication moves low bits up, the shift moves them down again.
        let mixed = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_values_stay_and_others_go() {
        let cache = RecentCache::new(20);
        for key in 0..100_u64 {
            cache.insert(key, 1, key + 1);
            assert_eq!((cache.get(key), cache.get(0)), (Some(key + 1), Some(1)));
        }
        let kept = (0..100).filter(|key| cache.get(*key).is_some()).count();
        assert!((10..=20).contains(&kept), "{kept}");
    }

    #[test]
    fn values_weigh_what_they_are_said_to() {
        let cache = RecentCache::new(100);
        for key in 0..50_u64 {
            cache.insert(key, 1 + key % 30, ());
            cache.insert(key, 1 + key % 30, ());
            let weight =
                |it: &CacheGeneration<u64, ()>| it.values.values().map(|it| it.0).sum::<u64>();
            let generations = cache.lock();
            assert!(generations.iter().all(|it| it.weight == weight(it) && it.weight <= 50));
        }
        cache.insert(7, 1000, ());
        assert_eq!(cache.get(7), Some(()), "what is heavier than the cache is the only one");
        cache.remove(7);
        assert_eq!(cache.get(7), None);
        let cache = RecentCache::new(100);
        cache.insert(8, 3, ());
        cache.insert(9, 4, ());
        cache.retain(|key| key != 8);
        assert_eq!((cache.get(8), cache.get(9)), (None, Some(())));
        assert_eq!(cache.lock().iter().map(|it| it.weight).sum::<u64>(), 4);
    }
}

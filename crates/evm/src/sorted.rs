//! Maps and sets in sorted lists.
//!
//! The code of a tree is many times as long for each type, and that of a browser's binary counts. A list of thousands of
//! entries is as fast.

use alloc::vec::Vec;
use core::ops::Deref;

/// A map in a sorted list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

/// A set in a sorted list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedSet<K>(Vec<K>);

impl<K: Ord, V> SortedMap<K, V> {
    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.place(key).ok().map(|at| &self.0[at].1)
    }

    /// The value of a key, to be changed; it is inserted if there is none.
    pub(crate) fn get_or_insert(&mut self, key: K, value: V) -> &mut V {
        let at = match self.place(&key) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, value));
                at
            }
        };
        &mut self.0[at].1
    }

    /// Sets the value of a key.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    fn place(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(key))
    }
}

impl<K: Ord> SortedSet<K> {
    /// Adds a value, unless it is there.
    pub(crate) fn insert(&mut self, value: K) {
        if let Err(at) = self.0.binary_search(&value) {
            self.0.insert(at, value);
        }
    }

    /// Adds values.
    pub(crate) fn extend(&mut self, values: impl IntoIterator<Item = K>) {
        values.into_iter().for_each(|value| self.insert(value));
    }
}

/// Of equal keys, the last one counts.
impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        entries.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K> Default for SortedSet<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The entries, ascending.
impl<K, V> Deref for SortedMap<K, V> {
    type Target = [(K, V)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The values, ascending.
impl<K> Deref for SortedSet<K> {
    type Target = [K];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

//! Reads many nodes by descending ids.

use prooflight_core::Result;
use prooflight_core::store::{ReadStore, node_key, require_node};

use super::revision_file::RevisionFile;

/// Reads nodes one after another: from a file if it has them, otherwise from the store, in whole ranges while the ids
/// are close together.
///
/// In a range, a node costs about a tenth of a single read. Ranges grow while the ids stay close, and start small
/// again after a gap.
pub(super) struct DescendingReader<'s, S> {
    store: &'s S,
    file: Option<&'s mut RevisionFile>,
    /// The unused part of the last range, ascending by id.
    ahead: Vec<(u64, Vec<u8>)>,
    /// The id of the last read.
    last_id: Option<u64>,
    /// The number of ids of the last range.
    width: u64,
}

/// Up to this gap between ids, reading the nodes in between is cheaper than another read.
const MAX_ID_GAP: u64 = 32;

/// The largest number of ids in a range.
const MAX_RANGE_IDS: u64 = 1 << 13;

impl<'s, S: ReadStore> DescendingReader<'s, S> {
    pub(super) const fn new(store: &'s S, file: Option<&'s mut RevisionFile>) -> Self {
        Self { store, file, ahead: Vec::new(), last_id: None, width: 1 }
    }

    /// Reads a node, whose id is smaller than all before; `store_corrupt` if absent.
    pub(super) fn read(&mut self, id: u64) -> Result<Vec<u8>> {
        if let Some(node) = self.file.as_mut().and_then(|file| file.take(id)) {
            return Ok(node);
        }
        let before = self.last_id.replace(id);
        if let Some(node) = self.take(id) {
            return Ok(node);
        }
        let is_close = before.is_some_and(|before| before.saturating_sub(id) <= MAX_ID_GAP);
        self.width = if is_close { (4 * self.width).min(MAX_RANGE_IDS) } else { 1 };
        if self.width > 1 {
            // Other revisions have nodes in this range; damage in them does not matter here.
            self.ahead = self.range(id).unwrap_or_default();
            if let Some(node) = self.take(id) {
                return Ok(node);
            }
        }
        require_node(self.store, id)
    }

    /// Takes a node out of the last range, and drops those after it.
    fn take(&mut self, id: u64) -> Option<Vec<u8>> {
        let end = self.ahead.partition_point(|(ahead, _)| *ahead <= id);
        self.ahead.truncate(end);
        self.ahead.pop_if(|(ahead, _)| *ahead == id).map(|(_, node)| node)
    }

    /// Reads the nodes up to an id.
    fn range(&self, last: u64) -> Result<Vec<(u64, Vec<u8>)>> {
        let first = last.saturating_sub(self.width - 1);
        let entries = self.store.range(&node_key(first), &node_key(last.saturating_add(1)));
        let nodes = entries.map(|entry| {
            let (key, node) = entry?;
            Ok(key.last_chunk().map(|id| (u64::from_be_bytes(*id), node)))
        });
        nodes.filter_map(Result::transpose).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use prooflight_core::store::{MemoryStore, Store, StoreEntry, WriteBatch};
    use prooflight_core::{Error, Reason};

    /// Counts reads; ranges fail from some id on.
    struct CountingStore {
        store: MemoryStore,
        points: Cell<u64>,
        ranges: Cell<u64>,
        damaged: u64,
    }

    impl ReadStore for CountingStore {
        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
            self.points.set(self.points.get() + 1);
            self.store.get(key)
        }

        fn range(
            &self,
            from: &[u8],
            to: &[u8],
        ) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
            self.ranges.set(self.ranges.get() + 1);
            let damaged = node_key(self.damaged);
            Box::new(self.store.range(from, to).map(move |entry| {
                let entry = entry?;
                let is_damaged = entry.0 >= damaged;
                if is_damaged { Err(Error::new(Reason::StoreCorrupt, "", "")) } else { Ok(entry) }
            }))
        }
    }

    fn counted(ids: impl IntoIterator<Item = u64>) -> CountingStore {
        let mut store = MemoryStore::default();
        let mut batch = WriteBatch::new();
        for id in ids {
            batch.put(node_key(id), id.to_be_bytes());
        }
        store.write(batch).unwrap();
        CountingStore { store, points: Cell::new(0), ranges: Cell::new(0), damaged: u64::MAX }
    }

    fn read(store: &CountingStore, ids: impl Iterator<Item = u64>) {
        let mut descending = DescendingReader::new(store, None);
        for id in ids.collect::<Vec<_>>().into_iter().rev() {
            assert_eq!(descending.read(id), Ok(id.to_be_bytes().to_vec()), "{id}");
        }
    }

    #[test]
    fn nodes_that_lie_close_are_read_in_few_ranges() {
        let store = counted(0..50_000);
        read(&store, (0..50_000).step_by(7));
        assert_eq!(store.points.get(), 1);
        assert!(store.ranges.get() < 20, "{}", store.ranges.get());
    }

    #[test]
    fn nodes_that_lie_far_apart_are_read_one_by_one() {
        let store = counted(0..50_000);
        read(&store, (0..50_000).step_by(100));
        assert_eq!((store.points.get(), store.ranges.get()), (500, 0));
    }

    #[test]
    fn gaps_and_lone_nodes_are_found() {
        let ids = || (0..300).chain(900..901).chain(2000..2100).chain([u64::MAX - 1, u64::MAX]);
        let store = counted(ids());
        read(&store, ids());
        let mut descending = DescendingReader::new(&store, None);
        assert_eq!(descending.read(2050).unwrap(), 2050_u64.to_be_bytes());
        for missing in [2040, 1990, 1000, 899] {
            let refused = descending.read(missing);
            assert_eq!(refused.is_err(), missing < 2000, "{missing}");
        }
    }

    #[test]
    fn damage_beside_the_nodes_does_not_matter() {
        let store = CountingStore { damaged: 700, ..counted(0..1000) };
        read(&store, (0..1000).step_by(3));
        assert!(store.ranges.get() > 0 && store.points.get() >= 100);
    }
}

//! A bucketed max-queue of node ids still to be read.

use std::collections::{BTreeMap, BinaryHeap};

use crate::tree::NodeId;

/// Ids of nodes, each with the node's index in memory.
///
/// Only the bucket with the largest ids is kept in heap order. Of a million ids, most are never sorted while they are
/// queued, and the heap stays in the processor's cache.
#[derive(Default)]
pub(super) struct NodeQueue {
    /// The ids of the largest bucket and above.
    largest: BinaryHeap<(u64, NodeId)>,
    /// The smallest id that `largest` takes.
    from: u64,
    /// The others, by bucket.
    below: BTreeMap<u64, Vec<(u64, NodeId)>>,
}

/// log2 of the number of ids in a bucket.
const LOG_BUCKET_IDS: u32 = 15;

impl NodeQueue {
    pub(super) fn push(&mut self, id: u64, at: NodeId) {
        if id >= self.from {
            self.largest.push((id, at));
        } else {
            self.below.entry(id >> LOG_BUCKET_IDS).or_default().push((id, at));
        }
    }

    /// Takes the largest id.
    pub(super) fn pop(&mut self) -> Option<(u64, NodeId)> {
        if self.largest.is_empty() {
            let (bucket, ids) = self.below.pop_last()?;
            self.from = bucket << LOG_BUCKET_IDS;
            self.largest = ids.into();
        }
        self.largest.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_in_descending_order_whenever_they_were_added() {
        let mut unread = NodeQueue::default();
        let mut expected = BinaryHeap::new();
        let mut random = 1_u64;
        for round in 0..2000 {
            for _ in 0..round % 5 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Below the last id, as children are; most of them far below.
                let last = expected.peek().map_or(1_u64 << 20, |(id, _)| *id);
                let id = last.saturating_sub(random >> (44 + random % 16));
                unread.push(id, round);
                expected.push((id, round));
            }
            let (found, next) = (unread.pop(), expected.pop());
            assert_eq!(found.map(|it| it.0), next.map(|it| it.0));
        }
        while let Some((id, _)) = expected.pop() {
            assert_eq!(unread.pop().map(|it| it.0), Some(id));
        }
        assert!(unread.pop().is_none());
    }
}

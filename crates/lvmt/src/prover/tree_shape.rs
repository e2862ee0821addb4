//! The numbers of the nodes of the root AMT's tree state, and the entries below them.

use alloc::vec::Vec;

use prooflight_amt::{EntryChange, IndexClass, SLOTS};
use prooflight_core::Result;

use super::params::StoreParams;
use super::shard::ProofShard;

/// The versions of an entry.
pub(super) type EntryVersions = [u64; SLOTS];

/// The changes that lead from the versions of an AMT to later ones.
pub(super) fn version_steps<'v>(
    before: &'v [EntryVersions],
    after: &'v [EntryVersions],
) -> impl Iterator<Item = EntryChange> + 'v {
    (0..).zip(before.iter().zip(after)).flat_map(|(index, (before, after))| {
        let steps = |(before, after): (&u64, &u64)| after.saturating_sub(*before).cast_signed();
        let change = move |(slot, steps)| EntryChange::version(index, slot, steps);
        let all = (0..).zip(before.iter().zip(after).map(steps));
        all.filter(|(_, steps)| *steps != 0).map(change)
    })
}

/// The shape of a tree state: its nodes are numbered level by level.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeShape {
    log_n: u8,
    log_arity: u8,
    /// The indices that are opened.
    pub(super) class: IndexClass,
}

impl TreeShape {
    /// The shape of a store's tree state; `None` if it proves nothing.
    pub(super) fn of(params: &StoreParams) -> Result<Option<Self>> {
        let class = match params.shard {
            ProofShard::None => return Ok(None),
            ProofShard::Class { bits, value } => IndexClass::new(bits, value)?,
            ProofShard::Full => IndexClass::ALL,
        };
        Ok(Some(Self { log_n: params.log_n(), log_arity: params.log_arity, class }))
    }

    /// The number of points of a node for each slot.
    pub(super) const fn points(&self) -> usize {
        (1 << self.log_arity) - 1
    }

    /// The node with a number in its level: the index of an entry below it, modulo `2^(log_arity level)`.
    pub(super) fn node(&self, level: u8, number: u32) -> u32 {
        self.first(level) + (number >> self.shared(level))
    }

    /// The indices of the entries below a node of the last level, ascending; empty for another node.
    pub(super) fn entries(&self, node: u32) -> Vec<u32> {
        let last = self.log_n / self.log_arity - 1;
        let Some(in_level) = node.checked_sub(self.first(last)) else { return Vec::new() };
        let shared = self.shared(last);
        let number = in_level << shared | self.class.value() & ((1 << shared) - 1);
        (0..1 << self.log_arity).map(|child| number | child << (self.log_arity * last)).collect()
    }

    /// The versions of an entry that a record has: zeros for one outside the class.
    pub(super) const fn recorded(&self, index: u32, versions: EntryVersions) -> EntryVersions {
        if self.class.contains(index) { versions } else { [0; SLOTS] }
    }

    /// The first node of a level.
    fn first(&self, level: u8) -> u32 {
        (0..level).map(|above| 1_u32 << (self.log_arity * above - self.shared(above))).sum()
    }

    /// The bits of a node's number in a level that are the same for the whole class.
    fn shared(&self, level: u8) -> u8 {
        (self.log_arity * level).min(self.class.bits())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn every_index_of_a_class_is_below_one_node_of_the_last_level() {
        for (log_arity, bits) in [(1, 0), (1, 3), (2, 0), (2, 1), (2, 3), (2, 5), (2, 6), (3, 4)] {
            for value in 0..1 << bits {
                let class = IndexClass::new(bits, value).unwrap();
                let shape = TreeShape { log_n: 6, log_arity, class };
                let last = 6 / log_arity - 1;
                for index in (0..64).filter(|index| class.contains(*index)) {
                    let node = shape.node(last, index & ((1 << (log_arity * last)) - 1));
                    let places = shape.entries(node);
                    assert_eq!(places.iter().filter(|place| **place == index).count(), 1);
                    assert!(node == 0 || shape.entries(node - 1).iter().all(|it| *it != index));
                }
            }
        }
    }
}

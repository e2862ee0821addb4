//! The past versions of an entry, and their tree.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter;

use prooflight_core::merkle::{Blake2bTree, Subtree, multiproof, node_hash};
use prooflight_core::{Hash, Result};

use super::leaf::{VersionContent, VersionExcerpt};
use crate::hash::{EMPTY_PAST_ROOT, hash_value, past_root};

/// Past versions, oldest first, at least one. Most entries have only one, which needs no further allocation.
#[derive(Clone, Debug)]
pub(super) struct PastVersions {
    first: PastVersion,
    /// The first version's hash as a leaf.
    first_leaf: Hash,
    later: Vec<PastVersion>,
    /// The roots of the perfect trees over the versions, each after the two below it; without the first leaf, which
    /// would stand before them.
    nodes: Vec<Hash>,
}

/// A past version.
#[derive(Clone, Debug)]
pub(super) struct PastVersion {
    pub(super) block: u64,
    /// `None` for a tombstone.
    pub(super) value: Option<Box<[u8]>>,
}

impl PastVersion {
    /// The content, with the value itself if the version's block is at most `shown_until`.
    fn content(&self, shown_until: u64) -> VersionContent<'_> {
        match &self.value {
            None => VersionContent::Tombstone,
            Some(value) if self.block <= shown_until => VersionContent::Value(Cow::Borrowed(value)),
            Some(value) => VersionContent::Hash(hash_value(value)),
        }
    }
}

impl PastVersions {
    /// The first version, with its hash as a leaf.
    pub(super) const fn new(first: PastVersion, leaf: Hash) -> Self {
        Self { first, first_leaf: leaf, later: Vec::new(), nodes: Vec::new() }
    }

    /// The number of versions.
    pub(super) fn len(&self) -> u64 {
        1 + self.later.len() as u64
    }

    /// Some versions, with their values up to a block.
    pub(super) fn excerpt(&self, numbers: &[u64], shown_until: u64) -> Result<VersionExcerpt<'_>> {
        let version = |&number: &u64| match usize::try_from(number).ok()?.checked_sub(1) {
            None => Some(&self.first),
            Some(later) => self.later.get(later),
        };
        let versions = numbers.iter().filter_map(version);
        let parts = multiproof(numbers, self.len())?;
        Ok(VersionExcerpt {
            versions: versions.map(|it| (it.block, it.content(shown_until))).collect(),
            hashes: parts.into_iter().map(|part| self.root_of(part)).collect(),
        })
    }

    /// The number of versions of blocks before this one.
    pub(super) fn before(&self, block: u64) -> u64 {
        if self.first.block >= block {
            return 0;
        }
        1 + self.later.partition_point(|version| version.block < block) as u64
    }

    /// Adds the next version, with its hash as a leaf.
    pub(super) fn push(&mut self, version: PastVersion, leaf: Hash) {
        let mut hash = leaf;
        for level in 0..self.len().trailing_ones() {
            // The left subtree ends where the right one, which has just been added, begins.
            let left = 1 + self.nodes.len() - ((1 << (level + 1)) - 1);
            self.nodes.push(hash);
            let left = self.node(left).copied().unwrap_or_default();
            hash = node_hash::<Blake2bTree>(&left, &hash);
        }
        self.nodes.push(hash);
        self.later.push(version);
    }

    /// The root over the versions.
    pub(super) fn root(&self) -> Hash {
        self.root_of(Subtree { start: 0, size: self.len() })
    }

    /// The roots of the perfect trees over the versions, largest first.
    pub(super) fn peaks(&self) -> Vec<Hash> {
        self.peaks_of(Subtree { start: 0, size: self.len() })
    }

    /// The root over some versions: a subtree of the whole tree.
    pub(super) fn root_of(&self, part: Subtree) -> Hash {
        if part.size.is_power_of_two() {
            let mut peaks = peaks_of(part).filter_map(|peak| self.peak(peak));
            return peaks.next().copied().unwrap_or(EMPTY_PAST_ROOT);
        }
        past_root(&self.peaks_of(part), None)
    }

    fn peaks_of(&self, part: Subtree) -> Vec<Hash> {
        peaks_of(part).filter_map(|peak| self.peak(peak)).copied().collect()
    }

    fn peak(&self, Peak { last, level }: Peak) -> Option<&Hash> {
        // Before a leaf stand the leaves before it and the nodes above two of them; after it those above it.
        let place = 2 * last - u64::from(last.count_ones()) + u64::from(level);
        self.node(usize::try_from(place).ok()?)
    }

    fn node(&self, place: usize) -> Option<&Hash> {
        match place.checked_sub(1) {
            None => Some(&self.first_leaf),
            Some(later) => self.nodes.get(later),
        }
    }
}

/// A perfect tree over versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    /// The number of its last version, which completes it.
    pub(super) last: u64,
    /// The number of levels above the versions.
    pub(super) level: u32,
}

/// The perfect trees of which a subtree is made, largest first.
pub(super) fn peaks_of(part: Subtree) -> impl Iterator<Item = Peak> {
    let (mut start, end) = (part.start, part.start + part.size);
    iter::from_fn(move || {
        let level = (end - start).checked_ilog2()?;
        let last = start + (1 << level) - 1;
        start = last + 1;
        Some(Peak { last, level })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::KeyVersion;
    use alloc::vec;
    use prooflight_core::merkle::root;

    #[test]
    fn roots_are_those_over_the_leaves() {
        let version =
            |block| (PastVersion { block, value: None }, KeyVersion { block, value: None });
        let (first, of_leaf) = version(0);
        let mut past = PastVersions::new(first, of_leaf.past_leaf());
        let mut leaves = vec![of_leaf.past_leaf()];
        for block in 1..=40 {
            assert_eq!(past.root(), root::<Blake2bTree>(&leaves), "{block} versions");
            assert_eq!(past.peaks().len(), leaves.len().count_ones() as usize);
            assert_eq!(
                [past.len(), past.before(block), past.before(block - 1)],
                [block, block, block - 1]
            );
            for index in 0..past.len() {
                for part in multiproof(&[index], past.len()).unwrap() {
                    let [start, size] =
                        [part.start, part.size].map(|it| usize::try_from(it).unwrap());
                    let expected = root::<Blake2bTree>(&leaves[start..start + size]);
                    assert_eq!(past.root_of(part), expected, "{part:?} of {block}");
                }
            }
            let (next, of_leaf) = version(block);
            past.push(next, of_leaf.past_leaf());
            leaves.push(of_leaf.past_leaf());
        }
    }
}

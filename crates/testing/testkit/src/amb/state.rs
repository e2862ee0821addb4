//! A dictionary of all versions of all keys, and the answers that follow from it alone.

use std::collections::BTreeMap;

use prooflight_core::{Hash, blake2b256};

use super::tree::{KeyVersion, NodeRecord, TreeNode, grow};

/// A key and its new value; `None` deletes it.
pub type KeyOp = (Vec<u8>, Option<Vec<u8>>);

/// The state after a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AmbModel {
    /// The newest block; also 0 before the first block.
    pub height: u64,
    /// The versions of each key, ascending.
    pub entries: BTreeMap<Vec<u8>, Vec<KeyVersion>>,
}

impl AmbModel {
    /// The state after these blocks, from block 0 on.
    pub fn after<const N: usize>(blocks: [&[(&str, Option<&str>)]; N]) -> Self {
        let mut state = Self::default();
        for (height, block) in (0..).zip(blocks) {
            let ops = block.iter().map(|(key, value)| {
                (key.as_bytes().to_vec(), value.map(|value| value.as_bytes().to_vec()))
            });
            state.apply(height, ops);
        }
        state
    }

    /// Applies a block's operations. The last one on a key counts; a deletion of a key without a value does nothing.
    pub fn apply(&mut self, height: u64, ops: impl IntoIterator<Item = KeyOp>) {
        assert!(height >= self.height, "blocks ascend");
        self.height = height;
        for (key, value) in ops.into_iter().collect::<BTreeMap<_, _>>() {
            let is_live = self.at(&key, height).is_some_and(|(_, value)| value.is_some());
            if value.is_some() || is_live {
                self.entries.entry(key).or_default().push((height, value));
            }
        }
    }

    /// The state after an earlier block.
    #[must_use]
    pub fn as_of(&self, height: u64) -> Self {
        let mut entries = self.entries.clone();
        for versions in entries.values_mut() {
            versions.retain(|(block, _)| *block <= height);
        }
        entries.retain(|_, versions| !versions.is_empty());
        Self { height, entries }
    }

    /// The last version of a key up to a block.
    pub fn at(&self, key: &[u8], block: u64) -> Option<&KeyVersion> {
        self.entries.get(key)?.iter().rfind(|(written, _)| *written <= block)
    }

    /// The tree, unless it is empty.
    pub fn tree(&self) -> Option<TreeNode> {
        let entries = self.entries.iter().map(|(key, versions)| (&key[..], &versions[..]));
        grow(&entries.collect::<Vec<_>>())
    }

    /// The root.
    pub fn root(&self) -> Hash {
        let record = self.tree().map_or(NodeRecord::EMPTY, |tree| tree.record);
        blake2b256(&[&[0x15], &record.encode()])
    }

    /// The keys in a range; without `hi` it has no end.
    pub fn keys_in<'a>(
        &'a self,
        lo: &'a [u8],
        hi: Option<&'a [u8]>,
    ) -> impl Iterator<Item = &'a [u8]> {
        let keys = self.entries.keys().map(|key| &key[..]);
        keys.filter(move |key| lo <= *key && hi.is_none_or(|hi| *key < hi))
    }
}

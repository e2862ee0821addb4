//! The tree as the specification defines it: recursive, and rehashed every time.
#![allow(unreachable_pub, reason = "nothing is exported from a test")]

use std::collections::BTreeMap;

use blake2s_simd::Params;
use prooflight_core::Hash;
use prooflight_smt::tree::{HashedChange, KeyEntry};

#[derive(Default)]
pub struct ByHash {
    pub entries: BTreeMap<Hash, KeyEntry>,
}

impl ByHash {
    /// The last change of a key counts; a delete of a key that is not live does nothing.
    pub fn apply(&mut self, height: u64, changes: &[HashedChange]) {
        let last: BTreeMap<_, _> = changes.iter().map(|it| (it.key_hash, it.value_hash)).collect();
        for (key_hash, value_hash) in last {
            let live = self.entries.get(&key_hash).is_some_and(|it| it.value_hash.is_some());
            if value_hash.is_some() || live {
                self.entries.insert(key_hash, KeyEntry { height, value_hash });
            }
        }
    }

    pub fn root(&self) -> Hash {
        let leaves: Vec<_> = self.entries.iter().map(|(k, e)| (*k, *e)).collect();
        if leaves.is_empty() { [0; 32] } else { node(&leaves, 0).1 }
    }
}

fn node(leaves: &[(Hash, KeyEntry)], depth: u16) -> (u64, Hash) {
    if let [(key_hash, KeyEntry { height, value_hash })] = leaves {
        let tag = if value_hash.is_some() { 0x010 } else { 0x011 };
        let pair = [*key_hash, value_hash.unwrap_or_default()].concat();
        return (*height, hash(height << 12 | 0xfff, tag, &pair));
    }
    let bit = |kh: &Hash| kh[usize::from(depth / 8)] >> (7 - depth % 8) & 1;
    let middle = leaves.partition_point(|(key_hash, _)| bit(key_hash) == 0);
    if middle == 0 || middle == leaves.len() {
        return node(leaves, depth + 1);
    }
    let left = node(&leaves[..middle], depth + 1);
    let right = node(&leaves[middle..], depth + 1);
    (left.0.max(right.0), branch(u8::try_from(depth).unwrap(), left, right))
}

/// The hash of a branch from its children's heights and hashes.
pub fn branch(depth: u8, left: (u64, Hash), right: (u64, Hash)) -> Hash {
    let tag = if left.0 >= right.0 { 0x001 } else { 0x002 };
    let (height, other) = (left.0.max(right.0), left.0.min(right.0));
    hash(height << 12 | u64::from(depth), other << 12 | tag, &[left.1, right.1].concat())
}

fn hash(salt: u64, personal: u64, message: &[u8]) -> Hash {
    let mut params = Params::new();
    params.salt(&salt.to_le_bytes()).personal(&personal.to_le_bytes());
    *params.hash(message).as_array()
}

//! Labels of nodes, hashed several at once where the machine can.
//!
//! Nodes of one level do not depend on each other, so a whole level goes to `blake2b_simd`, which
//! hashes four in the time of one and a half with AVX2. In wasm, two lanes of simd128 measure no
//! faster than plain words, so each is hashed on its own.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use blake2::Blake2b;
use blake2::digest::{Digest as _, consts::U32};

use crate::params::{LABEL_LENGTH, Label};

/// BLAKE2b with 32 bytes of output, which is not BLAKE2b-512 cut short.
pub(crate) type Blake2b256 = Blake2b<U32>;

/// BLAKE2b-256(0x00 || key || value || next key).
#[cfg(feature = "prover")]
pub(crate) fn leaf_label(key: &[u8], value: &[u8], next_key: &[u8]) -> Label {
    let hash = Blake2b256::new().chain_update([0]).chain_update(key).chain_update(value);
    hash.chain_update(next_key).finalize().into()
}

/// BLAKE2b-256(0x01 || balance || left label || right label).
#[cfg(feature = "prover")]
pub(crate) fn internal_label(balance: i8, left: &Label, right: &Label) -> Label {
    let [balance] = balance.to_be_bytes();
    let hash = Blake2b256::new().chain_update([1, balance]).chain_update(left);
    hash.chain_update(right).finalize().into()
}

/// What a label is the hash of.
pub(crate) enum Preimage<'n> {
    Leaf { key: &'n [u8], value: &'n [u8], next_key: &'n [u8] },
    Internal { balance: i8, left: &'n Label, right: &'n Label },
}

/// Nodes that can be hashed level by level.
pub(crate) trait Hashed {
    /// What a node's label is the hash of; its children's labels are known.
    fn preimage(&self, node: u32) -> Preimage<'_>;
    fn set_label(&mut self, node: u32, label: Label);
}

/// Nodes in groups that can be hashed together: children are in an earlier group than parents.
pub(crate) struct Levels {
    order: Vec<u32>,
    /// Where each level ends in `order`.
    ends: Vec<usize>,
}

impl Levels {
    /// Groups nodes by level, the lowest first.
    pub(crate) fn new(nodes: &[u32], level: impl Fn(u32) -> u32) -> Self {
        let highest = nodes.iter().map(|&node| level(node)).max().unwrap_or(0);
        let mut starts = vec![0; highest as usize + 2];
        for &node in nodes {
            starts[level(node) as usize + 1] += 1;
        }
        for level in 1..starts.len() {
            starts[level] += starts[level - 1];
        }
        let mut order = vec![0; nodes.len()];
        for &node in nodes {
            let place = &mut starts[level(node) as usize];
            order[*place] = node;
            *place += 1;
        }
        // Filling a level has moved its start to its end.
        starts.pop();
        Self { order, ends: starts }
    }

    /// Hashes every node.
    pub(crate) fn hash(&self, nodes: &mut impl Hashed) {
        let mut message = Vec::with_capacity(AT_ONCE * 128);
        let mut start = 0;
        for &end in &self.ends {
            for group in self.order[start..end].chunks(AT_ONCE) {
                message.clear();
                let mut ranges: [Range<usize>; AT_ONCE] = core::array::from_fn(|_| 0..0);
                for (range, &node) in ranges.iter_mut().zip(group) {
                    range.start = message.len();
                    append(&mut message, &nodes.preimage(node));
                    range.end = message.len();
                }
                let labels = hash_ranges(&message, &ranges, group.len());
                for (&node, label) in group.iter().zip(labels) {
                    nodes.set_label(node, label);
                }
            }
            start = end;
        }
    }
}

/// How many nodes are hashed at once.
const AT_ONCE: usize = 8;

fn append(message: &mut Vec<u8>, preimage: &Preimage<'_>) {
    match preimage {
        Preimage::Leaf { key, value, next_key } => {
            message.push(0);
            message.extend_from_slice(key);
            message.extend_from_slice(value);
            message.extend_from_slice(next_key);
        }
        Preimage::Internal { balance, left, right } => {
            let [balance] = balance.to_be_bytes();
            message.extend_from_slice(&[1, balance]);
            message.extend_from_slice(&left[..]);
            message.extend_from_slice(&right[..]);
        }
    }
}

/// BLAKE2b-256 of the first `count` ranges of `message`; the other labels are unspecified.
#[cfg(all(feature = "std", not(target_family = "wasm")))]
fn hash_ranges(message: &[u8], ranges: &[Range<usize>; AT_ONCE], count: usize) -> [Label; AT_ONCE] {
    use blake2b_simd::Params;
    use blake2b_simd::many::{HashManyJob, hash_many};

    let mut params = Params::new();
    params.hash_length(LABEL_LENGTH);
    let mut jobs: [HashManyJob<'_>; AT_ONCE] =
        core::array::from_fn(|i| HashManyJob::new(&params, &message[ranges[i].clone()]));
    hash_many(jobs.iter_mut().take(count));
    core::array::from_fn(|i| {
        let mut label = [0; LABEL_LENGTH];
        if i < count {
            label.copy_from_slice(jobs[i].to_hash().as_bytes());
        }
        label
    })
}

/// BLAKE2b-256 of the first `count` ranges of `message`; the other labels are unspecified.
#[cfg(not(all(feature = "std", not(target_family = "wasm"))))]
fn hash_ranges(message: &[u8], ranges: &[Range<usize>; AT_ONCE], count: usize) -> [Label; AT_ONCE] {
    let mut labels = [[0; LABEL_LENGTH]; AT_ONCE];
    for (label, range) in labels.iter_mut().zip(ranges).take(count) {
        *label = Blake2b256::digest(&message[range.clone()]).into();
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leaves of every length up to three blocks, then a parent over each.
    struct Forest {
        values: Vec<Vec<u8>>,
        labels: Vec<Label>,
    }

    impl Hashed for Forest {
        fn preimage(&self, node: u32) -> Preimage<'_> {
            if let Some(value) = self.values.get(node as usize) {
                return Preimage::Leaf { key: b"key", value, next_key: b"next" };
            }
            let below = &self.labels[node as usize - self.values.len()];
            Preimage::Internal { balance: -1, left: below, right: below }
        }

        fn set_label(&mut self, node: u32, label: Label) {
            self.labels[node as usize] = label;
        }
    }

    #[test]
    fn levels_hash_as_single_nodes_do() {
        let values: Vec<Vec<u8>> =
            (0..400u16).map(|n| vec![n.to_be_bytes()[1]; n.into()]).collect();
        let count = values.len();
        let nodes: Vec<u32> = (0..).take(2 * count).collect();
        let mut forest = Forest { values, labels: vec![[0; 32]; 2 * count] };
        Levels::new(&nodes, |node| u32::from(node as usize >= count)).hash(&mut forest);
        for (n, value) in forest.values.iter().enumerate() {
            let leaf: Label = Blake2b256::digest([b"\0key", &value[..], b"next"].concat()).into();
            assert_eq!(forest.labels[n], leaf);
            let parent: Label = Blake2b256::digest([&[1, 0xff], &leaf[..], &leaf].concat()).into();
            assert_eq!(forest.labels[n + count], parent);
        }
    }
}

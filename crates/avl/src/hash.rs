//! Labels of nodes.
//!
//! Nodes of one level do not depend on each other, so natively a whole level goes to `blake2b_simd`,
//! which hashes four at once with AVX2. In wasm, two lanes of simd128 measured no faster than plain
//! words, so each node is hashed on its own.

use prooflight_core::blake2b256;

use crate::params::{LABEL_LENGTH, Label};

/// The preimage of a label.
pub(crate) enum LabelPreimage<'n> {
    /// 0x00 || key || value || next key.
    Leaf { key: &'n [u8], value: &'n [u8], next_key: &'n [u8] },
    /// 0x01 || balance || left label || right label.
    Internal { balance: i8, left: &'n Label, right: &'n Label },
}

impl LabelPreimage<'_> {
    /// The label, hashed on its own.
    pub(crate) fn label(&self) -> Label {
        match self {
            Self::Leaf { key, value, next_key } => {
                let mut block = [0; BLAKE2B_BLOCK_BYTES];
                let parts: [&[u8]; 4] = [&[0], key, value, next_key];
                match join(&mut block, parts) {
                    Some(message) => blake2b256(&[message]),
                    None => blake2b256(&parts),
                }
            }
            Self::Internal { balance, left, right } => {
                blake2b256(&[&internal_message(*balance, left, right)])
            }
        }
    }
}

/// Bytes in a block of BLAKE2b.
const BLAKE2B_BLOCK_BYTES: usize = 128;

/// Concatenates the parts if they fit into one block: hashing one block is faster than one call per part.
fn join<'b>(block: &'b mut [u8; BLAKE2B_BLOCK_BYTES], parts: [&[u8]; 4]) -> Option<&'b [u8]> {
    let mut end = 0;
    for part in parts {
        let start = end;
        end += part.len();
        block.get_mut(start..end)?.copy_from_slice(part);
    }
    Some(&block[..end])
}

/// The length of an internal node's preimage.
const INTERNAL_PREIMAGE_BYTES: usize = 2 + 2 * LABEL_LENGTH;

fn internal_message(balance: i8, left: &Label, right: &Label) -> [u8; INTERNAL_PREIMAGE_BYTES] {
    let mut message = [1; INTERNAL_PREIMAGE_BYTES];
    [message[1]] = balance.to_be_bytes();
    message[2..2 + LABEL_LENGTH].copy_from_slice(left);
    message[2 + LABEL_LENGTH..].copy_from_slice(right);
    message
}

/// Nodes that can be hashed, children before parents.
pub(crate) trait HashableNodes {
    /// The preimage of a node's label; its children's labels must be known.
    fn preimage(&self, node: u32) -> LabelPreimage<'_>;
    fn set_label(&mut self, node: u32, label: Label);
}

/// Hashes every node of a list in which children come before parents.
///
/// `level` is 0 for leaves; an internal node's is higher than those of its children in the list.
#[cfg(not(all(feature = "std", not(target_family = "wasm"))))]
pub(crate) fn hash_nodes<N: HashableNodes>(
    nodes: &mut N,
    children_first: &[u32],
    _level: impl Fn(&N, u32) -> u32,
) {
    for &node in children_first {
        let label = nodes.preimage(node).label();
        nodes.set_label(node, label);
    }
}

#[cfg(all(feature = "std", not(target_family = "wasm")))]
pub(crate) use levels::hash_nodes;

/// Appends the preimage of a label.
#[cfg(feature = "prover")]
pub(crate) fn write_preimage(preimage: &LabelPreimage<'_>, message: &mut Vec<u8>) {
    match preimage {
        LabelPreimage::Leaf { key, value, next_key } => {
            message.push(0);
            message.extend_from_slice(key);
            message.extend_from_slice(value);
            message.extend_from_slice(next_key);
        }
        LabelPreimage::Internal { balance, left, right } => {
            message.extend_from_slice(&internal_message(*balance, left, right));
        }
    }
}

/// The labels of preimages, hashed together.
#[cfg(all(feature = "prover", not(target_family = "wasm")))]
pub(crate) fn labels<'m>(messages: impl Iterator<Item = &'m [u8]>) -> impl Iterator<Item = Label> {
    use blake2b_simd::Params;
    use blake2b_simd::many::{HashManyJob, hash_many};

    let mut params = Params::new();
    params.hash_length(LABEL_LENGTH);
    let mut jobs: Vec<_> = messages.map(|message| HashManyJob::new(&params, message)).collect();
    hash_many(&mut jobs);
    jobs.into_iter().map(|job| {
        let mut label = [0; LABEL_LENGTH];
        label.copy_from_slice(job.to_hash().as_bytes());
        label
    })
}

#[cfg(all(feature = "prover", target_family = "wasm"))]
pub(crate) fn labels<'m>(messages: impl Iterator<Item = &'m [u8]>) -> impl Iterator<Item = Label> {
    messages.map(|message| blake2b256(&[message]))
}

#[cfg(all(feature = "std", not(target_family = "wasm")))]
mod levels {
    use alloc::vec;
    use alloc::vec::Vec;

    use blake2b_simd::Params;
    use blake2b_simd::many::{HashManyJob, hash_many};

    use super::{HashableNodes, INTERNAL_PREIMAGE_BYTES, LabelPreimage, internal_message};
    use crate::params::LABEL_LENGTH;

    /// The number of nodes hashed at once.
    const HASH_BATCH: usize = 8;

    /// Hashes every node of a list in which children come before parents.
    ///
    /// `level` is 0 for leaves; an internal node's is higher than those of its children in the list.
    pub(crate) fn hash_nodes<N: HashableNodes>(
        nodes: &mut N,
        children_first: &[u32],
        level: impl Fn(&N, u32) -> u32,
    ) {
        let (order, ends) = sort_by_level(children_first, |node| level(nodes, node));
        let mut leaves = Vec::with_capacity(HASH_BATCH * 128);
        let mut internal = [[0; INTERNAL_PREIMAGE_BYTES]; HASH_BATCH];
        let mut start = 0;
        for end in ends {
            for group in order[start..end].chunks(HASH_BATCH) {
                let mut ends = [0; HASH_BATCH];
                leaves.clear();
                for (at, &node) in group.iter().enumerate() {
                    match nodes.preimage(node) {
                        LabelPreimage::Leaf { key, value, next_key } => {
                            leaves.push(0);
                            leaves.extend_from_slice(key);
                            leaves.extend_from_slice(value);
                            leaves.extend_from_slice(next_key);
                        }
                        LabelPreimage::Internal { balance, left, right } => {
                            internal[at] = internal_message(balance, left, right);
                        }
                    }
                    ends[at] = leaves.len();
                }
                // A level has only leaves or only internal nodes.
                let messages: [&[u8]; HASH_BATCH] = if leaves.is_empty() {
                    core::array::from_fn(|at| &internal[at][..])
                } else {
                    let start = |at: usize| at.checked_sub(1).map_or(0, |before| ends[before]);
                    core::array::from_fn(|at| leaves.get(start(at)..ends[at]).unwrap_or_default())
                };
                hash_group(nodes, group, messages);
            }
            start = end;
        }
    }

    fn hash_group(nodes: &mut impl HashableNodes, group: &[u32], messages: [&[u8]; HASH_BATCH]) {
        let mut params = Params::new();
        params.hash_length(LABEL_LENGTH);
        let mut jobs = messages.map(|message| HashManyJob::new(&params, message));
        hash_many(jobs.iter_mut().take(group.len()));
        for (&node, job) in group.iter().zip(&jobs) {
            let mut label = [0; LABEL_LENGTH];
            label.copy_from_slice(job.to_hash().as_bytes());
            nodes.set_label(node, label);
        }
    }

    /// The nodes in ascending order of their levels, and where each level ends.
    fn sort_by_level(nodes: &[u32], level: impl Fn(u32) -> u32) -> (Vec<u32>, Vec<usize>) {
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
        // Filling a level moved its start to its end.
        starts.pop();
        (order, starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Leaves of every length up to three blocks, then a parent over each.
    struct TestForest {
        values: Vec<Vec<u8>>,
        labels: Vec<Label>,
    }

    impl HashableNodes for TestForest {
        fn preimage(&self, node: u32) -> LabelPreimage<'_> {
            if let Some(value) = self.values.get(node as usize) {
                return LabelPreimage::Leaf { key: b"key", value, next_key: b"next" };
            }
            let below = &self.labels[node as usize - self.values.len()];
            LabelPreimage::Internal { balance: -1, left: below, right: below }
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
        let mut forest = TestForest { values, labels: vec![[0; 32]; 2 * count] };
        hash_nodes(&mut forest, &nodes, |_, node| u32::from(node as usize >= count));
        for (n, value) in forest.values.iter().enumerate() {
            let leaf = blake2b256(&[b"\0key", value, b"next"]);
            assert_eq!(forest.labels[n], leaf);
            let parent = blake2b256(&[&[1, 0xff], &leaf, &leaf]);
            assert_eq!(forest.labels[n + count], parent);
        }
    }
}

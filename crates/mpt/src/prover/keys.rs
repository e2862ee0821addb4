//! Proofs of several keys in one walk.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::store::ReadStore;
use prooflight_core::{Hash, Result};

use super::node::{ChildLink, TrieNode};
use super::overlay::Overlay;
use super::record::TrieRoot;
use crate::nibbles::nibble;

/// Keys with their proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedKeys {
    /// The value of each key; `None` if it is absent.
    pub values: Vec<Option<Vec<u8>>>,
    /// The nodes on the paths of the keys, each once: depth first, nibbles ascending.
    pub nodes: Vec<Vec<u8>>,
}

impl TrieRoot {
    /// Proves keys, which must ascend without repetition.
    pub fn prove_keys<S: ReadStore + ?Sized>(
        &self,
        store: &S,
        keys: &[Hash],
    ) -> Result<ProvedKeys> {
        let mut proved = ProvedKeys { values: vec![None; keys.len()], nodes: Vec::new() };
        if !keys.is_empty() {
            let mut walk =
                ProofWalk { overlay: Overlay::new(store, u64::MAX), nodes: &mut proved.nodes };
            walk.visit(&self.0.into(), 0, keys, &mut proved.values)?;
        }
        Ok(proved)
    }
}

struct ProofWalk<'a, S: ?Sized> {
    overlay: Overlay<'a, S>,
    nodes: &'a mut Vec<Vec<u8>>,
}

impl<S: ReadStore + ?Sized> ProofWalk<'_, S> {
    /// Visits a node that all the keys lead to, `depth` nibbles below the root, and finds their values.
    fn visit(
        &mut self,
        link: &ChildLink,
        depth: usize,
        keys: &[Hash],
        values: &mut [Option<Vec<u8>>],
    ) -> Result<()> {
        let stored;
        let node = match link {
            ChildLink::Empty => return Ok(()),
            ChildLink::InMemory(node) => node,
            ChildLink::Stored(place) => {
                let record = self.overlay.record(*place)?;
                self.nodes.push(record.rlp().to_vec());
                stored = record.node()?;
                &stored
            }
        };
        let follows = |key: &Hash, path: &[u8]| {
            path.iter().zip(depth..).all(|(&step, at)| nibble(key, at) == Some(step))
        };
        match node {
            TrieNode::Leaf { path, value, .. } => {
                let own = keys.iter().zip(values).filter(|(key, _)| follows(key, path));
                own.for_each(|(_, found)| *found = Some(value.clone()));
            }
            TrieNode::Extension { path, child } => {
                let before = keys.partition_point(|key| {
                    let ahead = (depth..depth + path.len()).filter_map(|at| nibble(key, at));
                    ahead.lt(path.iter().copied())
                });
                let count = keys[before..].partition_point(|key| follows(key, path));
                if count > 0 {
                    let own = before..before + count;
                    self.visit(child, depth + path.len(), &keys[own.clone()], &mut values[own])?;
                }
            }
            TrieNode::Branch { children, .. } => {
                let mut values = values;
                for keys in keys.chunk_by(|a, b| nibble(a, depth) == nibble(b, depth)) {
                    let own;
                    (own, values) = values.split_at_mut(keys.len());
                    let Some(step) = keys.first().and_then(|key| nibble(key, depth)) else {
                        continue;
                    };
                    self.visit(&children[usize::from(step)], depth + 1, keys, own)?;
                }
            }
        }
        Ok(())
    }
}

//! Encoding of a proof.

use super::arena::Arena;
use super::bit_set::BitSet;
use crate::params::Params;
use crate::proof::{END, LABEL, LEAF};
use crate::tree::{Kind, NodeId};

/// Writes the visited part of the dictionary in post-order, then the end mark and the directions.
pub(super) fn pack(arena: &Arena, visited: &BitSet, params: &Params, directions: &[u8]) -> Vec<u8> {
    enum Step {
        Enter(NodeId),
        Leave(u8),
    }
    let mut proof = Vec::new();
    let mut pending = vec![Step::Enter(arena.root())];
    let mut previous_leaf = false;
    while let Some(step) = pending.pop() {
        let id = match step {
            Step::Enter(id) => id,
            Step::Leave(balance) => {
                proof.push(balance);
                continue;
            }
        };
        let node = arena.node(id);
        if !visited.contains(id) || node.kind == Kind::Label {
            proof.push(LABEL);
            proof.extend_from_slice(arena.label(id));
            previous_leaf = false;
        } else if node.kind == Kind::Leaf {
            proof.push(LEAF);
            if !previous_leaf {
                proof.extend_from_slice(arena.key(node.key));
            }
            proof.extend_from_slice(arena.key(node.right));
            let value = arena.value(node.left);
            if params.value_length.is_none() {
                // A stored value is within the limit, which is below 2^32.
                let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
                proof.extend_from_slice(&length.to_be_bytes());
            }
            proof.extend_from_slice(value);
            previous_leaf = true;
        } else {
            let [balance] = node.balance.to_be_bytes();
            pending.extend([Step::Leave(balance), Step::Enter(node.right), Step::Enter(node.left)]);
        }
    }
    proof.push(END);
    proof.extend_from_slice(directions);
    proof
}

//! Encoding of a proof.

use super::arena::Arena;
use super::bit_set::BitSet;
use crate::params::Params;
use crate::proof::{END_TOKEN, LABEL_TOKEN, LEAF_TOKEN};
use crate::tree::{NodeId, NodeKind};

/// Writes the visited part of the dictionary in post-order, then the end mark and the directions.
pub(super) fn pack(arena: &Arena, visited: &BitSet, params: &Params, directions: &[u8]) -> Vec<u8> {
    enum PackStep {
        Enter(NodeId),
        Leave(u8),
    }
    let mut proof = Vec::new();
    let mut pending = vec![PackStep::Enter(arena.root())];
    let mut previous_leaf = false;
    while let Some(step) = pending.pop() {
        let id = match step {
            PackStep::Enter(id) => id,
            PackStep::Leave(balance) => {
                proof.push(balance);
                continue;
            }
        };
        let node = arena.node(id);
        if !visited.contains(id) || node.kind == NodeKind::Label {
            proof.push(LABEL_TOKEN);
            proof.extend_from_slice(arena.label(id));
            previous_leaf = false;
        } else if node.kind == NodeKind::Leaf {
            proof.push(LEAF_TOKEN);
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
            pending.extend([
                PackStep::Leave(balance),
                PackStep::Enter(node.right),
                PackStep::Enter(node.left),
            ]);
        }
    }
    proof.push(END_TOKEN);
    proof.extend_from_slice(directions);
    proof
}

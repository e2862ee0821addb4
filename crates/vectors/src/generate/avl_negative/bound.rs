//! The bound of nodes, met exactly and by one more. Source: `test-vectors/spec/avl.md`, section 7.

use prooflight_core::Reason;

use crate::avl::{Batch, BatchMode};
use crate::carrier::Hex;
use crate::generate::anatomy::assemble;
use crate::generate::builder::Builder;
use crate::generate::dictionary::{lookup, remove_if_exists};
use crate::generate::forge::{compat, with_proof};

/// Height of the tree, operations, and how many of them may delete.
const CASES: [(u8, usize, usize); 14] = [
    (0, 0, 0),
    (5, 0, 0),
    (0, 1, 0),
    (0, 1, 1),
    (0, 2, 2),
    (0, 3, 3),
    (0, 4, 4),
    (0, 5, 5),
    (0, 9, 1),
    (2, 5, 2),
    (5, 1, 0),
    (5, 1, 1),
    (5, 4, 1),
    (255, 1, 1),
];

/// As many leaves as the bound allows are refused for not being one tree, one more for being more.
pub(super) fn add(file: &mut Builder) {
    for (height, operations, deletes) in CASES {
        let batch = batch(height, operations, deletes);
        let what = format!("height {height}, {operations} operations, {deletes} may delete");
        let modes: [(_, &[&str], _, _); 2] = [
            ("strict", &["TooManyNodes"], batch.clone(), deletes),
            ("compat", &["TooManyNodes", "Compat"], compat(&batch), operations),
        ];
        for (mode, flags, batch, may_delete) in modes {
            let most = max_nodes(height.into(), operations, may_delete);
            let mut refuse = |nodes: usize, reason| {
                let comment = format!("{nodes} nodes where {most} are allowed: {what}, {mode}");
                file.invalid(flags, comment, &with_proof(&batch, leaves(nodes)), reason);
            };
            // One leaf would be one tree.
            if most > 1 {
                refuse(most, Reason::NotOneRoot);
            }
            refuse(most + 1, Reason::TooManyNodes);
        }
    }
}

/// Written from avl 7: `n` operations, of which `m` count as such that may delete.
fn max_nodes(h: usize, n: usize, m: usize) -> usize {
    let log = (0..32).find(|&log| 1 << log >= n).expect("few operations");
    let t = 1 + h.max(log);
    (n + m) * (2 * h + 1) + m * (t + t / 2) + 1
}

fn batch(height: u8, operations: usize, deletes: usize) -> Batch {
    let lookups = vec![lookup([0x40]); operations - deletes];
    Batch {
        key_length: 1,
        value_length: Some(0),
        digest: Hex([&[0; 32][..], &[height]].concat()),
        ops: [vec![remove_if_exists([0x40]); deletes], lookups].concat(),
        proof: Hex::default(),
        mode: BatchMode::Strict,
        limits: None,
    }
}

/// A proof of leaves that nothing joins: 2 bytes each, but for the first one's key.
fn leaves(n: usize) -> Vec<u8> {
    let mut nodes = vec![vec![2, 0x80]; n];
    nodes[0].insert(1, 0);
    assemble(&nodes, &[])
}

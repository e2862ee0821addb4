//! Histories by `amb`, in `chain/state_range.json`: the root of the head proves them, and headers date the changes.

use std::collections::BTreeSet;

use prooflight_amb::HistoryQuestion;
use prooflight_core::Scheme;
use prooflight_core::chain::ChainLimits;
use prooflight_json::{Hash32, HexBytes, Quantity};
use serde_json::Value;

use super::avl_chain::seven_blocks;
use super::header_chain::sync;
use super::inclusions::hashes;
use super::state_amb::{AmbStates, state};
use crate::answer::VerifierAnswer;
use crate::generate::builder::FileBuilder;
use crate::history::{HistoryMembers, StateHistory};

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    file.group("StateHistory");
    let states = AmbStates::new(ChainLimits::default(), &seven_blocks());
    for (from, to) in [(0, 6), (1, 4), (4, 4), (6, 6)] {
        for key in ["alice", "bob", "key 03", "nobody"] {
            let comment = format!("amb: {key} in blocks {from} to {to}, by the root of the head 6");
            let key = key.as_bytes();
            let input = states.history(key, (from, to), 6);
            file.valid(&["Range"], comment, &input, states.expected_history(key, (from, to)));
        }
    }
}

impl AmbStates {
    /// The honest history of a key in a range of blocks, with the headers that it needs.
    fn history(&self, key: &[u8], (from, to): (usize, usize), head: usize) -> StateHistory {
        let question = HistoryQuestion { keys: &[key], from: from as u64, to: to as u64 };
        let prover = self.state.prover().expect("a first block");
        let proof = prover.history(&question).expect("a question about the state");
        let mut needed: BTreeSet<_> =
            self.changes(key, (from, to)).into_iter().map(|(block, _)| block).collect();
        needed.extend([from, to]);
        needed.retain(|block| *block < head);
        self.with_headers(key, (from, to), HexBytes(proof), &needed.into_iter().collect::<Vec<_>>())
    }

    /// The same with other headers than are needed.
    fn with_headers(
        &self,
        key: &[u8],
        (from, to): (usize, usize),
        proof: HexBytes,
        headers: &[usize],
    ) -> StateHistory {
        let (chain, head) = (&self.chain, self.head());
        let encoded = |height: &usize| HexBytes(chain.headers[*height].encode());
        StateHistory {
            sync: sync(&chain.checkpoint(0), &chain.signed(head), &chain.path(0, head)),
            asked: HistoryMembers {
                scheme: Scheme::Amb.as_str().to_owned(),
                header: None,
                path: None,
                headers: headers.iter().map(encoded).collect(),
                hashes: hashes(chain, headers, head).into_iter().map(Hash32).collect(),
                key: HexBytes(key.to_vec()),
                from: Quantity(from as u64),
                to: Quantity(to as u64),
                average: false,
                proof,
            },
        }
    }

    /// The changes of a key in a range, with their blocks.
    fn changes(&self, key: &[u8], (from, to): (usize, usize)) -> Vec<(usize, Value)> {
        let change = |block: usize| {
            let version = self.after[block].get(key)?;
            (version.1 == block as u64).then(|| (block, state(Some(version))))
        };
        (from..=to).filter_map(change).collect()
    }

    fn expected_history(&self, key: &[u8], (from, to): (usize, usize)) -> VerifierAnswer {
        let changes = self.changes(key, (from, to));
        // Unlike `smt`, `amb` shows it even if the first block has a change.
        let before = from.checked_sub(1).and_then(|block| self.after[block].get(key));
        let entering = state(before);
        VerifierAnswer::from_iter([
            ("entering".to_owned(), entering),
            ("changes".to_owned(), changes.into_iter().map(|(_, change)| change).collect()),
        ])
    }
}

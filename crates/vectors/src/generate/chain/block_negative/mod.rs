//! `chain/block_transition_negative.json`: blocks whose operations are not those of their headers.

mod headers;
mod inputs;
mod operations;
mod proofs;

use prooflight_core::Limits;
use prooflight_core::chain::Header;

use super::ledger::{Ledger, batch_of, ops_root, set_root, seven_blocks};
use super::made::config;
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::generate::dictionary::Dictionary;
use crate::state::{BlockTransition, StateOp};

const FLAGS: &[(&str, &str)] = &[
    ("Absent", "a delete of a key that has no value"),
    ("Digest", "the digest before the block is another, or none"),
    ("Form", "the operations are not in the form of a block; the header commits to them"),
    ("Header", "the header is not one"),
    ("Input", "the input cannot be read as one of a BlockTransition"),
    ("Limit", "more than the chain allows; the header commits to it"),
    ("Mutated", "an honest proof with a bit flipped; only the code is pinned"),
    ("Operations", "the operations are not those that the header commits to"),
    ("OpsRoot", "a header whose root of operations is made in another way"),
    ("Order", "several things are wrong, and the first of them says why"),
    ("OtherOperations", "the header commits to the operations, but the proof is of others"),
    ("OtherProof", "the proof is of another block, or not the one that an honest prover makes"),
    ("State", "the operations lead to another state than the header's"),
    ("Truncated", "the proof ends early; only the code is pinned"),
];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("BlockTransition");
    operations::add(&mut file);
    proofs::add(&mut file);
    headers::add(&mut file);
    inputs::add(&mut file);
    file.finish()
}

fn ledger() -> Ledger {
    Ledger::new(config(1, 1), seven_blocks())
}

fn with_ops(input: &BlockTransition, ops: &[StateOp]) -> BlockTransition {
    BlockTransition { ops: ops.to_vec(), ..input.clone() }
}

fn with_proof(input: &BlockTransition, proof: Vec<u8>) -> BlockTransition {
    BlockTransition { proof: Hex(proof), ..input.clone() }
}

/// The same block with a header that is changed.
fn with_header(input: &BlockTransition, change: impl FnOnce(&mut Header)) -> BlockTransition {
    let mut header = Header::decode(&input.header.0, &Limits::DEFAULT).expect("an honest header");
    change(&mut header);
    BlockTransition { header: Hex(header.encode()), ..input.clone() }
}

/// Other operations, with the header that commits to them but keeps its state.
fn committed(input: &BlockTransition, ops: &[StateOp]) -> BlockTransition {
    with_header(&with_ops(input, ops), |header| header.ops_root = ops_root(ops))
}

/// Other operations on a state, with their honest proof and the header that follows.
fn followed(input: &BlockTransition, before: &Dictionary, ops: &[StateOp]) -> BlockTransition {
    let mut after = before.clone();
    let (batch, _) = after.apply(&batch_of(ops));
    assert_eq!(batch.digest, input.digest, "the state is that before the block");
    let input = with_proof(&committed(input, ops), batch.proof.0);
    with_header(&input, |header| set_root(header, &after.digest()))
}

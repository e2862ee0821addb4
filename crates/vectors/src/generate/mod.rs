//! Makes the synthetic vector files, the same bytes each time.
//!
//! Valid tests come from the honest prover; what they must answer comes from a sorted map. Invalid
//! tests are valid ones changed in one way, where possible so that only the check under test stands
//! between the change and acceptance: where the change would break the root, the digest is made
//! anew from the changed tree, as a caller with a hostile digest would have it.

#![allow(clippy::expect_used, clippy::panic, reason = "a generator that goes wrong must stop")]

mod amt;
mod anatomy;
mod avl_compat;
mod avl_negative;
mod avl_valid;
mod builder;
mod chain;
mod coefficients;
mod dictionary;
mod ergo_negative;
mod forge;
mod lvmt;
mod mpt;
mod padded;
mod rng;
mod smt;
mod trace;
mod write;

use std::path::Path;
use std::{fs, io};

/// Every generated file: its path below `test-vectors`, and its content.
///
/// Some are made from real data, which is read from `folder`, the folder `test-vectors`.
pub fn files(folder: &Path) -> io::Result<Vec<(&'static str, String)>> {
    let ergo_mainnet = fs::read_to_string(folder.join("avl/ergo_mainnet.json"))?;
    let eth_get_proof = fs::read_to_string(folder.join("mpt/eth_get_proof.json"))?;
    Ok(vec![
        ("amt/data/setups.json", amt::setups::file()),
        ("amt/opening.json", amt::valid::file()),
        ("amt/opening_negative.json", amt::negative::file()),
        ("avl/avl_batch.json", avl_valid::file()),
        ("avl/avl_negative.json", avl_negative::file()),
        ("avl/avl_compat.json", avl_compat::file()),
        ("avl/ergo_negative.json", ergo_negative::file(&ergo_mainnet)),
        ("chain/header_sync.json", chain::sync_valid::file()),
        ("chain/header_sync_negative.json", chain::sync_negative::file()),
        ("chain/header_inclusion.json", chain::inclusion::file()),
        ("chain/headers_inclusion.json", chain::inclusions::file()),
        ("chain/header_compared.json", chain::compared::file()),
        ("lvmt/proof.json", lvmt::valid::file()),
        ("lvmt/proof_negative.json", lvmt::negative::file()),
        ("lvmt/setup.json", lvmt::given::file()),
        ("mpt/trie.json", mpt::trie_valid::file()),
        ("mpt/trie_negative.json", mpt::trie_negative::file()),
        ("mpt/answer.json", mpt::answer_valid::file()),
        ("mpt/answer_negative.json", mpt::answer_negative::file()),
        ("mpt/header.json", mpt::header::file()),
        ("mpt/hash.json", mpt::hashed::file()),
        ("mpt/mainnet_negative.json", mpt::mainnet::file(&eth_get_proof)),
        ("smt/proof.json", smt::proof::file()),
        ("smt/proof_negative.json", smt::proof_negative::file()),
        ("smt/history.json", smt::history::file()),
        ("smt/history_negative.json", smt::history_negative::file()),
        ("smt/diff.json", smt::diff::file()),
        ("smt/diff_negative.json", smt::diff_negative::file()),
        ("chain/state_answer.json", chain::state_valid::file()),
        ("chain/state_answer_negative.json", chain::state_negative::file()),
        ("chain/state_answer_schemes.json", chain::state_schemes::file()),
        ("chain/block_transition.json", chain::block_valid::file()),
        ("chain/block_transition_negative.json", chain::block_negative::file()),
        ("chain/state_block.json", chain::block_before::file()),
        ("chain/state_range.json", chain::ranges::file()),
        ("schema/schemes.json", prooflight_json::schemes::to_json()),
    ])
}

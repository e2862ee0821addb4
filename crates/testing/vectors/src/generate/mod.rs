//! Makes the synthetic vector files, the same bytes each time.
//!
//! Valid tests come from the honest prover, and their expected answers from a sorted map. Invalid tests
//! are valid ones changed in one way, if possible such that only the check under test stands between
//! the change and acceptance. The bytes of most are fixed: the committed file is their source
//! ([`kept`]). Code makes those whose forging needs an algorithm.

#![allow(clippy::expect_used, clippy::panic, reason = "a generator must stop at any error")]

mod amb;
mod amt;
mod avl_valid;
mod builder;
mod chain;
mod coefficients;
mod damage;
mod dictionary;
pub mod kept;
mod lmpt;
mod lvmt;
mod malformed;
mod mpt;
mod rng;
mod runs;
mod smt;
mod write;

use std::path::Path;
use std::{fs, io};

use prooflight_json::Hex;
use sha2::{Digest as _, Sha256};

use self::builder::Builder;

/// Adds the tests made by code to a file.
type Make = fn(&mut Builder);

/// The files with kept tests, and the functions that make their other tests.
const KEPT: &[(&str, Make)] = &[
    ("amb/proof.json", amb::valid::make),
    ("amb/proof_negative.json", amb::negative::make),
    ("amb/samples.json", nothing),
    ("amt/opening.json", amt::valid::make),
    ("amt/opening_negative.json", amt::cancelling::make),
    ("avl/avl_batch.json", avl_valid::make),
    ("avl/avl_compat.json", nothing),
    ("avl/avl_negative.json", nothing),
    ("avl/ergo_negative.json", nothing),
    ("chain/block_transition.json", chain::block_valid::make),
    ("chain/block_transition_negative.json", nothing),
    ("chain/header_compared.json", nothing),
    ("chain/header_inclusion.json", chain::inclusion::make),
    ("chain/header_sync.json", chain::sync_valid::make),
    ("chain/header_sync_negative.json", chain::signatures::make),
    ("chain/headers_inclusion.json", chain::inclusions::make),
    ("chain/key_range.json", chain::key_range::make),
    ("chain/state_answer_negative.json", nothing),
    ("chain/state_answer_schemes.json", chain::state_schemes::make),
    ("chain/state_block.json", nothing),
    ("chain/state_range.json", chain::history_amb::make),
    ("lmpt/proof.json", lmpt::proof::make),
    ("lmpt/proof_negative.json", lmpt::lies::make),
    ("lmpt/samples.json", nothing),
    ("lvmt/proof.json", lvmt::valid::make),
    ("lvmt/proof_negative.json", lvmt::cancelling::make),
    ("lvmt/setup.json", nothing),
    ("mpt/answer.json", mpt::answer_valid::make),
    ("mpt/answer_negative.json", nothing),
    ("mpt/hash.json", nothing),
    ("mpt/header.json", mpt::header::make),
    ("mpt/mainnet_negative.json", nothing),
    ("mpt/sent_answer.json", nothing),
    ("mpt/sent_answer_negative.json", nothing),
    ("mpt/trie.json", mpt::trie_valid::make),
    ("mpt/trie_negative.json", nothing),
    ("smt/diff.json", smt::diff::make),
    ("smt/diff_negative.json", nothing),
    ("smt/history.json", smt::history::make),
    ("smt/history_negative.json", nothing),
    ("smt/proof.json", smt::proof::make),
    ("smt/proof_negative.json", nothing),
    ("state-roots/amb.json", nothing),
    ("state-roots/avl.json", nothing),
    ("state-roots/lmpt.json", nothing),
    ("state-roots/lvmt.json", nothing),
    ("state-roots/mpt.json", nothing),
    ("state-roots/smt.json", nothing),
];

/// For files whose tests are all kept.
const fn nothing(_: &mut Builder) {}

/// The file of digests, in the form of `sha256sum`.
const DIGESTS: &str = "SHA256SUMS";

/// Every generated file: its path below `test-vectors`, the folder, and its content.
pub fn files(folder: &Path) -> io::Result<Vec<(&'static str, String)>> {
    let mut files = vec![
        ("amt/data/setups.json", amt::setups::file()),
        ("chain/state_answer.json", chain::state_valid::file()),
        ("schema/reasons.json", prooflight_json::reasons::to_json()),
        ("schema/schemes.json", prooflight_json::schemes::to_json()),
    ];
    for (path, make) in KEPT {
        let committed = fs::read_to_string(folder.join(path))?;
        let file = Builder::open(&committed);
        let mut file = file.map_err(|problem| io::Error::other(format!("{path}: {problem}")))?;
        make(&mut file);
        files.push((path, file.finish()));
    }
    let digest = |(path, content): &(&str, String)| {
        let digest = Hex(Sha256::digest(content).to_vec()).to_string();
        format!("{}  {path}\n", &digest[2..])
    };
    files.push((DIGESTS, files.iter().map(digest).collect()));
    Ok(files)
}

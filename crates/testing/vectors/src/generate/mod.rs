//! Makes the synthetic vector files, the same bytes each time.
//!
//! Valid tests come from the honest prover, and their expected answers from a sorted map. Invalid tests
//! are fixed: the committed file is their source ([`kept`]). Code makes only those whose forging needs an
//! algorithm.

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

use prooflight_json::HexBytes;
use sha2::{Digest as _, Sha256};

use self::builder::FileBuilder;

/// Adds the tests made by code to a file.
type TestMaker = fn(&mut FileBuilder);

/// The files with kept tests, and the functions that make their other tests.
const KEPT_FILES: &[(&str, TestMaker)] = &[
    ("amb/proof.json", amb::valid::make),
    ("amb/proof_negative.json", make_nothing),
    ("amb/samples.json", make_nothing),
    ("amt/opening.json", amt::valid::make),
    ("amt/opening_negative.json", amt::cancelling::make),
    ("avl/avl_batch.json", avl_valid::make),
    ("avl/avl_compat.json", make_nothing),
    ("avl/avl_negative.json", make_nothing),
    ("avl/ergo_negative.json", make_nothing),
    ("chain/block_transition.json", chain::block_valid::make),
    ("chain/block_transition_negative.json", make_nothing),
    ("chain/header_compared.json", make_nothing),
    ("chain/header_inclusion.json", chain::inclusion::make),
    ("chain/header_sync.json", chain::sync_valid::make),
    ("chain/header_sync_negative.json", chain::signatures::make),
    ("chain/headers_inclusion.json", chain::inclusions::make),
    ("chain/key_range.json", chain::key_range::make),
    ("chain/state_answer_negative.json", make_nothing),
    ("chain/state_answer_schemes.json", chain::state_schemes::make),
    ("chain/state_block.json", make_nothing),
    ("chain/state_range.json", chain::history_amb::make),
    ("lmpt/proof.json", lmpt::proof::make),
    ("lmpt/proof_negative.json", make_nothing),
    ("lmpt/samples.json", make_nothing),
    ("lvmt/proof.json", lvmt::valid::make),
    ("lvmt/proof_negative.json", lvmt::cancelling::make),
    ("lvmt/setup.json", make_nothing),
    ("mpt/answer.json", mpt::answer_valid::make),
    ("mpt/answer_negative.json", make_nothing),
    ("mpt/hash.json", make_nothing),
    ("mpt/header.json", mpt::header::make),
    ("mpt/mainnet_negative.json", make_nothing),
    ("mpt/sent_answer.json", make_nothing),
    ("mpt/sent_answer_negative.json", make_nothing),
    ("mpt/trie.json", mpt::trie_valid::make),
    ("mpt/trie_negative.json", make_nothing),
    ("smt/diff.json", smt::diff::make),
    ("smt/diff_negative.json", make_nothing),
    ("smt/history.json", smt::history::make),
    ("smt/history_negative.json", make_nothing),
    ("smt/proof.json", smt::proof::make),
    ("smt/proof_negative.json", make_nothing),
    ("state-roots/amb.json", make_nothing),
    ("state-roots/avl.json", make_nothing),
    ("state-roots/lmpt.json", make_nothing),
    ("state-roots/lvmt.json", make_nothing),
    ("state-roots/mpt.json", make_nothing),
    ("state-roots/smt.json", make_nothing),
];

/// For files whose tests are all kept.
const fn make_nothing(_: &mut FileBuilder) {}

/// The file of digests, in the form of `sha256sum`.
const DIGESTS_FILE: &str = "SHA256SUMS";

/// Every generated file: its path below `test-vectors`, the folder, and its content.
pub fn files(folder: &Path) -> io::Result<Vec<(&'static str, String)>> {
    let mut files = vec![
        ("amt/data/setups.json", amt::setups::file()),
        (
            "chain/state_answer.json",
            kept_file(folder, "chain/state_answer.json", chain::state_valid::make)?,
        ),
        ("schema/reasons.json", prooflight_json::reasons::to_json()),
        ("schema/schemes.json", prooflight_json::schemes::to_json()),
    ];
    for (path, make) in KEPT_FILES {
        files.push((path, kept_file(folder, path, *make)?));
    }
    let digest = |(path, content): &(&str, String)| {
        let digest = HexBytes(Sha256::digest(content).to_vec()).to_string();
        format!("{}  {path}\n", &digest[2..])
    };
    files.push((DIGESTS_FILE, files.iter().map(digest).collect()));
    Ok(files)
}

/// A committed file with the tests made by code.
fn kept_file(folder: &Path, path: &str, make: TestMaker) -> io::Result<String> {
    let committed = fs::read_to_string(folder.join(path))?;
    let file = FileBuilder::open(&committed);
    let mut file = file.map_err(|problem| io::Error::other(format!("{path}: {problem}")))?;
    make(&mut file);
    Ok(file.finish())
}

//! Imports, whose blocks do not maintain data that only proofs need.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;

use prooflight_amt::VerifyingKey;
use prooflight_core::chain::{
    ChainConfig, ChainLimits, LvmtConfig, SchemeConfig, StateOperation, state_key,
};
use prooflight_core::statement::Statement;
use prooflight_core::{Reason, Scheme};
use prooflight_node::Chain;
use prooflight_node::chain::keys::{Signers, generate_key};
use prooflight_node::chain::schemes::SchemeOptions;

const NOW: u64 = 1_800_000_000_000;
const SCHEMES: [Scheme; 3] = [Scheme::Avl, Scheme::Lvmt, Scheme::Smt];

fn config() -> (ChainConfig, Signers) {
    let key = generate_key().unwrap();
    let lvmt =
        LvmtConfig { params_id: VerifyingKey::dev(8).unwrap().params_id(), log_n: 8, log_arity: 2 };
    let config = ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: "imports".to_owned(),
        schemes: vec![
            SchemeConfig::without_params(Scheme::Avl),
            SchemeConfig::lvmt(&lvmt),
            SchemeConfig::without_params(Scheme::Smt),
        ],
        authorities: vec![key.verifying_key().to_bytes()],
        quorum: 1,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: NOW,
    };
    let signers = Signers::new(&config, vec![key]).unwrap();
    (config, signers)
}

fn key(number: u64) -> Vec<u8> {
    state_key(&number.to_be_bytes()).to_vec()
}

/// Makes blocks of 50 operations, some of which change keys of earlier ones.
fn make(chain: &mut Chain, signers: &Signers, blocks: core::ops::Range<u64>) {
    for block in blocks {
        let operations = (0..50).map(|at| StateOperation::Set {
            key: key(40 * block + at),
            value: block.to_be_bytes().to_vec(),
        });
        signers.make(chain, operations, NOW).unwrap();
    }
}

/// The newest header's hash, and the proofs of keys after it.
fn proofs(chain: &Chain) -> Vec<Vec<u8>> {
    let view = chain.view().unwrap();
    let keys: Vec<_> = (0..60).map(|number| key(7 * number)).collect();
    let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
    let statement = Statement::Keys { height: view.height(), keys: &keys };
    let proof = |scheme| view.prove(scheme, &statement).unwrap().proof;
    [view.head_hash().to_vec()].into_iter().chain(SCHEMES.map(proof)).collect()
}

fn opened(folder: &Path, unproved: bool) -> Chain {
    Chain::reopen(folder, &SchemeOptions { readers_disabled: unproved, ..SchemeOptions::default() })
        .unwrap()
}

#[test]
fn an_imported_state_is_proved_like_any_other_even_if_the_import_was_killed() {
    let (config, signers) = config();
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [usual, ended, killed] = folders.each_ref().map(tempfile::TempDir::path);
    let mut chain = Chain::create(usual, &config).unwrap();
    make(&mut chain, &signers, 0..8);
    let expected = proofs(&chain);
    make(&mut chain, &signers, 8..12);
    let later = proofs(&chain);
    for (folder, ends) in [(ended, true), (killed, false)] {
        let mut chain = Chain::create(folder, &config).unwrap();
        make(&mut chain, &signers, 0..2);
        drop(chain);
        for blocks in [2..5, 5..8] {
            let mut chain = opened(folder, true);
            make(&mut chain, &signers, blocks);
            if ends {
                chain.finish_import().unwrap();
            }
        }
        let mut chain = opened(folder, false);
        assert_eq!(proofs(&chain), expected, "ended: {ends}");
        make(&mut chain, &signers, 8..12);
        assert_eq!(proofs(&chain), later, "ended: {ends}");
    }
}

#[test]
fn an_import_proves_nothing() {
    let (config, signers) = config();
    let folder = tempfile::tempdir().unwrap();
    drop(Chain::create(folder.path(), &config).unwrap());
    let mut chain = opened(folder.path(), true);
    make(&mut chain, &signers, 0..2);
    let view = chain.view().unwrap();
    let (height, key) = (view.height(), key(3));
    for scheme in SCHEMES {
        let asked = Statement::Keys { height, keys: &[&key] };
        let refused = view.prove(scheme, &asked).unwrap_err();
        assert_eq!(refused.reason(), Reason::UnknownStatement, "{refused}");
    }
}

//! The vectors of `test-vectors/state-roots`: a chain's blocks lead to the stated roots.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use prooflight_amt::VerifyingKey;
use prooflight_core::chain::{
    ChainConfig, ChainLimits, LmptConfig, LvmtConfig, SchemeConfig, StateOperation,
};
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_json::checkpoint::LimitsJson;
use prooflight_json::{HexBytes, OperationJson};
use prooflight_node::Chain;
use prooflight_node::chain::keys::{Signers, generate_key};
use prooflight_node::chain::schemes::SchemeOptions;
use prooflight_vectors::{FileReport, VerifierAnswer, run_with};
use serde::Deserialize;
use serde_json::Value;

/// The input of a `StateRoots` test.
#[derive(Deserialize)]
struct StateRoots {
    scheme: String,
    params: Params,
    limits: Option<LimitsJson>,
    blocks: Vec<Vec<OperationJson>>,
}

/// The parameters of a scheme, if it has any.
#[derive(Deserialize)]
#[serde(untagged)]
enum Params {
    Lvmt {
        #[serde(rename = "logN")]
        log_n: u8,
        setup: String,
    },
    #[serde(rename_all = "camelCase")]
    Lmpt {
        era_blocks: u32,
        era_ops: u32,
        era_bytes: Option<u64>,
    },
    None {},
}

#[test]
fn the_roots_are_those_of_the_vectors() {
    let files = [
        ("amb.json", 33),
        ("avl.json", 4),
        ("lmpt.json", 30),
        ("lvmt.json", 4),
        ("mpt.json", 68),
        ("smt.json", 4),
    ];
    for (file, tests) in files {
        assert_eq!(passed(&folder().join(file)), tests, "{file}");
    }
}

/// Skipped, as its output says, unless `PROOFLIGHT_STATE_ROOTS` names a folder; a relative one is where npm was
/// called, or below the root of the repository.
#[test]
fn the_roots_are_those_of_another_folder() {
    let Some(given) = env::var_os("PROOFLIGHT_STATE_ROOTS").filter(|given| !given.is_empty())
    else {
        return println!("PROOFLIGHT_STATE_ROOTS names no folder");
    };
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let from = env::var_os("INIT_CWD").map_or(repository, PathBuf::from);
    let files = json_files(&from.join(given));
    let passed: usize = files.iter().map(|file| passed(file)).sum();
    println!("{passed} tests of {} files", files.len());
    assert!(passed > 0, "no tests");
}

/// The number of a file's tests, all of which must pass.
fn passed(file: &Path) -> usize {
    let report = run(&fs::read_to_string(file).unwrap());
    let failures: Vec<_> = report.tests.iter().filter(|test| test.failure.is_some()).collect();
    assert!(failures.is_empty(), "{}: {failures:#?}", file.display());
    report.passed()
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.flat_map(|path| if path.is_dir() { json_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|name| name == "json")).collect()
}

#[test]
fn a_wrong_root_is_noticed() {
    let json = fs::read_to_string(folder().join("avl.json")).unwrap();
    let (before, roots) = json.split_once("\"roots\"").unwrap();
    let changed = format!("{before}\"roots\"{}", roots.replacen("0x", "0x00", 1));
    assert_eq!(run(&changed).failed(), 1);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test-vectors/state-roots")
}

fn run(json: &str) -> FileReport {
    run_with(json, |group_type, input| (group_type == "StateRoots").then(|| state_roots(input)))
        .unwrap()
}

/// Makes the blocks on a new chain.
fn state_roots(input: &Value) -> Result<VerifierAnswer> {
    let input = StateRoots::deserialize(input).unwrap();
    let scheme = Scheme::named(&input.scheme).unwrap();
    let key = generate_key()?;
    let config = ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: String::new(),
        schemes: vec![scheme_config(scheme, &input.params)?],
        authorities: vec![key.verifying_key().to_bytes()],
        quorum: 1,
        limits: input.limits.map_or_else(ChainLimits::default, ChainLimits::from),
        genesis_timestamp_ms: 0,
    };
    let signers = Signers::new(&config, vec![key])?;
    let folder = tempfile::tempdir().unwrap();
    // Nothing is proved, so `lvmt` needs few tables.
    let options =
        SchemeOptions { proof_shard: "none".parse().unwrap(), ..SchemeOptions::default() };
    let mut chain = Chain::create_with(folder.path(), &config, &options)?;
    let mut roots = Vec::new();
    for block in input.blocks {
        let view = signers.make(&mut chain, block.into_iter().map(StateOperation::from), 0)?;
        let root = view.head().header.root(scheme).unwrap();
        roots.push(Value::from(HexBytes(root.to_vec()).to_string()));
    }
    Ok(VerifierAnswer::from_iter([("roots".to_owned(), Value::from(roots))]))
}

fn scheme_config(scheme: Scheme, params: &Params) -> Result<SchemeConfig> {
    match params {
        Params::Lvmt { log_n, setup } if setup == "dev" => {
            let params_id = VerifyingKey::dev(*log_n)?.params_id();
            // Any arity has the same roots; this one divides every size.
            Ok(SchemeConfig::lvmt(&LvmtConfig { params_id, log_n: *log_n, log_arity: 1 }))
        }
        Params::Lvmt { setup, .. } => Err(Error::new(Reason::UnknownSetup, "dev", setup)),
        Params::Lmpt { era_blocks, era_ops, era_bytes } => {
            let era_bytes = era_bytes.unwrap_or(u64::MAX);
            let (era_blocks, era_ops) = (*era_blocks, *era_ops);
            Ok(SchemeConfig::lmpt(&LmptConfig { era_blocks, era_ops, era_bytes }))
        }
        Params::None {} => Ok(SchemeConfig::without_params(scheme)),
    }
}

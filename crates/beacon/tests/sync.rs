//! The official sync tests of the consensus specifications, step by step.
//!
//! Every folder with a `steps.yaml` below `PROOFLIGHT_LIGHT_CLIENT_TESTS`, or below the copies in
//! `tests/data/light_client`, is a case.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prooflight_beacon::{
    Bootstrap, Fork, ForkStart, LightClientHeader, LightClientStore, Network, NetworkParameters,
    Preset, Update, UpdateKind,
};
use prooflight_core::Hash;
use yaml_rust2::{Yaml, YamlLoader};

#[test]
fn official_cases_pass_step_by_step() {
    let folder = folder();
    let mut cases = Vec::new();
    find_cases(&folder, &mut cases);
    cases.sort();
    assert!(!cases.is_empty(), "no steps.yaml below {}", folder.display());
    let mut passed = 0;
    for case in &cases {
        let meta = yaml(&case.join("meta.yaml"));
        if meta["trusted_block_root"].is_badvalue() {
            println!("{} lacks: a trusted root, so it is no sync test", case.display());
            continue;
        }
        let steps = run(case, &meta);
        println!("{}: {steps} steps", case.display());
        passed += 1;
    }
    assert!(passed > 0, "no sync test below {}", folder.display());
}

/// The folder that the environment names, or the copies in the repository.
///
/// Cargo runs tests in the crate's folder; a relative path was likely written in the workspace's.
fn folder() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    match env::var_os("PROOFLIGHT_LIGHT_CLIENT_TESTS").filter(|given| !given.is_empty()) {
        None => crate_folder.join("tests/data/light_client"),
        Some(given) => {
            let in_workspace = crate_folder.join("../..").join(&given);
            if in_workspace.exists() { in_workspace } else { PathBuf::from(given) }
        }
    }
}

fn find_cases(folder: &Path, cases: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder);
    for entry in entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_cases(&path, cases);
        } else if path.file_name().is_some_and(|name| name == "steps.yaml") {
            cases.push(folder.to_path_buf());
        }
    }
}

/// Runs a case; returns the number of its steps.
fn run(case: &Path, meta: &Yaml) -> usize {
    let network = network(&yaml(&case.join("config.yaml")), hash(&meta["genesis_validators_root"]));
    let bootstrap = snappy(&case.join("bootstrap.ssz_snappy"));
    let bootstrap = Bootstrap::decode(&bootstrap, &network).unwrap();
    let trusted = hash(&meta["trusted_block_root"]);
    let mut store = LightClientStore::initialize(network.clone(), &trusted, bootstrap).unwrap();

    let steps = yaml(&case.join("steps.yaml"));
    let steps = steps.as_vec().unwrap();
    for (index, step) in steps.iter().enumerate() {
        let place = format!("{} step {index}", case.display());
        let (name, step) = step.as_hash().unwrap().front().unwrap();
        let slot = || number(&step["current_slot"]);
        match name.as_str().unwrap() {
            "process_update" => {
                let file = format!("{}.ssz_snappy", step["update"].as_str().unwrap());
                let update =
                    Update::decode(UpdateKind::Update, &snappy(&case.join(file)), &network);
                let update = update.unwrap_or_else(|error| panic!("{place}: {error}"));
                let processed = store.process_update(&update, slot());
                processed.unwrap_or_else(|error| panic!("{place}: {error}"));
            }
            "force_update" => store.force_update(slot()),
            // Our store has the same form in all forks.
            "upgrade_store" => {}
            other => panic!("{place}: unknown step {other}"),
        }
        let checks = &step["checks"];
        check(&place, store.finalized(), &checks["finalized_header"]);
        check(&place, store.optimistic(), &checks["optimistic_header"]);
    }
    steps.len()
}

fn check(place: &str, header: &LightClientHeader, expected: &Yaml) {
    assert_eq!(header.beacon.slot, number(&expected["slot"]), "{place}");
    assert_eq!(header.beacon.root(), hash(&expected["beacon_root"]), "{place}");
    if !expected["execution_root"].is_badvalue() {
        let root = header.execution.map_or([0; 32], |execution| execution.root);
        assert_eq!(root, hash(&expected["execution_root"]), "{place}");
    }
}

fn network(config: &Yaml, genesis_validators_root: Hash) -> Network {
    let preset = match config["PRESET_BASE"].as_str() {
        Some("minimal") => Preset::MINIMAL,
        Some("mainnet") => Preset::MAINNET,
        other => panic!("preset {other:?}"),
    };
    let forks = Fork::ALL.map(|fork| {
        let name = fork.to_string().to_uppercase();
        let epoch = &config[format!("{name}_FORK_EPOCH").as_str()];
        let version = &config[format!("{name}_FORK_VERSION").as_str()];
        // Unscheduled forks are missing, or have an epoch that does not fit in i64.
        let epoch = epoch.as_i64().map_or(u64::MAX, |epoch| epoch.try_into().unwrap());
        ForkStart { epoch, version: version.as_i64().map_or([0; 4], version_bytes) }
    });
    let parameters = NetworkParameters {
        genesis_validators_root,
        genesis_time: 0,
        seconds_per_slot: 6,
        genesis_version: version_bytes(config["GENESIS_FORK_VERSION"].as_i64().unwrap()),
        forks,
        blobs: Cow::Borrowed(&[]),
        preset,
    };
    Network::new(parameters).unwrap()
}

fn version_bytes(version: i64) -> [u8; 4] {
    u32::try_from(version).unwrap().to_be_bytes()
}

fn yaml(path: &Path) -> Yaml {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    YamlLoader::load_from_str(&text).unwrap().remove(0)
}

/// A file in either of snappy's forms.
fn snappy(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if bytes.starts_with(b"\xff\x06\x00\x00sNaPpY") {
        let mut out = Vec::new();
        std::io::copy(&mut snap::read::FrameDecoder::new(&bytes[..]), &mut out).unwrap();
        return out;
    }
    snap::raw::Decoder::new().decompress_vec(&bytes).unwrap()
}

fn number(value: &Yaml) -> u64 {
    value.as_i64().unwrap().try_into().unwrap()
}

fn hash(value: &Yaml) -> Hash {
    let text = value.as_str().unwrap().strip_prefix("0x").unwrap();
    hex::decode(text).unwrap().try_into().unwrap()
}

//! LMPT from an operator's view: eras, merges while blocks are made, old blocks, kills.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread;
use std::time::Duration;

use harness::{Node, bytes, command, hex, set, text};
use prooflight_core::chain::{LmptConfig, SignedHeader};
use prooflight_core::store::ReadStore as _;
use prooflight_core::{Limits, Scheme};
use prooflight_lmpt::{LayerRoots, verify};
use prooflight_node::chain::{schemes, store};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];

fn init(folder: &Path, settings: &[&str]) {
    let begin = [&["init", "--schemes", "avl,lmpt"], settings].concat();
    let output = command(folder, &begin);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn submit(node: &Node, ops: &[Value]) {
    node.ask("prooflight_submit", &json!({ "ops": ops }));
}

fn height(node: &Node) -> u64 {
    let head = node.ask("prooflight_head", &json!({}));
    let height = head["height"].as_str().unwrap();
    u64::from_str_radix(height.trim_start_matches("0x"), 16).unwrap()
}

/// A value and the layer that settles it.
type Answer = (Option<Vec<u8>>, String);

/// The proven values of keys at a height, each with its layer, or the node's refusal.
fn proved(node: &Node, keys: &[&str], at: u64) -> Result<Vec<Answer>, Value> {
    let given: Vec<_> = keys.iter().map(|key| hex(key.as_bytes())).collect();
    let question = json!({ "scheme": "lmpt", "keys": given, "at": format!("{at:#x}") });
    let reply = node.call("prooflight_prove", &question)?;
    let header = bytes(&reply["header"]["signedHeader"]);
    let header = SignedHeader::decode(&header, &Limits::default()).unwrap().header;
    assert_eq!(header.height, at);
    let roots = LayerRoots::decode(header.root(Scheme::Lmpt).unwrap()).unwrap();
    let proof = bytes(&reply["proof"]);
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
    let answers = verify(&roots, &keys, &proof, &Limits::DEFAULT).unwrap();
    let answer = |answer: &prooflight_lmpt::LayeredValue<'_>| {
        (answer.value.map(<[u8]>::to_vec), answer.layer.as_str().to_owned())
    };
    Ok(answers.iter().map(answer).collect())
}

fn reason(refused: &Value) -> &str {
    refused["data"]["reason"].as_str().unwrap()
}

/// Block h >= 1 sets the keys `h` and `often` to h, and deletes `gone` if h is a multiple of 3, else sets it.
fn make(node: &Node, heights: std::ops::RangeInclusive<u64>) {
    for height in heights {
        let number = height.to_string();
        let gone = if height.is_multiple_of(3) {
            json!({ "op": "Delete", "key": hex(b"gone") })
        } else {
            set("gone", &number)
        };
        submit(node, &[set(&number, &number), set("often", &number), gone]);
    }
}

fn check(node: &Node, at: u64) -> Result<BTreeSet<String>, Value> {
    let names = ["1".to_owned(), (at / 2).to_string(), at.to_string(), (at + 1).to_string()];
    let mut keys: Vec<&str> = names.iter().map(String::as_str).collect();
    keys.extend(["often", "gone"]);
    let answers = proved(node, &keys, at)?;
    for (key, (value, _)) in keys.iter().zip(&answers) {
        let expected = match *key {
            "often" => Some(at.to_string()),
            "gone" => (!at.is_multiple_of(3)).then(|| at.to_string()),
            number => {
                Some(number.to_owned()).filter(|number| (1..=at).contains(&number.parse().unwrap()))
            }
        };
        assert_eq!(value.as_ref().map(|value| text(value)), expected, "{key} at {at}");
    }
    Ok(answers.into_iter().map(|(_, layer)| layer).collect())
}

#[test]
fn every_block_of_many_eras_is_proved_while_it_is_recent() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &["--lmpt-era-blocks", "7"]);
    let mut node = Node::start(folder.path(), FAST);
    let config: prooflight_core::chain::ChainConfig =
        borsh::from_slice(&bytes(&node.ask("prooflight_chain", &json!({}))["config"])).unwrap();
    let eras = LmptConfig { era_blocks: 7, ..LmptConfig::default() };
    assert_eq!(config.lmpt(), Some(eras));
    let mut layers = BTreeSet::new();
    for last in 1..=24 {
        make(&node, last..=last);
        layers.extend(check(&node, last).unwrap());
    }
    assert_eq!(layers.len(), 3, "{layers:?}");
    for at in 1..=24 {
        check(&node, at).unwrap();
    }
    let (_, metrics) = node.admin().get("/metrics");
    for name in ["lmpt_merge_keys ", "lmpt_merge_keys_total ", "lmpt_merge_wait_seconds_count 3"] {
        assert!(metrics.contains(&format!("prooflight_{name}")), "{metrics}");
    }
    // Afterwards, only the current era is in memory.
    assert!(node.terminate().success());
    let node = Node::start(folder.path(), FAST);
    for at in 1..=24 {
        match check(&node, at) {
            Ok(_) => assert!(at >= 21, "{at}"),
            Err(refused) => assert_eq!((reason(&refused), at < 21), ("version_unavailable", true)),
        }
    }
}

#[test]
fn old_blocks_are_replayed_by_a_node_that_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &["--lmpt-era-blocks", "5"]);
    let node = Node::start(folder.path(), FAST);
    make(&node, 1..=23);
    assert!(node.stop().success());
    let node = Node::start(folder.path(), &[FAST, &["--lmpt-replay"]].concat());
    for at in (1..=23).chain([4, 3, 4]) {
        check(&node, at).unwrap();
    }
    assert!(node.stop().success());
    // Block 13 is in the era of blocks 11 to 15, which shows its layers from block 10 on.
    let keep = ["--lmpt-replay", "--keep-states", "11"];
    let node = Node::start(folder.path(), &[FAST, &keep].concat());
    // Block 24 makes the node drop an era, which is visible with block 25.
    make(&node, 24..=25);
    for at in 1..=25 {
        match check(&node, at) {
            Ok(_) => assert!(at >= 10, "{at}"),
            Err(refused) => assert_eq!((reason(&refused), at < 10), ("version_unavailable", true)),
        }
    }
    assert!(node.stop().success());
    let output = command(folder.path(), &["verify"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_proof_that_no_verifier_accepts_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &[]);
    let node = Node::start(folder.path(), FAST);
    let name = |n: usize| format!("key {n}");
    let value = "v".repeat(60_000);
    for part in 0..5 {
        let ops: Vec<_> = (0..30).map(|n| set(&name(30 * part + n), &value)).collect();
        submit(&node, &ops);
    }
    let names: Vec<_> = (0..150).map(name).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let newest = height(&node);
    let refused = proved(&node, &keys, newest).unwrap_err();
    assert_eq!(reason(&refused), "request_too_large", "{refused}");
    assert_eq!(proved(&node, &keys[..100], newest).unwrap().len(), 100);
}

#[test]
fn a_state_moves_to_another_chain() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    init(&first, &["--lmpt-era-ops", "4"]);
    let node = Node::start(&first, FAST);
    make(&node, 1..=9);
    assert!(node.stop().success());
    let lines = folder.path().join("state.jsonl");
    let output = command(&first, &["export", lines.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    init(&second, &["--lmpt-era-bytes", "200"]);
    let output = command(&second, &["import", lines.to_str().unwrap(), "--block", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let node = Node::start(&second, FAST);
    let answers = proved(&node, &["1", "9", "often", "gone", "10"], height(&node)).unwrap();
    let values: Vec<_> = answers.iter().map(|(value, _)| value.as_deref().map(text)).collect();
    let expected = [Some("1"), Some("9"), Some("9"), None, None];
    assert_eq!(values, expected.map(|value| value.map(str::to_owned)));
    assert!(node.stop().success());
    for folder in [first, second] {
        let output = command(&folder, &["verify"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}

#[test]
fn bounds_of_eras_are_at_least_one() {
    let folder = tempfile::tempdir().unwrap();
    for bound in ["--lmpt-era-blocks", "--lmpt-era-ops", "--lmpt-era-bytes"] {
        let output = command(folder.path(), &["init", "--schemes", "lmpt", bound, "0"]);
        assert!(!output.status.success());
        assert!(text(&output.stderr).contains("invalid_config"), "{}", text(&output.stderr));
    }
}

/// An era's merge takes several parts, each of 4,096 keys.
const KEYS: usize = 9_000;

#[test]
fn a_node_that_is_killed_while_it_merges_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &["--lmpt-era-ops", "9000"]);
    let (mut merging, mut known) = (0, BTreeMap::new());
    // Later each time, until a kill comes when a merge has some of its parts in the store.
    for round in 0..40_u64 {
        if round >= 8 && merging > 0 {
            break;
        }
        let mut node = Node::start(folder.path(), FAST);
        for (name, value) in known.iter().step_by(2_000) {
            let newest = height(&node);
            let found: &String = name;
            let answer = proved(&node, &[found], newest).unwrap();
            assert_eq!(answer[0].0.as_deref().map(text).as_ref(), Some(value), "round {round}");
        }
        // Two blocks end an era, which makes the merge of the ones before wait for the next.
        for half in 0..2 {
            let name = |n: usize| format!("{} {n}", round % 3);
            let keys = (KEYS / 2 * half..KEYS / 2 * (half + 1)).map(name);
            let ops: Vec<_> = keys.map(|key| (key, format!("{round} {half}"))).collect();
            submit(&node, &ops.iter().map(|(key, value)| set(key, value)).collect::<Vec<_>>());
            known.extend(ops);
        }
        thread::sleep(Duration::from_millis(8 * round));
        node.kill();
        let store = store::open(&folder.path().join("store")).unwrap();
        let own = schemes::namespace(store, Scheme::Lmpt);
        merging += u32::from(own.get(b"m").unwrap().is_some());
    }
    assert!(merging > 0, "no kill was in a merge");
    let output = command(folder.path(), &["verify"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

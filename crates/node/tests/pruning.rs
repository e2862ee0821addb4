//! A chain that keeps only its newest blocks: which states are proved, and which are refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::path::Path;

use harness::keys::values;
use harness::light::genesis;
use harness::{Node, command, eventually, hex, set, text};
use prooflight_core::Scheme;
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];
const ALL: &[&str] =
    &["--schemes", "avl,lvmt,smt,lmpt,amb", "--lvmt-log-n", "4", "--lmpt-era-blocks", "4"];

fn init(folder: &Path, more: &[&str]) {
    let begun = command(folder, &[&["init"], more].concat());
    assert!(begun.status.success(), "{}", text(&begun.stderr));
}

fn make(node: &Node, blocks: usize) {
    for block in 0..blocks {
        let ops = json!({ "ops": [set("key", &block.to_string()), set(&format!("{block}"), "1")] });
        node.ask("prooflight_submit", &ops);
    }
}

fn block(node: &Node, height: u64) -> Result<Value, String> {
    let reply = node.call("prooflight_block", &json!({ "at": format!("{height:#x}") }));
    reply.map_err(|error| format!("{} {}", error["data"]["reason"], error["data"]["expected"]))
}

#[test]
fn old_blocks_are_deleted_and_their_states_still_proved() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), ALL);
    let node = Node::start(folder.path(), FAST);
    make(&node, 20);
    assert!(node.stop().success());
    // Pruning may begin later than the chain.
    let keep = ["--keep-blocks", "5", "--lmpt-replay"];
    let node = Node::start(folder.path(), &[FAST, &keep].concat());
    // The deletion follows the first block, so the view of the second block shows it.
    make(&node, 2);
    let config = genesis(&node).config;
    for kept in 16..=22 {
        assert_eq!(block(&node, kept).unwrap()["header"]["height"], format!("{kept:#x}"));
    }
    for deleted in [0, 1, 15] {
        let refused = block(&node, deleted).unwrap_err();
        assert!(
            refused.contains("version_unavailable") && refused.contains("block 16"),
            "{refused}"
        );
        let at = format!("{deleted:#x}");
        node.ask("prooflight_header", &json!({ "at": at }));
        node.ask("prooflight_headerProof", &json!({ "at": at }));
        // Block h sets the key to h - 1.
        let value = deleted.checked_sub(1).map(|value| value.to_string().into_bytes());
        for scheme in [Scheme::Avl, Scheme::Smt, Scheme::Lmpt, Scheme::Amb] {
            let proved = values(&node, &config, scheme, &[b"key"], deleted);
            assert_eq!(proved, Ok(vec![value.clone()]), "{scheme:?} at {deleted}");
        }
    }
    let changes = json!({ "key": hex(b"key"), "from": "0x1", "to": "0x14" });
    assert!(node.ask("prooflight_history", &changes)["headers"].as_array().unwrap().len() >= 20);
    let metrics = node.admin().get("/metrics").1;
    assert!(metrics.contains("prooflight_oldest_block 16\n"), "{metrics}");
    assert!(node.stop().success());

    let refused = command(folder.path(), &["verify"]);
    assert!(text(&refused.stderr).contains("--keep-blocks"), "{}", text(&refused.stderr));
    assert!(!refused.status.success());
    let copy = folder.path().join("copy");
    let copied = command(folder.path(), &["backup", copy.to_str().unwrap()]);
    assert!(text(&copied.stdout).starts_with("6 blocks in "), "{}", text(&copied.stderr));
}

#[test]
fn blocks_that_a_scheme_needs_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &["--schemes", "smt", "--blocks-per-snapshot", "16"]);
    let settings = [FAST, &["--keep-blocks", "0"]].concat();
    let mut node = Node::start(folder.path(), &settings);
    make(&node, 20);
    node.kill();
    let node = Node::start(folder.path(), &settings);
    for kept in 16..=20 {
        block(&node, kept).unwrap();
    }
    block(&node, 15).unwrap_err();
    make(&node, 13);
    block(&node, 32).unwrap();
    block(&node, 31).unwrap_err();
}

#[test]
fn damage_that_needs_a_deleted_block_says_so() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &["--schemes", "smt"]);
    let node = Node::start(folder.path(), &[FAST, &["--keep-blocks", "3"]].concat());
    make(&node, 9);
    assert!(node.stop().success());
    std::fs::write(folder.path().join("snapshots/0000000000000004.smt"), "damaged").unwrap();
    let Err(said) = Node::try_start(folder.path(), FAST) else { panic!("it runs") };
    assert!(said.contains("store_corrupt") && said.contains("--keep-blocks"), "{said}");
}

#[test]
fn a_replica_of_a_pruned_leader_says_why_it_stays_behind_and_begins_from_a_backup() {
    let parent = tempfile::tempdir().unwrap();
    let [leader, new, copy] = ["leader", "new", "copy"].map(|name| parent.path().join(name));
    init(&leader, ALL);
    let checkpoint = parent.path().join("checkpoint.json");
    let printed = command(&leader, &["checkpoint"]);
    std::fs::write(&checkpoint, printed.stdout).unwrap();
    let node = Node::start(&leader, &[FAST, &["--keep-blocks", "4"]].concat());
    make(&node, 20);
    let url = format!("http://{}", node.address);
    let follow = ["--follow", &url, "--follow-interval-ms", "10"];
    let waiting = Node::open(
        &new,
        "127.0.0.1:0".parse().unwrap(),
        &[&follow[..], &["--checkpoint", checkpoint.to_str().unwrap()]].concat(),
    );
    let admin = harness::Client { address: waiting.admin, token: None };
    // It has no block to serve, and the leader's metrics and its own log say why.
    let refused = || node.admin().get("/metrics").1.contains("version_unavailable");
    eventually(refused, || node.admin().get("/metrics").1);
    assert_eq!(admin.get("/ready").0, 503);
    drop(waiting);

    let copied = command(&leader, &["backup", copy.to_str().unwrap()]);
    assert!(copied.status.success(), "{}", text(&copied.stderr));
    make(&node, 3);
    let replica = Node::start(&copy, &follow);
    eventually(
        || replica.admin().get("/ready") == (200, "ready at height 23\n".to_owned()),
        || replica.admin().get("/ready").1,
    );
}

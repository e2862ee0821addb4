//! The program from its users' view: its answers verify, and its refusals have the right reason.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use harness::connection::WebSocket;
use harness::light::{genesis, header, verified};
use harness::{Client, Node, command, hex, set, text};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];

fn refused(reply: Result<Value, Value>) -> String {
    let error = reply.unwrap_err();
    format!(
        "{} {}",
        error["data"]["code"].as_str().unwrap_or("-"),
        error["data"]["reason"].as_str().unwrap_or("-")
    )
}

#[test]
fn what_is_submitted_is_proved_at_every_height() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), FAST);
    let checkpoint = genesis(&node);
    for n in 1..=5 {
        let ops = json!({ "ops": [set("alice", &n.to_string())] });
        let included = node.ask("prooflight_submit", &ops);
        assert_eq!(included["height"], json!(format!("{n:#x}")));
    }
    let delete = json!({ "ops": [{ "op": "Delete", "key": hex(b"alice") }] });
    let deleted = node.ask("prooflight_submit", &delete);
    for n in 1..=5 {
        let value = verified(&node, &checkpoint, &format!("{n:#x}"), "alice");
        assert_eq!(value, Some(n.to_string().into_bytes()));
    }
    assert_eq!(verified(&node, &checkpoint, "latest", "alice"), None);
    assert_eq!(verified(&node, &checkpoint, deleted["hash"].as_str().unwrap(), "alice"), None);
    assert_eq!(verified(&node, &checkpoint, "0x0", "alice"), None);

    // Unchanged after a stop and a start.
    assert!(node.stop().success());
    let node = Node::start(folder.path(), FAST);
    assert_eq!(verified(&node, &checkpoint, "0x3", "alice"), Some(b"3".to_vec()));
    let block = node.ask("prooflight_block", &json!({ "at": "0x3" }));
    assert_eq!(block["ops"], json!([set("alice", "3")]));
    assert!(node.stop().success());
    let output = command(folder.path(), &["verify"]);
    assert_eq!(text(&output.stdout), "7 blocks and 0 values verified\n");
}

/// The number of kills per chain; a longer chain takes longer to open.
const KILLS_OF_A_CHAIN: u32 = 50;

#[test]
fn no_acknowledged_block_is_lost_to_kill_9() {
    let kills = std::env::var("PROOFLIGHT_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let mut blocks = 0;
    for first in (0..kills).step_by(KILLS_OF_A_CHAIN as usize) {
        let last = kills.min(first + KILLS_OF_A_CHAIN);
        blocks += kill_in_rounds(first..last);
        println!("{last} kills, {blocks} acknowledged blocks");
    }
    assert!(blocks > 0, "no block was made in time");
}

/// Kills a node in each of these rounds; returns the number of acknowledged blocks, none of them lost.
fn kill_in_rounds(rounds: Range<u32>) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<Value> = Vec::new();
    for round in rounds {
        let mut node = Node::start(folder.path(), FAST);
        for included in acknowledged.iter().rev().take(20) {
            let kept = node.ask("prooflight_header", &json!({ "at": included["height"] }));
            assert_eq!(kept["hash"], included["hash"], "round {round}");
        }
        let client = node.client();
        let submitter = thread::spawn(move || submit_until_killed(&client, round));
        // Anywhere between the first write and some blocks later.
        thread::sleep(Duration::from_micros(u64::from(round).wrapping_mul(7919) % 150_000));
        node.kill();
        acknowledged.extend(submitter.join().unwrap());
    }
    let output = command(folder.path(), &["verify"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    acknowledged.len()
}

fn submit_until_killed(client: &Client, round: u32) -> Vec<Value> {
    let mut acknowledged = Vec::new();
    for n in 0.. {
        let value = format!("{round} {n}");
        let ops: Vec<_> = (0..50).map(|key| set(&format!("key {key} {}", n % 7), &value)).collect();
        match client.call("prooflight_submit", &json!({ "ops": ops })) {
            Ok(reply) => acknowledged.push(reply.unwrap()),
            Err(_) => break,
        }
    }
    acknowledged
}

#[test]
fn every_concurrent_submitter_learns_its_own_block() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--block-interval-ms", "20"]);
    let stop = AtomicBool::new(false);
    let (heights, reads) = thread::scope(|scope| {
        let readers: Vec<_> = (0..4).map(|_| scope.spawn(|| read_until(&node, &stop))).collect();
        let submitters: Vec<_> = (0..8)
            .map(|who| {
                let node = &node;
                scope.spawn(move || submit_ten(node, who))
            })
            .collect();
        let heights: BTreeSet<String> =
            submitters.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        stop.store(true, Ordering::Relaxed);
        let reads: usize = readers.into_iter().map(|thread| thread.join().unwrap()).sum();
        (heights, reads)
    });
    assert!(heights.len() < 80, "no two submissions shared a block");
    assert!(reads > 0);
    let metrics = node.client().get("/metrics").1;
    assert!(
        metrics.contains("prooflight_rpc_seconds_count{method=\"prooflight_submit\"} 80"),
        "{metrics}"
    );
    // A reader may be too slow for the few blocks that LVMT keeps.
    let mut errors = metrics.lines().filter(|line| line.contains("rpc_errors_total{"));
    assert!(errors.all(|line| line.contains("reason=\"version_unavailable\"")), "{metrics}");
    let number = |name: &str| -> f64 {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {metrics}")).trim().parse().unwrap()
    };
    let blocks = number("prooflight_block_seconds_count");
    assert!((blocks - number("prooflight_height")).abs() < 0.5, "{metrics}");
    assert!(number("prooflight_proof_seconds_count{scheme=\"avl\"}") >= 1.0);
    assert!(number("prooflight_store_bytes") > 1000.0);
}

fn submit_ten(node: &Node, who: u32) -> Vec<String> {
    let submit = |n: u32| {
        let mine = set(&format!("{who} {n}"), "value");
        let included = node.ask("prooflight_submit", &json!({ "ops": [mine] }));
        let block = node.ask("prooflight_block", &json!({ "at": included["hash"] }));
        assert_eq!(block["header"]["height"], included["height"]);
        assert!(block["ops"].as_array().unwrap().contains(&mine));
        included["height"].as_str().unwrap().to_owned()
    };
    (0..10).map(submit).collect()
}

fn read_until(node: &Node, stop: &AtomicBool) -> usize {
    let checkpoint = genesis(node);
    let mut reads = 0;
    while !stop.load(Ordering::Relaxed) {
        let value = verified(node, &checkpoint, "latest", "3 3");
        assert!(value.is_none_or(|value| value == b"value"));
        reads += 1;
    }
    reads
}

#[test]
fn wrong_requests_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ["--max-keys", "3", "--max-batch", "2", "--max-request-bytes", "100000"];
    let node = Node::start(folder.path(), &limits);
    let call = |method: &str, params: Value| refused(node.call(method, &params));
    let prove = |params| call("prooflight_prove", params);
    assert_eq!(prove(json!({})), "invalid_input invalid_argument");
    assert_eq!(prove(json!([1, 2])), "invalid_input invalid_argument");
    assert_eq!(prove(json!({ "scheme": "avl", "keys": ["61"] })), "invalid_input invalid_argument");
    assert_eq!(prove(json!({ "scheme": "verkle", "keys": [] })), "unsupported unknown_statement");
    assert_eq!(prove(json!({ "scheme": "mpt", "keys": [] })), "unsupported unknown_statement");
    let keys = ["0x", "0x01", "0x02", "0x03"];
    assert_eq!(
        prove(json!({ "scheme": "avl", "keys": keys })),
        "invalid_input too_many_operations"
    );
    let long = hex(&[0; 257]);
    assert_eq!(prove(json!({ "scheme": "avl", "keys": [long] })), "invalid_input key_length");
    let at = |at: &str| json!({ "scheme": "avl", "keys": [], "at": at });
    assert_eq!(prove(at("0x1")), "unavailable unknown_block");
    assert_eq!(prove(at("0xffffffffffffffff")), "unavailable unknown_block");
    assert_eq!(prove(at(&hex(&[7; 32]))), "unavailable unknown_block");
    assert_eq!(prove(at("0x01")), "invalid_input invalid_argument");
    let pair = json!({ "at": "0x0", "head": "0x1" });
    assert_eq!(call("prooflight_headerProof", pair), "unavailable unknown_block");
    let ops = json!({ "ops": [{ "op": "Set", "key": long, "value": "0x" }] });
    assert_eq!(call("prooflight_submit", ops), "invalid_input key_length");
    let ops = json!({ "ops": [{ "op": "Set", "key": "0x", "value": hex(&[0; 20_000]), "by": 1 }] });
    assert_eq!(call("prooflight_submit", ops), "invalid_input invalid_argument");
    assert_eq!(node.call("nothing", &json!({})).unwrap_err()["code"], -32601);

    let client = node.client();
    assert!(client.post(b"{").unwrap().1.contains("-32700"));
    let one = json!({ "jsonrpc": "2.0", "id": 1, "method": "prooflight_head" });
    let batch =
        |calls: usize| client.post(json!(vec![&one; calls]).to_string().as_bytes()).unwrap().1;
    assert!(batch(2).contains("signedHeader"));
    assert!(!batch(3).contains("signedHeader"));
    assert_eq!(client.get("/health"), (200, "ok\n".to_owned()));
    assert_eq!(client.get("/ready"), (200, "ready at height 0\n".to_owned()));
    let metrics = client.get("/metrics").1;
    assert!(metrics.contains("reason=\"unknown_block\""), "{metrics}");
}

#[test]
fn blocks_stay_within_what_a_reply_and_a_verifier_take() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ["--block-interval-ms", "300", "--max-request-bytes", "20000000"];
    let node = Node::start(folder.path(), &settings);
    let submit = |keys: Range<u32>, value: &str| {
        let ops: Vec<_> = keys.map(|key| set(&key.to_string(), value)).collect();
        node.call("prooflight_submit", &json!({ "ops": ops }))
    };
    let large = "x".repeat(65_536);
    assert_eq!(refused(submit(0..140, &large)), "invalid_input request_too_large");
    submit(0..70, &large).unwrap();
    submit(70..140, &large).unwrap();
    // Small operations, but their transition contains all the old values.
    assert_eq!(refused(submit(0..140, "")), "invalid_input request_too_large");
    let blocks = thread::scope(|scope| {
        let halves = [0..70, 70..140].map(|half| scope.spawn(|| submit(half, "").unwrap()));
        halves.map(|half| half.join().unwrap()["height"].clone())
    });
    assert_ne!(blocks[0], blocks[1]);
    for block in &blocks {
        let block = node.ask("prooflight_block", &json!({ "at": block }));
        assert_eq!(block["ops"].as_array().unwrap().len(), 70);
    }
    assert_eq!(node.ask("prooflight_head", &json!({}))["height"], "0x4");
}

#[test]
fn submitting_needs_the_token_and_reading_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "a secret\n").unwrap();
    let node = Node::start(folder.path(), &["--token-file", token.to_str().unwrap()]);
    let submit = |token: Option<&str>| {
        let client = Client { address: node.address, token: token.map(str::to_owned) };
        client.call("prooflight_submit", &json!({ "ops": [] })).unwrap()
    };
    for wrong in [None, Some(""), Some("a secre"), Some("a secrets"), Some("A secret")] {
        assert_eq!(refused(submit(wrong)), "invalid_input not_authorised", "{wrong:?}");
    }
    submit(Some("a secret")).unwrap();
    assert_eq!(node.ask("prooflight_head", &json!({}))["height"], json!("0x1"));
}

#[test]
fn discovery_describes_exactly_the_methods_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), FAST);
    let description = node.ask("rpc.discover", &json!({}));
    let described: BTreeSet<&str> = description["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|method| method["name"].as_str().unwrap())
        .collect();
    let served = [
        "eth_blockNumber",
        "eth_chainId",
        "eth_getBalance",
        "eth_getBlockByHash",
        "eth_getBlockByNumber",
        "eth_getCode",
        "eth_getProof",
        "eth_getStorageAt",
        "eth_getTransactionCount",
        "net_version",
        "prooflight_block",
        "prooflight_chain",
        "prooflight_count",
        "prooflight_diff",
        "prooflight_head",
        "prooflight_header",
        "prooflight_headerProof",
        "prooflight_headers",
        "prooflight_history",
        "prooflight_newHeads",
        "prooflight_progress",
        "prooflight_prove",
        "prooflight_range",
        "prooflight_submit",
        "prooflight_sync",
        "prooflight_transfer",
        "prooflight_unsubscribe",
        "rpc.discover",
    ];
    assert_eq!(described, BTreeSet::from(served));
    for method in served {
        let reply = node.call(method, &json!({}));
        // Subscriptions need a WebSocket; every other method is known.
        let unknown = reply.is_err_and(|error| error["code"] == -32601);
        assert!(
            !unknown || method == "prooflight_newHeads" || method == "prooflight_unsubscribe",
            "{method}"
        );
    }
}

#[test]
fn every_new_head_is_sent_to_subscribers() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), FAST);
    let mut socket = WebSocket::connect(node.address);
    socket.send(r#"{"jsonrpc":"2.0","id":1,"method":"prooflight_newHeads"}"#);
    let subscription = socket.receive()["result"].clone();
    for height in 0..5 {
        let note = socket.receive();
        assert_eq!(note["params"]["subscription"], subscription);
        let sent = header(&note["params"]["result"]);
        assert_eq!(sent.header.height, height);
        let at = json!({ "at": format!("{height:#x}") });
        assert_eq!(header(&node.ask("prooflight_header", &at)), sent);
        node.ask("prooflight_submit", &json!({ "ops": [set("key", &height.to_string())] }));
    }
    // Calls go over the same connection.
    let _head_of_the_last_submission = socket.receive();
    let end = json!({ "jsonrpc": "2.0", "id": 2, "method": "prooflight_unsubscribe", "params": [subscription] });
    socket.send(&end.to_string());
    assert_eq!(socket.receive()["result"], json!(true));
    // A subscriber does not keep the node from stopping.
    assert!(node.stop().success());
}

#[test]
fn settings_come_from_flag_then_environment_then_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("node.toml");
    std::fs::write(&file, "max-keys = 1\nmax-batch = 1\n").unwrap();
    let mut node = Node::start(folder.path(), &["--config", file.to_str().unwrap()]);
    let prove = |node: &Node, keys: &[&str]| {
        node.call("prooflight_prove", &json!({ "scheme": "avl", "keys": keys }))
    };
    assert!(prove(&node, &["0x"]).is_ok());
    assert_eq!(refused(prove(&node, &["0x", "0x01"])), "invalid_input too_many_operations");
    node.kill();
    let settings = ["--config", file.to_str().unwrap(), "--max-keys", "2"];
    let mut node = Node::start(folder.path(), &settings);
    assert!(prove(&node, &["0x", "0x01"]).is_ok());
    node.kill();

    std::fs::write(&file, "max-kes = 1\n").unwrap();
    let Err(said) = Node::try_start(folder.path(), &["--config", file.to_str().unwrap()]) else {
        panic!("a misspelt setting was accepted");
    };
    assert!(said.contains("max-kes"), "{said}");
}

#[test]
fn a_chain_begins_with_a_state_and_keeps_its_own_limits() {
    let folder = tempfile::tempdir().unwrap();
    let [chain, state] = ["chain", "state.jsonl"].map(|name| folder.path().join(name));
    let line = |key: &str, value: &str| {
        json!({ "key": hex(key.as_bytes()), "value": hex(value.as_bytes()) }).to_string()
    };
    std::fs::write(&state, [line("alice", "70"), line("bob", "30")].join("\n")).unwrap();
    let init = |limits: &[&str]| {
        command(&chain, &[&["init", "--state", state.to_str().unwrap()], limits].concat())
    };
    for (limits, reason) in [
        (["--max-key", "4"], "key_length"),
        (["--max-value", "1"], "value_length"),
        (["--max-ops", "1"], "too_many_operations"),
    ] {
        let refused = init(&limits);
        assert!(text(&refused.stderr).contains(reason), "{}", text(&refused.stderr));
        assert!(!chain.join("store").exists() && !chain.join("genesis.jsonl").exists());
    }
    assert!(init(&["--max-key", "5", "--max-value", "2"]).status.success());
    assert!(text(&init(&[]).stderr).contains("no chain in"));

    let node = Node::start(&chain, FAST);
    let checkpoint = genesis(&node);
    assert_eq!(verified(&node, &checkpoint, "0x0", "bob"), Some(b"30".to_vec()));
    let submit = |key, value| node.call("prooflight_submit", &json!({ "ops": [set(key, value)] }));
    assert_eq!(refused(submit("carol", "123")), "invalid_input value_length");
    assert_eq!(refused(submit("carola", "1")), "invalid_input key_length");
    submit("carol", "12").unwrap();
}

#[test]
fn a_state_goes_out_and_into_another_chain() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let node = Node::start(folder.path(), FAST);
    let ops: Vec<_> = (0..100).map(|n| set(&format!("key {n}"), &"v".repeat(n))).collect();
    node.ask("prooflight_submit", &json!({ "ops": ops }));
    assert!(node.stop().success());
    let file = other.path().join("state.jsonl");
    let file = file.to_str().unwrap();
    assert!(command(folder.path(), &["export", file]).status.success());
    assert!(command(other.path(), &["init", "--chain-id", "other"]).status.success());
    let imported = command(other.path(), &["import", "--block", "30", file]);
    assert!(imported.status.success(), "{}", text(&imported.stderr));
    let verified = command(other.path(), &["verify"]);
    assert_eq!(text(&verified.stdout), "5 blocks and 100 values verified\n");

    let backup = other.path().join("backup");
    assert!(command(other.path(), &["backup", backup.to_str().unwrap()]).status.success());
    let of = |folder: &std::path::Path| text(&command(folder, &["checkpoint"]).stdout);
    assert_eq!(of(&backup), of(other.path()));
    assert!(!backup.join("authority-0.key").exists());
    // A copy without keys makes no blocks.
    assert!(!command(&backup, &["import", file]).status.success());
}

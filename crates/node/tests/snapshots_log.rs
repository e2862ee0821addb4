//! Histories and diffs from snapshot files in the bucket of a chain's log.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use harness::light::genesis;
use harness::log;
use harness::past::{diff, history, make, of_key};
use harness::{ChildProcess, Node, PROGRAM, command, eventually, hex, set, text};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0", "--follow-interval-ms", "10"];
const FAST_POLL: &[&str] = &["--follow-interval-ms", "10"];

/// A bucket, and the folders of nodes.
struct TestBucket {
    folder: tempfile::TempDir,
    /// The URL of the log.
    log: String,
}

impl TestBucket {
    /// An empty location in the bucket of `PROOFLIGHT_S3`, or else in a folder.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { log: log::anywhere(folder.path()), folder }
    }

    /// A location in a folder, whose files the test changes.
    fn in_folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { log: log::in_folder(folder.path()), folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn init(&self, settings: &[&str]) {
        let init = [&["init", "--schemes", "smt"], settings].concat();
        assert!(command(&self.at("first"), &init).status.success());
    }

    /// A leader that publishes its snapshots in the bucket.
    fn lead(&self) -> Node {
        let settings = [FAST, &["--publish", "--publish-snapshots"]].concat();
        Node::try_share("run", &self.at("first"), &self.log, &settings).unwrap()
    }

    /// The chain of [`make`], with all its snapshots in the bucket.
    fn chain(&self) -> Node {
        self.init(&[]);
        let node = self.lead();
        make(&node);
        node
    }

    /// A proof server that has seen these blocks.
    fn serve_history(&self, node: &Node, newest: u64) -> Node {
        let server = Node::serve_history_at(&self.log, node, FAST_POLL);
        until(&server, newest);
        server
    }

    /// A proof server that has its headers from the log.
    fn serve_history_alone(&self) -> Node {
        Node::serve(self.alone()).unwrap()
    }

    fn alone(&self) -> Command {
        let mut program = Command::new(PROGRAM);
        program
            .args(["serve-history", "--snapshots", &self.log, "--log", &self.log])
            .args(FAST_POLL);
        program.arg("--checkpoint").arg(self.checkpoint());
        program
    }

    /// A file with the checkpoint of the chain, which `keep_checkpoint` writes.
    fn checkpoint(&self) -> PathBuf {
        self.at("checkpoint.json")
    }

    fn keep_checkpoint(&self) {
        fs::write(self.checkpoint(), command(&self.at("first"), &["checkpoint"]).stdout).unwrap();
    }

    /// The file of an object, in a folder.
    fn object(&self, last: u64) -> PathBuf {
        self.at(&format!("bucket/smt/1/{last:016}.smt"))
    }

    /// The same file in the leader's folder.
    fn own(&self, last: u64) -> PathBuf {
        self.at(&format!("first/snapshots/{last:016}.smt"))
    }
}

/// Waits until a server has seen these blocks.
fn until(server: &Node, newest: u64) {
    let ready = || server.client().get("/ready").1;
    eventually(|| ready() == format!("ready at height {newest}\n"), ready);
}

/// Waits until a file has these bytes.
fn until_same(file: &PathBuf, expected: &[u8]) {
    eventually(
        || fs::read(file).is_ok_and(|found| found == expected),
        || format!("{} is not as expected", file.display()),
    );
}

fn refused(server: &Node, method: &str, params: &Value) -> Value {
    server.call(method, params).unwrap_err()["data"].clone()
}

fn of_first_block() -> Value {
    json!({ "scheme": "smt", "keys": [hex(b"key")], "at": "0x1" })
}

#[test]
fn histories_diffs_and_old_values_come_from_the_bucket() {
    let place = TestBucket::new();
    let node = place.chain();
    let checkpoint = genesis(&node);
    let archive = place.serve_history(&node, 7);
    for (from, to) in [(0, 7), (2, 5), (3, 3), (6, 7), (0, 0)] {
        let mut changes = of_key();
        changes.retain(|(at, _)| (from..=to).contains(at));
        assert_eq!(history(&archive, &checkpoint, from, to), changes, "{from}..={to}");
    }
    let (key, another) = (b"key".to_vec(), b"another".to_vec());
    assert_eq!(diff(&archive, &checkpoint, None, 7), [another.clone(), key.clone()]);
    assert_eq!(diff(&archive, &checkpoint, Some(5), 6), std::slice::from_ref(&another));
    assert_eq!(diff(&archive, &checkpoint, Some(2), 5), [another, key]);
    let keys = [hex(b"key"), hex(b"another"), hex(b"never")];
    for height in 0..8 {
        let params = json!({ "scheme": "smt", "keys": keys, "at": format!("{height:#x}") });
        let [from_bucket, from_node] =
            [&archive, &node].map(|it| it.ask("prooflight_prove", &params));
        assert_eq!(from_bucket, from_node, "block {height}");
    }
}

#[test]
fn new_files_are_served_while_they_appear() {
    let place = TestBucket::new();
    let node = place.chain();
    let checkpoint = genesis(&node);
    let archive = place.serve_history(&node, 7);
    for n in 0..10_u64 {
        node.ask("prooflight_submit", &json!({ "ops": [set("key", &n.to_string())] }));
        until(&archive, 8 + n);
        let changes = history(&archive, &checkpoint, 8, 8 + n);
        assert_eq!(changes.last(), Some(&(8 + n, Some(n.to_string().into_bytes()))));
        assert_eq!(changes.len() as u64, n + 1);
    }
}

#[test]
fn a_server_waits_for_the_first_file_and_a_replica_may_make_the_files() {
    let place = TestBucket::in_folder();
    place.init(&[]);
    let settings = [FAST, &["--publish"]].concat();
    let node = Node::try_share("run", &place.at("first"), &place.log, &settings).unwrap();
    make(&node);
    let archive = Node::serve_history_at(&place.log, &node, FAST_POLL);
    assert_eq!(archive.client().get("/ready").0, 503);
    assert_eq!(
        refused(&archive, "prooflight_prove", &of_first_block())["reason"],
        "version_unavailable"
    );
    place.keep_checkpoint();
    let checkpoint = place.checkpoint();
    let pinned = ["--publish-snapshots", "--checkpoint", checkpoint.to_str().unwrap()];
    let settings = [FAST, &pinned].concat();
    let _replica = Node::try_share("serve", &place.at("replica"), &place.log, &settings).unwrap();
    until(&archive, 7);
    assert_eq!(history(&archive, &genesis(&node), 0, 7), of_key());
    for last in 0..8 {
        until_same(&place.object(last), &fs::read(place.own(last)).unwrap());
    }
}

#[test]
fn a_server_with_the_log_needs_no_node() {
    let place = TestBucket::new();
    let node = place.chain();
    place.keep_checkpoint();
    let checkpoint = genesis(&node);
    let with_node = place.serve_history(&node, 7);
    let archive = place.serve_history_alone();
    until(&archive, 7);
    // All answers equal those of the node.
    let hash = |height: u64| {
        let at = json!({ "at": format!("{height:#x}") });
        node.ask("prooflight_header", &at)["hash"].clone()
    };
    let key = hex(b"key");
    let questions = [
        ("prooflight_chain", json!({})),
        ("prooflight_head", json!({})),
        ("prooflight_header", json!({ "at": "0x3" })),
        ("prooflight_header", json!([{ "at": hash(5) }])),
        ("prooflight_headerProof", json!({ "at": "0x2", "head": hash(6) })),
        ("prooflight_headers", json!({ "heights": ["0x0", "0x3", "0x7"], "head": "0x7" })),
        ("prooflight_block", json!({ "at": "0x5" })),
        ("prooflight_block", json!({ "at": hash(0) })),
        ("prooflight_prove", json!({ "scheme": "smt", "keys": [key], "at": hash(4) })),
        ("prooflight_history", json!({ "key": key, "from": "0x0" })),
        ("prooflight_history", json!({ "key": key, "from": "0x1", "to": "0x4", "head": "0x6" })),
        ("prooflight_diff", json!({ "from": "0x2", "to": "0x4" })),
    ];
    let expected: Vec<Value> =
        questions.iter().map(|(method, params)| with_node.ask(method, params)).collect();
    let wrong = [
        ("prooflight_header", json!({ "at": "0x8" })),
        ("prooflight_header", json!({ "at": hex(&[7; 32]) })),
        ("prooflight_headers", json!({ "heights": ["0x7"], "head": "0x6" })),
        ("prooflight_block", json!({ "at": "0x8" })),
        ("prooflight_prove", json!({ "scheme": "smt", "keys": [key], "at": "0x8" })),
        ("prooflight_header", json!({ "at": 1 })),
    ];
    let reasons: Vec<Value> = wrong
        .iter()
        .map(|(method, params)| refused(&with_node, method, params)["reason"].clone())
        .collect();
    assert!(node.stop().success());
    for archive in [archive, place.serve_history_alone()] {
        until(&archive, 7);
        for ((method, params), expected) in questions.iter().zip(&expected) {
            assert_eq!(&archive.ask(method, params), expected, "{method} {params}");
        }
        for ((method, params), reason) in wrong.iter().zip(&reasons) {
            assert_eq!(&refused(&archive, method, params)["reason"], reason, "{method} {params}");
        }
        assert_eq!(history(&archive, &checkpoint, 0, 7), of_key());
        assert_eq!(diff(&archive, &checkpoint, Some(5), 6), [b"another".to_vec()]);
    }
    // It follows the log.
    let archive = place.serve_history_alone();
    let node = place.lead();
    for n in 0..5_u64 {
        node.ask("prooflight_submit", &json!({ "ops": [set("key", &n.to_string())] }));
        until(&archive, 8 + n);
        let changes = history(&archive, &checkpoint, 8, 8 + n);
        assert_eq!(changes.last(), Some(&(8 + n, Some(n.to_string().into_bytes()))));
    }
}

#[test]
fn a_wrong_header_of_the_log_is_not_served() {
    let place = TestBucket::in_folder();
    let node = place.chain();
    until_same(&place.object(7), &fs::read(place.own(7)).unwrap());
    place.keep_checkpoint();
    let block = |height: u64| place.at(&format!("bucket/blocks/{height:016}"));
    assert!(node.stop().success());
    let honest = fs::read(block(4)).unwrap();
    let mut altered = honest.clone();
    altered[60] ^= 1;
    for (what, bytes) in [
        ("altered", altered),
        ("cut", honest[..honest.len() - 1].to_vec()),
        ("another block", fs::read(block(5)).unwrap()),
    ] {
        fs::write(block(4), bytes).unwrap();
        let archive = place.serve_history_alone();
        let ready = || archive.client().get("/ready");
        eventually(|| ready().1.contains("at height 3"), || format!("{what}: {:?}", ready()));
        let at = json!({ "at": "0x4" });
        assert_eq!(
            refused(&archive, "prooflight_header", &at)["reason"],
            "unknown_block",
            "{what}"
        );
        archive.ask("prooflight_header", &json!({ "at": "0x3" }));
        fs::write(block(4), &honest).unwrap();
        until(&archive, 7);
        // A block that is altered later has the header that was checked.
        archive.ask("prooflight_block", &at);
        fs::write(block(4), fs::read(block(5)).unwrap()).unwrap();
        assert_eq!(refused(&archive, "prooflight_block", &at)["reason"], "wrong_block", "{what}");
        archive.ask("prooflight_header", &at);
        fs::write(block(4), &honest).unwrap();
    }
}

#[test]
fn a_server_of_the_past_has_a_node_or_a_log() {
    let place = TestBucket::in_folder();
    let node = place.chain();
    place.keep_checkpoint();
    let said = |arguments: &[&str]| {
        let mut program = Command::new(PROGRAM);
        program.args(["serve-history", "--listen", "127.0.0.1:0", "--snapshots", &place.log]);
        let output = program.args(arguments).output().unwrap();
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let (url, checkpoint) = (format!("http://{}", node.address), place.checkpoint());
    let checkpoint = checkpoint.to_str().unwrap();
    let neither = said(&[]);
    assert!(neither.contains("--node") && neither.contains("--log"), "{neither}");
    let both = said(&["--node", &url, "--log", &place.log, "--checkpoint", checkpoint]);
    assert!(both.contains("cannot be used with"), "{both}");
    let unpinned = said(&["--log", &place.log]);
    assert!(unpinned.contains("--checkpoint"), "{unpinned}");
    // Another chain.
    let other = place.at("other");
    assert!(command(&other, &["init", "--schemes", "smt"]).status.success());
    fs::write(checkpoint, command(&other, &["checkpoint"]).stdout).unwrap();
    let wrong = said(&["--log", &place.log, "--checkpoint", checkpoint]);
    assert!(wrong.contains("wrong_chain"), "{wrong}");
}

#[test]
fn files_with_several_blocks_are_found() {
    let place = TestBucket::new();
    place.init(&["--blocks-per-snapshot", "4"]);
    let node = place.lead();
    make(&node);
    let archive = place.serve_history(&node, 7);
    assert_eq!(history(&archive, &genesis(&node), 7, 7), [(7, None)]);
    let error = refused(&archive, "prooflight_prove", &of_first_block());
    assert_eq!(error["reason"], "version_unavailable");
}

#[test]
fn a_missing_object_is_made_again_when_the_node_starts() {
    let place = TestBucket::in_folder();
    let node = place.chain();
    until_same(&place.object(7), &fs::read(place.own(7)).unwrap());
    assert!(node.stop().success());
    for last in [0, 3, 7] {
        fs::remove_file(place.object(last)).unwrap();
    }
    // The 10^16 earlier files do not exist.
    fs::write(place.object(9_999_999_999_999_998), b"").unwrap();
    let node = place.lead();
    for last in 0..8 {
        until_same(&place.object(last), &fs::read(place.own(last)).unwrap());
    }
    let archive = place.serve_history(&node, 7);
    assert_eq!(history(&archive, &genesis(&node), 0, 7), of_key());
    node.ask("prooflight_submit", &json!({ "ops": [set("later", "1")] }));
    until_same(&place.object(8), &fs::read(place.own(8)).unwrap());
}

#[test]
fn an_object_with_other_bytes_is_named_and_not_replaced() {
    let place = TestBucket::in_folder();
    place.init(&[]);
    let other = [&[7; 300][..], b"other"].concat();
    fs::create_dir_all(place.object(0).parent().unwrap()).unwrap();
    // Found when the node lists the bucket, and when it would create the object.
    fs::write(place.object(0), &other).unwrap();
    fs::write(place.object(4), &other).unwrap();
    let logs = place.at("logs");
    let mut program = Command::new(PROGRAM);
    program.args(["run", "--log", &place.log, "--data-dir"]).arg(place.at("first"));
    program.args(FAST).args(["--publish", "--publish-snapshots", "--log-format", "json"]);
    program.args(["--listen", "127.0.0.1:0"]).stderr(fs::File::create(&logs).unwrap());
    // Killed also if the test fails: it would go on running, and the tests wait for its output.
    let child = ChildProcess(program.spawn().unwrap());
    let said = || text(&fs::read(&logs).unwrap());
    let other_is_named = || {
        let said = said();
        let named = said.lines().find(|line| line.contains("differs from this node's file"));
        named.is_some_and(|line| line.contains("smt/1/") && line.contains("store_corrupt"))
    };
    eventually(other_is_named, said);
    drop(child);
    assert_eq!(fs::read(place.object(0)).unwrap(), other);
}

#[test]
fn a_damaged_object_is_named_and_ends_nothing() {
    let place = TestBucket::in_folder();
    let node = place.chain();
    let checkpoint = genesis(&node);
    until_same(&place.object(7), &fs::read(place.own(7)).unwrap());
    let object = place.object(3);
    let honest = fs::read(&object).unwrap();
    let mut altered = honest.clone();
    altered[honest.len() / 2] ^= 0x10;
    let cases: [(&str, Option<Vec<u8>>); 5] = [
        ("altered", Some(altered)),
        ("cut in its header", Some(honest[..100].to_vec())),
        ("cut after its header", Some(honest[..130].to_vec())),
        ("empty", Some(Vec::new())),
        ("missing", None),
    ];
    let params = json!({ "key": hex(b"key"), "from": "0x0", "to": "0x7" });
    let archive = place.serve_history(&node, 7);
    for (what, bytes) in cases {
        match bytes {
            Some(bytes) => fs::write(&object, bytes).unwrap(),
            None => fs::remove_file(&object).unwrap(),
        }
        // A server with an empty cache.
        let fresh = Node::serve_history_at(&place.log, &node, &["--cache-bytes", "0"]);
        let error = refused(&fresh, "prooflight_history", &params);
        assert_eq!(error["reason"], "store_corrupt", "{what}: {error}");
        let expected = error["expected"].as_str().unwrap();
        assert!(expected.contains("0000000000000003.smt"), "{what}: {expected}");
        // Other blocks are served, and this one once its file is back.
        assert_eq!(history(&fresh, &checkpoint, 7, 7), [(7, None)], "{what}");
        fs::write(&object, &honest).unwrap();
        assert_eq!(history(&fresh, &checkpoint, 0, 7), of_key(), "{what}");
    }
    assert_eq!(history(&archive, &checkpoint, 0, 7), of_key());
}

#[test]
fn what_has_no_log_or_no_snapshots_is_refused() {
    let place = TestBucket::in_folder();
    place.init(&[]);
    let said = Node::try_start(&place.at("first"), &["--publish-snapshots"]).err().unwrap();
    assert!(said.contains("--log") && said.contains("invalid_argument"), "{said}");
    let other = place.at("other");
    assert!(command(&other, &["init", "--schemes", "avl"]).status.success());
    let settings = ["--publish", "--publish-snapshots"];
    let said = Node::try_share("run", &other, &place.log, &settings).err().unwrap();
    assert!(said.contains("a chain with smt"), "{said}");
    let node = Node::start(&place.at("first"), FAST);
    let served = |url: &str| {
        let output = Command::new(PROGRAM)
            .args(["serve-history", "--listen", "127.0.0.1:0", "--snapshots", url, "--node"])
            .arg(format!("http://{}", node.address))
            .output()
            .unwrap();
        text(&output.stderr)
    };
    for url in ["ftp://host/folder", "file:///no/such/folder"] {
        assert!(served(url).contains("invalid_argument"), "{url}");
    }
}

//! Checkpoints, exports and backups of a chain that a node has open, and of one that is damaged.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use harness::{Node, command, hex, set, text};
use prooflight_core::store::{Store, WriteBatch};
use prooflight_node::Chain;
use prooflight_node::chain::store;
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];
const ALL: &[&str] = &["--schemes", "avl,lmpt,lvmt,smt,amb", "--lvmt-log-n", "8"];

fn init(folder: &Path, more: &[&str]) {
    let begun = command(folder, &[&["init"], more].concat());
    assert!(begun.status.success(), "{}", text(&begun.stderr));
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let ended = command(folder, arguments);
    assert!(ended.status.success(), "{arguments:?}: {}", text(&ended.stderr));
    text(&ended.stdout)
}

fn backup(folder: &Path, to: &Path) -> Output {
    command(folder, &["backup", to.to_str().unwrap()])
}

fn submit(node: &Node, keys: impl Iterator<Item = u32>, value: &str) {
    let ops: Vec<_> = keys.map(|key| set(&format!("key {key}"), value)).collect();
    node.ask("prooflight_submit", &json!({ "ops": ops }));
}

/// Makes blocks while `done` runs.
fn while_blocks_are_made<T>(node: &Node, done: impl FnOnce() -> T) -> T {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                submit(node, number..number + 20, "later");
                let gone =
                    json!({ "op": "Delete", "key": hex(format!("key {number}").as_bytes()) });
                node.ask("prooflight_submit", &json!({ "ops": [gone] }));
            }
        });
        let result = done();
        ended.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn a_running_node_is_backed_up_and_the_backup_runs() {
    for (begun, settings) in [
        (["--blocks-per-snapshot", "1"], &[][..]),
        (["--blocks-per-snapshot", "4"], &["--keep-states", "8"][..]),
    ] {
        let parent = tempfile::tempdir().unwrap();
        let [folder, copy] = ["chain", "copy"].map(|name| parent.path().join(name));
        init(&folder, &[ALL, &begun].concat());
        let node = Node::start(&folder, &[FAST, settings].concat());
        (0..30).for_each(|block| submit(&node, block * 10..block * 10 + 15, "first"));
        let made = while_blocks_are_made(&node, || backup(&folder, &copy));
        assert!(made.status.success(), "{}", text(&made.stderr));
        assert!(text(&made.stdout).contains(" blocks and "), "{}", text(&made.stdout));
        let head = node.ask("prooflight_head", &json!({}));
        assert!(node.stop().success());

        // The copy has the same chain, and executing its blocks leads to the same state.
        assert_eq!(
            run(&copy, &["checkpoint", "--height", "30"]),
            run(&folder, &["checkpoint", "--height", "30"])
        );
        assert!(run(&copy, &["verify"]).contains("values verified"));
        assert!(!copy.join("authority-0.key").exists());
        fs::copy(folder.join("authority-0.key"), copy.join("authority-0.key")).unwrap();
        let resumed = Node::start(&copy, FAST);
        let height =
            |head: &Value| u64::from_str_radix(&head["height"].as_str().unwrap()[2..], 16).unwrap();
        let before = height(&resumed.ask("prooflight_head", &json!({})));
        assert!((31..=height(&head)).contains(&before), "{before}");
        submit(&resumed, 0..1, "resumed");
        for scheme in ["avl", "lmpt", "lvmt", "amb"] {
            let asked = json!({ "scheme": scheme, "keys": [hex(b"key 0")] });
            assert_eq!(height(&resumed.ask("prooflight_prove", &asked)["header"]), before + 1);
        }
    }
}

#[test]
fn a_running_node_gives_checkpoints_and_its_state() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), ALL);
    let node = Node::start(folder.path(), FAST);
    submit(&node, 0..1000, "value");
    let state = folder.path().join("state.jsonl");
    while_blocks_are_made(&node, || {
        run(folder.path(), &["export", state.to_str().unwrap()]);
        let newest: Value = serde_json::from_str(&run(folder.path(), &["checkpoint"])).unwrap();
        let first: Value =
            serde_json::from_str(&run(folder.path(), &["checkpoint", "--height", "1"])).unwrap();
        assert_ne!(newest["height"], first["height"]);
        assert_eq!(
            first["headerHash"],
            node.ask("prooflight_header", &json!({ "at": "0x1" }))["hash"]
        );
    });
    let lines = fs::read_to_string(&state).unwrap();
    let key = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["key"].as_str().unwrap().to_owned()
    };
    let keys: Vec<_> = lines.lines().map(key).collect();
    assert!(keys.len() > 500 && keys.is_sorted(), "{}", keys.len());

    let refused = command(folder.path(), &["checkpoint", "--height", "1000000"]);
    assert!(text(&refused.stderr).contains("unknown_block"), "{}", text(&refused.stderr));
    let refused = command(folder.path(), &["export", state.to_str().unwrap()]);
    assert!(!refused.status.success(), "it replaced a file");
}

#[test]
fn copies_go_only_to_whoever_may_read_the_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &[]);
    let node = Node::start(folder.path(), FAST);
    let file = folder.path().join("running");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let content = fs::read_to_string(&file).unwrap();
    let (address, token) = content.trim_end().split_once(' ').unwrap();
    assert_eq!(address, node.admin.to_string());
    let get = |path: &str, token: &str| {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        node.admin().send(head.as_bytes()).unwrap()
    };
    for path in ["/backup", "/export", "/checkpoint"] {
        assert_eq!(get(path, token).0, 200);
        for other in
            ["", &token[1..], &format!("{token}0"), &token.replace('a', "b").replace('0', "1")]
        {
            let (status, body) = get(path, other);
            assert!(status == 401 && body.contains("not_authorised"), "{status} {body}");
        }
        assert_eq!(node.admin().get(path).0, 401);
        // Clients of the node do not reach it.
        assert_ne!(node.client().get(path).0, 200);
    }
    assert_eq!(get("/checkpoint?height=x", token).0, 400);
    assert!(node.stop().success());
    assert!(!file.exists());
}

/// Answers the next request with this, and closes the connection.
fn answering(answer: Vec<u8>) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answering = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        assert!(stream.read(&mut request).unwrap() > 0);
        stream.write_all(&answer).unwrap();
    });
    (address, answering)
}

#[test]
fn a_backup_that_breaks_off_or_is_none_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let [folder, copy] = ["chain", "copy"].map(|name| parent.path().join(name));
    init(&folder, &[]);
    let held = Chain::open(&folder).unwrap();
    let begin = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let refusal =
        "{\"code\":\"unavailable\",\"reason\":\"busy\",\"expected\":\"one\",\"found\":\"two\"}";
    for (answer, reason) in [
        (format!("{begin}8\r\nPLbackup\r\n"), "unreachable"),
        (format!("{begin}8\r\nPLbackup\r\n0\r\n\r\n"), "invalid_reply"),
        (format!("{begin}8\r\nPLbackuq\r\n0\r\n\r\n"), "invalid_reply"),
        (format!("HTTP/1.1 429 No\r\nContent-Length: {}\r\n\r\n{refusal}", refusal.len()), "busy"),
        ("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".to_owned(), "server_error"),
        ("nonsense\r\n\r\n".to_owned(), "unreachable"),
    ] {
        let (address, answering) = answering(answer.into_bytes());
        fs::write(folder.join("running"), format!("{address} token\n")).unwrap();
        let refused = backup(&folder, &copy);
        answering.join().unwrap();
        let said = text(&refused.stderr);
        assert!(said.contains(&format!("/ {reason})")), "{reason}: {said}");
        assert!(!copy.exists());
    }
    // Nobody answers.
    assert!(text(&backup(&folder, &copy).stderr).contains("unreachable"));
    fs::remove_file(folder.join("running")).unwrap();
    assert_eq!(backup(&folder, &copy).status.code(), Some(74));
    drop(held);
    assert!(backup(&folder, &copy).status.success());
    assert!(text(&backup(&folder, &copy).stderr).contains("a new or empty folder"));
}

#[test]
fn a_chain_with_other_values_than_its_blocks_has_no_backup() {
    let parent = tempfile::tempdir().unwrap();
    let [folder, copy] = ["chain", "copy"].map(|name| parent.path().join(name));
    init(&folder, &["--schemes", "smt"]);
    let node = Node::start(&folder, FAST);
    submit(&node, 0..100, "value");
    assert!(node.stop().success());
    let write = |key: &[u8], value: Option<&[u8]>| {
        let mut store = store::open(&folder.join("store")).unwrap();
        let mut batch = WriteBatch::new();
        match value {
            Some(value) => batch.put(key, value),
            None => batch.delete(key),
        }
        store.write(batch).unwrap();
    };
    for (key, value, right) in [
        (&b"skey 7"[..], Some(&b"another"[..]), Some(&b"value"[..])),
        (b"skey 7", None, Some(b"value")),
        (b"snew", Some(b"value"), None),
    ] {
        write(key, value);
        let refused = backup(&folder, &copy);
        assert!(text(&refused.stderr).contains("store_corrupt"), "{}", text(&refused.stderr));
        assert!(!copy.exists());
        write(key, right);
    }
    assert_eq!(
        text(&backup(&folder, &copy).stdout),
        format!("2 blocks and 100 values in {}\n", copy.display())
    );
}

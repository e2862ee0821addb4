//! A replica that begins with the state after a block of its leader.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harness::liar::{Liar, Lie};
use harness::{Client, Node, OpeningNode, PROGRAM, bytes, command, eventually, hex, set, text};
use serde_json::{Value, json};

/// Begins a chain, and keeps its checkpoint in a file.
fn begin(folder: &Path, options: &[&str]) -> (Node, PathBuf) {
    let chain = folder.join("leader");
    let begun = command(&chain, &[&["init", "--schemes"], options].concat());
    assert!(begun.status.success(), "{}", text(&begun.stderr));
    let path = folder.join("checkpoint.json");
    std::fs::write(&path, command(&chain, &["checkpoint"]).stdout).unwrap();
    (Node::start(&chain, &["--block-interval-ms", "0"]), path)
}

/// Makes blocks that set, delete and set again.
fn make(node: &Client, blocks: std::ops::Range<usize>) {
    for block in blocks {
        let key = |number: usize| format!("key {}", number % 150);
        let mut ops: Vec<_> = (0..30)
            .map(|number| set(&key(block * 17 + number), &"v".repeat(block % 5 * 100)))
            .collect();
        ops.push(json!({ "op": "Delete", "key": hex(key(block * 29).as_bytes()) }));
        ops.push(set("newest", &block.to_string()));
        node.call("prooflight_submit", &json!({ "ops": ops })).unwrap().unwrap();
    }
}

fn settings<'s>(url: &'s str, checkpoint: &'s Path) -> Vec<&'s str> {
    let checkpoint = checkpoint.to_str().unwrap();
    vec!["--follow", url, "--checkpoint", checkpoint, "--sync", "--follow-interval-ms", "10"]
}

fn height(node: &Node) -> u64 {
    let head = node.ask("prooflight_head", &json!({}));
    u64::from_str_radix(&head["height"].as_str().unwrap()[2..], 16).unwrap()
}

/// The output of a command that refuses a state.
fn refusal(folder: &Path, url: &str, checkpoint: &Path) -> String {
    let mut arguments = vec!["run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    arguments.extend(settings(url, checkpoint));
    let refused = command(folder, &arguments);
    assert!(!refused.status.success());
    text(&refused.stderr)
}

fn reason(node: &Node, method: &str, params: &Value) -> String {
    node.call(method, params).unwrap_err()["data"]["reason"].as_str().unwrap().to_owned()
}

#[test]
fn a_replica_begins_with_a_state_and_follows_from_there() {
    for options in [
        &["avl"][..],
        &["amb"],
        &["avl,smt"],
        &["avl,smt,amb"],
        &["avl,smt", "--blocks-per-snapshot", "8"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (leader, pinned) = begin(folder.path(), options);
        make(&leader.client(), 0..20);
        let liar = Liar::start();
        liar.ask(leader.address);
        // The leader goes on while its state is fetched.
        let (client, moved) = (leader.client(), AtomicUsize::new(20));
        liar.tell(Lie::of("prooflight_sync", move |_| {
            let block = moved.fetch_add(1, Ordering::SeqCst);
            make(&client, block..block + 1);
        }));
        let copy = folder.path().join("replica");
        let replica = Node::start(&copy, &settings(&liar.url(), &pinned));
        let caught_up = |replica: &Node| {
            let newest = height(&leader);
            eventually(|| height(replica) == newest, || replica.admin().get("/ready").1);
        };
        liar.tell(Lie::None);
        caught_up(&replica);
        let newest = height(&leader);
        assert!(newest > 22, "{options:?}: {newest}");
        let same = |replica: &Node, method: &str, params: Value| {
            let [found, expected] = [replica, &leader].map(|node| {
                node.call(method, &params).map_err(|error| error["data"]["reason"].clone())
            });
            assert_eq!(found, expected, "{method} of {params}");
        };
        let schemes: Vec<&str> = options[0].split(',').collect();
        let keys: Vec<String> = ["newest", "key 7", "key 140", "key 29", "no key"]
            .iter()
            .map(|key| hex(key.as_bytes()))
            .collect();
        for at in 20..=newest {
            let at = format!("{at:#x}");
            for scheme in &schemes {
                let asked = json!({ "scheme": scheme, "keys": keys, "at": at });
                same(&replica, "prooflight_prove", asked);
            }
        }
        for at in 0..=newest {
            let at = json!({ "at": format!("{at:#x}") });
            same(&replica, "prooflight_headerProof", at);
        }
        if schemes.contains(&"amb") {
            same(&replica, "prooflight_range", json!({}));
            same(&replica, "prooflight_count", json!({}));
            let asked = json!({ "key": hex(b"newest"), "from": "0x16", "scheme": "amb" });
            same(&replica, "prooflight_history", asked);
        }
        // Earlier blocks and states are refused with a reason.
        let before = |at: &str| json!({ "scheme": schemes[0], "keys": [hex(b"newest")], "at": at });
        assert_eq!(reason(&replica, "prooflight_prove", &before("0x13")), "version_unavailable");
        if options.len() == 1 {
            let at = json!({ "at": "0x14" });
            assert_eq!(reason(&replica, "prooflight_block", &at), "version_unavailable");
        }
        same(&replica, "prooflight_block", json!({ "at": "0x15" }));
        // The replica goes on after a restart, and from a backup.
        assert!(replica.stop().success());
        let backup = folder.path().join("backup");
        let made = command(&copy, &["backup", backup.to_str().unwrap()]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        make(&leader.client(), 100..102);
        for folder in [&copy, &backup] {
            let replica = Node::start(folder, &settings(&liar.url(), &pinned));
            caught_up(&replica);
            same(&replica, "prooflight_prove", before("latest"));
        }
    }
}

/// Changes the chunk of this number; counts them.
fn altering(
    number: usize,
    counted: &Arc<AtomicUsize>,
    change: impl Fn(&mut Vec<u8>) + Send + Sync + 'static,
) -> Lie {
    let counted = counted.clone();
    Lie::of("prooflight_sync", move |result| {
        if result["chunk"].is_string() && counted.fetch_add(1, Ordering::SeqCst) == number {
            let mut chunk = bytes(&result["chunk"]);
            change(&mut chunk);
            result["chunk"] = hex(&chunk).into();
        }
    })
}

#[test]
fn a_chunk_that_is_altered_cut_or_left_out_is_refused_with_the_name_of_its_sender() {
    for (schemes, chunks) in [
        // Headers, the tree, its values, a file for each block, and that there are no more.
        ("avl,smt", 1 + 1 + 1 + 4 + 1),
        // Headers and two trees.
        ("avl,amb", 1 + 1 + 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (leader, pinned) = begin(folder.path(), &[schemes]);
        make(&leader.client(), 0..3);
        let liar = Liar::start();
        liar.ask(leader.address);
        let (url, copy) = (liar.url(), folder.path().join("replica"));
        let counted = Arc::new(AtomicUsize::new(0));
        for number in 0..chunks {
            let changes: [fn(&mut Vec<u8>); 4] = [
                |chunk| *chunk.last_mut().unwrap() ^= 2,
                |chunk| {
                    let middle = chunk.len() / 2;
                    chunk[middle] ^= 0x10;
                },
                |chunk| {
                    chunk.pop();
                },
                Vec::clear,
            ];
            // One after another, since each starts a process.
            let change = changes[number % 4];
            counted.store(0, Ordering::SeqCst);
            liar.tell(altering(number, &counted, change));
            let said = refusal(&copy, &url, &pinned);
            assert!(said.contains(&format!("of {url}")), "chunk {number}: {said}");
            assert!(!copy.exists(), "chunk {number} left files: {said}");
        }
        // The chunk of another part.
        for to in ["headers", "avl"] {
            let client = leader.client();
            let begun = client.call("prooflight_sync", &json!({})).unwrap().unwrap();
            let head = &begun["header"]["hash"];
            let asked = json!({ "head": head, "part": to, "from": hex(&[0; 8]) });
            let other = client.call("prooflight_sync", &asked).unwrap().unwrap();
            // The headers come first, then the other parts in parallel.
            let number = usize::from(to == "headers");
            counted.store(0, Ordering::SeqCst);
            let chunk = bytes(&other["chunk"]);
            liar.tell(altering(number, &counted, move |sent| *sent = chunk.clone()));
            let said = refusal(&copy, &url, &pinned);
            assert!(said.contains(&format!("of {url}")), "{to}: {said}");
            assert!(!copy.exists());
        }
        // Another head, or none.
        liar.tell(Lie::of("prooflight_sync", |result| {
            if result["header"].is_object() {
                let mut header = bytes(&result["header"]["signedHeader"]);
                header[40] ^= 1;
                result["header"]["signedHeader"] = hex(&header).into();
            }
        }));
        assert!(refusal(&copy, &url, &pinned).contains(&url));
        liar.tell(Lie::Status(500));
        assert!(refusal(&copy, &url, &pinned).contains("server_error"));
        assert!(!copy.exists());
        liar.tell(altering(usize::MAX, &counted, |_| ()));
        counted.store(0, Ordering::SeqCst);
        let replica = Node::start(&copy, &settings(&url, &pinned));
        assert_eq!((height(&replica), counted.load(Ordering::SeqCst)), (3, chunks));
    }
}

/// A piece of a snapshot file, as the leader sends it.
#[derive(borsh::BorshDeserialize, borsh::BorshSerialize)]
struct PieceMessage {
    file: String,
    at: u64,
    bytes: Vec<u8>,
    is_last: bool,
}

/// Changes a byte of a snapshot file and recomputes its checksums, so that only the tree reveals the change.
fn forge(file: &mut [u8], at: usize) {
    const HEADER: usize = 128;
    file[at] ^= 1;
    let body = xxhash_rust::xxh3::xxh3_64(&file[HEADER..]);
    file[80..88].copy_from_slice(&body.to_le_bytes());
    let header = xxhash_rust::xxh3::xxh3_64(&file[..HEADER - 8]);
    file[HEADER - 8..HEADER].copy_from_slice(&header.to_le_bytes());
}

#[test]
fn a_snapshot_file_with_forged_checksums_is_refused_with_the_name_of_its_sender() {
    let folder = tempfile::tempdir().unwrap();
    let (leader, pinned) = begin(folder.path(), &["avl,smt"]);
    make(&leader.client(), 0..3);
    let liar = Liar::start();
    liar.ask(leader.address);
    let (url, copy) = (liar.url(), folder.path().join("replica"));
    let places: [fn(&[u8]) -> usize; 3] = [
        // A value.
        |file| file.windows(100).position(|it| it.iter().all(|byte| *byte == b'v')).unwrap(),
        // The root in the file's header.
        |_| 40,
        // A branch.
        |file| usize::try_from(u64::from_le_bytes(file[64..72].try_into().unwrap())).unwrap() + 8,
    ];
    for place in places {
        for newest in ["0000000000000003.smt", "0000000000000002.smt"] {
            let forged = Arc::new(AtomicUsize::new(0));
            let counted = forged.clone();
            liar.tell(Lie::of("prooflight_sync", move |result| {
                if !result["chunk"].is_string() {
                    return;
                }
                let chunk = bytes(&result["chunk"]);
                let Ok(mut piece) = borsh::from_slice::<PieceMessage>(&chunk) else { return };
                if piece.file == newest && piece.at == 0 && piece.is_last {
                    let at = place(&piece.bytes);
                    forge(&mut piece.bytes, at);
                    counted.fetch_add(1, Ordering::SeqCst);
                    result["chunk"] = hex(&borsh::to_vec(&piece).unwrap()).into();
                }
            }));
            let said = refusal(&copy, &url, &pinned);
            assert_eq!(forged.load(Ordering::SeqCst), 1, "{newest}: {said}");
            assert!(said.contains(&format!("of {url}")), "{newest}: {said}");
            assert!(!copy.exists(), "{newest} left files: {said}");
        }
    }
}

#[test]
fn a_sync_that_was_killed_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    let (leader, pinned) = begin(folder.path(), &["avl,smt"]);
    make(&leader.client(), 0..5);
    let liar = Liar::start();
    liar.ask(leader.address);
    let (url, copy) = (liar.url(), folder.path().join("replica"));
    for number in [0, 1, 4, 8] {
        let counted = Arc::new(AtomicUsize::new(0));
        let hang = |_: &mut Vec<u8>| std::thread::sleep(Duration::from_secs(20));
        liar.tell(altering(number, &counted, hang));
        let mut run = Command::new(PROGRAM);
        run.args(["run", "--data-dir"]).arg(&copy).args(settings(&url, &pinned));
        run.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        let opening = OpeningNode::of(run).unwrap();
        eventually(|| counted.load(Ordering::SeqCst) > number, || format!("chunk {number}"));
        // kill -9
        drop(opening);
        let mut follow = settings(&url, &pinned);
        follow.retain(|setting| *setting != "--sync");
        let ports = ["run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
        for arguments in [&["checkpoint"][..], &[&ports, &follow[..]].concat()] {
            let refused = command(&copy, arguments);
            assert_eq!(refused.status.code(), Some(78), "{}", text(&refused.stderr));
            assert!(text(&refused.stderr).contains("was interrupted"), "{}", text(&refused.stderr));
        }
    }
    liar.tell(Lie::None);
    let replica = Node::start(&copy, &settings(&url, &pinned));
    assert_eq!(height(&replica), 5);
    let asked = json!({ "scheme": "smt", "keys": [hex(b"newest")] });
    assert_eq!(replica.ask("prooflight_prove", &asked), leader.ask("prooflight_prove", &asked));
}

#[test]
fn a_scheme_whose_state_cannot_be_carried_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (leader, pinned) = begin(folder.path(), &["avl,lvmt", "--lvmt-log-n", "4"]);
    make(&leader.client(), 0..3);
    let url = format!("http://{}", leader.address);
    let copy = folder.path().join("replica");
    let replica = Node::start(&copy, &settings(&url, &pinned));
    make(&leader.client(), 3..5);
    eventually(|| height(&replica) == 5, || replica.admin().get("/ready").1);
    let asked = |scheme: &str| json!({ "scheme": scheme, "keys": [hex(b"newest")] });
    assert_eq!(
        replica.ask("prooflight_prove", &asked("avl")),
        leader.ask("prooflight_prove", &asked("avl"))
    );
    leader.ask("prooflight_prove", &asked("lvmt"));
    assert_eq!(reason(&replica, "prooflight_prove", &asked("lvmt")), "unknown_statement");
    assert!(replica.stop().success());
    // It follows, and can make no blocks.
    std::fs::copy(folder.path().join("leader/authority-0.key"), copy.join("authority-0.key"))
        .unwrap();
    let operations = folder.path().join("operations.jsonl");
    std::fs::write(&operations, format!("{}\n", json!({ "key": "0x01", "value": "0x02" })))
        .unwrap();
    let refused = command(&copy, &["import", operations.to_str().unwrap()]);
    assert!(text(&refused.stderr).contains("without lvmt"), "{}", text(&refused.stderr));
    make(&leader.client(), 5..6);
    let replica = Node::start(&copy, &settings(&url, &pinned));
    eventually(|| height(&replica) == 6, || replica.admin().get("/ready").1);
}

#[test]
fn a_folder_or_a_chain_that_cannot_begin_so_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (leader, pinned) = begin(folder.path(), &["smt"]);
    let url = format!("http://{}", leader.address);
    let copy = folder.path().join("replica");
    let said = refusal(&copy, &url, &pinned);
    assert!(said.contains("avl or amb") && said.contains("smt"), "{said}");
    assert!(!copy.exists());

    let folder = tempfile::tempdir().unwrap();
    let (leader, pinned) = begin(folder.path(), &["avl"]);
    make(&leader.client(), 0..2);
    let url = format!("http://{}", leader.address);
    let copy = folder.path().join("replica");
    std::fs::create_dir_all(copy.join("snapshots")).unwrap();
    let said = refusal(&copy, &url, &pinned);
    assert!(said.contains("no part of one"), "{said}");
    assert!(copy.join("snapshots").exists() && !copy.join("syncing").exists());
    std::fs::remove_dir_all(&copy).unwrap();
    // An existing chain is continued.
    let all: Vec<_> = settings(&url, &pinned).into_iter().filter(|it| *it != "--sync").collect();
    let replica = Node::start(&copy, &all);
    eventually(|| height(&replica) == 2, || replica.admin().get("/ready").1);
    assert!(replica.stop().success());
    let replica = Node::start(&copy, &settings(&url, &pinned));
    replica.ask("prooflight_block", &json!({ "at": "0x0" }));
}

#[test]
fn a_leader_keeps_one_state_for_a_client() {
    let folder = tempfile::tempdir().unwrap();
    let (leader, _) = begin(folder.path(), &["avl"]);
    let mut named = Vec::new();
    for block in 0..8 {
        make(&leader.client(), block..block + 1);
        named.push(leader.ask("prooflight_sync", &json!({}))["header"].clone());
    }
    let heights: Vec<_> = named.iter().map(|header| header["height"].as_str().unwrap()).collect();
    // All connections of this machine are one client.
    assert_eq!(heights, ["0x1"; 8]);
    let ask = |head: &Value, part: &str, from: &str| {
        leader.call("prooflight_sync", &json!({ "head": head, "part": part, "from": from }))
    };
    let first = ask(&named[0]["hash"], "avl", "0x").unwrap();
    make(&leader.client(), 8..9);
    assert_eq!(first, ask(&named[0]["hash"], "avl", "0x").unwrap());
    let newest = leader.ask("prooflight_head", &json!({}))["hash"].clone();
    for (head, part, from, reason) in [
        (&newest, "avl", "0x", "version_unavailable"),
        (&named[0]["hash"], "amb", "0x", "unknown_statement"),
        (&named[0]["hash"], "smt", "0x", "unknown_statement"),
        (&named[0]["hash"], "headers", "0x00", "invalid_argument"),
        (&named[0]["hash"], "lvmt", "0x", "invalid_argument"),
    ] {
        let refused = ask(head, part, from).unwrap_err();
        assert_eq!(refused["data"]["reason"], reason, "{part}: {refused}");
    }
}

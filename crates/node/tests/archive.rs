//! Histories and diffs, from a node and from a proof server over its files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use harness::light::{genesis, header};
use harness::past::{Changes, chain, diff, history, of_key};
use harness::{Node, Server, command, hex, set};
use prooflight_core::Limits;
use prooflight_core::chain::{SignedHeader, StateOperation, operations_root};
use prooflight_core::store::{ReadStore, Store, WriteBatch};
use prooflight_node::BlockBody;
use prooflight_node::chain::store;
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];

#[test]
fn caches_of_every_size_serve_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = genesis(&chain(folder.path()));
    for bytes in [0, 4096, u64::MAX] {
        let node = Node::start(folder.path(), &["--cache-bytes", &bytes.to_string()]);
        for _ in 0..2 {
            assert_eq!(history(&node, &checkpoint, 0, 7), of_key(), "{bytes}");
        }
    }
}

fn snapshots(folder: &Path) -> PathBuf {
    folder.join("snapshots")
}

#[test]
fn histories_and_diffs_are_complete_from_the_node_and_from_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let node = chain(folder.path());
    let checkpoint = genesis(&node);
    let archive = Node::serve_history(&snapshots(folder.path()), &node);
    for server in [&node as &dyn Server, &archive] {
        assert_eq!(history(server, &checkpoint, 0, 7), of_key());
        for (from, to) in [(1, 7), (2, 7), (3, 6), (4, 4), (0, 0), (5, 5), (6, 7)] {
            let expected: Changes =
                of_key().into_iter().filter(|(at, _)| (from..=to).contains(at)).collect();
            assert_eq!(history(server, &checkpoint, from, to), expected, "{from}..={to}");
        }
        let (key, another) = (b"key".to_vec(), b"another".to_vec());
        assert_eq!(diff(server, &checkpoint, None, 7), [another.clone(), key.clone()]);
        assert_eq!(diff(server, &checkpoint, Some(5), 6), [another]);
        assert_eq!(diff(server, &checkpoint, Some(6), 7), [key]);
        assert_eq!(diff(server, &checkpoint, None, 0), Vec::<Vec<u8>>::new());
    }
}

#[test]
fn a_proof_server_sees_what_the_running_writer_adds() {
    let folder = tempfile::tempdir().unwrap();
    let node = chain(folder.path());
    let checkpoint = genesis(&node);
    let archive = Node::serve_history(&snapshots(folder.path()), &node);
    for n in 0..20_u64 {
        let value = n.to_string();
        node.ask("prooflight_submit", &json!({ "ops": [set("key", &value)] }));
        let changes = history(&archive, &checkpoint, 8, 8 + n);
        assert_eq!(changes.len() as u64, n + 1);
        assert_eq!(changes.last(), Some(&(8 + n, Some(value.into_bytes()))));
        let latest =
            archive.ask("prooflight_history", &json!({ "key": hex(b"key"), "from": "0x0" }));
        assert_eq!(header(&latest["head"]).header.height, 8 + n);
    }
    assert_eq!(archive.client().get("/ready").1, "ready at height 27\n");
}

#[test]
fn what_cannot_be_answered_has_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let node = chain(folder.path());
    let archive = Node::serve_history(&snapshots(folder.path()), &node);
    let reason = |server: &Node, method: &str, params: Value| {
        let error = server.call(method, &params).unwrap_err();
        error["data"]["reason"].as_str().unwrap_or_default().to_owned()
    };
    for server in [&node, &archive] {
        let history = |from: &str, to: &str| {
            let params = json!({ "key": "0x", "from": from, "to": to });
            reason(server, "prooflight_history", params)
        };
        assert_eq!(history("0x3", "0x2"), "invalid_argument");
        assert!(["unknown_block", "version_unavailable"].contains(&&*history("0x0", "0x99")));
        assert_eq!(history("3", "latest"), "invalid_argument");
        let backwards = json!({ "from": "0x3", "to": "0x3" });
        assert_eq!(reason(server, "prooflight_diff", backwards), "invalid_argument");
        let avl = json!({ "scheme": "avl", "keys": [] });
        assert_eq!(reason(server, "prooflight_prove", avl), "unknown_statement");
    }
    // An error that only the node can detect is forwarded unchanged.
    let unknown = json!({ "at": "0x99" });
    let hash = json!({ "at": format!("0x{}", "ab".repeat(32)) });
    let too_many = json!({ "heights": vec!["0x0"; 200_003] });
    for (method, params) in [
        ("prooflight_header", &unknown),
        ("prooflight_header", &hash),
        ("prooflight_block", &unknown),
        ("prooflight_headerProof", &unknown),
        ("prooflight_headers", &json!({ "heights": ["0x99"] })),
        ("prooflight_headers", &too_many),
        ("prooflight_header", &json!({ "at": 1 })),
    ] {
        let [from_node, from_archive] = [&node, &archive].map(|it| it.call(method, params));
        assert_eq!(from_archive, from_node, "{method}");
        assert!(from_node.unwrap_err()["data"]["reason"].is_string(), "{method}");
    }
    let of_unknown_head = |server: &Node| {
        let params = json!({ "key": "0x", "from": "0x0", "to": "0x1", "head": hash["at"] });
        reason(server, "prooflight_history", params)
    };
    assert_eq!(of_unknown_head(&archive), "unknown_block");
    let submit = archive.call("prooflight_submit", &json!({ "ops": [] })).unwrap_err();
    assert_eq!(submit["code"], -32601);
    drop(node);
    let params = json!({ "key": "0x", "from": "0x0" });
    assert_eq!(reason(&archive, "prooflight_history", params), "unreachable");
}

#[test]
fn a_damaged_file_is_named_and_never_served_and_made_again_when_the_node_starts() {
    let folder = tempfile::tempdir().unwrap();
    let node = chain(folder.path());
    let checkpoint = genesis(&node);
    let files = || {
        let files =
            fs::read_dir(snapshots(folder.path())).unwrap().map(|file| file.unwrap().path());
        let mut files: Vec<_> = files.filter(|file| file.extension().is_some()).collect();
        files.sort();
        files
    };
    assert_eq!(files().len(), 8);
    assert!(node.stop().success());
    let honest: Vec<_> = files().iter().map(|file| fs::read(file).unwrap()).collect();
    for (at, path) in files().iter().enumerate() {
        let mut bytes = honest[at].clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(path, &bytes).unwrap();
    }
    let node = Node::start(folder.path(), FAST);
    let archive = Node::serve_history(&snapshots(folder.path()), &node);
    for server in [&node as &dyn Server, &archive] {
        assert_eq!(history(server, &checkpoint, 0, 7), of_key());
    }
    assert!(node.stop().success());
    let again: Vec<_> = files().iter().map(|file| fs::read(file).unwrap()).collect();
    assert!(again == honest, "the files have changed");

    // While a node is running: reported, and not served.
    let node = Node::start(folder.path(), FAST);
    let archive = Node::serve_history(&snapshots(folder.path()), &node);
    for path in files() {
        fs::remove_file(path).unwrap();
    }
    for server in [&node, &archive] {
        let params = json!({ "key": hex(b"key"), "from": "0x0" });
        let error = server.call("prooflight_history", &params).unwrap_err();
        assert_eq!(error["data"]["reason"], "store_corrupt", "{error}");
        assert!(error["data"]["expected"].as_str().unwrap().contains(".smt"), "{error}");
    }
}

/// The blocks of `chain` up to `fork`, then different ones, and `more` blocks after the last.
fn other_chain(folder: &Path, fork: usize, more: usize) {
    assert!(command(folder, &["init", "--schemes", "smt"]).status.success());
    let node = Node::start(folder, FAST);
    let honest = ["A", "", "B", "", "A", "", "deleted"];
    for (number, value) in (1..).zip(honest).chain((8..).zip([""; 3])).take(7 + more) {
        let mut ops = match value {
            "" => json!([set("another", "in between")]),
            "deleted" => json!([{ "op": "Delete", "key": hex(b"key") }]),
            value => json!([set("key", value), set("another", value)]),
        };
        if number >= fork {
            ops.as_array_mut().unwrap().push(set("fork", &number.to_string()));
        }
        node.ask("prooflight_submit", &json!({ "ops": ops }));
    }
    assert!(node.stop().success());
}

/// The names and contents of the files in a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |file: std::io::Result<fs::DirEntry>| {
        let path = file.unwrap().path();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(file).collect()
}

fn name(last: u64) -> String {
    format!("{last:016}.smt")
}

#[test]
fn files_that_an_operator_mixed_up_are_named_and_nothing_is_written() {
    let [honest, fork, other, longer] = [(); 4].map(|()| tempfile::tempdir().unwrap());
    assert!(chain(honest.path()).stop().success());
    other_chain(fork.path(), 4, 0);
    other_chain(other.path(), 1, 0);
    other_chain(longer.path(), 8, 2);
    let own = contents(&snapshots(honest.path()));
    let [fork, other, longer] = [fork, other, longer].map(|it| contents(&snapshots(it.path())));
    assert!((0..4).all(|last| fork[&name(last)] == own[&name(last)]));
    assert!((0..8).all(|last| longer[&name(last)] == own[&name(last)]));

    let all = |from: u64, to: u64| (from..=to).map(name).collect::<Vec<_>>();
    let with = |files: &BTreeMap<String, Vec<u8>>, names: &[String]| {
        let mut mixed = own.clone();
        mixed.extend(names.iter().map(|name| (name.clone(), files[name].clone())));
        mixed
    };
    let another_height = BTreeMap::from([(name(5), own[&name(3)].clone())]);
    let cases = [
        ("a fork's file", with(&fork, &all(4, 4)), all(4, 4), "not "),
        ("the newest file, of a fork", with(&fork, &all(7, 7)), all(7, 7), "not "),
        ("a fork's files", fork.clone(), all(4, 7), "and 3 more up to"),
        ("another chain's files", other, all(1, 7), "and 6 more up to"),
        ("a file of another height", with(&another_height, &all(5, 5)), all(5, 5), "of block 3"),
        ("files of later blocks", longer, all(8, 9), "the chain does not have"),
    ];
    for (what, mixed, foreign, found) in cases {
        let folder = snapshots(honest.path());
        for (name, bytes) in &mixed {
            fs::write(folder.join(name), bytes).unwrap();
        }
        let Err(said) = Node::try_start(honest.path(), FAST) else { panic!("{what}: it started") };
        assert!(said.contains("store_corrupt") && said.contains(found), "{what}: {said}");
        assert!(said.contains(&foreign[0]) && said.contains("out of the folder"), "{what}: {said}");
        assert!(said.contains(foreign.last().unwrap()), "{what}: {said}");
        assert!(contents(&folder) == mixed, "{what}: something was written");
        // Following the error's advice repairs it.
        for name in &foreign {
            fs::remove_file(folder.join(name)).unwrap();
        }
        let node = Node::start(honest.path(), FAST);
        assert_eq!(node.ask("prooflight_head", &json!({}))["height"], "0x7");
        assert!(node.stop().success(), "{what}");
        let again = contents(&folder);
        let other = own.iter().find(|(name, bytes)| again.get(*name) != Some(bytes));
        let same = again.len() == own.len() && other.is_none();
        assert!(same, "{what}: the files are not as they were: {other:x?}, {:x?}", again.keys());
    }
}

#[test]
fn a_proof_server_over_the_files_of_another_chain_answers_nothing() {
    let [own, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let node = chain(own.path());
    other_chain(other.path(), 3, 0);
    let archive = Node::serve_history(&snapshots(other.path()), &node);
    let key = hex(b"key");
    for (method, params) in [
        ("prooflight_prove", json!({ "scheme": "smt", "keys": [key] })),
        ("prooflight_history", json!({ "key": key, "from": "0x0" })),
        ("prooflight_history", json!({ "key": key, "from": "0x5", "to": "0x6", "head": "0x7" })),
        ("prooflight_diff", json!({ "from": "0x2", "to": "0x4" })),
    ] {
        let error = archive.call(method, &params).unwrap_err();
        assert_eq!(error["data"]["reason"], "store_corrupt", "{method}: {error}");
        let expected = error["data"]["expected"].as_str().unwrap();
        assert!(expected.contains("the snapshots must be those of this node or log"), "{expected}");
    }
    // Blocks that both chains have are served.
    archive.ask("prooflight_history", &json!({ "key": key, "from": "0x0", "to": "0x2" }));
}

#[test]
fn a_block_that_does_not_lead_to_its_header_is_not_made_into_a_file() {
    for (wrong_header, named) in [(false, "operations of block 2"), (true, "root of header 2")] {
        let folder = tempfile::tempdir().unwrap();
        assert!(chain(folder.path()).stop().success());
        let mut store = store::open(&folder.path().join("store")).unwrap();
        let [header_key, body_key] =
            [b"h", b"b"].map(|part| [&part[..], &2_u64.to_be_bytes()].concat());
        let value = b"another".to_vec();
        let operation = StateOperation::Set { key: b"another".to_vec(), value };
        let body = BlockBody { operations: vec![operation], transitions: Vec::new() };
        let mut batch = WriteBatch::new();
        if wrong_header {
            let bytes = store.get(&header_key).unwrap().unwrap();
            let mut header = SignedHeader::decode(&bytes, &Limits::default()).unwrap();
            header.header.ops_root = operations_root(&body.operations);
            batch.put(header_key, header.encode());
        }
        batch.put(body_key, borsh::to_vec(&body).unwrap());
        store.write(batch).unwrap();
        drop(store);
        let files = snapshots(folder.path());
        for name in (2..8).map(name) {
            fs::remove_file(files.join(name)).unwrap();
        }
        let before = contents(&files);
        let Err(said) = Node::try_start(folder.path(), FAST) else { panic!("it started") };
        assert!(said.contains("store_corrupt") && said.contains(named), "{said}");
        assert!(contents(&files) == before, "{named}: something was written");
    }
}

#[test]
fn files_with_several_blocks_say_which_block_is_near() {
    let folder = tempfile::tempdir().unwrap();
    let begin = ["init", "--schemes", "smt", "--blocks-per-snapshot", "4"];
    assert!(command(folder.path(), &begin).status.success());
    let node = Node::start(folder.path(), FAST);
    for n in 0..9 {
        node.ask("prooflight_submit", &json!({ "ops": [set("key", &n.to_string())] }));
    }
    let prove = |at: &str| {
        let params = json!({ "scheme": "smt", "keys": [hex(b"key")], "at": at });
        node.call("prooflight_prove", &params)
    };
    prove("0x3").unwrap();
    prove("0x7").unwrap();
    let error = prove("0x5").unwrap_err();
    assert_eq!(error["data"]["reason"], "version_unavailable");
    let expected = error["data"]["expected"].as_str().unwrap();
    assert!(expected.contains("3 or 7"), "{expected}");
}

#[test]
fn many_proofs_at_once_and_short_questions_among_them_are_all_answered() {
    let folder = tempfile::tempdir().unwrap();
    let node = chain(folder.path());
    let archive = Node::serve_history(&snapshots(folder.path()), &node);
    let keys: Vec<_> = (0..500_u32).map(|number| hex(&number.to_be_bytes())).collect();
    let of_keys = json!({ "scheme": "smt", "keys": keys, "at": "0x7" });
    let of_key = json!({ "key": hex(b"key"), "from": "0x0", "to": "0x7" });
    for server in [&node, &archive] {
        let proof = |method: &str, params: &Value| server.ask(method, params)["proof"].clone();
        let values = proof("prooflight_prove", &of_keys);
        let history = proof("prooflight_history", &of_key);
        thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| {
                    for _ in 0..4 {
                        assert_eq!(proof("prooflight_prove", &of_keys), values);
                        assert_eq!(proof("prooflight_history", &of_key), history);
                    }
                });
            }
            for _ in 0..50 {
                let header = server.ask("prooflight_header", &json!({ "at": "0x3" }));
                assert_eq!(header["height"], "0x3");
                assert_eq!(server.ask("prooflight_head", &json!({}))["height"], "0x7");
                assert_eq!(server.client().get("/ready").1, "ready at height 7\n");
            }
        });
    }
}

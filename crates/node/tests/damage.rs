//! A changed byte anywhere in the files of a chain is reported or makes no difference, and a node never
//! serves wrong data from such files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use harness::light::{genesis, path, proved, synced};
use harness::{Node, command, eventually, hex, set, text};
use prooflight_core::Limits;
use prooflight_core::chain::{Checkpoint, SignedHeader, StateOperation, verify_ancestor};
use prooflight_node::Chain;
use prooflight_node::chain::keys::{self, Signers};
use prooflight_node::runtime::clock::now_ms;
use serde_json::{Value, json};

/// The positions of the bytes to change, in thousandths of a file.
const BYTE_POSITIONS: [usize; 7] = [0, 100, 250, 431, 600, 733, 999];
/// The blocks after genesis; block h sets each key to h.
const BLOCKS: u64 = 10;
const KEYS: u64 = 20;

#[test]
fn a_changed_byte_of_a_young_chain_is_found_or_harmless() {
    // All blocks are still in the store's log.
    damage_everywhere(|_| {});
}

#[test]
fn a_changed_byte_of_an_old_chain_is_found_or_harmless() {
    // The log has been flushed to tables, as happens when it is long.
    damage_everywhere(|folder| {
        let database = fjall::Database::builder(folder.join("store")).open().unwrap();
        let mut tables = 0;
        for name in database.list_keyspace_names() {
            let space = database.keyspace(&name, fjall::KeyspaceCreateOptions::default).unwrap();
            space.rotate_memtable_and_wait().unwrap();
            tables += space.table_count();
        }
        assert!(tables > 4, "{tables} tables");
    });
}

#[test]
fn a_large_file_of_the_nodes_of_avl_makes_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, nodes) = (folder.path().join("chain"), folder.path().join("chain/avl-nodes"));
    assert!(command(&chain, &["init"]).status.success());
    gather_nodes(&chain, &nodes);
    let head = text(&command(&chain, &["checkpoint"]).stdout);
    let check = |what: &str| {
        let verified = command(&chain, &["verify"]);
        let expected = format!("4 blocks and {NODES_FILE_KEYS} values verified\n");
        assert_eq!(text(&verified.stdout), expected, "{what}: {}", text(&verified.stderr));
        let backup = folder.path().join(what);
        let copied = command(&chain, &["backup", backup.to_str().unwrap()]);
        assert!(copied.status.success(), "{what}: {}", text(&copied.stderr));
        assert!(!backup.join("avl-nodes").exists());
        assert_eq!(text(&command(&backup, &["checkpoint"]).stdout), head, "{what}");
        let node = Node::start(&chain, &[]);
        let most = node.memory().most;
        assert!(node.stop().success());
        assert_eq!(text(&command(&chain, &["checkpoint"]).stdout), head, "{what}");
        most
    };
    check("whole");
    // Long after its end, and with a first group that has most of that.
    let file = File::options().write(true).open(&nodes).unwrap();
    file.set_len(2 << 30).unwrap();
    check("longer");
    file.write_all_at(&(1_u32 << 30).to_be_bytes(), 40).unwrap();
    let damaged = check("damaged");
    fs::remove_file(&nodes).unwrap();
    let missing = check("missing");
    assert!(damaged < missing + (256 << 20), "{damaged} bytes of memory, {missing} without it");
}

/// Enough keys for a file of nodes.
const NODES_FILE_KEYS: u32 = 35_000;

/// Makes blocks until their nodes are in the file, and one more.
fn gather_nodes(folder: &Path, nodes: &Path) {
    let mut chain = Chain::open(folder).unwrap();
    let key = keys::read_key(&folder.join("authority-0.key")).unwrap();
    let signers = Signers::new(chain.config(), vec![key]).unwrap();
    for (value, keys) in [("1", NODES_FILE_KEYS), ("2", NODES_FILE_KEYS), ("3", 10)] {
        let set =
            |key: u32| StateOperation::Set { key: key.to_be_bytes().into(), value: value.into() };
        signers.make(&mut chain, (0..keys).map(set), now_ms()).unwrap();
        if value == "2" {
            eventually(|| nodes.exists(), || "no file of nodes".to_owned());
        }
    }
}

fn damage_everywhere(age: impl Fn(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--block-interval-ms", "0"]);
    for height in 1..=BLOCKS {
        let ops: Vec<_> = (0..KEYS).map(|key| set(&key.to_string(), &height.to_string())).collect();
        node.ask("prooflight_submit", &json!({ "ops": ops }));
    }
    let truth = OriginalAnswers::of(&node);
    assert!(node.stop().success());
    age(folder.path());
    let verified = format!("{} blocks and {KEYS} values verified\n", BLOCKS + 1);
    assert_eq!(text(&command(folder.path(), &["verify"]).stdout), verified);

    let (mut found, mut harmless, mut refused) = (0, 0, 0);
    for (file, place) in places(&files(folder.path())) {
        let copy = tempfile::tempdir().unwrap();
        for file in files(folder.path()) {
            let to = copy.path().join(&file);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(folder.path().join(&file), to).unwrap();
        }
        let mut running = Node::start(copy.path(), &[]);
        // Opening the store may have replaced the file.
        let Some(at) = change_a_byte(&copy.path().join(file), place) else { continue };
        let what = format!("{} byte {at}", file.display());
        refused += truth.compare(&running, &what);
        running.kill();
        match Node::try_start(copy.path(), &[]) {
            Ok(again) => {
                refused += truth.compare(&again, &what);
                assert!(again.stop().success());
            }
            Err(said) => assert!(said.contains("prooflight-node: "), "{what}: {said}"),
        }
        let output = command(copy.path(), &["verify"]);
        let said = text(&output.stderr);
        if output.status.success() {
            assert_eq!(text(&output.stdout), verified, "{what}: {said}");
            // Snapshot files are rebuilt from the blocks when the node starts.
            harmless += usize::from(!is_snapshot(file));
        } else {
            assert!(said.contains("prooflight-node: "), "{what}: {said}");
            found += 1;
        }
    }
    println!("{found} found, {harmless} harmless, {refused} answers refused");
    assert!(found > harmless, "{found} found, {harmless} harmless");
}

/// All positions of all files; of kinds with many similar files, only two positions of every third file.
fn places(files: &[PathBuf]) -> Vec<(&PathBuf, usize)> {
    let is_alike = |file: &&PathBuf| is_snapshot(file) || is_small_of_keyspace(file);
    let (alike, others): (Vec<_>, Vec<_>) = files.iter().partition(is_alike);
    let others = others.into_iter().flat_map(|file| BYTE_POSITIONS.map(|place| (file, place)));
    let alike = alike.into_iter().step_by(3);
    others
        .chain(alike.flat_map(|file| [(file, BYTE_POSITIONS[1]), (file, BYTE_POSITIONS[4])]))
        .collect()
}

/// Whether a file lists the tables of a keyspace, or names the list.
fn is_small_of_keyspace(file: &Path) -> bool {
    let is_listed = file.parent().is_some_and(|folder| !folder.ends_with("tables"));
    file.starts_with("store/keyspaces") && is_listed
}

fn is_snapshot(file: &Path) -> bool {
    file.starts_with("snapshots")
}

/// A node's answers before its files were damaged.
struct OriginalAnswers {
    checkpoint: Checkpoint,
    head: Value,
    blocks: Vec<Value>,
    /// Methods with their parameters and results, about the newest block.
    newest: Vec<(&'static str, Value, Value)>,
}

impl OriginalAnswers {
    fn of(node: &Node) -> Self {
        let at = |height: u64| json!({ "at": format!("{height:#x}") });
        let blocks = (0..=BLOCKS).map(|height| node.ask("prooflight_block", &at(height)));
        let head = node.ask("prooflight_head", &json!({}));
        let newest = at(BLOCKS)["at"].clone();
        let prove = |scheme: &str, key: &str| {
            let keys = [hex(key.as_bytes())];
            ("prooflight_prove", json!({ "scheme": scheme, "keys": keys, "at": newest }))
        };
        let questions = [
            prove("lvmt", "7"),
            prove("lvmt", "nobody"),
            prove("smt", "7"),
            prove("smt", "nobody"),
            ("prooflight_history", json!({ "key": hex(b"7"), "from": "0x0", "to": newest })),
            ("prooflight_diff", json!({ "from": "0x3", "to": newest })),
        ];
        let ask = |(method, params): (&'static str, Value)| {
            (method, params.clone(), node.ask(method, &params))
        };
        let newest = questions.map(ask).to_vec();
        Self { checkpoint: genesis(node), head, blocks: blocks.collect(), newest }
    }

    /// Checks that every answer of a node is right; returns the number of refused ones.
    fn compare(&self, node: &Node, what: &str) -> usize {
        let mut refused = 0;
        let mut ask = |method: &str, params: &Value| match node.call(method, params) {
            Ok(result) => Some(result),
            Err(error) => {
                assert_eq!(error["data"]["reason"], "store_corrupt", "{what}: {error}");
                refused += 1;
                None
            }
        };
        let head =
            SignedHeader::decode(&harness::bytes(&self.head["signedHeader"]), &Limits::default());
        let head = head.unwrap().header;
        if let Some(reply) = ask("prooflight_head", &json!({})) {
            assert_eq!(reply, self.head, "{what}");
        }
        if let Some(reply) = ask("prooflight_headerProof", &json!({ "at": "0x0" })) {
            assert_eq!(synced(&reply, &self.checkpoint), head, "{what}");
        }
        for (method, params, truth) in &self.newest {
            if let Some(reply) = ask(method, params) {
                assert_eq!(reply, *truth, "{what}: {method} {params}");
            }
        }
        for (height, block) in (0_u64..).zip(&self.blocks) {
            let header = harness::light::header(&block["header"]).header;
            let by_height = json!({ "at": format!("{height:#x}") });
            let by_hash = json!({ "at": hex(&header.hash()) });
            for at in [&by_height, &by_hash] {
                if let Some(reply) = ask("prooflight_header", at) {
                    assert_eq!(reply, block["header"], "{what}");
                }
            }
            if let Some(reply) = ask("prooflight_headerProof", &by_height) {
                assert_eq!(reply["header"], block["header"], "{what}");
                verify_ancestor(&head, &header, &path(&reply)).unwrap();
            }
            if let Some(reply) = ask("prooflight_block", &by_height) {
                assert_eq!(reply, *block, "{what}");
            }
            for key in ["0", "7", "nobody"] {
                let keys = [hex(key.as_bytes())];
                let params = json!({ "scheme": "avl", "keys": keys, "at": by_height["at"] });
                if let Some(reply) = ask("prooflight_prove", &params) {
                    assert_eq!(reply["header"], block["header"], "{what}");
                    let given = (height > 0 && key != "nobody").then(|| height.to_string());
                    let value = proved(&reply, &header, key.as_bytes());
                    assert_eq!(value, given.map(String::into_bytes), "{what}");
                }
            }
        }
        refused
    }
}

/// Changes a byte in place; `None` if the file has no such byte, or the byte belongs to a key.
fn change_a_byte(path: &Path, place: usize) -> Option<usize> {
    if path.extension().is_some_and(|extension| extension == "key") {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    // Skip reserved space, which is empty.
    let used = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    let at = used * place / 1000;
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(&[bytes[at] ^ 0x10], at as u64).unwrap();
    Some(at)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else {
                files.push(path.strip_prefix(folder).unwrap().to_path_buf());
            }
        }
    }
    files.sort();
    files
}

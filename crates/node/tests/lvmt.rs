//! LVMT from an operator's view: proof shards, and setups from files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::{Node, bytes, command, eventually, hex, set, text};
use prooflight_amt::{ProverSetup, VerifyingKey};
use prooflight_core::chain::{Header, SignedHeader};
use prooflight_core::{Limits, Scheme};
use prooflight_lvmt::{LvmtRoot, Params};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];

fn lvmt_root(header: &Value) -> (Header, LvmtRoot) {
    let header =
        SignedHeader::decode(&bytes(&header["signedHeader"]), &Limits::default()).unwrap().header;
    let root = header.root(Scheme::Lvmt).unwrap().try_into().unwrap();
    let root = LvmtRoot::new(root, header.height);
    (header, root)
}

/// The proven value of a key, or the node's refusal.
fn proved(node: &Node, params: &Params<'_>, key: &str) -> Result<Option<Vec<u8>>, Value> {
    let question = json!({ "scheme": "lvmt", "keys": [hex(key.as_bytes())] });
    let reply = node.call("prooflight_prove", &question)?;
    let (_, root) = lvmt_root(&reply["header"]);
    let proof = bytes(&reply["proof"]);
    let answers = prooflight_lvmt::verify(&root, &[key.as_bytes()], &proof, params).unwrap();
    Ok(answers[0].value().map(|value| value.to_vec()))
}

/// The expensive requests that come first.
const EXPENSIVE_REQUESTS: usize = 24;

#[test]
fn a_cheap_question_is_answered_before_dear_ones_that_came_first() {
    let folder = tempfile::tempdir().unwrap();
    let begin = ["init", "--schemes", "avl,lvmt", "--lvmt-log-n", "12"];
    assert!(command(folder.path(), &begin).status.success());
    // The last expensive request waits for all others, on any machine.
    let settings =
        ["--block-interval-ms", "0", "--max-keys", "1024", "--request-time-ms", "600000"];
    let node = Node::start(folder.path(), &settings);
    let keys: Vec<String> = (0..1000).map(|n| format!("key {n}")).collect();
    let ops: Vec<_> = keys.iter().map(|key| set(key, key)).collect();
    node.ask("prooflight_submit", &json!({ "ops": ops }));
    let keys: Vec<_> = keys.iter().map(|key| hex(key.as_bytes())).collect();
    let prove = |scheme: &str, keys: &[String]| {
        node.ask("prooflight_prove", &json!({ "scheme": scheme, "keys": keys }));
    };
    let (begun, answered) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..EXPENSIVE_REQUESTS {
            scope.spawn(|| {
                begun.fetch_add(1, Ordering::SeqCst);
                prove("lvmt", &keys[..100]);
                answered.fetch_add(1, Ordering::SeqCst);
            });
        }
        // The first one has been answered, so all others wait or run.
        eventually(|| answered.load(Ordering::SeqCst) > 0, String::new);
        assert_eq!(begun.load(Ordering::SeqCst), EXPENSIVE_REQUESTS);
        for (scheme, keys) in [("avl", &keys[..1]), ("lvmt", &keys[..1]), ("avl", &keys)] {
            prove(scheme, keys);
            let before = answered.load(Ordering::SeqCst);
            assert!(
                before < EXPENSIVE_REQUESTS / 2,
                "{scheme} was answered after {before} of {EXPENSIVE_REQUESTS} dear ones"
            );
        }
    });
}

#[test]
fn four_shards_together_prove_every_key_and_each_names_the_class_of_the_others() {
    let leader = tempfile::tempdir().unwrap();
    let begin = ["init", "--schemes", "lvmt", "--lvmt-log-n", "4"];
    assert!(command(leader.path(), &begin).status.success());
    let checkpoint = leader.path().join("pinned.json");
    std::fs::write(&checkpoint, command(leader.path(), &["checkpoint"]).stdout).unwrap();
    let leader = Node::start(leader.path(), FAST);
    let url = format!("http://{}", leader.address);
    let shard = |folder: &Path, shard: &str| {
        let checkpoint = checkpoint.to_str().unwrap();
        let follow = ["--follow", &url, "--follow-interval-ms", "10", "--checkpoint", checkpoint];
        Node::start(folder, &[&follow[..], &["--proof-shard", shard]].concat())
    };
    let folders = [(); 5].map(|()| tempfile::tempdir().unwrap());
    let names = ["0/4", "1/4", "2/4", "3/4", "none"];
    let mut shards: Vec<_> =
        folders.iter().zip(names).map(|(folder, name)| shard(folder.path(), name)).collect();
    let keys: Vec<String> = (0..40).map(|n| format!("key {n}")).collect();
    for key in &keys {
        leader.ask("prooflight_submit", &json!({ "ops": [set(key, key)] }));
    }
    // A shard keeps its keys after a restart.
    shards[2].kill();
    shards[2] = Node::start(folders[2].path(), &["--follow", &url, "--follow-interval-ms", "10"]);
    let head = leader.ask("prooflight_head", &json!({}));
    for shard in &shards {
        let same = || shard.ask("prooflight_head", &json!({})) == head;
        eventually(same, || "a shard stays behind".to_owned());
    }

    let setup = VerifyingKey::dev(4).unwrap();
    let params = Params::new(&setup, 2).with_insecure_setup();
    let mut of_shard = [0; 4];
    for key in keys.iter().map(String::as_str).chain(["never written"]) {
        let value = keys.contains(&key.to_owned()).then(|| key.as_bytes().to_vec());
        assert_eq!(proved(&leader, &params, key).unwrap(), value);
        let answers: Vec<_> = shards.iter().map(|shard| proved(shard, &params, key)).collect();
        let class = answers.iter().position(Result::is_ok).unwrap();
        of_shard[class] += 1;
        for (at, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok(answer) => assert_eq!((at, answer), (class, value.clone())),
                Err(error) => {
                    assert_eq!(error["data"]["code"], "unavailable");
                    assert_eq!(error["data"]["reason"], "shard_unavailable");
                    let said = format!("{} {}", error["data"]["expected"], error["data"]["found"]);
                    let named = at == 4 || said.contains(&format!("class {class} of 4"));
                    assert!(named, "{said}");
                }
            }
        }
    }
    assert!(of_shard.iter().all(|&keys| keys > 0), "{of_shard:?}");
}

fn ptau() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../amt/tests/data/ptau/prepared.ptau")
}

#[test]
fn a_chain_may_have_a_setup_from_a_file_of_snarkjs() {
    let folder = tempfile::tempdir().unwrap();
    let chain = folder.path().join("chain");
    let file = ptau();
    let begin =
        ["init", "--schemes", "lvmt", "--lvmt-log-n", "4", "--lvmt-setup", file.to_str().unwrap()];
    let output = command(&chain, &begin);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let key = ProverSetup::open_ptau(&file, 4).unwrap().verifying_key().clone();
    assert!(!key.is_insecure());
    let params = Params::new(&key, 2);

    let node = Node::start(&chain, FAST);
    let chain_said = node.ask("prooflight_chain", &json!({}));
    let config: prooflight_core::chain::ChainConfig =
        borsh::from_slice(&bytes(&chain_said["config"])).unwrap();
    assert_eq!(config.lvmt().unwrap().params_id, key.params_id());
    for n in 0..12 {
        node.ask("prooflight_submit", &json!({ "ops": [set(&format!("key {n}"), "value")] }));
    }
    assert_eq!(proved(&node, &params, "key 7").unwrap(), Some(b"value".to_vec()));
    assert_eq!(proved(&node, &params, "nobody").unwrap(), None);
    assert!(node.stop().success());

    // Damaged tables are never used; rebuilding them needs the file again.
    assert!(command(&chain, &["verify"]).status.success());
    let tables = std::fs::read_dir(chain.join("lvmt")).unwrap().map(|file| file.unwrap().path());
    let tables = tables.filter(|path| path.extension().is_some_and(|it| it == "tables"));
    for path in tables {
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    let said = Node::try_start(&chain, FAST).err().unwrap();
    assert!(said.contains("unknown_setup"), "{said}");
    let node = Node::start(&chain, &["--lvmt-setup", file.to_str().unwrap()]);
    assert_eq!(proved(&node, &params, "key 7").unwrap(), Some(b"value".to_vec()));
}

#[test]
fn setups_are_looked_at_by_params() {
    let folder = tempfile::tempdir().unwrap();
    let file = ptau();
    let params = |setup: &str, settings: &[&str]| {
        let output = std::process::Command::new(harness::PROGRAM)
            .args(["params", setup])
            .args(settings)
            .output()
            .unwrap();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let id = |key: &VerifyingKey| hex(&key.params_id());
    let (ok, said, _) = params("dev", &["--log-n", "5"]);
    assert!(ok && said.contains(&id(&VerifyingKey::dev(5).unwrap())), "{said}");
    assert!(said.contains("no: its secret is public"), "{said}");
    let (ok, said, _) = params("ppot", &[]);
    assert!(ok && said.contains(&id(&VerifyingKey::ppot(16).unwrap())), "{said}");
    let tables = folder.path().to_str().unwrap();
    let settings = ["--log-n", "4", "--log-arity", "2", "--tables", tables];
    let (ok, said, progress) = params(file.to_str().unwrap(), &settings);
    let key = ProverSetup::open_ptau(&file, 4).unwrap().verifying_key().clone();
    assert!(ok && said.contains(&id(&key)), "{said}");
    assert!(progress.contains("100 %"), "{progress}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let mut bytes = std::fs::read(&file).unwrap();
    // Among the first powers: the powers for larger vectors are not read.
    bytes[300] ^= 1;
    let damaged = folder.path().join("damaged.ptau");
    std::fs::write(&damaged, bytes).unwrap();
    let (ok, _, said) = params(damaged.to_str().unwrap(), &["--log-n", "4"]);
    assert!(!ok && said.contains("malformed"), "{said}");
    let (ok, _, said) = params("/nowhere.ptau", &[]);
    assert!(!ok && said.contains("store_failed"), "{said}");
    let (ok, _, said) = params(file.to_str().unwrap(), &["--log-n", "16"]);
    assert!(!ok && said.contains("setup_too_small"), "{said}");
}

#[test]
fn of_a_setup_from_a_file_params_says_what_is_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read(ptau()).unwrap();
    let params = |name: &str, bytes: &[u8], log_n: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let output = std::process::Command::new(harness::PROGRAM)
            .args(["params", file.to_str().unwrap(), "--log-n", log_n])
            .output()
            .unwrap();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let contributions = section(&good, 7);
    // No list at all: only the sections before it, with a matching count.
    let before = contributions.start - 12;
    let mut none = [&good[..before], &good[contributions.end..]].concat();
    none[8] -= 1;
    let (ok, _, said) = params("no_section.ptau", &none, "4");
    assert!(!ok && said.contains("a section 7, the list of contributions"), "{said}");
    // An empty list.
    let mut empty = [&good[..before], &[7, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0], &[0; 4]].concat();
    empty.extend_from_slice(&good[contributions.end..]);
    let (ok, _, said) = params("zero.ptau", &empty, "4");
    assert!(!ok && said.contains("at least one contribution in the list"), "{said}");
    // A forged list, which `snarkjs powersoftau verify` refuses, and a good one.
    let mut made_up = good.clone();
    made_up[contributions.start + 4 + 1216..][..216].fill(0);
    for (name, bytes) in [("made_up.ptau", &made_up), ("good.ptau", &good)] {
        let (ok, said, error) = params(name, bytes, "4");
        assert!(ok, "{name}: {error}");
        let lines = [
            "checked        the points of the file are the powers of one number",
            "not checked    whether anyone made the 3 contributions that it lists",
            "secure         unknown: whoever made the file may know its secret",
        ];
        assert!(lines.iter().all(|line| said.contains(line)), "{name}: {said}");
        assert!(!said.contains("honest"), "{name}: {said}");
    }
}

/// The byte range of a section of a .ptau file.
fn section(file: &[u8], id: u32) -> std::ops::Range<usize> {
    let mut at = 12;
    loop {
        let found = u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        let size = u64::from_le_bytes(file[at + 4..at + 12].try_into().unwrap());
        let end = at + 12 + usize::try_from(size).unwrap();
        if found == id {
            return at + 12..end;
        }
        at = end;
    }
}

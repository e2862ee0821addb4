//! Replicas: they have their leader's blocks, through restarts of both, and refuse invalid ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::path::{Path, PathBuf};

use harness::liar::{Liar, Lie};
use harness::{Node, bytes, command, eventually, hex, set, text};
use prooflight_core::Limits;
use prooflight_core::chain::{Header, SignedHeader};
use prooflight_json::checkpoint;
use prooflight_node::chain::keys::{Signers, read_key};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];

/// A leader's folder and a replica's, with the checkpoint between them.
struct Pair {
    leader: tempfile::TempDir,
    replica: tempfile::TempDir,
    liar: Liar,
    checkpoint: PathBuf,
}

impl Pair {
    fn new() -> Self {
        let [leader, replica] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        assert!(command(leader.path(), &["init", "--chain-id", "followed"]).status.success());
        let checkpoint = write_checkpoint(leader.path());
        Self { leader, replica, liar: Liar::start(), checkpoint }
    }

    fn start_leader(&self) -> Node {
        let leader = Node::start(self.leader.path(), FAST);
        self.liar.ask(leader.address);
        leader
    }

    fn try_start_replica(&self, settings: &[&str]) -> Result<Node, String> {
        let url = self.liar.url();
        let fast = ["--follow", &url, "--follow-interval-ms", "10", "--request-time-ms", "2000"];
        Node::try_start(self.replica.path(), &[&fast, settings].concat())
    }

    fn start_replica(&self) -> Node {
        let checkpoint = self.checkpoint.to_str().unwrap();
        self.try_start_replica(&["--checkpoint", checkpoint]).unwrap()
    }
}

/// Writes what the command `checkpoint` prints into the chain's folder.
fn write_checkpoint(folder: &Path) -> PathBuf {
    let printed = command(folder, &["checkpoint"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let path = folder.join("pinned.json");
    std::fs::write(&path, printed.stdout).unwrap();
    path
}

fn submit(node: &Node, key: &str, value: &str) {
    node.ask("prooflight_submit", &json!({ "ops": [set(key, value)] }));
}

fn head(node: &Node) -> Value {
    node.ask("prooflight_head", &json!({}))
}

fn ready(node: &Node) -> (u16, String) {
    node.client().get("/ready")
}

/// Waits until the replica has the leader's newest block, and is ready.
fn wait_until_same(leader: &Node, replica: &Node) {
    let same = || head(replica) == head(leader) && ready(replica).0 == 200;
    eventually(same, || format!("{:?}", ready(replica)));
}

#[test]
fn a_replica_serves_what_its_leader_serves_and_takes_no_operations() {
    let pair = Pair::new();
    let leader = pair.start_leader();
    for n in 0..20 {
        submit(&leader, &format!("key {}", n % 7), &n.to_string());
    }
    let replica = pair.start_replica();
    wait_until_same(&leader, &replica);
    submit(&leader, "one", "more");
    wait_until_same(&leader, &replica);
    for height in 0..=21 {
        let at = format!("{height:#x}");
        for (method, params) in [
            ("prooflight_block", json!({ "at": at })),
            ("prooflight_headerProof", json!({ "at": at })),
            ("prooflight_prove", json!({ "scheme": "avl", "keys": ["0x", "0x6f6e65"], "at": at })),
        ] {
            let (from_leader, from_replica) =
                (leader.ask(method, &params), replica.ask(method, &params));
            assert_eq!(from_leader, from_replica, "{method} {height}");
        }
    }
    let refused = replica.call("prooflight_submit", &json!({ "ops": [] })).unwrap_err();
    assert_eq!(refused["data"]["code"], "unsupported");
    assert_eq!(refused["data"]["reason"], "read_only");
    let metrics = replica.client().get("/metrics").1;
    assert!(metrics.contains("prooflight_follow_leader_height 21\n"), "{metrics}");
    assert!(metrics.contains("prooflight_height 21\n"), "{metrics}");
    assert!(!metrics.contains("follow_errors_total{"), "{metrics}");
}

#[test]
fn a_replica_follows_through_restarts_of_both_sides() {
    let pair = Pair::new();
    let mut leader = pair.start_leader();
    let mut replica = pair.start_replica();
    for round in 0..8 {
        for n in 0..5 {
            submit(&leader, &format!("key {n}"), &format!("{round}"));
        }
        // Stops or kills either node while there are blocks to follow.
        let (node, folder) = if round % 2 == 0 {
            (&mut leader, &pair.leader)
        } else {
            (&mut replica, &pair.replica)
        };
        if round % 4 < 2 {
            assert!(node.terminate().success());
        } else {
            node.kill();
        }
        assert!(command(folder.path(), &["verify"]).status.success());
        if round % 2 == 0 {
            leader = pair.start_leader();
        } else {
            // By now the replica knows its chain.
            replica = pair.try_start_replica(&[]).unwrap();
        }
    }
    wait_until_same(&leader, &replica);
    assert!(leader.terminate().success() && replica.terminate().success());
    let verified = |folder: &Path| text(&command(folder, &["verify"]).stdout);
    assert_eq!(verified(pair.replica.path()), verified(pair.leader.path()));
    assert_eq!(verified(pair.leader.path()), "41 blocks and 5 values verified\n");
}

#[test]
fn a_replica_waits_for_a_leader_that_starts_later() {
    let pair = Pair::new();
    std::thread::scope(|scope| {
        let replica = scope.spawn(|| pair.start_replica());
        let leader = pair.start_leader();
        wait_until_same(&leader, &replica.join().unwrap());
    });
}

#[test]
fn a_first_start_needs_a_checkpoint_and_every_start_respects_it() {
    let pair = Pair::new();
    let refused = |settings: &[&str]| match pair.try_start_replica(settings) {
        Ok(_) => panic!("it started with {settings:?}"),
        Err(said) => said,
    };
    let leader = pair.start_leader();
    submit(&leader, "alice", "1");
    assert!(refused(&[]).contains("--checkpoint with the chain to follow"));
    assert!(!pair.replica.path().join("store").exists());
    drop(pair.start_replica());

    // Another chain, and another block of this one.
    let other = Pair::new();
    let said = refused(&["--checkpoint", other.checkpoint.to_str().unwrap()]);
    assert!(said.contains("wrong_chain"), "{said}");
    let json = std::fs::read_to_string(&pair.checkpoint).unwrap();
    let mut forked = checkpoint::from_json(&json).unwrap();
    forked.header_hash[0] ^= 1;
    let path = pair.leader.path().join("forked.json");
    std::fs::write(&path, checkpoint::to_json(&forked)).unwrap();
    let said = refused(&["--checkpoint", path.to_str().unwrap()]);
    assert!(said.contains("equivocation"), "{said}");

    // A future block is compared when it arrives.
    forked.height = 2;
    std::fs::write(&path, checkpoint::to_json(&forked)).unwrap();
    let replica = pair.try_start_replica(&["--checkpoint", path.to_str().unwrap()]).unwrap();
    wait_until_same(&leader, &replica);
    submit(&leader, "alice", "2");
    eventually(|| ready(&replica).1.contains("equivocation"), || format!("{:?}", ready(&replica)));
    assert_eq!(head(&replica)["height"], "0x1");

    for url in ["", "leader", "https://leader", "http://me:secret@leader"] {
        let Err(said) = Node::try_start(pair.replica.path(), &["--follow", url]) else {
            panic!("it follows {url}");
        };
        assert!(said.contains("http://HOST:PORT") && !said.contains("secret"), "{said}");
    }
}

#[test]
fn a_replica_with_a_full_disk_serves_what_it_has() {
    let pair = Pair::new();
    let leader = pair.start_leader();
    let replica = pair.start_replica();
    wait_until_same(&leader, &replica);
    // Every write of the file that acknowledges a block fails.
    std::os::unix::fs::symlink("/dev/full", pair.replica.path().join("anchor.new")).unwrap();
    submit(&leader, "alice", "1");
    let full = || matches!(ready(&replica), (503, why) if why.contains("No space left on device"));
    eventually(full, || format!("{:?}", ready(&replica)));
    assert_eq!(head(&replica)["height"], "0x0");
    replica.ask("prooflight_prove", &json!({ "scheme": "avl", "keys": ["0x"] }));
    assert!(replica.stop().success());
}

#[test]
fn a_replica_is_ready_only_with_every_block_that_its_chain_is_known_to_have() {
    let pair = Pair::new();
    let leader = pair.start_leader();
    // The time limit of a request is as long as the test, so that no request fails.
    let patient = ["--request-time-ms", "120000", "--follow-interval-ms", "10"];
    let checkpoint = ["--checkpoint", pair.checkpoint.to_str().unwrap()];
    let follow = |url: &str, folder: &Path| {
        Node::start(folder, &[&["--follow", url], &patient[..], &checkpoint].concat())
    };
    let replica = follow(&pair.liar.url(), pair.replica.path());
    let folder = tempfile::tempdir().unwrap();
    let replica_of_it = follow(&format!("http://{}", replica.address), folder.path());
    wait_until_same(&leader, &replica);
    wait_until_same(&leader, &replica_of_it);

    pair.liar.tell(Lie::SilentAbout("prooflight_block"));
    for value in ["1", "2", "3"] {
        submit(&leader, "alice", value);
    }
    // The replica has seen one of the three heads, and waits for the first block.
    let behind = |(status, why): (u16, String)| {
        status == 503 && why.starts_with("not ready: behind, at height 0 of ")
    };
    for node in [&replica, &replica_of_it] {
        eventually(|| behind(ready(node)), || format!("{:?}", ready(node)));
        assert!(behind(node.admin().get("/ready")));
    }
    let known = |node: &Node| node.ask("prooflight_progress", &json!({}))["newest"].clone();
    let same = || known(&replica_of_it) == known(&replica);
    eventually(same, || format!("{} and {}", known(&replica_of_it), known(&replica)));
    let known = leader.ask("prooflight_progress", &json!({}));
    assert_eq!(known, json!({ "height": "0x3", "newest": "0x3", "ageMs": "0x0" }));
}

/// Changes the bytes of a result's member.
fn change(result: &mut Value, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut changed = bytes(&result[name]);
    change(&mut changed);
    result[name] = json!(hex(&changed));
}

/// Changes a header and signs it with the leader's own key.
fn forge(signers: &Signers, header: &mut Value, forge: impl FnOnce(&mut Header)) {
    change(header, "signedHeader", |bytes| {
        let mut header = SignedHeader::decode(bytes, &Limits::default()).unwrap().header;
        forge(&mut header);
        *bytes = signers.sign(header).encode();
    });
}

/// The lies of a leader, each with the reason for its refusal.
fn lies(folder: &Path) -> Vec<(&'static str, Lie)> {
    let config = std::fs::read_to_string(folder.join("pinned.json")).unwrap();
    let config = checkpoint::from_json(&config).unwrap().config;
    let signers = || {
        let key = read_key(&folder.join("authority-0.key")).unwrap();
        Signers::new(&config, vec![key]).unwrap()
    };
    let header = |lie: fn(&mut Vec<u8>)| {
        Lie::of("prooflight_block", move |block| change(&mut block["header"], "signedHeader", lie))
    };
    let forged = |method, lie: fn(&mut Header)| {
        let signers = signers();
        Lie::of(method, move |result| {
            let header = if method == "prooflight_block" { &mut result["header"] } else { result };
            forge(&signers, header, lie);
        })
    };
    let ops = |lie: fn(&mut Vec<Value>)| {
        Lie::of("prooflight_block", move |block| lie(block["ops"].as_array_mut().unwrap()))
    };
    let transition = |lie: fn(&mut Vec<u8>)| {
        Lie::of("prooflight_block", move |block| change(&mut block["transitions"], "avl", lie))
    };
    let block = |lie: fn(&mut Value)| Lie::of("prooflight_block", lie);
    let last = |bytes: &mut Vec<u8>| *bytes.last_mut().unwrap() ^= 1;
    vec![
        // Not signed by the authorities: a changed signature, root, or operations' root.
        ("too_few_signatures", header(last)),
        ("too_few_signatures", header(|bytes| bytes[160] ^= 1)),
        ("too_few_signatures", header(|bytes| bytes[85] ^= 1)),
        ("trailing_bytes", header(|bytes| bytes.push(0))),
        ("invalid_encoding", header(|bytes| bytes.truncate(20))),
        // Signed, but not the result of the operations.
        ("state_root_mismatch", forged("prooflight_block", |header| header.roots[0].1[7] ^= 1)),
        ("not_extending", forged("prooflight_block", |header| header.parent[0] ^= 1)),
        ("not_extending", forged("prooflight_block", |header| header.history_root[0] ^= 1)),
        ("wrong_chain", forged("prooflight_block", |header| header.chain[0] ^= 1)),
        ("operations_mismatch", ops(|ops| ops[0] = set("bob", "stolen"))),
        ("operations_mismatch", ops(Vec::clear)),
        ("operations_mismatch", ops(|ops| ops.push(set("zoe", "9")))),
        ("root_mismatch", transition(|proof| proof[1] ^= 1)),
        ("truncated", transition(Vec::clear)),
        ("invalid_block", block(|block| block["transitions"] = json!({}))),
        ("invalid_result", block(|block| block["transitions"] = json!({ "avm": "0x" }))),
        ("wrong_block", forged("prooflight_block", |header| header.height += 1)),
        ("invalid_result", block(|block| block["header"]["signedHeader"] = json!(7))),
        ("invalid_result", block(|block| *block = json!([]))),
        ("invalid_reply", block(|block| *block = json!(null))),
        // Two blocks of one height, and unsigned heads.
        ("equivocation", {
            let signers = signers();
            Lie::of("prooflight_head", move |head| {
                forge(&signers, head, |header| {
                    header.height -= 1;
                    header.timestamp_ms += 1;
                });
            })
        }),
        ("too_few_signatures", {
            Lie::of("prooflight_head", move |head| change(head, "signedHeader", last))
        }),
        ("invalid_reply", Lie::Body("<html>Welcome</html>")),
        ("invalid_reply", Lie::Body("{}")),
        ("invalid_reply", Lie::Body(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#)),
        (
            "server_error",
            Lie::Body(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"\u001b"}}"#),
        ),
        ("server_error", Lie::Status(502)),
        ("invalid_reply", Lie::Endless),
        ("request_timeout", Lie::Silent),
    ]
}

#[test]
fn a_lying_leader_is_refused_by_name_and_followed_again_when_it_tells_the_truth() {
    let pair = Pair::new();
    let leader = pair.start_leader();
    submit(&leader, "alice", "1");
    let replica = pair.start_replica();
    for (round, (reason, lie)) in (0..).zip(lies(pair.leader.path())) {
        wait_until_same(&leader, &replica);
        let good = head(&replica);
        pair.liar.tell(lie);
        submit(&leader, "alice", &round.to_string());
        let named = format!("/ {reason})\n");
        let refused = || matches!(ready(&replica), (503, why) if why.ends_with(&named));
        eventually(refused, || format!("lie {round}, {reason}: {:?}", ready(&replica)));
        assert_eq!(head(&replica), good, "{reason}");
        replica.ask("prooflight_prove", &json!({ "scheme": "avl", "keys": ["0x"] }));
        let metrics = replica.client().get("/metrics").1;
        assert!(metrics.contains("follow_errors_total{") && metrics.contains(reason), "{metrics}");
        pair.liar.tell(Lie::None);
    }
    wait_until_same(&leader, &replica);

    // A leader that has stopped.
    leader.stop();
    eventually(|| ready(&replica).1.contains("unreachable"), || format!("{:?}", ready(&replica)));
    assert!(replica.stop().success());
    assert!(command(pair.replica.path(), &["verify"]).status.success());
}

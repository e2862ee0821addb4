//! Nodes of a chain whose log is in a bucket: leaders, standbys, and replicas without a leader.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use harness::log;
use harness::s3::{Fault, S3};
use harness::{Client, Node, PROGRAM, command, eventually, set, text};
use prooflight_log::{Bucket, Entry, Log};
use prooflight_node::clock::now_ms;
use prooflight_node::{At, authority};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0", "--follow-interval-ms", "10"];

/// A bucket and the folders of nodes.
struct Chain {
    folder: tempfile::TempDir,
    /// The URL of the log.
    log: String,
}

impl Chain {
    /// A chain with a genesis block, in the folder `first`, and an empty place for its log: in the bucket that
    /// `PROOFLIGHT_S3` names, or else in a folder.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::at_log(log::anywhere(folder.path()), folder)
    }

    /// Like `new`, with its log in a folder, whose files the test changes.
    fn in_folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::at_log(log::in_folder(folder.path()), folder)
    }

    fn at_log(log: String, folder: tempfile::TempDir) -> Self {
        let chain = Self { folder, log };
        init(&chain.at("first"));
        let printed = command(&chain.at("first"), &["checkpoint"]);
        fs::write(chain.checkpoint(), printed.stdout).unwrap();
        chain
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn bucket(&self) -> PathBuf {
        self.at("bucket")
    }

    fn checkpoint(&self) -> PathBuf {
        self.at("checkpoint.json")
    }

    fn block(&self, height: u64) -> PathBuf {
        self.bucket().join(format!("blocks/{height:016}"))
    }

    /// Starts a node; a new folder gets the authority's key and a checkpoint, and nothing else.
    fn try_start(&self, command: &str, name: &str, settings: &[&str]) -> Result<Node, String> {
        let folder = self.at(name);
        if !folder.exists() {
            fs::create_dir(&folder).unwrap();
            fs::copy(self.at("first/authority-0.key"), folder.join("authority-0.key")).unwrap();
        }
        self.try_share(&self.log, command, name, settings)
    }

    /// Starts a node with a log at a URL.
    fn try_share(
        &self,
        log: &str,
        command: &str,
        name: &str,
        settings: &[&str],
    ) -> Result<Node, String> {
        let (checkpoint, folder) = (self.checkpoint(), self.at(name));
        let pinned = ["--checkpoint", checkpoint.to_str().unwrap()];
        Node::try_share(command, &folder, log, &[FAST, &pinned, settings].concat())
    }

    fn lead(&self, name: &str) -> Node {
        self.try_start("run", name, &["--publish"]).unwrap()
    }

    fn stand_by(&self, name: &str, settings: &[&str]) -> Node {
        self.try_start("run", name, &[&["--standby"], settings].concat()).unwrap()
    }

    fn serve(&self, name: &str) -> Node {
        self.try_start("serve", name, &[]).unwrap()
    }

    /// Publishes block 2, signed by the chain's authority and with a wrong root.
    fn publish_wrong_block(&self, of: &str) {
        let copy = self.at("copy");
        let output = command(&self.at(of), &["backup", copy.to_str().unwrap()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mut made = prooflight_node::Chain::open(&copy).unwrap();
        let config = made.config().clone();
        let key = authority::read_key(&self.at("first/authority-0.key")).unwrap();
        let signers = authority::Signers::new(&config, vec![key]).unwrap();
        let view = made.make([], now_ms(), &signers).unwrap();
        let block = view.block(At::Latest).unwrap();
        let mut header = block.header.header;
        header.roots[0].1[0] ^= 1;
        let body = borsh::to_vec(&block.body).unwrap();
        let entry = Entry { header: signers.sign(header), body };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let log = Log::open(Bucket::open(&self.log).unwrap(), config).await.unwrap();
            assert_eq!(log.publish(entry.clone()).await.unwrap(), entry);
        });
    }

    fn refused(&self, command: &str, name: &str, settings: &[&str]) -> String {
        match self.try_start(command, name, settings) {
            Ok(_) => panic!("{command} started with {settings:?}"),
            Err(said) => said,
        }
    }
}

fn init(folder: &Path) {
    let output = command(folder, &["init", "--schemes", "avl,smt"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn submit(node: &Node, key: &str, value: &str) -> Value {
    node.ask("prooflight_submit", &json!({ "ops": [set(key, value)] }))
}

fn height(node: &Node) -> u64 {
    height_in(&node.ask("prooflight_head", &json!({})))
}

fn height_in(reply: &Value) -> u64 {
    u64::from_str_radix(reply["height"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn wait_until_same(one: &Node, two: &Node) {
    let head = |node: &Node| node.ask("prooflight_head", &json!({}));
    eventually(|| head(one) == head(two), || format!("{} and {}", head(one), head(two)));
}

fn ready(node: &Node) -> (u16, String) {
    node.admin().get("/ready")
}

/// Asserts that a node has the blocks that submitters were told of.
fn assert_has(node: &Node, acknowledged: &[Value]) {
    for included in acknowledged {
        let kept = node.ask("prooflight_header", &json!({ "at": included["height"] }));
        assert_eq!(kept["hash"], included["hash"]);
    }
}

#[test]
fn a_replica_without_a_leader_serves_what_the_leader_serves() {
    let chain = Chain::new();
    let mut leader = chain.lead("first");
    for n in 0..20 {
        submit(&leader, &format!("key {}", n % 7), &n.to_string());
    }
    let early = chain.serve("early");
    wait_until_same(&leader, &early);
    submit(&leader, "one", "more");
    wait_until_same(&leader, &early);
    let asked = [
        ("prooflight_block", json!({ "at": "0x5" })),
        ("prooflight_headerProof", json!({ "at": "0x5" })),
        ("prooflight_prove", json!({ "scheme": "avl", "keys": ["0x6f6e65"], "at": "0x15" })),
        ("prooflight_prove", json!({ "scheme": "smt", "keys": ["0x6f6e65"], "at": "0x7" })),
    ];
    let answers = asked.clone().map(|(method, params)| leader.ask(method, &params));
    leader.kill();
    let late = chain.serve("late");
    for replica in [&early, &late] {
        eventually(|| height(replica) == 21, || format!("{:?}", ready(replica)));
        let given = asked.clone().map(|(method, params)| replica.ask(method, &params));
        assert_eq!(given, answers);
        let refused = replica.call("prooflight_submit", &json!({ "ops": [] })).unwrap_err();
        assert_eq!(refused["data"]["reason"], "read_only");
        eventually(|| ready(replica).0 == 200, || format!("{:?}", ready(replica)));
    }
    let metrics = late.admin().get("/metrics").1;
    assert!(metrics.contains("prooflight_log_requests_total{request=\"read\"}"), "{metrics}");
    assert!(!metrics.contains("request=\"create\""), "{metrics}");
    drop(late);
    let verified = command(&chain.at("late"), &["verify"]);
    assert_eq!(text(&verified.stdout), "22 blocks and 8 values verified\n");
}

#[test]
fn no_acknowledged_block_is_lost_to_kill_9_of_leaders_and_their_folders() {
    let kills = std::env::var("PROOFLIGHT_KILLS").map_or(20, |kills| kills.parse().unwrap());
    let chain = Chain::new();
    let mut acknowledged: Vec<Value> = Vec::new();
    for round in 0..kills {
        // Its own folder, that of another leader, or a new one.
        let name = match round % 4 {
            0 | 1 => "first".to_owned(),
            2 => "second".to_owned(),
            _ => format!("new-{round}"),
        };
        let mut node = chain.lead(&name);
        assert_has(&node, &acknowledged[acknowledged.len().saturating_sub(20)..]);
        let client = node.client();
        let submitter = thread::spawn(move || submit_until_killed(&client, round));
        thread::sleep(Duration::from_micros(u64::from(round).wrapping_mul(7919) % 150_000));
        node.kill();
        acknowledged.extend(submitter.join().unwrap());
    }
    let newest = acknowledged.iter().map(height_in).max().unwrap();
    let reader = chain.serve("reader");
    eventually(|| height(&reader) >= newest, || format!("{:?}", ready(&reader)));
    assert_has(&reader, &acknowledged);
    drop(reader);
    let output = command(&chain.at("reader"), &["verify"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn submit_until_killed(client: &Client, round: u32) -> Vec<Value> {
    let mut acknowledged = Vec::new();
    for n in 0.. {
        let ops = json!({ "ops": [set(&format!("key {}", n % 7), &format!("{round} {n}"))] });
        match client.call("prooflight_submit", &ops) {
            Ok(reply) => acknowledged.push(reply.unwrap()),
            Err(_) => break,
        }
    }
    acknowledged
}

#[test]
fn two_leaders_make_one_chain() {
    let chain = Chain::new();
    let leaders = [chain.lead("first"), chain.lead("second")];
    let acknowledged: Vec<Value> = thread::scope(|scope| {
        let submitters: Vec<_> = (0..4)
            .map(|who| {
                let leader = &leaders[who % 2];
                let each = move |n| submit(leader, &format!("{who} {n}"), "value");
                scope.spawn(move || (0..15).map(each).collect::<Vec<_>>())
            })
            .collect();
        submitters.into_iter().flat_map(|submitter| submitter.join().unwrap()).collect()
    });
    let [one, two] = &leaders;
    wait_until_same(one, two);
    assert_has(one, &acknowledged);
    assert_has(two, &acknowledged);
    let reader = chain.serve("reader");
    wait_until_same(one, &reader);
    assert_has(&reader, &acknowledged);
    drop((leaders, reader));
    for name in ["first", "second", "reader"] {
        let output = command(&chain.at(name), &["verify"]);
        assert!(text(&output.stdout).ends_with("blocks and 60 values verified\n"), "{name}");
    }
}

#[test]
fn a_standby_takes_over_from_a_dead_leader_and_the_dead_one_may_come_back() {
    let chain = Chain::new();
    let mut leader = chain.lead("first");
    let url = format!("http://{}", leader.address);
    let settings = ["--takeover-after-ms", "200", "--leader", &url];
    let standby = chain.stand_by("second", &settings);
    let mut acknowledged = vec![submit(&leader, "key", "1")];
    // As long as the leader is ready, the standby does not lead, although no block comes.
    thread::sleep(Duration::from_millis(500));
    let early = standby.call("prooflight_submit", &json!({ "ops": [set("key", "early")] }));
    assert_eq!(early.unwrap_err()["data"]["reason"], "read_only");
    leader.kill();
    let taken = || {
        let ops = json!({ "ops": [set("key", "2")] });
        standby.call("prooflight_submit", &ops).is_ok_and(|reply| reply["height"].is_string())
    };
    eventually(taken, || "the standby does not lead".to_owned());
    acknowledged.push(submit(&standby, "key", "3"));
    let back = chain.lead("first");
    wait_until_same(&standby, &back);
    acknowledged.extend([submit(&back, "key", "4"), submit(&standby, "key", "5")]);
    wait_until_same(&standby, &back);
    assert_has(&standby, &acknowledged);
    assert_has(&back, &acknowledged);
}

#[test]
fn a_standby_leads_when_it_is_promoted() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    let standby = chain.stand_by("second", &["--takeover-after-ms", "600000"]);
    assert_eq!(leader.admin().put("/promote", "").0, 404);
    assert_eq!(standby.admin().put("/promote", "Origin: http://page\r\n").0, 403);
    let refused = standby.call("prooflight_submit", &json!({ "ops": [set("key", "1")] }));
    assert_eq!(refused.unwrap_err()["data"]["reason"], "read_only");
    assert_eq!(standby.admin().put("/promote", "").0, 200);
    let leads = || {
        let ops = json!({ "ops": [set("key", "2")] });
        standby.call("prooflight_submit", &ops).is_ok()
    };
    eventually(leads, || "the standby does not lead".to_owned());
    wait_until_same(&leader, &standby);
}

#[test]
fn a_leader_waits_for_its_bucket_and_says_why() {
    let chain = Chain::in_folder();
    let leader = chain.lead("first");
    submit(&leader, "key", "1");
    // The place of the next block is taken by something that is no block.
    fs::write(chain.block(2), b"garbage").unwrap();
    let client = leader.client();
    let waiting = thread::spawn(move || {
        client.call("prooflight_submit", &json!({ "ops": [set("key", "2")] })).unwrap()
    });
    eventually(|| ready(&leader).0 == 503, || format!("{:?}", ready(&leader)));
    assert!(ready(&leader).1.contains("blocks/0000000000000002"), "{:?}", ready(&leader));
    assert_eq!(height(&leader), 1);
    fs::remove_file(chain.block(2)).unwrap();
    // It is refused if the leader saw the garbage first, and otherwise made as soon as there is room.
    match waiting.join().unwrap() {
        Ok(included) => assert_eq!(included["height"], "0x2"),
        Err(refused) => assert_eq!(refused["data"]["reason"], "truncated"),
    }
    eventually(|| ready(&leader).0 == 200, || format!("{:?}", ready(&leader)));
    submit(&leader, "key", "3");
}

#[test]
fn a_chain_that_was_made_without_a_log_gets_one() {
    let chain = Chain::in_folder();
    let node = Node::start(&chain.at("first"), FAST);
    let acknowledged: Vec<_> = (0..9).map(|n| submit(&node, "key", &n.to_string())).collect();
    assert!(node.stop().success());
    drop(chain.lead("first"));
    // Killed while it published: the rest follows, without being asked for again.
    fs::write(chain.at("first/log"), format!("{}\npublishing\n", chain.log)).unwrap();
    for height in 5..10 {
        fs::remove_file(chain.block(height)).unwrap();
    }
    let leader = chain.try_start("run", "first", &[]).unwrap();
    let reader = chain.serve("reader");
    wait_until_same(&leader, &reader);
    assert_has(&reader, &acknowledged);
}

#[test]
fn a_folder_that_is_not_of_this_log_is_refused_and_nothing_is_written() {
    let chain = Chain::in_folder();
    drop(chain.lead("first"));
    let other = Chain::new();
    let objects = || fs::read_dir(chain.bucket()).unwrap().count();
    let before = objects();

    // A folder of another chain, and a checkpoint of another one.
    fs::rename(other.at("first"), chain.at("other")).unwrap();
    let said = chain.try_start("run", "other", &[]).map(|_| ()).unwrap_err();
    assert!(said.contains("wrong_chain") && said.contains("another URL"), "{said}");
    let checkpoint = other.checkpoint();
    let log = chain.log.clone();
    for command in ["run", "serve"] {
        let pinned = ["--checkpoint", checkpoint.to_str().unwrap()];
        let folder = chain.at("new");
        let said = Node::try_share(command, &folder, &log, &pinned).map(|_| ()).unwrap_err();
        assert!(said.contains("wrong_chain"), "{said}");
        assert!(!folder.exists());
        // Without a checkpoint nobody says which chain it is.
        let said = Node::try_share(command, &folder, &log, &["--dev"]).map(|_| ()).unwrap_err();
        assert!(said.contains("--checkpoint with the chain"), "{said}");
        assert!(!folder.exists());
    }
    assert_eq!(objects(), before);

    // Blocks that were made beside the log.
    let leader = chain.lead("second");
    submit(&leader, "key", "in the log");
    drop(leader);
    fs::remove_file(chain.at("first/log")).unwrap();
    let node = Node::start(&chain.at("first"), FAST);
    submit(&node, "key", "beside it");
    drop(node);
    let said = chain.refused("run", "first", &["--publish"]);
    assert!(said.contains("equivocation") && said.contains("move the folder away"), "{said}");
}

#[test]
fn a_folder_belongs_to_one_log() {
    let chain = Chain::in_folder();
    let place = |name: &str| {
        fs::create_dir_all(chain.at(name)).unwrap();
        format!("file://{}", chain.at(name).display())
    };
    let is_empty = |name: &str| fs::read_dir(chain.at(name)).unwrap().next().is_none();
    let refused = |log: &str, settings: &[&str]| {
        chain.try_share(log, "run", "first", settings).map(|_| ()).unwrap_err()
    };
    let mistyped = place("mistyped");

    // Blocks go to an empty place only if that is said.
    let said = refused(&chain.log, &[]);
    assert!(said.contains("invalid_argument") && said.contains("--publish"), "{said}");
    assert!(is_empty("bucket") && !chain.at("first/log").exists());

    // A mistyped URL, with or without a standby at the right one.
    let mut leader = chain.lead("first");
    submit(&leader, "key", "1");
    leader.kill();
    let bound = fs::read_to_string(chain.at("first/log")).unwrap();
    assert_eq!(bound, format!("{}\n", chain.log));
    for settings in [&[][..], &["--publish"], &["--log-moved-from", &mistyped], &["--dev"]] {
        let said = refused(&mistyped, settings);
        assert!(said.contains("invalid_argument"), "{said}");
        assert!(said.contains(&format!("--log-moved-from '{}'", chain.log)), "{said}");
    }
    let said = chain.try_share(&mistyped, "serve", "first", &[]).map(|_| ()).unwrap_err();
    assert!(said.contains("--log-moved-from"), "{said}");
    assert!(is_empty("mistyped"));

    // Without a log: `run` and `import`.
    let said = Node::try_start(&chain.at("first"), FAST).map(|_| ()).unwrap_err();
    assert!(said.contains("run --log") && said.contains(&chain.log), "{said}");
    let state = chain.at("state.jsonl");
    fs::write(&state, "{\"key\":\"0x01\",\"value\":\"0x02\"}\n").unwrap();
    let output = command(&chain.at("first"), &["import", state.to_str().unwrap()]);
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("submissions to the leader"), "{said}");
    assert_eq!(fs::read_to_string(chain.at("first/log")).unwrap(), bound);

    // A backup has the same log.
    let backup = chain.at("backup");
    let output = command(&chain.at("first"), &["backup", backup.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    fs::copy(chain.at("first/authority-0.key"), backup.join("authority-0.key")).unwrap();
    let said = chain.try_share(&mistyped, "run", "backup", &["--publish"]).map(|_| ()).unwrap_err();
    assert!(said.contains("--log-moved-from"), "{said}");
    drop(chain.lead("backup"));

    // A log that has lost blocks, or everything, is not filled again.
    let newest = fs::read(chain.block(1)).unwrap();
    fs::remove_file(chain.block(1)).unwrap();
    let said = refused(&chain.log, &["--publish"]);
    assert!(said.contains("lacks the blocks 1 to 1") && said.contains("are lost"), "{said}");
    fs::write(chain.block(1), newest).unwrap();
    fs::rename(chain.bucket(), chain.at("moved")).unwrap();
    place("bucket");
    let said = refused(&chain.log, &["--publish"]);
    assert!(said.contains("lacks the blocks 0 to 1"), "{said}");
    assert!(is_empty("bucket"));

    // The log was moved, and says so once; or the chain leaves it.
    let moved = place("moved");
    let from = ["--log-moved-from", &chain.log];
    for _ in 0..2 {
        let leader = chain.try_share(&moved, "run", "first", &from).unwrap();
        submit(&leader, "key", "2");
    }
    assert!(refused(&mistyped, &from).contains("--log-moved-from"));
    let from = ["--log-moved-from", &moved];
    drop(Node::start(&chain.at("first"), &[FAST, &from].concat()));
    assert!(!chain.at("first/log").exists());
}

#[test]
fn a_refused_start_writes_nothing() {
    let chain = Chain::in_folder();
    let is_empty = |name: &str| fs::read_dir(chain.at(name)).unwrap().next().is_none();
    // A place without a chain, a new folder, and a checkpoint.
    for (command, settings) in [
        ("run", &["--publish"][..]),
        ("run", &["--dev"]),
        ("run", &["--standby"]),
        ("run", &["--standby", "--dev"]),
        ("serve", &[]),
    ] {
        let said = chain.try_share(&chain.log, command, "new", settings).map(|_| ()).unwrap_err();
        assert!(said.contains("unknown_block"), "{command} {settings:?}: {said}");
        assert!(!chain.at("new").exists() && is_empty("bucket"), "{command} {settings:?}");
    }
    drop(chain.lead("first"));
    // No key, another one, and a checkpoint of another block.
    fs::create_dir(chain.at("other")).unwrap();
    let other = chain.at("other/authority-0.key");
    assert!(harness::keygen(&other).success());
    let checkpoint = fs::read_to_string(chain.checkpoint()).unwrap();
    let mut wrong: Value = serde_json::from_str(&checkpoint).unwrap();
    wrong["headerHash"] = format!("0x{}", "07".repeat(32)).into();
    fs::write(chain.at("wrong.json"), wrong.to_string()).unwrap();
    let wrong = chain.at("wrong.json");
    let pinned = ["--checkpoint", wrong.to_str().unwrap()];
    fs::create_dir(chain.at("keyed")).unwrap();
    fs::copy(chain.at("first/authority-0.key"), chain.at("keyed/authority-0.key")).unwrap();
    for standby in [&[][..], &["--standby"]] {
        let said = chain.try_share(&chain.log, "run", "new", standby).map(|_| ()).unwrap_err();
        assert!(said.contains("the keys of 1 authorities here"), "{said}");
        assert!(!chain.at("new").exists());
        let said = chain.try_share(&chain.log, "run", "other", standby).map(|_| ()).unwrap_err();
        assert!(said.contains("a key of the chain's authorities"), "{said}");
        let settings = [FAST, &pinned, standby].concat();
        let said = Node::try_share("run", &chain.at("keyed"), &chain.log, &settings);
        let said = said.map(|_| ()).unwrap_err();
        assert!(said.contains("equivocation"), "{said}");
        for folder in ["other", "keyed"] {
            assert_eq!(fs::read_dir(chain.at(folder)).unwrap().count(), 1, "{folder}");
        }
    }
}

#[test]
fn a_node_with_a_log_begins_with_the_state_of_another() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    for n in 0..9 {
        submit(&leader, &format!("key {n}"), &n.to_string());
    }
    let said = chain.refused("serve", "reader", &["--sync"]);
    assert!(said.contains("invalid_argument") && said.contains("--leader"), "{said}");
    let url = format!("http://{}", leader.address);
    let settings = ["--sync", "--leader", &url, "--takeover-after-ms", "600000"];
    fs::remove_dir_all(chain.at("reader")).unwrap();
    let reader = chain.try_start("serve", "reader", &settings).unwrap();
    let standby = chain.stand_by("second", &settings);
    submit(&leader, "key 3", "more");
    for node in [&reader, &standby] {
        wait_until_same(&leader, node);
        // The blocks before were not executed.
        let early = node.call("prooflight_block", &json!({ "at": "0x3" })).unwrap_err();
        assert_eq!(early["data"]["reason"], "version_unavailable", "{early}");
    }
    assert_eq!(standby.admin().put("/promote", "").0, 200);
    let leads = || standby.call("prooflight_submit", &json!({ "ops": [set("key", "2")] })).is_ok();
    eventually(leads, || "the standby does not lead".to_owned());
    wait_until_same(&standby, &reader);
}

#[test]
fn submissions_to_a_standby_cause_no_requests() {
    let chain = Chain::new();
    let _leader = chain.lead("first");
    let slow = ["--follow-interval-ms", "600000", "--takeover-after-ms", "600000"];
    let pinned = ["--checkpoint", chain.checkpoint().to_str().unwrap()].map(str::to_owned);
    let pinned = pinned.each_ref().map(String::as_str);
    fs::create_dir(chain.at("second")).unwrap();
    fs::copy(chain.at("first/authority-0.key"), chain.at("second/authority-0.key")).unwrap();
    let settings = [&["--standby"], &slow[..], &pinned].concat();
    let standby = Node::try_share("run", &chain.at("second"), &chain.log, &settings).unwrap();
    let early = || {
        let refused = standby.call("prooflight_submit", &json!({ "ops": [set("key", "early")] }));
        assert_eq!(refused.unwrap_err()["data"]["reason"], "read_only");
    };
    let requests = || {
        let metrics = standby.admin().get("/metrics").1;
        let counts = metrics.lines().filter(|it| it.starts_with("prooflight_log_requests_total"));
        counts.map(|it| it.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum::<u64>()
    };
    early();
    let before = requests();
    assert!(before > 0);
    (0..50).for_each(|_| early());
    assert_eq!(requests(), before);
}

/// Runs a command without a folder.
fn run(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(PROGRAM).args(arguments).output().unwrap();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn commands_need_only_the_log() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    for n in 0..9 {
        submit(&leader, &format!("key {}", n % 4), &n.to_string());
    }
    drop(leader);
    let checkpoint = chain.checkpoint();
    let log = ["--log", &chain.log, "--checkpoint", checkpoint.to_str().unwrap()];
    let with = |command: &[&str]| {
        let (succeeded, said) = run(&[command, &log].concat());
        assert!(succeeded, "{said}");
        said
    };
    assert_eq!(with(&["verify"]), "10 blocks and 4 values verified\n");
    let [by_log, by_folder] = ["by-log.jsonl", "by-folder.jsonl"].map(|name| chain.at(name));
    with(&["export", by_log.to_str().unwrap()]);
    let output = command(&chain.at("first"), &["export", by_folder.to_str().unwrap()]);
    assert!(output.status.success());
    assert_eq!(fs::read(by_log).unwrap(), fs::read(by_folder).unwrap());
    for height in [&[][..], &["--height", "3"]] {
        let by_folder = command(&chain.at("first"), &[&["checkpoint"], height].concat());
        assert_eq!(with(&[&["checkpoint"], height].concat()), text(&by_folder.stdout));
    }
    let said = with(&["backup", chain.at("copy").to_str().unwrap()]);
    assert!(said.starts_with("10 blocks and 4 values in"), "{said}");
    assert_eq!(fs::read(chain.at("copy/log")).unwrap(), fs::read(chain.at("first/log")).unwrap());
    let verified = command(&chain.at("copy"), &["verify"]);
    assert_eq!(text(&verified.stdout), "10 blocks and 4 values verified\n");
    let (succeeded, said) = run(&["verify", "--log", &chain.log]);
    assert!(!succeeded && said.contains("--checkpoint"), "{said}");
}

#[test]
fn a_log_is_copied_and_its_leader_moves() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    let mut acknowledged = vec![submit(&leader, "key", "1"), submit(&leader, "key", "2")];
    drop(leader);
    let to = match chain.log.strip_prefix("file://") {
        Some(_) => {
            fs::create_dir(chain.at("to")).unwrap();
            format!("file://{}", chain.at("to").display())
        }
        None => format!("{}-to", chain.log),
    };
    let checkpoint = chain.checkpoint();
    let pinned = ["--checkpoint", checkpoint.to_str().unwrap()];
    let copy = |from: &str, to: &str| run(&[&["copy", from, to], &pinned[..]].concat());
    let (succeeded, said) = copy(&chain.log, &to);
    assert!(succeeded && said.contains("3 blocks in") && said.contains("3 of them new"), "{said}");
    let (succeeded, said) = run(&["copy", &chain.log, &to]);
    assert!(succeeded && said.contains("0 of them new"), "{said}");
    let moved = ["--log-moved-from", &chain.log];
    let bound = fs::read_to_string(chain.at("first/log")).unwrap();
    let moved = [moved[0], bound.trim_end()];
    let leader = chain.try_share(&to, "run", "first", &moved).unwrap();
    acknowledged.push(submit(&leader, "key", "3"));
    assert_has(&leader, &acknowledged);
    drop(leader);
    let (succeeded, said) = copy(&chain.log, &to);
    assert!(!succeeded && said.contains("unknown_block"), "{said}");
    let (succeeded, said) = copy(&to, &format!("{to}/"));
    assert!(!succeeded && said.contains("two different places"), "{said}");
}

#[test]
fn commands_on_a_log_say_what_is_wrong_and_write_nothing() {
    let (chain, other) = (Chain::in_folder(), Chain::in_folder());
    let leader = chain.lead("first");
    submit(&leader, "key", "1");
    drop(leader);
    fs::create_dir(chain.at("to")).unwrap();
    let to = format!("file://{}", chain.at("to").display());
    let (out, folder) = (chain.at("out.jsonl"), chain.at("backup"));
    let refused = |log: &str, checkpoint: &Path, expected: &str| {
        let given = ["--log", log, "--checkpoint", checkpoint.to_str().unwrap()];
        for command in [
            &["verify"][..],
            &["checkpoint"],
            &["export", out.to_str().unwrap()],
            &["backup", folder.to_str().unwrap()],
        ] {
            let (succeeded, said) = run(&[command, &given].concat());
            assert!(!succeeded && said.contains(expected), "{command:?} {log}: {said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
        let (succeeded, said) = run(&[&["copy", log, &to], &given[2..]].concat());
        assert!(!succeeded && said.contains(expected), "copy {log}: {said}");
        assert!(!out.exists() && !folder.exists());
        assert!(!chain.at("to/chain").exists());
    };
    let checkpoint = chain.checkpoint();
    refused("", &checkpoint, "file:///FOLDER");
    refused("ftp://host", &checkpoint, "file:///FOLDER");
    refused("s3://me:hunter2@bucket/chain", &checkpoint, "credentials belong into the environment");
    refused("file:///no/such/folder", &checkpoint, "create it first");
    refused(&other.log, &checkpoint, "unknown_block");
    refused(&chain.log, &other.checkpoint(), "wrong_chain");
    refused(&chain.log, &chain.at("none.json"), "invalid_argument");
    let damaged = |path: &Path, expected: &str, change: fn(&[u8]) -> Vec<u8>| {
        let whole = fs::read(path).unwrap();
        fs::write(path, change(&whole)).unwrap();
        refused(&chain.log, &checkpoint, expected);
        fs::write(path, whole).unwrap();
    };
    for path in [chain.bucket().join("chain"), chain.block(1), chain.block(0)] {
        damaged(&path, "truncated", |it| it[..it.len() - 1].to_vec());
        damaged(&path, "invalid_encoding", |it| [&it[..50], &[it[50] ^ 1], &it[51..]].concat());
        damaged(&path, "unknown_version", |it| [&it[..7], b"0", &it[8..]].concat());
    }
    // Another chain in the new place.
    drop(other.lead("first"));
    let (succeeded, said) = run(&["copy", &chain.log, &other.log]);
    assert!(!succeeded && said.contains("wrong_chain"), "{said}");
    // A signed block with a wrong root is found by executing it.
    fs::remove_dir_all(chain.at("to")).unwrap();
    fs::create_dir(chain.at("to")).unwrap();
    chain.publish_wrong_block("first");
    let given = ["--log", &chain.log, "--checkpoint", checkpoint.to_str().unwrap()];
    for command in [&["verify"][..], &["backup", folder.to_str().unwrap()]] {
        let (succeeded, said) = run(&[command, &given].concat());
        assert!(!succeeded && said.contains("state_root_mismatch"), "{said}");
        assert!(said.contains("in block 2 of"), "{said}");
        assert!(!folder.exists());
    }
}

#[test]
fn a_standby_is_promoted_by_a_command() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    let standby = chain.stand_by("second", &["--takeover-after-ms", "600000"]);
    let url = |node: &Node| format!("http://{}", node.admin);
    for (admin, expected) in [
        (url(&leader), "no standby"),
        ("http://127.0.0.1:1".to_owned(), "unreachable"),
        ("https://127.0.0.1:1".to_owned(), "http://HOST:PORT"),
        ("http://me:hunter2@127.0.0.1:1".to_owned(), "http://HOST:PORT"),
        (String::new(), "http://HOST:PORT"),
    ] {
        let (succeeded, said) = run(&["promote", "--admin", &admin]);
        assert!(!succeeded && said.contains(expected) && !said.contains("hunter2"), "{said}");
    }
    let output = command(&chain.at("nowhere"), &["promote"]);
    assert!(!output.status.success());
    let output = command(&chain.at("second"), &["promote"]);
    assert_eq!(text(&output.stdout), "this node leads from now on\n");
    let (succeeded, said) = run(&["promote", "--admin", &url(&standby)]);
    assert!(succeeded, "{said}");
    let leads = || standby.call("prooflight_submit", &json!({ "ops": [set("key", "2")] })).is_ok();
    eventually(leads, || "the standby does not lead".to_owned());
}

#[test]
fn a_signed_but_wrong_block_stops_nobody_for_good() {
    let chain = Chain::in_folder();
    let leader = chain.lead("first");
    submit(&leader, "key", "1");
    let standby = chain.stand_by("second", &["--takeover-after-ms", "600000"]);
    wait_until_same(&leader, &standby);
    chain.publish_wrong_block("second");
    // Whoever looks at the log shows it, and goes on serving.
    let said = |node: &Node| ready(node).1;
    let wrong = "state_root_mismatch";
    eventually(|| said(&standby).contains(wrong), || format!("{:?}", ready(&standby)));
    let refused = leader.call("prooflight_submit", &json!({ "ops": [set("key", "2")] }));
    assert_eq!(refused.unwrap_err()["data"]["reason"], wrong);
    for node in [&leader, &standby] {
        eventually(|| said(node).contains(wrong), || format!("{:?}", ready(node)));
        assert_eq!((height(node), ready(node).0), (1, 503));
    }
    // Those who start meanwhile, too.
    drop(standby);
    let standby = chain.stand_by("second", &["--takeover-after-ms", "600000"]);
    eventually(|| said(&standby).contains(wrong), || format!("{:?}", ready(&standby)));
    // It is read again and again.
    fs::remove_file(chain.block(2)).unwrap();
    for node in [&leader, &standby] {
        eventually(|| ready(node).0 == 200, || format!("{:?}", ready(node)));
    }
    assert_eq!(submit(&leader, "key", "3")["height"], "0x2");
    wait_until_same(&leader, &standby);
}

#[test]
fn a_wrong_place_or_a_damaged_object_is_an_error_that_says_what_to_do() {
    let chain = Chain::in_folder();
    let folder = chain.at("new");
    let share = |command: &str, log: &str| {
        let pinned = ["--checkpoint", chain.checkpoint().to_str().unwrap()].map(str::to_owned);
        let pinned = pinned.each_ref().map(String::as_str);
        let said = Node::try_share(command, &folder, log, &pinned).map(|_| ()).unwrap_err();
        assert!(!folder.exists(), "{said}");
        said
    };
    for command in ["run", "serve"] {
        for (log, expected) in [
            ("", "file:///FOLDER"),
            ("ftp://host", "file:///FOLDER"),
            ("s3://me:hunter2@bucket/chain", "credentials belong into the environment"),
            ("file:///no/such/folder", "create it first"),
        ] {
            let said = share(command, log);
            assert!(said.contains(expected) && !said.contains("hunter2"), "{said}");
        }
    }
    let log = chain.log.clone();
    assert!(share("serve", &log).contains("its leader begins it"));
    let both = ["--follow", "http://127.0.0.1:1", "--checkpoint", "none"];
    let said = Node::try_share("run", &folder, &log, &both).map(|_| ()).unwrap_err();
    assert!(said.contains("both"), "{said}");

    let leader = chain.lead("first");
    submit(&leader, "key", "1");
    drop(leader);
    let whole = fs::read(chain.bucket().join("chain")).unwrap();
    for (change, expected) in [
        (whole[..9].to_vec(), "truncated"),
        ([&whole[..7], b"2", &whole[8..]].concat(), "a newer program may read it"),
        ([&whole[..40], b"?", &whole[41..]].concat(), "invalid_encoding"),
    ] {
        fs::write(chain.bucket().join("chain"), change).unwrap();
        for command in ["run", "serve"] {
            let said = share(command, &log);
            assert!(said.contains(expected), "{said}");
        }
    }
    fs::write(chain.bucket().join("chain"), whole).unwrap();

    // A reader of a damaged block serves the ones before, and says what is wrong.
    let whole = fs::read(chain.block(1)).unwrap();
    fs::write(chain.block(1), &whole[..whole.len() - 1]).unwrap();
    let reader = chain.serve("reader");
    eventually(|| ready(&reader).1.contains("truncated"), || format!("{:?}", ready(&reader)));
    assert_eq!(height(&reader), 0);
    fs::write(chain.block(1), whole).unwrap();
    eventually(|| height(&reader) == 1, || format!("{:?}", ready(&reader)));
}

/// Starts a node whose log is in a bucket of this server.
fn start_on(server: &S3, chain: &Chain, command: &str, name: &str) -> Result<Node, String> {
    let folder = chain.at(name);
    if !folder.exists() {
        fs::create_dir(&folder).unwrap();
        fs::copy(chain.at("first/authority-0.key"), folder.join("authority-0.key")).unwrap();
    }
    let mut program = Command::new(PROGRAM);
    program.args([command, "--log", "s3://bucket", "--data-dir"]).arg(&folder);
    program.arg("--checkpoint").arg(chain.checkpoint()).args(FAST);
    program.args(if command == "run" {
        &["--standby", "--takeover-after-ms", "600000"][..]
    } else {
        &[]
    });
    program.envs(server.variables());
    Node::serve(program)
}

#[test]
fn a_start_outlasts_failures_of_the_bucket_that_end() {
    let chain = Chain::in_folder();
    let leader = chain.lead("first");
    for value in ["1", "2", "3"] {
        submit(&leader, "key", value);
    }
    drop(leader);
    // The client makes each request up to three times, and goes on after a cut where the server can.
    let failing = |method: &str, number: usize| match (method, number) {
        ("GET", 0 | 6) => Some(Fault::Cut),
        ("GET", 1 | 2) => Some(Fault::Silent),
        (_, 0..6) => Some(Fault::Status(503, "SlowDown")),
        _ => None,
    };
    for (command, name) in [("serve", "reader"), ("run", "standby")] {
        let server = S3::over(&chain.bucket(), failing);
        let node = start_on(&server, &chain, command, name).unwrap();
        eventually(|| height(&node) == 3, || format!("{:?}", ready(&node)));
        assert!(server.asked("GET", "chain") > 6, "{command}");
    }
}

#[test]
fn a_start_on_a_bucket_that_goes_on_failing_ends_and_what_is_wrong_ends_it_at_once() {
    let chain = Chain::in_folder();
    drop(chain.lead("first"));
    let ended = |server: &S3, command: &str| {
        start_on(server, &chain, command, "new").map(|_| ()).unwrap_err()
    };
    let server = S3::over(&chain.bucket(), |_, _| Some(Fault::Status(503, "SlowDown")));
    let said = ended(&server, "serve");
    let again = said.matches("the start tries again").count();
    assert!(said.contains("unreachable") && again >= 2, "{said}");
    for (status, code, expected) in [
        (404, "NoSuchBucket", "create it first"),
        (403, "InvalidAccessKeyId", "credentials"),
        (404, "NoSuchKey", "its leader begins it"),
    ] {
        let server = S3::over(&chain.bucket(), move |_, _| Some(Fault::Status(status, code)));
        for command in ["serve", "run"] {
            let said = ended(&server, command);
            assert!(said.contains(expected) && !said.contains("tries again"), "{said}");
        }
        assert_eq!(server.asked("GET", "chain"), 2, "{code}");
    }
    // An object that was stored short comes whole.
    let path = chain.bucket().join("chain");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let server = S3::over(&chain.bucket(), |_, _| None);
    let said = ended(&server, "serve");
    assert!(said.contains("truncated") && !said.contains("tries again"), "{said}");
    assert_eq!(server.asked("GET", "chain"), 1);
}

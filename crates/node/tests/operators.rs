//! The node from its operators' view: starting, monitoring, stopping, and missing resources.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use harness::keys::values;
use harness::liar::{Liar, Lie};
use harness::light::genesis;
use harness::{Client, Node, OpeningNode, PROGRAM, command, eventually, hex, set, text};
use prooflight_core::Scheme;
use prooflight_core::chain::ChainConfig;
use prooflight_node::Chain;
use prooflight_node::chain::keys::{Signers, read_key};
use prooflight_node::runtime::clock::{format_utc, now_ms};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];

/// Begins a chain with every scheme that takes any key; small vectors and eras.
fn init(folder: &Path) {
    let begin = ["init", "--schemes", "avl,lvmt,smt,lmpt,amb", "--lvmt-log-n", "4"];
    done(folder, &[&begin[..], &["--lmpt-era-blocks", "4"]].concat());
}

/// The output of a command that must succeed.
fn done(folder: &Path, arguments: &[&str]) -> String {
    let ended = command(folder, arguments);
    assert!(ended.status.success(), "{arguments:?}: {}", text(&ended.stderr));
    text(&ended.stdout)
}

/// The schemes of these chains.
const SCHEMES: [Scheme; 5] = [Scheme::Avl, Scheme::Lvmt, Scheme::Smt, Scheme::Lmpt, Scheme::Amb];

/// Checks that every scheme proves the newest value of a key.
fn check_newest(node: &Node, key: &str, value: &str) {
    let (config, newest) = (genesis(node).config, height(node));
    for scheme in SCHEMES {
        let proved = values(node, &config, scheme, &[key.as_bytes()], newest);
        assert_eq!(proved, Ok(vec![Some(value.into())]), "{scheme:?}");
    }
}

/// An address that nothing listens on.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

#[test]
fn a_node_that_opens_its_chain_says_so_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (leading, replica) = (folder.path().join("leader"), folder.path().join("replica"));
    init(&leading);
    let leader = Node::start(&leading, &[]);
    let pinned = folder.path().join("checkpoint.json");
    fs::write(&pinned, done(&leading, &["checkpoint"])).unwrap();
    // The chain opens once the leader gives its first block.
    let liar = Liar::start();
    liar.ask(leader.address);
    liar.tell(Lie::Silent);
    let (url, pinned) = (liar.url(), pinned.to_str().unwrap());
    let settings = ["--follow", &url, "--checkpoint", pinned, "--request-time-ms", "200"];
    let address = free_address();
    let mut opening = Node::open(&replica, address, &settings);
    let admin = Client { address: opening.admin, token: None };
    assert_eq!(admin.get("/health"), (200, "ok\n".to_owned()));
    assert_eq!(admin.get("/ready"), (503, "not ready: opening the chain\n".to_owned()));
    assert_eq!(admin.get("/metrics").0, 200);
    assert_eq!(admin.get("/").0, 404);
    assert!(TcpStream::connect(address).is_err(), "it takes requests that it cannot answer");
    assert!(opening.process.terminate().success());

    let opening = Node::open(&replica, address, &settings);
    liar.tell(Lie::None);
    let node = opening.serve().unwrap();
    assert_eq!(node.address, address);
    let ready = || node.admin().get("/ready");
    let expected = (200, "ready at height 0\n".to_owned());
    eventually(|| ready() == expected, || format!("{:?}", ready()));
}

#[test]
fn clients_cannot_fill_the_admin_listener() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let node = Node::start(folder.path(), &["--max-connections", "8"]);
    let idle: Vec<_> = (0..200).map(|_| TcpStream::connect(node.address).unwrap()).collect();
    // 8 connections are served, 64 are told that the node is busy, and the others are closed.
    let closed = || node.admin().get("/metrics").1.contains("prooflight_connections 72\n");
    eventually(closed, || node.admin().get("/metrics").1);
    assert!(node.client().post(b"{}").is_err(), "a request is answered in spite of the others");
    assert_eq!(node.admin().get("/health"), (200, "ok\n".to_owned()));
    assert_eq!(node.admin().get("/ready").0, 200);
    drop(idle);
    eventually(
        || node.client().call("prooflight_head", &json!({})).is_ok(),
        || "the node is still full".to_owned(),
    );
}

#[test]
fn a_full_disk_ends_only_the_making_of_blocks() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let node = Node::start(folder.path(), FAST);
    let submit = |node: &Node| node.call("prooflight_submit", &json!({ "ops": [set("a", "1")] }));
    submit(&node).unwrap();
    // Every write of the file that acknowledges a block fails.
    let unwritable = folder.path().join("anchor.new");
    std::os::unix::fs::symlink("/dev/full", &unwritable).unwrap();
    for _ in 0..2 {
        let refused = submit(&node).unwrap_err();
        assert_eq!(refused["data"]["reason"], "store_failed", "{refused}");
    }
    let (status, why) = node.admin().get("/ready");
    assert!(status == 503 && why.contains("No space left on device"), "{why}");
    assert_eq!(node.admin().get("/health").0, 200);
    assert_eq!(node.ask("prooflight_head", &json!({}))["height"], "0x1");
    let config = genesis(&node).config;
    for scheme in SCHEMES {
        let proved = values(&node, &config, scheme, &[b"a"], 1);
        assert_eq!(proved, Ok(vec![Some(b"1".into())]), "{scheme:?}");
    }
    assert!(node.stop().success());

    fs::remove_file(unwritable).unwrap();
    let node = Node::start(folder.path(), FAST);
    assert_eq!(node.admin().get("/ready").0, 200);
    submit(&node).unwrap();
    check_newest(&node, "a", "1");
    assert!(node.stop().success());
    done(folder.path(), &["verify"]);
}

#[test]
fn blocks_stop_before_the_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let node = Node::start(folder.path(), &["--min-free-bytes", &u64::MAX.to_string()]);
    let (status, why) = node.admin().get("/ready");
    assert!(status == 503 && why.contains("bytes free for blocks in"), "{why}");
    let refused = node.call("prooflight_submit", &json!({ "ops": [] })).unwrap_err();
    assert_eq!(refused["data"]["reason"], "store_failed", "{refused}");
    assert_eq!(node.ask("prooflight_head", &json!({}))["height"], "0x0");
}

/// The exit codes with which the unit for systemd does not start the node again.
fn not_restarted() -> Vec<i32> {
    let unit = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/prooflight-node.service");
    let unit = fs::read_to_string(unit).unwrap();
    let codes = unit.lines().find_map(|line| line.strip_prefix("RestartPreventExitStatus="));
    codes.unwrap().split(' ').map(|code| code.parse().unwrap()).collect()
}

#[test]
fn exit_codes_tell_mistakes_from_failures() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    init(&folder.path().join("chain"));
    init(&folder.path().join("damaged"));
    fs::write(path("damaged/anchor"), "no anchor").unwrap();
    fs::write(path("file"), "").unwrap();
    fs::write(path("settings.toml"), "max-kes = 1\n").unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let node = Node::start(&folder.path().join("chain"), &[]);
    let free = ["--listen", "127.0.0.1:0"];
    for (settings, code, expected) in [
        (vec!["--max-kes", "1"], 64, "--max-kes".to_owned()),
        (vec!["--max-keys", "many"], 64, "many".to_owned()),
        (vec!["--config", &path("settings.toml")], 78, "max-kes".to_owned()),
        (vec!["--data-dir", &path("none")], 78, format!("a chain in {}", path("none"))),
        (vec!["--token-file", &path("none")], 78, path("none")),
        (
            vec!["--follow", "leader", "--data-dir", &path("none")],
            78,
            "http://HOST:PORT".to_owned(),
        ),
        (vec!["--data-dir", &path("damaged")], 65, path("damaged/anchor")),
        // These errors may disappear at the next attempt.
        (vec!["--data-dir", &path("chain")], 74, path("chain")),
        (vec!["--data-dir", &path("file/chain")], 74, path("file/chain")),
        (vec!["--listen", &taken], 69, taken.clone()),
        (vec!["--admin-listen", &taken], 69, taken.clone()),
    ] {
        let listen = if settings.contains(&"--listen") { &[] } else { &free[..] };
        let ended = Command::new(PROGRAM).arg("run").args(listen).args(&settings).output().unwrap();
        let said = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{settings:?}: {said}");
        assert!(said.contains(&expected), "{settings:?}: {said}");
        assert_eq!(not_restarted().contains(&code), [64, 65, 78].contains(&code));
    }
    drop(node);
    assert!(!folder.path().join("none").exists());
}

#[test]
fn a_chain_begins_only_when_it_is_meant_to_and_otherwise_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("chain");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let refused = |arguments: &[&str]| {
        let ended = command(&folder, arguments);
        assert!(!ended.status.success(), "{arguments:?}");
        text(&ended.stderr)
    };
    let said = refused(&["run", "--listen", "127.0.0.1:0"]);
    assert!(said.contains("run --dev"), "{said}");
    refused(&["run", "--dev", "--listen", &taken]);
    refused(&["run", "--dev", "--listen", "127.0.0.1:0", "--admin-listen", &taken]);
    refused(&["run", "--dev", "--listen", "127.0.0.1:0", "--token-file", "none"]);
    let state = parent.path().join("state.jsonl");
    fs::write(&state, "{}").unwrap();
    refused(&["init", "--state", state.to_str().unwrap()]);
    refused(&["init", "--quorum", "2"]);
    refused(&["init", "--key", state.to_str().unwrap()]);
    assert!(!folder.exists(), "{:?}", fs::read_dir(&folder).unwrap().collect::<Vec<_>>());

    // Existing files stay.
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("notes"), "").unwrap();
    refused(&["init", "--quorum", "2"]);
    let left: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["notes"]);
    init(&folder);
}

#[test]
fn a_chain_from_the_future_waits_for_its_time() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let key = read_key(&folder.path().join("authority-0.key")).unwrap();
    let mut chain = Chain::open(folder.path()).unwrap();
    let signers = Signers::new(chain.config(), vec![key]).unwrap();
    let in_two_days = now_ms() + 2 * 86_400_000;
    drop(signers.make(&mut chain, [], in_two_days).unwrap());
    drop(chain);

    let node = Node::start(folder.path(), &["--empty-blocks", "--block-interval-ms", "0"]);
    let (status, why) = node.admin().get("/ready");
    assert!(status == 503 && why.contains("head_in_future"), "{why}");
    assert!(why.contains(&format_utc(in_two_days)), "{why}");
    let refused = node.call("prooflight_submit", &json!({ "ops": [] })).unwrap_err();
    assert_eq!(refused["data"]["reason"], "head_in_future", "{refused}");
    // Confirming the clock does not make the block older.
    assert_eq!(node.admin().put("/clock", "").0, 200);
    assert_eq!(node.admin().get("/ready").0, 503);
    assert_eq!(node.ask("prooflight_head", &json!({}))["height"], "0x1");
}

#[test]
fn only_the_operator_confirms_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let begun = command(folder.path(), &["init", "--schemes", "avl"]);
    let printed = text(&begun.stdout);
    let year = &format_utc(now_ms())[..4];
    assert!(printed.contains(&format!("time {year}-")), "{printed}");
    let node = Node::start(folder.path(), FAST);
    let (status, said) = node.admin().put("/clock", "");
    assert!(status == 200 && said.contains(&format!("at {year}-")), "{said}");
    let (status, said) = node.admin().put("/clock", "Origin: https://page.example\r\n");
    assert_eq!(status, 403, "{said}");
    // Clients cannot confirm the clock.
    assert_ne!(node.client().put("/clock", "Connection: close\r\n").0, 200);
}

/// Starts a node with this limit of open files.
fn start_with_files(folder: &Path, files: u32, settings: &[&str]) -> Result<Node, String> {
    let mut command = Command::new("sh");
    let limited = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
    command.args(["-c", &limited, PROGRAM, "run", "--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(folder).args(settings);
    OpeningNode::of(command)?.serve()
}

fn height(node: &Node) -> u64 {
    let metrics = node.admin().get("/metrics").1;
    let height = metrics.lines().find_map(|line| line.strip_prefix("prooflight_height "));
    height.unwrap_or_default().parse().unwrap()
}

#[test]
fn more_connections_than_open_files_do_not_stop_blocks() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let settings = ["--empty-blocks", "--block-interval-ms", "10"];
    let node = start_with_files(folder.path(), 592, &settings).unwrap();
    let idle: Vec<_> = (0..650).map(|_| TcpStream::connect(node.address).unwrap()).collect();
    // 48 connections fit beside the node's own files; 64 more get a refusal.
    let full = || node.admin().get("/metrics").1.contains("prooflight_connections 112\n");
    eventually(full, || node.admin().get("/metrics").1);
    let before = height(&node);
    eventually(|| height(&node) > before + 20, || format!("at height {}", height(&node)));
    assert_eq!(node.admin().get("/ready").0, 200);
    drop(idle);
    eventually(|| node.client().call("prooflight_head", &json!({})).is_ok(), String::new);

    let Err(said) = start_with_files(folder.path(), 100, &[]) else {
        panic!("a node without files for its store");
    };
    assert!(said.contains("a limit of 560 open files"), "{said}");
}

/// The program without the rights of root; `None` if that is not possible on this system.
fn without_rights() -> Option<Command> {
    let id = Command::new("id").arg("-u").output().unwrap();
    let mut command = if text(&id.stdout).trim() == "0" {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", PROGRAM]);
        command
    } else {
        Command::new(PROGRAM)
    };
    let shown = command.arg("--version").output();
    let shown = shown.is_ok_and(|shown| shown.status.success());
    if !shown {
        println!("skipped: the program cannot be run as a user without rights");
        return None;
    }
    let mut again = Command::new(command.get_program());
    let arguments: Vec<_> = command.get_args().collect();
    again.args(&arguments[..arguments.len() - 1]);
    Some(again)
}

#[test]
fn errors_of_permission_name_the_path() {
    use std::os::unix::fs::PermissionsExt;
    if without_rights().is_none() {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(parent.path(), 0o755);
    let folder = parent.path().join("chain");
    init(&folder);
    mode(&folder, 0o755);
    let said = |arguments: &[&str]| {
        let ended = without_rights().unwrap().args(arguments).output().unwrap();
        (ended.status.code(), text(&ended.stderr))
    };
    let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let chain = folder.to_str().unwrap();
    for (closed, command) in [("store", "run"), ("schemes.json", "run"), ("store", "checkpoint")] {
        let path = folder.join(closed);
        let before = fs::metadata(&path).unwrap().permissions().mode();
        mode(&path, 0);
        let ports = if command == "run" { &ports[..] } else { &[] };
        let (code, said) = said(&[&[command, "--data-dir", chain], ports].concat());
        assert!(said.contains(path.to_str().unwrap()), "{closed} by {command}: {said}");
        assert!(code == Some(74) || code == Some(78), "{closed} by {command}: {code:?} {said}");
        mode(&path, before);
    }
    // A new folder inside a read-only one.
    let new = parent.path().join("new");
    let (_, said) = said(&["init", "--data-dir", new.to_str().unwrap()]);
    assert!(said.contains(new.to_str().unwrap()), "{said}");
    assert!(!new.exists());
}

/// Block h sets `often` and `h` to h, and deletes the key of block h - 3.
fn make(node: &Node, heights: std::ops::RangeInclusive<u64>) {
    for height in heights {
        let number = height.to_string();
        let gone = height.saturating_sub(3).to_string();
        let gone = json!({ "op": "Delete", "key": hex(gone.as_bytes()) });
        let ops = [set("often", &number), set(&number, &number), gone];
        let made = node.ask("prooflight_submit", &json!({ "ops": ops }));
        assert_eq!(made["height"], format!("{height:#x}"));
    }
}

/// Whether a scheme proves the state after a block of `make`; checks the proven state.
fn proves(node: &Node, config: &ChainConfig, scheme: Scheme, at: u64) -> bool {
    let numbers = [at, at.saturating_sub(3), at + 1];
    let names = numbers.map(|number| number.to_string());
    let keys = ["often", &names[0], &names[1], &names[2]].map(str::as_bytes);
    let value = |height: u64| {
        let is_there = (1..=at).contains(&height) && height + 3 > at;
        is_there.then(|| height.to_string().into_bytes())
    };
    let expected: Vec<_> = [at].into_iter().chain(numbers).map(value).collect();
    match values(node, config, scheme, &keys, at) {
        Ok(proved) => {
            assert_eq!(proved, expected, "{scheme:?} at {at}");
            true
        }
        Err(refused) => {
            assert_eq!(refused["data"]["reason"], "version_unavailable", "{scheme:?} at {at}");
            false
        }
    }
}

/// The roots after the newest block.
fn roots(node: &Node) -> Value {
    node.ask("prooflight_head", &json!({}))["roots"].clone()
}

#[test]
fn a_chain_with_all_schemes_is_copied_pruned_and_exported() {
    let parent = tempfile::tempdir().unwrap();
    let at = |name: &str| parent.path().join(name);
    let [folder, whole, pruned, other] = ["chain", "whole", "pruned", "other"].map(at);
    let [early, late, again] = ["early", "late", "again"].map(at);
    init(&folder);
    let replays = [FAST, &["--lmpt-replay"]].concat();
    let node = Node::start(&folder, &replays);
    make(&node, 1..=20);
    // Of a running node.
    done(&folder, &["backup", whole.to_str().unwrap()]);
    done(&folder, &["export", early.to_str().unwrap()]);
    let checkpoints = |folder: &Path| {
        [&["checkpoint"][..], &["checkpoint", "--height", "7"]].map(|it| done(folder, it))
    };
    assert_eq!(checkpoints(&whole), checkpoints(&folder));
    assert!(node.stop().success());
    assert_eq!(done(&whole, &["verify"]), "21 blocks and 4 values verified\n");

    let node = Node::start(
        &folder,
        &[&replays[..], &["--keep-states", "6", "--keep-blocks", "5"]].concat(),
    );
    // The deletions after the first block are visible with the second.
    make(&node, 21..=22);
    let config = genesis(&node).config;
    for scheme in SCHEMES {
        let proved: Vec<_> = (1..=22).filter(|at| proves(&node, &config, scheme, *at)).collect();
        // lmpt keeps whole eras, amb everything, and lvmt in memory the blocks since the start.
        let (earliest, latest) = match scheme {
            Scheme::Amb => (1, 1),
            Scheme::Lmpt => (9, 16),
            Scheme::Lvmt => (7, 22),
            _ => (15, 16),
        };
        assert!((earliest..=latest).contains(&proved[0]), "{scheme:?} proves {proved:?}");
        assert_eq!(proved, (proved[0]..=22).collect::<Vec<_>>(), "{scheme:?}");
    }
    for height in 0..=22_u64 {
        let block = node.call("prooflight_block", &json!({ "at": format!("{height:#x}") }));
        assert_eq!(block.is_ok(), height >= 16, "{height}: {block:?}");
    }
    done(&folder, &["backup", pruned.to_str().unwrap()]);
    done(&folder, &["export", late.to_str().unwrap()]);
    make(&node, 23..=24);
    let expected = roots(&node);
    assert!(node.stop().success());
    assert!(text(&command(&folder, &["verify"]).stderr).contains("--keep-blocks"));

    // Both copies and the chain itself can be continued.
    for (copy, next) in [(&whole, 21), (&pruned, 23), (&folder, 25)] {
        if copy != &folder {
            fs::copy(folder.join("authority-0.key"), copy.join("authority-0.key")).unwrap();
        }
        let node = Node::start(copy, &replays);
        make(&node, next..=24);
        assert_eq!(roots(&node), expected, "{}", copy.display());
        make(&node, 25..=25);
        check_newest(&node, "often", "25");
        assert!(node.stop().success());
    }
    assert_eq!(done(&whole, &["verify"]), "26 blocks and 4 values verified\n");

    // The state is imported into another chain.
    init(&other);
    done(&other, &["import", early.to_str().unwrap()]);
    done(&other, &["import", late.to_str().unwrap(), "--block", "2"]);
    done(&other, &["verify"]);
    let node = Node::start(&other, FAST);
    check_newest(&node, "often", "22");
    done(&other, &["export", again.to_str().unwrap()]);
    let lines = |path| fs::read_to_string(path).unwrap();
    let [early, late, again] = [early, late, again].map(lines);
    assert!(early.lines().count() == 4 && late.lines().count() == 4, "{early} {late}");
    // Keys that only the first export had stay.
    assert!(late.lines().all(|line| again.lines().any(|other| other == line)), "{late} {again}");
}

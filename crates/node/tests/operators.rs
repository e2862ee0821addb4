//! The node under its operators' hands: started, watched, stopped, and short of what it needs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;

use harness::{Client, Node, Opening, PROGRAM, command, eventually, text};
use serde_json::json;

/// Begins a chain with one scheme.
fn init(folder: &Path) {
    let begun = command(folder, &["init", "--schemes", "avl"]);
    assert!(begun.status.success(), "{}", text(&begun.stderr));
}

/// An address that nothing listens on.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Replaces a file by a pipe of the same name, so that a reader waits for a writer.
fn into_pipe(path: &Path) -> Vec<u8> {
    let content = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    content
}

#[test]
fn a_node_that_opens_its_chain_says_so_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    // The chain opens once its options can be read.
    let options = folder.path().join("schemes.json");
    let content = into_pipe(&options);
    let address = free_address();
    let mut opening = Node::open(folder.path(), address, &[]);
    let admin = Client { address: opening.admin, token: None };
    assert_eq!(admin.get("/health"), (200, "ok\n".to_owned()));
    assert_eq!(admin.get("/ready"), (503, "not ready: opening the chain\n".to_owned()));
    assert_eq!(admin.get("/metrics").0, 200);
    assert_eq!(admin.get("/").0, 404);
    assert!(TcpStream::connect(address).is_err(), "it takes requests that it cannot answer");
    assert!(opening.process.terminate().success());

    let opening = Node::open(folder.path(), address, &[]);
    let writer = thread::spawn(move || fs::write(options, content).unwrap());
    let node = opening.serve().unwrap();
    writer.join().unwrap();
    assert_eq!(node.address, address);
    assert_eq!(node.admin().get("/ready"), (200, "ready at height 0\n".to_owned()));
}

#[test]
fn clients_cannot_fill_the_admin_listener() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path());
    let node = Node::start(folder.path(), &["--max-connections", "8"]);
    let idle: Vec<_> = (0..200).map(|_| TcpStream::connect(node.address).unwrap()).collect();
    // Of those, 8 are served, 64 are told that the node is busy, and the others are closed.
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

/// Starts a node with this limit of open files.
fn start_with_files(folder: &Path, files: u32, settings: &[&str]) -> Result<Node, String> {
    let mut command = Command::new("sh");
    let limited = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
    command.args(["-c", &limited, PROGRAM, "run", "--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(folder).args(settings);
    Opening::of(command)?.serve()
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
    let node = start_with_files(folder.path(), 560, &settings).unwrap();
    let idle: Vec<_> = (0..650).map(|_| TcpStream::connect(node.address).unwrap()).collect();
    // 48 connections fit beside the node's own files; 64 more are told so.
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
    assert!(said.contains("a limit of 528 open files"), "{said}");
}

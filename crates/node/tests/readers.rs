//! Many concurrent readers while blocks are made: every answer is right, and memory stays bounded.
//!
//! `PROOFLIGHT_READERS=1000 cargo test --release -p prooflight-node --test readers -- --nocapture`
//! prints how long answers took.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use harness::connection::{Connection, WebSocket};
use harness::light::{genesis, header, proved};
use harness::{Node, set};
use prooflight_core::chain::ChainConfig;
use serde_json::{Value, json};

/// Keys of the state; the block of height h sets each of them to h.
const KEYS: usize = 100;
/// Requests of one reader.
const REQUESTS: usize = 20;
/// Requests before block 2 must exist.
const HALF_OF_REQUESTS: usize = REQUESTS / 2;
/// The memory that a reader may cost the node, on top of its store and caches.
const BYTES_A_READER: u64 = 256 << 10;
const BYTES_OF_THE_NODE: u64 = 128 << 20;

enum ReaderConnection {
    Http(Connection),
    WebSocket(WebSocket),
}

impl ReaderConnection {
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut reply = match self {
            Self::Http(connection) => {
                let (status, body) = connection.post(request.to_string().as_bytes());
                assert_eq!(status, 200, "{body}");
                serde_json::from_str(&body).unwrap()
            }
            Self::WebSocket(socket) => {
                socket.send(&request.to_string());
                socket.receive()
            }
        };
        assert!(reply.get("error").is_none(), "{reply}");
        reply["result"].take()
    }
}

#[test]
fn many_readers_get_right_answers_while_blocks_are_made() {
    let readers = std::env::var("PROOFLIGHT_READERS").map_or(200, |it| it.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let connections = (readers + 100).to_string();
    let node = Node::start(
        folder.path(),
        &["--block-interval-ms", "10", "--max-connections", &connections],
    );
    let config = genesis(&node).config;
    make_block(&node);
    let before = node.memory();

    // All threads wait for each other at the start, and halfway until block 2 exists.
    let (start, halfway) = (Barrier::new(readers + 1), Barrier::new(readers + 1));
    let done = AtomicBool::new(false);
    let (mut times, blocks) = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            start.wait();
            make_block(&node);
            halfway.wait();
            let mut blocks = 1;
            while !done.load(Ordering::Relaxed) {
                make_block(&node);
                blocks += 1;
            }
            blocks
        });
        let threads: Vec<_> = (0..readers)
            .map(|number| {
                let (node, config, waits) = (&node, &config, [&start, &halfway]);
                let small = thread::Builder::new().stack_size(256 << 10);
                small.spawn_scoped(scope, move || read(node, config, number, waits)).unwrap()
            })
            .collect();
        let times: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        (times, writer.join().unwrap())
    });
    let after = node.memory();
    times.sort_unstable();
    let part = |part: usize| times[(times.len() - 1) * part / 100];
    println!(
        "{readers} readers, {} answers, {blocks} blocks meanwhile: p50 {:?}, p99 {:?}, longest {:?}; \
         memory {} MiB before, {} MiB at most",
        times.len(),
        part(50),
        part(99),
        part(100),
        before.now >> 20,
        after.most >> 20,
    );
    assert_eq!(times.len(), readers * REQUESTS);
    let bound = BYTES_OF_THE_NODE + BYTES_A_READER * readers as u64;
    assert!(after.most < before.now + bound, "{before:?} {after:?}");
    let metrics = node.client().get("/metrics").1;
    assert!(!metrics.contains("rpc_errors_total{"), "{metrics}");
}

/// Makes the next block, which sets every key to its height.
fn make_block(node: &Node) {
    let head = node.ask("prooflight_head", &json!({}));
    let next = head["height"].as_str().unwrap().trim_start_matches("0x");
    let next = u64::from_str_radix(next, 16).unwrap() + 1;
    let ops: Vec<_> = (0..KEYS).map(|key| set(&key.to_string(), &next.to_string())).collect();
    node.ask("prooflight_submit", &json!({ "ops": ops }));
}

/// Reads over one connection, in step with all readers; returns the time that each answer took.
fn read(
    node: &Node,
    config: &ChainConfig,
    number: usize,
    [start, halfway]: [&Barrier; 2],
) -> Vec<Duration> {
    let mut reader = if number.is_multiple_of(10) {
        ReaderConnection::WebSocket(WebSocket::connect(node.address))
    } else {
        ReaderConnection::Http(Connection::open(node.address))
    };
    start.wait();
    (0..REQUESTS)
        .map(|round| {
            let key = ((number + round) % KEYS).to_string();
            let params = json!({ "scheme": "avl", "keys": [harness::hex(key.as_bytes())] });
            if round == HALF_OF_REQUESTS {
                halfway.wait();
            }
            let asked = Instant::now();
            let reply = reader.ask("prooflight_prove", &params);
            let took = asked.elapsed();
            let height = check(config, &reply, &key);
            assert!(
                height >= if round < HALF_OF_REQUESTS { 1 } else { 2 },
                "an older block: {height}"
            );
            took
        })
        .collect()
}

/// Verifies a proof against the root of a signed header, and checks that the value is the one set by its
/// block; returns the block's height.
fn check(config: &ChainConfig, reply: &Value, key: &str) -> u64 {
    let signed = header(&reply["header"]);
    signed.check_signed(config).unwrap();
    let expected = signed.header.height.to_string();
    assert_eq!(proved(reply, &signed.header, key.as_bytes()), Some(expected.into_bytes()));
    signed.header.height
}

//! Clients that ask for too much, too slowly, or wrongly: each gets its error, and others are not affected.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use harness::connection::{Connection, WebSocket};
use harness::{Client, Node, eventually, set};
use serde_json::{Value, json};

fn call(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

/// The reason in the error of a reply.
fn reason(reply: &str) -> String {
    let reply: Value = serde_json::from_str(reply).unwrap();
    reply["error"]["data"]["reason"].as_str().unwrap_or("none").to_owned()
}

fn open(node: &Node) -> TcpStream {
    let stream = TcpStream::connect(node.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    stream
}

/// Reads everything until the node closes the connection.
fn read_all(stream: &mut TcpStream) -> String {
    let mut reply = Vec::new();
    if let Err(error) = stream.read_to_end(&mut reply) {
        // Data sent after the node has closed resets the connection.
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    String::from_utf8(reply).unwrap()
}

#[test]
fn what_is_too_large_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--max-request-bytes", "100000", "--max-batch", "2"]);
    let client = node.client();
    let (status, body) = client.post(&vec![b' '; 200_000]).unwrap();
    assert_eq!((status, reason(&body).as_str()), (413, "request_too_large"), "{body}");

    // A body without a declared length that never ends.
    let mut stream = open(&node);
    let head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("400\r\n{{{}\r\n", " ".repeat(1023));
    while stream.write_all(chunk.as_bytes()).is_ok() {}
    let body = read_all(&mut stream);
    assert!(body.is_empty() || body.contains("request_too_large"), "{body}");

    // Over WebSocket, where the connection stays open.
    let mut socket = WebSocket::connect(node.address);
    socket.send(&" ".repeat(200_000));
    assert_eq!(socket.receive()["error"]["code"], -32007);
    socket.send(&call("prooflight_head", &json!({})));
    assert_eq!(socket.receive()["result"]["height"], "0x0");

    let one: Value =
        serde_json::from_str(&call("prooflight_submit", &json!({ "ops": [] }))).unwrap();
    let (_, body) = client.post(json!(vec![one; 3]).to_string().as_bytes()).unwrap();
    assert!(body.contains("-32010"), "{body}");
    assert_eq!(node.ask("prooflight_head", &json!({}))["height"], "0x0");
}

#[test]
fn what_is_malformed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &[]);
    let client = node.client();
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let nested = call("prooflight_prove", &json!("deep")).replace("\"deep\"", &deep);
    assert_eq!(reason(&client.post(nested.as_bytes()).unwrap().1), "invalid_argument");
    for (wrong, code) in [
        ("", "-32700"),
        ("{", "-32700"),
        ("\u{0}", "-32700"),
        (&*deep, "-32600"),
        ("[]", "-32600"),
        ("{}", "-32700"),
        (r#"{"jsonrpc":"1.0","id":1,"method":"prooflight_head"}"#, "-32600"),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "-32600"),
    ] {
        let (_, body) = client.post(wrong.as_bytes()).unwrap();
        assert!(body.contains(code), "{}: {body}", &wrong[..wrong.len().min(50)]);
    }
    for (request, expected) in [
        ("PUT / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 405),
        (
            "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
            415,
        ),
        ("nonsense\r\n\r\n", 400),
    ] {
        assert_eq!(client.send(request.as_bytes()).unwrap().0, expected, "{request}");
    }
    node.ask("prooflight_head", &json!({}));
}

#[test]
fn what_is_slow_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--request-time-ms", "200"]);
    // Heads that do not end, also after a complete request.
    for beginning in ["", "POST / HT", "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /he"] {
        let mut stream = open(&node);
        stream.write_all(beginning.as_bytes()).unwrap();
        let reply = read_all(&mut stream);
        assert_eq!(reply.contains("ok\n"), beginning.starts_with("GET"), "{reply}");
    }
    // A head that arrives byte by byte.
    let mut stream = open(&node);
    while stream.write_all(b"G").is_ok() {
        std::thread::sleep(Duration::from_millis(10));
    }
    // A body that does not end.
    let head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                Content-Length: 100\r\n\r\n{";
    let (status, body) = node.client().send(head.as_bytes()).unwrap();
    assert_eq!((status, reason(&body).as_str()), (408, "request_timeout"));
    let metrics = node.client().get("/metrics").1;
    assert!(
        metrics.contains("method=\"http\",code=\"unavailable\",reason=\"request_timeout\""),
        "{metrics}"
    );
}

#[test]
fn a_call_has_its_time_over_http_and_websocket() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ["--request-time-ms", "200", "--block-interval-ms", "60000"];
    let node = Node::start(folder.path(), &settings);
    let submit = json!({ "ops": [set("late", "1")] });
    let late = node.call("prooflight_submit", &submit).unwrap_err();
    assert_eq!(late["data"]["reason"], "request_timeout");
    let mut socket = WebSocket::connect(node.address);
    socket.send(&call("prooflight_submit", &submit));
    let late = socket.receive();
    assert_eq!(late["error"]["data"]["code"], "unavailable");
    assert_eq!(late["error"]["data"]["reason"], "request_timeout");
}

#[test]
fn pages_of_other_origins_may_not_ask() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--origin", "https://wallet.example"]);
    let allowed = |node: &Node, origin: &str| {
        let mut stream = open(node);
        let request = format!(
            "OPTIONS / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Access-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: content-type,authorization\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let reply = read_all(&mut stream).to_ascii_lowercase();
        let line =
            reply.lines().find_map(|line| line.strip_prefix("access-control-allow-origin: "));
        line.map(str::to_owned)
    };
    let wallet = Some("https://wallet.example".to_owned());
    assert_eq!(allowed(&node, "https://wallet.example"), wallet);
    assert_eq!(allowed(&node, "https://other.example"), None);
    drop(node);
    let node = Node::start(folder.path(), &[]);
    assert_eq!(allowed(&node, "https://other.example"), Some("*".to_owned()));
}

#[test]
fn connections_are_counted_until_they_end() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--max-connections", "4"]);
    // Idle connections, one in the middle of a request, and a WebSocket.
    let mut idle = [Connection::open(node.address), Connection::open(node.address)];
    let head = call("prooflight_head", &json!({}));
    for connection in &mut idle {
        assert_eq!(connection.post(head.as_bytes()).0, 200);
    }
    let _socket = WebSocket::connect(node.address);
    let mut begun = open(&node);
    begun.write_all(b"POST / HTTP/1.1\r\n").unwrap();
    let busy = || {
        let client = Client { address: node.address, token: None };
        client.post(head.as_bytes()).unwrap()
    };
    eventually(|| busy().0 == 429, || format!("{:?}", busy()));
    assert_eq!(reason(&busy().1), "busy");
    drop(begun);
    eventually(|| busy().0 == 200, || format!("{:?}", busy()));
}

#[test]
fn a_client_that_asks_more_than_it_reads_costs_little_and_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ["--block-interval-ms", "0", "--request-time-ms", "2000"];
    let node = Node::start(folder.path(), &settings);
    // A small request for a large answer.
    let ops: Vec<_> = (0..20).map(|key| set(&key.to_string(), &"x".repeat(60_000))).collect();
    node.ask("prooflight_submit", &json!({ "ops": ops }));
    let before = node.memory();
    let mut sockets: Vec<_> = (0..10).map(|_| WebSocket::connect(node.address)).collect();
    let asking = call("prooflight_block", &json!({ "at": "0x1" }));
    for socket in &mut sockets {
        socket.give_up_after(Duration::from_millis(300));
        // As long as the node accepts it.
        (0..2_000).take_while(|_| socket.try_send(&asking).is_ok()).count();
    }
    // Read slowly, so that the node can always send a little more.
    for _ in 0..100 {
        for socket in &mut sockets {
            socket.skip(100_000);
        }
    }
    let while_read = node.memory();
    // Then nothing is read: the connections end.
    let metrics = || node.client().get("/metrics").1;
    eventually(|| metrics().contains("prooflight_connections 1\n"), metrics);
    let after = node.memory();
    println!(
        "{} MiB before, {} MiB while some was read, {} MiB at most",
        before.now >> 20,
        while_read.most >> 20,
        after.most >> 20
    );
    assert!(after.most < before.now + (400 << 20), "{before:?} {after:?}");
}

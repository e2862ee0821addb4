//! Pages of browsers, and requests with foreign host names: they may read, and cannot write.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::net::SocketAddr;

use harness::authorities::Council;
use harness::connection::WebSocket;
use harness::{Client, Node, command, eventually, set, text};
use serde_json::{Value, json};

const FAST: [&str; 2] = ["--block-interval-ms", "0"];
const FOREIGN: [&str; 6] = [
    "https://page.example",
    "null",
    "http://localhost:4173",
    "http://rebound.example",
    "http://127.0.0.1",
    "",
];

fn call(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

fn submission() -> String {
    call("prooflight_submit", &json!({ "ops": [set("key", "value")] }))
}

/// The status and body of the reply to a request that begins with this line and has these headers.
fn send(address: SocketAddr, line: &str, headers: &str, body: &str) -> (u16, String) {
    let length = body.len();
    let head = format!(
        "{line}\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    Client { address, token: None }.send(head.as_bytes()).unwrap()
}

fn post(address: SocketAddr, headers: &str, body: &str) -> (u16, String) {
    send(address, "POST / HTTP/1.1", headers, body)
}

/// The reason of a reply's refusal, or an empty text.
fn reason(reply: &str) -> String {
    let reply: Value = serde_json::from_str(reply).unwrap();
    reply["error"]["data"]["reason"].as_str().unwrap_or_default().to_owned()
}

/// The reasons with which a submission is refused over HTTP, in a batch and over WebSocket, or empty texts.
fn submit(address: SocketAddr, headers: &str) -> [String; 3] {
    let body = submission();
    let (_, single) = post(address, headers, &body);
    let (_, batch) = post(address, headers, &format!("[{body}]"));
    let batch: Vec<Value> = serde_json::from_str(&batch).unwrap();
    let mut socket = WebSocket::shake(address, headers).unwrap_or_else(|it| panic!("{it}"));
    socket.send(&body);
    [reason(&single), reason(&batch[0].to_string()), reason(&socket.receive().to_string())]
}

const REFUSED: [&str; 3] = ["not_authorised"; 3];
const DONE: [&str; 3] = [""; 3];

fn height(node: &Node) -> Value {
    node.ask("prooflight_head", &json!({}))["height"].clone()
}

/// The statuses of everything that a page can send, with these headers.
fn statuses(address: SocketAddr, headers: &str) -> [u16; 5] {
    let preflight = format!("{headers}Access-Control-Request-Method: POST\r\n");
    [
        post(address, headers, &call("prooflight_head", &json!({}))).0,
        send(address, "GET /health HTTP/1.1", headers, "").0,
        send(address, "GET /metrics HTTP/1.1", headers, "").0,
        send(address, "OPTIONS / HTTP/1.1", &preflight, "").0,
        WebSocket::shake(address, headers).map_or_else(|status| status, |_| 101),
    ]
}

const SERVED: [u16; 5] = [200, 200, 200, 200, 101];
const NOT_SERVED: [u16; 5] = [403; 5];

#[test]
fn a_page_of_another_origin_reads_but_does_not_write() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &FAST);
    let host = format!("Host: {}\r\n", node.address);
    for origin in FOREIGN {
        let headers = format!("{host}Origin: {origin}\r\n");
        assert_eq!(submit(node.address, &headers), REFUSED, "{origin}");
        assert_eq!(statuses(node.address, &headers), SERVED, "{origin}");
    }
    let own = format!("Origin: http://{}\r\n", node.address);
    assert_eq!(submit(node.address, &format!("{host}{own}{own}")), REFUSED);
    // DNS rebinding: a page whose name resolves to the node's address has the node's origin, with a foreign host name.
    let port = node.address.port();
    let rebound = format!("Host: a.example:{port}\r\nOrigin: http://a.example:{port}\r\n");
    assert_eq!(submit(node.address, &rebound), REFUSED);
    assert_eq!(statuses(node.address, &rebound), SERVED);
    assert_eq!(height(&node), "0x0");
    assert_eq!(submit(node.address, &format!("{host}{own}")), DONE);
    assert_eq!(submit(node.address, &host), DONE);
    assert_eq!(height(&node), "0x6");
}

#[test]
fn a_token_does_not_let_other_pages_write() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, "secret").unwrap();
    let origin = ["--token-file", token.to_str().unwrap()];
    let node = Node::start(&folder.path().join("chain"), &[&FAST[..], &origin].concat());
    let with =
        |rest: &str| format!("Host: {}\r\nAuthorization: Bearer secret\r\n{rest}", node.address);
    assert_eq!(submit(node.address, &with("Origin: https://page.example\r\n")), REFUSED);
    assert_eq!(height(&node), "0x0");
    assert_eq!(submit(node.address, &with("")), DONE);
}

#[test]
fn with_origins_named_other_pages_are_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let named = ["--origin", "https://wallet.example", "--origin", "http://localhost:4173"];
    let node = Node::start(folder.path(), &[&FAST[..], &named].concat());
    let history =
        Node::serve_history_at(folder.path().join("snapshots").to_str().unwrap(), &node, &named);
    for server in [&node, &history] {
        let host = format!("Host: {}\r\n", server.address);
        let own = format!("http://{}", server.address);
        for origin in ["https://wallet.example", "http://localhost:4173", &own] {
            let headers = format!("{host}Origin: {origin}\r\n");
            assert_eq!(statuses(server.address, &headers), SERVED, "{origin}");
        }
        for origin in ["https://page.example", "http://wallet.example", "null", ""] {
            let headers = format!("{host}Origin: {origin}\r\n");
            assert_eq!(statuses(server.address, &headers), NOT_SERVED, "{origin}");
            let (_, body) = post(server.address, &headers, &submission());
            assert_eq!(reason(&body), "not_authorised", "{origin}");
            for path in ["/health", "/ready", "/metrics"] {
                let admin = format!("Host: {}\r\nOrigin: {origin}\r\n", server.admin);
                let get = format!("GET {path} HTTP/1.1");
                assert_eq!(send(server.admin, &get, &admin, "").0, 403, "{path}");
            }
        }
        assert_eq!(statuses(server.address, &host), SERVED);
        let rebound = "Host: a.example\r\nOrigin: http://a.example\r\n";
        assert_eq!(statuses(server.address, rebound), NOT_SERVED);
    }
    assert_eq!(height(&node), "0x0");
    let wallet = format!("Host: {}\r\nOrigin: https://wallet.example\r\n", node.address);
    assert_eq!(submit(node.address, &wallet), DONE);
}

#[test]
fn a_write_without_a_token_needs_a_host_of_the_node() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &[&FAST[..], &["--host", "node.example"]].concat());
    let port = node.address.port();
    for host in ["a.example", "localhost.", "evil.localhost", "127.0.0.1.a.example", "::1", ""] {
        let headers = format!("Host: {host}\r\nX-Forwarded-Host: 127.0.0.1\r\n");
        assert_eq!(submit(node.address, &headers), REFUSED, "{host}");
        assert_eq!(statuses(node.address, &headers), SERVED, "{host}");
    }
    for (line, headers) in [
        ("POST / HTTP/1.0", ""),
        ("POST / HTTP/1.1", ""),
        ("POST / HTTP/1.1", "Host: 127.0.0.1\r\nHost: a.example\r\n"),
        ("POST / HTTP/1.1", "Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n"),
        ("POST http://a.example/ HTTP/1.1", "Host: 127.0.0.1\r\n"),
        ("POST http://a.example/ HTTP/1.1", "Host: a.example\r\n"),
        ("POST http://127.0.0.1/ HTTP/1.1", "Host: a.example\r\n"),
    ] {
        let (_, body) = send(node.address, line, headers, &submission());
        assert_eq!(reason(&body), "not_authorised", "{line} {headers}");
    }
    assert_eq!(height(&node), "0x0");
    for host in
        ["127.0.0.1", "[::1]:1", "LOCALHOST", "localhost:80", "node.example", "Node.Example:1"]
    {
        assert_eq!(submit(node.address, &format!("Host: {host}\r\n")), DONE, "{host}");
    }
    let line = format!("POST http://127.0.0.1:{port}/ HTTP/1.1");
    let (_, body) =
        send(node.address, &line, &format!("Host: 127.0.0.1:{port}\r\n"), &submission());
    assert_eq!(reason(&body), "");
    // The name of the node is its own origin, too.
    let named = "Host: node.example\r\nOrigin: https://node.example\r\n";
    assert_eq!(submit(node.address, named), DONE);
}

#[test]
fn a_write_with_a_token_may_have_any_host() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["writer", "reader"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let settings = folder.path().join("settings.toml");
    let reader = folder.path().join("reader");
    let reader = format!("[anonymous]\nsubmit = true\n[clients.reader]\ntoken-file = {reader:?}\n");
    fs::write(&settings, reader).unwrap();
    let writer = folder.path().join("writer");
    let tokens = ["--token-file", writer.to_str().unwrap(), "--config", settings.to_str().unwrap()];
    let node = Node::start(&folder.path().join("chain"), &[&FAST[..], &tokens].concat());
    let with = |token: &str| format!("Host: a.example\r\nAuthorization: Bearer {token}\r\n");
    for token in ["wrong", "", "reader"] {
        assert_eq!(submit(node.address, &with(token)), REFUSED, "{token}");
    }
    assert_eq!(submit(node.address, "Host: a.example\r\n"), REFUSED);
    assert_eq!(height(&node), "0x0");
    assert_eq!(submit(node.address, &with("writer")), DONE);
    assert_eq!(submit(node.address, "Host: localhost\r\n"), DONE);
}

#[test]
fn the_admin_listener_answers_under_the_names_of_the_node() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--host", "node.example"]);
    let running = fs::read_to_string(folder.path().join("running")).unwrap();
    let token = running.trim_end().split_once(' ').unwrap().1;
    let token = format!("Authorization: Bearer {token}\r\n");
    let ask = |line: &str, headers: &str| {
        send(node.admin, &format!("{line} HTTP/1.1"), &format!("{token}{headers}"), "").0
    };
    let lines = [
        "GET /health",
        "GET /ready",
        "GET /metrics",
        "GET /checkpoint",
        "GET /export",
        "GET /backup",
        "PUT /clock",
    ];
    for line in lines {
        for host in ["Host: a.example\r\n", "Host: localhost.:9645\r\n", ""] {
            assert_eq!(ask(line, host), 403, "{line} {host}");
        }
        for host in ["127.0.0.1:9645", "localhost", "node.example:9645"] {
            assert_eq!(ask(line, &format!("Host: {host}\r\n")), 200, "{line} {host}");
        }
    }
    for line in ["PUT /promote", "GET /", "OPTIONS /clock"] {
        assert_eq!(ask(line, "Host: a.example\r\n"), 403, "{line}");
        assert_eq!(ask(line, "Host: localhost\r\n"), 404, "{line}");
    }
    let host = format!("Host: {}\r\n", node.admin);
    for origin in FOREIGN {
        let headers = format!("{host}Origin: {origin}\r\n");
        assert_eq!(ask("PUT /clock", &headers), 403, "{origin}");
        assert_eq!(ask("PUT /promote", &headers), 403, "{origin}");
        assert_eq!(ask("GET /ready", &headers), 200, "{origin}");
    }
    let own = format!("{host}Origin: http://{}\r\n", node.admin);
    assert_eq!(ask("PUT /clock", &own), 200);
}

#[test]
fn the_listener_for_authorities_serves_no_pages() {
    let council = Council::new(1, 1);
    let address = council.authority_listen.to_string();
    let settings =
        ["--authority-listen", &address, "--host", "leader", "--origin", "https://wallet.example"];
    let any = "127.0.0.1:0".parse().unwrap();
    let leader = Node::open(&council.leader_folder(), any, &[&FAST[..], &settings].concat());
    let ready = || Client { address: leader.admin, token: None }.get("/ready").1;
    eventually(|| ready().contains("quorum_missing"), ready);

    let awaited = json!({ "authority": 0, "next": "0x0", "waitMs": "0x0" });
    let awaited = call("prooflight_awaited", &awaited);
    let host = format!("Host: {address}\r\n");
    let own = format!("http://{address}");
    for origin in [&FOREIGN[..], &["https://wallet.example", &own]].concat() {
        let headers = format!("{host}Origin: {origin}\r\n");
        assert_eq!(statuses(council.authority_listen, &headers), NOT_SERVED, "{origin}");
        let (status, body) = post(council.authority_listen, &headers, &awaited);
        assert_eq!((status, &*reason(&body)), (403, "not_authorised"), "{origin}");
    }
    let (_, body) = post(council.authority_listen, "Host: a.example\r\n", &awaited);
    assert_eq!(reason(&body), "not_authorised", "{body}");
    for method in ["prooflight_sign", "prooflight_refuse"] {
        let (_, body) =
            post(council.authority_listen, "Host: a.example\r\n", &call(method, &json!({})));
        assert_eq!(reason(&body), "not_authorised", "{body}");
        let (_, body) =
            post(council.authority_listen, "Host: leader\r\n", &call(method, &json!({})));
        assert_eq!(reason(&body), "invalid_argument", "{body}");
    }
    // No authority counts as present.
    assert!(ready().contains("quorum_missing"), "{}", ready());
    let (_, body) = post(council.authority_listen, "Host: leader:8646\r\n", &awaited);
    assert_eq!(reason(&body), "", "{body}");

    let authority = council.authority_beside(0, &["--host", "signer"]);
    let leader = leader.serve().unwrap();
    assert_eq!(submit(leader.address, "Host: leader\r\n"), DONE);
    for (host, status) in [("a.example", 403), ("signer", 200), ("127.0.0.1", 200)] {
        let headers = format!("Host: {host}\r\n");
        assert_eq!(
            send(authority.admin().address, "GET /health HTTP/1.1", &headers, "").0,
            status,
            "{host}"
        );
    }
}

#[test]
fn malformed_origins_and_hosts_are_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    for setting in [
        ["--origin", "null"],
        ["--origin", "*"],
        ["--origin", "wallet.example"],
        ["--origin", "https://wallet.example/"],
        ["--host", "*"],
        ["--host", "node.example:8645"],
    ] {
        let arguments = [&["run", "--dev", "--listen", "127.0.0.1:0"][..], &setting].concat();
        let ended = command(&folder.path().join("chain"), &arguments);
        assert_eq!(ended.status.code(), Some(78), "{setting:?} {}", text(&ended.stderr));
        assert!(!folder.path().join("chain").exists());
    }
}

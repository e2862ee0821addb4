//! Clients with tokens, permissions and limits.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::path::Path;
use std::thread;

use harness::connection::WebSocket;
use harness::{Client, Node, command, hex, set, text};
use serde_json::json;

/// Writes settings and tokens into a folder; returns the path of the settings.
fn settings(folder: &Path, text: &str) -> String {
    for name in ["reader", "writer"] {
        fs::write(folder.join(name), format!("{name}-secret\n")).unwrap();
    }
    let path = folder.join("settings.toml");
    fs::write(&path, text.replace("FOLDER", folder.to_str().unwrap())).unwrap();
    path.to_str().unwrap().to_owned()
}

const TWO_CLIENTS: &str = r#"
block-interval-ms = 0
[anonymous]
read = false
[clients.reader]
token-file = "FOLDER/reader"
calls-at-once = 2
[clients.writer]
token-file = "FOLDER/writer"
read = false
submit = true
calls-per-second = 3
"#;

fn begin(folder: &Path, text: &str) -> Node {
    let path = settings(folder, text);
    let chain = folder.join("chain");
    assert!(command(&chain, &["init"]).status.success());
    Node::start(&chain, &["--config", &path])
}

/// The reason with which a call is refused, or an empty text.
fn refused(client: &Client, method: &str) -> String {
    let params = match method {
        "prooflight_submit" => json!({ "ops": [set("key", "value")] }),
        _ => json!({}),
    };
    match client.call(method, &params).unwrap() {
        Ok(_) => String::new(),
        Err(error) => error["data"]["reason"].as_str().unwrap().to_owned(),
    }
}

#[test]
fn a_token_allows_what_its_client_may_do() {
    let folder = tempfile::tempdir().unwrap();
    let node = begin(folder.path(), TWO_CLIENTS);
    let with = |token: Option<&str>| Client { token: token.map(str::to_owned), ..node.client() };
    for (token, head, submit) in [
        (None, "not_authorised", "not_authorised"),
        (Some("reader"), "not_authorised", "not_authorised"),
        (Some("reader-secret"), "", "not_authorised"),
        (Some("writer-secret"), "not_authorised", ""),
    ] {
        assert_eq!(refused(&with(token), "prooflight_head"), head, "{token:?}");
        assert_eq!(refused(&with(token), "prooflight_submit"), submit, "{token:?}");
    }
    // Operators and their monitoring need no token.
    assert_eq!(node.client().get("/ready").0, 200);
    let mut socket = WebSocket::connect(node.address);
    for method in ["prooflight_newHeads", "prooflight_head"] {
        socket.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method }).to_string());
        let told = socket.receive();
        assert_eq!(told["error"]["data"]["reason"], "not_authorised", "{told}");
    }
}

#[test]
fn a_client_makes_no_more_calls_than_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let node = begin(folder.path(), TWO_CLIENTS);
    let writer = Client { token: Some("writer-secret".to_owned()), ..node.client() };
    // Each call of a batch counts.
    let submit = json!({
        "jsonrpc": "2.0", "id": 1, "method": "prooflight_submit", "params": { "ops": [] }
    });
    let (_, body) = writer.post(json!(vec![submit; 20]).to_string().as_bytes()).unwrap();
    let replies: Vec<serde_json::Value> = serde_json::from_str(&body).unwrap();
    let busy: Vec<_> =
        replies.iter().filter(|reply| reply["error"]["data"]["reason"] == "busy").collect();
    assert!(!busy.is_empty() && busy.len() < 20, "{body}");
    let expected = busy[0]["error"]["data"]["expected"].as_str().unwrap();
    assert_eq!(expected, "at most 3 calls in a second of the client writer");

    // Of many concurrent calls, at most two run; the others are refused.
    let reader = Client { token: Some("reader-secret".to_owned()), ..node.client() };
    let proof = json!({ "scheme": "avl", "keys": vec![hex(b"key"); 1] });
    let asked: Vec<_> = (0..16)
        .map(|_| {
            let (reader, proof) = (reader.clone(), proof.clone());
            thread::spawn(move || reader.call("prooflight_prove", &proof).unwrap())
        })
        .collect();
    for asked in asked {
        if let Err(error) = asked.join().unwrap() {
            assert_eq!(error["data"]["reason"], "busy", "{error}");
        }
    }
    // Calls that have ended do not count.
    assert_eq!(refused(&reader, "prooflight_head"), "");
}

#[test]
fn settings_of_clients_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let chain = folder.path().join("chain");
    assert!(command(&chain, &["init"]).status.success());
    for (text_of_file, said) in [
        ("[clients.a]\nsubmit = true", "a token-file in [clients.a]"),
        ("[clients.a]\ntoken-file = \"FOLDER/none\"", "none"),
        (
            "[clients.a]\ntoken-file = \"FOLDER/reader\"\n[clients.b]\ntoken-file = \"FOLDER/reader\"",
            "client b",
        ),
        (
            "[clients.a]\ntoken-file = \"FOLDER/reader\"\ncalls-per-second = 0",
            "limits of at least 1 for a",
        ),
        ("[anonymous]\ntoken-file = \"FOLDER/reader\"", "[anonymous]"),
        ("[anonymous]\nraed = false", "raed"),
        ("token-file = \"FOLDER/reader\"\n[clients.a]\ntoken-file = \"FOLDER/reader\"", "client a"),
    ] {
        let path = settings(folder.path(), text_of_file);
        let refused = command(&chain, &["run", "--listen", "127.0.0.1:0", "--config", &path]);
        assert_eq!(refused.status.code(), Some(78), "{text_of_file}");
        assert!(text(&refused.stderr).contains(said), "{said}: {}", text(&refused.stderr));
    }
}

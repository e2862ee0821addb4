//! Every request has an answer, and unread answers take no memory from clients that read.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::time::Duration;

use harness::authorities::Council;
use harness::connection::{Connection, WebSocket};
use harness::{Client, Node, eventually, set};
use serde_json::{Value, json};

/// A block whose JSON has 2.4 MB.
fn submit_large_block(node: &Node) {
    let ops: Vec<_> = (0..20).map(|key| set(&key.to_string(), &"x".repeat(60_000))).collect();
    node.ask("prooflight_submit", &json!({ "ops": ops }));
}

const BLOCK: &str = r#"{"jsonrpc":"2.0","id":1,"method":"prooflight_block","params":{"at":"0x1"}}"#;

/// Opens connections that ask for large blocks and never read.
fn ask_and_never_read(node: &Node, connections: usize) -> Vec<WebSocket> {
    let batch = format!("[{}]", [BLOCK; 3].join(","));
    let asking = |number: usize| {
        let mut socket = WebSocket::connect(node.address);
        socket.give_up_after(Duration::from_secs(1));
        let asked = if number.is_multiple_of(2) { BLOCK } else { &batch };
        // Connections that were cut cannot send requests any more.
        (0..4).take_while(|_| socket.try_send(asked).is_ok()).count();
        socket
    };
    (0..connections).map(asking).collect()
}

#[test]
fn who_reads_is_served_while_others_hold_all_memory_for_answers() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ["--block-interval-ms", "0", "--max-answer-bytes", "67108864"];
    let node = Node::start(folder.path(), &settings);
    submit_large_block(&node);
    let expected = node.ask("prooflight_block", &json!({ "at": "0x1" }));
    let before = node.memory();
    let sockets = ask_and_never_read(&node, 100);
    let mut reader = Connection::open(node.address);
    let mut reader_of_batches = WebSocket::connect(node.address);
    let mut cuts = 0;
    for _ in 0..10 {
        let (status, body) = reader.post(BLOCK.as_bytes());
        let reply: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &reply["result"]), (200, &expected));
        let batch = format!("[{}]", [BLOCK; 4].join(","));
        let mut ask =
            || reader_of_batches.try_send(&batch).and_then(|()| reader_of_batches.try_receive());
        let replies = ask().unwrap_or_else(|_| {
            // On a busy machine it may accept nothing for the second after which the node cuts it: once.
            cuts += 1;
            reader_of_batches = WebSocket::connect(node.address);
            reader_of_batches.send(&batch);
            reader_of_batches.receive()
        });
        assert_eq!(replies.as_array().unwrap().len(), 4);
        assert_eq!(replies[3]["result"], expected);
    }
    assert!(cuts <= 1, "the reader was cut {cuts} times");
    // The others would exceed the memory, so some were cut.
    let metrics = || node.client().get("/metrics").1;
    let connections = || {
        let metrics = metrics();
        let line = metrics.lines().find_map(|line| line.strip_prefix("prooflight_connections "));
        line.unwrap().parse::<usize>().unwrap()
    };
    assert!(connections() < sockets.len(), "{}", metrics());
    let after = node.memory();
    println!("{} MiB before, {} MiB at most", before.now >> 20, after.most >> 20);
    // The held answers, and the reserved ones.
    assert!(after.most < before.now + (200 << 20), "{before:?} {after:?}");
}

#[test]
fn a_request_whose_id_is_none_is_refused_and_every_other_has_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &[]);
    let mut socket = WebSocket::connect(node.address);
    let mut over_both = |text: &str| {
        let (_, body) = node.client().post(text.as_bytes()).unwrap();
        let reply: Value = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{body}"));
        socket.send(text);
        assert_eq!(socket.receive(), reply);
        reply
    };
    let request = |id: &str| {
        let member = if id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
        format!(r#"{{"jsonrpc":"2.0",{member}"method":"prooflight_head","params":{{}}}}"#)
    };
    let deep = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let (deep, deeper) = (deep(200), deep(50_000));
    let refused = |reply: &Value, id: &str| {
        let (id, error) = (&id[..id.len().min(50)], &reply["error"]);
        assert_eq!((&error["code"], &reply["id"]), (&json!(-32600), &Value::Null), "{id}: {reply}");
        assert_eq!(error["data"]["reason"], "invalid_argument", "{id}");
    };
    for id in [
        "-1",
        "-0",
        "1.5",
        "1.0",
        "1e3",
        "18446744073709551616",
        "-9223372036854775809",
        "1e400",
        "true",
        "false",
        "[]",
        "{}",
        "[1]",
        r#"{"a":1}"#,
        r#""\ud800""#,
        "1,\"id\":2",
        &deep,
        &deeper,
        "",
    ] {
        refused(&over_both(&request(id)), id);
        let batch = over_both(&format!("[{},{},{}]", request("1"), request(id), request("\"2\"")));
        let ids: Vec<_> = batch.as_array().unwrap().iter().map(|reply| &reply["id"]).collect();
        assert_eq!(ids, [&json!(1), &Value::Null, &json!("2")]);
        refused(&batch[1], id);
        assert_eq!(batch[2]["result"]["height"], "0x0");
        refused(&over_both(&format!("[{}]", request(id)))[0], id);
    }
    for id in ["0", "1", "18446744073709551615", r#""""#, r#""a""#, "null"] {
        let reply = over_both(&request(id));
        assert_eq!(reply["result"]["height"], "0x0", "{reply}");
        assert_eq!(reply["id"], serde_json::from_str::<Value>(id).unwrap());
    }
}

#[test]
fn parameters_with_two_members_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--block-interval-ms", "0"]);
    let op = r#"{"op":"Set","key":"0x01","value":"0x02"}"#;
    for (method, params) in [
        ("prooflight_submit", format!(r#"{{"ops":[{op}],"ops":[{op}]}}"#)),
        ("prooflight_submit", format!(r#"{{"ops":[],"\u006fps":[{op}]}}"#)),
        ("prooflight_submit", format!(r#"[{{"ops":[{op}],"ops":[]}}]"#)),
        (
            "prooflight_submit",
            r#"{"ops":[{"op":"Set","key":"0x01","value":"0x02","value":"0x03"}]}"#.to_owned(),
        ),
        ("prooflight_submit", r#"{"ops":[{"op":"Set","op":"Delete","key":"0x01"}]}"#.to_owned()),
        ("prooflight_header", r#"{"at":"latest","at":"0x0"}"#.to_owned()),
        ("prooflight_block", r#"{"at":"0x0","at":"0x0"}"#.to_owned()),
        ("prooflight_headerProof", r#"{"at":"0x0","head":"0x0","head":"latest"}"#.to_owned()),
        ("prooflight_headers", r#"{"heights":[],"heights":["0x0"]}"#.to_owned()),
        ("prooflight_prove", r#"{"scheme":"avl","keys":[],"keys":["0x01"]}"#.to_owned()),
        ("prooflight_history", r#"{"key":"0x01","from":"0x0","key":"0x02"}"#.to_owned()),
        ("prooflight_diff", r#"{"to":"0x0","to":"latest"}"#.to_owned()),
        ("prooflight_range", r#"{"lo":"0x","lo":"0x01"}"#.to_owned()),
        ("prooflight_count", r#"{"lo":"0x","lo":"0x01"}"#.to_owned()),
        ("prooflight_transfer", r#"{"limit":1,"limit":2}"#.to_owned()),
        ("prooflight_sync", r#"{"part":"avl","part":"amb"}"#.to_owned()),
        ("eth_getBalance", r#"["0x00",{"blockNumber":"0x0","blockNumber":"0x1"}]"#.to_owned()),
    ] {
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let (_, body) = node.client().post(request.as_bytes()).unwrap();
        let reply: Value = serde_json::from_str(&body).unwrap();
        let error = &reply["error"];
        assert_eq!(error["code"], -32602, "{request}: {reply}");
        assert_eq!(error["data"]["reason"], "invalid_argument", "{request}");
        let found = error["data"]["found"].as_str().unwrap();
        assert!(found.contains("two members"), "{request}: {found}");
    }
    assert_eq!(node.ask("prooflight_head", &json!({}))["height"], "0x0", "no block was made");
}

#[test]
fn an_address_has_so_many_connections_unless_it_is_that_of_a_proxy() {
    let folder = tempfile::tempdir().unwrap();
    let of_one = ["--max-connections-per-address", "2"];
    let status = |node: &Node| {
        let client = Client { address: node.address, token: None };
        client.post(BLOCK.replace("0x1", "0x0").as_bytes()).unwrap()
    };
    // Loopback addresses are no proxies here.
    let node = Node::start(folder.path(), &[&of_one[..], &["--proxy", "192.0.2.1"]].concat());
    let socket = WebSocket::connect(node.address);
    let _idle = Connection::open(node.address);
    eventually(|| status(&node).0 == 429, || format!("{:?}", status(&node)));
    let refused: Value = serde_json::from_str(&status(&node).1).unwrap();
    assert_eq!(refused["error"]["data"]["reason"], "busy");
    assert_eq!(refused["error"]["data"]["expected"], "at most 2 connections of an address");
    // The admin listener is not affected.
    assert_eq!(node.admin().get("/health").0, 200);
    drop(socket);
    eventually(|| status(&node).0 == 200, || format!("{:?}", status(&node)));
    drop(node);
    for proxies in [&[][..], &["--proxy", "192.0.2.1", "--proxy", "127.0.0.1"]] {
        let node = Node::start(folder.path(), &[&of_one, proxies].concat());
        let _many: Vec<_> = (0..10).map(|_| WebSocket::connect(node.address)).collect();
        assert_eq!(status(&node).0, 200, "{proxies:?}");
    }
}

#[test]
fn the_listener_for_authorities_shows_its_pages_for_its_token_only() {
    let council = Council::new(1, 1);
    let file = council.folder.path().join("token");
    fs::write(&file, "the token\n").unwrap();
    let token = ["--token-file", file.to_str().unwrap()];
    let _authority = council.authority_beside(0, &token);
    let leader = council.lead(&["--authority-token-file", file.to_str().unwrap()]);
    let statuses = |token: &str| {
        let client = Client { address: council.authority_listen, token: None };
        let status = |page: &str| {
            let host = council.authority_listen;
            let head =
                format!("GET {page} HTTP/1.1\r\nHost: {host}\r\n{token}Connection: close\r\n\r\n");
            let (status, body) = client.send(head.as_bytes()).unwrap();
            if status == 401 {
                let refused: Value = serde_json::from_str(&body).unwrap();
                assert_eq!(refused["error"]["data"]["reason"], "not_authorised");
            }
            status
        };
        ["/health", "/ready", "/metrics"].map(status)
    };
    for wrong in ["", "Authorization: Bearer another\r\n", "Authorization: the token\r\n"] {
        assert_eq!(statuses(wrong), [200, 401, 401], "{wrong}");
    }
    assert_eq!(statuses("Authorization: Bearer the token\r\n"), [200; 3]);
    // The other listeners are not affected.
    assert_eq!(leader.client().get("/ready").0, 200);
    assert_eq!(leader.admin().get("/ready").0, 200);
}

//! Histories and diffs of `smt`, verified by the light client.
#![allow(clippy::panic, reason = "tests fail by panicking")]

use std::path::Path;

use prooflight_core::chain::{AcceptedHeaders, Checkpoint, Header};
use prooflight_core::{Hash, Limits, Scheme};
use prooflight_light::{PastState, Statement, StatementAnswer, Trust, verify, verify_average};
use serde_json::{Value, json};

use super::light::{header, synced};
use super::{Node, Server, bytes, command, hex, set};

/// The values of a key with the blocks that set them; `None` if the block deleted it.
pub(crate) type Changes = Vec<(u64, Option<Vec<u8>>)>;

/// A chain with only smt, in which a key has A, then B, then A again, and other keys change.
pub(crate) fn chain(folder: &Path) -> Node {
    assert!(command(folder, &["init", "--schemes", "smt"]).status.success());
    let node = Node::start(folder, &["--block-interval-ms", "0"]);
    make(&node);
    node
}

/// Makes the blocks of `chain`.
pub(crate) fn make(node: &Node) {
    let submit = |ops: Value| node.ask("prooflight_submit", &json!({ "ops": ops }));
    for value in ["A", "B", "A"] {
        submit(json!([set("key", value), set("another", value)]));
        submit(json!([set("another", "in between")]));
    }
    submit(json!([{ "op": "Delete", "key": hex(b"key") }]));
}

/// The changes that `chain` makes to the key.
pub(crate) fn of_key() -> Changes {
    let value = |text: &str| Some(text.as_bytes().to_vec());
    vec![(1, value("A")), (3, value("B")), (5, value("A")), (7, None)]
}

/// The verified headers of a reply about several blocks.
pub(crate) fn headers(
    server: &dyn Server,
    reply: &Value,
    checkpoint: &Checkpoint,
) -> AcceptedHeaders {
    let head = header(&reply["head"]).header;
    let proof = json!({ "at": "0x0", "head": hex(&head.hash()) });
    let accepted = synced(&server.ask("prooflight_headerProof", &proof), checkpoint);
    assert_eq!(accepted, head);
    let older = reply["headers"].as_array().unwrap().iter();
    let older: Vec<_> =
        older.map(|header| Header::decode(&bytes(header), &Limits::default()).unwrap()).collect();
    let hashes = reply["hashes"].as_array().unwrap().iter();
    let hashes: Vec<Hash> = hashes.map(|hash| bytes(hash).try_into().unwrap()).collect();
    AcceptedHeaders::with_ancestors(head, older, &hashes).unwrap()
}

pub(crate) fn history(server: &dyn Server, checkpoint: &Checkpoint, from: u64, to: u64) -> Changes {
    let params =
        json!({ "key": hex(b"key"), "from": format!("{from:#x}"), "to": format!("{to:#x}") });
    let reply = server.ask("prooflight_history", &params);
    let headers = headers(server, &reply, checkpoint);
    let (trust, proof) = (Trust::new(&checkpoint.config), bytes(&reply["proof"]));
    let statement = Statement::History { key: b"key", from, to };
    let shown = verify(&trust, Scheme::Smt, &headers, &statement, &proof).unwrap();
    let StatementAnswer::History(history) = shown.get() else { panic!("{shown:?}") };
    let (same, average) = verify_average(&trust, &headers, b"key", (from, to), &proof).unwrap();
    assert_eq!(same.get(), history);
    let time = |block| headers.at(block).unwrap().timestamp_ms;
    let gaps: u64 = average.gaps.iter().map(|gap| gap.to_ms - gap.from_ms).sum();
    assert_eq!(average.covered_ms + gaps, time(to) - time(from));
    let change = |change: &PastState<'_>| match *change {
        PastState::Present { value, since } => (since, Some(value.to_vec())),
        PastState::Deleted { deleted_at } => (deleted_at, None),
        PastState::NeverWritten => panic!("a change that is none"),
    };
    history.changes.iter().map(change).collect()
}

pub(crate) fn diff(
    server: &dyn Server,
    checkpoint: &Checkpoint,
    from: Option<u64>,
    to: u64,
) -> Vec<Vec<u8>> {
    let mut params = json!({ "to": format!("{to:#x}") });
    if let Some(from) = from {
        params["from"] = json!(format!("{from:#x}"));
    }
    let reply = server.ask("prooflight_diff", &params);
    let headers = headers(server, &reply, checkpoint);
    let (trust, proof) = (Trust::new(&checkpoint.config), bytes(&reply["proof"]));
    let statement = Statement::Diff { from, to };
    let shown = verify(&trust, Scheme::Smt, &headers, &statement, &proof).unwrap();
    let StatementAnswer::Diff(changes) = shown.get() else { panic!("{shown:?}") };
    let mut keys: Vec<_> = changes.iter().map(|change| change.key.to_vec()).collect();
    keys.sort();
    keys
}

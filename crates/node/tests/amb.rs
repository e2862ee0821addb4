//! AMB from a client's view: values at old blocks, histories, pages of ranges, counts, entries for replicas.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::collections::BTreeMap;
use std::path::Path;

use harness::light::{genesis, header};
use harness::{Node, bytes, command, hex, set, text};
use prooflight_amb::{TransferQuestion, TrustedRoot, verify_transfer};
use prooflight_core::chain::{AcceptedHeaders, ChainConfig, Header};
use prooflight_core::statement::Statement;
use prooflight_core::{Limits, Scheme};
use prooflight_light::{StatementAnswer, Trust, verify};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];

fn start(folder: &Path) -> Node {
    let output = command(folder, &["init", "--schemes", "avl,amb"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    Node::start(folder, FAST)
}

/// Block h >= 1 sets `often` and three new keys, and deletes one of the previous block's keys.
fn make(node: &Node, heights: std::ops::RangeInclusive<u64>) {
    for height in heights {
        let mut ops = vec![set("often", &height.to_string())];
        ops.extend((0..3).map(|n| set(&format!("{height:03}-{n}"), "value")));
        if height > 1 {
            ops.push(
                json!({ "op": "Delete", "key": hex(format!("{:03}-0", height - 1).as_bytes()) }),
            );
        }
        node.ask("prooflight_submit", &json!({ "ops": ops }));
    }
}

/// The live keys after a block, with values and the blocks that set them.
fn expected(at: u64) -> BTreeMap<String, (String, u64)> {
    let mut live = BTreeMap::from([("often".to_owned(), (at.to_string(), at))]);
    for height in 1..=at {
        for n in u64::from(height < at)..3 {
            live.insert(format!("{height:03}-{n}"), ("value".to_owned(), height));
        }
    }
    live
}

fn quantity(number: u64) -> Value {
    format!("{number:#x}").into()
}

fn reason(refused: &Value) -> &str {
    refused["data"]["reason"].as_str().unwrap()
}

/// The verified answer in a reply with one header.
fn answer<T>(
    config: &ChainConfig,
    reply: &Value,
    statement: &Statement<'_>,
    read: impl FnOnce(&Header, &StatementAnswer<'_>) -> T,
) -> T {
    let header = header(&reply["header"]).header;
    let (headers, proof) = (AcceptedHeaders::one(header.clone()), bytes(&reply["proof"]));
    let verified = verify(&Trust::new(config), Scheme::Amb, &headers, statement, &proof).unwrap();
    read(&header, verified.get())
}

/// A key, its value and the block that set it.
type Found = (String, (String, u64));

/// Reads all pages of a range against one head; returns the entries and the number of pages.
fn walk(
    node: &Node,
    config: &ChainConfig,
    (at, head): (u64, &str),
    reverse: bool,
) -> (Vec<Found>, usize) {
    let (mut lo, mut hi, mut found, mut pages) = (Vec::new(), None::<Vec<u8>>, Vec::new(), 0);
    loop {
        let params = json!({
            "lo": hex(&lo), "hi": hi.as_deref().map(hex), "at": quantity(at), "head": head,
            "reverse": reverse, "limit": 7,
        });
        let reply = node.ask("prooflight_range", &params);
        assert_eq!(reply["header"]["hash"], *head);
        let statement = Statement::Range { height: at, lo: &lo, hi: hi.as_deref(), reverse };
        let next = answer(config, &reply, &statement, |_, answer| {
            let StatementAnswer::Range(page) = answer else { panic!("{answer:?}") };
            assert!(page.entries.len() <= 7);
            let entry =
                |it: &prooflight_light::RangeEntry<'_>| (text(&it.key), (text(it.value), it.since));
            found.extend(page.entries.iter().map(entry));
            page.next.map(<[u8]>::to_vec)
        });
        pages += 1;
        match next {
            None => return (found, pages),
            Some(next) if reverse => hi = Some(next),
            Some(next) => lo = next,
        }
    }
}

#[test]
fn one_head_proves_all_blocks_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut node = start(folder.path());
    let config = genesis(&node).config;
    make(&node, 1..=20);
    let head = node.ask("prooflight_head", &json!({}))["hash"].as_str().unwrap().to_owned();
    // Blocks that are made meanwhile do not affect the pages.
    make(&node, 21..=30);
    for at in [1, 2, 13, 20] {
        for reverse in [false, true] {
            let (mut found, pages) = walk(&node, &config, (at, &head), reverse);
            if reverse {
                found.reverse();
            }
            assert_eq!(found, expected(at).into_iter().collect::<Vec<_>>(), "at {at}");
            assert!(pages >= found.len() / 7, "{pages} pages");
        }
    }
    let keys = ["often", "005-0", "005-1", "never"];
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
    let named: Vec<_> = keys.iter().map(|key| hex(key)).collect();
    for (at, root) in [(4, "latest"), (5, &head[..]), (20, &head), (30, "latest")] {
        let params = json!({ "scheme": "amb", "keys": named, "at": quantity(at), "head": root });
        let reply = node.ask("prooflight_prove", &params);
        answer(&config, &reply, &Statement::Keys { height: at, keys: &keys }, |header, answer| {
            assert_eq!(header.height, if root == "latest" { 30 } else { 20 });
            let StatementAnswer::Keys(states) = answer else { panic!("{answer:?}") };
            let live = expected(at);
            for (key, state) in keys.iter().zip(states) {
                let value = live.get(&text(key)).map(|(value, _)| value.clone());
                assert_eq!(state.value().map(text), value, "{} at {at}", text(key));
            }
        });
    }
    // Without a block, the head's block.
    let params = json!({ "scheme": "amb", "keys": [hex(b"often")], "head": head });
    let reply = node.ask("prooflight_prove", &params);
    answer(&config, &reply, &Statement::Keys { height: 20, keys: &[b"often"] }, |_, answer| {
        let StatementAnswer::Keys(states) = answer else { panic!("{answer:?}") };
        assert_eq!(states[0].value(), Some(&b"20"[..]));
    });
    for at in [20, 25, 30] {
        let (lo, hi) = (&b"003"[..], Some(&b"010"[..]));
        let params = json!({ "lo": hex(lo), "hi": hi.map(hex), "at": quantity(at) });
        let reply = node.ask("prooflight_count", &params);
        answer(&config, &reply, &Statement::Count { height: at, lo, hi }, |header, answer| {
            let StatementAnswer::Count(count) = answer else { panic!("{answer:?}") };
            assert_eq!((header.height, *count), (at, 7 * 2));
        });
    }
    // A restart keeps every version, and the root of the newest block alone.
    assert!(node.terminate().success());
    let node = Node::start(folder.path(), FAST);
    let params = json!({ "at": "0x1", "head": head });
    let refused = node.call("prooflight_range", &params).unwrap_err();
    assert_eq!(reason(&refused), "version_unavailable");
    let head = node.ask("prooflight_head", &json!({}))["hash"].as_str().unwrap().to_owned();
    let (found, _) = walk(&node, &config, (13, &head), false);
    assert_eq!(found, expected(13).into_iter().collect::<Vec<_>>());
    let (_, metrics) = node.admin().get("/metrics");
    assert!(metrics.contains("prooflight_proof_seconds_count{scheme=\"amb\"}"), "{metrics}");
}

#[test]
fn a_history_has_the_headers_of_its_changes() {
    let folder = tempfile::tempdir().unwrap();
    let node = start(folder.path());
    let config = genesis(&node).config;
    make(&node, 1..=12);
    let ask = |key: &[u8], from: u64, to: u64, head: u64| {
        let params = json!({
            "key": hex(key), "from": quantity(from), "to": quantity(to), "head": quantity(head),
            "scheme": "amb",
        });
        let reply = node.ask("prooflight_history", &params);
        let head = header(&reply["head"]).header;
        let decode = |header: &Value| borsh::from_slice::<Header>(&bytes(header)).unwrap();
        let headers: Vec<_> = reply["headers"].as_array().unwrap().iter().map(decode).collect();
        let hashes = reply["hashes"].as_array().unwrap().iter();
        let hashes: Vec<_> = hashes.map(|hash| bytes(hash).try_into().unwrap()).collect();
        let placed = AcceptedHeaders::with_ancestors(head, headers.clone(), &hashes).unwrap();
        let proof = bytes(&reply["proof"]);
        let statement = Statement::History { key, from, to };
        let verified =
            verify(&Trust::new(&config), Scheme::Amb, &placed, &statement, &proof).unwrap();
        let StatementAnswer::History(history) = verified.get() else { panic!("{verified:?}") };
        let changes: Vec<_> =
            history.changes.iter().filter_map(prooflight_core::PastState::changed_at).collect();
        (changes, headers.into_iter().map(|header| header.height).collect::<Vec<_>>())
    };
    assert_eq!(ask(b"003-0", 2, 9, 11), (vec![3, 4], vec![2, 3, 4, 9]));
    assert_eq!(ask(b"003-1", 4, 9, 12), (vec![], vec![4, 9]));
    assert_eq!(ask(b"often", 8, 11, 11), (vec![8, 9, 10, 11], vec![8, 9, 10]));
    assert_eq!(ask(b"never", 0, 12, 12), (vec![], vec![0]));
    // Without a last block, the head's block; the scheme may be left out.
    let params = json!({ "key": hex(b"often"), "from": "0x4", "head": "0x5" });
    let reply = node.ask("prooflight_history", &params);
    assert_eq!(reply["headers"].as_array().unwrap().len(), 1);
    let named = json!({ "key": hex(b"often"), "from": "0x4", "scheme": "smt" });
    let refused = node.call("prooflight_history", &named).unwrap_err();
    assert_eq!(reason(&refused), "unknown_statement");
}

#[test]
fn a_replica_gets_every_entry_and_then_the_changed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let node = start(folder.path());
    make(&node, 1..=10);
    let transfer = |after: Option<u64>| {
        let (mut lo, mut entries) = (Vec::new(), 0);
        loop {
            let params = json!({ "lo": hex(&lo), "after": after.map(quantity), "limit": 9 });
            let reply = node.ask("prooflight_transfer", &params);
            let header = header(&reply["header"]).header;
            let hash = header.root(Scheme::Amb).unwrap().try_into().unwrap();
            let (root, proof) =
                (TrustedRoot { hash, height: header.height }, bytes(&reply["proof"]));
            let question = TransferQuestion { lo: &lo, hi: None, after };
            let page = verify_transfer(&root, &question, &proof, &Limits::DEFAULT).unwrap();
            assert!(page.entries.iter().all(|it| after.is_none_or(|after| it.block > after)));
            entries += page.entries.len();
            match page.next {
                Some(next) => lo = next.to_vec(),
                None => return entries,
            }
        }
    };
    assert_eq!(transfer(None), 31);
    // `often`, three keys of each block, and the last deletion of an older one.
    assert_eq!(transfer(Some(7)), 1 + 3 * 3 + 1);
    assert_eq!(transfer(Some(10)), 0);
}

#[test]
fn bad_questions_are_refused_with_their_reason() {
    let folder = tempfile::tempdir().unwrap();
    let node = start(folder.path());
    make(&node, 1..=3);
    let long = hex(&[7; 258]);
    let cases = [
        ("range", json!({ "lo": "0x61", "hi": "0x61" }), "invalid_argument"),
        ("range", json!({ "lo": "0x62", "hi": "0x61" }), "invalid_argument"),
        ("range", json!({ "limit": 0 }), "invalid_argument"),
        ("range", json!({ "limit": 4097 }), "invalid_argument"),
        ("range", json!({ "limit": -1 }), "invalid_argument"),
        ("range", json!({ "limit": "0x1" }), "invalid_argument"),
        ("range", json!({ "lo": "61" }), "invalid_argument"),
        ("range", json!({ "key": "0x61" }), "invalid_argument"),
        ("range", json!({ "reverse": 1 }), "invalid_argument"),
        ("range", json!({ "lo": long }), "key_length"),
        ("range", json!({ "lo": "0x", "hi": long }), "key_length"),
        ("range", json!({ "at": "0x4" }), "unknown_block"),
        ("range", json!({ "at": "0x3", "head": "0x2" }), "invalid_argument"),
        ("range", json!({ "head": hex(&[1; 32]) }), "unknown_block"),
        ("count", json!({ "lo": "0x62", "hi": "0x61" }), "invalid_argument"),
        ("count", json!({ "hi": long }), "key_length"),
        ("count", json!({ "at": "0x9" }), "unknown_block"),
        ("transfer", json!({ "after": "0x4" }), "invalid_argument"),
        ("transfer", json!({ "limit": 5000 }), "invalid_argument"),
        ("transfer", json!({ "at": "0x1" }), "invalid_argument"),
        ("prove", json!({ "scheme": "amb", "keys": [] }), "invalid_argument"),
        ("prove", json!({ "scheme": "amb", "keys": [long] }), "key_length"),
        ("prove", json!({ "scheme": "avl", "keys": ["0x61"], "head": "0x1" }), "invalid_argument"),
        (
            "prove",
            json!({ "scheme": "amb", "keys": ["0x61"], "at": "0x3", "head": "0x2" }),
            "invalid_argument",
        ),
        ("history", json!({ "key": "0x61", "from": "0x3", "to": "0x2" }), "invalid_argument"),
        ("history", json!({ "key": "0x61", "from": "0x0", "head": "0x9" }), "unknown_block"),
    ];
    for (method, params, expected) in cases {
        let refused = node.call(&format!("prooflight_{method}"), &params);
        let refused = refused.map_err(|error| reason(&error).to_owned());
        assert_eq!(refused, Err(expected.to_owned()), "{method} {params}");
    }
    let long = tempfile::tempdir().unwrap();
    let refused = command(long.path(), &["init", "--schemes", "amb", "--max-key", "257"]);
    assert!(text(&refused.stderr).contains("keys of at most 256 bytes"), "{refused:?}");
    let other = tempfile::tempdir().unwrap();
    assert!(command(other.path(), &["init", "--schemes", "avl"]).status.success());
    let node = Node::start(other.path(), FAST);
    for method in ["range", "count", "transfer"] {
        let refused = node.call(&format!("prooflight_{method}"), &json!({})).unwrap_err();
        assert_eq!(reason(&refused), "unknown_statement");
    }
}

#[test]
fn the_chain_is_executed_again_by_verify() {
    let folder = tempfile::tempdir().unwrap();
    let mut node = start(folder.path());
    make(&node, 1..=5);
    assert!(node.terminate().success());
    let output = command(folder.path(), &["verify"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("6 blocks"), "{}", text(&output.stdout));
}

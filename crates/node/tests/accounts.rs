//! A chain with `mpt`, as Ethereum libraries see it: its answers verify.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::path::Path;
use std::thread;
use std::time::Duration;

use harness::accounts::{account, integer, proved, set, set_slot, slot_key, word};
use harness::keys::values;
use harness::light::{genesis, header, verified_raw};
use harness::{Client, Node, command, eventually, hex, text};
use prooflight_core::Scheme;
use prooflight_mpt::{AccountState, Address};
use serde_json::{Value, json};

const FAST: &[&str] = &["--block-interval-ms", "0"];
const ALICE: Address = [0xa1; 20];
const BOB: Address = [0xb0; 20];
const NOBODY: Address = [0xee; 20];

fn init(folder: &Path, schemes: &str) {
    let output = command(folder, &["init", "--schemes", schemes]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn submit(node: &Node, ops: &[Value]) -> Value {
    node.ask("prooflight_submit", &json!({ "ops": ops }))
}

/// Balance, and the values of the slots 1 and 2.
fn state(node: &Node, at: &str, address: &Address) -> (Option<u8>, [u8; 2]) {
    let AccountState { account, storage } = proved(node, at, address, &[1, 2]);
    (account.map(|it| it.balance[31]), [storage[0][31], storage[1][31]])
}

/// Height 1: Alice with two slots, and Bob. 2: one slot less. 3: a slot of Bob's, and no Alice.
fn make_blocks(node: &Node) {
    submit(
        node,
        &[
            set_slot(&ALICE, 1, &[10]),
            set_slot(&ALICE, 2, &[20]),
            set(&ALICE, &account(1, 100)),
            set(&BOB, &account(2, 50)),
        ],
    );
    submit(node, &[set_slot(&ALICE, 1, &[0]), set(&ALICE, &account(2, 90))]);
    submit(node, &[json!({ "op": "Delete", "key": hex(&ALICE) }), set_slot(&BOB, 2, &[30])]);
}

fn check_blocks(node: &Node) {
    for (at, alice, bob) in [
        ("0x0", (None, [0, 0]), (None, [0, 0])),
        ("0x1", (Some(100), [10, 20]), (Some(50), [0, 0])),
        ("0x2", (Some(90), [0, 20]), (Some(50), [0, 0])),
        ("0x3", (None, [0, 0]), (Some(50), [0, 30])),
    ] {
        assert_eq!(state(node, at, &ALICE), alice, "{at}");
        assert_eq!(state(node, at, &BOB), bob, "{at}");
        assert_eq!(state(node, at, &NOBODY), (None, [0, 0]), "{at}");
    }
}

fn refused(reply: Result<Value, Value>) -> String {
    let data = &reply.unwrap_err()["data"];
    format!("{} {}", data["code"].as_str().unwrap(), data["reason"].as_str().unwrap())
}

#[test]
fn a_backup_of_accounts_proves_the_same_states() {
    let parent = tempfile::tempdir().unwrap();
    let [folder, copy] = ["chain", "copy"].map(|name| parent.path().join(name));
    // All schemes at once.
    let schemes: Vec<_> = Scheme::ALL.into_iter().filter(|scheme| scheme.exists()).collect();
    let names: Vec<_> = schemes.iter().map(|scheme| scheme.as_str()).collect();
    let begun = command(&folder, &["init", "--schemes", &names.join(","), "--lvmt-log-n", "4"]);
    assert!(begun.status.success(), "{}", text(&begun.stderr));
    let node = Node::start(&folder, FAST);
    make_blocks(&node);
    let made = command(&folder, &["backup", copy.to_str().unwrap()]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(node.stop().success());
    let verified = command(&copy, &["verify"]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
    std::fs::copy(folder.join("authority-0.key"), copy.join("authority-0.key")).unwrap();
    let node = Node::start(&copy, FAST);
    check_blocks(&node);
    submit(&node, &[set(&ALICE, &account(1, 7)), set_slot(&BOB, 1, &[40])]);
    assert_eq!(state(&node, "latest", &ALICE), (Some(7), [0, 0]));
    let config = genesis(&node).config;
    let keys = [ALICE.to_vec(), slot_key(&ALICE, 2), BOB.to_vec(), slot_key(&BOB, 1)];
    let asked: Vec<_> = keys.iter().map(Vec::as_slice).collect();
    let expected = vec![Some(account(1, 7)), None, Some(account(2, 50)), Some(vec![40])];
    for scheme in schemes.into_iter().filter(|scheme| *scheme != Scheme::Mpt) {
        assert_eq!(values(&node, &config, scheme, &asked, 4), Ok(expected.clone()), "{scheme:?}");
    }
}

#[test]
fn accounts_and_slots_are_proved_at_every_height() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), "mpt,avl");
    let mut node = Node::start(folder.path(), FAST);
    make_blocks(&node);
    check_blocks(&node);
    assert_eq!(state(&node, "latest", &ALICE), (None, [0, 0]));

    // A recreated account has none of its old slots.
    submit(&node, &[set(&ALICE, &account(1, 7))]);
    assert_eq!(state(&node, "latest", &ALICE), (Some(7), [0, 0]));

    // Raw keys are the same for all schemes, and the block lists everything deleted with an account.
    let head = header(&node.ask("prooflight_head", &json!({}))).header;
    assert_eq!(head.roots.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 4]);
    let checkpoint = genesis(&node);
    let raw = |at: &str, key: &[u8]| verified_raw(&node, &checkpoint, at, key);
    assert_eq!(raw("0x2", &slot_key(&ALICE, 2)), Some(vec![20]));
    assert_eq!(raw("0x2", &slot_key(&ALICE, 1)), None);
    assert_eq!(raw("0x3", &slot_key(&ALICE, 2)), None);
    assert_eq!(raw("0x3", &BOB), Some(account(2, 50)));
    let block = node.ask("prooflight_block", &json!({ "at": "0x3" }));
    assert_eq!(
        block["ops"],
        json!([
            { "op": "Delete", "key": hex(&ALICE) },
            { "op": "Delete", "key": hex(&slot_key(&ALICE, 2)) },
            set_slot(&BOB, 2, &[30]),
        ])
    );

    // Unchanged after a kill and after a stop.
    node.kill();
    let node = Node::start(folder.path(), FAST);
    check_blocks(&node);
    assert!(node.stop().success());
    let output = command(folder.path(), &["verify"]);
    assert_eq!(
        text(&output.stdout),
        "5 blocks and 3 values verified\n",
        "{}",
        text(&output.stderr)
    );

    // States that are no longer kept are not proved.
    let node = Node::start(folder.path(), &["--block-interval-ms", "0", "--keep-states", "1"]);
    // Old states are deleted after a block, so the effect is visible with the next block.
    submit(&node, &[set(&ALICE, &account(1, 8))]);
    submit(&node, &[set(&ALICE, &account(1, 9))]);
    assert_eq!(state(&node, "0x5", &ALICE), (Some(8), [0, 0]));
    assert_eq!(state(&node, "0x6", &ALICE), (Some(9), [0, 0]));
    let old = node.call("eth_getBalance", &json!([hex(&ALICE), "0x2"]));
    assert_eq!(refused(old), "unavailable version_unavailable");
}

#[test]
fn no_acknowledged_state_is_lost_to_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), "avl,mpt");
    let mut acknowledged: Vec<(String, u8)> = Vec::new();
    for round in 0..10 {
        let mut node = Node::start(folder.path(), FAST);
        for (at, n) in acknowledged.iter().rev().take(5) {
            assert_eq!(state(&node, at, &ALICE), (Some(*n), [*n, 0]), "round {round}");
        }
        let client = node.client();
        let submitter = thread::spawn(move || submit_until_killed(&client));
        // Anywhere between the first write and some blocks later.
        thread::sleep(Duration::from_micros(round * 7919));
        node.kill();
        acknowledged.extend(submitter.join().unwrap());
    }
    assert!(!acknowledged.is_empty(), "no block was made in time");
    let output = command(folder.path(), &["verify"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Sets Alice and her slot repeatedly, and creates and deletes Bob; returns heights and balances.
fn submit_until_killed(client: &Client) -> Vec<(String, u8)> {
    let mut acknowledged = Vec::new();
    for n in (1..=127).cycle() {
        let mut ops = vec![set(&ALICE, &account(1, n)), set_slot(&ALICE, 1, &[n])];
        if n % 2 == 0 {
            ops.push(json!({ "op": "Delete", "key": hex(&BOB) }));
        } else {
            ops.extend([set(&BOB, &account(1, n)), set_slot(&BOB, n, &[n])]);
        }
        match client.call("prooflight_submit", &json!({ "ops": ops })) {
            Ok(reply) => {
                acknowledged.push((reply.unwrap()["height"].as_str().unwrap().to_owned(), n));
            }
            Err(_) => break,
        }
    }
    acknowledged
}

#[test]
fn a_replica_follows() {
    let (leaders, replicas) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    init(leaders.path(), "mpt");
    let checkpoint = leaders.path().join("checkpoint.json");
    std::fs::write(&checkpoint, command(leaders.path(), &["checkpoint"]).stdout).unwrap();
    let leader = Node::start(leaders.path(), FAST);
    make_blocks(&leader);
    let url = format!("http://{}", leader.address);
    let settings = ["--follow", &url, "--checkpoint", checkpoint.to_str().unwrap()];
    let replica = Node::start(replicas.path(), &settings);
    let height = || replica.ask("eth_blockNumber", &json!([]));
    eventually(|| height() == "0x3", || height().to_string());
    check_blocks(&replica);
}

#[test]
fn a_submission_that_cannot_be_applied_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), "mpt");
    // All of them wait for the same block.
    let node = Node::start(folder.path(), &["--block-interval-ms", "300"]);
    let results: Vec<_> = thread::scope(|scope| {
        let submissions: Vec<_> = (1..=8)
            .map(|n| {
                let address = [n; 20];
                let mut ops = vec![set_slot(&address, 1, &[n])];
                if n % 4 != 0 {
                    ops.push(set(&address, &account(n, n)));
                }
                let node = &node;
                scope.spawn(move || (n, node.call("prooflight_submit", &json!({ "ops": ops }))))
            })
            .collect();
        submissions.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for (n, result) in results {
        if n % 4 == 0 {
            assert_eq!(refused(result), "invalid_input account_missing");
            assert_eq!(state(&node, "latest", &[n; 20]), (None, [0, 0]));
        } else {
            result.unwrap();
            assert_eq!(state(&node, "latest", &[n; 20]), (Some(n), [n, 0]));
        }
    }
    let submit = |ops: Value| refused(node.call("prooflight_submit", &json!({ "ops": ops })));
    assert_eq!(submit(json!([set(b"alice", b"1")])), "invalid_input key_length");
    assert_eq!(submit(json!([set(&ALICE, b"1")])), "invalid_input invalid_argument");
    assert_eq!(submit(json!([set_slot(&[1; 20], 1, &[0, 1])])), "invalid_input invalid_argument");
    let deleted = json!([set_slot(&[1; 20], 2, &[1]), { "op": "Delete", "key": hex(&[1; 20]) }]);
    assert_eq!(submit(deleted), "invalid_input account_missing");
    assert_eq!(state(&node, "latest", &[1; 20]), (Some(1), [1, 0]));
}

#[test]
fn methods_of_ethereum_say_what_is_true() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), "mpt");
    let node = Node::start(folder.path(), &["--block-interval-ms", "0", "--eth-chain-id", "31337"]);
    make_blocks(&node);
    let ask = |method: &str, params: Value| node.ask(method, &params);
    assert_eq!(ask("eth_chainId", json!([])), "0x7a69");
    assert_eq!(ask("net_version", json!([])), "31337");
    assert_eq!(ask("eth_blockNumber", json!([])), "0x3");

    let header = ask("prooflight_header", json!({ "at": "0x2" }));
    let block = ask("eth_getBlockByNumber", json!(["0x2", false]));
    let seconds =
        u64::from_be_bytes(integer(&header["timestampMs"])[24..].try_into().unwrap()) / 1000;
    let expected = [
        ("number", "0x2".into()),
        ("hash", header["hash"].clone()),
        ("parentHash", header["parent"].clone()),
        ("timestamp", format!("{seconds:#x}").into()),
        ("stateRoot", header["roots"]["mpt"].clone()),
        ("transactions", json!([])),
        ("gasUsed", "0x0".into()),
    ];
    for (member, value) in expected {
        assert_eq!(block[member], value, "{member}");
    }
    assert_eq!(ask("eth_getBlockByHash", json!([header["hash"], true])), block);
    assert_eq!(ask("eth_getBlockByNumber", json!(["0x4"])), Value::Null);
    assert_eq!(ask("eth_getBlockByHash", json!([hex(&[7; 32])])), Value::Null);
    assert_eq!(ask("eth_getBlockByNumber", json!(["earliest", false]))["number"], "0x0");

    let (alice, bob) = (hex(&ALICE), hex(&BOB));
    for at in
        [json!("0x2"), json!({ "blockHash": header["hash"] }), json!({ "blockNumber": "0x2" })]
    {
        assert_eq!(ask("eth_getBalance", json!([alice, at])), "0x5a");
        assert_eq!(ask("eth_getTransactionCount", json!([alice, at])), "0x2");
        assert_eq!(ask("eth_getCode", json!([alice, at])), "0x");
        assert_eq!(ask("eth_getStorageAt", json!([alice, "0x2", at])), hex(&word(20)));
    }
    for at in ["latest", "safe", "finalized"] {
        assert_eq!(ask("eth_getBalance", json!([alice, at])), "0x0");
        assert_eq!(ask("eth_getStorageAt", json!([bob, hex(&word(2)), at])), hex(&word(30)));
    }
    assert_eq!(ask("eth_getBalance", json!([bob])), "0x32");
    // Formatted like geth's replies.
    let long = |digits: usize| format!("0x{:0>digits$}", "aB");
    let whole = long(64).to_lowercase();
    for (slot, key) in [
        (json!("0x2"), "0x2"),
        (json!("0x02"), "0x2"),
        (json!(long(62)), "0xab"),
        (json!(long(63)), &whole),
        (json!(long(64)), &whole),
    ] {
        let proof = ask("eth_getProof", json!([bob, [slot], "latest"]));
        assert_eq!(proof["storageProof"][0]["key"], key, "{slot}");
    }

    let with_code = [&[0xe3, 1, 1, 0xa0][..], &[9; 32]].concat();
    submit(&node, &[set(&[9; 20], &with_code)]);
    let refuse = |method: &str, params: Value| refused(node.call(method, &params));
    assert_eq!(refuse("eth_getCode", json!([hex(&[9; 20])])), "unsupported unknown_statement");
    assert_eq!(refuse("eth_getBalance", json!([bob, "0x9"])), "unavailable unknown_block");
    for wrong in [json!([]), json!({ "address": bob }), json!(["0x01"]), json!([bob, "pending"])] {
        assert_eq!(refuse("eth_getBalance", wrong), "invalid_input invalid_argument");
    }
    let many = vec!["0x1"; 1025];
    assert_eq!(refuse("eth_getProof", json!([bob, many, "latest"])), "invalid_input too_many_keys");
    let raw = json!({ "scheme": "mpt", "keys": [bob] });
    assert_eq!(refuse("prooflight_prove", raw), "unsupported unknown_statement");
}

#[test]
fn a_chain_without_accounts_has_no_methods_of_ethereum() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), FAST);
    let refuse = |method: &str, params: Value| refused(node.call(method, &params));
    let bob = hex(&BOB);
    for (method, params) in [
        ("eth_chainId", json!([])),
        ("net_version", json!([])),
        ("eth_blockNumber", json!([])),
        ("eth_getBlockByNumber", json!(["latest", false])),
        ("eth_getBlockByHash", json!([hex(&[1; 32]), false])),
        ("eth_getProof", json!([bob, [], "latest"])),
        ("eth_getBalance", json!([bob, "latest"])),
        ("eth_getTransactionCount", json!([bob, "latest"])),
        ("eth_getCode", json!([bob, "latest"])),
        ("eth_getStorageAt", json!([bob, "0x0", "latest"])),
    ] {
        assert_eq!(refuse(method, params), "unsupported unknown_statement", "{method}");
    }
}

#[test]
fn a_chain_begins_and_moves_with_accounts() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let lines = folder.path().join("state.jsonl");
    let line =
        |key: &[u8], value: &[u8]| json!({ "key": hex(key), "value": hex(value) }).to_string();
    let state_lines = [line(&ALICE, &account(1, 5)), line(&slot_key(&ALICE, 1), &[6])].join("\n");
    std::fs::write(&lines, &state_lines).unwrap();
    let from = lines.to_str().unwrap();
    let output = command(&first, &["init", "--schemes", "mpt", "--state", from]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let exported = folder.path().join("exported.jsonl");
    let output = command(&first, &["export", exported.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    init(&second, "mpt");
    let output = command(&second, &["import", exported.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let roots = [(&first, "0x0"), (&second, "0x1")].map(|(folder, at)| {
        let node = Node::start(folder, FAST);
        assert_eq!(state(&node, at, &ALICE), (Some(5), [6, 0]));
        node.ask("eth_getBlockByNumber", &json!(["latest", false]))["stateRoot"].clone()
    });
    assert_eq!(roots[0], roots[1]);
    let output = command(&folder.path().join("third"), &["init", "--schemes", "nobody"]);
    assert!(!output.status.success());
}

#[test]
fn a_state_that_cannot_be_leaves_no_chain_behind() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.jsonl");
    let entry = json!({ "key": hex(&slot_key(&ALICE, 1)), "value": "0x05" });
    std::fs::write(&state, entry.to_string()).unwrap();
    let chain = folder.path().join("chain");
    let begin = ["init", "--schemes", "avl,mpt", "--state", state.to_str().unwrap()];
    for _ in 0..2 {
        let output = command(&chain, &begin);
        assert!(!output.status.success());
        let said = text(&output.stderr);
        assert!(said.contains("invalid_input / account_missing"), "{said}");
    }
    init(&chain, "avl,mpt");
}

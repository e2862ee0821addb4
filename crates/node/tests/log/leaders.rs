//! Leaders, and replicas without one.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::chain::{Chain, assert_has, height, height_in, ready, submit, wait_until_same};
use crate::harness::{Client, command, eventually, set, text};

#[test]
fn a_replica_without_a_leader_serves_what_the_leader_serves() {
    let chain = Chain::new();
    let mut leader = chain.lead("first");
    for n in 0..20 {
        submit(&leader, &format!("key {}", n % 7), &n.to_string());
    }
    let early = chain.serve("early");
    wait_until_same(&leader, &early);
    submit(&leader, "one", "more");
    wait_until_same(&leader, &early);
    let asked = [
        ("prooflight_block", json!({ "at": "0x5" })),
        ("prooflight_headerProof", json!({ "at": "0x5" })),
        ("prooflight_prove", json!({ "scheme": "avl", "keys": ["0x6f6e65"], "at": "0x15" })),
        ("prooflight_prove", json!({ "scheme": "smt", "keys": ["0x6f6e65"], "at": "0x7" })),
    ];
    let answers = asked.clone().map(|(method, params)| leader.ask(method, &params));
    leader.kill();
    let late = chain.serve("late");
    for replica in [&early, &late] {
        eventually(|| height(replica) == 21, || format!("{:?}", ready(replica)));
        let given = asked.clone().map(|(method, params)| replica.ask(method, &params));
        assert_eq!(given, answers);
        let refused = replica.call("prooflight_submit", &json!({ "ops": [] })).unwrap_err();
        assert_eq!(refused["data"]["reason"], "read_only");
        eventually(|| ready(replica).0 == 200, || format!("{:?}", ready(replica)));
    }
    let metrics = late.admin().get("/metrics").1;
    assert!(metrics.contains("prooflight_log_requests_total{request=\"read\"}"), "{metrics}");
    assert!(!metrics.contains("request=\"create\""), "{metrics}");
    drop(late);
    let verified = command(&chain.at("late"), &["verify"]);
    assert_eq!(text(&verified.stdout), "22 blocks and 8 values verified\n");
}

#[test]
fn no_acknowledged_block_is_lost_to_kill_9_of_leaders_and_their_folders() {
    let kills = std::env::var("PROOFLIGHT_KILLS").map_or(20, |kills| kills.parse().unwrap());
    let chain = Chain::new();
    let mut acknowledged: Vec<Value> = Vec::new();
    for round in 0..kills {
        // Its own folder, another leader's folder, or a new one.
        let name = match round % 4 {
            0 | 1 => "first".to_owned(),
            2 => "second".to_owned(),
            _ => format!("new-{round}"),
        };
        let mut node = chain.lead(&name);
        assert_has(&node, &acknowledged[acknowledged.len().saturating_sub(20)..]);
        let client = node.client();
        let submitter = thread::spawn(move || submit_until_killed(&client, round));
        thread::sleep(Duration::from_micros(u64::from(round).wrapping_mul(7919) % 150_000));
        node.kill();
        acknowledged.extend(submitter.join().unwrap());
    }
    let newest = acknowledged.iter().map(height_in).max().unwrap();
    let reader = chain.serve("reader");
    eventually(|| height(&reader) >= newest, || format!("{:?}", ready(&reader)));
    assert_has(&reader, &acknowledged);
    drop(reader);
    let output = command(&chain.at("reader"), &["verify"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn submit_until_killed(client: &Client, round: u32) -> Vec<Value> {
    let mut acknowledged = Vec::new();
    for n in 0.. {
        let ops = json!({ "ops": [set(&format!("key {}", n % 7), &format!("{round} {n}"))] });
        match client.call("prooflight_submit", &ops) {
            Ok(reply) => acknowledged.push(reply.unwrap()),
            Err(_) => break,
        }
    }
    acknowledged
}

#[test]
fn two_leaders_make_one_chain() {
    let chain = Chain::new();
    let leaders = [chain.lead("first"), chain.lead("second")];
    let acknowledged: Vec<Value> = thread::scope(|scope| {
        let submitters: Vec<_> = (0..4)
            .map(|who| {
                let leader = &leaders[who % 2];
                let each = move |n| submit(leader, &format!("{who} {n}"), "value");
                scope.spawn(move || (0..15).map(each).collect::<Vec<_>>())
            })
            .collect();
        submitters.into_iter().flat_map(|submitter| submitter.join().unwrap()).collect()
    });
    let [one, two] = &leaders;
    wait_until_same(one, two);
    assert_has(one, &acknowledged);
    assert_has(two, &acknowledged);
    let reader = chain.serve("reader");
    wait_until_same(one, &reader);
    assert_has(&reader, &acknowledged);
    drop((leaders, reader));
    for name in ["first", "second", "reader"] {
        let output = command(&chain.at(name), &["verify"]);
        assert!(text(&output.stdout).ends_with("blocks and 60 values verified\n"), "{name}");
    }
}

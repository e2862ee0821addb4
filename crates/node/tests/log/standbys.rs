//! Nodes that wait to lead.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::chain::{Chain, assert_has, run, submit, wait_until_same};
use crate::harness::{Node, command, eventually, set, text};

#[test]
fn a_standby_takes_over_from_a_dead_leader_and_the_dead_one_may_come_back() {
    let chain = Chain::new();
    let mut leader = chain.lead("first");
    let url = format!("http://{}", leader.address);
    let settings = ["--takeover-after-ms", "200", "--leader", &url];
    let standby = chain.stand_by("second", &settings);
    let mut acknowledged = vec![submit(&leader, "key", "1")];
    // While the leader is ready, the standby does not lead although no block arrives.
    thread::sleep(Duration::from_millis(500));
    let early = standby.call("prooflight_submit", &json!({ "ops": [set("key", "early")] }));
    assert_eq!(early.unwrap_err()["data"]["reason"], "read_only");
    leader.kill();
    let taken = || {
        let ops = json!({ "ops": [set("key", "2")] });
        standby.call("prooflight_submit", &ops).is_ok_and(|reply| reply["height"].is_string())
    };
    eventually(taken, || "the standby does not lead".to_owned());
    acknowledged.push(submit(&standby, "key", "3"));
    let back = chain.lead("first");
    wait_until_same(&standby, &back);
    acknowledged.extend([submit(&back, "key", "4"), submit(&standby, "key", "5")]);
    wait_until_same(&standby, &back);
    assert_has(&standby, &acknowledged);
    assert_has(&back, &acknowledged);
}

#[test]
fn a_standby_leads_when_it_is_promoted() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    let standby = chain.stand_by("second", &["--takeover-after-ms", "600000"]);
    assert_eq!(leader.admin().put("/promote", "").0, 404);
    assert_eq!(standby.admin().put("/promote", "Origin: http://page\r\n").0, 403);
    let refused = standby.call("prooflight_submit", &json!({ "ops": [set("key", "1")] }));
    assert_eq!(refused.unwrap_err()["data"]["reason"], "read_only");
    assert_eq!(standby.admin().put("/promote", "").0, 200);
    let leads = || {
        let ops = json!({ "ops": [set("key", "2")] });
        standby.call("prooflight_submit", &ops).is_ok()
    };
    eventually(leads, || "the standby does not lead".to_owned());
    wait_until_same(&leader, &standby);
}

#[test]
fn a_standby_is_promoted_by_a_command() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    let standby = chain.stand_by("second", &["--takeover-after-ms", "600000"]);
    let url = |node: &Node| format!("http://{}", node.admin);
    for (admin, expected) in [
        (url(&leader), "no standby"),
        ("http://127.0.0.1:1".to_owned(), "unreachable"),
        ("https://127.0.0.1:1".to_owned(), "http://HOST:PORT"),
        ("http://me:hunter2@127.0.0.1:1".to_owned(), "http://HOST:PORT"),
        (String::new(), "http://HOST:PORT"),
    ] {
        let (succeeded, said) = run(&["promote", "--admin", &admin]);
        assert!(!succeeded && said.contains(expected) && !said.contains("hunter2"), "{said}");
    }
    let output = command(&chain.at("nowhere"), &["promote"]);
    assert!(!output.status.success());
    let output = command(&chain.at("second"), &["promote"]);
    assert_eq!(text(&output.stdout), "this node leads from now on\n");
    let (succeeded, said) = run(&["promote", "--admin", &url(&standby)]);
    assert!(succeeded, "{said}");
    let leads = || standby.call("prooflight_submit", &json!({ "ops": [set("key", "2")] })).is_ok();
    eventually(leads, || "the standby does not lead".to_owned());
}

#[test]
fn submissions_to_a_standby_cause_no_requests() {
    let chain = Chain::new();
    let _leader = chain.lead("first");
    let slow = ["--follow-interval-ms", "600000", "--takeover-after-ms", "600000"];
    let pinned = ["--checkpoint", chain.checkpoint().to_str().unwrap()].map(str::to_owned);
    let pinned = pinned.each_ref().map(String::as_str);
    fs::create_dir(chain.at("second")).unwrap();
    fs::copy(chain.at("first/authority-0.key"), chain.at("second/authority-0.key")).unwrap();
    let settings = [&["--standby"], &slow[..], &pinned].concat();
    let standby = Node::try_share("run", &chain.at("second"), &chain.log, &settings).unwrap();
    let early = || {
        let refused = standby.call("prooflight_submit", &json!({ "ops": [set("key", "early")] }));
        assert_eq!(refused.unwrap_err()["data"]["reason"], "read_only");
    };
    let requests = || {
        let metrics = standby.admin().get("/metrics").1;
        let counts = metrics.lines().filter(|it| it.starts_with("prooflight_log_requests_total"));
        counts.map(|it| it.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum::<u64>()
    };
    early();
    let before = requests();
    assert!(before > 0);
    (0..50).for_each(|_| early());
    assert_eq!(requests(), before);
}

#[test]
fn a_node_with_a_log_begins_with_the_state_of_another() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    for n in 0..9 {
        submit(&leader, &format!("key {n}"), &n.to_string());
    }
    let said = chain.refused("serve", "reader", &["--sync"]);
    assert!(said.contains("invalid_argument") && said.contains("--leader"), "{said}");
    let url = format!("http://{}", leader.address);
    let settings = ["--sync", "--leader", &url, "--takeover-after-ms", "600000"];
    fs::remove_dir_all(chain.at("reader")).unwrap();
    let reader = chain.try_start("serve", "reader", &settings).unwrap();
    let standby = chain.stand_by("second", &settings);
    submit(&leader, "key 3", "more");
    for node in [&reader, &standby] {
        wait_until_same(&leader, node);
        // The earlier blocks were not executed.
        let early = node.call("prooflight_block", &json!({ "at": "0x3" })).unwrap_err();
        assert_eq!(early["data"]["reason"], "version_unavailable", "{early}");
    }
    assert_eq!(standby.admin().put("/promote", "").0, 200);
    let leads = || standby.call("prooflight_submit", &json!({ "ops": [set("key", "2")] })).is_ok();
    eventually(leads, || "the standby does not lead".to_owned());
    wait_until_same(&standby, &reader);
}

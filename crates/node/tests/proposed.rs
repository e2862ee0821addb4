//! Proposals in the log for remote authorities: each rule, and what would go wrong without it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use harness::authorities::submit_soon;
use harness::succession::{LeaderName, Succession, hash, submit_aside};
use harness::{Node, command, eventually, text};
use prooflight_core::chain::StateOperation;
use prooflight_log::{Bucket, BucketLog};
use prooflight_node::Chain;
use prooflight_node::chain::proposal::Proposal;
use prooflight_node::runtime::clock::now_ms;
use serde_json::{Value, json};

fn height(node: &Node) -> u64 {
    let head = node.ask("prooflight_head", &json!({}));
    u64::from_str_radix(head["height"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn hash_at(node: &Node, height: u64) -> Value {
    node.ask("prooflight_header", &json!({ "at": format!("{height:#x}") }))["hash"].clone()
}

fn ready(node: &Node) -> String {
    node.admin().get("/ready").1
}

/// A leader that has made a block and was stopped, and the chain from which it could propose next.
struct StoppedLeader {
    chain: Succession,
    next: Chain,
    log: BucketLog,
    runtime: tokio::runtime::Runtime,
}

impl StoppedLeader {
    /// Begins a chain, with authorities that run until this returns.
    fn new() -> Self {
        let chain = Succession::new();
        {
            let _authorities = chain.authorities();
            let leader = chain.lead(LeaderName::First, &["--publish"]);
            submit_soon(&leader, "first", "1");
            assert!(leader.stop().success());
        }
        let copy = chain.at("copy");
        let copied = command(&chain.folder(LeaderName::First), &["backup", copy.to_str().unwrap()]);
        assert!(copied.status.success(), "{}", text(&copied.stderr));
        let next = Chain::open(&copy).unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let bucket = Bucket::open(&chain.log()).unwrap();
        let log = runtime.block_on(BucketLog::open(bucket, Arc::clone(next.config()))).unwrap();
        Self { chain, next, log, runtime }
    }

    fn height(&self) -> u64 {
        self.next.height().unwrap() + 1
    }

    fn block(&mut self, value: &str, now_ms: u64) -> Proposal {
        let set = StateOperation::Set { key: "key".into(), value: value.into() };
        self.next.execute([set], now_ms).unwrap().proposal()
    }

    fn propose(&self, number: u32, proposal: &Proposal) {
        let (height, bytes) = (proposal.header.height, proposal.encode().unwrap());
        let there = self.runtime.block_on(self.log.propose(height, number, &bytes)).unwrap();
        assert_eq!(there, bytes);
    }
}

fn invalid(mut proposal: Proposal) -> Proposal {
    proposal.header.roots[0].1[0] ^= 1;
    proposal
}

#[test]
fn two_leaders_at_once_ask_for_the_same_proposal() {
    let chain = Succession::new();
    let authorities = chain.authorities();
    let first = chain.lead(LeaderName::First, &["--publish"]);
    submit_soon(&first, "first", "1");
    let second = chain.lead(LeaderName::Second, &[]);
    submit_soon(&second, "second", "1");
    let acknowledged: Vec<Value> = thread::scope(|scope| {
        let submitters = [&first, &second].map(|node| {
            let each = move |n: usize| submit_soon(node, &format!("{}", n % 7), &n.to_string());
            scope.spawn(move || (0..20).map(each).collect::<Vec<_>>())
        });
        submitters.into_iter().flat_map(|submitter| submitter.join().unwrap()).collect()
    });
    let newest = height(&first).max(height(&second));
    for node in [&first, &second] {
        eventually(|| height(node) >= newest, || ready(node));
        for included in &acknowledged {
            let kept = node.ask("prooflight_header", &json!({ "at": included["height"] }));
            assert_eq!(kept["hash"], included["hash"]);
        }
    }
    chain.check_only_published_were_signed(&first, newest);
    for authority in &authorities {
        assert!(!authority.log().contains("already_signed"), "{}", authority.log());
    }
}

#[test]
fn a_later_attempt_counts_only_if_the_one_before_is_invalid() {
    let mut stopped = StoppedLeader::new();
    let now = now_ms();
    let (first, second) = (stopped.block("first", now), stopped.block("second", now + 1));
    stopped.propose(0, &first);
    stopped.propose(1, &second);
    let (chain, next) = (&stopped.chain, stopped.height());
    let _authorities = chain.authorities();
    let leader = chain.lead(LeaderName::First, &[]);
    eventually(|| height(&leader) >= next, || ready(&leader));
    assert_eq!(hash_at(&leader, next), hash(&first));
    chain.check_only_published_were_signed(&leader, next);
}

#[test]
fn a_later_attempt_is_resumed_if_the_one_before_is_invalid() {
    let mut stopped = StoppedLeader::new();
    let now = now_ms();
    let (first, second) = (stopped.block("first", now), stopped.block("second", now + 1));
    stopped.propose(0, &invalid(first));
    stopped.propose(1, &second);
    let (chain, next) = (&stopped.chain, stopped.height());
    let _authorities = chain.authorities();
    let leader = chain.lead(LeaderName::Second, &[]);
    eventually(|| height(&leader) >= next, || ready(&leader));
    assert_eq!(hash_at(&leader, next), hash(&second));
    chain.check_only_published_were_signed(&leader, next);
}

#[test]
fn fewer_refusals_than_block_a_quorum_make_no_other_attempt() {
    let mut stopped = StoppedLeader::new();
    let proposal = invalid(stopped.block("first", now_ms()));
    stopped.propose(0, &proposal);
    let (chain, next) = (&stopped.chain, stopped.height());
    let _first = chain.authority(0);
    let leader = chain.lead(LeaderName::First, &[]);
    let refused = || leader.admin().get("/metrics").1;
    let line = "prooflight_refusals_total{authority=\"0\",invalid=\"true\"} 1\n";
    eventually(|| refused().contains(line), refused);
    thread::sleep(Duration::from_millis(500));
    assert!(!chain.attempt(next, 1).exists());
    let _second = chain.authority(1);
    eventually(|| height(&leader) >= next, || ready(&leader));
    assert_ne!(hash_at(&leader, next), hash(&proposal));
    chain.check_only_published_were_signed(&leader, next);
}

#[test]
fn a_proposal_that_is_cut_short_delays_its_block_and_makes_no_other() {
    let mut stopped = StoppedLeader::new();
    let proposal = stopped.block("first", now_ms());
    stopped.propose(0, &proposal);
    let (chain, next) = (&stopped.chain, stopped.height());
    let object = chain.attempt(next, 0);
    let whole = fs::read(&object).unwrap();
    fs::write(&object, &whole[..whole.len() - 1]).unwrap();
    let _authorities = chain.authorities();
    let leader = chain.lead(LeaderName::First, &[]);
    eventually(|| ready(&leader).contains("proposed/"), || ready(&leader));
    assert!(!chain.attempt(next, 1).exists());
    assert!(chain.signatures(next).is_empty());
    fs::write(&object, whole).unwrap();
    eventually(|| height(&leader) >= next, || ready(&leader));
    assert_eq!(hash_at(&leader, next), hash(&proposal));
}

#[test]
fn a_clock_that_is_behind_delays_a_proposal_and_does_not_refuse_it() {
    let mut stopped = StoppedLeader::new();
    // Authorities sign blocks that are up to 30 seconds ahead.
    let proposal = stopped.block("first", now_ms() + 50_000);
    stopped.propose(0, &proposal);
    let (chain, next) = (&stopped.chain, stopped.height());
    let authorities = chain.authorities();
    let leader = chain.lead(LeaderName::First, &[]);
    authorities[0].says("head_in_future");
    assert!(chain.signatures(next).is_empty());
    eventually(|| height(&leader) >= next, || ready(&leader));
    assert_eq!(hash_at(&leader, next), hash(&proposal));
    let metrics = leader.admin().get("/metrics").1;
    assert!(!metrics.contains("invalid=\"true\"}"), "{metrics}");
}

#[test]
fn a_leader_that_is_behind_asks_for_no_second_block_after_proposals_are_removed() {
    let chain = Succession::new();
    let authorities = chain.authorities();
    let first = chain.lead(LeaderName::First, &["--publish"]);
    submit_soon(&first, "first", "1");
    // The leader polls for blocks once, and then only when it makes one.
    let second = chain.lead(LeaderName::Second, &["--follow-interval-ms", "600000"]);
    let copy = chain.at("copy");
    let copied = command(&chain.folder(LeaderName::First), &["backup", copy.to_str().unwrap()]);
    assert!(copied.status.success(), "{}", text(&copied.stderr));
    let next = height(&first) + 1;

    // A write that was delayed arrives after the block is published and its proposal is removed.
    submit_soon(&first, "a", "1");
    assert_eq!(height(&second), next - 1);
    let object = chain.attempt(next, 0);
    eventually(|| !object.exists(), || "the proposal stays".to_owned());
    let behind = Chain::open(&copy).unwrap();
    let set = StateOperation::Set { key: "key".into(), value: "late".into() };
    let late = behind.execute([set], now_ms()).unwrap().proposal().encode().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let bucket = Bucket::open(&chain.log()).unwrap();
        let log = BucketLog::open(bucket, Arc::clone(behind.config())).await.unwrap();
        assert_eq!(log.propose(next, 0, &late).await.unwrap(), late);
    });
    let included = submit_soon(&second, "b", "1");
    assert_eq!(included["height"], format!("{:#x}", next + 1));

    // The same without such a write: its own proposal is there.
    submit_soon(&first, "c", "1");
    submit_soon(&first, "d", "1");
    let newest = height(&first);
    eventually(|| !chain.attempt(newest, 0).exists(), || "the proposal stays".to_owned());
    submit_soon(&second, "e", "1");
    chain.check_only_published_were_signed(&second, height(&second));
    for authority in &authorities {
        assert!(!authority.log().contains("already_signed"), "{}", authority.log());
    }
}

#[test]
fn what_was_proposed_without_a_log_is_resumed_with_one() {
    let chain = Succession::new();
    let authorities = chain.authorities();
    let mut alone = chain.council.lead(&[]);
    submit_soon(&alone, "first", "1");
    let next = height(&alone) + 1;
    let room = chain.council.leader_folder().join(format!("proposed/{next:016}/0000"));
    authorities[1].signal("STOP");
    authorities[2].signal("STOP");
    let waiting = submit_aside(&alone, "a");
    let signed = || chain.signatures(next);
    eventually(|| !signed().is_empty(), || format!("{:?}", signed()));
    assert!(room.exists());
    alone.kill();
    assert!(waiting.join().unwrap().is_err());
    authorities[1].signal("CONT");
    authorities[2].signal("CONT");
    let leader = chain.lead(LeaderName::First, &["--publish"]);
    eventually(|| height(&leader) >= next, || ready(&leader));
    assert_eq!(signed()[0].1, hash_at(&leader, next));
    chain.check_only_published_were_signed(&leader, next);
}

#[test]
fn a_leader_without_keys_needs_an_address_for_authorities_and_a_replica_has_none() {
    let stopped = StoppedLeader::new();
    let (chain, log) = (&stopped.chain, stopped.chain.log());
    let folder = chain.folder(LeaderName::First);
    let refused = |command: &str, settings: &[&str]| match Node::try_share(
        command, &folder, &log, settings,
    ) {
        Ok(_) => panic!("{command} started with {settings:?}"),
        Err(said) => said,
    };
    let said = refused("run", &[]);
    assert!(said.contains("or --authority-listen"), "{said}");
    let said = refused("serve", &["--authority-listen", "127.0.0.1:0"]);
    assert!(said.contains("where blocks are made"), "{said}");
}

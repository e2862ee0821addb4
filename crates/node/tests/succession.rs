//! A leader with remote authorities is killed between any two steps, and a standby succeeds it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use harness::authorities::{AuthorityProcess, submit_soon};
use harness::liar::Lie;
use harness::succession::{LeaderName, Succession, hash, submit_aside};
use harness::{Node, command, eventually, text};
use serde_json::{Value, json};

fn height(node: &Node) -> u64 {
    let head = node.ask("prooflight_head", &json!({}));
    u64::from_str_radix(head["height"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn promote(node: &Node) {
    assert_eq!(node.admin().put("/promote", "").0, 200);
}

/// A chain with a block, a leader, and a standby.
struct Scene {
    chain: Succession,
    authorities: [AuthorityProcess; 3],
    leader: Node,
    standby: Node,
    /// The height of the next block.
    next: u64,
}

impl Scene {
    fn new() -> Self {
        let chain = Succession::new();
        let authorities = chain.authorities();
        let leader = chain.lead(LeaderName::First, &["--publish"]);
        submit_soon(&leader, "first", "1");
        let standby = chain.stand_by(LeaderName::Second);
        let next = height(&leader) + 1;
        Self { chain, authorities, leader, standby, next }
    }

    /// The standby leads, finishes the block with this hash, and makes further ones. The killed leader's folder has the
    /// same blocks as the log.
    fn succeed(self, expected: &Value) {
        let Self { chain, authorities: _authorities, leader, standby, next } = self;
        drop(leader);
        chain.tell(&Lie::None);
        promote(&standby);
        eventually(|| height(&standby) >= next, || standby.admin().get("/ready").1);
        let at = json!({ "at": format!("{next:#x}") });
        assert_eq!(&standby.ask("prooflight_header", &at)["hash"], expected);
        submit_soon(&standby, "second", "2");
        let newest = height(&standby);
        let back = chain.lead(LeaderName::First, &[]);
        eventually(|| height(&back) >= newest, || back.admin().get("/ready").1);
        submit_soon(&back, "third", "3");
        chain.check_only_published_were_signed(&back, newest + 1);
        let left = || objects(&chain.at("bucket/proposed"));
        eventually(|| left().is_empty(), || format!("proposals stay: {:?}", left()));
        for (who, node) in [(LeaderName::First, back), (LeaderName::Second, standby)] {
            assert!(node.stop().success());
            let verified = command(&chain.folder(who), &["verify"]);
            assert!(verified.status.success(), "{}", text(&verified.stderr));
        }
    }
}

/// The objects in a folder of a bucket. Names with # are of files that a killed process had not renamed yet, and of no object.
fn objects(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map_while(Result::ok).map(|entry| entry.path());
    let objects = paths.flat_map(|path| if path.is_dir() { objects(&path) } else { vec![path] });
    objects.filter(|path| !path.to_string_lossy().contains('#')).collect()
}

#[test]
fn killed_after_it_proposed_and_before_an_authority_has_the_proposal() {
    let mut scene = Scene::new();
    scene.chain.tell(&Lie::SilentAbout("prooflight_proposal"));
    let waiting = submit_aside(&scene.leader, "a");
    let proposed = hash(&scene.chain.read(scene.next, 0));
    scene.leader.kill();
    assert!(waiting.join().unwrap().is_err());
    assert!(scene.chain.signatures(scene.next).is_empty());
    scene.succeed(&proposed);
}

#[test]
fn killed_with_fewer_signatures_than_a_quorum() {
    let mut scene = Scene::new();
    scene.authorities[1].signal("STOP");
    scene.authorities[2].signal("STOP");
    let waiting = submit_aside(&scene.leader, "a");
    let proposed = hash(&scene.chain.read(scene.next, 0));
    let signed = || scene.chain.signatures(scene.next);
    eventually(|| !signed().is_empty(), || format!("{:?}", signed()));
    scene.leader.kill();
    assert!(waiting.join().unwrap().is_err());
    scene.authorities[1].signal("CONT");
    scene.authorities[2].signal("CONT");
    scene.succeed(&proposed);
}

#[test]
fn killed_after_a_quorum_signed_and_before_the_block_is_published() {
    let mut scene = Scene::new();
    scene.chain.tell(&Lie::SilentAbout("prooflight_sign"));
    let waiting = submit_aside(&scene.leader, "a");
    let proposed = hash(&scene.chain.read(scene.next, 0));
    let signed = || scene.chain.signatures(scene.next).len() >= 2;
    eventually(signed, || scene.leader.admin().get("/ready").1);
    // The block's object is occupied when the signatures arrive.
    let room = scene.chain.block(scene.next);
    fs::write(&room, b"garbage").unwrap();
    scene.chain.tell(&Lie::None);
    // Every block so far had one quorum.
    let quorum = format!("prooflight_quorum_seconds_count {}\n", scene.next + 1);
    let metrics = || scene.leader.admin().get("/metrics").1;
    eventually(|| metrics().contains(&quorum), metrics);
    scene.leader.kill();
    drop(waiting.join().unwrap());
    fs::remove_file(room).unwrap();
    scene.succeed(&proposed);
}

#[test]
fn killed_after_the_block_is_published_and_before_its_proposal_is_removed() {
    let mut scene = Scene::new();
    scene.chain.tell(&Lie::SilentAbout("prooflight_proposal"));
    let waiting = submit_aside(&scene.leader, "a");
    let proposed = hash(&scene.chain.read(scene.next, 0));
    let object = scene.chain.attempt(scene.next, 0);
    let bytes = fs::read(&object).unwrap();
    scene.chain.tell(&Lie::None);
    eventually(|| height(&scene.leader) >= scene.next, || scene.leader.admin().get("/ready").1);
    drop(waiting.join().unwrap());
    eventually(|| !object.exists(), || "the proposal stays".to_owned());
    scene.leader.kill();
    // As if it had been killed earlier.
    fs::create_dir_all(object.parent().unwrap()).unwrap();
    fs::write(&object, bytes).unwrap();
    scene.succeed(&proposed);
}

#[test]
fn kill_9_of_leaders_in_turn_loses_no_acknowledged_block_and_nobody_signs_twice() {
    let kills: u32 = std::env::var("PROOFLIGHT_KILLS").map_or(10, |kills| kills.parse().unwrap());
    let chain = Succession::new();
    let _authorities = chain.authorities();
    let (mut who, mut other) = (LeaderName::First, LeaderName::Second);
    let mut leader = chain.lead(who, &["--publish"]);
    submit_soon(&leader, "first", "1");
    let mut standby = chain.stand_by(other);
    let mut acknowledged: Vec<Value> = Vec::new();
    for round in 0..kills {
        let client = leader.client();
        let submitter = thread::spawn(move || {
            let mut acknowledged = Vec::new();
            for n in 0.. {
                let ops = json!({ "ops": [harness::set(&format!("{}", n % 7), &format!("{round} {n}"))] });
                match client.call("prooflight_submit", &ops) {
                    Ok(Ok(included)) => acknowledged.push(included),
                    // The leader was killed.
                    Err(_) => break,
                    // The node has just begun to lead.
                    Ok(Err(error)) => {
                        let reason = &error["data"]["reason"];
                        assert!(reason == "quorum_missing" || reason == "read_only", "{error}");
                        thread::sleep(Duration::from_millis(10));
                    }
                }
            }
            acknowledged
        });
        thread::sleep(Duration::from_micros(u64::from(round).wrapping_mul(49_999) % 400_000));
        leader.kill();
        acknowledged.extend(submitter.join().unwrap());
        promote(&standby);
        leader = standby;
        core::mem::swap(&mut who, &mut other);
        standby = chain.stand_by(other);
        let newest = acknowledged.iter().filter_map(|it| it["height"].as_str()).map(number).max();
        eventually(|| Some(height(&leader)) >= newest, || leader.admin().get("/ready").1);
        for included in acknowledged.iter().rev().take(20) {
            let kept = leader.ask("prooflight_header", &json!({ "at": included["height"] }));
            assert_eq!(kept["hash"], included["hash"], "round {round}");
        }
    }
    submit_soon(&leader, "last", "1");
    let newest = height(&leader);
    println!("{kills} kills, {} acknowledged blocks, {newest} blocks", acknowledged.len());
    chain.check_only_published_were_signed(&leader, newest);
    assert!(leader.stop().success());
    let verified = command(&chain.folder(who), &["verify"]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
}

fn number(quantity: &str) -> u64 {
    u64::from_str_radix(quantity.trim_start_matches("0x"), 16).unwrap()
}

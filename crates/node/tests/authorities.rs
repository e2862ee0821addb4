//! Remote authorities: a quorum goes on, and nobody signs two blocks of one height.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use harness::authorities::{AuthorityProcess, Council, memory, submit, submit_soon};
use harness::ledger::{Ledger, SubmitAnswer, submit_numbered};
use harness::liar::Lie;
use harness::light::{genesis, header, verified};
use harness::{Client, Node, PROGRAM, command, eventually, hex, text};
use prooflight_core::chain::{SignedHeader, StateOperation};
use prooflight_node::Chain;
use prooflight_node::chain::proposal::{AttemptId, Proposal, ProposalStore, proposal_id};
use prooflight_node::runtime::clock::now_ms;
use prooflight_node::signing::proposals::ProposalFolder;
use serde_json::{Value, json};

fn head(node: &Node) -> SignedHeader {
    header(&node.ask("prooflight_head", &json!({})))
}

fn all<const N: usize>(council: &Council) -> [AuthorityProcess; N] {
    std::array::from_fn(|index| council.authority(index))
}

#[test]
fn two_of_three_go_on_and_their_blocks_verify() {
    let council = Council::new(3, 2);
    let [mut first, mut second, mut third] = all(&council);
    let leader = council.lead(&[]);
    let checkpoint = genesis(&leader);
    assert_eq!(checkpoint.config.quorum, 2);
    submit_soon(&leader, "alice", "1");
    assert_eq!(leader.admin().get("/ready").0, 200);
    assert_eq!(verified(&leader, &checkpoint, "latest", "alice"), Some(b"1".to_vec()));

    // One is stalled, and then down.
    third.signal("STOP");
    for n in 0..5 {
        submit_soon(&leader, "alice", &n.to_string());
    }
    third.kill();
    submit_soon(&leader, "bob", "2");
    assert_eq!(verified(&leader, &checkpoint, "latest", "bob"), Some(b"2".to_vec()));
    let signed = head(&leader);
    assert_eq!(signed.signatures.len(), 2);
    signed.check_signed(&checkpoint.config).unwrap();
    let ready = first.admin().get("/ready");
    assert_eq!(ready.0, 200, "{ready:?}");

    // Two are down: nothing is lost, and the node says what it misses.
    second.kill();
    let silent = || leader.admin().get("/ready");
    eventually(|| silent().0 == 503, || format!("{:?}", silent()));
    let refused = submit(&leader, "carol", "3").unwrap_err();
    assert_eq!(refused["data"]["reason"], "quorum_missing", "{refused}");
    let why = silent().1;
    assert!(why.contains("quorum_missing") && why.contains("not authority 1 (0x"), "{why}");
    let metrics = leader.admin().get("/metrics").1;
    assert!(metrics.contains("prooflight_authorities_missing 2\n"), "{metrics}");
    assert!(metrics.contains("prooflight_signatures_total{authority=\"0\"}"), "{metrics}");
    assert_eq!(verified(&leader, &checkpoint, "latest", "bob"), Some(b"2".to_vec()));

    let _second = council.authority(1);
    submit_soon(&leader, "carol", "3");
    assert_eq!(leader.admin().get("/ready").0, 200);
    // The third fetches what it missed, and signs in place of the first.
    let third = council.authority(2);
    first.kill();
    submit_soon(&leader, "dave", "4");
    let height = head(&leader).header.height;
    let metrics = || third.admin().get("/metrics").1;
    let line = format!("prooflight_signed_height {height}\n");
    eventually(|| metrics().contains(&line), metrics);
    council.check_nobody_signed_twice();
    assert!(leader.stop().success());
    let verified = command(&council.leader_folder(), &["verify"]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
}

/// Random numbers from a seed.
struct SeededRng(u64);

impl SeededRng {
    fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

fn number_of(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |number| number.parse().unwrap())
}

#[test]
fn kill_9_loses_no_acknowledged_block_and_nobody_signs_twice() {
    let (kills, seed) = (number_of("PROOFLIGHT_KILLS", 10), number_of("PROOFLIGHT_SEED", 1));
    println!("seed {seed}");
    let mut dice = SeededRng(seed);
    let council = Council::new(3, 2);
    let mut authorities: [_; 3] = all(&council);
    let mut leader = council.lead(&[]);
    let mut ledger = Ledger::new(genesis(&leader).config);
    for round in 0..kills {
        let (client, first) = (leader.client(), ledger.next());
        let submitter = thread::spawn(move || submit_until_killed(&client, first));
        thread::sleep(Duration::from_micros(dice.below(300_000)));
        // The leader, one authority, or two: then no block is made for a moment.
        let submitted = match dice.below(5) {
            0 | 1 => {
                leader.kill();
                let submitted = submitter.join().unwrap();
                leader = council.lead(&[]);
                submitted
            }
            who => {
                let who = usize::try_from(who - 2).unwrap();
                let also = (dice.below(2) == 0).then_some((who + 1) % 3);
                for index in [Some(who), also].into_iter().flatten() {
                    authorities[index].kill();
                    authorities[index] = council.authority(index);
                }
                submitter.join().unwrap()
            }
        };
        let SubmitResults { told, late } = submitted;
        ledger.add(told);
        ledger.check(&leader, 40);
        for authority in &mut authorities {
            authority.check_runs();
        }
        if let Some(late) = late {
            println!("round {round}: {late}; ready: {:?}", leader.admin().get("/ready"));
            ledger.check_goes_on(&leader, &format!("round {round}"));
        }
    }
    ledger.check_goes_on(&leader, "after the last kill");
    ledger.check_all(&leader);
    let [acknowledged, refused, unknown] = ledger.counts();
    println!(
        "{kills} kills; {acknowledged} submissions acknowledged, {refused} refused, {unknown} \
         without an answer, of which {} are in the chain",
        ledger.unknown_but_found()
    );
    // More than the last one.
    assert!(acknowledged > 1);
    council.check_nobody_signed_twice();
    assert!(leader.stop().success());
    let verified = command(&council.leader_folder(), &["verify"]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
}

/// What a submitter was told.
struct SubmitResults {
    told: Vec<SubmitAnswer>,
    /// The first answer that no block came in time.
    late: Option<String>,
}

/// Submits one after another until the leader does not answer, at most 40 times.
fn submit_until_killed(client: &Client, first: usize) -> SubmitResults {
    let mut submitted = SubmitResults { told: Vec::new(), late: None };
    for number in first..first + 40 {
        let (told, why) = submit_numbered(client, number);
        submitted.told.push(told.clone());
        match told {
            SubmitAnswer::Included(_) => {}
            // Authorities are not back yet.
            SubmitAnswer::Refused => thread::sleep(Duration::from_millis(10)),
            SubmitAnswer::Late => {
                submitted.late.get_or_insert(why);
            }
            SubmitAnswer::Nothing => break,
        }
    }
    submitted
}

#[test]
fn a_submission_that_is_late_is_in_one_block_once_there_is_a_quorum() {
    let council = Council::new(3, 2);
    let _authorities: [_; 3] = all(&council);
    let leader = council.lead(&["--request-time-ms", "1500"]);
    let mut ledger = Ledger::new(genesis(&leader).config);
    ledger.check_goes_on(&leader, "at the start");
    council.proxy.tell(Lie::SilentAbout("prooflight_sign"));
    for _ in 0..2 {
        let (told, why) = submit_numbered(&leader.client(), ledger.next());
        assert!(matches!(told, SubmitAnswer::Late), "{told:?}: {why}");
        ledger.add([told]);
        ledger.check(&leader, 40);
    }
    assert_eq!(ledger.unknown_but_found(), 0);
    council.proxy.tell(Lie::None);
    ledger.check_goes_on(&leader, "with all authorities");
    ledger.check_all(&leader);
    // Those that the leader had before this one are in blocks before it, or in its own.
    assert_eq!(ledger.unknown_but_found(), 2);
    council.check_nobody_signed_twice();
}

#[test]
fn a_proposal_is_resumed_after_the_leader_is_killed_before_a_quorum() {
    let council = Council::new(3, 2);
    let mut authorities: [_; 3] = all(&council);
    let mut leader = council.lead(&[]);
    submit_soon(&leader, "a", "1");
    let height = head(&leader).header.height + 1;
    let at = AttemptId { height, number: 0 };

    // The leader hears of no signature.
    council.proxy.tell(Lie::SilentAbout("prooflight_sign"));
    let client = leader.client();
    let waiting = thread::spawn(move || {
        client.call("prooflight_submit", &json!({ "ops": [harness::set("a", "2")] }))
    });
    let asked = Value::from(format!("{height:#x}"));
    let signed = || {
        let signatures = council.signatures().into_iter();
        signatures.filter(|(_, at, _)| *at == asked).collect::<Vec<_>>()
    };
    eventually(|| signed().len() >= 3, || format!("{:?}", signed()));
    let proposals = ProposalFolder::of(&council.leader_folder());
    let proposed = Proposal::decode(&proposals.read(at).unwrap().unwrap()).unwrap();
    let hash = Value::from(hex(&proposed.header.hash()));
    assert!(signed().iter().all(|(_, _, signed)| *signed == hash));
    leader.kill();
    assert!(waiting.join().unwrap().is_err());
    // An authority is killed too, after its memory and before its answer arrives.
    authorities[0].kill();
    authorities[0] = council.authority(0);
    council.proxy.tell(Lie::None);

    let leader = council.lead(&[]);
    eventually(|| head(&leader).header.height >= height, || leader.admin().get("/ready").1);
    let resumed = leader.ask("prooflight_header", &json!({ "at": asked }));
    assert_eq!(resumed["hash"], hash);
    // Asked again, everybody gave the same signature.
    assert!(signed().iter().all(|(_, _, signed)| *signed == hash), "{:?}", signed());
    council.check_nobody_signed_twice();
    eventually(|| proposals.read(at).unwrap().is_none(), || "the proposal stays".to_owned());
}

#[test]
fn an_invalid_proposal_gets_no_quorum_and_another_attempt_does() {
    let council = Council::new(3, 2);
    let _authorities: [_; 3] = all(&council);
    let leader = council.lead(&[]);
    submit_soon(&leader, "a", "1");
    let newest = head(&leader).header;
    assert!(leader.stop().success());

    // As if a leader with a fault had written it.
    let wrong = prooflight_core::chain::Header {
        height: newest.height + 1,
        parent: newest.hash(),
        timestamp_ms: newest.timestamp_ms + 1,
        ..newest.clone()
    };
    let wrong = Proposal { header: wrong, operations: vec![] }.encode().unwrap();
    let proposals = ProposalFolder::of(&council.leader_folder());
    let at = AttemptId { height: newest.height + 1, number: 0 };
    proposals.create(at, &wrong).unwrap();

    let leader = council.lead(&[]);
    eventually(|| head(&leader).header.height > newest.height, || leader.admin().get("/ready").1);
    let metrics = leader.admin().get("/metrics").1;
    assert!(metrics.contains("invalid=\"true\"} 1\n"), "{metrics}");
    submit_soon(&leader, "a", "2");
    council.check_nobody_signed_twice();
    assert!(leader.stop().success());
    assert!(command(&council.leader_folder(), &["verify"]).status.success());
}

#[test]
fn a_damaged_proposal_is_never_replaced() {
    let council = Council::new(1, 1);
    let _authority = council.authority(0);
    let mut leader = council.lead(&[]);
    submit_soon(&leader, "a", "1");
    council.proxy.tell(Lie::SilentAbout("prooflight_sign"));
    let before = council.signatures().len();
    let client = leader.client();
    let waiting = thread::spawn(move || {
        client.call("prooflight_submit", &json!({ "ops": [harness::set("a", "2")] }))
    });
    eventually(|| council.signatures().len() > before, String::new);
    leader.kill();
    assert!(waiting.join().unwrap().is_err());
    let height = u64::from_str_radix(&council.signatures()[before].1.as_str().unwrap()[2..], 16);
    let path = format!("proposed/{:016}/0000", height.unwrap());
    let path = council.leader_folder().join(path);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    council.proxy.tell(Lie::None);
    let mut run = Command::new(PROGRAM);
    run.args(["run", "--listen", "127.0.0.1:0", "--authority-listen", "127.0.0.1:0", "--data-dir"]);
    let ended = run.arg(council.leader_folder()).output().unwrap();
    assert_eq!(ended.status.code(), Some(65), "{}", text(&ended.stderr));
    assert!(text(&ended.stderr).contains("restore it"), "{}", text(&ended.stderr));
    fs::write(&path, whole).unwrap();
    let leader = council.lead(&[]);
    submit_soon(&leader, "a", "3");
    council.check_nobody_signed_twice();
}

#[test]
fn a_leader_whose_answers_are_changed_or_cut_gets_no_signature() {
    let council = Council::new(1, 1);
    let authority = council.authority(0);
    let leader = council.lead(&[]);
    submit_soon(&leader, "a", "1");
    let before = council.signatures().len();
    let flip = |name: &'static str| {
        Lie::of("prooflight_proposal", move |result| {
            let mut bytes = harness::bytes(&result[name]);
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            result[name] = json!(hex(&bytes));
        })
    };
    let cut = Lie::of("prooflight_proposal", |result| {
        let bytes = harness::bytes(&result["proposal"]);
        result["proposal"] = json!(hex(&bytes[..bytes.len() / 2]));
    });
    let client = leader.client();
    council.proxy.tell(Lie::Silent);
    let waiting = thread::spawn(move || {
        client.call("prooflight_submit", &json!({ "ops": [harness::set("a", "2")] })).unwrap()
    });
    for lie in [flip("proposal"), cut, Lie::Body("{"), Lie::Status(500), Lie::Endless] {
        let said = authority.log().matches("not followed or signed").count();
        council.proxy.tell(lie);
        eventually(
            || authority.log().matches("not followed or signed").count() > said + 1,
            || authority.log(),
        );
    }
    assert_eq!(council.signatures().len(), before);
    council.proxy.tell(Lie::None);
    // Its submitter may have been told that the quorum is missing; the block comes all the same.
    drop(waiting.join().unwrap());
    eventually(|| council.signatures().len() > before, || authority.log());
    submit_soon(&leader, "a", "3");
}

/// What a leader that lies says to an authority.
struct LyingOffer {
    head: u64,
    height: u64,
    attempts: Vec<Vec<u8>>,
}

impl LyingOffer {
    /// The lie. The last attempt is asked for; what an authority says is taken.
    fn told(self) -> Lie {
        let id = hex(&proposal_id(self.attempts.last().unwrap()));
        Lie::Invented(Arc::new(move |method, params| match method {
            "prooflight_awaited" => json!({
                "head": format!("{:#x}", self.head),
                "proposal": {
                    "height": format!("{:#x}", self.height),
                    "attempt": self.attempts.len() - 1,
                    "id": id,
                },
            }),
            "prooflight_proposal" => {
                let number = usize::try_from(params["attempt"].as_u64().unwrap()).unwrap();
                json!({ "proposal": hex(&self.attempts[number]) })
            }
            _ => json!(true),
        }))
    }
}

#[test]
fn a_leader_that_lies_gets_one_signature_of_a_height() {
    let council = Council::new(3, 2);
    let mut authority = council.authority(0);
    let second = council.authority(1);
    let leader = council.lead(&[]);
    submit_soon(&leader, "a", "1");
    let newest = head(&leader).header.height;
    authority.follows(newest);
    assert!(leader.stop().success());
    drop(second);

    // The leader's machine is taken over: its folder, its listener, and all its programs.
    let chain = Chain::open(&council.leader_folder()).unwrap();
    let block = |value: &str| {
        let set = StateOperation::Set { key: "a".into(), value: value.into() };
        chain.execute([set], now_ms()).unwrap().proposal()
    };
    let (first, other) = (block("2"), block("3"));
    let height = first.header.height;
    let invalid = |block: &Proposal| {
        let mut invalid = block.clone();
        invalid.header.roots[0].1[0] ^= 1;
        invalid.encode().unwrap()
    };
    let bytes = |block: &Proposal| block.encode().unwrap();
    let offer =
        |attempts: &[Vec<u8>]| LyingOffer { head: newest, height, attempts: attempts.to_vec() };
    let signed_before = council.signatures().len();
    council.proxy.tell(offer(&[bytes(&first)]).told());
    eventually(|| council.signatures().len() > signed_before, || authority.log());
    let given = council.proxy.requests("prooflight_sign").pop().unwrap()["params"].clone();
    assert_eq!(given["hash"], hex(&first.header.hash()));

    let garbage = b"no block".to_vec();
    let mut later = other.clone();
    later.header.height += 1;
    later.header.parent = first.header.hash();
    for (offer, says) in [
        // Another block in its place, or as another attempt after what is invalid.
        (offer(&[bytes(&other)]), "already_signed"),
        (offer(&[garbage.clone(), bytes(&other)]), "already_signed"),
        (offer(&[invalid(&first), bytes(&other)]), "already_signed"),
        (offer(&[invalid(&first), garbage, bytes(&other)]), "already_signed"),
        // The next height, as if the first block were published.
        (LyingOffer { height: height + 1, ..offer(&[bytes(&later)]) }, "wrong_block"),
        (LyingOffer { head: height, ..offer(&[bytes(&other)]) }, "invalid_result"),
        (LyingOffer { head: u64::MAX, ..offer(&[bytes(&other)]) }, "invalid_result"),
        // An old height.
        (LyingOffer { head: 0, height: newest, ..offer(&[bytes(&other)]) }, "wrong_block"),
        (offer(&vec![bytes(&other); 17]), "invalid_reply"),
    ] {
        let said = || authority.log().matches(says).count();
        let before = said();
        council.proxy.tell(offer.told());
        eventually(|| said() > before + 1, || authority.log());
    }
    authority.kill();
    let authority = council.authority(0);
    council.proxy.tell(offer(&[bytes(&other)]).told());
    authority.says("already_signed");
    // The block that it signed is signed again, with the same bytes.
    let count = council.signatures().len();
    council.proxy.tell(offer(&[invalid(&other), bytes(&first)]).told());
    eventually(|| council.signatures().len() > count, || authority.log());
    let signed = council.proxy.requests("prooflight_sign");
    assert!(signed[signed_before..].iter().all(|request| request["params"] == given));
}

#[test]
fn an_authority_signs_only_with_a_complete_memory() {
    let council = Council::new(1, 1);
    let mut authority = council.authority(0);
    let leader = council.lead(&[]);
    submit_soon(&leader, "a", "1");
    let path = memory(&council.authority_folder(0));
    assert!(authority.terminate().success());
    let old = fs::read(&path).unwrap();
    let refused = |reason: &str| {
        let mut authority = council.authority(0);
        assert_eq!(authority.ended().code(), Some(65), "{}", authority.log());
        authority.says(reason);
    };
    // A complete memory is not begun anew.
    let begun = council.sign_from(0, 100);
    assert_eq!(begun.status.code(), Some(78), "{}", text(&begun.stderr));
    assert_eq!(fs::read(&path).unwrap(), old);

    let mut authority = council.authority(0);
    submit_soon(&leader, "a", "2");
    let height = head(&leader).header.height;
    authority.follows(height);
    assert!(authority.terminate().success());
    let newest = fs::read(&path).unwrap();
    // An older file, a damaged one, none.
    fs::write(&path, &old).unwrap();
    refused("memory_lost");
    fs::write(&path, &newest[..newest.len() - 1]).unwrap();
    refused("memory_lost");
    fs::remove_file(&path).unwrap();
    refused("memory_lost");
    // A height below what it has signed is refused too.
    let begun = council.sign_from(0, height);
    assert_eq!(begun.status.code(), Some(65), "{}", text(&begun.stderr));
    assert!(text(&begun.stderr).contains("memory_lost"), "{}", text(&begun.stderr));
    assert!(!path.exists());
    let begun = council.sign_from(0, height + 1);
    assert!(begun.status.success(), "{}", text(&begun.stderr));
    let _authority = council.authority(0);
    submit_soon(&leader, "a", "3");
    council.check_nobody_signed_twice();
}

#[test]
fn settings_that_could_sign_two_blocks_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let key = |n: u8| hex(&[n; 32]);
    let init = |count: u8, quorum: &str| {
        let keys: Vec<_> = (1..=count).map(key).collect();
        let mut arguments = vec!["init", "--quorum", quorum];
        for key in &keys {
            arguments.extend(["--authority", key]);
        }
        command(&folder.path().join("chain"), &arguments)
    };
    for (count, quorum) in [(2, "1"), (3, "1"), (4, "2"), (3, "4"), (3, "0")] {
        let refused = init(count, quorum);
        assert_eq!(refused.status.code(), Some(78), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("invalid_config"), "{}", text(&refused.stderr));
        assert!(!folder.path().join("chain").exists());
    }
    assert!(init(3, "2").status.success());
    let run = |arguments: &[&str]| {
        let listen = ["run", "--listen", "127.0.0.1:0"];
        let ended = command(&folder.path().join("chain"), &[&listen, arguments].concat());
        (ended.status.code(), text(&ended.stderr))
    };
    let (code, said) = run(&[]);
    assert!(code == Some(78) && said.contains("--authority-listen"), "{said}");

    // A node that signs itself needs no authorities.
    let dev = folder.path().join("dev");
    assert!(command(&dev, &["init"]).status.success());
    let listen = ["run", "--listen", "127.0.0.1:0", "--authority-listen", "127.0.0.1:0"];
    let ended = command(&dev, &listen);
    assert_eq!(ended.status.code(), Some(78), "{}", text(&ended.stderr));
}

#[test]
fn authorities_need_their_token() {
    let council = Council::new(1, 1);
    let token = council.folder.path().join("token");
    fs::write(&token, "for authorities\n").unwrap();
    let token = token.to_str().unwrap();
    let wrong = council.folder.path().join("wrong");
    fs::write(&wrong, "something else\n").unwrap();
    // The proxy passes no tokens on.
    let without = council.authority_beside(0, &[]);
    thread::scope(|scope| {
        let leader = scope.spawn(|| council.lead(&["--authority-token-file", token]));
        without.says("lacks the token");
        drop(without);
        let refused = council.authority_beside(0, &["--token-file", wrong.to_str().unwrap()]);
        refused.says("lacks the token");
        drop(refused);
        let _authority = council.authority_beside(0, &["--token-file", token]);
        let leader = leader.join().unwrap();
        submit_soon(&leader, "a", "1");
    });
}

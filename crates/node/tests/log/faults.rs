//! Logs that are damaged or do not answer.

use std::fs;
use std::process::Command;
use std::thread;

use serde_json::json;

use super::chain::{Chain, FAST, height, ready, submit, wait_until_same};
use crate::harness::s3::{Fault, S3};
use crate::harness::{Node, PROGRAM, eventually, set};

#[test]
fn a_leader_waits_for_its_bucket_and_says_why() {
    let chain = Chain::in_folder();
    let leader = chain.lead("first");
    submit(&leader, "key", "1");
    // The object of the next block exists and is no block.
    fs::write(chain.block(2), b"garbage").unwrap();
    let client = leader.client();
    let waiting = thread::spawn(move || {
        client.call("prooflight_submit", &json!({ "ops": [set("key", "2")] })).unwrap()
    });
    eventually(|| ready(&leader).0 == 503, || format!("{:?}", ready(&leader)));
    assert!(ready(&leader).1.contains("blocks/0000000000000002"), "{:?}", ready(&leader));
    assert_eq!(height(&leader), 1);
    fs::remove_file(chain.block(2)).unwrap();
    // Refused if the leader has seen the garbage first; otherwise made once the garbage is gone.
    match waiting.join().unwrap() {
        Ok(included) => assert_eq!(included["height"], "0x2"),
        Err(refused) => assert_eq!(refused["data"]["reason"], "truncated"),
    }
    eventually(|| ready(&leader).0 == 200, || format!("{:?}", ready(&leader)));
    submit(&leader, "key", "3");
}

#[test]
fn a_signed_but_wrong_block_stops_nobody_for_good() {
    let chain = Chain::in_folder();
    let leader = chain.lead("first");
    submit(&leader, "key", "1");
    let standby = chain.stand_by("second", &["--takeover-after-ms", "600000"]);
    wait_until_same(&leader, &standby);
    chain.publish_wrong_block("second");
    // Every node that polls the log reports it, and goes on serving.
    let said = |node: &Node| ready(node).1;
    let wrong = "state_root_mismatch";
    eventually(|| said(&standby).contains(wrong), || format!("{:?}", ready(&standby)));
    let refused = leader.call("prooflight_submit", &json!({ "ops": [set("key", "2")] }));
    assert_eq!(refused.unwrap_err()["data"]["reason"], wrong);
    for node in [&leader, &standby] {
        eventually(|| said(node).contains(wrong), || format!("{:?}", ready(node)));
        assert_eq!((height(node), ready(node).0), (1, 503));
    }
    // Nodes that start meanwhile, too.
    drop(standby);
    let standby = chain.stand_by("second", &["--takeover-after-ms", "600000"]);
    eventually(|| said(&standby).contains(wrong), || format!("{:?}", ready(&standby)));
    // It is read repeatedly.
    fs::remove_file(chain.block(2)).unwrap();
    for node in [&leader, &standby] {
        eventually(|| ready(node).0 == 200, || format!("{:?}", ready(node)));
    }
    assert_eq!(submit(&leader, "key", "3")["height"], "0x2");
    wait_until_same(&leader, &standby);
}

#[test]
fn a_wrong_place_or_a_damaged_object_is_an_error_that_says_what_to_do() {
    let chain = Chain::in_folder();
    let folder = chain.at("new");
    let share = |command: &str, log: &str| {
        let pinned = ["--checkpoint", chain.checkpoint().to_str().unwrap()].map(str::to_owned);
        let pinned = pinned.each_ref().map(String::as_str);
        let said = Node::try_share(command, &folder, log, &pinned).map(|_| ()).unwrap_err();
        assert!(!folder.exists(), "{said}");
        said
    };
    for command in ["run", "serve"] {
        for (log, expected) in [
            ("", "file:///FOLDER"),
            ("ftp://host", "file:///FOLDER"),
            ("s3://me:hunter2@bucket/chain", "credentials belong into the environment"),
            ("file:///no/such/folder", "create it first"),
        ] {
            let said = share(command, log);
            assert!(said.contains(expected) && !said.contains("hunter2"), "{said}");
        }
    }
    let log = chain.log.clone();
    assert!(share("serve", &log).contains("its leader begins it"));
    let both = ["--follow", "http://127.0.0.1:1", "--checkpoint", "none"];
    let said = Node::try_share("run", &folder, &log, &both).map(|_| ()).unwrap_err();
    assert!(said.contains("both"), "{said}");

    let leader = chain.lead("first");
    submit(&leader, "key", "1");
    drop(leader);
    let whole = fs::read(chain.bucket().join("chain")).unwrap();
    for (change, expected) in [
        (whole[..9].to_vec(), "truncated"),
        ([&whole[..7], b"2", &whole[8..]].concat(), "a newer program may read it"),
        ([&whole[..40], b"?", &whole[41..]].concat(), "invalid_encoding"),
    ] {
        fs::write(chain.bucket().join("chain"), change).unwrap();
        for command in ["run", "serve"] {
            let said = share(command, &log);
            assert!(said.contains(expected), "{said}");
        }
    }
    fs::write(chain.bucket().join("chain"), whole).unwrap();

    // A reader of a damaged block serves the earlier blocks, and reports the error.
    let whole = fs::read(chain.block(1)).unwrap();
    fs::write(chain.block(1), &whole[..whole.len() - 1]).unwrap();
    let reader = chain.serve("reader");
    eventually(|| ready(&reader).1.contains("truncated"), || format!("{:?}", ready(&reader)));
    assert_eq!(height(&reader), 0);
    fs::write(chain.block(1), whole).unwrap();
    eventually(|| height(&reader) == 1, || format!("{:?}", ready(&reader)));
}

/// Starts a node whose log is in a bucket of this server.
fn start_on(server: &S3, chain: &Chain, command: &str, name: &str) -> Result<Node, String> {
    let folder = chain.at(name);
    if !folder.exists() {
        fs::create_dir(&folder).unwrap();
        fs::copy(chain.at("first/authority-0.key"), folder.join("authority-0.key")).unwrap();
    }
    let mut program = Command::new(PROGRAM);
    program.args([command, "--log", "s3://bucket", "--data-dir"]).arg(&folder);
    program.arg("--checkpoint").arg(chain.checkpoint()).args(FAST);
    program.args(if command == "run" {
        &["--standby", "--takeover-after-ms", "600000"][..]
    } else {
        &[]
    });
    program.envs(server.variables());
    Node::serve(program)
}

#[test]
fn a_start_outlasts_failures_of_the_bucket_that_end() {
    let chain = Chain::in_folder();
    let leader = chain.lead("first");
    for value in ["1", "2", "3"] {
        submit(&leader, "key", value);
    }
    drop(leader);
    // The client sends each request up to three times, and resumes after a cut if the server can.
    let failing = |method: &str, number: usize| match (method, number) {
        ("GET", 0 | 6) => Some(Fault::Cut),
        ("GET", 1 | 2) => Some(Fault::Silent),
        (_, 0..6) => Some(Fault::Status(503, "SlowDown")),
        _ => None,
    };
    for (command, name) in [("serve", "reader"), ("run", "standby")] {
        let server = S3::over(&chain.bucket(), failing);
        let node = start_on(&server, &chain, command, name).unwrap();
        eventually(|| height(&node) == 3, || format!("{:?}", ready(&node)));
        assert!(server.asked("GET", "chain") > 6, "{command}");
    }
}

#[test]
fn a_start_on_a_bucket_that_goes_on_failing_ends_and_what_is_wrong_ends_it_at_once() {
    let chain = Chain::in_folder();
    drop(chain.lead("first"));
    let ended = |server: &S3, command: &str| {
        start_on(server, &chain, command, "new").map(|_| ()).unwrap_err()
    };
    let server = S3::over(&chain.bucket(), |_, _| Some(Fault::Status(503, "SlowDown")));
    let said = ended(&server, "serve");
    let again = said.matches("a request failed; retrying while the node starts").count();
    assert!(said.contains("unreachable") && again >= 2, "{said}");
    for (status, code, expected) in [
        (404, "NoSuchBucket", "create it first"),
        (403, "InvalidAccessKeyId", "credentials"),
        (404, "NoSuchKey", "its leader begins it"),
    ] {
        let server = S3::over(&chain.bucket(), move |_, _| Some(Fault::Status(status, code)));
        for command in ["serve", "run"] {
            let said = ended(&server, command);
            assert!(said.contains(expected) && !said.contains("tries again"), "{said}");
        }
        assert_eq!(server.asked("GET", "chain"), 2, "{code}");
    }
    // A truncated object arrives completely, so there is no retry.
    let path = chain.bucket().join("chain");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let server = S3::over(&chain.bucket(), |_, _| None);
    let said = ended(&server, "serve");
    assert!(said.contains("truncated") && !said.contains("tries again"), "{said}");
    assert_eq!(server.asked("GET", "chain"), 1);
}

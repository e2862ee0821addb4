//! Commands that read a log.

use std::fs;
use std::path::Path;

use super::chain::{Chain, assert_has, run, submit};
use crate::harness::{command, text};

#[test]
fn commands_need_only_the_log() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    for n in 0..9 {
        submit(&leader, &format!("key {}", n % 4), &n.to_string());
    }
    drop(leader);
    let checkpoint = chain.checkpoint();
    let log = ["--log", &chain.log, "--checkpoint", checkpoint.to_str().unwrap()];
    let with = |command: &[&str]| {
        let (succeeded, said) = run(&[command, &log].concat());
        assert!(succeeded, "{said}");
        said
    };
    assert_eq!(with(&["verify"]), "10 blocks and 4 values verified\n");
    let [by_log, by_folder] = ["by-log.jsonl", "by-folder.jsonl"].map(|name| chain.at(name));
    with(&["export", by_log.to_str().unwrap()]);
    let output = command(&chain.at("first"), &["export", by_folder.to_str().unwrap()]);
    assert!(output.status.success());
    assert_eq!(fs::read(by_log).unwrap(), fs::read(by_folder).unwrap());
    for height in [&[][..], &["--height", "3"]] {
        let by_folder = command(&chain.at("first"), &[&["checkpoint"], height].concat());
        assert_eq!(with(&[&["checkpoint"], height].concat()), text(&by_folder.stdout));
    }
    let said = with(&["backup", chain.at("copy").to_str().unwrap()]);
    assert!(said.starts_with("10 blocks and 4 values in"), "{said}");
    assert_eq!(fs::read(chain.at("copy/log")).unwrap(), fs::read(chain.at("first/log")).unwrap());
    let verified = command(&chain.at("copy"), &["verify"]);
    assert_eq!(text(&verified.stdout), "10 blocks and 4 values verified\n");
    let (succeeded, said) = run(&["verify", "--log", &chain.log]);
    assert!(!succeeded && said.contains("--checkpoint"), "{said}");
}

#[test]
fn a_log_is_copied_and_its_leader_moves() {
    let chain = Chain::new();
    let leader = chain.lead("first");
    let mut acknowledged = vec![submit(&leader, "key", "1"), submit(&leader, "key", "2")];
    drop(leader);
    let to = match chain.log.strip_prefix("file://") {
        Some(_) => {
            fs::create_dir(chain.at("to")).unwrap();
            format!("file://{}", chain.at("to").display())
        }
        None => format!("{}-to", chain.log),
    };
    let checkpoint = chain.checkpoint();
    let pinned = ["--checkpoint", checkpoint.to_str().unwrap()];
    let copy = |from: &str, to: &str| run(&[&["copy", from, to], &pinned[..]].concat());
    let (succeeded, said) = copy(&chain.log, &to);
    assert!(succeeded && said.contains("3 blocks in") && said.contains("3 of them new"), "{said}");
    let (succeeded, said) = run(&["copy", &chain.log, &to]);
    assert!(succeeded && said.contains("0 of them new"), "{said}");
    let moved = ["--log-moved-from", &chain.log];
    let bound = fs::read_to_string(chain.at("first/log")).unwrap();
    let moved = [moved[0], bound.trim_end()];
    let leader = chain.try_share(&to, "run", "first", &moved).unwrap();
    acknowledged.push(submit(&leader, "key", "3"));
    assert_has(&leader, &acknowledged);
    drop(leader);
    let (succeeded, said) = copy(&chain.log, &to);
    assert!(!succeeded && said.contains("unknown_block"), "{said}");
    let (succeeded, said) = copy(&to, &format!("{to}/"));
    assert!(!succeeded && said.contains("two different logs"), "{said}");
}

#[test]
fn commands_on_a_log_say_what_is_wrong_and_write_nothing() {
    let (chain, other) = (Chain::in_folder(), Chain::in_folder());
    let leader = chain.lead("first");
    submit(&leader, "key", "1");
    drop(leader);
    fs::create_dir(chain.at("to")).unwrap();
    let to = format!("file://{}", chain.at("to").display());
    let (out, folder) = (chain.at("out.jsonl"), chain.at("backup"));
    let refused = |log: &str, checkpoint: &Path, expected: &str| {
        let given = ["--log", log, "--checkpoint", checkpoint.to_str().unwrap()];
        for command in [
            &["verify"][..],
            &["checkpoint"],
            &["export", out.to_str().unwrap()],
            &["backup", folder.to_str().unwrap()],
        ] {
            let (succeeded, said) = run(&[command, &given].concat());
            assert!(!succeeded && said.contains(expected), "{command:?} {log}: {said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
        let (succeeded, said) = run(&[&["copy", log, &to], &given[2..]].concat());
        assert!(!succeeded && said.contains(expected), "copy {log}: {said}");
        assert!(!out.exists() && !folder.exists());
        assert!(!chain.at("to/chain").exists());
    };
    let checkpoint = chain.checkpoint();
    refused("", &checkpoint, "file:///FOLDER");
    refused("ftp://host", &checkpoint, "file:///FOLDER");
    refused("s3://me:hunter2@bucket/chain", &checkpoint, "credentials belong into the environment");
    refused("file:///no/such/folder", &checkpoint, "create it first");
    refused(&other.log, &checkpoint, "unknown_block");
    refused(&chain.log, &other.checkpoint(), "wrong_chain");
    refused(&chain.log, &chain.at("none.json"), "invalid_argument");
    let damaged = |path: &Path, expected: &str, change: fn(&[u8]) -> Vec<u8>| {
        let whole = fs::read(path).unwrap();
        fs::write(path, change(&whole)).unwrap();
        refused(&chain.log, &checkpoint, expected);
        fs::write(path, whole).unwrap();
    };
    for path in [chain.bucket().join("chain"), chain.block(1), chain.block(0)] {
        damaged(&path, "truncated", |it| it[..it.len() - 1].to_vec());
        damaged(&path, "invalid_encoding", |it| [&it[..50], &[it[50] ^ 1], &it[51..]].concat());
        damaged(&path, "unknown_version", |it| [&it[..7], b"0", &it[8..]].concat());
    }
    // Another chain at the new location.
    drop(other.lead("first"));
    let (succeeded, said) = run(&["copy", &chain.log, &other.log]);
    assert!(!succeeded && said.contains("wrong_chain"), "{said}");
    // A signed block with a wrong root is found by executing it.
    fs::remove_dir_all(chain.at("to")).unwrap();
    fs::create_dir(chain.at("to")).unwrap();
    chain.publish_wrong_block("first");
    let given = ["--log", &chain.log, "--checkpoint", checkpoint.to_str().unwrap()];
    for command in [&["verify"][..], &["backup", folder.to_str().unwrap()]] {
        let (succeeded, said) = run(&[command, &given].concat());
        assert!(!succeeded && said.contains("state_root_mismatch"), "{said}");
        assert!(said.contains("in block 2 of"), "{said}");
        assert!(!folder.exists());
    }
}

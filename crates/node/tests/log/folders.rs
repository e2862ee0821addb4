//! The folders of nodes, each of which belongs to one log.

use std::fs;

use serde_json::Value;

use super::chain::{Chain, FAST, assert_has, submit, wait_until_same};
use crate::harness::{Node, command, keygen, text};

#[test]
fn a_chain_that_was_made_without_a_log_gets_one() {
    let chain = Chain::in_folder();
    let node = Node::start(&chain.at("first"), FAST);
    let acknowledged: Vec<_> = (0..9).map(|n| submit(&node, "key", &n.to_string())).collect();
    assert!(node.stop().success());
    drop(chain.lead("first"));
    // Killed while it published: the rest is published without --publish.
    fs::write(chain.at("first/log"), format!("{}\npublishing\n", chain.log)).unwrap();
    for height in 5..10 {
        fs::remove_file(chain.block(height)).unwrap();
    }
    let leader = chain.try_start("run", "first", &[]).unwrap();
    let reader = chain.serve("reader");
    wait_until_same(&leader, &reader);
    assert_has(&reader, &acknowledged);
}

#[test]
fn a_folder_that_is_not_of_this_log_is_refused_and_nothing_is_written() {
    let chain = Chain::in_folder();
    drop(chain.lead("first"));
    let other = Chain::new();
    let objects = || fs::read_dir(chain.bucket()).unwrap().count();
    let before = objects();

    // A folder of another chain, and a checkpoint of another one.
    fs::rename(other.at("first"), chain.at("other")).unwrap();
    let said = chain.try_start("run", "other", &[]).map(|_| ()).unwrap_err();
    assert!(said.contains("wrong_chain") && said.contains("another URL"), "{said}");
    let checkpoint = other.checkpoint();
    let log = chain.log.clone();
    for command in ["run", "serve"] {
        let pinned = ["--checkpoint", checkpoint.to_str().unwrap()];
        let folder = chain.at("new");
        let said = Node::try_share(command, &folder, &log, &pinned).map(|_| ()).unwrap_err();
        assert!(said.contains("wrong_chain"), "{said}");
        assert!(!folder.exists());
        // Without a checkpoint, the chain is unknown.
        let said = Node::try_share(command, &folder, &log, &["--dev"]).map(|_| ()).unwrap_err();
        assert!(said.contains("--checkpoint with the chain"), "{said}");
        assert!(!folder.exists());
    }
    assert_eq!(objects(), before);

    // Blocks that were made beside the log.
    let leader = chain.lead("second");
    submit(&leader, "key", "in the log");
    drop(leader);
    fs::remove_file(chain.at("first/log")).unwrap();
    let node = Node::start(&chain.at("first"), FAST);
    submit(&node, "key", "beside it");
    drop(node);
    let said = chain.refused("run", "first", &["--publish"]);
    assert!(said.contains("equivocation") && said.contains("move the folder away"), "{said}");
}

#[test]
fn a_folder_belongs_to_one_log() {
    let chain = Chain::in_folder();
    let place = |name: &str| {
        fs::create_dir_all(chain.at(name)).unwrap();
        format!("file://{}", chain.at(name).display())
    };
    let is_empty = |name: &str| fs::read_dir(chain.at(name)).unwrap().next().is_none();
    let refused = |log: &str, settings: &[&str]| {
        chain.try_share(log, "run", "first", settings).map(|_| ()).unwrap_err()
    };
    let mistyped = place("mistyped");

    // Blocks are published at an empty location only with --publish.
    let said = refused(&chain.log, &[]);
    assert!(said.contains("invalid_argument") && said.contains("--publish"), "{said}");
    assert!(is_empty("bucket") && !chain.at("first/log").exists());

    // A mistyped URL, with or without a standby at the right one.
    let mut leader = chain.lead("first");
    submit(&leader, "key", "1");
    leader.kill();
    let bound = fs::read_to_string(chain.at("first/log")).unwrap();
    assert_eq!(bound, format!("{}\n", chain.log));
    for settings in [&[][..], &["--publish"], &["--log-moved-from", &mistyped], &["--dev"]] {
        let said = refused(&mistyped, settings);
        assert!(said.contains("invalid_argument"), "{said}");
        assert!(said.contains(&format!("--log-moved-from '{}'", chain.log)), "{said}");
    }
    let said = chain.try_share(&mistyped, "serve", "first", &[]).map(|_| ()).unwrap_err();
    assert!(said.contains("--log-moved-from"), "{said}");
    assert!(is_empty("mistyped"));

    // Without a log: `run` and `import`.
    let said = Node::try_start(&chain.at("first"), FAST).map(|_| ()).unwrap_err();
    assert!(said.contains("run --log") && said.contains(&chain.log), "{said}");
    let state = chain.at("state.jsonl");
    fs::write(&state, "{\"key\":\"0x01\",\"value\":\"0x02\"}\n").unwrap();
    let output = command(&chain.at("first"), &["import", state.to_str().unwrap()]);
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("submissions to the leader"), "{said}");
    assert_eq!(fs::read_to_string(chain.at("first/log")).unwrap(), bound);

    // A backup has the same log.
    let backup = chain.at("backup");
    let output = command(&chain.at("first"), &["backup", backup.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    fs::copy(chain.at("first/authority-0.key"), backup.join("authority-0.key")).unwrap();
    let said = chain.try_share(&mistyped, "run", "backup", &["--publish"]).map(|_| ()).unwrap_err();
    assert!(said.contains("--log-moved-from"), "{said}");
    drop(chain.lead("backup"));

    // A log that has lost some or all blocks is not filled again.
    let newest = fs::read(chain.block(1)).unwrap();
    fs::remove_file(chain.block(1)).unwrap();
    let said = refused(&chain.log, &["--publish"]);
    assert!(said.contains("lacks the blocks 1 to 1") && said.contains("are lost"), "{said}");
    fs::write(chain.block(1), newest).unwrap();
    fs::rename(chain.bucket(), chain.at("moved")).unwrap();
    place("bucket");
    let said = refused(&chain.log, &["--publish"]);
    assert!(said.contains("lacks the blocks 0 to 1"), "{said}");
    assert!(is_empty("bucket"));

    // The log was moved, which must be confirmed once; or the chain leaves it.
    let moved = place("moved");
    let from = ["--log-moved-from", &chain.log];
    for _ in 0..2 {
        let leader = chain.try_share(&moved, "run", "first", &from).unwrap();
        submit(&leader, "key", "2");
    }
    assert!(refused(&mistyped, &from).contains("--log-moved-from"));
    let from = ["--log-moved-from", &moved];
    drop(Node::start(&chain.at("first"), &[FAST, &from].concat()));
    assert!(!chain.at("first/log").exists());
}

#[test]
fn a_refused_start_writes_nothing() {
    let chain = Chain::in_folder();
    let is_empty = |name: &str| fs::read_dir(chain.at(name)).unwrap().next().is_none();
    // A location without a chain, a new folder, and a checkpoint.
    for (command, settings) in [
        ("run", &["--publish"][..]),
        ("run", &["--dev"]),
        ("run", &["--standby"]),
        ("run", &["--standby", "--dev"]),
        ("serve", &[]),
    ] {
        let said = chain.try_share(&chain.log, command, "new", settings).map(|_| ()).unwrap_err();
        assert!(said.contains("unknown_block"), "{command} {settings:?}: {said}");
        assert!(!chain.at("new").exists() && is_empty("bucket"), "{command} {settings:?}");
    }
    drop(chain.lead("first"));
    // No key, another key, and a checkpoint of another block.
    fs::create_dir(chain.at("other")).unwrap();
    let other = chain.at("other/authority-0.key");
    assert!(keygen(&other).success());
    let checkpoint = fs::read_to_string(chain.checkpoint()).unwrap();
    let mut wrong: Value = serde_json::from_str(&checkpoint).unwrap();
    wrong["headerHash"] = format!("0x{}", "07".repeat(32)).into();
    fs::write(chain.at("wrong.json"), wrong.to_string()).unwrap();
    let wrong = chain.at("wrong.json");
    let pinned = ["--checkpoint", wrong.to_str().unwrap()];
    fs::create_dir(chain.at("keyed")).unwrap();
    fs::copy(chain.at("first/authority-0.key"), chain.at("keyed/authority-0.key")).unwrap();
    for standby in [&[][..], &["--standby"]] {
        let said = chain.try_share(&chain.log, "run", "new", standby).map(|_| ()).unwrap_err();
        assert!(said.contains("the keys of 1 authorities in the folder"), "{said}");
        assert!(!chain.at("new").exists());
        let said = chain.try_share(&chain.log, "run", "other", standby).map(|_| ()).unwrap_err();
        assert!(said.contains("a key of the chain's authorities"), "{said}");
        let settings = [FAST, &pinned, standby].concat();
        let said = Node::try_share("run", &chain.at("keyed"), &chain.log, &settings);
        let said = said.map(|_| ()).unwrap_err();
        assert!(said.contains("equivocation"), "{said}");
        for folder in ["other", "keyed"] {
            assert_eq!(fs::read_dir(chain.at(folder)).unwrap().count(), 1, "{folder}");
        }
    }
}

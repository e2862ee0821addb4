//! The folder of a chain of another format: it is refused with its number, and left as it is.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use harness::{Node, command, keygen, set, text};
use serde_json::json;

/// The format that this version reads.
const FORMAT: u32 = 4;

/// The content of every file below a folder; `None` for a folder.
fn content(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_folder = path.is_dir();
        if is_folder {
            found.append(&mut content(&path));
        }
        let bytes = (!is_folder).then(|| fs::read(&path).unwrap());
        found.insert(path, bytes);
    }
    found
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_chain_of_another_format_is_refused_by_its_number_and_left_as_it_is() {
    let parent = tempfile::tempdir().unwrap();
    let path = |name: &str| parent.path().join(name).to_str().unwrap().to_owned();
    let [chain, file, new, key, checkpoint, log] =
        ["chain", "file", "new", "key", "checkpoint", "log"].map(path);
    let folder = Path::new(&chain);
    succeeded(&command(folder, &["init", "--schemes", "avl,smt"]));
    let node = Node::start(folder, &["--block-interval-ms", "0"]);
    node.ask("prooflight_submit", &json!({ "ops": [set("key", "value")] }));
    assert!(node.stop().success());
    let pinned = command(folder, &["checkpoint"]);
    succeeded(&pinned);
    fs::write(&checkpoint, pinned.stdout).unwrap();
    fs::write(&file, "").unwrap();
    fs::create_dir(&log).unwrap();
    assert!(keygen(Path::new(&key)).success());
    // A node that starts removes what killed processes left behind.
    fs::create_dir(folder.join("prooflight-scratch-killed")).unwrap();

    let (log, nobody) = (format!("file://{log}"), "http://127.0.0.1:1");
    let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let pinned = ["--checkpoint", &checkpoint];
    let authority = ["authority", "--leader", nobody, "--key", &key, "--admin-listen", ports[1]];
    let commands: [&[&str]; 13] = [
        &[&["run"], &ports[..]].concat(),
        &[&["run", "--dev"], &ports[..]].concat(),
        &[&["run", "--follow", nobody, "--sync"], &ports[..], &pinned].concat(),
        &[&["run", "--log", &log], &ports[..]].concat(),
        &[&["serve", "--log", &log], &ports[..], &pinned].concat(),
        &[&authority[..], &pinned].concat(),
        &[&authority[..], &pinned, &["--sign-from", "9"]].concat(),
        &["init", "--schemes", "avl"],
        &["verify"],
        &["checkpoint"],
        &["export", &new],
        &["import", &file],
        &["backup", &new],
    ];
    let others = [None, Some(0), Some(1), Some(2), Some(3), Some(FORMAT + 1)];
    for other in others {
        let format = folder.join("format");
        let found = match other {
            None => {
                fs::remove_file(format).unwrap();
                "no format number".to_owned()
            }
            Some(other) => {
                fs::write(format, format!("{other}\n")).unwrap();
                format!("format {other}")
            }
        };
        let before = content(folder);
        for arguments in commands {
            let refused = command(folder, arguments);
            let said = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(78), "{arguments:?}: {said}");
            assert!(said.contains("invalid_argument"), "{arguments:?}: {said}");
            assert!(
                said.contains(&format!("expected a chain of format {FORMAT} in {chain}")),
                "{said}"
            );
            assert!(said.contains(&format!("found {found}")), "{arguments:?}: {said}");
            assert!(content(folder) == before, "{arguments:?} changed {found}");
            assert!(!Path::new(&new).exists(), "{arguments:?}");
        }
    }
    fs::write(folder.join("format"), format!("{FORMAT}\n")).unwrap();
    succeeded(&command(folder, &["verify"]));
}

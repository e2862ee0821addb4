//! A changed byte anywhere in the files of a chain is named, or makes no difference.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests say what they expect by panicking")]

mod harness;

use std::fs;
use std::path::{Path, PathBuf};

use harness::{Node, command, set, text};
use serde_json::json;

/// Where the bytes to change are, as parts of 1,000 of a file.
const PLACES: [usize; 5] = [0, 100, 431, 733, 999];

#[test]
fn a_changed_byte_is_found_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), &["--block-interval-ms", "0"]);
    for n in 0..10 {
        let ops: Vec<_> = (0..20).map(|key| set(&format!("{key}"), &format!("{n}"))).collect();
        node.ask("prooflight_submit", &json!({ "ops": ops }));
    }
    assert!(node.stop().success());
    let verified = "11 blocks and 20 values verified\n";
    assert_eq!(text(&command(folder.path(), &["verify"]).stdout), verified);

    let (mut found, mut harmless) = (0, 0);
    for file in files(folder.path()) {
        let length = fs::metadata(folder.path().join(&file)).unwrap().len();
        if length == 0 || file.extension().is_some_and(|extension| extension == "key") {
            continue;
        }
        for place in PLACES {
            let copy = tempfile::tempdir().unwrap();
            for file in files(folder.path()) {
                let to = copy.path().join(&file);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(folder.path().join(&file), to).unwrap();
            }
            let damaged = copy.path().join(&file);
            let mut bytes = fs::read(&damaged).unwrap();
            // Reserved space has nothing in it.
            let used = bytes.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1);
            let at = used * place / 1000;
            bytes[at] ^= 0x10;
            fs::write(&damaged, bytes).unwrap();
            let output = command(copy.path(), &["verify"]);
            let what = format!("{} byte {at}: {}", file.display(), text(&output.stderr));
            if output.status.success() {
                assert_eq!(text(&output.stdout), verified, "{what}");
                harmless += 1;
            } else {
                assert!(text(&output.stderr).contains("prooflight-node: "), "{what}");
                found += 1;
            }
        }
    }
    println!("{found} found, {harmless} harmless");
    assert!(found > harmless, "{found} found, {harmless} harmless");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else {
                files.push(path.strip_prefix(folder).unwrap().to_path_buf());
            }
        }
    }
    files.sort();
    files
}

//! Unexpected entries of a folder: special files, and the remains of killed processes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use harness::{Node, PROGRAM, command, keygen, set, text};
use serde_json::json;

const FAST: &[&str] = &["--block-interval-ms", "0"];

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").args(["-m", "600"]).arg(path).status().unwrap().success());
}

/// The error of a program, which must end on its own.
fn error_of(mut command: Command) -> String {
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_mins(1) {
            child.kill().unwrap();
            panic!("it hangs: {command:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let ended = child.wait_with_output().unwrap();
    assert!(!ended.status.success(), "{command:?}");
    text(&ended.stderr)
}

fn run(folder: &Path, settings: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(folder).args(settings);
    command
}

/// All files in a folder and the folders in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn begin(folder: &Path) {
    let schemes = "avl,lvmt,lmpt,smt,amb";
    let (key, chain) = (folder.join("key"), folder.join("chain"));
    assert!(keygen(&key).success());
    let begun = command(
        &chain,
        &["init", "--schemes", schemes, "--key", key.to_str().unwrap(), "--lvmt-setup", "dev"],
    );
    assert!(begun.status.success(), "{}", text(&begun.stderr));
    let node = Node::start(&chain, FAST);
    for n in 0..3 {
        node.ask("prooflight_submit", &json!({ "ops": [set("key", &n.to_string())] }));
    }
    drop(node);
}

#[test]
fn no_file_of_a_chain_may_be_something_else() {
    let folder = tempfile::tempdir().unwrap();
    begin(folder.path());
    let (chain, aside) = (folder.path().join("chain"), folder.path().join("aside"));
    // Read only for a state with many nodes.
    fs::write(chain.join("avl-nodes"), "").unwrap();
    let all = files(&chain);
    for part in ["store", "snapshots", "format", "schemes.json", "anchor", "authority-0.key"] {
        assert!(all.iter().any(|file| file.starts_with(chain.join(part))), "{part} in {all:?}");
    }
    for file in &all {
        fs::rename(file, &aside).unwrap();
        make_fifo(file);
        let error = error_of(run(&chain, FAST));
        assert!(error.contains(file.to_str().unwrap()) && error.contains("FIFO"), "{error}");
        fs::remove_file(file).unwrap();
        fs::rename(&aside, file).unwrap();
    }
    let format = chain.join("format");
    fs::rename(&format, &aside).unwrap();
    let fifo = folder.path().join("fifo");
    make_fifo(&fifo);
    let kinds: [(&dyn Fn(), &str); 6] = [
        (&|| symlink(&fifo, &format).unwrap(), "a FIFO"),
        (&|| drop(UnixListener::bind(&format).unwrap()), "a socket"),
        (&|| symlink("/dev/zero", &format).unwrap(), "a device"),
        (&|| symlink("/", &format).unwrap(), "a folder"),
        (&|| symlink(&format, &format).unwrap(), "symbolic links"),
        (&|| fs::create_dir(&format).unwrap(), "a folder"),
    ];
    for (make, name) in kinds {
        make();
        for mut program in [run(&chain, FAST), Command::new(PROGRAM)] {
            if program.get_args().count() == 0 {
                program.args(["verify", "--data-dir"]).arg(&chain);
            }
            let error = error_of(program);
            assert!(error.contains(format.to_str().unwrap()) && error.contains(name), "{error}");
        }
        // The last one is a folder.
        let _ = fs::remove_file(&format);
    }
    fs::remove_dir(&format).unwrap();
    fs::rename(&aside, &format).unwrap();
    // A folder may be a link.
    let (snapshots, elsewhere) = (chain.join("snapshots"), folder.path().join("elsewhere"));
    fs::rename(&snapshots, &elsewhere).unwrap();
    symlink(&elsewhere, &snapshots).unwrap();
    assert_eq!(Node::start(&chain, FAST).ask("prooflight_head", &json!({}))["height"], "0x3");
}

#[test]
fn no_file_that_a_setting_names_may_be_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let (fifo, chain) = (folder.path().join("fifo"), folder.path().join("chain"));
    make_fifo(&fifo);
    let path = fifo.to_str().unwrap();
    let snapshots = folder.path().join("snapshots");
    fs::create_dir(&snapshots).unwrap();
    make_fifo(&snapshots.join("0000000000000000.smt"));
    let bucket = folder.path().join("bucket");
    fs::create_dir(&bucket).unwrap();
    make_fifo(&bucket.join("chain"));
    let log = format!("file://{}", bucket.display());
    let key = folder.path().join("key");
    assert!(keygen(&key).success());
    let commands: [&[&str]; 9] = [
        &["run", "--dev", "--config", path],
        &["run", "--dev", "--token-file", path],
        &["run", "--dev", "--authority-listen", "127.0.0.1:0", "--authority-token-file", path],
        &["run", "--follow", "http://127.0.0.1:1", "--checkpoint", path],
        &["run", "--dev", "--log", &log],
        &["init", "--key", path],
        &["init", "--key", key.to_str().unwrap(), "--schemes", "lvmt", "--lvmt-setup", path],
        &["authority", "--leader", "http://127.0.0.1:1", "--checkpoint", path, "--key", path],
        &[
            "serve-history",
            "--node",
            "http://127.0.0.1:1",
            "--snapshots",
            snapshots.to_str().unwrap(),
        ],
    ];
    for arguments in commands {
        let mut program = Command::new(PROGRAM);
        program.args(arguments);
        match arguments[0] {
            "serve-history" => {
                program.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
            }
            "run" => {
                let free = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
                program.args(free).arg("--data-dir").arg(&chain)
            }
            "authority" => {
                program.args(["--admin-listen", "127.0.0.1:0"]).arg("--data-dir").arg(&chain)
            }
            _ => program.arg("--data-dir").arg(&chain),
        };
        let error = error_of(program);
        assert!(error.contains("FIFO"), "{arguments:?}: {error}");
    }
}

/// The names of temporary folders.
fn scratch(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    names.filter(|name| name.starts_with("prooflight-scratch-")).collect()
}

#[test]
fn temporary_folders_and_staged_files_of_killed_processes_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, bucket) = (folder.path().join("chain"), folder.path().join("bucket"));
    let temporary = folder.path().join("temporary");
    for new in [&bucket, &temporary] {
        fs::create_dir(new).unwrap();
    }
    let log = format!("file://{}", bucket.display());
    let settings = [FAST, &["--dev", "--publish-snapshots"]].concat();
    let lead = || Node::try_share("run", &chain, &log, &settings).unwrap();
    let mut leader = lead();
    leader.ask("prooflight_submit", &json!({ "ops": [set("key", "1")] }));
    let checkpoint = folder.path().join("checkpoint.json");
    fs::write(&checkpoint, command(&chain, &["checkpoint"]).stdout).unwrap();

    let serve_history = || {
        let mut program = Command::new(PROGRAM);
        program.args(["serve-history", "--snapshots", &log, "--log", &log, "--checkpoint"]);
        program.arg(&checkpoint).args(["--admin-listen", "127.0.0.1:0"]);
        Node::serve({
            program.env("TMPDIR", &temporary);
            program
        })
        .unwrap()
    };
    let mut first = serve_history();
    let of_first = scratch(&temporary);
    assert_eq!(of_first.len(), 1);
    let second = serve_history();
    assert_eq!(scratch(&temporary).len(), 2, "the first lives");
    first.kill();
    let third = serve_history();
    let left = scratch(&temporary);
    assert!(left.len() == 2 && !left.contains(&of_first[0]), "{left:?}");
    drop((second, third));

    // As left by a `verify` and a leader that were killed during a write.
    leader.kill();
    let verified = chain.join("prooflight-scratch-left");
    fs::create_dir_all(verified.join("chain")).unwrap();
    let staged = ["chain#1", "blocks/0000000000000002#1"].map(|name| bucket.join(name));
    for file in &staged {
        fs::write(file, "half").unwrap();
    }
    let leader = lead();
    leader.ask("prooflight_submit", &json!({ "ops": [set("key", "2")] }));
    assert!(!verified.exists());
    assert!(staged.iter().all(|file| !file.exists()), "{:?}", files(&bucket));
}

//! A process that makes blocks, killed with -9.
//!
//! The process is the test program itself, which runs its ignored test `killed`. That test prints `open` once its store
//! is open, and [`report_block`]s each block.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Reports that the store is open.
pub fn report_open() {
    say("open");
}

/// Reports that a block is on disk.
pub fn report_block(height: u64, root: &[u8]) {
    say(&format!("block {height} {}", hex::encode(root)));
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// Starts the process with these variables, and kills it `after` it has printed `lines` lines: one when its store
/// is open, then one for each block.
///
/// Returns the blocks that it acknowledged, with their roots in hexadecimal; the last root may be cut.
pub fn kill(variables: &[(&str, &OsStr)], lines: usize, after: Duration) -> Vec<(u64, String)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "killed", "--nocapture"])
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines();
    let (saying, heard) = mpsc::channel();
    let reader = thread::spawn(move || {
        let blocks = said.map_while(Result::ok).filter_map(|line| {
            let block = line.strip_prefix("block ");
            if block.is_some() || line.ends_with("open") {
                let _ = saying.send(());
            }
            let (height, root) = block?.split_once(' ')?;
            Some((height.parse().ok()?, root.to_owned()))
        });
        blocks.collect()
    });
    for _ in 0..lines {
        heard.recv().expect("the process ended by itself");
    }
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

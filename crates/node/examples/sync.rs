//! Measures how long a replica takes to begin, with all blocks and with a state:
//! `cargo run --profile node -p prooflight-node --example sync -- PROGRAM FOLDER KEYS [SCHEME,... [WRITES]]`, with the path of `prooflight-node`.
//!
//! A leader imports the keys in blocks of 10,000, each key as often as said, or once. Two replicas on the same machine then begin one after the other, up to
//! the leader's newest block. For each, this prints the seconds from its start until it serves that block, and the
//! processor time that the replica and the leader took. A leader that is in the folder already is used again.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program with text output")]

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use prooflight_core::{Hex, blake2b256};
use serde_json::{Value, json};

const PORTS: [u16; 4] = [28_645, 28_646, 28_647, 28_648];

fn main() {
    let mut args = std::env::args().skip(1);
    let (program, folder) = (args.next().unwrap(), args.next().unwrap());
    let keys: u64 = args.next().unwrap().parse().unwrap();
    let schemes = args.next().unwrap_or_else(|| "avl,amb,smt".to_owned());
    let writes = args.next().map_or(1, |it| it.parse().unwrap());
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).unwrap();
    let leader = folder.join("leader");
    if !leader.exists() {
        run(&program, &leader, &["init", "--schemes", &schemes]);
        let state = folder.join("state.jsonl");
        fs::write(&state, lines(keys, writes)).unwrap();
        let begun = Instant::now();
        run(&program, &leader, &["import", state.to_str().unwrap()]);
        let took = begun.elapsed().as_secs_f64();
        println!("import of {keys} keys with {schemes}, {writes} writes of each: {took:.1} s");
    }
    let checkpoint = folder.join("checkpoint.json");
    fs::write(&checkpoint, run(&program, &leader, &["checkpoint"])).unwrap();
    let leader = Node::start(&program, &leader, [PORTS[0], PORTS[1]], &[]);
    let height = leader.wait(|height| height > 0);
    let checkpoint = checkpoint.to_str().unwrap();
    let url = format!("http://127.0.0.1:{}", PORTS[0]);
    for (name, more) in [("with a state", &["--sync"][..]), ("with all blocks", &[])] {
        let replica = folder.join(name.replace(' ', "-"));
        let follow = ["--follow", &url, "--checkpoint", checkpoint];
        if replica.exists() {
            fs::remove_dir_all(&replica).unwrap();
        }
        let (begun, before) = (Instant::now(), leader.processor());
        let replica =
            Node::start(&program, &replica, [PORTS[2], PORTS[3]], &[&follow, more].concat());
        replica.wait(|found| found >= height);
        println!(
            "replica that begins {name}: {:.1} s; processor: replica {:.1} s, leader {:.1} s",
            begun.elapsed().as_secs_f64(),
            replica.processor(),
            leader.processor() - before
        );
    }
}

/// Writes of all keys, in the format of `import`; each time in another order, if 3 does not divide their number.
fn lines(keys: u64, writes: u32) -> String {
    let mut lines = String::new();
    for write in 0..writes {
        let step = 3_u64.pow(write);
        for at in 0..keys {
            let number = at * step % keys;
            let key = blake2b256(&[b"key", &number.to_be_bytes()]);
            let value = blake2b256(&[&key, &write.to_be_bytes()]);
            writeln!(lines, r#"{{"key":"{}","value":"{}"}}"#, Hex(&key), Hex(&value)).unwrap();
        }
    }
    lines
}

/// Runs a command to its end; returns its output.
fn run(program: &str, folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let (command, rest) = arguments.split_first().unwrap();
    let ended = Command::new(program)
        .args([*command, "--data-dir"])
        .arg(folder)
        .args(rest)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{arguments:?}");
    ended.stdout
}

/// A running node, which is killed when dropped.
struct Node {
    child: Child,
    port: u16,
}

impl Node {
    fn start(program: &str, folder: &Path, [port, admin]: [u16; 2], settings: &[&str]) -> Self {
        let listen = [port, admin].map(|port| format!("127.0.0.1:{port}"));
        let child = Command::new(program)
            .args(["run", "--data-dir"])
            .arg(folder)
            .args(["--listen", &listen[0], "--admin-listen", &listen[1]])
            .args(settings)
            .stderr(fs::File::create(folder.with_extension("log")).unwrap())
            .spawn();
        Self { child: child.unwrap(), port }
    }

    /// Waits until the height of the newest block is as it should be; returns it.
    fn wait(&self, is_right: impl Fn(u64) -> bool) -> u64 {
        loop {
            if let Some(height) = self.height().filter(|height| is_right(*height)) {
                return height;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The seconds of processors that it has taken, in ticks of 10 ms; 0 where there is no `/proc`.
    fn processor(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.unwrap_or_default();
        // The name, in brackets, may have spaces.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let ticks = fields.split_whitespace().skip(11).take(2);
        ticks.map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
    }

    /// The height of the newest block; `None` while the node does not serve.
    fn height(&self) -> Option<u64> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "prooflight_head" }).to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let head = format!(
            "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply).ok()?;
        let reply: Value = serde_json::from_str(reply.split_once("\r\n\r\n")?.1).ok()?;
        u64::from_str_radix(reply["result"]["height"].as_str()?.strip_prefix("0x")?, 16).ok()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

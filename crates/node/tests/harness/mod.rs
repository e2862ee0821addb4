//! The real program on a real socket.
#![allow(dead_code, reason = "each test file uses only some of it")]

pub(crate) mod accounts;
pub(crate) mod authorities;
pub(crate) mod connection;
pub(crate) mod keys;
pub(crate) mod ledger;
pub(crate) mod liar;
pub(crate) mod light;
pub(crate) mod log;
pub(crate) mod past;
pub(crate) mod s3;
pub(crate) mod succession;

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_prooflight-node");

/// A running node. It is killed when dropped.
pub(crate) struct Node {
    child: ChildProcess,
    pub(crate) address: SocketAddr,
    pub(crate) admin: SocketAddr,
}

/// A process, which is killed when dropped.
pub(crate) struct ChildProcess(pub(crate) Child);

impl ChildProcess {
    /// Asks the process to stop, as a service manager does, and waits.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        signal(self.0.id(), "TERM");
        self.0.wait().unwrap()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a signal to a process.
fn signal(id: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &id.to_string()]).status();
    assert!(sent.unwrap().success());
}

/// A node that has begun to open its chain.
pub(crate) struct OpeningNode {
    pub(crate) process: ChildProcess,
    pub(crate) admin: SocketAddr,
    log: Lines<BufReader<ChildStderr>>,
    said: String,
}

impl OpeningNode {
    /// Runs the program until it opens its chain; the output if it does not.
    pub(crate) fn of(mut command: Command) -> Result<Self, String> {
        let child = command.args(["--log-format", "json"]).stderr(Stdio::piped()).spawn();
        let mut process = ChildProcess(child.unwrap());
        let mut log = BufReader::new(process.0.stderr.take().unwrap()).lines();
        let mut said = String::new();
        let fields = logged(&mut log, &["opening", "serving"], &mut said);
        match fields.as_ref().and_then(|fields| fields["admin"].as_str()) {
            Some(admin) => Ok(Self { process, admin: admin.parse().unwrap(), log, said }),
            None => Err(ended(process, said)),
        }
    }

    /// Waits until the node serves.
    pub(crate) fn serve(mut self) -> Result<Node, String> {
        match logged(&mut self.log, &["serving"], &mut self.said) {
            Some(fields) => {
                let address = fields["address"].as_str().unwrap().parse().unwrap();
                let log = self.log;
                // The rest must be read, or a full pipe would block the node.
                thread::spawn(move || log.for_each(drop));
                Ok(Node { child: self.process, address, admin: self.admin })
            }
            None => Err(ended(self.process, self.said)),
        }
    }
}

/// Waits for the first of these messages in a log; returns its fields.
fn logged(
    log: &mut Lines<BufReader<ChildStderr>>,
    messages: &[&str],
    said: &mut String,
) -> Option<Value> {
    for line in log.map_while(Result::ok) {
        let mut entry: Value = serde_json::from_str(&line).unwrap_or_default();
        let fields = entry["fields"].take();
        if fields["message"].as_str().is_some_and(|message| messages.contains(&message)) {
            return Some(fields);
        }
        said.push_str(&line);
        said.push('\n');
    }
    None
}

/// The output of a program that has ended on its own.
fn ended(mut process: ChildProcess, said: String) -> String {
    process.0.wait().unwrap();
    said
}

impl Node {
    /// Starts a node on any free port and waits until it serves.
    pub(crate) fn start(folder: &Path, settings: &[&str]) -> Self {
        Self::try_start(folder, settings).unwrap()
    }

    /// Starts a node, which listens on `listen` once its chain is open.
    pub(crate) fn open(folder: &Path, listen: SocketAddr, settings: &[&str]) -> OpeningNode {
        let mut command = Command::new(PROGRAM);
        command.args(["run", "--data-dir"]).arg(folder).args(settings);
        command.args(["--admin-listen", "127.0.0.1:0", "--listen", &listen.to_string()]);
        OpeningNode::of(command).unwrap()
    }

    /// Like `start`; if the node does not serve, returns its output.
    pub(crate) fn try_start(folder: &Path, settings: &[&str]) -> Result<Self, String> {
        let mut command = Command::new(PROGRAM);
        command.args(["run", "--data-dir"]).arg(folder).args(settings);
        if !settings.contains(&"--follow") {
            // Without a chain in the folder, a development chain.
            command.arg("--dev");
        }
        Self::serve(command)
    }

    /// Starts a proof server over the snapshot files of a running node.
    pub(crate) fn serve_history(snapshots: &Path, node: &Self) -> Self {
        Self::serve_history_at(snapshots.to_str().unwrap(), node, &[])
    }

    /// Like `serve_history`, for a folder or a URL.
    pub(crate) fn serve_history_at(snapshots: &str, node: &Self, settings: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        let node = format!("http://{}", node.address);
        command.args(["serve-history", "--node", &node, "--snapshots", snapshots]).args(settings);
        Self::serve(command).unwrap()
    }

    /// Starts a node of a chain whose log is in a bucket, by `run` or `serve`.
    pub(crate) fn try_share(
        command: &str,
        folder: &Path,
        log: &str,
        settings: &[&str],
    ) -> Result<Self, String> {
        let mut program = Command::new(PROGRAM);
        program.args([command, "--log", log, "--data-dir"]).arg(folder).args(settings);
        Self::serve(program)
    }

    /// Starts a program that serves on any free port.
    pub(crate) fn serve(mut command: Command) -> Result<Self, String> {
        command.args(["--listen", "127.0.0.1:0"]);
        OpeningNode::of(command)?.serve()
    }

    /// The result of a method, or its error.
    pub(crate) fn call(&self, method: &str, params: &Value) -> Result<Value, Value> {
        self.client().call(method, params).unwrap()
    }

    /// The result of a method that must succeed.
    pub(crate) fn ask(&self, method: &str, params: &Value) -> Value {
        self.call(method, params).unwrap()
    }

    /// The physical memory of the process, from Linux.
    pub(crate) fn memory(&self) -> MemoryUse {
        let path = format!("/proc/{}/status", self.child.0.id());
        let status = std::fs::read_to_string(path).unwrap();
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
            kilobytes << 10
        };
        MemoryUse { now: bytes("VmRSS:"), most: bytes("VmHWM:") }
    }

    pub(crate) fn client(&self) -> Client {
        Client { address: self.address, token: None }
    }

    /// A caller of the admin listener.
    pub(crate) fn admin(&self) -> Client {
        Client { address: self.admin, token: None }
    }

    /// kill -9.
    pub(crate) fn kill(&mut self) {
        self.child.0.kill().unwrap();
        self.child.0.wait().unwrap();
    }

    /// Asks the node to stop, as a service manager does, and waits.
    pub(crate) fn stop(mut self) -> ExitStatus {
        self.terminate()
    }

    /// Like `stop`, for a borrowed node.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        self.child.terminate()
    }
}

/// Something that answers calls.
pub(crate) trait Server {
    /// The result of a method that must succeed.
    fn ask(&self, method: &str, params: &Value) -> Value;
}

impl Server for Node {
    fn ask(&self, method: &str, params: &Value) -> Value {
        Self::ask(self, method, params)
    }
}

/// Bytes of physical memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryUse {
    pub(crate) now: u64,
    pub(crate) most: u64,
}

/// A caller of a node.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
}

impl Client {
    /// The result of a method or its error; the outer error means that no answer arrived.
    pub(crate) fn call(
        &self,
        method: &str,
        params: &Value,
    ) -> std::io::Result<Result<Value, Value>> {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (_, body) = self.post(request.to_string().as_bytes())?;
        let mut reply: Value = serde_json::from_str(&body)
            .map_err(|error| std::io::Error::other(format!("{error}: {body}")))?;
        Ok(match reply.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(reply["result"].take()),
        })
    }

    /// The status and body of the reply to a POST request.
    pub(crate) fn post(&self, body: &[u8]) -> std::io::Result<(u16, String)> {
        let token = self.token.as_ref();
        let token = token.map(|it| format!("Authorization: Bearer {it}\r\n")).unwrap_or_default();
        let head = format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{token}\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        self.send(&[head.as_bytes(), body].concat())
    }

    /// The status and body of the reply to a GET request.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let host = self.address;
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        self.send(head.as_bytes()).unwrap()
    }

    /// The status and body of the reply to a PUT request with these headers.
    pub(crate) fn put(&self, path: &str, headers: &str) -> (u16, String) {
        let host = self.address;
        let head =
            format!("PUT {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: 0\r\n\r\n");
        self.send(head.as_bytes()).unwrap()
    }

    /// The status and body of the reply to a request.
    pub(crate) fn send(&self, request: &[u8]) -> std::io::Result<(u16, String)> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        // A server that refuses a request by its head need not read the rest.
        let _ = stream.write_all(request);
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply)?;
        let reply = String::from_utf8_lossy(&reply).into_owned();
        let (head, body) = reply
            .split_once("\r\n\r\n")
            .ok_or_else(|| std::io::Error::other(format!("no reply: {reply}")))?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Ok((status.unwrap(), body.to_owned()))
    }
}

/// Waits until a condition holds; fails after a minute, with `state` as explanation.
pub(crate) fn eventually(condition: impl Fn() -> bool, state: impl Fn() -> String) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_mins(1), "{}", state());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a command on a chain that is not running.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Output {
    let (command, rest) = arguments.split_first().unwrap();
    let mut program = Command::new(PROGRAM);
    program.arg(command).arg("--data-dir").arg(folder).args(rest).output().unwrap()
}

/// Makes a new authority key in a file.
pub(crate) fn keygen(file: &Path) -> ExitStatus {
    Command::new(PROGRAM).arg("keygen").arg(file).output().unwrap().status
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    prooflight_json::HexBytes(bytes.to_vec()).to_string()
}

pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    value.as_str().unwrap().parse::<prooflight_json::HexBytes>().unwrap().0
}

pub(crate) fn set(key: &str, value: &str) -> Value {
    json!({ "op": "Set", "key": hex(key.as_bytes()), "value": hex(value.as_bytes()) })
}

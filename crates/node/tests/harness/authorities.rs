//! A leader and its authorities, each a process with its own folder.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::liar::Liar;
use super::{ChildProcess, Client, Node, PROGRAM, command, eventually, signal, text};

/// A chain with remote authorities.
pub(crate) struct Council {
    pub(crate) folder: tempfile::TempDir,
    /// The address on which the leader listens for authorities.
    pub(crate) authority_listen: SocketAddr,
    /// In front of the leader; it records the requests of authorities.
    pub(crate) proxy: Liar,
}

impl Council {
    /// Makes the keys, the chain and the folders of all authorities.
    pub(crate) fn new(count: usize, quorum: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // A free port, which no other test uses.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let authority_listen = free.local_addr().unwrap();
        let council = Self { folder, authority_listen, proxy: Liar::start() };
        council.proxy.ask(authority_listen);
        let keys: Vec<_> = (0..count).map(|index| council.keygen(index)).collect();
        let quorum = quorum.to_string();
        let mut arguments = vec!["init", "--schemes", "avl,smt", "--quorum", &quorum];
        for key in &keys {
            arguments.extend(["--authority", key]);
        }
        let begun = command(&council.leader_folder(), &arguments);
        assert!(begun.status.success(), "{}", text(&begun.stderr));
        assert!(text(&begun.stdout).contains("waits for the signatures"));
        let printed = command(&council.leader_folder(), &["checkpoint"]);
        assert!(printed.status.success(), "{}", text(&printed.stderr));
        fs::write(council.checkpoint(), printed.stdout).unwrap();
        for index in 0..count {
            let begun = council.sign_from(index, 0);
            assert!(begun.status.success(), "{}", text(&begun.stderr));
        }
        drop(free);
        council
    }

    pub(crate) fn leader_folder(&self) -> PathBuf {
        self.folder.path().join("leader")
    }

    pub(crate) fn authority_folder(&self, index: usize) -> PathBuf {
        self.folder.path().join(format!("authority-{index}"))
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.folder.path().join("checkpoint.json")
    }

    fn key(&self, index: usize) -> PathBuf {
        self.folder.path().join(format!("{index}.key"))
    }

    fn keygen(&self, index: usize) -> String {
        let made = Command::new(PROGRAM).arg("keygen").arg(self.key(index)).output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        text(&made.stdout).trim().to_owned()
    }

    /// Confirms that an authority has signed nothing at a height or above.
    pub(crate) fn sign_from(&self, index: usize, height: u64) -> Output {
        let mut command = self.command(index);
        command.args(["--sign-from", &height.to_string()]);
        command.output().unwrap()
    }

    fn command(&self, index: usize) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("authority").arg("--data-dir").arg(self.authority_folder(index));
        command.arg("--key").arg(self.key(index)).arg("--checkpoint").arg(self.checkpoint());
        command
    }

    /// Starts the leader, and waits until it serves: genesis needs a quorum of authorities that run.
    pub(crate) fn lead(&self, settings: &[&str]) -> Node {
        self.try_lead(settings).unwrap()
    }

    pub(crate) fn try_lead(&self, settings: &[&str]) -> Result<Node, String> {
        let authority_listen = self.authority_listen.to_string();
        let fast = ["--block-interval-ms", "0", "--authority-listen", &authority_listen];
        Node::try_start(&self.leader_folder(), &[&fast, settings].concat())
    }

    /// Starts an authority.
    pub(crate) fn authority(&self, index: usize) -> AuthorityProcess {
        self.authority_of(&self.proxy.url(), index, &[])
    }

    /// Starts an authority that asks the leader without the proxy.
    pub(crate) fn authority_beside(&self, index: usize, settings: &[&str]) -> AuthorityProcess {
        self.authority_of(&format!("http://{}", self.authority_listen), index, settings)
    }

    /// Starts an authority that asks these leaders, separated by commas.
    pub(crate) fn authority_of(
        &self,
        leaders: &str,
        index: usize,
        settings: &[&str],
    ) -> AuthorityProcess {
        let mut command = self.command(index);
        command.args(["--leader", leaders, "--admin-listen", "127.0.0.1:0", "--retry-ms", "20"]);
        command.args(["--request-time-ms", "2000", "--log-format", "json"]).args(settings);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let (log, stderr) = (Arc::<Mutex<String>>::default(), child.stderr.take().unwrap());
        let written = log.clone();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut log = written.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        });
        AuthorityProcess { process: ChildProcess(child), log }
    }

    /// Every signature that has passed the proxy: authority, height, header hash.
    pub(crate) fn signatures(&self) -> Vec<(Value, Value, Value)> {
        let requests = self.proxy.requests("prooflight_sign");
        let of = |request: &Value| {
            let params = &request["params"];
            (params["authority"].clone(), params["height"].clone(), params["hash"].clone())
        };
        requests.iter().map(of).collect()
    }

    /// Fails if an authority has signed two headers of one height.
    pub(crate) fn check_nobody_signed_twice(&self) {
        let mut signed = HashMap::new();
        for (authority, height, hash) in self.signatures() {
            let of = [authority, height].map(|part| part.to_string());
            let before = signed.entry(of.clone()).or_insert_with(|| hash.clone());
            assert_eq!(*before, hash, "authority and height {of:?}: two were signed");
        }
    }
}

/// A running authority. It is killed when dropped.
pub(crate) struct AuthorityProcess {
    process: ChildProcess,
    log: Arc<Mutex<String>>,
}

impl AuthorityProcess {
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until the log has a text.
    pub(crate) fn says(&self, text: &str) {
        eventually(|| self.log().contains(text), || self.log());
    }

    /// Waits until it has this published block.
    pub(crate) fn follows(&self, height: u64) {
        self.says(&format!("\"followed\",\"height\":{height}"));
    }

    /// The admin listener.
    pub(crate) fn admin(&self) -> Client {
        self.says("\"admin\":\"");
        let log = self.log();
        let rest = log.split_once("\"admin\":\"").unwrap().1;
        let address = rest.split_once('"').unwrap().0.parse().unwrap();
        Client { address, token: None }
    }

    /// kill -9.
    pub(crate) fn kill(&mut self) {
        self.process.0.kill().unwrap();
        self.process.0.wait().unwrap();
    }

    pub(crate) fn terminate(&mut self) -> ExitStatus {
        self.process.terminate()
    }

    /// Fails if it has ended on its own.
    pub(crate) fn check_runs(&mut self) {
        let ended = self.process.0.try_wait().unwrap();
        assert!(ended.is_none(), "an authority has ended: {ended:?}\n{}", self.log());
    }

    /// Waits until it has ended on its own.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        self.process.0.wait().unwrap()
    }

    /// Pauses or resumes the process.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.process.0.id(), name);
    }
}

/// Submits a key; returns the block.
pub(crate) fn submit(node: &Node, key: &str, value: &str) -> Result<Value, Value> {
    node.call("prooflight_submit", &json!({ "ops": [super::set(key, value)] }))
}

/// Submits until a block is made: authorities may have just started, or the node may just begin to
/// lead.
pub(crate) fn submit_soon(node: &Node, key: &str, value: &str) -> Value {
    let mut made = Value::Null;
    for _ in 0..3000 {
        match submit(node, key, value) {
            Ok(included) => {
                made = included;
                break;
            }
            Err(error) => {
                let reason = &error["data"]["reason"];
                assert!(reason == "quorum_missing" || reason == "read_only", "{error}");
            }
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert!(made["height"].is_string(), "{:?}", node.admin().get("/ready"));
    made
}

/// The file with the memory of an authority.
pub(crate) fn memory(folder: &Path) -> PathBuf {
    folder.join("signed")
}

//! A chain with a log, and the folders of its nodes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use prooflight_log::{Bucket, BucketLog, LogEntry};
use prooflight_node::BlockId;
use prooflight_node::chain::keys;
use prooflight_node::runtime::clock::now_ms;
use serde_json::{Value, json};

use crate::harness::{Node, PROGRAM, command, eventually, log, set, text};

pub(crate) const FAST: &[&str] = &["--block-interval-ms", "0", "--follow-interval-ms", "10"];

/// A bucket and the folders of nodes.
pub(crate) struct Chain {
    folder: tempfile::TempDir,
    /// The URL of the log.
    pub(crate) log: String,
}

impl Chain {
    /// A chain with a genesis block, in the folder `first`, and an empty location for its log: in the bucket of
    /// `PROOFLIGHT_S3`, or else in a folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::at_log(log::anywhere(folder.path()), folder)
    }

    /// Like `new`, with its log in a folder, whose files the test changes.
    pub(crate) fn in_folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::at_log(log::in_folder(folder.path()), folder)
    }

    fn at_log(log: String, folder: tempfile::TempDir) -> Self {
        let chain = Self { folder, log };
        init(&chain.at("first"));
        let printed = command(&chain.at("first"), &["checkpoint"]);
        fs::write(chain.checkpoint(), printed.stdout).unwrap();
        chain
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn bucket(&self) -> PathBuf {
        self.at("bucket")
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.at("checkpoint.json")
    }

    pub(crate) fn block(&self, height: u64) -> PathBuf {
        self.bucket().join(format!("blocks/{height:016}"))
    }

    /// Starts a node; a new folder gets the authority's key and a checkpoint, and nothing else.
    pub(crate) fn try_start(
        &self,
        command: &str,
        name: &str,
        settings: &[&str],
    ) -> Result<Node, String> {
        let folder = self.at(name);
        if !folder.exists() {
            fs::create_dir(&folder).unwrap();
            fs::copy(self.at("first/authority-0.key"), folder.join("authority-0.key")).unwrap();
        }
        self.try_share(&self.log, command, name, settings)
    }

    /// Starts a node with a log at a URL.
    pub(crate) fn try_share(
        &self,
        log: &str,
        command: &str,
        name: &str,
        settings: &[&str],
    ) -> Result<Node, String> {
        let (checkpoint, folder) = (self.checkpoint(), self.at(name));
        let pinned = ["--checkpoint", checkpoint.to_str().unwrap()];
        Node::try_share(command, &folder, log, &[FAST, &pinned, settings].concat())
    }

    pub(crate) fn lead(&self, name: &str) -> Node {
        self.try_start("run", name, &["--publish"]).unwrap()
    }

    pub(crate) fn stand_by(&self, name: &str, settings: &[&str]) -> Node {
        self.try_start("run", name, &[&["--standby"], settings].concat()).unwrap()
    }

    pub(crate) fn serve(&self, name: &str) -> Node {
        self.try_start("serve", name, &[]).unwrap()
    }

    /// Publishes block 2, signed by the chain's authority and with a wrong root.
    pub(crate) fn publish_wrong_block(&self, of: &str) {
        let copy = self.at("copy");
        let output = command(&self.at(of), &["backup", copy.to_str().unwrap()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let mut made = prooflight_node::Chain::open(&copy).unwrap();
        let config = made.config().clone();
        let key = keys::read_key(&self.at("first/authority-0.key")).unwrap();
        let signers = keys::Signers::new(&config, vec![key]).unwrap();
        let view = signers.make(&mut made, [], now_ms()).unwrap();
        let block = view.block(BlockId::Latest).unwrap();
        let mut header = block.header.header;
        header.roots[0].1[0] ^= 1;
        let body = borsh::to_vec(&block.body).unwrap();
        let entry = LogEntry { header: signers.sign(header), body };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let log = BucketLog::open(Bucket::open(&self.log).unwrap(), config).await.unwrap();
            assert_eq!(log.publish(entry.clone()).await.unwrap(), entry);
        });
    }

    pub(crate) fn refused(&self, command: &str, name: &str, settings: &[&str]) -> String {
        match self.try_start(command, name, settings) {
            Ok(_) => panic!("{command} started with {settings:?}"),
            Err(said) => said,
        }
    }
}

fn init(folder: &Path) {
    let output = command(folder, &["init", "--schemes", "avl,smt"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

pub(crate) fn submit(node: &Node, key: &str, value: &str) -> Value {
    node.ask("prooflight_submit", &json!({ "ops": [set(key, value)] }))
}

pub(crate) fn height(node: &Node) -> u64 {
    height_in(&node.ask("prooflight_head", &json!({})))
}

pub(crate) fn height_in(reply: &Value) -> u64 {
    u64::from_str_radix(reply["height"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

pub(crate) fn wait_until_same(one: &Node, two: &Node) {
    let head = |node: &Node| node.ask("prooflight_head", &json!({}));
    eventually(|| head(one) == head(two), || format!("{} and {}", head(one), head(two)));
}

pub(crate) fn ready(node: &Node) -> (u16, String) {
    node.admin().get("/ready")
}

/// Asserts that a node has the acknowledged blocks.
pub(crate) fn assert_has(node: &Node, acknowledged: &[Value]) {
    for included in acknowledged {
        let kept = node.ask("prooflight_header", &json!({ "at": included["height"] }));
        assert_eq!(kept["hash"], included["hash"]);
    }
}

/// Runs a command without a folder.
pub(crate) fn run(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(PROGRAM).args(arguments).output().unwrap();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

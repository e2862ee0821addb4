//! Two leaders of one chain with a log in a folder, and the authorities that poll both.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::thread::JoinHandle;

use prooflight_node::chain::proposal::Proposal;
use serde_json::{Value, json};

use super::authorities::{AuthorityProcess, Council};
use super::liar::{Liar, Lie};
use super::{Node, eventually, hex, set};

/// Three authorities, of which two must sign, and the folders of two leaders.
pub(crate) struct Succession {
    /// The authorities, with the folder and the proxy of the first leader.
    pub(crate) council: Council,
    second: SocketAddr,
    /// In front of the second leader.
    proxy: Liar,
}

/// A leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaderName {
    First,
    Second,
}

impl Succession {
    pub(crate) fn new() -> Self {
        let council = Council::new(3, 2);
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let second = free.local_addr().unwrap();
        let proxy = Liar::start();
        proxy.ask(second);
        let chain = Self { council, second, proxy };
        fs::create_dir(chain.at("bucket")).unwrap();
        fs::create_dir(chain.folder(LeaderName::Second)).unwrap();
        chain
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.council.folder.path().join(name)
    }

    pub(crate) fn folder(&self, who: LeaderName) -> PathBuf {
        match who {
            LeaderName::First => self.council.leader_folder(),
            LeaderName::Second => self.at("second"),
        }
    }

    pub(crate) fn log(&self) -> String {
        format!("file://{}", self.at("bucket").display())
    }

    /// The object with a block.
    pub(crate) fn block(&self, height: u64) -> PathBuf {
        self.at("bucket").join(format!("blocks/{height:016}"))
    }

    /// The objects with the attempts at a block.
    pub(crate) fn proposed(&self, height: u64) -> PathBuf {
        self.at("bucket").join(format!("proposed/{height:016}"))
    }

    pub(crate) fn attempt(&self, height: u64, number: u32) -> PathBuf {
        self.proposed(height).join(format!("{number:04}"))
    }

    /// Waits for an attempt at a block; returns it.
    pub(crate) fn read(&self, height: u64, number: u32) -> Proposal {
        let path = self.attempt(height, number);
        eventually(|| path.exists(), || format!("no {}", path.display()));
        let bytes = fs::read(path).unwrap();
        // The frame, the height and the number precede it, and a checksum follows.
        Proposal::decode(&bytes[16 + 12..bytes.len() - 32]).unwrap()
    }

    /// Starts an authority, which polls both leaders.
    pub(crate) fn authority(&self, index: usize) -> AuthorityProcess {
        let leaders = format!("{},{}", self.council.proxy.url(), self.proxy.url());
        self.council.authority_of(&leaders, index, &[])
    }

    pub(crate) fn authorities(&self) -> [AuthorityProcess; 3] {
        std::array::from_fn(|index| self.authority(index))
    }

    /// Starts a leader and waits until it serves. The first one of a chain begins its log.
    pub(crate) fn lead(&self, who: LeaderName, settings: &[&str]) -> Node {
        self.try_lead(who, settings).unwrap()
    }

    pub(crate) fn try_lead(&self, who: LeaderName, settings: &[&str]) -> Result<Node, String> {
        let (authority_listen, checkpoint) = match who {
            LeaderName::First => (self.council.authority_listen, None),
            LeaderName::Second => (self.second, Some(self.council.checkpoint())),
        };
        let authority_listen = authority_listen.to_string();
        let mut all = vec!["--block-interval-ms", "0", "--authority-listen", &authority_listen];
        if let Some(checkpoint) = &checkpoint {
            all.extend(["--checkpoint", checkpoint.to_str().unwrap()]);
        }
        if !settings.contains(&"--follow-interval-ms") {
            all.extend(["--follow-interval-ms", "20"]);
        }
        all.extend(settings);
        Node::try_share("run", &self.folder(who), &self.log(), &all)
    }

    /// Starts a leader that leads only once it is promoted.
    pub(crate) fn stand_by(&self, who: LeaderName) -> Node {
        self.lead(who, &["--standby", "--takeover-after-ms", "600000"])
    }

    /// The requests of authorities to both leaders.
    pub(crate) fn tell(&self, lie: &Lie) {
        self.council.proxy.tell(lie.clone());
        self.proxy.tell(lie.clone());
    }

    /// The signatures of a block that left the authorities: authority, header hash.
    pub(crate) fn signatures(&self, height: u64) -> Vec<(Value, Value)> {
        let mut requests = self.council.proxy.requests("prooflight_sign");
        requests.extend(self.proxy.requests("prooflight_sign"));
        let asked = Value::from(format!("{height:#x}"));
        let of = requests.iter().map(|request| &request["params"]);
        let of = of.filter(|params| params["height"] == asked);
        of.map(|params| (params["authority"].clone(), params["hash"].clone())).collect()
    }

    /// Fails unless every signature of these heights is of the block that is published.
    pub(crate) fn check_only_published_were_signed(&self, node: &Node, newest: u64) {
        for height in 0..=newest {
            let asked = json!({ "at": format!("{height:#x}") });
            let published = node.ask("prooflight_header", &asked)["hash"].clone();
            for (authority, hash) in self.signatures(height) {
                assert_eq!(hash, published, "authority {authority} at height {height}");
            }
        }
    }
}

/// The hash of a proposed header, as in answers.
pub(crate) fn hash(proposal: &Proposal) -> Value {
    Value::from(hex(&proposal.header.hash()))
}

/// Submits in a separate thread; the outer error means that the leader was killed.
pub(crate) fn submit_aside(
    node: &Node,
    key: &str,
) -> JoinHandle<std::io::Result<Result<Value, Value>>> {
    let (client, ops) = (node.client(), json!({ "ops": [set(key, "value")] }));
    std::thread::spawn(move || client.call("prooflight_submit", &ops))
}

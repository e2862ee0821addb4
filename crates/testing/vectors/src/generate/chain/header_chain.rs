//! Chains of headers for the tests, with signatures, paths and inputs.

use ed25519_dalek::{Signer as _, SigningKey};
use prooflight_core::chain::{
    Blake2bTree, ChainConfig, ChainLimits, Checkpoint, Header, LmptConfig, LvmtConfig,
    SchemeConfig, SignedHeader,
};
use prooflight_core::merkle::{MerkleFrontier, inclusion_path, leaf_hash};
use prooflight_core::{Hash, Scheme, blake2b256};
use prooflight_json::checkpoint::CheckpointJson;
use prooflight_json::{Hash32, HexBytes, Quantity};

use crate::answer::VerifierAnswer;
use crate::chain::{HeaderInclusion, HeaderSync, answer};
use crate::state::StateAnswer;

/// The genesis header's timestamp; each block is a second later.
const GENESIS_TIME_MS: u64 = 1_700_000_000_000;

/// A chain with a header at every height below its length.
#[derive(Clone)]
pub(super) struct HeaderChain {
    pub(super) config: ChainConfig,
    pub(super) headers: Vec<Header>,
}

/// An AVL+ chain with this many authorities and this quorum.
pub(super) fn config(authorities: u16, quorum: u16) -> ChainConfig {
    ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: "vectors".to_owned(),
        schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
        authorities: (0..authorities).map(|index| key(index).verifying_key().to_bytes()).collect(),
        quorum,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: GENESIS_TIME_MS,
    }
}

/// A chain of the first six schemes, so that a new scheme changes no byte of a file.
pub(super) fn config_of_six_schemes() -> ChainConfig {
    let lvmt = LvmtConfig { params_id: blake2b256(&[b"setup"]), log_n: 16, log_arity: 4 };
    let of = |scheme| match scheme {
        Scheme::Lvmt => SchemeConfig::lvmt(&lvmt),
        Scheme::Lmpt => SchemeConfig::lmpt(&LmptConfig::default()),
        other => SchemeConfig::without_params(other),
    };
    let six = [Scheme::Avl, Scheme::Lvmt, Scheme::Smt, Scheme::Mpt, Scheme::Lmpt, Scheme::Amb];
    ChainConfig { schemes: six.map(of).to_vec(), ..config(1, 1) }
}

/// The key of an authority.
pub(super) fn key(index: u16) -> SigningKey {
    SigningKey::from_bytes(&blake2b256(&[b"authority", &index.to_be_bytes()]))
}

impl HeaderChain {
    pub(super) fn new(config: ChainConfig, length: u8) -> Self {
        Self::with(config, length.into(), |_| {})
    }

    /// A chain whose headers are changed, each before the next one is made.
    pub(super) fn with(
        config: ChainConfig,
        length: usize,
        mut change: impl FnMut(&mut Header),
    ) -> Self {
        let mut history = MerkleFrontier::<Blake2bTree>::new();
        let mut headers: Vec<Header> = Vec::new();
        for height in 0..length as u64 {
            let parent = headers.last().map_or([0; 32], Header::hash);
            let mut header = header(&config, height, parent, history.root());
            change(&mut header);
            history.push(leaf(&header.hash()));
            headers.push(header);
        }
        Self { config, headers }
    }

    pub(super) fn checkpoint(&self, height: usize) -> Checkpoint {
        let header = &self.headers[height];
        let config = self.config.clone();
        Checkpoint { config, height: header.height, header_hash: header.hash() }
    }

    /// The header at a height, signed by exactly a quorum of authorities.
    pub(super) fn signed(&self, height: usize) -> SignedHeader {
        sign(&self.headers[height], &(0..self.config.quorum).collect::<Vec<_>>())
    }

    /// The leaves of a head's history.
    pub(super) fn leaves(&self, head: usize) -> Vec<Hash> {
        self.headers[..head].iter().map(|header| leaf(&header.hash())).collect()
    }

    /// The path of the header at a height in a head's history; an empty one for the head itself.
    pub(super) fn path(&self, height: usize, head: usize) -> Vec<Hash> {
        if height == head {
            return Vec::new();
        }
        inclusion_path::<Blake2bTree>(&self.leaves(head), height).expect("it is in the history")
    }

    /// The honest sync from one height to another.
    pub(super) fn sync(&self, from: usize, to: usize) -> HeaderSync {
        sync(&self.checkpoint(from), &self.signed(to), &self.path(from, to))
    }

    /// The answer of a scheme about a block, with its header if it is older than the head, for a checkpoint at `from`.
    pub(super) fn answer(
        &self,
        scheme: Scheme,
        (from, at, head): (usize, usize, usize),
        keys: &[&[u8]],
        proof: HexBytes,
    ) -> StateAnswer {
        let of = self.sync(from, head);
        let answer = StateAnswer {
            scheme: scheme.as_str().to_owned(),
            checkpoint: of.checkpoint,
            head: of.head,
            inclusion: of.inclusion,
            now: of.now,
            max_clock_skew: None,
            max_head_age: None,
            header: None,
            path: None,
            keys: keys.iter().map(|key| HexBytes(key.to_vec())).collect(),
            proof,
            allow_insecure_setup: scheme == Scheme::Lvmt,
            verifying_key: None,
        };
        if at == head {
            return answer;
        }
        with_header(answer, &self.headers[at], &self.path(at, head))
    }

    /// The honest inclusion of a header in a head's history.
    pub(super) fn inclusion(&self, of: usize, head: usize) -> HeaderInclusion {
        HeaderInclusion {
            head: HexBytes(self.headers[head].encode()),
            header: HexBytes(self.headers[of].encode()),
            height: None,
            inclusion: self.path(of, head).into_iter().map(Hash32).collect(),
        }
    }
}

/// A header with made-up roots.
fn header(config: &ChainConfig, height: u64, parent: Hash, history: Hash) -> Header {
    let number = height.to_be_bytes();
    let root = |id: u8| {
        let length = Scheme::from_id(id).map_or(32, Scheme::root_length);
        let hash = blake2b256(&[b"root", &[id], &number]);
        (id, hash.into_iter().cycle().take(length).collect())
    };
    Header {
        version: 1,
        chain: config.id(),
        height,
        parent,
        timestamp_ms: GENESIS_TIME_MS.saturating_add(height.saturating_mul(1000)),
        ops_root: blake2b256(&[b"operations", &number]),
        history_root: history,
        roots: config.scheme_ids().map(root).collect(),
    }
}

fn leaf(header_hash: &Hash) -> Hash {
    leaf_hash::<Blake2bTree>(header_hash)
}

/// The header with signatures of some authorities.
pub(super) fn sign(header: &Header, authorities: &[u16]) -> SignedHeader {
    let hash = header.hash();
    let signature = |&index: &u16| (index, key(index).sign(&hash).to_bytes());
    SignedHeader { header: header.clone(), signatures: authorities.iter().map(signature).collect() }
}

/// A sync with a second between the head and now.
pub(super) fn sync(checkpoint: &Checkpoint, head: &SignedHeader, path: &[Hash]) -> HeaderSync {
    HeaderSync {
        checkpoint: CheckpointJson::from(checkpoint),
        head: HexBytes(head.encode()),
        inclusion: path.iter().copied().map(Hash32).collect(),
        now: Quantity(head.header.timestamp_ms.saturating_add(1000)),
        max_clock_skew: Some(Quantity(30_000)),
        max_head_age: None,
    }
}

/// The same answer, with an older header.
pub(super) fn with_header(answer: StateAnswer, header: &Header, path: &[Hash]) -> StateAnswer {
    let path = path.iter().copied().map(Hash32).collect();
    StateAnswer { header: Some(HexBytes(header.encode())), path: Some(path), ..answer }
}

/// The answer to a head or header that is accepted.
pub(super) fn accepted(header: &Header) -> VerifierAnswer {
    answer(header.height, header.hash())
}

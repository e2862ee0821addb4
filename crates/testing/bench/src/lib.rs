//! Shared by the native and the WebAssembly benchmarks: the cases, the peer's verifier, and the
//! hashing that both verifiers need. Also the structures of the paper on S-Store, as peers.

#![forbid(unsafe_code)]

mod case;
mod hashing;
mod peer;
pub mod sstore;

use prooflight_avl::Digest;

pub use case::{BatchCase, read, write};
pub use hashing::HashInputs;
pub use peer::{LabelCounts, PeerCase, PeerProver, peer_operations};

/// An operation in the peer's types.
pub use ergo_avltree_rust::operation::Operation as PeerOperation;

/// Any error of a benchmark. Every error ends the benchmark.
pub type Result<T> = core::result::Result<T, Box<dyn core::error::Error + Send + Sync>>;

/// The cases of a vector file, converted for one of the verifiers.
pub enum VerifierCases {
    /// For our verifier.
    Ours(Vec<BatchCase>),
    /// For the peer's verifier.
    Peer(Vec<PeerCase>),
}

impl VerifierCases {
    /// Reads a vector file for our verifier.
    pub fn ours(json: &str) -> Result<Self> {
        Ok(Self::Ours(read(json)?))
    }

    /// Reads a vector file for the peer's verifier.
    pub fn peer(json: &str) -> Result<Self> {
        Ok(Self::Peer(read(json)?.iter().map(PeerCase::new).collect()))
    }

    /// Verifies each case; returns the digests.
    pub fn verify(&self) -> Result<Vec<Digest>> {
        match self {
            Self::Ours(cases) => cases.iter().map(BatchCase::verify).collect(),
            Self::Peer(cases) => cases.iter().map(PeerCase::verify).collect(),
        }
    }

    /// Counts the hashing that every verifier of these cases must do.
    pub fn work(&self) -> Result<LabelCounts> {
        let converted: Vec<PeerCase>;
        let cases = match self {
            Self::Ours(cases) => {
                converted = cases.iter().map(PeerCase::new).collect();
                &converted
            }
            Self::Peer(cases) => cases,
        };
        cases.iter().try_fold(LabelCounts::default(), |sum, case| Ok(sum + case.work()?))
    }
}

impl Default for VerifierCases {
    fn default() -> Self {
        Self::Ours(Vec::new())
    }
}

//! The three layers, and their roots in a header.

use prooflight_core::{Error, Hash, Reason, Result};
use prooflight_mpt::EMPTY_ROOT;

/// A layer of a state, from the newest writes to the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The writes of the current era.
    Delta,
    /// The writes of the era before it.
    Intermediate,
    /// The state before that era.
    Snapshot,
}

impl Layer {
    /// The layers in the order in which a key is looked up.
    pub const ALL: [Self; 3] = [Self::Delta, Self::Intermediate, Self::Snapshot];

    /// The name in TypeScript, JSON and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::Intermediate => "intermediate",
            Self::Snapshot => "snapshot",
        }
    }
}

/// The roots of the three layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerRoots {
    /// The root of the snapshot.
    pub snapshot: Hash,
    /// The root of the intermediate trie.
    pub intermediate: Hash,
    /// The root of the delta trie.
    pub delta: Hash,
}

/// The roots of a state without keys.
pub const EMPTY_ROOTS: LayerRoots =
    LayerRoots { snapshot: EMPTY_ROOT, intermediate: EMPTY_ROOT, delta: EMPTY_ROOT };

impl LayerRoots {
    /// Bytes of the root in a header: snapshot, intermediate, delta.
    pub const LENGTH: usize = 96;

    /// Reads a header's root; `invalid_argument` unless it has 96 bytes.
    pub fn decode(root: &[u8]) -> Result<Self> {
        match root.as_chunks() {
            (&[snapshot, intermediate, delta], []) => Ok(Self { snapshot, intermediate, delta }),
            _ => Err(Error::new(
                Reason::InvalidArgument,
                format_args!("a root of {} bytes", Self::LENGTH),
                format_args!("{} bytes", root.len()),
            )),
        }
    }

    /// The bytes in a header.
    pub fn encode(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        for (to, hash) in
            bytes.as_chunks_mut().0.iter_mut().zip([self.snapshot, self.intermediate, self.delta])
        {
            *to = hash;
        }
        bytes
    }

    /// The root of one layer.
    pub const fn of(&self, layer: Layer) -> &Hash {
        match layer {
            Layer::Delta => &self.delta,
            Layer::Intermediate => &self.intermediate,
            Layer::Snapshot => &self.snapshot,
        }
    }
}

//! Collects the answers from the opened leaves of a proof.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::{Hash, PastState, RangeEntry};

use crate::hash::NodeRecord;
use crate::partial::PartialTree;
use crate::path::Path;
use crate::proof::LeafVersion;

/// An entry, with everything that a replica needs to continue from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaEntry<'a> {
    /// The key.
    pub key: Vec<u8>,
    /// The number of its versions.
    pub versions: u64,
    /// The block that wrote the newest one.
    pub block: u64,
    /// Its value; `None` for a tombstone.
    pub value: Option<&'a [u8]>,
    /// The roots of the perfect trees over the past versions, largest first.
    pub peaks: &'a [Hash],
}

/// A leaf that was read.
pub(crate) struct ReadLeaf<'q, 'a> {
    pub(crate) key: LeafKey<'q>,
    pub(crate) versions: u64,
    pub(crate) newest: LeafVersion<'a>,
    pub(crate) shows: LeafAnswer<'a>,
    pub(crate) record: NodeRecord,
}

/// The key of a leaf, and why the leaf is opened.
pub(crate) enum LeafKey<'q> {
    /// A requested key, with its index among the distinct ones.
    Requested { index: usize, key: &'q [u8] },
    /// A key of the page.
    InPage(Vec<u8>),
    /// Any other key.
    Other(Vec<u8>),
}

impl LeafKey<'_> {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Requested { key, .. } => key,
            Self::InPage(key) | Self::Other(key) => key,
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Requested { key, .. } => key.to_vec(),
            Self::InPage(key) | Self::Other(key) => key,
        }
    }
}

/// What a leaf shows besides the newest version.
pub(crate) enum LeafAnswer<'a> {
    None,
    /// The state at a block.
    State(PastState<'a>),
    /// The state on entering, and the changes.
    History(PastState<'a>, Vec<PastState<'a>>),
    /// The roots of the perfect trees over the past versions.
    Peaks(&'a [Hash]),
}

/// The state of one key over time: on entering, and each change.
pub(crate) type KeyStates<'a> = (PastState<'a>, Vec<PastState<'a>>);

/// Everything that a proof shows.
pub(crate) struct ProofAnswers<'a> {
    /// The state of each distinct requested key.
    pub(crate) states: Vec<KeyStates<'a>>,
    /// The number of past versions in histories.
    pub(crate) changes: u64,
    /// The number of opened leaves in the page.
    pub(crate) in_page: usize,
    pub(crate) entries: Vec<RangeEntry<'a>>,
    pub(crate) replicas: Vec<ReplicaEntry<'a>>,
    /// The number of live entries counted.
    pub(crate) count: u64,
    /// The partial tree, if operations are to be executed on it.
    pub(crate) partial: Option<PartialTree<'a>>,
}

impl<'a> ProofAnswers<'a> {
    /// No answers yet, for a question about this many keys.
    pub(crate) fn new(keys: usize) -> Self {
        Self {
            states: vec![(PastState::NeverWritten, Vec::new()); keys],
            changes: 0,
            in_page: 0,
            entries: Vec::new(),
            replicas: Vec::new(),
            count: 0,
            partial: None,
        }
    }

    /// Adds a closed node; `is_covered` if a count includes all of its entries.
    pub(crate) fn closed(&mut self, node: &NodeRecord, is_covered: bool) {
        if is_covered {
            // Saturating is enough: the branches above check that the sum is below 2^56.
            self.count = self.count.saturating_add(node.live);
        }
        if let Some(partial) = &mut self.partial {
            partial.closed(*node);
        }
    }

    /// Adds a branch over the last two nodes; the path is its prefix.
    pub(crate) fn branch(&mut self, path: &Path, node: &NodeRecord) {
        if let Some(partial) = &mut self.partial {
            partial.branch(path, *node);
        }
    }

    /// Adds a leaf.
    pub(crate) fn leaf(&mut self, leaf: ReadLeaf<'_, 'a>) {
        let ReadLeaf { key, versions, newest, shows, record } = leaf;
        if let Some(partial) = &mut self.partial {
            let peaks = if let LeafAnswer::Peaks(peaks) = shows { Some(peaks) } else { None };
            partial.leaf(key.into_bytes(), versions, newest.version, peaks, record);
            return;
        }
        match (key, shows) {
            (LeafKey::Requested { index, .. }, LeafAnswer::State(state)) => {
                self.put(index, (state, Vec::new()));
            }
            (LeafKey::Requested { index, .. }, LeafAnswer::History(entering, changes)) => {
                self.put(index, (entering, changes));
            }
            (LeafKey::InPage(key), LeafAnswer::State(PastState::Present { value, since })) => {
                self.entries.push(RangeEntry { key, value, since });
            }
            (LeafKey::InPage(key), LeafAnswer::Peaks(peaks)) => {
                let (block, value) = (newest.version.block, newest.value);
                self.replicas.push(ReplicaEntry { key, versions, block, value, peaks });
            }
            (LeafKey::InPage(_), LeafAnswer::None) => {
                self.count = self.count.saturating_add(record.live);
            }
            _ => {}
        }
    }

    fn put(&mut self, index: usize, states: KeyStates<'a>) {
        if let Some(place) = self.states.get_mut(index) {
            *place = states;
        }
    }
}

impl<'a> LeafVersion<'a> {
    /// The version as an answer.
    pub(crate) fn answer(&self) -> PastState<'a> {
        let block = self.version.block;
        match self.value {
            Some(value) => PastState::Present { value, since: block },
            None => PastState::Deleted { deleted_at: block },
        }
    }
}

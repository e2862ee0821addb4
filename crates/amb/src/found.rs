//! Collects the answers from the opened leaves of a proof.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::{Answer, Hash};

use crate::hash::Record;
use crate::partial::Partial;
use crate::proof::Shown;
use crate::way::Way;

/// A key with its value, from a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The key.
    pub key: Vec<u8>,
    /// Its value.
    pub value: &'a [u8],
    /// The block that set it.
    pub since: u64,
}

/// An entry, with everything that a replica needs to continue from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica<'a> {
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
pub(crate) struct Leaf<'q, 'a> {
    pub(crate) key: LeafKey<'q>,
    pub(crate) versions: u64,
    pub(crate) newest: Shown<'a>,
    pub(crate) shows: Shows<'a>,
    pub(crate) record: Record,
}

/// The key of a leaf, and why the leaf is opened.
pub(crate) enum LeafKey<'q> {
    /// A requested key, with its index among the distinct ones.
    Asked { index: usize, key: &'q [u8] },
    /// A key of the page.
    InPage(Vec<u8>),
    /// Any other key.
    Other(Vec<u8>),
}

impl LeafKey<'_> {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Asked { key, .. } => key,
            Self::InPage(key) | Self::Other(key) => key,
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Asked { key, .. } => key.to_vec(),
            Self::InPage(key) | Self::Other(key) => key,
        }
    }
}

/// What a leaf shows besides the newest version.
pub(crate) enum Shows<'a> {
    Nothing,
    /// The state at a block.
    State(Answer<'a>),
    /// The state on entering, and the changes.
    History(Answer<'a>, Vec<Answer<'a>>),
    /// The roots of the perfect trees over the past versions.
    Peaks(&'a [Hash]),
}

/// The state of one key over time: on entering, and each change.
pub(crate) type States<'a> = (Answer<'a>, Vec<Answer<'a>>);

/// Everything that a proof shows.
pub(crate) struct Found<'a> {
    /// The state of each distinct requested key.
    pub(crate) states: Vec<States<'a>>,
    /// The number of past versions in histories.
    pub(crate) changes: u64,
    /// The number of opened leaves in the page.
    pub(crate) in_page: usize,
    pub(crate) entries: Vec<Entry<'a>>,
    pub(crate) replicas: Vec<Replica<'a>>,
    /// The number of live entries counted.
    pub(crate) count: u64,
    /// The partial tree, if operations are to be executed on it.
    pub(crate) partial: Option<Partial<'a>>,
}

impl<'a> Found<'a> {
    /// No answers yet, for a question about this many keys.
    pub(crate) fn new(keys: usize) -> Self {
        Self {
            states: vec![(Answer::NeverWritten, Vec::new()); keys],
            changes: 0,
            in_page: 0,
            entries: Vec::new(),
            replicas: Vec::new(),
            count: 0,
            partial: None,
        }
    }

    /// Adds a closed node; `is_covered` if a count includes all of its entries.
    pub(crate) fn closed(&mut self, node: &Record, is_covered: bool) {
        if is_covered {
            // Saturating is enough: the branches above check that the sum is below 2^56.
            self.count = self.count.saturating_add(node.live);
        }
        if let Some(partial) = &mut self.partial {
            partial.closed(*node);
        }
    }

    /// Adds a branch over the last two nodes; the path is its prefix.
    pub(crate) fn branch(&mut self, way: &Way, node: &Record) {
        if let Some(partial) = &mut self.partial {
            partial.branch(way, *node);
        }
    }

    /// Adds a leaf.
    pub(crate) fn leaf(&mut self, leaf: Leaf<'_, 'a>) {
        let Leaf { key, versions, newest, shows, record } = leaf;
        if let Some(partial) = &mut self.partial {
            let peaks = if let Shows::Peaks(peaks) = shows { Some(peaks) } else { None };
            partial.leaf(key.into_bytes(), versions, newest.version, peaks, record);
            return;
        }
        match (key, shows) {
            (LeafKey::Asked { index, .. }, Shows::State(state)) => {
                self.put(index, (state, Vec::new()));
            }
            (LeafKey::Asked { index, .. }, Shows::History(entering, changes)) => {
                self.put(index, (entering, changes));
            }
            (LeafKey::InPage(key), Shows::State(Answer::Present { value, since })) => {
                self.entries.push(Entry { key, value, since });
            }
            (LeafKey::InPage(key), Shows::Peaks(peaks)) => {
                let (block, value) = (newest.version.block, newest.value);
                self.replicas.push(Replica { key, versions, block, value, peaks });
            }
            (LeafKey::InPage(_), Shows::Nothing) => {
                self.count = self.count.saturating_add(record.live);
            }
            _ => {}
        }
    }

    fn put(&mut self, index: usize, states: States<'a>) {
        if let Some(place) = self.states.get_mut(index) {
            *place = states;
        }
    }
}

impl<'a> Shown<'a> {
    /// The version as an answer.
    pub(crate) fn answer(&self) -> Answer<'a> {
        let block = self.version.block;
        match self.value {
            Some(value) => Answer::Present { value, since: block },
            None => Answer::Deleted { deleted_at: block },
        }
    }
}

//! The queries, and the nodes that a proof of each opens.

use std::cmp::Ordering;

use super::tree::{NodeRecord, bit};

/// A query about a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    Get { keys: Vec<Vec<u8>>, at: u64 },
    Hist { keys: Vec<Vec<u8>>, from: u64, to: u64 },
    Range { lo: Vec<u8>, hi: Option<Vec<u8>>, at: u64, reverse: bool },
    Count { lo: Vec<u8>, hi: Option<Vec<u8>> },
    Transfer { lo: Vec<u8>, hi: Option<Vec<u8>>, after: Option<u64> },
    Update { keys: Vec<Vec<u8>> },
}

impl Query {
    pub const fn kind(&self) -> u8 {
        match self {
            Self::Get { .. } => 1,
            Self::Hist { .. } => 2,
            Self::Range { .. } => 3,
            Self::Count { .. } => 4,
            Self::Transfer { .. } => 5,
            Self::Update { .. } => 6,
        }
    }

    /// The requested keys; `None` for a range.
    pub fn keys(&self) -> Option<&[Vec<u8>]> {
        match self {
            Self::Get { keys, .. } | Self::Hist { keys, .. } | Self::Update { keys } => Some(keys),
            _ => None,
        }
    }

    /// The range, its cut applied.
    pub fn page<'a>(&'a self, cut: Option<&'a [u8]>) -> (&'a [u8], Option<&'a [u8]>) {
        let (Self::Range { lo, hi, .. } | Self::Count { lo, hi } | Self::Transfer { lo, hi, .. }) =
            self
        else {
            return (&[], None);
        };
        match cut {
            Some(cut) if matches!(self, Self::Range { reverse: true, .. }) => (cut, hi.as_deref()),
            Some(cut) => (lo, Some(cut)),
            None => (lo, hi.as_deref()),
        }
    }

    /// Whether the query may concern a key below a path.
    pub fn meets(&self, cut: Option<&[u8]>, way: &[bool]) -> bool {
        if let Some(keys) = self.keys() {
            return keys.iter().any(|key| begins_with(key, way));
        }
        let (first, end) = self.page(cut);
        compare(way, true, first).is_ge() && end.is_none_or(|end| compare(way, false, end).is_lt())
    }

    /// Whether everything below a path is counted.
    pub fn covers(&self, way: &[bool]) -> bool {
        let Self::Count { lo, hi } = self else { return false };
        compare(way, false, lo).is_ge()
            && hi.as_ref().is_none_or(|hi| compare(way, true, hi).is_lt())
    }

    /// Whether nothing below a node can be part of the answer.
    pub const fn settles(&self, node: &NodeRecord) -> bool {
        match self {
            Self::Range { at, .. } => node.live == 0 && node.version <= *at,
            Self::Transfer { after: Some(after), .. } => node.version <= *after,
            _ => node.live + node.dead == 0,
        }
    }
}

/// Whether the bits of a key begin with a path.
pub fn begins_with(key: &[u8], way: &[bool]) -> bool {
    way.iter().enumerate().all(|(at, &side)| bit(key, at) == side)
}

/// Compares a path, continued with ones or zeros, with the bits of a bound.
fn compare(way: &[bool], then: bool, bound: &[u8]) -> Ordering {
    let count = way.len().max(9 * bound.len()) + 1;
    let way = way.iter().copied().chain(std::iter::repeat(then));
    way.take(count).cmp((0..count).map(|at| bit(bound, at)))
}

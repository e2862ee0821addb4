//! A question as a walk needs it: which nodes it meets, covers, and need not open.

use core::cmp::Ordering;

use crate::hash::NodeRecord;
use crate::path::KeyBits;
use crate::question::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion,
};

/// A question about a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeQuery<'q> {
    pub(crate) kind: QueryKind,
    /// The requested keys, distinct and ascending; empty for a range.
    pub(crate) keys: &'q [&'q [u8]],
    /// The page: `first <= key < end`.
    pub(crate) first: &'q [u8],
    pub(crate) end: Option<&'q [u8]>,
}

/// The kind of a question, with its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryKind {
    Get { at: u64 },
    Hist { from: u64, to: u64 },
    Range { at: u64 },
    Count,
    Transfer { after: Option<u64> },
    Update,
}

/// The reason to open a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QueryLead {
    /// None: the query does not meet the node.
    Closed,
    /// None: all entries of the node are counted.
    Covered,
    /// A run of the requested keys.
    Keys { start: usize, end: usize },
    /// The page has a part of the node; `first` and `end` say whether that bound begins with the
    /// path.
    Page { first: bool, end: bool },
}

impl<'q> TreeQuery<'q> {
    pub(crate) const fn get(keys: &'q [&'q [u8]], question: &KeysQuestion<'_>) -> Self {
        Self::of_keys(QueryKind::Get { at: question.at }, keys)
    }

    pub(crate) const fn hist(keys: &'q [&'q [u8]], question: &HistoryQuestion<'_>) -> Self {
        Self::of_keys(QueryKind::Hist { from: question.from, to: question.to }, keys)
    }

    pub(crate) const fn update(keys: &'q [&'q [u8]]) -> Self {
        Self::of_keys(QueryKind::Update, keys)
    }

    pub(crate) const fn range(question: &RangeQuestion<'q>) -> Self {
        Self::of_page(QueryKind::Range { at: question.at }, question.lo, question.hi)
    }

    pub(crate) const fn count(question: &CountQuestion<'q>) -> Self {
        Self::of_page(QueryKind::Count, question.lo, question.hi)
    }

    pub(crate) const fn transfer(question: &TransferQuestion<'q>) -> Self {
        Self::of_page(QueryKind::Transfer { after: question.after }, question.lo, question.hi)
    }

    const fn of_keys(kind: QueryKind, keys: &'q [&'q [u8]]) -> Self {
        Self { kind, keys, first: &[], end: None }
    }

    const fn of_page(kind: QueryKind, first: &'q [u8], end: Option<&'q [u8]>) -> Self {
        Self { kind, keys: &[], first, end }
    }

    /// Restricts the query to a page of its range: the one before the cut, or if reversed the one from it on.
    pub(crate) const fn cut(&mut self, cut: Option<&'q [u8]>, is_reverse: bool) {
        if let Some(cut) = cut {
            if is_reverse {
                self.first = cut;
            } else {
                self.end = Some(cut);
            }
        }
    }

    /// Why the root is opened.
    pub(crate) fn lead(&self) -> QueryLead {
        let whole = match self.kind {
            QueryKind::Get { .. } | QueryKind::Hist { .. } | QueryKind::Update => {
                QueryLead::Keys { start: 0, end: self.keys.len() }
            }
            QueryKind::Range { .. } | QueryKind::Count | QueryKind::Transfer { .. } => {
                QueryLead::Page { first: true, end: self.end.is_some() }
            }
        };
        self.lead_to(whole, KeyBits::of(&[], 0))
    }

    /// Why a child is opened, from its branch's lead.
    pub(crate) fn lead_to(&self, branch: QueryLead, path: KeyBits<'_>) -> QueryLead {
        match branch {
            QueryLead::Closed | QueryLead::Covered => branch,
            QueryLead::Keys { start, end } => self.keys_on(path, start, end),
            QueryLead::Page { first, end } => self.page_on(path, first, end),
        }
    }

    /// The keys that begin with the path, among a run of them.
    fn keys_on(&self, path: KeyBits<'_>, start: usize, end: usize) -> QueryLead {
        let run = self.keys.get(start..end).unwrap_or_default();
        let before = run.partition_point(|key| path.order_of(key) == Ordering::Less);
        let until = run.partition_point(|key| path.order_of(key) != Ordering::Greater);
        if before == until {
            return QueryLead::Closed;
        }
        QueryLead::Keys { start: start + before, end: start + until }
    }

    /// Whether the page meets or covers a node. A bound that does not begin with the path to the branch is before
    /// or after all keys of the node.
    fn page_on(&self, path: KeyBits<'_>, mut first: bool, mut end: bool) -> QueryLead {
        if first {
            match path.order_of(self.first) {
                Ordering::Less => first = false,
                Ordering::Equal => {}
                Ordering::Greater => return QueryLead::Closed,
            }
        }
        if let Some(bound) = self.end.filter(|_| end) {
            match path.order_of(bound) {
                Ordering::Less => return QueryLead::Closed,
                Ordering::Equal if path.are_all_of(bound) => return QueryLead::Closed,
                Ordering::Equal => {}
                Ordering::Greater => end = false,
            }
        }
        let covers = (!first || path.are_all_of(self.first)) && !end;
        if covers && self.kind == QueryKind::Count {
            QueryLead::Covered
        } else {
            QueryLead::Page { first, end }
        }
    }

    /// Whether a key is in the page.
    pub(crate) fn has(&self, key: &[u8]) -> bool {
        self.first <= key && self.end.is_none_or(|end| key < end)
    }

    /// Whether nothing below a node is to be shown, so that it stays closed.
    pub(crate) fn is_settled(&self, node: &NodeRecord) -> bool {
        match self.kind {
            QueryKind::Range { at } => node.live == 0 && node.version <= at,
            QueryKind::Transfer { after: Some(after) } => node.version <= after,
            QueryKind::Transfer { after: None }
            | QueryKind::Get { .. }
            | QueryKind::Hist { .. }
            | QueryKind::Count
            | QueryKind::Update => node.is_empty(),
        }
    }
}

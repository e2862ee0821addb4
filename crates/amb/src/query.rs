//! A question as a walk needs it: which nodes it meets, covers, and need not open.

use core::cmp::Ordering;

use crate::hash::Record;
use crate::question::{Count, Get, Hist, Range, Transfer};
use crate::way::Bits;

/// A question about a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<'q> {
    pub(crate) kind: Kind,
    /// The requested keys, distinct and ascending; empty for a range.
    pub(crate) keys: &'q [&'q [u8]],
    /// The page: `first <= key < end`.
    pub(crate) first: &'q [u8],
    pub(crate) end: Option<&'q [u8]>,
}

/// The kind of a question, with its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Get { at: u64 },
    Hist { from: u64, to: u64 },
    Range { at: u64 },
    Count,
    Transfer { after: Option<u64> },
    Update,
}

/// The reason to open a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lead {
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

impl<'q> Query<'q> {
    pub(crate) const fn get(keys: &'q [&'q [u8]], question: &Get<'_>) -> Self {
        Self::of_keys(Kind::Get { at: question.at }, keys)
    }

    pub(crate) const fn hist(keys: &'q [&'q [u8]], question: &Hist<'_>) -> Self {
        Self::of_keys(Kind::Hist { from: question.from, to: question.to }, keys)
    }

    pub(crate) const fn update(keys: &'q [&'q [u8]]) -> Self {
        Self::of_keys(Kind::Update, keys)
    }

    pub(crate) const fn range(question: &Range<'q>) -> Self {
        Self::of_page(Kind::Range { at: question.at }, question.lo, question.hi)
    }

    pub(crate) const fn count(question: &Count<'q>) -> Self {
        Self::of_page(Kind::Count, question.lo, question.hi)
    }

    pub(crate) const fn transfer(question: &Transfer<'q>) -> Self {
        Self::of_page(Kind::Transfer { after: question.after }, question.lo, question.hi)
    }

    const fn of_keys(kind: Kind, keys: &'q [&'q [u8]]) -> Self {
        Self { kind, keys, first: &[], end: None }
    }

    const fn of_page(kind: Kind, first: &'q [u8], end: Option<&'q [u8]>) -> Self {
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
    pub(crate) fn lead(&self) -> Lead {
        let whole = match self.kind {
            Kind::Get { .. } | Kind::Hist { .. } | Kind::Update => {
                Lead::Keys { start: 0, end: self.keys.len() }
            }
            Kind::Range { .. } | Kind::Count | Kind::Transfer { .. } => {
                Lead::Page { first: true, end: self.end.is_some() }
            }
        };
        self.lead_to(whole, Bits::of(&[], 0))
    }

    /// Why a child is opened, from its branch's lead.
    pub(crate) fn lead_to(&self, branch: Lead, way: Bits<'_>) -> Lead {
        match branch {
            Lead::Closed | Lead::Covered => branch,
            Lead::Keys { start, end } => self.keys_on(way, start, end),
            Lead::Page { first, end } => self.page_on(way, first, end),
        }
    }

    /// The keys that begin with the path, among a run of them.
    fn keys_on(&self, way: Bits<'_>, start: usize, end: usize) -> Lead {
        let run = self.keys.get(start..end).unwrap_or_default();
        let before = run.partition_point(|key| way.order_of(key) == Ordering::Less);
        let until = run.partition_point(|key| way.order_of(key) != Ordering::Greater);
        if before == until {
            return Lead::Closed;
        }
        Lead::Keys { start: start + before, end: start + until }
    }

    /// Whether the page meets or covers a node. A bound that does not begin with the path to the branch is before
    /// or after all keys of the node.
    fn page_on(&self, way: Bits<'_>, mut first: bool, mut end: bool) -> Lead {
        if first {
            match way.order_of(self.first) {
                Ordering::Less => first = false,
                Ordering::Equal => {}
                Ordering::Greater => return Lead::Closed,
            }
        }
        if let Some(bound) = self.end.filter(|_| end) {
            match way.order_of(bound) {
                Ordering::Less => return Lead::Closed,
                Ordering::Equal if way.are_all_of(bound) => return Lead::Closed,
                Ordering::Equal => {}
                Ordering::Greater => end = false,
            }
        }
        let covers = (!first || way.are_all_of(self.first)) && !end;
        if covers && self.kind == Kind::Count { Lead::Covered } else { Lead::Page { first, end } }
    }

    /// Whether a key is in the page.
    pub(crate) fn has(&self, key: &[u8]) -> bool {
        self.first <= key && self.end.is_none_or(|end| key < end)
    }

    /// Whether nothing below a node is to be shown, so that it stays closed.
    pub(crate) fn is_settled(&self, node: &Record) -> bool {
        match self.kind {
            Kind::Range { at } => node.live == 0 && node.version <= at,
            Kind::Transfer { after: Some(after) } => node.version <= after,
            Kind::Transfer { after: None }
            | Kind::Get { .. }
            | Kind::Hist { .. }
            | Kind::Count
            | Kind::Update => node.is_empty(),
        }
    }
}

//! Assembles the state after a block from its entries, which another store sent, to start a replica.
//!
//! The entries come in pages, each proved against the block's root. Past versions are not sent, only the roots over
//! them, so that later versions can be proved.

use alloc::vec::Vec;
use core::mem;

use prooflight_core::store::{Entry as Stored, WriteBatch};
use prooflight_core::{Error, Hex, Limits, Reason, Result};

use super::branches::above_pages;
use super::draft::Draft;
use super::entry::Entry;
use super::item::{Item as _, Piece};
use super::past::put_lost;
use super::record::{encode_node, head_key, put, value_key};
use super::top::{Child, Node};
use super::{INLINE, PAGE, page};
use crate::hash::{Record, Version};
use crate::message::{Message as _, VALUE};
use crate::prover::hashing::hash_all;
use crate::question::Root;
use crate::way::first_difference;
use crate::{Replica, Transfer, verify_transfer};

/// Assembles the state after a block from proofs of its entries, in order.
///
/// In memory are one path of the tree, with at most 64 entries a level, and the record of each page.
#[derive(Debug)]
pub struct Assembly {
    root: Root,
    /// The first key that may follow; `None` once all entries were added.
    next: Option<Vec<u8>>,
    /// The newest key.
    last: Vec<u8>,
    /// The left children of branches whose right child is not complete yet, with the depth of the branch; the deepest
    /// last.
    open: Vec<(usize, Part)>,
    /// The complete subtree beside them.
    complete: Part,
    pages: Vec<Piece<'static>>,
}

/// A complete subtree.
#[derive(Debug)]
enum Part {
    /// At most 64 entries, which may become a part of a larger page.
    Entries(Vec<Entry<'static>>),
    /// More of them, in pages.
    Pages,
}

/// The contents of a received page of entries.
#[derive(Debug, Default)]
pub struct Taken {
    /// Writes for the store.
    pub writes: WriteBatch,
    /// The keys that have a value, ascending, with these values.
    pub values: Vec<Stored>,
}

impl Assembly {
    /// Starts to assemble the state of a trusted root.
    pub fn new(root: Root) -> Self {
        let (last, open, pages) = (Vec::new(), Vec::new(), Vec::new());
        let complete = Part::Entries(Vec::new());
        Self { root, next: Some(Vec::new()), last, open, complete, pages }
    }

    /// The first key that the next page may have; `None` once all entries were added.
    pub fn next(&self) -> Option<&[u8]> {
        self.next.as_deref()
    }

    /// Adds the page of all entries from [`next`](Self::next) on, as a reader of another state
    /// [proved](prooflight_core::store::StateReader::transfer) it.
    ///
    /// Errors are those of [`verify_transfer`], and `page_end` for a page without entries that is not the last one. Nothing
    /// has changed then.
    pub fn take(&mut self, proof: &[u8], limits: &Limits) -> Result<Taken> {
        let Some(lo) = &self.next else {
            return Err(Error::new(Reason::InvalidArgument, "a page that is asked for", "another"));
        };
        let question = Transfer { lo, hi: None, after: None };
        let page = verify_transfer(&self.root, &question, proof, limits)?.into_inner();
        if page.entries.is_empty()
            && let Some(next) = page.next
        {
            let expected = format_args!("an entry before {}", Hex(next));
            return Err(Error::new(Reason::PageEnd, expected, "none"));
        }
        let next = page.next.map(Vec::from);
        let hashed = page.entries.iter().filter_map(|entry| entry.value);
        let mut hashes = hash_all(hashed, |message, value| {
            message.push(VALUE);
            message.put(value);
        })
        .into_iter();
        let mut taken = Taken::default();
        for replica in page.entries {
            let Replica { key, versions, block, value, peaks } = replica;
            let newest = Version { block, value: value.and_then(|_| hashes.next()) };
            if let Some(value) = value {
                taken.values.push((key.clone(), value.to_vec()));
            }
            let inline = value.filter(|value| value.len() <= INLINE);
            if let (Some(value), None) = (value, inline) {
                taken.writes.put(value_key(&key, versions - 1), value);
            }
            if !peaks.is_empty() {
                put_lost(&mut taken.writes, &key, versions - 1, peaks);
            }
            let value = inline.map(|value| value.to_vec().into());
            let (key, peaks) = (key.into(), peaks.to_vec().into());
            self.add(Entry { key, versions, newest, value, peaks }, &mut taken.writes);
        }
        self.next = next;
        Ok(taken)
    }

    /// The final writes: with those of all pages, they turn an empty store into one with the state.
    ///
    /// `invalid_argument` if entries are missing.
    pub fn finish(&mut self) -> Result<WriteBatch> {
        if let Some(next) = &self.next {
            let expected = format_args!("the page from {} on", Hex(next));
            return Err(Error::new(Reason::InvalidArgument, expected, "none"));
        }
        let mut writes = WriteBatch::new();
        self.close(None, &mut writes);
        let complete = mem::replace(&mut self.complete, Part::Pages);
        self.divide(complete, &mut writes);
        self.pages.sort_unstable_by(|a, b| a.key().cmp(b.key()));
        let top = above_pages(&Draft::over(&self.pages), &self.pages, |_, _| ());
        let found = top.record.state_root();
        if found != self.root.hash {
            // Every page was proved against this root.
            return Err(Error::new(Reason::Bug, Hex(&self.root.hash), Hex(&found)));
        }
        put(&mut writes, head_key(self.root.height), encode_node(&top.record));
        Ok(writes)
    }

    /// Adds the entry after all others.
    fn add(&mut self, entry: Entry<'static>, writes: &mut WriteBatch) {
        let is_first = matches!(&self.complete, Part::Entries(entries) if entries.is_empty());
        if !is_first {
            let depth = first_difference(&self.last, &entry.key).unwrap_or_default();
            self.close(Some(depth), writes);
            let complete = mem::replace(&mut self.complete, Part::Pages);
            self.open.push((depth, complete));
        }
        self.last.clear();
        self.last.extend_from_slice(&entry.key);
        self.complete = Part::Entries(Vec::from([entry]));
    }

    /// Closes the branches deeper than this, or all.
    fn close(&mut self, depth: Option<usize>, writes: &mut WriteBatch) {
        let is_closed = |above: usize| depth.is_none_or(|depth| above > depth);
        while let Some((_, left)) = self.open.pop_if(|(above, _)| is_closed(*above)) {
            let right = mem::replace(&mut self.complete, Part::Pages);
            self.complete = match (left, right) {
                (Part::Entries(mut left), Part::Entries(mut right))
                    if (left.len() + right.len()) as u64 <= PAGE =>
                {
                    left.append(&mut right);
                    Part::Entries(left)
                }
                (left, right) => {
                    self.divide(left, writes);
                    self.divide(right, writes);
                    Part::Pages
                }
            };
        }
    }

    /// Makes a page of a largest subtree of at most 64 entries.
    fn divide(&mut self, part: Part, writes: &mut WriteBatch) {
        let Part::Entries(entries) = part else { return };
        let Some(first) = entries.first() else { return };
        let first = (*first.key).into();
        let pieces: Vec<_> = entries.into_iter().map(Piece::Entry).collect();
        let draft = Draft::over(&pieces);
        let record = draft.top.map_or(Record::EMPTY, |top| *draft.record(top));
        page::write(writes, &pieces, &record);
        self.pages.push(Piece::Node(Child { record, node: Node::Page(first) }));
    }
}

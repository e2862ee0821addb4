//! Assembles the state after a block from its entries, which another store sent, to start a replica.
//!
//! The entries come in pages, each proved against the block's root. Past versions are not sent, only the roots over
//! them, so that later versions can be proved.

use alloc::vec::Vec;
use core::mem;

use prooflight_core::store::{StoreEntry as Stored, WriteBatch};
use prooflight_core::{Error, Hex, Limits, Reason, Result};

use super::branches::above_pages;
use super::draft::SubtreeDraft;
use super::entry::PageEntry;
use super::hashing::hash_values;
use super::piece::{KeyedNode as _, TreePiece};
use super::stored_record::{encode_node, head_key, put, value_key};
use super::stored_version::put_missing;
use super::top::{TopChild, TopNode};
use super::{MAX_INLINE_BYTES, MAX_PAGE_ENTRIES, page};
use crate::hash::{KeyVersion, NodeRecord};
use crate::path::first_difference;
use crate::question::TrustedRoot;
use crate::{ReplicaEntry, TransferQuestion, verify_transfer};

/// Assembles the state after a block from proofs of its entries, in order.
///
/// In memory are one path of the tree, with at most 64 entries a level, and the record of each page.
#[derive(Debug)]
pub struct StateAssembly {
    root: TrustedRoot,
    /// The first key that may follow; `None` once all entries were added.
    next: Option<Vec<u8>>,
    /// The newest key.
    last: Vec<u8>,
    /// The left children of branches whose right child is not complete yet, with the depth of the branch; the deepest
    /// last.
    open: Vec<(usize, CompleteSubtree)>,
    /// The complete subtree beside them.
    complete: CompleteSubtree,
    pages: Vec<TreePiece<'static>>,
}

/// A complete subtree.
#[derive(Debug)]
enum CompleteSubtree {
    /// At most 64 entries, which may become a part of a larger page.
    Entries(Vec<PageEntry<'static>>),
    /// More of them, in pages.
    Pages,
}

/// The contents of a received page of entries.
#[derive(Debug, Default)]
pub struct ReceivedPage {
    /// Writes for the store.
    pub writes: WriteBatch,
    /// The keys that have a value, ascending, with these values.
    pub values: Vec<Stored>,
}

impl StateAssembly {
    /// Starts to assemble the state of a trusted root.
    pub fn new(root: TrustedRoot) -> Self {
        let (last, open, pages) = (Vec::new(), Vec::new(), Vec::new());
        let complete = CompleteSubtree::Entries(Vec::new());
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
    pub fn add_page(&mut self, proof: &[u8], limits: &Limits) -> Result<ReceivedPage> {
        let Some(lo) = &self.next else {
            return Err(Error::new(Reason::InvalidArgument, "a page that is asked for", "another"));
        };
        let question = TransferQuestion { lo, hi: None, after: None };
        let page = verify_transfer(&self.root, &question, proof, limits)?.into_inner();
        if page.entries.is_empty()
            && let Some(next) = page.next
        {
            let expected = format_args!("an entry before {}", Hex(next));
            return Err(Error::new(Reason::PageEnd, expected, "none"));
        }
        let next = page.next.map(Vec::from);
        let hashed = page.entries.iter().filter_map(|entry| entry.value);
        let mut hashes = hash_values(hashed).into_iter();
        let mut taken = ReceivedPage::default();
        for replica in page.entries {
            let ReplicaEntry { key, versions, block, value, peaks } = replica;
            let newest = KeyVersion { block, value: value.and_then(|_| hashes.next()) };
            if let Some(value) = value {
                taken.values.push((key.clone(), value.to_vec()));
            }
            let inline = value.filter(|value| value.len() <= MAX_INLINE_BYTES);
            if let (Some(value), None) = (value, inline) {
                taken.writes.put(value_key(&key, versions - 1), value);
            }
            if !peaks.is_empty() {
                put_missing(&mut taken.writes, &key, versions - 1, peaks);
            }
            let value = inline.map(|value| value.to_vec().into());
            let (key, peaks) = (key.into(), peaks.to_vec().into());
            self.add(PageEntry { key, versions, newest, value, peaks }, &mut taken.writes);
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
        let complete = mem::replace(&mut self.complete, CompleteSubtree::Pages);
        self.divide(complete, &mut writes);
        self.pages.sort_unstable_by(|a, b| a.key().cmp(b.key()));
        let top = above_pages(&SubtreeDraft::over(&self.pages), &self.pages, |_, _| ());
        let found = top.record.state_root();
        if found != self.root.hash {
            // Every page was proved against this root.
            return Err(Error::new(Reason::Bug, Hex(&self.root.hash), Hex(&found)));
        }
        put(&mut writes, head_key(self.root.height), encode_node(&top.record));
        Ok(writes)
    }

    /// Adds the entry after all others.
    fn add(&mut self, entry: PageEntry<'static>, writes: &mut WriteBatch) {
        let is_first =
            matches!(&self.complete, CompleteSubtree::Entries(entries) if entries.is_empty());
        if !is_first {
            let depth = first_difference(&self.last, &entry.key).unwrap_or_default();
            self.close(Some(depth), writes);
            let complete = mem::replace(&mut self.complete, CompleteSubtree::Pages);
            self.open.push((depth, complete));
        }
        self.last.clear();
        self.last.extend_from_slice(&entry.key);
        self.complete = CompleteSubtree::Entries(Vec::from([entry]));
    }

    /// Closes the branches deeper than this, or all.
    fn close(&mut self, depth: Option<usize>, writes: &mut WriteBatch) {
        let is_closed = |above: usize| depth.is_none_or(|depth| above > depth);
        while let Some((_, left)) = self.open.pop_if(|(above, _)| is_closed(*above)) {
            let right = mem::replace(&mut self.complete, CompleteSubtree::Pages);
            self.complete = match (left, right) {
                (CompleteSubtree::Entries(mut left), CompleteSubtree::Entries(mut right))
                    if (left.len() + right.len()) as u64 <= MAX_PAGE_ENTRIES =>
                {
                    left.append(&mut right);
                    CompleteSubtree::Entries(left)
                }
                (left, right) => {
                    self.divide(left, writes);
                    self.divide(right, writes);
                    CompleteSubtree::Pages
                }
            };
        }
    }

    /// Makes a page of a largest subtree of at most 64 entries.
    fn divide(&mut self, part: CompleteSubtree, writes: &mut WriteBatch) {
        let CompleteSubtree::Entries(entries) = part else { return };
        let Some(first) = entries.first() else { return };
        let first = (*first.key).into();
        let pieces: Vec<_> = entries.into_iter().map(TreePiece::Entry).collect();
        let draft = SubtreeDraft::over(&pieces);
        let record = draft.top.map_or(NodeRecord::EMPTY, |top| *draft.record(top));
        page::write(writes, &pieces, &record);
        self.pages.push(TreePiece::Node(TopChild { record, node: TopNode::Page(first) }));
    }
}

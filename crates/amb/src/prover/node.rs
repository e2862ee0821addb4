//! The nodes of a state in a store, as proofs show them.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec::Vec;

use prooflight_core::store::{ReadStore, corrupt};
use prooflight_core::{Hex, Result};

use super::draft::{DraftNode, SubtreeDraft};
use super::entry::PageEntry;
use super::page;
use super::past::{self, VersionExcerpt};
use super::top::{self, TopChild};
use crate::hash::NodeRecord;

/// A node of a state in a store.
#[derive(Debug)]
pub(super) struct StoredNode<'r, S: ?Sized> {
    store: &'r S,
    place: StoredLocation<'r>,
}

#[derive(Clone, Debug)]
enum StoredLocation<'r> {
    /// Above the pages, or a page that is not read yet.
    Above(&'r TopChild),
    InPage(Rc<LoadedPage>, DraftNode),
}

/// The content of a node.
pub(super) enum NodeContent<'r, S: ?Sized> {
    Empty,
    Entry(StoredEntry<'r, S>),
    Branch { depth: usize, children: [StoredNode<'r, S>; 2] },
}

/// A page that was read, with its branches.
#[derive(Debug)]
struct LoadedPage {
    entries: Vec<PageEntry<'static>>,
    draft: SubtreeDraft,
}

impl<'r, S: ReadStore + ?Sized> StoredNode<'r, S> {
    pub(super) const fn new(store: &'r S, top: &'r TopChild) -> Self {
        Self { store, place: StoredLocation::Above(top) }
    }

    pub(super) fn record(&self) -> &NodeRecord {
        match &self.place {
            StoredLocation::Above(child) => &child.record,
            StoredLocation::InPage(page, at) => page.draft.record(*at),
        }
    }

    /// The key of an entry of the node; empty without entries.
    pub(super) fn key(&self) -> &[u8] {
        match &self.place {
            StoredLocation::Above(child) => child.key(),
            StoredLocation::InPage(page, at) => &page.entries[page.draft.items(*at).start].key,
        }
    }

    /// The content of the node, for which a page may have to be read.
    pub(super) fn open(&self) -> Result<NodeContent<'r, S>> {
        match &self.place {
            StoredLocation::Above(child) => match &child.node {
                top::TopNode::Empty => Ok(NodeContent::Empty),
                top::TopNode::Branch(branch) => {
                    let children =
                        branch.children.each_ref().map(|it| self.at(StoredLocation::Above(it)));
                    Ok(NodeContent::Branch { depth: branch.depth, children })
                }
                top::TopNode::Page(first) => {
                    let page = LoadedPage::read(self.store, first, &child.record)?;
                    match page.draft.top {
                        Some(at) => self.at(StoredLocation::InPage(Rc::new(page), at)).open(),
                        None => Ok(NodeContent::Empty),
                    }
                }
            },
            StoredLocation::InPage(page, DraftNode::Item(item)) => {
                let (store, page) = (self.store, page.clone());
                Ok(NodeContent::Entry(StoredEntry { store, page, item: *item }))
            }
            StoredLocation::InPage(page, DraftNode::Branch(branch)) => {
                let branch = page.draft.branch(*branch);
                let child = |at| self.at(StoredLocation::InPage(page.clone(), at));
                Ok(NodeContent::Branch {
                    depth: branch.depth,
                    children: branch.children.map(child),
                })
            }
        }
    }

    const fn at(&self, place: StoredLocation<'r>) -> Self {
        Self { store: self.store, place }
    }
}

impl<S: ?Sized> Clone for StoredNode<'_, S> {
    fn clone(&self) -> Self {
        Self { store: self.store, place: self.place.clone() }
    }
}

impl LoadedPage {
    /// Reads a page; `store_corrupt` if its record is not the one that the tree has.
    fn read<S: ReadStore + ?Sized>(store: &S, first: &[u8], record: &NodeRecord) -> Result<Self> {
        let bytes = page::read(store, first)?;
        let entries = page::entries(first, &bytes, record)?;
        let entries: Vec<_> = entries.into_iter().map(PageEntry::into_owned).collect();
        let draft = SubtreeDraft::over(&entries);
        let found = draft.top.map_or(NodeRecord::EMPTY, |top| *draft.record(top));
        if found == *record {
            return Ok(Self { entries, draft });
        }
        let expected =
            format_args!("the page from {} on with the hash {}", Hex(first), Hex(&record.hash));
        Err(corrupt(expected, Hex(&found.hash)))
    }
}

/// An entry of a page that was read.
pub(super) struct StoredEntry<'r, S: ?Sized> {
    store: &'r S,
    page: Rc<LoadedPage>,
    item: usize,
}

impl<S: ReadStore + ?Sized> StoredEntry<'_, S> {
    pub(super) fn entry(&self) -> &PageEntry<'static> {
        &self.page.entries[self.item]
    }

    /// The newest version's value, which must not be a tombstone.
    pub(super) fn value(&self) -> Result<Cow<'_, [u8]>> {
        let entry = self.entry();
        match (&entry.value, entry.newest.value) {
            (None, Some(hash)) => {
                let value = past::value(self.store, &entry.key, entry.versions - 1, &hash)?;
                Ok(value.into())
            }
            (value, _) => Ok(value.as_deref().unwrap_or_default().into()),
        }
    }

    /// The number of past versions of blocks before this one.
    pub(super) fn before(&self, block: u64) -> Result<u64> {
        past::before(self.store, self.entry(), block)
    }

    /// Some past versions, at least one, with their values up to a block.
    pub(super) fn excerpt(&self, numbers: &[u64], shown_until: u64) -> Result<VersionExcerpt> {
        past::excerpt(self.store, self.entry(), numbers, shown_until)
    }
}

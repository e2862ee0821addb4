//! The nodes of a state in a store, as proofs show them.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec::Vec;

use prooflight_core::store::{Read, corrupt};
use prooflight_core::{Hash, Hex, Result};

use super::draft::{At, Draft};
use super::entry::Entry;
use super::top::{self, Child};
use super::{page, past};
use crate::hash::{Record, Version};
use crate::prover::leaf::{Excerpt, Leaf};
use crate::prover::prove::{Node, Opened};

/// A node of a state in a store.
#[derive(Debug)]
pub(super) struct StoredNode<'r, S: ?Sized> {
    store: &'r S,
    place: Place<'r>,
}

#[derive(Clone, Debug)]
enum Place<'r> {
    /// Above the pages, or a page that is not read yet.
    Above(&'r Child),
    InPage(Rc<Page>, At),
}

/// A page that was read, with its branches.
#[derive(Debug)]
struct Page {
    entries: Vec<Entry<'static>>,
    draft: Draft,
}

impl<'r, S: Read + ?Sized> StoredNode<'r, S> {
    pub(super) const fn new(store: &'r S, top: &'r Child) -> Self {
        Self { store, place: Place::Above(top) }
    }

    const fn at(&self, place: Place<'r>) -> Self {
        Self { store: self.store, place }
    }
}

impl<S: ?Sized> Clone for StoredNode<'_, S> {
    fn clone(&self) -> Self {
        Self { store: self.store, place: self.place.clone() }
    }
}

impl<'r, S: Read + ?Sized> Node for StoredNode<'r, S> {
    type Entry = StoredEntry<'r, S>;

    fn record(&self) -> &Record {
        match &self.place {
            Place::Above(child) => &child.record,
            Place::InPage(page, at) => page.draft.record(*at),
        }
    }

    fn key(&self) -> &[u8] {
        match &self.place {
            Place::Above(child) => child.key(),
            Place::InPage(page, at) => &page.entries[page.draft.items(*at).start].key,
        }
    }

    fn open(&self) -> Result<Opened<Self>> {
        match &self.place {
            Place::Above(child) => match &child.node {
                top::Node::Empty => Ok(Opened::Empty),
                top::Node::Branch(branch) => {
                    let children = branch.children.each_ref().map(|it| self.at(Place::Above(it)));
                    Ok(Opened::Branch { depth: branch.depth, children })
                }
                top::Node::Page(first) => {
                    let page = Page::read(self.store, first, &child.record)?;
                    match page.draft.top {
                        Some(at) => self.at(Place::InPage(Rc::new(page), at)).open(),
                        None => Ok(Opened::Empty),
                    }
                }
            },
            Place::InPage(page, At::Item(item)) => {
                let (store, page) = (self.store, page.clone());
                Ok(Opened::Entry(StoredEntry { store, page, item: *item }))
            }
            Place::InPage(page, At::Branch(branch)) => {
                let branch = page.draft.branch(*branch);
                let child = |at| self.at(Place::InPage(page.clone(), at));
                Ok(Opened::Branch { depth: branch.depth, children: branch.children.map(child) })
            }
        }
    }
}

impl Page {
    /// Reads a page; `store_corrupt` if its record is not the one that the tree has.
    fn read<S: Read + ?Sized>(store: &S, first: &[u8], record: &Record) -> Result<Self> {
        let bytes = page::read(store, first)?;
        let entries = page::entries(first, &bytes, record)?;
        let entries: Vec<_> = entries.into_iter().map(Entry::into_owned).collect();
        let draft = Draft::over(&entries);
        let found = draft.top.map_or(Record::EMPTY, |top| *draft.record(top));
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
    page: Rc<Page>,
    item: usize,
}

impl<S: ?Sized> StoredEntry<'_, S> {
    fn entry(&self) -> &Entry<'static> {
        &self.page.entries[self.item]
    }
}

impl<S: Read + ?Sized> Leaf for StoredEntry<'_, S> {
    fn key(&self) -> &[u8] {
        &self.entry().key
    }

    fn versions(&self) -> u64 {
        self.entry().versions
    }

    fn newest(&self) -> &Version {
        &self.entry().newest
    }

    fn value(&self) -> Result<Cow<'_, [u8]>> {
        let entry = self.entry();
        match (&entry.value, entry.newest.value) {
            (None, Some(hash)) => {
                let value = past::value(self.store, &entry.key, entry.versions - 1, &hash)?;
                Ok(value.into())
            }
            (value, _) => Ok(value.as_deref().unwrap_or_default().into()),
        }
    }

    fn past_root(&self) -> Hash {
        self.entry().past_root()
    }

    fn peaks(&self) -> Cow<'_, [Hash]> {
        Cow::Borrowed(&self.entry().peaks)
    }

    fn before(&self, block: u64) -> Result<u64> {
        past::before(self.store, self.entry(), block)
    }

    fn excerpt(&self, numbers: &[u64], shown_until: u64) -> Result<Excerpt<'_>> {
        past::excerpt(self.store, self.entry(), numbers, shown_until)
    }
}

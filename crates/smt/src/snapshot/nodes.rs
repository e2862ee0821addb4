//! Nodes of any block's tree, found in snapshot files and compared with the hash that led to them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use prooflight_core::{Error, Hex, Result};

use super::corrupt;
use super::files::{Files, file_name};
use super::header::{BRANCH_BYTES, HEADER_BYTES, Header};
use super::link::{Link, Place};
use super::manifest::last_of_group;
use super::pages::Pages;
use super::record::{RECORD_HEAD_BYTES, Record};
use crate::hash::{Child, Hash, Preimage, hash_key, hash_value};
use crate::part::bit;
use crate::prover::tree::Kind;

/// The nodes in the files of a folder.
#[derive(Debug)]
pub(super) struct Nodes {
    pages: Pages,
    blocks_per_file: u64,
    headers: Mutex<BTreeMap<u64, Header>>,
}

/// What is known of a node before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeRef {
    pub(super) kind: Kind,
    pub(super) version: u64,
    pub(super) hash: Hash,
    /// Its place in the file that covers its version, if that is known.
    at: Option<u64>,
}

/// A node that has the hash it was looked for by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    Branch { depth: u8, children: [NodeRef; 2] },
    Leaf { key_hash: Hash, key: Vec<u8>, value: Option<Vec<u8>>, value_hash: Option<Hash> },
}

/// The way to a node: it is below a branch at `parent`, and its keys have the bits of `prefix` at the
/// depths of all branches above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<'k> {
    pub(super) prefix: &'k Hash,
    pub(super) parent: Option<u8>,
}

/// How many headers are kept in memory.
const HEADERS: usize = 1 << 14;

impl Nodes {
    pub(super) fn new(files: Files, blocks_per_file: u64, cache_bytes: u64) -> Self {
        let pages = Pages::new(files, cache_bytes);
        Self { pages, blocks_per_file, headers: Mutex::default() }
    }

    pub(super) fn files(&self) -> &Files {
        self.pages.files()
    }

    /// The root of the last block of a group, unless its tree is empty, and its hash.
    pub(super) fn root(&self, last: u64) -> Result<(Hash, Option<NodeRef>)> {
        let header = self.header(last)?;
        let root = header.root.map(|Link { kind, place }| {
            let version = header.version(place).ok_or_else(|| impossible(last, "root"))?;
            Ok(NodeRef { kind, version, hash: header.root_hash, at: here(place) })
        });
        Ok((header.root_hash, root.transpose()?))
    }

    /// Reads a node and checks that it is the one looked for; `store_corrupt` with the file if not.
    pub(super) fn open(&self, node: &NodeRef, way: Way<'_>) -> Result<Opened> {
        let last = last_of_group(node.version, self.blocks_per_file);
        let header = self.header(last)?;
        let at = match node.at {
            Some(at) => at,
            None => self.find(&header, way)?,
        };
        let (opened, hash) = match node.kind {
            Kind::Branch => self.open_branch(&header, at)?,
            Kind::Leaf | Kind::Tombstone => self.open_leaf(&header, at, node)?,
        };
        if hash != node.hash {
            let expected = format_args!("a node with the hash {}", Hex(&node.hash));
            return Err(corrupt(&file_name(last), expected, Hex(&hash)));
        }
        Ok(opened)
    }

    /// The header of the file whose group ends with this block.
    pub(super) fn header(&self, last: u64) -> Result<Header> {
        if let Some(header) = self.headers().get(&last) {
            return Ok(*header);
        }
        let bytes = self.pages.read_array::<HEADER_BYTES>(last, 0)?;
        let name = file_name(last);
        let (header, _) = Header::decode(&name, &bytes)?;
        if header.last != last {
            return Err(corrupt(&name, format_args!("block {last}"), header.last));
        }
        let mut headers = self.headers();
        if headers.len() >= HEADERS {
            headers.clear();
        }
        headers.insert(last, header);
        Ok(header)
    }

    fn headers(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Header>> {
        self.headers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a node is that another file links to: the first one on its way below its parent.
    ///
    /// Branches are never removed, so that those of the older tree that lie on the way are among those of
    /// the newer one, and the prefix has the bits at all their depths.
    fn find(&self, header: &Header, way: Way<'_>) -> Result<u64> {
        let lost = || impossible(header.last, "way to a node");
        let mut link = header.root.ok_or_else(lost)?;
        let mut above = None;
        loop {
            let Place::Here { at, .. } = link.place else { return Err(lost()) };
            if link.kind != Kind::Branch {
                return Ok(at);
            }
            let (depth, branch) = self.read_branch(header, at)?;
            if way.parent.is_none_or(|parent| depth > parent) {
                return Ok(at);
            }
            if above.is_some_and(|above| depth <= above) {
                return Err(lost());
            }
            above = Some(depth);
            link = branch[bit(way.prefix, depth)].1;
        }
    }

    fn open_branch(&self, header: &Header, at: u64) -> Result<(Opened, Hash)> {
        let (depth, children) = self.read_branch(header, at)?;
        let [left, right] = children.map(|(hash, Link { kind, place })| {
            let version = header.version(place)?;
            Some(NodeRef { kind, version, hash, at: here(place) })
        });
        let (Some(left), Some(right)) = (left, right) else {
            return Err(impossible(header.last, "version of a node"));
        };
        let [of_left, of_right] =
            [&left, &right].map(|NodeRef { version, hash, .. }| Child { version: *version, hash });
        let hash = Preimage::branch(depth, of_left, of_right).hash();
        Ok((Opened::Branch { depth, children: [left, right] }, hash))
    }

    fn read_branch(&self, header: &Header, at: u64) -> Result<(u8, [(Hash, Link); 2])> {
        if at >= header.branches {
            return Err(impossible(header.last, "place of a branch"));
        }
        let at = header.branches_at + at * BRANCH_BYTES as u64;
        let bytes = self.pages.read_array::<BRANCH_BYTES>(header.last, at)?;
        branch_of(&bytes).ok_or_else(|| impossible(header.last, "branch"))
    }

    fn open_leaf(&self, header: &Header, at: u64, node: &NodeRef) -> Result<(Opened, Hash)> {
        let wrong = || impossible(header.last, "place of a record");
        let in_file = |length: usize| {
            let end = at.checked_add(length as u64).filter(|&end| end <= header.branches_at);
            end.filter(|_| at >= HEADER_BYTES as u64).ok_or_else(wrong)
        };
        in_file(RECORD_HEAD_BYTES)?;
        let head = self.pages.read_array::<RECORD_HEAD_BYTES>(header.last, at)?;
        let (length, _) = Record::lengths(head);
        let mut bytes = self.pages.read(header.last, at..in_file(length)?)?;
        let (Record { key, value }, _) = Record::read(&bytes).ok_or_else(wrong)?;
        let (key_hash, value_hash) = (hash_key(key), value.map(hash_value));
        let hash = match &value_hash {
            Some(value_hash) => Preimage::leaf(node.version, &key_hash, value_hash).hash(),
            None => Preimage::tombstone(node.version, &key_hash).hash(),
        };
        let key = key.to_vec();
        let value = value.is_some().then(|| bytes.split_off(RECORD_HEAD_BYTES + key.len()));
        Ok((Opened::Leaf { key_hash, key, value, value_hash }, hash))
    }
}

/// The depth of a branch, and of each child the hash and the link.
pub(super) fn branch_of(bytes: &[u8; BRANCH_BYTES]) -> Option<(u8, [(Hash, Link); 2])> {
    let child = |at: usize| {
        let (hash, rest) = bytes.get(at..)?.split_first_chunk()?;
        let (depth, link) = Link::unpack(u64::from_le_bytes(*rest.first_chunk()?))?;
        Some((depth, (*hash, link)))
    };
    let ((depth, left), (again, right)) = (child(0)?, child(BRANCH_BYTES / 2)?);
    (depth == again).then_some((depth, [left, right]))
}

fn here(place: Place) -> Option<u64> {
    match place {
        Place::Here { at, .. } => Some(at),
        Place::There { .. } => None,
    }
}

#[cold]
fn impossible(last: u64, what: &str) -> Error {
    corrupt(&file_name(last), format_args!("a possible {what}"), "another one")
}

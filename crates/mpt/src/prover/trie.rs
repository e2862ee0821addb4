//! Lookup, proof and change of one trie in an overlay.
//!
//! Each recursive call consumes at least one nibble, so the longest key bounds the recursion.

use alloc::boxed::Box;
use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_core::store::{ReadStore, corrupt};

use super::node::{ChildLink, OverlayRoot, TrieNode};
use super::overlay::Overlay;

/// A value, and the id of the root node of the trie that it commits to, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TrieValue {
    pub(super) bytes: Vec<u8>,
    pub(super) below: Option<u64>,
}

impl From<&[u8]> for TrieValue {
    fn from(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), below: None }
    }
}

/// Returns the nibbles of a key.
pub(super) fn nibbles(key: &[u8]) -> Vec<u8> {
    key.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]).collect()
}

impl<S: ReadStore + ?Sized> Overlay<'_, S> {
    /// Returns the value of a key.
    pub(super) fn get(&self, root: OverlayRoot, key: &[u8]) -> Result<Option<TrieValue>> {
        self.find(&root.into(), &nibbles(key), &mut |_| {})
    }

    /// Returns the value of a key, and the proof of it or of its absence.
    pub(super) fn prove(
        &self,
        root: OverlayRoot,
        key: &[u8],
    ) -> Result<(Option<TrieValue>, Vec<Vec<u8>>)> {
        let mut proof = Vec::new();
        let value =
            self.find(&root.into(), &nibbles(key), &mut |node| proof.push(node.to_vec()))?;
        Ok((value, proof))
    }

    /// Returns the value at a path below a link, and calls `show` with the encoding of each stored
    /// node on the path.
    pub(super) fn find(
        &self,
        link: &ChildLink,
        path: &[u8],
        show: &mut impl FnMut(&[u8]),
    ) -> Result<Option<TrieValue>> {
        let stored;
        let node = match link {
            ChildLink::Empty => return Ok(None),
            ChildLink::InMemory(node) => node,
            ChildLink::Stored(place) => {
                let record = self.record(*place)?;
                show(record.rlp());
                stored = record.node()?;
                &stored
            }
        };
        match node {
            TrieNode::Leaf { path: own, value, below } => {
                Ok((own == path).then(|| TrieValue { bytes: value.clone(), below: *below }))
            }
            TrieNode::Extension { path: own, child } => match path.strip_prefix(&own[..]) {
                Some(rest) => self.find(child, rest, show),
                None => Ok(None),
            },
            TrieNode::Branch { children, value } => match path.split_first() {
                Some((&nibble, rest)) => self.find(&children[usize::from(nibble)], rest, show),
                None if value.is_empty() => Ok(None),
                None => Ok(Some(TrieValue { bytes: value.clone(), below: None })),
            },
        }
    }

    /// Sets the value at a path below a link.
    pub(super) fn insert(
        &mut self,
        link: ChildLink,
        path: &[u8],
        new: TrieValue,
    ) -> Result<ChildLink> {
        let node = match self.take(link)? {
            None => leaf(path, new),
            Some(TrieNode::Leaf { path: own, .. }) if own == path => leaf(path, new),
            Some(TrieNode::Leaf { path: own, value, below }) => {
                let shared = common_length(&own, path);
                let mut branch = BranchBuilder::default();
                branch.put(&own[shared..], TrieValue { bytes: value, below });
                branch.put(&path[shared..], new);
                prepend_path(&path[..shared], branch.into())
            }
            Some(TrieNode::Extension { path: own, child }) => {
                let shared = common_length(&own, path);
                if let Some((&nibble, rest)) = own[shared..].split_first() {
                    let mut branch = BranchBuilder::default();
                    branch.children[usize::from(nibble)] =
                        if rest.is_empty() { child } else { prepend_path(rest, child).into() };
                    branch.put(&path[shared..], new);
                    prepend_path(&path[..shared], branch.into())
                } else {
                    let child = self.insert(child, &path[shared..], new)?;
                    TrieNode::Extension { path: own, child }
                }
            }
            Some(TrieNode::Branch { mut children, value }) => match path.split_first() {
                None => TrieNode::Branch { children, value: new.bytes },
                Some((&nibble, rest)) => {
                    let child = &mut children[usize::from(nibble)];
                    *child = self.insert(core::mem::take(child), rest, new)?;
                    TrieNode::Branch { children, value }
                }
            },
        };
        Ok(node.into())
    }

    /// Removes the value at a path below a link; `store_corrupt` if absent.
    pub(super) fn remove(&mut self, link: ChildLink, path: &[u8]) -> Result<ChildLink> {
        match self.take(link)? {
            None => Err(corrupt("the value of a present key", "none")),
            Some(TrieNode::Leaf { .. }) => Ok(ChildLink::Empty),
            Some(TrieNode::Extension { path: own, child }) => {
                let child = self.remove(child, path.get(own.len()..).unwrap_or_default())?;
                self.join(&own, child)
            }
            Some(TrieNode::Branch { mut children, mut value }) => {
                match path.split_first() {
                    None => value.clear(),
                    Some((&nibble, rest)) => {
                        let child = &mut children[usize::from(nibble)];
                        *child = self.remove(core::mem::take(child), rest)?;
                    }
                }
                self.normalise(children, value)
            }
        }
    }

    /// Normalises a branch after the removal of an entry: replaces it if a single entry is left.
    fn normalise(
        &mut self,
        mut children: Box<[ChildLink; 16]>,
        value: Vec<u8>,
    ) -> Result<ChildLink> {
        let mut left =
            (0..).zip(children.iter_mut()).filter(|(_, it)| !matches!(it, ChildLink::Empty));
        match (left.next(), left.next(), value.is_empty()) {
            (Some((nibble, child)), None, true) => {
                let child = core::mem::take(child);
                self.join(&[nibble], child)
            }
            (None, _, _) => Ok(leaf(&[], TrieValue { bytes: value, below: None }).into()),
            _ => Ok(TrieNode::Branch { children, value }.into()),
        }
    }

    /// Prepends a path to a node; a leaf or an extension absorbs it.
    fn join(&mut self, front: &[u8], link: ChildLink) -> Result<ChildLink> {
        if let ChildLink::Stored(stored) = &link
            && matches!(self.read(*stored)?, TrieNode::Branch { .. })
        {
            return Ok(prepend_path(front, link).into());
        }
        Ok(match self.take(link)? {
            None => ChildLink::Empty,
            Some(TrieNode::Leaf { path, value, below }) => {
                leaf(&[front, &path].concat(), TrieValue { bytes: value, below }).into()
            }
            Some(TrieNode::Extension { path, child }) => {
                prepend_path(&[front, &path].concat(), child).into()
            }
            Some(branch @ TrieNode::Branch { .. }) => prepend_path(front, branch.into()).into(),
        })
    }

    /// Removes every node of a trie.
    pub(super) fn remove_all(&mut self, root: OverlayRoot) -> Result<()> {
        let mut left: Vec<_> = root.map(ChildLink::Stored).into_iter().collect();
        while let Some(link) = left.pop() {
            match self.take(link)? {
                Some(TrieNode::Extension { child, .. }) => left.push(child),
                Some(TrieNode::Branch { children, .. }) => left.extend(*children),
                Some(TrieNode::Leaf { .. }) | None => {}
            }
        }
        Ok(())
    }
}

/// A branch under construction.
#[derive(Default)]
struct BranchBuilder {
    children: Box<[ChildLink; 16]>,
    value: Vec<u8>,
}

impl BranchBuilder {
    fn put(&mut self, path: &[u8], value: TrieValue) {
        match path.split_first() {
            None => self.value = value.bytes,
            Some((&nibble, rest)) => {
                self.children[usize::from(nibble)] = leaf(rest, value).into();
            }
        }
    }
}

impl From<BranchBuilder> for ChildLink {
    fn from(BranchBuilder { children, value }: BranchBuilder) -> Self {
        TrieNode::Branch { children, value }.into()
    }
}

fn leaf(path: &[u8], TrieValue { bytes, below }: TrieValue) -> TrieNode {
    TrieNode::Leaf { path: path.to_vec(), value: bytes, below }
}

/// Prepends a path, which may be empty, to a branch.
fn prepend_path(path: &[u8], branch: ChildLink) -> TrieNode {
    match branch {
        ChildLink::InMemory(node) if path.is_empty() => *node,
        child => TrieNode::Extension { path: path.to_vec(), child },
    }
}

fn common_length(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

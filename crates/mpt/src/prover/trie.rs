//! Lookup, proof and change of one trie in an overlay.
//!
//! Each recursive call consumes at least one nibble, so the longest key bounds the recursion.

use alloc::boxed::Box;
use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_core::store::{Read, corrupt};

use super::node::{Link, Node};
use super::overlay::{Overlay, Root};

/// A value, and the id of the root node of the trie that it commits to, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) bytes: Vec<u8>,
    pub(super) below: Option<u64>,
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), below: None }
    }
}

/// Returns the nibbles of a key.
pub(super) fn nibbles(key: &[u8]) -> Vec<u8> {
    key.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]).collect()
}

impl<S: Read + ?Sized> Overlay<'_, S> {
    /// Returns the value of a key.
    pub(super) fn get(&self, root: Root, key: &[u8]) -> Result<Option<Value>> {
        self.find(&root.into(), &nibbles(key), &mut |_| {})
    }

    /// Returns the value of a key, and the proof of it or of its absence.
    pub(super) fn prove(&self, root: Root, key: &[u8]) -> Result<(Option<Value>, Vec<Vec<u8>>)> {
        let mut proof = Vec::new();
        let value =
            self.find(&root.into(), &nibbles(key), &mut |node| proof.push(node.to_vec()))?;
        Ok((value, proof))
    }

    /// Returns the value at a path below a link, and calls `show` with the encoding of each stored
    /// node on the path.
    pub(super) fn find(
        &self,
        link: &Link,
        path: &[u8],
        show: &mut impl FnMut(&[u8]),
    ) -> Result<Option<Value>> {
        let stored;
        let node = match link {
            Link::Empty => return Ok(None),
            Link::Held(node) => node,
            Link::Stored(place) => {
                let record = self.record(*place)?;
                show(record.rlp());
                stored = record.node()?;
                &stored
            }
        };
        match node {
            Node::Leaf { path: own, value, below } => {
                Ok((own == path).then(|| Value { bytes: value.clone(), below: *below }))
            }
            Node::Extension { path: own, child } => match path.strip_prefix(&own[..]) {
                Some(rest) => self.find(child, rest, show),
                None => Ok(None),
            },
            Node::Branch { children, value } => match path.split_first() {
                Some((&nibble, rest)) => self.find(&children[usize::from(nibble)], rest, show),
                None if value.is_empty() => Ok(None),
                None => Ok(Some(Value { bytes: value.clone(), below: None })),
            },
        }
    }

    /// Sets the value at a path below a link.
    pub(super) fn insert(&mut self, link: Link, path: &[u8], new: Value) -> Result<Link> {
        let node = match self.take(link)? {
            None => leaf(path, new),
            Some(Node::Leaf { path: own, .. }) if own == path => leaf(path, new),
            Some(Node::Leaf { path: own, value, below }) => {
                let shared = shared(&own, path);
                let mut branch = Branch::default();
                branch.put(&own[shared..], Value { bytes: value, below });
                branch.put(&path[shared..], new);
                behind(&path[..shared], branch.into())
            }
            Some(Node::Extension { path: own, child }) => {
                let shared = shared(&own, path);
                if let Some((&nibble, rest)) = own[shared..].split_first() {
                    let mut branch = Branch::default();
                    branch.children[usize::from(nibble)] =
                        if rest.is_empty() { child } else { behind(rest, child).into() };
                    branch.put(&path[shared..], new);
                    behind(&path[..shared], branch.into())
                } else {
                    let child = self.insert(child, &path[shared..], new)?;
                    Node::Extension { path: own, child }
                }
            }
            Some(Node::Branch { mut children, value }) => match path.split_first() {
                None => Node::Branch { children, value: new.bytes },
                Some((&nibble, rest)) => {
                    let child = &mut children[usize::from(nibble)];
                    *child = self.insert(core::mem::take(child), rest, new)?;
                    Node::Branch { children, value }
                }
            },
        };
        Ok(node.into())
    }

    /// Removes the value at a path below a link; `store_corrupt` if absent.
    pub(super) fn remove(&mut self, link: Link, path: &[u8]) -> Result<Link> {
        match self.take(link)? {
            None => Err(corrupt("the value of a present key", "none")),
            Some(Node::Leaf { .. }) => Ok(Link::Empty),
            Some(Node::Extension { path: own, child }) => {
                let child = self.remove(child, path.get(own.len()..).unwrap_or_default())?;
                self.join(&own, child)
            }
            Some(Node::Branch { mut children, mut value }) => {
                match path.split_first() {
                    None => value.clear(),
                    Some((&nibble, rest)) => {
                        let child = &mut children[usize::from(nibble)];
                        *child = self.remove(core::mem::take(child), rest)?;
                    }
                }
                self.settle(children, value)
            }
        }
    }

    /// Normalises a branch after the removal of an entry: replaces it if a single entry is left.
    fn settle(&mut self, mut children: Box<[Link; 16]>, value: Vec<u8>) -> Result<Link> {
        let mut left = (0..).zip(children.iter_mut()).filter(|(_, it)| !matches!(it, Link::Empty));
        match (left.next(), left.next(), value.is_empty()) {
            (Some((nibble, child)), None, true) => {
                let child = core::mem::take(child);
                self.join(&[nibble], child)
            }
            (None, _, _) => Ok(leaf(&[], Value { bytes: value, below: None }).into()),
            _ => Ok(Node::Branch { children, value }.into()),
        }
    }

    /// Prepends a path to a node; a leaf or an extension absorbs it.
    fn join(&mut self, front: &[u8], link: Link) -> Result<Link> {
        if let Link::Stored(stored) = &link
            && matches!(self.read(*stored)?, Node::Branch { .. })
        {
            return Ok(behind(front, link).into());
        }
        Ok(match self.take(link)? {
            None => Link::Empty,
            Some(Node::Leaf { path, value, below }) => {
                leaf(&[front, &path].concat(), Value { bytes: value, below }).into()
            }
            Some(Node::Extension { path, child }) => behind(&[front, &path].concat(), child).into(),
            Some(branch @ Node::Branch { .. }) => behind(front, branch.into()).into(),
        })
    }

    /// Removes every node of a trie.
    pub(super) fn remove_all(&mut self, root: Root) -> Result<()> {
        let mut left: Vec<_> = root.map(Link::Stored).into_iter().collect();
        while let Some(link) = left.pop() {
            match self.take(link)? {
                Some(Node::Extension { child, .. }) => left.push(child),
                Some(Node::Branch { children, .. }) => left.extend(*children),
                Some(Node::Leaf { .. }) | None => {}
            }
        }
        Ok(())
    }
}

/// A branch under construction.
#[derive(Default)]
struct Branch {
    children: Box<[Link; 16]>,
    value: Vec<u8>,
}

impl Branch {
    fn put(&mut self, path: &[u8], value: Value) {
        match path.split_first() {
            None => self.value = value.bytes,
            Some((&nibble, rest)) => {
                self.children[usize::from(nibble)] = leaf(rest, value).into();
            }
        }
    }
}

impl From<Branch> for Link {
    fn from(Branch { children, value }: Branch) -> Self {
        Node::Branch { children, value }.into()
    }
}

fn leaf(path: &[u8], Value { bytes, below }: Value) -> Node {
    Node::Leaf { path: path.to_vec(), value: bytes, below }
}

/// Prepends a path, which may be empty, to a branch.
fn behind(path: &[u8], branch: Link) -> Node {
    match branch {
        Link::Held(node) if path.is_empty() => *node,
        child => Node::Extension { path: path.to_vec(), child },
    }
}

fn shared(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

//! Decoding of a single node, independent of any root or key.

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result};

use crate::nibbles::CompactPath;
use crate::rlp::{self, RlpItem, RlpItems};

/// Nodes of at least this many bytes are not embedded in their parent, which has their hash instead.
pub(crate) const HASHED_NODE_BYTES: usize = 32;

/// A well-formed node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node<'a> {
    /// A child for each nibble, and the value of the key that ends here, if any.
    Branch(Branch<'a>),
    /// Nibbles that all keys below have in common, and the branch after them.
    Extension { path: CompactPath<'a>, child: ChildRef<'a> },
    /// The rest of a key, and its value.
    Leaf { path: CompactPath<'a>, value: &'a [u8] },
}

/// A branch's items, already checked to be well-formed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch<'a> {
    payload: &'a [u8],
    /// Empty if no key ends here.
    pub(crate) value: &'a [u8],
}

/// A node's reference to its child.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ChildRef<'a> {
    /// No child.
    Empty,
    Hash(&'a Hash),
    /// The items of a node of less than 32 bytes, already checked to be well-formed.
    Inline(&'a [u8]),
}

impl<'a> Node<'a> {
    /// Reads a node and every node embedded in it.
    ///
    /// All errors are `malformed`. Values are checked against the limits.
    #[inline(never)]
    pub(crate) fn decode(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        match rlp::decode(bytes)? {
            RlpItem::List(payload) => Self::from_items(payload, limits),
            RlpItem::String(_) => Err(invalid_node("a list", "a string")),
        }
    }

    /// Reads a node from the items of its list.
    ///
    /// Recurses into embedded nodes. Each has less than 32 bytes and at least two less than its parent,
    /// so the recursion is at most about 15 levels deep.
    pub(crate) fn from_items(payload: &'a [u8], limits: &Limits) -> Result<Self> {
        match rlp::count_items(payload)? {
            2 => Self::short(rlp::items(payload), limits),
            BRANCH_ITEMS => Self::branch(payload, rlp::items(payload), limits),
            count => Err(invalid_node("2 or 17 items", count)),
        }
    }

    fn short(mut items: RlpItems<'a>, limits: &Limits) -> Result<Self> {
        let (path, is_leaf) = CompactPath::decode(string(items.take()?, "path")?)?;
        let rest = items.take()?;
        if is_leaf {
            let value = value(rest, limits)?;
            if value.is_empty() {
                return Err(Error::new(Reason::EmptyValue, "at least one byte", "none"));
            }
            return Ok(Self::Leaf { path, value });
        }
        if path.length() == 0 {
            return Err(Error::new(Reason::InvalidPath, "at least one nibble", "none"));
        }
        let child = ChildRef::decode(rest, limits)?;
        match child {
            ChildRef::Empty => return Err(invalid_child("a hash or a node", "nothing")),
            ChildRef::Inline(payload) => Self::from_items(payload, limits)?.check_is_branch()?,
            ChildRef::Hash(_) => {}
        }
        Ok(Self::Extension { path, child })
    }

    fn branch(payload: &'a [u8], mut items: RlpItems<'a>, limits: &Limits) -> Result<Self> {
        let mut entries = 0;
        for _ in 0..16 {
            let child = ChildRef::decode(items.take()?, limits)?;
            entries += usize::from(!matches!(child, ChildRef::Empty));
        }
        let value = value(items.take()?, limits)?;
        entries += usize::from(!value.is_empty());
        if entries < 2 {
            return Err(Error::new(Reason::BranchEntries, "at least two", entries));
        }
        Ok(Self::Branch(Branch { payload, value }))
    }

    /// Checks that an extension may lead to this node; otherwise `extension_child`.
    pub(crate) fn check_is_branch(&self) -> Result<()> {
        let found = match self {
            Self::Branch(_) => return Ok(()),
            Self::Extension { .. } => "an extension",
            Self::Leaf { .. } => "a leaf",
        };
        Err(Error::new(Reason::ExtensionChild, "a branch", found))
    }
}

/// A branch's items: its children and its value.
const BRANCH_ITEMS: usize = 17;

impl<'a> Branch<'a> {
    /// The child at a nibble.
    pub(crate) fn child(&self, nibble: usize) -> Result<ChildRef<'a>> {
        let mut items = rlp::items(self.payload);
        for _ in 0..nibble {
            items.take()?;
        }
        Ok(match items.take()? {
            RlpItem::List(payload) => ChildRef::Inline(payload),
            RlpItem::String(string) => string.try_into().map_or(ChildRef::Empty, ChildRef::Hash),
        })
    }
}

impl<'a> ChildRef<'a> {
    #[inline]
    fn decode(item: RlpItem<'a>, limits: &Limits) -> Result<Self> {
        match item {
            RlpItem::String([]) => Ok(Self::Empty),
            RlpItem::String(string) => {
                let hash = string.try_into().map(Self::Hash);
                hash.map_err(|_| invalid_child("a hash of 32 bytes", Hex(string)))
            }
            // Plus its header of one byte.
            RlpItem::List(payload) if payload.len() + 1 < HASHED_NODE_BYTES => {
                Node::from_items(payload, limits)?;
                Ok(Self::Inline(payload))
            }
            RlpItem::List(payload) => {
                let found = format_args!("{} bytes of items", payload.len());
                Err(invalid_child("a node of less than 32 bytes", found))
            }
        }
    }
}

fn value<'a>(item: RlpItem<'a>, limits: &Limits) -> Result<&'a [u8]> {
    let value = string(item, "value")?;
    limits.check_value(value.len() as u64)?;
    Ok(value)
}

fn string<'a>(item: RlpItem<'a>, what: &str) -> Result<&'a [u8]> {
    match item {
        RlpItem::String(string) => Ok(string),
        RlpItem::List(_) => Err(invalid_node(format_args!("a {what} that is a string"), "a list")),
    }
}

#[cold]
fn invalid_node(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::InvalidNode, expected, found)
}

#[cold]
fn invalid_child(expected: &str, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::InvalidChild, expected, found)
}

//! Decoding of a single node, independent of any root or key.

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result};

use crate::nibbles::CompactPath;
use crate::rlp::{self, Item, Items};

/// Nodes of at least this many bytes are not embedded in their parent, which has their hash instead.
pub(crate) const HASHED_LENGTH: usize = 32;

/// A well-formed node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node<'a> {
    /// A child for each nibble, and the value of the key that ends here, if any.
    Branch(Branch<'a>),
    /// Nibbles that all keys below have in common, and the branch after them.
    Extension { path: CompactPath<'a>, child: Child<'a> },
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
pub(crate) enum Child<'a> {
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
            Item::List(payload) => Self::from_items(payload, limits),
            Item::String(_) => Err(invalid_node("a list", "a string")),
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

    fn short(mut items: Items<'a>, limits: &Limits) -> Result<Self> {
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
        let child = Child::decode(rest, limits)?;
        match child {
            Child::Empty => return Err(invalid_child("a hash or a node", "nothing")),
            Child::Inline(payload) => Self::from_items(payload, limits)?.check_is_branch()?,
            Child::Hash(_) => {}
        }
        Ok(Self::Extension { path, child })
    }

    fn branch(payload: &'a [u8], mut items: Items<'a>, limits: &Limits) -> Result<Self> {
        let mut entries = 0;
        for _ in 0..16 {
            let child = Child::decode(items.take()?, limits)?;
            entries += usize::from(!matches!(child, Child::Empty));
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
    pub(crate) fn child(&self, nibble: usize) -> Result<Child<'a>> {
        let mut items = rlp::items(self.payload);
        for _ in 0..nibble {
            items.take()?;
        }
        Ok(match items.take()? {
            Item::List(payload) => Child::Inline(payload),
            Item::String(string) => string.try_into().map_or(Child::Empty, Child::Hash),
        })
    }
}

impl<'a> Child<'a> {
    #[inline]
    fn decode(item: Item<'a>, limits: &Limits) -> Result<Self> {
        match item {
            Item::String([]) => Ok(Self::Empty),
            Item::String(string) => {
                let hash = string.try_into().map(Self::Hash);
                hash.map_err(|_| invalid_child("a hash of 32 bytes", Hex(string)))
            }
            // Plus its header of one byte.
            Item::List(payload) if payload.len() + 1 < HASHED_LENGTH => {
                Node::from_items(payload, limits)?;
                Ok(Self::Inline(payload))
            }
            Item::List(payload) => {
                let found = format_args!("{} bytes of items", payload.len());
                Err(invalid_child("a node of less than 32 bytes", found))
            }
        }
    }
}

fn value<'a>(item: Item<'a>, limits: &Limits) -> Result<&'a [u8]> {
    let value = string(item, "value")?;
    limits.check_value(value.len() as u64)?;
    Ok(value)
}

fn string<'a>(item: Item<'a>, what: &str) -> Result<&'a [u8]> {
    match item {
        Item::String(string) => Ok(string),
        Item::List(_) => Err(invalid_node(format_args!("a {what} that is a string"), "a list")),
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

//! The nodes of a proof, decoded.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, keccak256};

use crate::node::{HASHED_NODE_BYTES, Node};

/// The nodes of a proof: well-formed, but not yet known to belong to a trie.
#[derive(Clone, Debug)]
pub struct ProofNodes<'a>(Vec<EncodedNode<'a>>);

/// A node with its encoding, which is hashed.
#[derive(Clone, Copy, Debug)]
struct EncodedNode<'a> {
    bytes: &'a [u8],
    node: Node<'a>,
}

impl<'a> ProofNodes<'a> {
    /// Decodes nodes, the first of which is that of the root.
    ///
    /// All errors are `malformed`: that of the first node that no trie has, or `short_node` if a node after the
    /// first would be inside its parent. The values of leaves and branches are checked against the limits.
    pub fn decode(nodes: impl IntoIterator<Item = &'a [u8]>, limits: &Limits) -> Result<Self> {
        let mut decoded = Vec::new();
        for bytes in nodes {
            let index = decoded.len();
            let node = Node::decode(bytes, limits).map_err(|error| in_node(index, &error))?;
            if index > 0 && bytes.len() < HASHED_NODE_BYTES {
                return Err(Error::new(
                    Reason::ShortNode,
                    format_args!("at least {HASHED_NODE_BYTES} bytes"),
                    format_args!("{} bytes in node {index}", bytes.len()),
                ));
            }
            decoded.push(EncodedNode { bytes, node });
        }
        Ok(Self(decoded))
    }

    /// The node at an index, which has this hash: the first one that of the root, any other that of a child.
    pub(crate) fn hashed(&self, index: usize, hash: &Hash) -> Result<Node<'a>> {
        let Some(found) = self.0.get(index) else { return Err(missing(hash, index)) };
        let reason = if index == 0 { Reason::RootMismatch } else { Reason::NodeMismatch };
        check_hash(&keccak256(&[found.bytes]), hash, reason, index)?;
        Ok(found.node)
    }

    /// Checks that there are no more nodes than these; otherwise `node_left_over`.
    pub(crate) fn check_used(&self, used: usize) -> Result<()> {
        if self.0.len() <= used {
            return Ok(());
        }
        let (used, found) = (format_args!("{used} nodes"), format_args!("{}", self.0.len()));
        Err(Error::new(Reason::NodeLeftOver, used, found))
    }
}

/// Checks the hash of a node.
pub(crate) fn check_hash(
    found: &Hash,
    expected: &Hash,
    reason: Reason,
    index: usize,
) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::new(reason, Hex(expected), format_args!("{} of node {index}", Hex(found))))
}

#[cold]
fn missing(hash: &Hash, index: usize) -> Error {
    let expected = format_args!("node {index} with the hash {}", Hex(hash));
    Error::new(Reason::NodeMissing, expected, format_args!("{index} nodes"))
}

#[cold]
fn in_node(index: usize, error: &Error) -> Error {
    let found = format_args!("{} in node {index}", error.found());
    Error::new(error.reason(), error.expected(), found)
}

//! The verifier of one trie: a root, a key and the nodes on its path.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified, keccak256};

use crate::hash::EMPTY_ROOT;
use crate::nibbles::KeyPath;
use crate::node::{Child, HASHED_LENGTH, Node};

/// The longest key, in bytes.
pub const MAX_KEY_LENGTH: usize = 256;

/// The only node of the trie without keys: the empty string.
const EMPTY_TRIE: &[u8] = &[0x80];

/// Verifies the value of a key, or that it has none, in the trie with this root.
///
/// `key` is the path in the trie: for a secure trie, such as Ethereum's states, the Keccak-256 of the
/// actual key. `proof` has exactly the nodes on the key's path from the root down, except those
/// embedded in their parent. The caller must trust `root`, and never take it from the server. A key of
/// more than [`MAX_KEY_LENGTH`] bytes is `key_length`; a proof whose bytes are not nodes of any trie is
/// `malformed`; one that does not show the key's value or absence under this root is `mismatch`. Time
/// and memory are linear in the proof.
///
/// Source: Ethereum Yellow Paper, appendix D; `test-vectors/spec/mpt.md`, section 4.
pub fn verify_proof<'a>(
    root: &Hash,
    key: &[u8],
    proof: &[&'a [u8]],
    limits: &Limits,
) -> Result<Verified<Option<&'a [u8]>>> {
    check_key(key)?;
    check_size(proof, limits)?;
    walk(root, key, &decode(key, proof, limits)?).map(Verified::by_verifier)
}

/// Checks that a key is not too long; otherwise `key_length`.
pub(crate) fn check_key(key: &[u8]) -> Result<()> {
    if key.len() > MAX_KEY_LENGTH {
        return Err(Error::new(
            Reason::KeyLength,
            format_args!("at most {MAX_KEY_LENGTH} bytes"),
            format_args!("{} bytes", key.len()),
        ));
    }
    Ok(())
}

/// Checks the total size of all nodes; `proof_too_large` if it is above the limit.
pub(crate) fn check_size(proof: &[&[u8]], limits: &Limits) -> Result<()> {
    let size = proof.iter().fold(0, |size: usize, node| size.saturating_add(node.len()));
    limits.check_proof(size)
}

/// A node of the proof, with its encoding, which is hashed.
struct ProofNode<'a> {
    bytes: &'a [u8],
    node: Node<'a>,
}

/// Decodes the nodes, none for the empty trie. They are well-formed, but their links are not checked yet.
fn decode<'a>(key: &[u8], proof: &[&'a [u8]], limits: &Limits) -> Result<Vec<ProofNode<'a>>> {
    // Every node except the last consumes at least one nibble.
    let most = 2 * key.len() + 1;
    if proof.len() > most {
        let most = format_args!("at most {most} for a key of {} bytes", key.len());
        return Err(Error::new(Reason::TooManyNodes, most, proof.len()));
    }
    if proof == [EMPTY_TRIE] {
        return Ok(Vec::new());
    }
    let mut nodes = Vec::with_capacity(proof.len());
    for (index, &bytes) in proof.iter().enumerate() {
        let node = Node::decode(bytes, limits).map_err(|error| in_node(index, &error))?;
        if index > 0 && bytes.len() < HASHED_LENGTH {
            return Err(Error::new(
                Reason::ShortNode,
                format_args!("at least {HASHED_LENGTH} bytes"),
                format_args!("{} bytes in node {index}", bytes.len()),
            ));
        }
        nodes.push(ProofNode { bytes, node });
    }
    Ok(nodes)
}

/// Walks from the root along the key until its value or its absence is proven.
fn walk<'a>(root: &Hash, key: &[u8], nodes: &[ProofNode<'a>]) -> Result<Option<&'a [u8]>> {
    let Some((first, below)) = nodes.split_first() else {
        check_hash(&EMPTY_ROOT, root, Reason::RootMismatch, 0)?;
        return Ok(None);
    };
    check_hash(&keccak256(&[first.bytes]), root, Reason::RootMismatch, 0)?;

    let mut below = below.iter();
    let mut path = KeyPath::new(key);
    let mut node = first.node;
    let answer = loop {
        let (child, after_extension) = match node {
            Node::Leaf { path: rest, value } => {
                break (path.follow(&rest) && path.is_walked()).then_some(value);
            }
            Node::Extension { path: shared, child } if path.follow(&shared) => (child, true),
            Node::Extension { .. } => break None,
            Node::Branch(branch) => match path.step() {
                Some(nibble) => (branch.child(nibble)?, false),
                None => break Some(branch.value).filter(|value| !value.is_empty()),
            },
        };
        node = match child {
            Child::Empty => break None,
            Child::Inline(payload) => Node::from_items(payload, &Limits::NONE)?,
            Child::Hash(hash) => {
                let index = nodes.len() - below.len();
                let Some(next) = below.next() else { return Err(missing(hash, index)) };
                check_hash(&keccak256(&[next.bytes]), hash, Reason::NodeMismatch, index)?;
                next.node
            }
        };
        if after_extension {
            node.check_is_branch()?;
        }
    };
    match below.len() {
        0 => Ok(answer),
        left => Err(Error::new(
            Reason::NodeLeftOver,
            format_args!("{} nodes", nodes.len() - left),
            format_args!("{}", nodes.len()),
        )),
    }
}

fn check_hash(found: &Hash, expected: &Hash, reason: Reason, index: usize) -> Result<()> {
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

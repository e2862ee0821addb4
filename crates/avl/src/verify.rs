//! The verifier: one call per batch.

use alloc::vec::Vec;
use prooflight_core::{Error, Hex, Reason, Result, Verified};

use crate::operation::{LeafValue, Operation};
use crate::params::{Digest, Mode, Params};
use crate::partial::PartialTree;
use crate::perform::{CoveringLeaf, perform};
use crate::proof::{DecodedProof, DirectionReader, decode};
use crate::tree::{EditableTree, NodeId, NodeKind, TreePath, unexpected};

/// The verified result of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition<'a> {
    /// The digest after the batch.
    pub digest: Digest,
    /// For each operation, the state of its key before it.
    pub results: Vec<OldValue<'a>>,
}

/// The state of a key before an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldValue<'a> {
    /// The key had this value.
    Present(LeafValue<'a>),
    /// The key was absent, between these two.
    Absent(Neighbours<'a>),
}

impl<'a> OldValue<'a> {
    /// The value, if the key had one.
    pub const fn value(&self) -> Option<&LeafValue<'a>> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent(_) => None,
        }
    }
}

/// The keys on both sides of an absent key, in the dictionary just before its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours<'a> {
    /// The largest smaller key; `None` if absent.
    pub previous: Option<&'a [u8]>,
    /// The smallest larger key; `None` if absent.
    pub next: Option<&'a [u8]>,
}

/// Verifies a batch of operations against the digest of the dictionary before it.
///
/// `proof` is scorex's byte stream. Returns the digest after the batch and the old values, all of
/// which follow from `digest`: the caller must trust it, never take it from the server. Wrong
/// arguments are `invalid_input`; a proof that is not well-formed is `malformed`; one that does not
/// show that these operations apply to this dictionary is `mismatch`. Time and memory are linear
/// in the proof and the operations. Source: Reyzin et al. 2017; `test-vectors/spec/avl.md`.
pub fn verify_batch<'a>(
    digest: &Digest,
    ops: &[Operation<'a>],
    proof: &'a [u8],
    params: &Params,
) -> Result<Verified<Transition<'a>>> {
    let DecodedProof { mut tree, mut root, mut directions } = open(digest, ops, proof, params)?;
    let mut height = i32::from(digest.height());
    let mut path = TreePath::new();
    let mut results = Vec::with_capacity(ops.len());
    for op in ops {
        let found = descend(&tree, root, &mut directions, &mut path, op.key())?;
        results.push(answer(&tree, &found));
        let performed = perform(&mut tree, root, &mut path, &found, op, params)?;
        root = performed.root;
        height += performed.height_change;
    }
    check_all_used(&tree, &directions, params)?;
    let height = u8::try_from(height)
        .map_err(|_| Error::new(Reason::HeightOverflow, "a height of 0 to 255", height))?;
    tree.rehash(root);
    let digest = Digest::new(tree.label(root), height);
    Ok(Verified::by_verifier(Transition { digest, results }))
}

/// Verifies the lookups of `keys`, as [`verify_batch`] does; the values are parts of the proof.
///
/// The results of a batch may borrow from its operations. Those of lookups borrow only from the proof, so that
/// the keys may be dropped before the values are used.
#[cfg(feature = "chain")]
pub(crate) fn verify_lookups<'p>(
    digest: &Digest,
    keys: &[&[u8]],
    proof: &'p [u8],
    params: &Params,
) -> Result<Verified<Vec<Option<&'p [u8]>>>> {
    let lookups: Vec<_> = keys.iter().map(|key| Operation::Lookup { key }).collect();
    let DecodedProof { mut tree, root, mut directions } = open(digest, &lookups, proof, params)?;
    let mut path = TreePath::new();
    let mut values = Vec::with_capacity(keys.len());
    for key in keys {
        let found = descend(&tree, root, &mut directions, &mut path, key)?;
        tree.visit(found.leaf);
        path.drain(..).for_each(|(node, _)| tree.visit(node));
        values.push(match tree.value(found.leaf) {
            _ if !found.matches => None,
            LeafValue::Bytes(value) => Some(value),
            LeafValue::Long(_) => {
                return Err(Error::new(Reason::Bug, "a value of the proof", "a sum"));
            }
        });
    }
    check_all_used(&tree, &directions, params)?;
    Ok(Verified::by_verifier(values))
}

/// Checks the operations, decodes the proof, and checks its tree against the digest.
fn open<'p>(
    digest: &Digest,
    ops: &[Operation<'_>],
    proof: &'p [u8],
    params: &Params,
) -> Result<DecodedProof<'p>> {
    params.check(ops)?;
    decode(proof, digest, max_nodes(ops, digest.height(), params.mode), params)
}

/// Checks that a strict proof has no node and no direction that the operations did not need.
fn check_all_used(
    tree: &PartialTree<'_>,
    directions: &DirectionReader<'_>,
    params: &Params,
) -> Result<()> {
    if params.mode == Mode::Strict {
        directions.finish()?;
        tree.check_all_visited()?;
    }
    Ok(())
}

/// The largest number of nodes in an honest proof. Source: Reyzin et al. 2017, appendix B, as in scrypto.
fn max_nodes(ops: &[Operation<'_>], height: u8, mode: Mode) -> u64 {
    let operations = ops.len() as u64;
    let deletes = match mode {
        Mode::Strict => ops.iter().filter(|op| op.may_delete()).count() as u64,
        // Ergo's nodes do not tell scrypto the number of deletes.
        Mode::Compat => operations,
    };
    let height = u64::from(height);
    let log = u64::from(operations.next_power_of_two().ilog2());
    let before = 1 + height.max(log);
    let after = before + before / 2;
    (operations + deletes) * (2 * height + 1) + deletes * after + 1
}

/// Follows the directions from the root to the leaf that covers `key`, and records the nodes in `path`, which must
/// be empty.
fn descend(
    tree: &PartialTree<'_>,
    root: NodeId,
    directions: &mut DirectionReader<'_>,
    path: &mut TreePath,
    key: &[u8],
) -> Result<CoveringLeaf> {
    let mut node = root;
    loop {
        match tree.kind(node) {
            NodeKind::Internal => {
                let side = directions.next()?;
                path.push((node, side));
                node = tree.child(node, side);
            }
            NodeKind::Leaf => break,
            NodeKind::Label => return Err(unexpected("the next node of a path", NodeKind::Label)),
        }
    }
    let (first, next) = (tree.key(node), tree.next_key(node));
    let matches = key == first;
    let covers = matches || (first < key && key < next);
    if !covers {
        return Err(Error::new(
            Reason::KeyNotInLeaf,
            format_args!("a leaf that covers {}", Hex(key)),
            format_args!("the leaf from {} to {}", Hex(first), Hex(next)),
        ));
    }
    Ok(CoveringLeaf { leaf: node, matches })
}

fn answer<'a>(tree: &PartialTree<'a>, found: &CoveringLeaf) -> OldValue<'a> {
    if found.matches {
        return OldValue::Present(tree.value(found.leaf));
    }
    let inside = |key: &'a [u8], sentinel: u8| (!key.iter().all(|&b| b == sentinel)).then_some(key);
    OldValue::Absent(Neighbours {
        previous: inside(tree.key(found.leaf), 0x00),
        next: inside(tree.next_key(found.leaf), 0xff),
    })
}

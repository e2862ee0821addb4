//! Reads a part of a tree from its root down.

use alloc::vec::Vec;
use prooflight_core::{Error, Hash, Reason, Result};

use crate::hash::{MAX_HEIGHT, Preimage};
use crate::hash_queue::{HashQueue, HashTarget, TYPICAL_DEPTH};
use crate::proof::{NodeHead, ProofStream, Tilt};

/// Decides which children are opened, and reads the leaves.
pub(crate) trait PartVisitor<'a> {
    /// The query's reason to open a node, for example the keys that lead to it.
    type Lead;

    /// Returns the children of the branch at `depth` that are opened.
    fn split(
        &mut self,
        lead: Self::Lead,
        depth: u8,
        heights: [u64; 2],
    ) -> OpenedChildren<Self::Lead>;

    /// Reads a leaf; returns its preimage.
    fn leaf(
        &mut self,
        stream: &mut ProofStream<'a>,
        lead: Self::Lead,
        height: u64,
        path: &BranchPath<'_, Self::Lead>,
    ) -> Result<Preimage>;
}

/// The opened children of a branch, each with its lead.
pub(crate) enum OpenedChildren<L> {
    None,
    One { side: usize, lead: L },
    Both([L; 2]),
}

/// Reads the opened part of the tree of the block at `height` into `opened`.
///
/// One pass that keeps only the branches above the current node: at most 256, since their depths ascend.
pub(crate) fn read_part<'a, V: PartVisitor<'a>>(
    stream: &mut ProofStream<'a>,
    height: u64,
    root: V::Lead,
    visitor: &mut V,
    opened: &mut HashQueue,
) -> Result<()> {
    let mut above: Vec<OpenBranch<V::Lead>> = Vec::with_capacity(TYPICAL_DEPTH);
    let mut place = opened.next_root();
    let mut next = (root, older_height(height, stream.integer()?)?);
    loop {
        let (lead, height) = next;
        match stream.head()? {
            NodeHead::Leaf => {
                opened.push(
                    place,
                    visitor.leaf(stream, lead, height, &BranchPath { above: &above })?,
                );
            }
            NodeHead::Branch { further, tilt } => {
                let depth = child_depth(above.last(), further)?;
                let heights = child_heights(height, tilt)?;
                let node = opened.len();
                let preimage = opened.push(place, Preimage::over_unknown(depth, heights));
                let (side, first, second) = match visitor.split(lead, depth, heights) {
                    OpenedChildren::None => {
                        preimage.set_child(0, stream.hash()?);
                        preimage.set_child(1, stream.hash()?);
                        (0, None, None)
                    }
                    OpenedChildren::One { side, lead } => {
                        preimage.set_child(1 - side, stream.hash()?);
                        (side, Some((lead, heights[side])), None)
                    }
                    OpenedChildren::Both([left, right]) => {
                        (0, Some((left, heights[0])), Some((right, heights[1])))
                    }
                };
                if let Some(child) = first {
                    next = child;
                    place = HashTarget::Child { parent: node, side };
                    above.push(OpenBranch { node, depth, side, second });
                    continue;
                }
            }
        }
        // The node is complete, and so is each ancestor whose last opened child this was.
        loop {
            let Some(parent) = above.last_mut() else { return Ok(()) };
            if let Some(child) = parent.second.take() {
                next = child;
                parent.side = 1;
                break;
            }
            above.pop();
        }
        if opened.hash_if_full(above.iter().map(|branch| branch.node)) {
            above.iter_mut().enumerate().for_each(|(at, branch)| branch.node = at);
        }
        if let Some(parent) = above.last() {
            place = HashTarget::Child { parent: parent.node, side: parent.side };
        }
    }
}

/// A branch with opened children that are not read yet.
struct OpenBranch<L> {
    /// Its index among the opened nodes.
    node: usize,
    depth: u8,
    /// The side of the child that is being read.
    side: usize,
    /// The child to be read after it.
    second: Option<(L, u64)>,
}

/// The branches above a node, with the side that the node is on.
pub(crate) struct BranchPath<'p, L> {
    above: &'p [OpenBranch<L>],
}

impl<L> BranchPath<'_, L> {
    /// Checks that a leaf's key hash has the bits of the path to the leaf.
    pub(crate) fn check(&self, key_hash: &Hash) -> Result<()> {
        match self.above.iter().find(|branch| bit(key_hash, branch.depth) != branch.side) {
            None => Ok(()),
            Some(branch) => Err(Error::new(
                Reason::LeafOffPath,
                format_args!("bit {} to be {}", branch.depth, branch.side),
                1 - branch.side,
            )),
        }
    }
}

/// Bit `depth` of a key's hash, the most significant bit of the first byte being bit 0.
pub(crate) fn bit(key_hash: &Hash, depth: u8) -> usize {
    usize::from(key_hash[usize::from(depth / 8)] >> (7 - depth % 8) & 1)
}

/// Checks that a block is one that verifiers support: below 2^52.
pub(crate) fn check_height(height: u64) -> Result<()> {
    if height <= MAX_HEIGHT {
        return Ok(());
    }
    Err(Error::new(Reason::InvalidArgument, "a block below 2^52", height))
}

fn older_height(height: u64, by: u64) -> Result<u64> {
    height.checked_sub(by).ok_or_else(|| {
        let expected = format_args!("at most {height} blocks older");
        Error::new(Reason::VersionOutOfRange, expected, by)
    })
}

/// The heights of a branch's children; the newer child has the branch's height.
fn child_heights(height: u64, tilt: Tilt) -> Result<[u64; 2]> {
    let mut heights = [height; 2];
    heights[tilt.older_side] = older_height(height, tilt.by)?;
    Ok(heights)
}

/// The depth of a branch, from that of its parent; the root's increment counts from -1.
fn child_depth<L>(parent: Option<&OpenBranch<L>>, further: u8) -> Result<u8> {
    let depth = match parent {
        Some(parent) => parent.depth.checked_add(further),
        None => further.checked_sub(1),
    };
    depth.ok_or_else(|| {
        let parent = parent.map_or(0, |parent| parent.depth);
        let expected = format_args!("at most {} bits below depth {parent}", u8::MAX - parent);
        Error::new(Reason::DepthOutOfRange, expected, further)
    })
}

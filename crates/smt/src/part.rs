//! Reads a part of a tree from its root down, and hashes it on the way back up.

use alloc::vec::Vec;
use prooflight_core::{Error, Reason, Result};

use crate::hash::{Child, Hash, MAX_VERSION, Preimage};
use crate::proof::{Head, Stream, Tilt};

/// Says which children are opened, and takes the leaves.
pub(crate) trait Visitor<'a> {
    /// What leads to an opened node.
    type Lead;

    /// What leads to each child of the branch at `depth`; nothing to a child that stays closed.
    fn split(&mut self, lead: Self::Lead, depth: u8, versions: [u64; 2])
    -> [Option<Self::Lead>; 2];

    /// Reads a leaf: what its hash is the hash of.
    fn leaf(
        &mut self,
        stream: &mut Stream<'a>,
        lead: Self::Lead,
        version: u64,
        path: &Path<'_, Self::Lead>,
    ) -> Result<Preimage>;
}

/// Reads the part of a tree that is opened from its root, at `block`, and returns the root's hash.
///
/// One pass that keeps only the branches above the node it is at, which are at most 256: their depths
/// ascend.
pub(crate) fn read_part<'a, V: Visitor<'a>>(
    stream: &mut Stream<'a>,
    block: u64,
    root: V::Lead,
    visitor: &mut V,
) -> Result<Hash> {
    let mut above: Vec<Branch<V::Lead>> = Vec::with_capacity(TYPICAL_DEPTH);
    let mut next = (root, older(block, stream.integer()?)?);
    loop {
        let (lead, version) = next;
        let mut hash = match stream.head()? {
            Head::Leaf => visitor.leaf(stream, lead, version, &Path { above: &above })?.hash(),
            Head::Branch { further, tilt } => {
                let depth = deeper(above.last(), further)?;
                let versions = children(version, tilt)?;
                let leads = visitor.split(lead, depth, versions);
                let mut branch = Branch::read(stream, depth, versions, leads)?;
                match branch.next() {
                    Some(child) => {
                        next = child;
                        above.push(branch);
                        continue;
                    }
                    None => branch.preimage.hash(),
                }
            }
        };
        // The node is whole: so are those above it whose last opened child it is.
        loop {
            let Some(parent) = above.last_mut() else { return Ok(hash) };
            parent.preimage.set_child(parent.side, &hash);
            if let Some(child) = parent.next() {
                next = child;
                break;
            }
            hash = parent.preimage.hash();
            above.pop();
        }
    }
}

/// Room for the branches above a leaf of a tree with a few million keys.
const TYPICAL_DEPTH: usize = 32;

/// A branch whose opened children are not all read yet.
struct Branch<L> {
    depth: u8,
    /// The side of the child that is being read.
    side: usize,
    preimage: Preimage,
    /// What is still to be read, left before right.
    children: [Option<(L, u64)>; 2],
}

impl<L> Branch<L> {
    /// Reads the hashes of the closed children.
    fn read(
        stream: &mut Stream<'_>,
        depth: u8,
        versions: [u64; 2],
        leads: [Option<L>; 2],
    ) -> Result<Self> {
        let mut hashes = [&[0; 32]; 2];
        for (hash, lead) in hashes.iter_mut().zip(&leads) {
            if lead.is_none() {
                *hash = stream.hash()?;
            }
        }
        let [left, right] = [0, 1].map(|at| Child { version: versions[at], hash: hashes[at] });
        let [first, second] = leads;
        let children =
            [first.map(|lead| (lead, versions[0])), second.map(|lead| (lead, versions[1]))];
        Ok(Self { depth, side: 0, preimage: Preimage::branch(depth, left, right), children })
    }

    /// The next child to be read, if any is left.
    fn next(&mut self) -> Option<(L, u64)> {
        self.side = usize::from(self.children[0].is_none());
        self.children[self.side].take()
    }
}

/// The branches above a node, with the side that the node is on.
pub(crate) struct Path<'p, L> {
    above: &'p [Branch<L>],
}

impl<L> Path<'_, L> {
    /// A leaf's key hash must have the bits that the way to the leaf has.
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

/// A block that verifiers can be asked about: below 2^52.
pub(crate) fn check_block(block: u64) -> Result<()> {
    if block <= MAX_VERSION {
        return Ok(());
    }
    Err(Error::new(Reason::InvalidArgument, "a block below 2^52", block))
}

fn older(version: u64, by: u64) -> Result<u64> {
    version.checked_sub(by).ok_or_else(|| {
        let expected = format_args!("at most {version} blocks older");
        Error::new(Reason::VersionOutOfRange, expected, by)
    })
}

/// The versions of a branch's children: that of the newer one is the branch's.
fn children(version: u64, tilt: Tilt) -> Result<[u64; 2]> {
    Ok(match tilt {
        Tilt::Left(by) => [version, older(version, by)?],
        Tilt::Right(by) => [older(version, by)?, version],
    })
}

/// The depth of a branch below its parent, or of the root, whose parent is before bit 0.
fn deeper<L>(parent: Option<&Branch<L>>, further: u8) -> Result<u8> {
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

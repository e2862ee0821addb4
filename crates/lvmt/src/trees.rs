//! Checks the leaves of a proof, up to the root of the tree over blocks.

use alloc::vec::Vec;

use prooflight_core::merkle::multiproof_root;
use prooflight_core::{Error, Hash, Hex, Reason, Result, order};

use crate::leaf::{KeccakTree, block_leaf};
use crate::params::LvmtRoot;
use crate::proof::{LeafPlace, Proof};

/// Checks that each leaf is at its place in its block's tree, and that these trees are in the tree over blocks.
///
/// Every size and hash of the proof must be used. Without leaves there is nothing to check.
pub(crate) fn check_leaves(
    root: &LvmtRoot,
    proof: &Proof,
    leaves: &[(LeafPlace, Hash)],
) -> Result<()> {
    let sorted = order(leaves.len(), |a, b| leaves[a].0 < leaves[b].0);
    let leaves: Vec<_> = sorted.into_iter().map(|at| leaves[at]).collect();
    if let Some([(place, _), _]) = leaves.array_windows().find(|[a, b]| a.0 == b.0) {
        let found = format_args!("two at index {} of block {}", place.index, place.block);
        return Err(Error::new(Reason::PlaceTwice, "one leaf at a place", found));
    }
    let mut sizes = proof.sizes.iter();
    let mut hashes = proof.hashes.iter().copied();
    let mut blocks = Vec::new();
    for of_block in leaves.chunk_by(|(a, _), (b, _)| a.block == b.block) {
        let block = of_block[0].0.block;
        let size = sizes.next().ok_or_else(|| {
            Error::new(
                Reason::SizeCount,
                format_args!("the size of block {block}"),
                "no more sizes",
            )
        })?;
        let of_block: Vec<_> =
            of_block.iter().map(|(place, hash)| (u64::from(place.index), *hash)).collect();
        let block_root = multiproof_root::<KeccakTree>(&of_block, u64::from(*size), &mut hashes)?;
        blocks.push((block, block_leaf(block, &block_root)));
    }
    if sizes.len() > 0 {
        let found = format_args!("{} more", sizes.len());
        return Err(Error::new(Reason::SizeCount, "a size for each block", found));
    }
    let found = if blocks.is_empty() {
        root.hroot
    } else {
        multiproof_root::<KeccakTree>(&blocks, root.height.saturating_add(1), &mut hashes)?
    };
    if hashes.len() > 0 {
        let found = format_args!("{} hashes left over", hashes.len());
        return Err(Error::new(Reason::PathLength, "no more", found));
    }
    if found != root.hroot {
        return Err(Error::new(Reason::RootMismatch, Hex(&root.hroot), Hex(&found)));
    }
    Ok(())
}

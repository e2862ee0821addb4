//! Merkle branches: proofs that a node is in a tree at a generalized index.
//!
//! Source: the consensus specifications, `ssz/merkle-proofs.md`.

use prooflight_core::{Error, Hash, Hex, Reason, Result};

use crate::ssz::hash_pair;

/// The number of nodes in a branch for this generalized index.
pub(crate) const fn depth(index: u64) -> usize {
    index.ilog2() as usize
}

/// Checks that `leaf` is at `index` in the tree with this root; otherwise `branch_mismatch`.
///
/// `branch` has [`depth`] nodes, from the leaf's sibling up.
pub(crate) fn check(
    what: &str,
    leaf: &Hash,
    branch: &[Hash],
    index: u64,
    root: &Hash,
) -> Result<()> {
    let node = self::root(leaf, branch, index);
    if depth(index) == branch.len() && node == *root {
        return Ok(());
    }
    Err(Error::new(
        Reason::BranchMismatch,
        format_args!("a branch from the {what} at {index} to {}", Hex(root)),
        Hex(&node),
    ))
}

/// The root that a branch leads to; the low bits of `index` are the sides.
pub(crate) fn root(leaf: &Hash, branch: &[Hash], index: u64) -> Hash {
    branch.iter().zip(0..).fold(*leaf, |node, (sibling, level): (_, u32)| {
        let right = index.checked_shr(level).unwrap_or_default() & 1 == 1;
        if right { hash_pair(sibling, &node) } else { hash_pair(&node, sibling) }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_branch_leads_from_one_place_to_one_root() {
        let [a, b, c] = [[1; 32], [2; 32], [3; 32]];
        let root = hash_pair(&c, &hash_pair(&a, &b));
        // The leaves at 6 and 7.
        assert_eq!(check("leaf", &a, &[b, c], 6, &root), Ok(()));
        assert_eq!(check("leaf", &b, &[a, c], 7, &root), Ok(()));
        for (leaf, branch, index) in [
            (a, vec![b, c], 7),
            (a, vec![b, c], 5),
            (a, vec![b, c], 14),
            (a, vec![b, c], 3),
            (a, vec![b], 6),
            (a, vec![b, c, c], 6),
            (b, vec![b, c], 6),
            (a, vec![c, b], 6),
        ] {
            let refused = check("leaf", &leaf, &branch, index, &root).unwrap_err();
            assert_eq!(refused.reason(), Reason::BranchMismatch, "{index}");
        }
    }
}

//! One proof for several leaves of a tree: each hash that their paths need, once.
//!
//! Which hashes these are, and their order, follow from the leaves' indices and the tree's size alone.
//! Starting at the root: a subtree without any of the leaves contributes its root, a subtree that is one of
//! the leaves contributes nothing, and any other contributes the hashes of its left half, then of its right.

use alloc::vec;
use alloc::vec::Vec;

use super::{Hash, TreeHash, node_hash};
use crate::{Error, Reason, Result};

/// A subtree: the `size` leaves from the leaf `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtree {
    /// The index of its first leaf.
    pub start: u64,
    /// The number of its leaves, at least 1.
    pub size: u64,
}

/// The subtrees, in a tree of `size` leaves, whose roots are the proof of the leaves at `indices`, in order.
///
/// An index outside the tree is `index_out_of_range`; indices that are not strictly ascending, or none at
/// all, are `invalid_argument`.
pub fn multiproof(indices: &[u64], size: u64) -> Result<Vec<Subtree>> {
    let mut subtrees = Vec::new();
    visit(
        indices,
        |index| *index,
        size,
        |step| {
            if let AssemblyStep::Other(subtree) = step {
                subtrees.push(subtree);
            }
            Ok(())
        },
    )?;
    Ok(subtrees)
}

/// Computes the root of the tree of `size` leaves from some of its leaves, given by index and hash, and the
/// next of `hashes`.
///
/// The size only determines the tree's shape, and two sizes can give the same subtrees around a leaf. Errors
/// are those of [`multiproof`], and `path_length` if the hashes end before the tree is complete; leftover
/// hashes stay in `hashes`. The work is at most 64 hashes a leaf.
pub fn multiproof_root<H: TreeHash>(
    leaves: &[(u64, Hash)],
    size: u64,
    hashes: &mut impl Iterator<Item = Hash>,
) -> Result<Hash> {
    let mut done = Vec::new();
    visit(
        leaves,
        |leaf| leaf.0,
        size,
        |step| {
            match step {
                AssemblyStep::Leaf(&(_, hash)) => done.push(hash),
                AssemblyStep::Other(subtree) => {
                    done.push(hashes.next().ok_or_else(|| missing(subtree))?);
                }
                AssemblyStep::Join => {
                    if let (Some(right), Some(left)) = (done.pop(), done.pop()) {
                        done.push(node_hash::<H>(&left, &right));
                    }
                }
            }
            Ok(())
        },
    )?;
    done.pop().ok_or_else(|| Error::new(Reason::Bug, "a root", "none"))
}

fn missing(subtree: Subtree) -> Error {
    let expected = format_args!("the hash over {} leaves from {}", subtree.size, subtree.start);
    Error::new(Reason::PathLength, expected, "no more hashes")
}

/// One step of assembling a tree, in post-order: left half, right half, then the node above both.
enum AssemblyStep<'a, T> {
    /// One of the leaves.
    Leaf(&'a T),
    /// A subtree without any of the leaves.
    Other(Subtree),
    /// The node over the last two subtrees.
    Join,
}

/// A subtree that is still to be visited, or a node whose halves are visited before it.
enum VisitTask<'a, T> {
    Part(Subtree, &'a [T]),
    Join,
}

fn visit<T>(
    leaves: &[T],
    index: impl Fn(&T) -> u64,
    size: u64,
    mut visitor: impl FnMut(AssemblyStep<'_, T>) -> Result<()>,
) -> Result<()> {
    check(leaves, &index, size)?;
    let mut tasks = vec![VisitTask::Part(Subtree { start: 0, size }, leaves)];
    while let Some(task) = tasks.pop() {
        let VisitTask::Part(part, leaves) = task else {
            visitor(AssemblyStep::Join)?;
            continue;
        };
        match leaves {
            [] => visitor(AssemblyStep::Other(part))?,
            [leaf] if part.size == 1 => visitor(AssemblyStep::Leaf(leaf))?,
            _ => {
                let half = largest_power_below(part.size);
                let middle = part.start + half;
                let (left, right) = leaves.split_at(leaves.partition_point(|l| index(l) < middle));
                tasks.push(VisitTask::Join);
                tasks.push(VisitTask::Part(
                    Subtree { start: middle, size: part.size - half },
                    right,
                ));
                tasks.push(VisitTask::Part(Subtree { start: part.start, size: half }, left));
            }
        }
    }
    Ok(())
}

fn check<T>(leaves: &[T], index: &impl Fn(&T) -> u64, size: u64) -> Result<()> {
    let last = match leaves.last() {
        Some(last) if leaves.is_sorted_by(|a, b| index(a) < index(b)) => index(last),
        _ => {
            let expected = "leaves in strictly ascending order of their indices, at least one";
            return Err(Error::new(Reason::InvalidArgument, expected, "others"));
        }
    };
    if last >= size {
        let expected = format_args!("an index below {size}");
        return Err(Error::new(Reason::IndexOutOfRange, expected, last));
    }
    Ok(())
}

/// The largest power of two below a size, which is at least 2.
const fn largest_power_below(size: u64) -> u64 {
    1 << (u64::BITS - 1 - (size - 1).leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::super::tests::Sha256Tree;
    use super::super::{inclusion_path, leaf_hash, root, verify_inclusion};
    use super::*;

    fn leaves(size: usize) -> Vec<Hash> {
        (0..size).map(|n| leaf_hash::<Sha256Tree>(&n.to_be_bytes())).collect()
    }

    fn proof(all: &[Hash], indices: &[u64]) -> Vec<Hash> {
        let root_of = |part: Subtree| {
            let [start, size] = [part.start, part.size].map(|n| usize::try_from(n).unwrap());
            root::<Sha256Tree>(&all[start..start + size])
        };
        let size = all.len() as u64;
        multiproof(indices, size).unwrap().into_iter().map(root_of).collect()
    }

    fn indices(mask: u32) -> Vec<u64> {
        (0..u64::from(u32::BITS)).filter(|bit| mask >> bit & 1 == 1).collect()
    }

    /// Every set of leaves of every tree of up to nine leaves.
    #[test]
    fn every_set_of_leaves_gives_the_root() {
        for size in 1..10 {
            let all = leaves(size);
            for mask in 1u32..1 << size {
                let indices = indices(mask);
                let chosen: Vec<_> =
                    indices.iter().map(|&i| (i, all[usize::try_from(i).unwrap()])).collect();
                let proof = proof(&all, &indices);
                let root_with = |hashes: &[Hash], size: usize| {
                    let mut hashes = hashes.iter().copied();
                    let root = multiproof_root::<Sha256Tree>(&chosen, size as u64, &mut hashes);
                    root.map(|root| (root, hashes.len()))
                };
                let expected = root::<Sha256Tree>(&all);
                assert_eq!(root_with(&proof, size), Ok((expected, 0)), "{indices:?} of {size}");
                let longer = [&proof[..], &[[0; 32]]].concat();
                assert_eq!(root_with(&longer, size), Ok((expected, 1)));
                for length in 0..proof.len() {
                    let refused = root_with(&proof[..length], size).unwrap_err();
                    assert_eq!(refused.reason(), Reason::PathLength);
                    let mut flipped = proof.clone();
                    flipped[length][0] ^= 1;
                    assert_ne!(root_with(&flipped, size).unwrap().0, expected);
                }
            }
        }
    }

    #[test]
    fn one_leaf_needs_the_hashes_of_its_path() {
        for size in 1..40 {
            let all = leaves(size);
            for index in 0..size {
                let mut of_path = inclusion_path::<Sha256Tree>(&all, index).unwrap();
                let mut of_set = proof(&all, &[index as u64]);
                let root = root::<Sha256Tree>(&all);
                verify_inclusion::<Sha256Tree>(
                    &root,
                    &all[index],
                    index as u64,
                    size as u64,
                    &of_path,
                )
                .unwrap();
                of_path.sort_unstable();
                of_set.sort_unstable();
                assert_eq!(of_set, of_path, "leaf {index} of {size}");
            }
        }
    }

    #[test]
    fn the_order_is_that_of_the_tree_from_the_left() {
        let part = |start, size| Subtree { start, size };
        assert_eq!(multiproof(&[4], 7).unwrap(), [part(0, 4), part(5, 1), part(6, 1)]);
        assert_eq!(multiproof(&[1, 6], 7).unwrap(), [part(0, 1), part(2, 2), part(4, 2)]);
        assert_eq!(multiproof(&[0, 1, 2], 3).unwrap(), []);
    }

    #[test]
    fn the_largest_trees_are_no_harder() {
        let parts = multiproof(&[0, u64::MAX - 1], u64::MAX).unwrap();
        assert_eq!(parts.len(), 63 + 62);
        assert_eq!(parts.iter().map(|part| part.size).sum::<u64>(), u64::MAX - 2);
        let mut hashes = core::iter::repeat([1; 32]);
        let leaves = [(0, [2; 32]), (u64::MAX - 1, [3; 32])];
        multiproof_root::<Sha256Tree>(&leaves, u64::MAX, &mut hashes).unwrap();
    }

    #[test]
    fn indices_are_ascending_and_in_the_tree() {
        let reason = |indices: &[u64], size| multiproof(indices, size).unwrap_err().reason();
        assert_eq!(reason(&[], 3), Reason::InvalidArgument);
        assert_eq!(reason(&[1, 1], 3), Reason::InvalidArgument);
        assert_eq!(reason(&[2, 1], 3), Reason::InvalidArgument);
        assert_eq!(reason(&[1, 3], 3), Reason::IndexOutOfRange);
        assert_eq!(reason(&[0], 0), Reason::IndexOutOfRange);
    }
}

//! The next root, from partial trees and a block's operations.

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, Hash, Limits, Reason, Result, Verified, distinct};

use crate::answers::ProofAnswers;
use crate::limits::MAX_KEY_BYTES;
use crate::partial::PartialTree;
use crate::proof::{ProofStream, UPDATE_ENVELOPE};
use crate::query::TreeQuery;
use crate::question::{TrustedRoot, check_keys, check_length, invalid};
use crate::verify::read_answers;

/// The default limits of an update: those of other proofs, but 65,536 keys in each part.
pub const UPDATE_LIMITS: Limits = Limits { max_keys: 65_536, ..Limits::DEFAULT };

/// The most parts of an update.
const MAX_UPDATE_PARTS: usize = 256;

/// The most bytes of all proofs of an update.
const MAX_UPDATE_BYTES: usize = 64 << 20;

/// A proof of some keys of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdatePart<'a> {
    /// The keys.
    pub keys: &'a [&'a [u8]],
    /// The proof.
    pub proof: &'a [u8],
}

/// Verifies proofs of parts of one tree, and returns the root after the next block.
///
/// `operations` are those of the block, normalised: ascending by key, each key once, and no deletion of a key that has
/// no value. Their keys need not be those of the parts. `node_not_expanded` if the parts do not show enough,
/// `key_absent` for a deletion of a key that has no value. The default limits are [`UPDATE_LIMITS`].
/// Source: `test-vectors/spec/amb.md`, section 8.
pub fn verify_update(
    root: &TrustedRoot,
    operations: &[RawKeyChange<'_>],
    parts: &[UpdatePart<'_>],
    limits: &Limits,
) -> Result<Verified<Hash>> {
    check_parts(parts)?;
    let mut tree = PartialTree::default();
    for part in parts {
        tree = add_part(root, tree, part, limits)?;
    }
    if parts.is_empty() {
        return Err(invalid("at least one part", 0));
    }
    let block = root.next_block()?;
    check_operations(operations, limits)?;
    for operation in operations {
        tree.execute(block, operation)?;
    }
    Ok(Verified::by_verifier(tree.root()))
}

fn check_parts(parts: &[UpdatePart<'_>]) -> Result<()> {
    if parts.len() > MAX_UPDATE_PARTS {
        return Err(invalid(format_args!("at most {MAX_UPDATE_PARTS} parts"), parts.len()));
    }
    let bytes = parts.iter().fold(0, |sum: usize, part| sum.saturating_add(part.proof.len()));
    if bytes > MAX_UPDATE_BYTES {
        let expected = format_args!("at most {MAX_UPDATE_BYTES} bytes in all parts");
        return Err(Error::new(Reason::ProofTooLarge, expected, bytes));
    }
    Ok(())
}

/// Verifies a part, and merges it into the tree of those before.
fn add_part<'a>(
    root: &TrustedRoot,
    tree: PartialTree<'a>,
    part: &UpdatePart<'a>,
    limits: &Limits,
) -> Result<PartialTree<'a>> {
    root.check()?;
    check_keys(part.keys, limits)?;
    let stream = ProofStream::open(UPDATE_ENVELOPE, part.proof, root.height, limits)?;
    let (keys, _) = distinct(part.keys);
    let found = ProofAnswers { partial: Some(tree), ..ProofAnswers::new(0) };
    let found = read_answers(root, stream, &TreeQuery::update(&keys), found)?;
    let mut tree = found.partial.unwrap_or_default();
    tree.merge();
    Ok(tree)
}

fn check_operations(operations: &[RawKeyChange<'_>], limits: &Limits) -> Result<()> {
    if !operations.is_sorted_by(|a, b| a.key < b.key) {
        return Err(invalid("operations ascending by key", "others"));
    }
    operations.iter().try_for_each(|operation| check_length(operation.key, MAX_KEY_BYTES))?;
    let lengths = operations.iter().filter_map(|operation| operation.value).map(<[u8]>::len);
    match lengths.into_iter().find(|&length| length > limits.max_value_bytes) {
        None => Ok(()),
        Some(length) => {
            let expected = format_args!("at most {} bytes", limits.max_value_bytes);
            Err(Error::new(Reason::ValueLength, expected, length))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    /// No test vector is this large.
    #[test]
    fn the_proofs_of_all_parts_have_at_most_64_mib() {
        let root = TrustedRoot { hash: Hash::default(), height: 0 };
        let proof = vec![0; UPDATE_LIMITS.max_proof_bytes];
        let keys: &[&[u8]] = &[b"a"];
        let mut parts: Vec<_> = (0..8).map(|_| UpdatePart { keys, proof: &proof }).collect();
        let refused = |parts: &[UpdatePart<'_>]| {
            verify_update(&root, &[], parts, &UPDATE_LIMITS).unwrap_err()
        };
        assert_eq!(refused(&parts).reason(), Reason::UnknownVersion);
        parts.push(UpdatePart { keys, proof: &proof[..1] });
        assert_eq!(refused(&parts).reason(), Reason::ProofTooLarge);
    }
}

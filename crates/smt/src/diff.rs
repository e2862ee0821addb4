//! Every key that changed between two blocks.

use alloc::vec::Vec;
use prooflight_core::{Error, Hash, Limits, PastState, Reason, Result, Verified};

use crate::hash::{Preimage, hash_key, hash_value};
use crate::hash_queue::HashQueue;
use crate::part::{BranchPath, OpenedChildren, PartVisitor, check_height, read_part};
use crate::proof::{DIFF_ENVELOPE, DiffLeaf, ProofStream};
use crate::verify::check_root;

/// The last change of a key in a range of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffEntry<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The key's state since then; never [`PastState::NeverWritten`].
    pub answer: PastState<'a>,
}

/// Verifies every key that changed after block `from` and up to block `to`, ascending by key hash.
///
/// Without `from`, every key that was ever written. `root_to` is the root of block `to`, which the caller
/// must trust. Only the last change of each key is shown; for earlier ones, verify its history. The diff is
/// complete: a node is at least as new as every leaf below it, so a node that is not newer than `from` has
/// no changed leaf. `invalid_argument` if `from` is not before `to`, or `to` is 2^52 or more.
pub fn verify_diff<'a>(
    root_to: &Hash,
    from: Option<u64>,
    to: u64,
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<Vec<DiffEntry<'a>>>> {
    check_height(to)?;
    if let Some(from) = from.filter(|&from| from >= to) {
        return Err(Error::new(Reason::InvalidArgument, format_args!("a block before {to}"), from));
    }
    let mut stream = ProofStream::open(DIFF_ENVELOPE, proof, limits)?;
    let mut changed = DiffVisitor { from, changes: Vec::new() };
    let mut opened = HashQueue::new();
    if stream.is_empty() {
        opened.next_root();
    } else {
        read_part(&mut stream, to, (), &mut changed, &mut opened)?;
    }
    stream.finish()?;
    check_root(root_to, &opened.root())?;
    Ok(Verified::by_verifier(changed.changes))
}

/// Opens the nodes that are newer than a block.
struct DiffVisitor<'a> {
    from: Option<u64>,
    changes: Vec<DiffEntry<'a>>,
}

impl DiffVisitor<'_> {
    fn is_new(&self, height: u64) -> bool {
        self.from.is_none_or(|from| height > from)
    }
}

impl<'a> PartVisitor<'a> for DiffVisitor<'a> {
    type Lead = ();

    /// A child is opened if it is new. The root is always opened, since no parent states its height.
    fn split(&mut self, (): (), _depth: u8, heights: [u64; 2]) -> OpenedChildren<()> {
        match heights.map(|height| self.is_new(height)) {
            [false, false] => OpenedChildren::None,
            [true, true] => OpenedChildren::Both([(), ()]),
            [_, right] => OpenedChildren::One { side: usize::from(right), lead: () },
        }
    }

    fn leaf(
        &mut self,
        stream: &mut ProofStream<'a>,
        (): (),
        height: u64,
        path: &BranchPath<'_, ()>,
    ) -> Result<Preimage> {
        let (key, value) = match stream.diff_leaf()? {
            DiffLeaf::Live { key, value } => (key, Some(value)),
            DiffLeaf::Deleted { key } => (key, None),
        };
        let key_hash = hash_key(key);
        path.check(&key_hash)?;
        // The only old leaf that is ever opened is a root.
        if self.is_new(height) {
            let answer = match value {
                Some(value) => PastState::Present { value, since: height },
                None => PastState::Deleted { deleted_at: height },
            };
            self.changes.push(DiffEntry { key, answer });
        }
        Ok(match value {
            Some(value) => Preimage::leaf(height, &key_hash, &hash_value(value)),
            None => Preimage::tombstone(height, &key_hash),
        })
    }
}

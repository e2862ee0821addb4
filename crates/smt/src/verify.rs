//! The values of one or many keys at one block.

use alloc::vec;
use alloc::vec::Vec;
use prooflight_core::{Error, Hash, Hex, Limits, PastState, Reason, Result, Verified, distinct};

use crate::hash::{Preimage, hash_key, hash_value};
use crate::hash_queue::HashQueue;
use crate::part::{BranchPath, OpenedChildren, PartVisitor, bit, check_height, read_part};
use crate::proof::{PROOF_ENVELOPE, ProofLeaf, ProofStream};

/// Verifies the state of keys at a block, against the root of that block.
///
/// The caller must trust that `root` is the root of the block at `height`. Returns an answer for each of `keys`,
/// in their order; the proof does not depend on their order or repetitions. `invalid_argument` for a height of
/// 2^52 or more, or without keys. Time is linear in the proof, plus at most 256 steps a key.
/// Source: `test-vectors/spec/smt.md`, after Kauer et al. 2025, section 7.
pub fn verify<'a>(
    root: &Hash,
    height: u64,
    keys: &[&[u8]],
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<Vec<PastState<'a>>>> {
    check_height(height)?;
    check_keys(keys, limits)?;
    let mut stream = ProofStream::open(PROOF_ENVELOPE, proof, limits)?;
    let hashes: Vec<Hash> = keys.iter().map(|key| hash_key(key)).collect();
    let (hashes, places) = distinct(&hashes);
    let mut opened = HashQueue::new();
    let answers = read_claim(&mut stream, height, &hashes, &mut opened)?;
    stream.finish()?;
    check_root(root, &opened.root())?;
    Ok(Verified::by_verifier(places.iter().map(|&place| answers[place]).collect()))
}

fn check_keys(keys: &[&[u8]], limits: &Limits) -> Result<()> {
    if keys.is_empty() {
        return Err(Error::new(Reason::InvalidArgument, "at least one key", 0));
    }
    limits.check_keys(keys.len())
}

/// Reads the part that keys, ascending by their hashes, lead to; returns the states of the keys that it claims.
///
/// The rest of the stream is left unread.
pub(crate) fn read_claim<'a>(
    stream: &mut ProofStream<'a>,
    height: u64,
    keys: &[Hash],
    opened: &mut HashQueue,
) -> Result<Vec<PastState<'a>>> {
    let mut lookup = KeyLookup {
        keys,
        order: (0..keys.len()).collect(),
        right: Vec::new(),
        answers: vec![PastState::NeverWritten; keys.len()],
    };
    if stream.is_empty() {
        opened.next_root();
    } else {
        read_part(stream, height, KeySpan { start: 0, end: keys.len() }, &mut lookup, opened)?;
    }
    Ok(lookup.answers)
}

/// Checks that the computed root is the trusted one.
pub(crate) fn check_root(trusted: &Hash, found: &Hash) -> Result<()> {
    if trusted == found {
        return Ok(());
    }
    Err(Error::new(Reason::RootMismatch, Hex(trusted), Hex(found)))
}

/// Follows keys to their leaves.
struct KeyLookup<'k, 'a> {
    keys: &'k [Hash],
    /// Indices of the keys, permuted so that those that lead to one node are a contiguous, ascending run.
    order: Vec<usize>,
    /// Scratch space: the keys that go to the right child of a branch.
    right: Vec<usize>,
    answers: Vec<PastState<'a>>,
}

/// The range of keys in [`KeyLookup::order`] that lead to a node: at least one.
#[derive(Clone, Copy)]
struct KeySpan {
    start: usize,
    end: usize,
}

impl<'a> PartVisitor<'a> for KeyLookup<'_, 'a> {
    type Lead = KeySpan;

    /// A child is opened if a key leads to it.
    ///
    /// Keys that lead to one node may differ in the bits between two branches, so the keys of each side
    /// need not be a contiguous run: they are partitioned.
    fn split(&mut self, lead: KeySpan, depth: u8, _heights: [u64; 2]) -> OpenedChildren<KeySpan> {
        let KeySpan { start, end } = lead;
        let ending = &mut self.order[start..end];
        let side = |key: usize| bit(&self.keys[key], depth);
        if let &mut [key] = ending {
            return OpenedChildren::One { side: side(key), lead };
        }
        let right = ending.iter().map(|&key| side(key)).sum::<usize>();
        if right == 0 || right == ending.len() {
            return OpenedChildren::One { side: usize::from(right > 0), lead };
        }
        let middle = end - right;
        self.right.clear();
        self.right.extend(ending.iter().filter(|&&key| side(key) == 1));
        let mut left = 0;
        for at in 0..ending.len() {
            let key = ending[at];
            if side(key) == 0 {
                ending[left] = key;
                left += 1;
            }
        }
        self.order[middle..end].copy_from_slice(&self.right);
        OpenedChildren::Both([KeySpan { start, end: middle }, KeySpan { start: middle, end }])
    }

    fn leaf(
        &mut self,
        stream: &mut ProofStream<'a>,
        lead: KeySpan,
        height: u64,
        path: &BranchPath<'_, KeySpan>,
    ) -> Result<Preimage> {
        let ending = &self.order[lead.start..lead.end];
        Ok(match stream.proof_leaf()? {
            ProofLeaf::Live { index, value } => {
                let key = key_at(ending, index)?;
                self.answers[key] = PastState::Present { value, since: height };
                Preimage::leaf(height, &self.keys[key], &hash_value(value))
            }
            ProofLeaf::Deleted { index } => {
                let key = key_at(ending, index)?;
                self.answers[key] = PastState::Deleted { deleted_at: height };
                Preimage::tombstone(height, &self.keys[key])
            }
            ProofLeaf::OtherLive { key_hash, value_hash } => {
                self.check_other(ending, key_hash, path)?;
                Preimage::leaf(height, key_hash, value_hash)
            }
            ProofLeaf::OtherDeleted { key_hash } => {
                self.check_other(ending, key_hash, path)?;
                Preimage::tombstone(height, key_hash)
            }
        })
    }
}

impl KeyLookup<'_, '_> {
    /// Checks that another key's leaf is on the path of the keys that end at it, and is the leaf of none of them.
    fn check_other<L>(
        &self,
        ending: &[usize],
        key_hash: &Hash,
        path: &BranchPath<'_, L>,
    ) -> Result<()> {
        path.check(key_hash)?;
        if ending.iter().any(|&key| self.keys[key] == *key_hash) {
            return Err(Error::new(
                Reason::LeafOfKey,
                "another key's leaf",
                format_args!("the leaf of {}", Hex(key_hash)),
            ));
        }
        Ok(())
    }
}

/// The key with this index among those that end at the leaf.
fn key_at(ending: &[usize], index: u64) -> Result<usize> {
    usize::try_from(index).ok().and_then(|index| ending.get(index).copied()).ok_or_else(|| {
        Error::new(Reason::LeafIndex, format_args!("one of {} keys", ending.len()), index)
    })
}

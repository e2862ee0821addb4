//! Every change of one key in a range of blocks.

use alloc::vec::Vec;
use prooflight_core::{Error, Hash, KeyHistory, Limits, PastState, Reason, Result, Verified};

use crate::hash::hash_key;
use crate::hash_queue::HashQueue;
use crate::part::check_height;
use crate::proof::{HISTORY_ENVELOPE, ProofStream};
use crate::verify::{check_root, read_claim};

/// The most changes that a history may have, unless the caller's limits say otherwise.
pub const MAX_HISTORY_CHANGES: usize = Limits::DEFAULT.max_changes;

/// Verifies every change of a key in the blocks `from..=to`.
///
/// `roots` are the roots of exactly the blocks that [`ClaimedHistory::blocks`] names, with their heights, newest
/// first; the caller must trust each to be the root of that block. Refused as by [`ClaimedHistory::verify`].
pub fn verify_history<'a>(
    roots: &[(u64, Hash)],
    key: &[u8],
    from: u64,
    to: u64,
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<KeyHistory<'a>>> {
    ClaimedHistory::decode(key, from, to, proof, limits).verify(roots)
}

/// A history as its prover claims it: read, and not verified yet.
pub struct ClaimedHistory<'a> {
    /// The blocks of the parts that were read completely, newest first.
    blocks: Vec<u64>,
    opened: HashQueue,
    /// The history, or the error at which reading stopped.
    read: Result<KeyHistory<'a>>,
}

impl<'a> ClaimedHistory<'a> {
    /// Reads the proof of a key's changes in the blocks `from..=to`.
    ///
    /// An error is kept for [`blocks`](Self::blocks) and [`verify`](Self::verify): a proof that does not decode,
    /// or `invalid_argument` if `from` is after `to` or `to` is 2^52 or more.
    pub fn decode(key: &[u8], from: u64, to: u64, proof: &'a [u8], limits: &Limits) -> Self {
        let (mut blocks, mut opened) = (Vec::new(), HashQueue::new());
        let read = read_history(key, from, to, proof, limits, &mut opened, &mut blocks);
        Self { blocks, opened, read }
    }

    /// The blocks whose roots the history claims to need, newest first.
    ///
    /// This is only the prover's claim: a caller looks up the trusted roots of these blocks, and passes them to
    /// [`verify`](Self::verify) in this order.
    pub fn blocks(&self) -> Result<&[u64]> {
        self.read.as_ref().map(|_| &*self.blocks).map_err(Error::clone)
    }

    /// Verifies the history against the trusted roots of its blocks, given with their heights.
    ///
    /// No change can be skipped: each tree shows when the key last changed, and the next tree is that of the
    /// block before this change. `wrong_roots` if `roots` are of other blocks, `root_mismatch` if one is another
    /// root; a wrong root of an earlier part is reported before an error in a later one.
    pub fn verify(self, roots: &[(u64, Hash)]) -> Result<Verified<KeyHistory<'a>>> {
        let Self { blocks, opened, read } = self;
        let pairs = blocks.iter().zip(roots);
        let of_blocks = pairs.take_while(|(block, (height, _))| *block == height).count();
        for ((_, root), found) in roots[..of_blocks].iter().zip(opened.roots()) {
            check_root(root, &found)?;
        }
        let given = roots.get(of_blocks);
        if let Some(&needed) = blocks.get(of_blocks) {
            return Err(wrong_roots(Some(needed), given));
        }
        let history = read?;
        match given {
            None => Ok(Verified::by_verifier(history)),
            more => Err(wrong_roots(None, more)),
        }
    }
}

#[cold]
fn wrong_roots(needed: Option<u64>, given: Option<&(u64, Hash)>) -> Error {
    let name = |height: Option<u64>| match height {
        Some(height) => alloc::format!("the root of block {height}"),
        None => "no more roots".into(),
    };
    Error::new(Reason::WrongRoots, name(needed), name(given.map(|(height, _)| *height)))
}

/// Reads the parts of a history: adds their nodes to `opened`, and the block of each complete part to `blocks`.
fn read_history<'a>(
    key: &[u8],
    from: u64,
    to: u64,
    proof: &'a [u8],
    limits: &Limits,
    opened: &mut HashQueue,
    blocks: &mut Vec<u64>,
) -> Result<KeyHistory<'a>> {
    check_height(to)?;
    if from > to {
        let expected = format_args!("a range that begins at {to} or earlier");
        return Err(Error::new(Reason::InvalidArgument, expected, from));
    }
    let mut stream = ProofStream::open(HISTORY_ENVELOPE, proof, limits)?;
    let key_hash = [hash_key(key)];
    let mut history = KeyHistory { from, to, entering: None, changes: Vec::new() };
    let mut height = to;
    loop {
        let answers = read_claim(&mut stream, height, &key_hash, opened)?;
        blocks.push(height);
        let answer = answers.first().copied().unwrap_or(PastState::NeverWritten);
        let Some(changed) = answer.changed_at().filter(|&changed| changed >= from) else {
            history.entering = Some(answer);
            break;
        };
        limits.check_changes(history.changes.len() + 1)?;
        history.changes.push(answer);
        if changed == from {
            break;
        }
        height = changed - 1;
    }
    stream.finish()?;
    history.changes.reverse();
    Ok(history)
}

//! Every change of one key in a range of blocks.

use alloc::vec::Vec;
use prooflight_core::{Error, Hash, Limits, Reason, Result, Verified};

use crate::hash::hash_key;
use crate::opened::Opened;
use crate::part::check_height;
use crate::proof::{HISTORY, Stream};
use crate::verify::{Answer, check_root, read_claim};

/// The most changes that a history may have, unless the caller's limits say otherwise.
pub const MAX_CHANGES: usize = Limits::DEFAULT.max_changes;

/// The complete history of a key in a range of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<'a> {
    /// The first block of the range.
    pub from: u64,
    /// The last block of the range.
    pub to: u64,
    /// The key's state before the range; none if the key changed in the range's first block, so that no tree
    /// of the proof shows it.
    pub entering: Option<Answer<'a>>,
    /// Every change in the range, oldest first; none of them is [`Answer::NeverWritten`].
    pub changes: Vec<Answer<'a>>,
}

/// Returns the blocks whose roots a history claims to need, newest first.
///
/// This is the prover's claim, which only [`verify_history`] checks: a caller looks up the trusted roots of
/// these blocks, and passes them to it in this order.
pub fn history_blocks(
    key: &[u8],
    from: u64,
    to: u64,
    proof: &[u8],
    limits: &Limits,
) -> Result<Vec<u64>> {
    let mut blocks = Vec::new();
    let whole = |height| {
        blocks.push(height);
        Ok(())
    };
    let _ = read_history(key, from, to, proof, limits, &mut Opened::unhashed(), whole)?;
    Ok(blocks)
}

/// Verifies every change of a key in the blocks `from..=to`.
///
/// `roots` are the roots of exactly the blocks that [`history_blocks`] names, with their numbers, newest
/// first; the caller must trust each to be the root of that block. No change can be skipped: each tree shows
/// when the key last changed, and the next tree is that of the block before this change. `wrong_roots` if
/// `roots` are of other blocks; `invalid_argument` if `from` is after `to` or `to` is 2^52 or more.
pub fn verify_history<'a>(
    roots: &[(u64, Hash)],
    key: &[u8],
    from: u64,
    to: u64,
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<History<'a>>> {
    let (mut opened, mut given, mut trusted) = (Opened::new(), roots.iter(), Vec::new());
    let whole = |height| match given.next() {
        Some((of, root)) if *of == height => {
            trusted.push(root);
            Ok(())
        }
        other => Err(wrong_roots(Some(height), other)),
    };
    let history = read_history(key, from, to, proof, limits, &mut opened, whole);
    // A wrong root of an earlier part is reported before an error in a later one.
    for (root, found) in trusted.into_iter().zip(opened.roots()) {
        check_root(root, &found)?;
    }
    let history = history?;
    match given.next() {
        None => Ok(Verified::by_verifier(history)),
        more => Err(wrong_roots(None, more)),
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

/// Reads the parts of a history: adds their nodes to `opened`, and calls `whole` with the block of each
/// complete part.
fn read_history<'a>(
    key: &[u8],
    from: u64,
    to: u64,
    proof: &'a [u8],
    limits: &Limits,
    opened: &mut Opened,
    mut whole: impl FnMut(u64) -> Result<()>,
) -> Result<History<'a>> {
    check_height(to)?;
    if from > to {
        let expected = format_args!("a range that begins at {to} or earlier");
        return Err(Error::new(Reason::InvalidArgument, expected, from));
    }
    let mut stream = Stream::open(HISTORY, proof, limits)?;
    let key_hash = [hash_key(key)];
    let mut history = History { from, to, entering: None, changes: Vec::new() };
    let mut height = to;
    loop {
        let answers = read_claim(&mut stream, height, &key_hash, opened)?;
        whole(height)?;
        let answer = answers.first().copied().unwrap_or(Answer::NeverWritten);
        let Some(changed) = answer.changed().filter(|&changed| changed >= from) else {
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

//! Statements about a plain tree, and the judge of the verifiers' results: the truth, or a refusal.

use prooflight_core::{Code, Error, Limits, Result};
use prooflight_smt::{ClaimedHistory, DiffEntry, KeyHistory, PastState, verify, verify_diff};

use super::plain::PlainTree;

/// A question about a chain.
#[derive(Clone, Debug)]
pub enum ChainQuestion {
    Keys { height: u64, keys: Vec<Vec<u8>> },
    History { key: Vec<u8>, from: u64, to: u64 },
    Diff { from: Option<u64>, to: u64 },
}

impl ChainQuestion {
    pub fn prove(&self, plain: &PlainTree) -> Vec<u8> {
        match self {
            Self::Keys { height, keys } => plain.prove(*height, keys),
            Self::History { key, from, to } => plain.prove_history(key, *from, *to),
            Self::Diff { from, to } => plain.prove_diff(*from, *to),
        }
    }

    /// Verifies a proof under the true roots: an accepted one must be true, and the only proof of its statement.
    pub fn judge(&self, plain: &PlainTree, proof: &[u8]) -> Result<()> {
        let judged = self.check(plain, proof);
        match &judged {
            Ok(()) => assert_eq!(proof, self.prove(plain), "{self:?}"),
            Err(error) => assert_is_refusal(error),
        }
        judged
    }

    fn check(&self, plain: &PlainTree, proof: &[u8]) -> Result<()> {
        let limits = &Limits::DEFAULT;
        match self {
            Self::Keys { height, keys } => {
                let asked: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let answers = verify(&plain.root(*height), *height, &asked, proof, limits)?;
                let expected: Vec<_> = keys.iter().map(|key| plain.answer(key, *height)).collect();
                assert_eq!(*answers, expected, "{self:?}");
            }
            Self::History { key, from, to } => {
                // The true roots of the blocks that the proof claims to need.
                let claimed = ClaimedHistory::decode(key, *from, *to, proof, limits);
                let roots = plain.roots(claimed.blocks()?);
                let history = claimed.verify(&roots)?;
                assert_eq!(*history, true_history(plain, key, *from, *to), "{self:?}");
            }
            Self::Diff { from, to } => {
                let mut changes =
                    verify_diff(&plain.root(*to), *from, *to, proof, limits)?.into_inner();
                changes.sort_by_key(|change| change.key);
                assert_eq!(changes, true_diff(plain, *from, *to), "{self:?}");
            }
        }
        Ok(())
    }
}

/// A key's history, block by block.
pub fn true_history<'a>(plain: &'a PlainTree, key: &[u8], from: u64, to: u64) -> KeyHistory<'a> {
    let at = |height| plain.answer(key, height);
    let changes: Vec<PastState<'_>> =
        (from..=to).filter(|&height| at(height).changed_at() == Some(height)).map(at).collect();
    let hidden = changes.first().is_some_and(|change| change.changed_at() == Some(from));
    let before = from.checked_sub(1).map_or(PastState::NeverWritten, at);
    KeyHistory { from, to, entering: (!hidden).then_some(before), changes }
}

/// The last changes in a range of blocks, ascending by key.
pub fn true_diff(plain: &PlainTree, from: Option<u64>, to: u64) -> Vec<DiffEntry<'_>> {
    let changes = plain.keys().into_iter().filter_map(|key| {
        let answer = plain.answer(&key, to);
        let height = answer.changed_at()?;
        let changed = from.is_none_or(|from| height > from);
        changed.then(|| DiffEntry { key: plain.own(&key), answer })
    });
    changes.collect()
}

pub fn assert_is_refusal(error: &Error) {
    assert!(matches!(error.code(), Code::Malformed | Code::Mismatch), "{error:?}");
}

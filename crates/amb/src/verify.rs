//! Verifies the proof of an answer to each kind of question.

use alloc::vec::Vec;

use prooflight_core::{
    Error, Hash, Hex, KeyHistory, Limits, PastState, RangeEntry, RangePage, Reason, Result,
    Verified, distinct,
};

use crate::answers::{ProofAnswers, ReplicaEntry};
use crate::limits::MAX_BOUND_BYTES;
use crate::proof::{
    COUNT_ENVELOPE, GET_ENVELOPE, HIST_ENVELOPE, ProofStream, RANGE_ENVELOPE, TRANSFER_ENVELOPE,
};
use crate::query::TreeQuery;
use crate::question::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot,
};
use crate::read::read_nodes;

/// Verifies the state of each key after a block.
///
/// Returns an answer for each key, in order. Source: `test-vectors/spec/amb.md`, section 7.
pub fn verify<'a>(
    root: &TrustedRoot,
    question: &KeysQuestion<'_>,
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<Vec<PastState<'a>>>> {
    question.check(root, limits)?;
    let stream = ProofStream::open(GET_ENVELOPE, proof, root.height, limits)?;
    let (keys, places) = distinct(question.keys);
    let query = TreeQuery::get(&keys, question);
    let found = read_answers(root, stream, &query, ProofAnswers::new(keys.len()))?;
    let answers = places.iter().map(|&place| found.states[place].0).collect();
    Ok(Verified::by_verifier(answers))
}

/// The histories of keys. Repeated keys share one history, so that memory is bounded by the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHistories<'a> {
    /// The histories of the distinct keys, ascending by key; `entering` is always shown.
    pub distinct: Vec<KeyHistory<'a>>,
    /// For each key of the question, in order, which of `distinct` is its history.
    pub indices: Vec<usize>,
}

impl<'a> KeyHistories<'a> {
    /// The history of each key of the question, in order.
    pub fn iter(&self) -> impl Iterator<Item = &KeyHistory<'a>> {
        self.indices.iter().filter_map(|&place| self.distinct.get(place))
    }
}

/// Verifies every change of each key in a range of blocks.
///
/// Source: `test-vectors/spec/amb.md`, section 7.
pub fn verify_history<'a>(
    root: &TrustedRoot,
    question: &HistoryQuestion<'_>,
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<KeyHistories<'a>>> {
    question.check(root, limits)?;
    let stream = ProofStream::open(HIST_ENVELOPE, proof, root.height, limits)?;
    let (keys, places) = distinct(question.keys);
    let query = TreeQuery::hist(&keys, question);
    let found = read_answers(root, stream, &query, ProofAnswers::new(keys.len()))?;
    let history = |(entering, changes)| {
        let HistoryQuestion { from, to, .. } = *question;
        KeyHistory { from, to, entering: Some(entering), changes }
    };
    let distinct = found.states.into_iter().map(history).collect();
    Ok(Verified::by_verifier(KeyHistories { distinct, indices: places }))
}

/// Verifies all keys between two bounds that had a value after a block, or the first page of them.
///
/// Every page advances, but may open no entry: limit the number of consecutive empty pages from one
/// server. Source: `test-vectors/spec/amb.md`, section 4.
pub fn verify_range<'a>(
    root: &TrustedRoot,
    question: &RangeQuestion<'_>,
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<RangePage<'a, RangeEntry<'a>>>> {
    question.check(root, limits)?;
    let mut stream = ProofStream::open(RANGE_ENVELOPE, proof, root.height, limits)?;
    let mut query = TreeQuery::range(question);
    let next = read_cut(&mut stream, &query)?;
    query.cut(next, question.reverse);
    let found = read_answers(root, stream, &query, ProofAnswers::new(0))?;
    let (mut entries, opened) = (found.entries, found.in_page);
    if question.reverse {
        entries.reverse();
    }
    Ok(Verified::by_verifier(RangePage { entries, next, opened }))
}

/// Verifies the number of keys between two bounds that have a value after the root's block.
///
/// Source: `test-vectors/spec/amb.md`, section 7.
pub fn verify_count(
    root: &TrustedRoot,
    question: &CountQuestion<'_>,
    proof: &[u8],
    limits: &Limits,
) -> Result<Verified<u64>> {
    question.check(root, limits)?;
    let stream = ProofStream::open(COUNT_ENVELOPE, proof, root.height, limits)?;
    let found = read_answers(root, stream, &TreeQuery::count(question), ProofAnswers::new(0))?;
    Ok(Verified::by_verifier(found.count))
}

/// Verifies the entries between two bounds, with everything that a replica needs, or the first page of
/// them.
///
/// Pages are those of [`verify_range`]. Source: `test-vectors/spec/amb.md`, section 7.
pub fn verify_transfer<'a>(
    root: &TrustedRoot,
    question: &TransferQuestion<'_>,
    proof: &'a [u8],
    limits: &Limits,
) -> Result<Verified<RangePage<'a, ReplicaEntry<'a>>>> {
    question.check(root, limits)?;
    let mut stream = ProofStream::open(TRANSFER_ENVELOPE, proof, root.height, limits)?;
    let mut query = TreeQuery::transfer(question);
    let next = read_cut(&mut stream, &query)?;
    query.cut(next, false);
    let found = read_answers(root, stream, &query, ProofAnswers::new(0))?;
    let (entries, opened) = (found.replicas, found.in_page);
    Ok(Verified::by_verifier(RangePage { entries, next, opened }))
}

/// Reads the cut of a page: none, or a bound within the range.
fn read_cut<'a>(stream: &mut ProofStream<'a>, range: &TreeQuery<'_>) -> Result<Option<&'a [u8]>> {
    match stream.byte()? {
        0 => return Ok(None),
        1 => {}
        flag => return Err(Error::new(Reason::InvalidEncoding, "a flag of 0 or 1", flag)),
    }
    let length = stream.integer()?;
    if length > MAX_BOUND_BYTES as u64 {
        let expected = format_args!("a bound of at most {MAX_BOUND_BYTES} bytes");
        return Err(Error::new(Reason::InvalidEncoding, expected, length));
    }
    let cut = stream.take(length)?;
    if cut <= range.first || range.end.is_some_and(|end| cut >= end) {
        return Err(Error::new(Reason::PageEnd, "a cut within the range", Hex(cut)));
    }
    Ok(Some(cut))
}

/// Reads the nodes up to the end of the proof, and checks that they have the trusted root.
pub(crate) fn read_answers<'a>(
    root: &TrustedRoot,
    mut stream: ProofStream<'a>,
    query: &TreeQuery<'_>,
    mut found: ProofAnswers<'a>,
) -> Result<ProofAnswers<'a>> {
    let node = read_nodes(&mut stream, query, &mut found)?;
    stream.finish()?;
    check_root(&root.hash, &node.state_root())?;
    Ok(found)
}

fn check_root(trusted: &Hash, found: &Hash) -> Result<()> {
    if trusted == found {
        return Ok(());
    }
    Err(Error::new(Reason::RootMismatch, Hex(trusted), Hex(found)))
}

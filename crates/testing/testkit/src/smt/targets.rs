//! The fuzz targets; a panic is a finding.

use arbitrary::{Result, Unstructured};
use prooflight_core::Limits;
use prooflight_smt::{ClaimedHistory, verify, verify_diff};

use super::draw::{chain, key, mutate};
use super::judge::{ChainQuestion, assert_is_refusal};
use super::plain::PlainTree;
use crate::replay::FuzzTarget;

/// The targets, by name.
pub const TARGETS: [(&str, FuzzTarget); 3] =
    [("smt_proof", smt_proof), ("smt_history", smt_history), ("smt_diff", smt_diff)];

/// Verifies proofs of keys: changed ones, those of other blocks and keys, and arbitrary bytes.
pub fn smt_proof(u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 8)? {
        let (height, root) = (u.int_in_range(0..=1 << 52)?, u.arbitrary()?);
        let keys = [&b"a"[..], b"b", b"c"];
        if let Err(error) = verify(&root, height, &keys, &any_message(u, 1)?, &Limits::DEFAULT)
            && height < 1 << 52
        {
            assert_is_refusal(&error);
        }
        return Ok(());
    }
    let (plain, blocks) = chain(u)?;
    let question = |u: &mut Unstructured<'_>| {
        let keys = (0..u.int_in_range(1..=5)?).map(|_| key(u, 50)).collect::<Result<_>>()?;
        Ok(ChainQuestion::Keys { height: u.int_in_range(0..=blocks)?, keys })
    };
    judge(u, &plain, question)
}

/// Verifies histories: changed ones, those of other ranges and keys, and arbitrary bytes.
pub fn smt_history(u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 8)? {
        let (from, to) = (u.int_in_range(0..=8)?, u.int_in_range(8..=1000)?);
        let (key, proof, limits) = (b"key", any_message(u, 2)?, Limits::DEFAULT);
        let claimed = ClaimedHistory::decode(key, from, to, &proof, &limits);
        let Ok(blocks) = claimed.blocks() else { return Ok(()) };
        let root = u.arbitrary()?;
        let roots: Vec<_> = blocks.iter().map(|&height| (height, root)).collect();
        if let Err(error) = claimed.verify(&roots) {
            assert_is_refusal(&error);
        }
        return Ok(());
    }
    let (plain, blocks) = chain(u)?;
    let question = |u: &mut Unstructured<'_>| {
        let from = u.int_in_range(0..=blocks)?;
        Ok(ChainQuestion::History { key: key(u, 5)?, from, to: u.int_in_range(from..=blocks)? })
    };
    judge(u, &plain, question)
}

/// Verifies diffs: changed ones, those of other ranges, and arbitrary bytes.
pub fn smt_diff(u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 8)? {
        let (root, proof) = (u.arbitrary()?, any_message(u, 3)?);
        let from = u.arbitrary::<Option<u8>>()?.map(u64::from);
        if let Err(error) = verify_diff(&root, from, 1000, &proof, &Limits::DEFAULT) {
            assert_is_refusal(&error);
        }
        return Ok(());
    }
    let (plain, blocks) = chain(u)?;
    let question = |u: &mut Unstructured<'_>| {
        let to = u.int_in_range(1..=blocks)?;
        let from = if u.arbitrary()? { Some(u.int_in_range(0..=to - 1)?) } else { None };
        Ok(ChainQuestion::Diff { from, to })
    };
    judge(u, &plain, question)
}

/// Checks that an honest proof is accepted, and a changed one, or one of another question, only if it is the same.
fn judge(
    u: &mut Unstructured<'_>,
    plain: &PlainTree,
    question: impl Fn(&mut Unstructured<'_>) -> Result<ChainQuestion>,
) -> Result<()> {
    let (asked, other) = (question(u)?, question(u)?);
    let honest = asked.prove(plain);
    asked.judge(plain, &honest).expect("an honest proof");
    let mut changed = if u.ratio(1, 4)? { other.prove(plain) } else { honest };
    for _ in 0..u.int_in_range(0..=3)? {
        mutate(u, &mut changed)?;
    }
    let _ = asked.judge(plain, &changed);
    Ok(())
}

fn any_message(u: &mut Unstructured<'_>, kind: u8) -> Result<Vec<u8>> {
    let length = u.arbitrary_len::<u8>()?;
    Ok([&[1, 3, kind], u.bytes(length)?].concat())
}

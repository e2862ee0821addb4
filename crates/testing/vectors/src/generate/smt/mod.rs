//! `smt/*.json`: proofs, histories and diffs of a plain tree.

pub(super) mod diff;
pub(super) mod history;
pub(super) mod proof;
mod skipped;

use prooflight_json::{Hash32, HexBytes, Quantity};
pub(super) use prooflight_testkit::smt::plain;
use serde_json::{Value, json};

use self::plain::{BlockOp, PlainTree};
use super::rng::Rng;
use crate::limits::{CallerLimits, HistoryLimits};
use crate::smt::{BlockRoot, SmtDiff, SmtHistory, SmtProof};

/// A number as a key: two bytes, so that no key is a prefix of another.
fn key(number: u16) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

fn set(number: u16, value: &[u8]) -> BlockOp {
    (key(number), Some(value.to_vec()))
}

fn delete(number: u16) -> BlockOp {
    (key(number), None)
}

/// The chain of most tests: 17 keys, some of which change again; two are deleted, and one of these is set again.
///
/// Only the blocks 1, 2, 5, 6 and 8 change anything; block 9 does not.
fn sample() -> PlainTree {
    let mut plain = PlainTree::default();
    plain.apply(1, [set(16, b"sixteen")]);
    plain.apply(2, (0..16).map(|number| set(number, &number.to_be_bytes())));
    plain.apply(5, (0..8).map(|number| set(number, b"five")));
    plain.apply(6, [delete(3), delete(4), set(1, b"")]);
    plain.apply(8, [set(1, b"five"), set(4, b"again")]);
    plain
}

/// Random keys and values in `blocks` blocks, each of which sets, changes and deletes some.
fn random(rng: &mut Rng, blocks: u64, keys: usize) -> PlainTree {
    let mut plain = PlainTree::default();
    for height in 0..blocks {
        let count = rng.below(keys);
        let ops: Vec<BlockOp> = (0..count)
            .map(|_| {
                let number = u16::try_from(rng.below(keys)).expect("few keys");
                let length = rng.below(40);
                let value = rng.bytes(length);
                (key(number), (rng.below(4) > 0).then_some(value))
            })
            .collect();
        plain.apply(height, ops);
    }
    plain
}

/// `count` keys with empty values, set in the blocks 0 to 2 in turn.
fn many_leaves(count: u16) -> (PlainTree, Vec<Vec<u8>>) {
    let mut plain = PlainTree::default();
    for height in 0..3 {
        let numbers = (0..count).filter(|number| u64::from(number % 3) == height);
        plain.apply(height, numbers.map(|number| set(number, b"")));
    }
    (plain, (0..count).map(key).collect())
}

/// The honest proof of keys at a block.
fn ask_keys(plain: &PlainTree, height: u64, keys: &[Vec<u8>]) -> SmtProof {
    with_proof(plain, height, keys, plain.prove(height, keys))
}

fn with_proof(plain: &PlainTree, height: u64, keys: &[Vec<u8>], proof: Vec<u8>) -> SmtProof {
    SmtProof {
        root: Hash32(plain.root(height)),
        height: Quantity(height),
        keys: keys.iter().cloned().map(HexBytes).collect(),
        proof: HexBytes(proof),
        limits: None,
    }
}

/// The honest history of a key, with the roots that it needs.
fn ask_history(plain: &PlainTree, key: &[u8], from: u64, to: u64) -> SmtHistory {
    let blocks = plain.history_blocks(key, from, to);
    SmtHistory {
        key: HexBytes(key.to_vec()),
        from: Quantity(from),
        to: Quantity(to),
        roots: roots(plain, &blocks),
        proof: HexBytes(plain.prove_history(key, from, to)),
        average: None,
        limits: None,
    }
}

fn roots(plain: &PlainTree, blocks: &[u64]) -> Vec<BlockRoot> {
    let roots = plain.roots(blocks).into_iter();
    roots.map(|(height, root)| BlockRoot { height: Quantity(height), root: Hash32(root) }).collect()
}

/// The honest diff.
fn ask_diff(plain: &PlainTree, from: Option<u64>, to: u64) -> SmtDiff {
    SmtDiff {
        from: from.map(Quantity),
        to: Quantity(to),
        root: Hash32(plain.root(to)),
        proof: HexBytes(plain.prove_diff(from, to)),
        limits: None,
    }
}

/// The state of a key at a block, from the list of its changes.
fn state_json(plain: &PlainTree, key: &[u8], height: u64) -> Value {
    match plain.last_change(key, height) {
        Some((since, Some(value))) => {
            json!({ "value": HexBytes(value.to_vec()), "since": Quantity(since) })
        }
        Some((at, None)) => json!({ "deletedAt": Quantity(at) }),
        None => json!({}),
    }
}

/// The limits of a history.
fn history_limits(
    bytes: Option<usize>,
    value: Option<usize>,
    changes: Option<usize>,
) -> HistoryLimits {
    HistoryLimits {
        max_proof_bytes: bytes,
        max_keys: None,
        max_value_bytes: value,
        max_changes: changes,
    }
}

const fn limits(bytes: Option<usize>, keys: Option<usize>, value: Option<usize>) -> CallerLimits {
    CallerLimits { max_proof_bytes: bytes, max_keys: keys, max_value_bytes: value }
}

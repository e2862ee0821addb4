//! Keys that lead to the same node although they differ in bits that its path skips.
//!
//! The tree's two keys begin with the bits 10 and 11, so that its only branch is at depth 1. The other requested
//! keys begin with 00 and 01: they also lead below the branch, and precede the tree's keys in the order of hashes.

use prooflight_smt::hash::hash_key;

use super::plain::{PlainTree, bit};
use super::proof::honest;
use super::{ask_keys, key, set};
use crate::generate::builder::FileBuilder;

/// A key whose hash begins with these bits.
fn beginning(bits: [u8; 2]) -> u16 {
    let fits = |number: &u16| {
        let hash = hash_key(&key(*number));
        [bit(&hash, 0), bit(&hash, 1)] == bits
    };
    (0..u16::MAX).find(fits).expect("one key of four")
}

fn tree() -> PlainTree {
    let mut plain = PlainTree::default();
    plain.apply(2, [set(beginning([1, 0]), b"left"), set(beginning([1, 1]), b"right")]);
    plain
}

pub(super) fn right(file: &mut FileBuilder) {
    let plain = tree();
    for (comment, asked) in [
        ("an absent key on the right, before the left one", &[[0, 1], [1, 0]][..]),
        ("an absent key on the right, before both", &[[0, 1], [1, 0], [1, 1]]),
        ("an absent key on the left, before the right one", &[[0, 0], [1, 1]]),
        ("absent keys on both sides, before the tree's", &[[0, 0], [0, 1], [1, 0], [1, 1]]),
        ("only absent keys, on both sides", &[[0, 0], [0, 1]]),
    ] {
        let keys: Vec<_> = asked.iter().map(|bits| key(beginning(*bits))).collect();
        let comment = format!("keys that differ in a skipped bit: {comment}");
        honest(file, &[], &comment, &plain, &ask_keys(&plain, 2, &keys));
    }
}

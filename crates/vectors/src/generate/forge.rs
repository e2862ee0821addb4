//! Batches put together by hand.

use super::anatomy::{Node, Proof, Side};
use super::dictionary::{Dictionary, insert, lookup, remove};
use crate::avl::{Batch, BatchMode, Op};
use crate::carrier::Hex;
use prooflight_core::blake2b256;

/// Eight one-byte keys: nine leaves, so that operations leave most of the tree as labels.
pub(super) fn eight_keys() -> Dictionary {
    Dictionary::of_bytes([0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80])
}

/// The whole tree of a dictionary of one-byte keys.
pub(super) fn whole_tree(dictionary: &Dictionary) -> Node {
    let all = (1..=0xfe).map(|key| lookup([key])).collect::<Vec<_>>();
    taken_apart(&dictionary.prove(&all).0).root
}

/// An honest batch that needs many kinds of nodes: a deletion, an insertion, an absent key.
pub(super) fn mixed_batch() -> Batch {
    let dictionary = Dictionary::of_bytes([0x10, 0x20, 0x30, 0x40, 0x50]);
    dictionary.prove(&[remove([0x20]), insert([0x28], [0x99]), lookup([0x60])]).0
}

pub(super) fn taken_apart(batch: &Batch) -> Proof {
    Proof::parse(&batch.proof.0, batch.key_length, batch.value_length)
}

pub(super) fn with_proof(batch: &Batch, proof: Vec<u8>) -> Batch {
    Batch { proof: Hex(proof), ..batch.clone() }
}

pub(super) fn with_ops(batch: &Batch, ops: &[Op]) -> Batch {
    Batch { ops: ops.to_vec(), ..batch.clone() }
}

pub(super) fn with_digest(batch: &Batch, digest: Vec<u8>) -> Batch {
    Batch { digest: Hex(digest), ..batch.clone() }
}

pub(super) fn compat(batch: &Batch) -> Batch {
    Batch { mode: BatchMode::Compat, ..batch.clone() }
}

/// A batch of our own making over the whole of `proof.root`, with the digest that fits.
pub(super) fn hostile_batch(proof: &Proof, key_length: usize, height: u8, ops: &[Op]) -> Batch {
    Batch {
        key_length,
        value_length: proof.value_length,
        digest: Hex(proof.root.digest(height)),
        ops: ops.to_vec(),
        proof: Hex(proof.bytes()),
        mode: BatchMode::Strict,
        limits: None,
    }
}

pub(super) const LEFT: Side = Side::Left;
pub(super) const RIGHT: Side = Side::Right;

/// The nodes and the root label of a tree whose every internal node has a leaf on the other side.
pub(super) fn spine(side: Side, levels: usize) -> (Vec<Vec<u8>>, [u8; 32]) {
    // The first leaf covers 00 to 80, all others nothing.
    let first = blake2b256(&[&[0], &[0], &[0x80]]);
    let other = blake2b256(&[&[0], &[0x80], &[0x80]]);
    let first_bytes = vec![2, 0, 0x80];
    let other_bytes = vec![2, 0x80];
    let internal = vec![if side == LEFT { 0xff } else { 1 }];
    let mut tokens = vec![first_bytes];
    let mut root = if side == LEFT { first } else { other };
    match side {
        Side::Left => {
            for _ in 0..levels {
                tokens.extend([other_bytes.clone(), internal.clone()]);
                root = blake2b256(&[&[1], &internal, &root, &other]);
            }
        }
        Side::Right => {
            tokens.extend(vec![other_bytes; levels]);
            tokens.extend(vec![internal.clone(); levels]);
            for level in (0..levels).rev() {
                let left = if level == 0 { &first } else { &other };
                root = blake2b256(&[&[1], &internal, left, &root]);
            }
        }
    }
    (tokens, root)
}

//! The AVL+ state of the reference node's chains: raw keys, and whole blocks.
//!
//! Source: `test-vectors/spec/chain.md`, sections 5, 7 and 8.

use alloc::vec::Vec;

use prooflight_core::chain::{ChainLimits, Header, StateOperation, operations_root, state_key};
use prooflight_core::{Error, Hex, Limits, Reason, Result, Scheme, Verified, order};

use crate::hash::LabelPreimage;
use crate::verify::verify_lookups;
use crate::{Digest, LABEL_LENGTH, OldValue, Operation, Params, verify_batch};

/// Bytes of a key of the dictionary: the hash of a raw key.
const STATE_KEY_BYTES: usize = 32;

/// The dictionary's parameters: keys of 32 bytes and variable values, within the chain's limits.
pub fn state_params(limits: &ChainLimits) -> Params {
    let most = |limit: u32| usize::try_from(limit).unwrap_or(usize::MAX);
    let params = Params::new(STATE_KEY_BYTES, None).with_max_operations(most(limits.max_ops));
    let limits = Limits { max_value_bytes: most(limits.max_value), ..params.limits };
    Params { limits, ..params }
}

/// The digest of the state before block 0: that of a dictionary without keys.
pub fn empty_state() -> Digest {
    let leaf = LabelPreimage::Leaf {
        key: &[0; STATE_KEY_BYTES],
        value: &[],
        next_key: &[0xff; STATE_KEY_BYTES],
    };
    let mut digest = [0; 33];
    // The last byte is the height, which is 0.
    digest[..LABEL_LENGTH].copy_from_slice(&leaf.label());
    Digest(digest)
}

/// Verifies the values of raw keys in the state after an accepted block.
///
/// Returns the value of each key, in order; `None` for an absent key. A chain without the scheme is
/// `wrong_schemes`, a key longer than the chain allows is `key_length`, more keys than a proof or a block
/// of the chain may have are `too_many_operations`; other errors are those of [`verify_batch`].
pub fn verify_keys<'a>(
    header: &Header,
    keys: &[&[u8]],
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<Vec<Option<&'a [u8]>>>> {
    let digest = digest_of(header)?;
    limits.check_keys(keys)?;
    let hashes: Vec<_> = keys.iter().map(|key| state_key(key)).collect();
    let hashes: Vec<_> = hashes.iter().map(<[u8; STATE_KEY_BYTES]>::as_slice).collect();
    let params = state_params(limits);
    let max_keys = params.limits.max_keys.min(Limits::DEFAULT.max_keys);
    verify_lookups(&digest, &hashes, proof, &params.with_max_operations(max_keys))
}

/// The AVL+ digest of a header; `wrong_schemes` if it has none.
pub fn digest_of(header: &Header) -> Result<Digest> {
    Digest::try_from(header.expect_root(Scheme::Avl)?)
}

/// Verifies that a block's operations are those of its header, and lead from the state with this
/// digest to the header's state; returns the header's digest.
///
/// The caller must accept the header, which must follow the block of the given digest. Operations that
/// are not ascending by raw key, or beyond the chain's limits, are `invalid_block`; operations other
/// than those of the header are `operations_mismatch`; a delete of a key without a value is
/// `key_absent`; another root is `state_root_mismatch`; other errors are those of [`verify_batch`].
pub fn verify_block(
    before: &Digest,
    header: &Header,
    operations: &[StateOperation],
    proof: &[u8],
    limits: &ChainLimits,
) -> Result<Verified<Digest>> {
    check_form(operations, limits)?;
    let root = operations_root(operations);
    if root != header.ops_root {
        return Err(Error::new(Reason::OperationsMismatch, Hex(&header.ops_root), Hex(&root)));
    }
    let hashes: Vec<_> = operations.iter().map(|operation| state_key(operation.key())).collect();
    let hashed = order(hashes.len(), |a, b| hashes[a] < hashes[b]);
    let hashed: Vec<_> = hashed.into_iter().map(|at| (hashes[at], &operations[at])).collect();
    let batch: Vec<_> = hashed
        .iter()
        .map(|(key, operation)| match operation {
            StateOperation::Set { value, .. } => Operation::InsertOrUpdate { key, value },
            StateOperation::Delete { .. } => Operation::RemoveIfExists { key },
        })
        .collect();
    let verified = verify_batch(before, &batch, proof, &state_params(limits))?;
    for ((_, operation), result) in hashed.iter().zip(&verified.results) {
        if let (StateOperation::Delete { key }, OldValue::Absent(_)) = (operation, result) {
            let expected = format_args!("a value to delete of the key {}", Hex(key));
            return Err(Error::new(Reason::KeyAbsent, expected, "none"));
        }
    }
    let root = digest_of(header)?;
    if root != verified.digest {
        return Err(Error::new(Reason::StateRootMismatch, root, verified.digest));
    }
    Ok(Verified::by_verifier(root))
}

/// Checks the form of a block's operations, which needs no header.
fn check_form(operations: &[StateOperation], limits: &ChainLimits) -> Result<()> {
    let wrong = |expected: &dyn core::fmt::Display, found: &dyn core::fmt::Display| {
        Err(Error::new(Reason::InvalidBlock, expected, found))
    };
    if operations.len() as u64 > limits.max_ops.into() {
        return wrong(&format_args!("at most {} operations", limits.max_ops), &operations.len());
    }
    if !operations.is_sorted_by(|a, b| a.key() < b.key()) {
        return wrong(&"operations in strictly ascending order of their keys", &"another order");
    }
    for operation in operations {
        if operation.key().len() > usize::from(limits.max_key) {
            let found = operation.key().len();
            return wrong(&format_args!("keys of at most {} bytes", limits.max_key), &found);
        }
        match operation {
            StateOperation::Set { value, .. } if value.len() as u64 > limits.max_value.into() => {
                let most = limits.max_value;
                return wrong(&format_args!("values of at most {most} bytes"), &value.len());
            }
            _ => {}
        }
    }
    Ok(())
}

//! The AVL+ state of the reference node's chains: raw keys, and whole blocks.
//!
//! Source: `test-vectors/spec/chain.md`, sections 5, 7 and 8.

use alloc::vec::Vec;

use prooflight_core::chain::{ChainLimits, Header, StateOperation, operations_root, state_key};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Scheme, Verified};

use crate::{Digest, OldValue, Operation, Params, Value, verify_batch};

/// The dictionary's parameters: keys of 32 bytes and variable values, within the chain's limits.
pub fn state_params(limits: &ChainLimits) -> Params {
    let most = |limit: u32| usize::try_from(limit).unwrap_or(usize::MAX);
    let params = Params::new(32, None).with_max_operations(most(limits.max_ops));
    let limits = Limits { max_value_bytes: most(limits.max_value), ..params.limits };
    Params { limits, ..params }
}

/// Raw keys to ask for, as the dictionary has them.
#[derive(Clone, Debug)]
pub struct StateKeys(Vec<Hash>);

impl StateKeys {
    /// Keys in the order in which they are asked; `key_length` if one is longer than the chain allows.
    pub fn new(keys: &[impl AsRef<[u8]>], limits: &ChainLimits) -> Result<Self> {
        let max = usize::from(limits.max_key);
        let key_of = |key: &[u8]| match key.len() {
            length if length <= max => Ok(state_key(key)),
            length => Err(Error::new(
                Reason::KeyLength,
                format_args!("at most {max} bytes"),
                format_args!("{length} bytes"),
            )),
        };
        keys.iter().map(|key| key_of(key.as_ref())).collect::<Result<_>>().map(Self)
    }
}

/// Verifies the values of keys in the state with this digest, or that they are absent.
///
/// More keys than a proof or a block of the chain may have are `too_many_operations`; a proof is
/// refused as by [`verify_batch`].
pub fn verify_state<'a>(
    digest: &Digest,
    keys: &'a StateKeys,
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<Vec<Option<Value<'a>>>>> {
    let params = state_params(limits);
    let max_keys = params.limits.max_keys.min(Limits::DEFAULT.max_keys);
    let lookups: Vec<_> = keys.0.iter().map(|key| Operation::Lookup { key }).collect();
    let batch = verify_batch(digest, &lookups, proof, &params.with_max_operations(max_keys))?;
    let values = batch.results.iter().map(|result| result.value().copied());
    Ok(Verified::by_verifier(values.collect()))
}

/// Verifies that a block's operations are those of its header, and lead from the state with this
/// digest to the one that the header has; returns that digest.
///
/// The header must be one that the caller accepts, and follow the one whose digest is given.
/// Operations that are not ascending by raw key, or beyond the chain's limits, are `invalid_block`;
/// others than those of the header `operations_mismatch`; a delete of a key that has no value is
/// `key_absent`; other roots are `state_root_mismatch`; a proof is refused as by [`verify_batch`].
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
    let mut hashed: Vec<_> =
        operations.iter().map(|operation| (state_key(operation.key()), operation)).collect();
    hashed.sort_unstable_by_key(|(key, _)| *key);
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
    match header.root(Scheme::Avl) {
        Some(root) if root == verified.digest.0 => Ok(Verified::by_verifier(verified.digest)),
        Some(root) => Err(Error::new(Reason::StateRootMismatch, Hex(root), verified.digest)),
        None => Err(Error::new(Reason::WrongSchemes, "a header with an avl root", "none")),
    }
}

/// What can be said about a block's operations without its header.
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

//! What a block's operations come down to. Source: `test-vectors/SPEC.md` section 9.5.

use std::collections::BTreeMap;

use prooflight_core::chain::{ChainLimits, StateOperation};
use prooflight_core::{Error, Reason, Result};

use crate::block::{MAX_BYTES, bytes_of};

/// Normalises the operations of a block: at most one a key, ascending by key.
///
/// The last operation on a key wins; then the delete of a key that had no value before the block is
/// dropped. `is_live` says whether a key had one. A longer key or value than the chain allows is
/// `key_length` or `value_length`, more operations than a block may hold `too_many_operations`.
pub fn normalise(
    operations: impl IntoIterator<Item = StateOperation>,
    limits: &ChainLimits,
    mut is_live: impl FnMut(&[u8]) -> Result<bool>,
) -> Result<Vec<StateOperation>> {
    let mut last = BTreeMap::new();
    for operation in operations {
        check(&operation, limits)?;
        last.insert(operation.key().to_vec(), operation);
    }
    let mut normal = Vec::with_capacity(last.len());
    for (key, operation) in last {
        let has_effect = match operation {
            StateOperation::Set { .. } => true,
            StateOperation::Delete { .. } => is_live(&key)?,
        };
        if has_effect {
            normal.push(operation);
        }
    }
    let max = usize::try_from(limits.max_ops).unwrap_or(usize::MAX);
    if normal.len() > max {
        return Err(Error::new(
            Reason::TooManyOperations,
            format_args!("at most {max}"),
            normal.len(),
        ));
    }
    Ok(normal)
}

/// Checks one operation against the limits of its chain.
pub fn check(operation: &StateOperation, limits: &ChainLimits) -> Result<()> {
    check_key(operation.key(), limits)?;
    match operation {
        StateOperation::Set { value, .. } if value.len() as u64 > limits.max_value.into() => {
            Err(Error::new(
                Reason::ValueLength,
                format_args!("at most {} bytes", limits.max_value),
                format_args!("{} bytes", value.len()),
            ))
        }
        _ => Ok(()),
    }
}

/// Checks a raw key against the limits of its chain.
pub fn check_key(key: &[u8], limits: &ChainLimits) -> Result<()> {
    if key.len() <= usize::from(limits.max_key) {
        return Ok(());
    }
    Err(Error::new(
        Reason::KeyLength,
        format_args!("at most {} bytes", limits.max_key),
        format_args!("{} bytes", key.len()),
    ))
}

/// Checks that operations can go into a block, before they are normalised; more bytes than a block
/// may have are `request_too_large`.
pub fn check_all(operations: &[StateOperation], limits: &ChainLimits) -> Result<()> {
    if operations.len() as u64 > limits.max_ops.into() {
        return Err(Error::new(
            Reason::TooManyOperations,
            format_args!("at most {}", limits.max_ops),
            operations.len(),
        ));
    }
    check_bytes(operations)?;
    operations.iter().try_for_each(|operation| check(operation, limits))
}

/// Checks that a block with these operations fits into a reply.
pub(crate) fn check_bytes(operations: &[StateOperation]) -> Result<()> {
    let bytes: usize = operations.iter().map(bytes_of).sum();
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let expected = format_args!("operations of at most {MAX_BYTES} bytes");
    Err(Error::new(Reason::RequestTooLarge, expected, bytes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests say what they expect by panicking")]
mod tests {
    use super::*;

    fn set(key: &str, value: &str) -> StateOperation {
        StateOperation::Set { key: key.into(), value: value.into() }
    }

    fn delete(key: &str) -> StateOperation {
        StateOperation::Delete { key: key.into() }
    }

    const LIMITS: ChainLimits = ChainLimits { max_key: 3, max_value: 4, max_ops: 2 };

    fn normal(operations: Vec<StateOperation>) -> Result<Vec<StateOperation>> {
        normalise(operations, &LIMITS, |key| Ok(key == b"old"))
    }

    #[test]
    fn the_last_one_on_a_key_wins_and_keys_ascend() {
        let given = vec![set("b", "1"), set("a", "2"), set("b", "3")];
        assert_eq!(normal(given), Ok(vec![set("a", "2"), set("b", "3")]));
        assert_eq!(normal(vec![delete("b"), set("b", "")]), Ok(vec![set("b", "")]));
    }

    #[test]
    fn only_keys_with_a_value_before_the_block_are_deleted() {
        assert_eq!(normal(vec![delete("old"), delete("new")]), Ok(vec![delete("old")]));
        assert_eq!(normal(vec![set("new", "1"), delete("new")]), Ok(vec![]));
        assert_eq!(normal(vec![set("old", "1"), delete("old")]), Ok(vec![delete("old")]));
    }

    #[test]
    fn limits_are_those_of_the_chain() {
        let reason = |operations| normal(operations).unwrap_err().reason();
        assert_eq!(reason(vec![set("long", "")]), Reason::KeyLength);
        assert_eq!(reason(vec![delete("long")]), Reason::KeyLength);
        assert_eq!(reason(vec![set("a", "12345")]), Reason::ValueLength);
        assert_eq!(
            reason(vec![set("a", ""), set("b", ""), set("c", "")]),
            Reason::TooManyOperations
        );
        // What counts is what is left.
        assert!(normal(vec![set("a", ""), set("b", "1234"), set("b", ""), delete("c")]).is_ok());
    }
}

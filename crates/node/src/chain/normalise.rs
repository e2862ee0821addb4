//! Normalises the operations of a block. Source: `test-vectors/spec/chain.md`, section 5.

use std::collections::BTreeMap;

use prooflight_core::chain::{ChainConfig, ChainLimits, StateOperation};
use prooflight_core::store::ReadStore;
use prooflight_core::{Error, Reason, Result};

use crate::chain::accounts;
use crate::chain::block::{MAX_BLOCK_BYTES, operation_bytes};

/// Normalises the operations of a block: at most one per key, ascending by key.
///
/// The last operation on a key wins; then deletes of keys that had no value before the block are
/// dropped. On a chain with `mpt`, a slot that is set to zero is deleted, and so are the slots of a
/// deleted account. `state` has the raw keys with their values before the block. A key or value longer
/// than the chain allows is `key_length` or `value_length`; more operations than a block may hold are
/// `too_many_operations`. Normalising is idempotent.
pub fn normalise(
    operations: impl IntoIterator<Item = StateOperation>,
    config: &ChainConfig,
    state: &impl ReadStore,
) -> Result<Vec<StateOperation>> {
    let has_accounts = accounts::has_accounts(config);
    let max = usize::try_from(config.limits.max_ops).unwrap_or(usize::MAX);
    let mut last = BTreeMap::new();
    for operation in operations {
        check(&operation, config)?;
        let operation = if has_accounts { accounts::without_zero(operation) } else { operation };
        last.insert(operation.key().to_vec(), operation);
    }
    if has_accounts {
        accounts::delete_slots(&mut last, max, state)?;
    }
    let mut normal = Vec::with_capacity(last.len());
    for (key, operation) in last {
        let has_effect = match operation {
            StateOperation::Set { .. } => true,
            StateOperation::Delete { .. } => state.get(&key)?.is_some(),
        };
        if has_effect {
            normal.push(operation);
        }
    }
    if normal.len() > max {
        return Err(Error::new(
            Reason::TooManyOperations,
            format_args!("at most {max}"),
            normal.len(),
        ));
    }
    Ok(normal)
}

/// Checks one operation against the limits of its chain and, on a chain with `mpt`, that it is about an
/// account or a slot.
pub fn check(operation: &StateOperation, config: &ChainConfig) -> Result<()> {
    let limits = &config.limits;
    check_key(operation.key(), limits)?;
    match operation {
        StateOperation::Set { value, .. } if value.len() as u64 > limits.max_value.into() => {
            return Err(Error::new(
                Reason::ValueLength,
                format_args!("at most {} bytes", limits.max_value),
                format_args!("{} bytes", value.len()),
            ));
        }
        _ => {}
    }
    if accounts::has_accounts(config) { accounts::check(operation) } else { Ok(()) }
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

/// Checks, before normalising, that a block can hold the operations; `request_too_large` if they have more bytes
/// than a block may.
pub fn check_all(operations: &[StateOperation], config: &ChainConfig) -> Result<()> {
    let most = config.limits.max_ops;
    if operations.len() as u64 > most.into() {
        return Err(Error::new(
            Reason::TooManyOperations,
            format_args!("at most {most}"),
            operations.len(),
        ));
    }
    check_bytes(operations)?;
    operations.iter().try_for_each(|operation| check(operation, config))
}

/// Checks that a block with these operations fits into a reply.
pub(crate) fn check_bytes(operations: &[StateOperation]) -> Result<()> {
    let bytes: usize = operations.iter().map(operation_bytes).sum();
    if bytes <= MAX_BLOCK_BYTES {
        return Ok(());
    }
    let expected = format_args!("operations of at most {MAX_BLOCK_BYTES} bytes");
    Err(Error::new(Reason::RequestTooLarge, expected, bytes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use prooflight_core::Scheme;
    use prooflight_core::store::{MemoryStore, Store as _, WriteBatch};

    fn set(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> StateOperation {
        StateOperation::Set { key: key.into(), value: value.into() }
    }

    fn delete(key: impl Into<Vec<u8>>) -> StateOperation {
        StateOperation::Delete { key: key.into() }
    }

    fn config(scheme: Scheme, limits: ChainLimits) -> ChainConfig {
        ChainConfig {
            version: ChainConfig::VERSION,
            chain_id: String::new(),
            schemes: vec![prooflight_core::chain::SchemeConfig::without_params(scheme)],
            authorities: vec![],
            quorum: 0,
            limits,
            genesis_timestamp_ms: 0,
        }
    }

    fn state<K: Into<Vec<u8>>>(keys: impl IntoIterator<Item = K>) -> MemoryStore {
        let (mut store, mut batch) = (MemoryStore::default(), WriteBatch::new());
        keys.into_iter().for_each(|key| batch.put(key, *b"1"));
        store.write(batch).unwrap();
        store
    }

    const LIMITS: ChainLimits = ChainLimits { max_key: 3, max_value: 4, max_ops: 2 };

    fn normal(operations: Vec<StateOperation>) -> Result<Vec<StateOperation>> {
        normalise(operations, &config(Scheme::Avl, LIMITS), &state(["old"]))
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
        // Only the normalised operations count.
        assert!(normal(vec![set("a", ""), set("b", "1234"), set("b", ""), delete("c")]).is_ok());
    }

    /// RLP([1, 2, 32 bytes]).
    fn account() -> Vec<u8> {
        [&[0xe3, 1, 2, 0xa0][..], &[9; 32]].concat()
    }

    fn slot(address: u8, slot: u8) -> Vec<u8> {
        [vec![address; 20], vec![slot; 32]].concat()
    }

    /// On a chain where accounts 1 and 0xff have slots, and account 2 has none.
    fn of_accounts(operations: Vec<StateOperation>) -> Result<Vec<StateOperation>> {
        let limits = ChainLimits { max_ops: 4, ..ChainLimits::default() };
        let config = config(Scheme::Mpt, limits);
        let accounts = [vec![1; 20], vec![2; 20], vec![0xff; 20]];
        let slots = [slot(1, 0), slot(1, 7), slot(1, 0xff), slot(0xff, 0), slot(0xff, 0xff)];
        let state = state(accounts.into_iter().chain(slots));
        let normal = normalise(operations, &config, &state)?;
        // Replicas rely on this: normalising is idempotent.
        assert_eq!(normalise(normal.clone(), &config, &state), Ok(normal.clone()));
        Ok(normal)
    }

    #[test]
    fn a_slot_that_is_set_to_zero_is_deleted() {
        for zero in [vec![], vec![0], vec![0; 32], vec![0; 40]] {
            let given = vec![set(slot(1, 7), zero.clone()), set(slot(2, 7), zero)];
            assert_eq!(of_accounts(given), Ok(vec![delete(slot(1, 7))]));
        }
        let given = vec![set(slot(1, 7), [0]), set(slot(1, 7), [5])];
        assert_eq!(of_accounts(given), Ok(vec![set(slot(1, 7), [5])]));
    }

    #[test]
    fn the_slots_of_a_deleted_account_are_deleted() {
        let deleted =
            vec![delete([1; 20]), delete(slot(1, 0)), delete(slot(1, 7)), delete(slot(1, 0xff))];
        assert_eq!(of_accounts(vec![delete([1; 20])]), Ok(deleted.clone()));
        assert_eq!(of_accounts(vec![delete(slot(1, 7)), delete([1; 20])]), Ok(deleted));
        let last = vec![delete([0xff; 20]), delete(slot(0xff, 0)), delete(slot(0xff, 0xff))];
        assert_eq!(of_accounts(vec![delete([0xff; 20])]), Ok(last));
        assert_eq!(of_accounts(vec![delete([2; 20])]), Ok(vec![delete([2; 20])]));
        assert_eq!(of_accounts(vec![delete([3; 20])]), Ok(vec![]));
        // The last operation on the account sets it again.
        let given = vec![delete([1; 20]), set([1; 20], account())];
        assert_eq!(of_accounts(given), Ok(vec![set([1; 20], account())]));
        // An operation on a slot stays; the missing account is detected when it is applied.
        let given = vec![delete([0xff; 20]), set(slot(0xff, 0), [5])];
        let kept = vec![delete([0xff; 20]), set(slot(0xff, 0), [5]), delete(slot(0xff, 0xff))];
        assert_eq!(of_accounts(given), Ok(kept));
        // Four and three operations are more than four.
        let refused = of_accounts(vec![delete([1; 20]), delete([0xff; 20])]).unwrap_err();
        assert_eq!(refused.reason(), Reason::TooManyOperations);
    }

    #[test]
    fn keys_and_values_are_those_of_accounts_and_slots() {
        let reason = |operation| of_accounts(vec![operation]).unwrap_err().reason();
        assert!(of_accounts(vec![set([3; 20], account()), set(slot(3, 1), [1; 32])]).is_ok());
        for length in [0, 19, 21, 51, 53] {
            assert_eq!(reason(set(vec![1; length], account())), Reason::KeyLength);
            assert_eq!(reason(delete(vec![1; length])), Reason::KeyLength);
        }
        assert_eq!(reason(set([1; 20], "")), Reason::InvalidArgument);
        assert_eq!(reason(set([1; 20], [account(), vec![0]].concat())), Reason::InvalidArgument);
        assert_eq!(reason(set(slot(1, 1), [0, 1])), Reason::InvalidArgument);
        assert_eq!(reason(set(slot(1, 1), [1; 33])), Reason::InvalidArgument);
    }
}

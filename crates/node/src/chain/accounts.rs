//! Keys and values of a chain that has the scheme `mpt`: accounts and their slots.
//! Source: `test-vectors/spec/chain.md`, section 5.

use std::collections::BTreeMap;

use prooflight_core::chain::{ChainConfig, StateOperation};
use prooflight_core::store::{RawKeyChange, ReadStore};
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_mpt::{Address, StateChange};

/// Whether the keys of a chain are accounts and slots.
pub(crate) fn has_accounts(config: &ChainConfig) -> bool {
    config.keeps(Scheme::Mpt)
}

/// Checks that an operation has the form of an account or a slot; otherwise `key_length` or `invalid_argument`.
pub(crate) fn check(operation: &StateOperation) -> Result<()> {
    let RawKeyChange { key, value } = operation.into();
    StateChange::from_entry(key, value).map(|_| ())
}

/// Turns setting a slot to zero into deleting it.
pub(crate) fn without_zero(operation: StateOperation) -> StateOperation {
    match operation {
        StateOperation::Set { key, value }
            if is_slot(&key) && value.iter().all(|&byte| byte == 0) =>
        {
            StateOperation::Delete { key }
        }
        other => other,
    }
}

/// Deletes the slots of every deleted account, except those that another operation sets or deletes.
///
/// `state` has the raw keys before the block. `too_many_operations` if there are more slots than a block may
/// have operations: the slots must be deleted first, in earlier blocks.
pub(crate) fn delete_slots(
    last: &mut BTreeMap<Vec<u8>, StateOperation>,
    most: usize,
    state: &impl ReadStore,
) -> Result<()> {
    let is_deleted = |operation: &StateOperation| match operation {
        StateOperation::Delete { key } => Address::try_from(&key[..]).ok(),
        StateOperation::Set { .. } => None,
    };
    let deleted: Vec<Address> = last.values().filter_map(is_deleted).collect();
    let mut count = 0;
    for address in deleted {
        let (first, end) =
            ([&address[..], &[0; 32]].concat(), [&address[..], &[0xff; 33]].concat());
        for entry in state.range(&first, &end) {
            let (key, _) = entry?;
            count += 1;
            if count > most {
                let found = "more slots of deleted accounts";
                return Err(Error::new(
                    Reason::TooManyOperations,
                    format_args!("at most {most}"),
                    found,
                ));
            }
            last.entry(key).or_insert_with_key(|key| StateOperation::Delete { key: key.clone() });
        }
    }
    Ok(())
}

fn is_slot(key: &[u8]) -> bool {
    key.len() == 52
}

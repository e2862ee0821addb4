//! Checks a chain against its newest header, without executing blocks.

use std::collections::HashMap;

use prooflight_core::chain::StateOperation;
use prooflight_core::{Hash, Hex, Result, blake2b256};

use crate::chain::store::corrupt;
use crate::{BlockId, View};

/// The counts of what [`audit`] has checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// The blocks whose operations are kept.
    pub blocks: u64,
    /// The keys with a value; `None` if values were not checked, which needs every block.
    pub values: Option<u64>,
}

/// Checks every header of a chain and the operations of every kept block. If all blocks are kept, also checks that
/// their operations lead to the newest values.
///
/// Opening a chain has already compared the roots of its schemes with the newest header. `store_corrupt` if something
/// is missing or was changed. The roots of earlier blocks are not checked: that needs execution.
pub fn audit(view: &View) -> Result<AuditReport> {
    let head = &view.head().header;
    for height in 0..=head.height {
        let header = view.header(BlockId::Height(height))?;
        header.check_signed(view.config()).map_err(|error| {
            corrupt(format_args!("header {height} with {}", error.expected()), error.found())
        })?;
        view.header_path(height, head)?;
    }
    let oldest = view.oldest_block()?;
    let values = if oldest == 0 { Some(check_values(view)?) } else { None };
    if values.is_none() {
        // Reading a block compares its operations with its header.
        (oldest..=head.height)
            .try_for_each(|height| view.block(BlockId::Height(height)).map(drop))?;
    }
    Ok(AuditReport { blocks: head.height + 1 - oldest, values })
}

/// The number of values whose hashes one pass keeps in memory.
const VALUES_PER_PASS: u64 = 1 << 21;

/// Checks that the operations of all blocks lead to the newest values; returns the number of values.
fn check_values(view: &View) -> Result<u64> {
    let mut count = 0;
    for entry in view.entries() {
        entry?;
        count += 1;
    }
    let parts = count / VALUES_PER_PASS + 1;
    for part in 0..parts {
        check_part(view, parts, part)?;
    }
    Ok(count)
}

fn check_part(view: &View, parts: u64, part: u64) -> Result<()> {
    let is_in = |key: &[u8]| parts == 1 || part_of(key, parts) == part;
    let mut expected: HashMap<Vec<u8>, Hash> = HashMap::new();
    for height in 0..=view.height() {
        for operation in view.block(BlockId::Height(height))?.body.operations {
            match operation {
                StateOperation::Set { key, value } if is_in(&key) => {
                    expected.insert(key, blake2b256(&[&value]));
                }
                StateOperation::Delete { key } if is_in(&key) => {
                    expected.remove(&key);
                }
                _ => {}
            }
        }
    }
    for entry in view.entries() {
        let (key, value) = entry?;
        if is_in(&key) && expected.remove(&key) != Some(blake2b256(&[&value])) {
            let wanted = format_args!("the value of {} that results from the blocks", Hex(&key));
            return Err(corrupt(wanted, "another value"));
        }
    }
    match expected.keys().next() {
        None => Ok(()),
        Some(key) => Err(corrupt(format_args!("a value of {}", Hex(key)), "none")),
    }
}

fn part_of(key: &[u8], parts: u64) -> u64 {
    let hash = blake2b256(&[key]);
    hash.first_chunk().map_or(0, |first| u64::from_be_bytes(*first)) % parts
}

//! Receives the raw keys with their values, and compares them with the tree of `avl`, which has only hashes of keys.

use prooflight_core::chain::state_key;
use prooflight_core::store::StoreEntry;
use prooflight_core::{Error, Hex, Reason, Result, blake2b256};

use super::part::PartReceiver;
use super::trees::ValueHashes;
use super::{StatePart, decode};
use crate::chain::{EntryWriter, block};

pub(super) struct ValueReceiver {
    /// The values that have not arrived yet.
    missing: ValueHashes,
    /// The first key that may follow.
    next: Vec<u8>,
}

impl ValueReceiver {
    pub(super) const fn new(values: ValueHashes) -> Self {
        Self { missing: values, next: Vec::new() }
    }
}

impl PartReceiver for ValueReceiver {
    fn part(&self) -> StatePart {
        StatePart::Values
    }

    fn next(&self) -> Result<Option<Vec<u8>>> {
        Ok((!self.missing.is_empty()).then(|| self.next.clone()))
    }

    fn take(&mut self, chunk: &[u8], new: &mut EntryWriter) -> Result<()> {
        let values: Vec<StoreEntry> = decode(chunk)?;
        if values.is_empty() {
            let expected = format_args!("{} more values of the tree", self.missing.len());
            return Err(Error::new(Reason::RootMismatch, expected, "none"));
        }
        for (key, value) in &values {
            let is_known = self.missing.remove(&state_key(key)) == Some(blake2b256(&[value]));
            if *key < self.next || !is_known {
                let expected = "keys ascending, with the values of the tree";
                return Err(Error::new(Reason::RootMismatch, expected, Hex(key)));
            }
            self.next = [key, &[0][..]].concat();
        }
        new.add(values.into_iter().map(|(key, value)| (block::raw_key(&key), value)))
    }
}

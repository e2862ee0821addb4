//! Receives the raw keys with their values, and compares them with the tree of `avl`, which has only hashes of keys.

use prooflight_core::chain::state_key;
use prooflight_core::store::Entry;
use prooflight_core::{Error, Hex, Reason, Result, blake2b256};

use super::begin::Intake;
use super::trees::Values;
use super::{Part, decode};
use crate::block;
use crate::chain::Run;

pub(super) struct RawValues {
    /// The values that have not arrived yet.
    missing: Values,
    /// The first key that may follow.
    next: Vec<u8>,
}

impl RawValues {
    pub(super) const fn new(values: Values) -> Self {
        Self { missing: values, next: Vec::new() }
    }
}

impl Intake for RawValues {
    fn part(&self) -> Part {
        Part::Values
    }

    fn next(&self) -> Result<Option<Vec<u8>>> {
        Ok((!self.missing.is_empty()).then(|| self.next.clone()))
    }

    fn take(&mut self, chunk: &[u8], new: &mut Run) -> Result<()> {
        let values: Vec<Entry> = decode(chunk)?;
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

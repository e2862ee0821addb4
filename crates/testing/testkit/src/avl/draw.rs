//! Draws dictionary shapes, keys, values and operations from bytes, random or from a fuzzer.

use arbitrary::{Result, Unstructured};
use prooflight_avl::{Mode, Params};

use super::op::OwnedOperation;

/// The pinned parameters of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryShape {
    pub key_length: usize,
    pub value_length: Option<usize>,
}

impl EntryShape {
    pub const ALL: [Self; 8] = [
        Self { key_length: 1, value_length: None },
        Self { key_length: 1, value_length: Some(0) },
        Self { key_length: 1, value_length: Some(8) },
        Self { key_length: 2, value_length: Some(5) },
        Self { key_length: 8, value_length: None },
        Self { key_length: 8, value_length: Some(8) },
        Self { key_length: 32, value_length: None },
        Self { key_length: 32, value_length: Some(8) },
    ];

    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        u.choose(&Self::ALL).copied()
    }

    pub fn params(&self, mode: Mode) -> Params {
        Params::new(self.key_length, self.value_length).with_mode(mode)
    }

    /// One of 254 keys; some longer keys differ only after the first eight bytes.
    pub fn key(&self, number: u8) -> Vec<u8> {
        let number = number.clamp(1, 254);
        let mut key = vec![0; self.key_length];
        match &mut key[..] {
            [only] => *only = number,
            [first, .., last] => (*first, *last) = (number >> 4, number & 15),
            [] => {}
        }
        key
    }

    /// Draws one of the first few keys, so that operations affect each other.
    pub fn draw_key(&self, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
        let most = *u.choose(&[6, 30, 254])?;
        Ok(self.key(u.int_in_range(1..=most)?))
    }

    pub fn draw_value(&self, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
        let length = match self.value_length {
            Some(length) => length,
            None => *u.choose(&[0, 1, 7, 8, 8, 8, 9, 33])?,
        };
        let mut value = vec![0; length];
        let unlike = u.int_in_range(0..=7)? == 0;
        // Mostly small integers, so that additions succeed.
        let from = if unlike { 0 } else { length.saturating_sub(1).min(7) };
        u.fill_buffer(&mut value[from..])?;
        Ok(value)
    }

    pub fn draw_op(&self, u: &mut Unstructured<'_>) -> Result<OwnedOperation> {
        let key = self.draw_key(u)?;
        Ok(match u.int_in_range(0..=9)? {
            0 => OwnedOperation::Lookup(key),
            1 => OwnedOperation::Insert(key, self.draw_value(u)?),
            2 => OwnedOperation::Update(key, self.draw_value(u)?),
            3 | 4 => OwnedOperation::InsertOrUpdate(key, self.draw_value(u)?),
            5 => OwnedOperation::Remove(key),
            6 | 7 => OwnedOperation::RemoveIfExists(key),
            _ => OwnedOperation::UpdateLongBy(key, draw_delta(u)?),
        })
    }

    pub fn draw_ops(&self, u: &mut Unstructured<'_>, most: usize) -> Result<Vec<OwnedOperation>> {
        (0..u.int_in_range(0..=most)?).map(|_| self.draw_op(u)).collect()
    }
}

fn draw_delta(u: &mut Unstructured<'_>) -> Result<i64> {
    if u.int_in_range(0..=9)? == 0 {
        return u.choose(&[i64::MAX, i64::MIN, -i64::MAX]).copied();
    }
    u.int_in_range(-3..=3)
}

//! The records of a snapshot file: a key with its new value, or its deletion.

use alloc::vec::Vec;

use prooflight_core::{Error, Reason, Result};

/// The length of the key as u16, and of the value as u32.
pub(super) const RECORD_HEAD_BYTES: usize = 6;

/// Marks a deletion, in place of the value's length.
const DELETED: u32 = u32::MAX;

/// One change that a block makes to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The new value; `None` if the key is deleted.
    pub value: Option<&'a [u8]>,
}

impl<'a> Record<'a> {
    /// Returns `key_length` or `value_length` if the key or value does not fit in a record.
    pub(super) fn check(key: &[u8], value: Option<&[u8]>) -> Result<()> {
        if key.len() > usize::from(u16::MAX) {
            let expected = format_args!("at most {} bytes", u16::MAX);
            return Err(Error::new(Reason::KeyLength, expected, key.len()));
        }
        match value {
            Some(value) if value.len() as u64 >= u64::from(DELETED) => {
                let expected = format_args!("fewer than {DELETED} bytes");
                Err(Error::new(Reason::ValueLength, expected, value.len()))
            }
            _ => Ok(()),
        }
    }

    /// The length of the record in a file.
    pub(super) fn bytes(&self) -> usize {
        RECORD_HEAD_BYTES + self.key.len() + self.value.map_or(0, <[u8]>::len)
    }

    /// Appends the record, which must have passed [`check`](Self::check).
    #[allow(clippy::cast_possible_truncation, reason = "checked before")]
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.key.len() as u16).to_le_bytes());
        let length = self.value.map_or(DELETED, |value| value.len() as u32);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(self.key);
        bytes.extend_from_slice(self.value.unwrap_or_default());
    }

    /// Returns the record's length and the offset of its value, given its head.
    pub(super) fn lengths(head: [u8; RECORD_HEAD_BYTES]) -> (usize, Option<usize>) {
        let [key_low, key_high, value @ ..] = head;
        let value_at = RECORD_HEAD_BYTES + usize::from(u16::from_le_bytes([key_low, key_high]));
        match u32::from_le_bytes(value) {
            DELETED => (value_at, None),
            length => (value_at.saturating_add(length as usize), Some(value_at)),
        }
    }

    /// Reads the first record; returns it with the remaining bytes, or `None` if it is truncated.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (length, value_at) = Self::lengths(*bytes.first_chunk()?);
        let (record, rest) = bytes.split_at_checked(length)?;
        let (key, value) = record[RECORD_HEAD_BYTES..]
            .split_at(value_at.map_or(length, |at| at) - RECORD_HEAD_BYTES);
        Some((Self { key, value: value_at.map(|_| value) }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_written_and_not_past_their_end() {
        let records = [
            Record { key: b"key", value: Some(b"value") },
            Record { key: b"", value: Some(b"") },
            Record { key: b"gone", value: None },
        ];
        let mut bytes = Vec::new();
        for record in &records {
            record.write(&mut bytes);
        }
        let mut rest = bytes.as_slice();
        for record in records {
            let (read, after) = Record::read(rest).unwrap();
            assert_eq!(read, record);
            rest = after;
        }
        assert_eq!(Record::read(rest), None);
        assert_eq!(Record::read(&bytes[..13]), None);
    }
}

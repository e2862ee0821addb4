//! The records of a snapshot file: a key and its new value, or that it is deleted.

use alloc::vec::Vec;

use prooflight_core::{Error, Reason, Result};

/// The lengths of the key, as u16, and of the value, as u32.
pub(super) const RECORD_HEAD_BYTES: usize = 6;

/// Where the length of the value would be: the key is deleted.
const DELETED: u32 = u32::MAX;

/// What a block does to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The new value; `None` if the key is deleted.
    pub value: Option<&'a [u8]>,
}

impl<'a> Record<'a> {
    /// `key_length` or `value_length` if there is no record of that.
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

    /// How long the record is in a file.
    pub(super) fn bytes(&self) -> usize {
        RECORD_HEAD_BYTES + self.key.len() + self.value.map_or(0, <[u8]>::len)
    }

    /// Appends a record that was [checked](Self::check).
    #[allow(clippy::cast_possible_truncation, reason = "checked before")]
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.key.len() as u16).to_le_bytes());
        let length = self.value.map_or(DELETED, |value| value.len() as u32);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(self.key);
        bytes.extend_from_slice(self.value.unwrap_or_default());
    }

    /// How many bytes the record takes that begins with this head, and where in it the value begins.
    pub(super) fn lengths(head: [u8; RECORD_HEAD_BYTES]) -> (usize, Option<usize>) {
        let [key_low, key_high, value @ ..] = head;
        let value_at = RECORD_HEAD_BYTES + usize::from(u16::from_le_bytes([key_low, key_high]));
        match u32::from_le_bytes(value) {
            DELETED => (value_at, None),
            length => (value_at.saturating_add(length as usize), Some(value_at)),
        }
    }

    /// The record at the begin of these bytes, and what follows it; `None` if it is cut off.
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

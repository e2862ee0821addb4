//! The records of a snapshot file: a key with its new value, or its deletion.

use alloc::vec::Vec;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, Reason, Result};

/// The length of the key as u16, and of the value as u32.
pub(crate) const RECORD_HEAD_BYTES: usize = 6;

/// Marks a deletion, in place of the value's length.
const DELETED: u32 = u32::MAX;

/// Returns `key_length` or `value_length` if the change does not fit in a record.
pub(crate) fn check(&RawKeyChange { key, value }: &RawKeyChange<'_>) -> Result<()> {
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

/// The length of a change's record.
pub(crate) fn length(change: &RawKeyChange<'_>) -> usize {
    RECORD_HEAD_BYTES + change.key.len() + change.value.map_or(0, <[u8]>::len)
}

/// Appends the record of a change, which must have passed [`check`].
#[allow(clippy::cast_possible_truncation, reason = "checked before")]
pub(crate) fn write(&RawKeyChange { key, value }: &RawKeyChange<'_>, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(key.len() as u16).to_le_bytes());
    let length = value.map_or(DELETED, |value| value.len() as u32);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(value.unwrap_or_default());
}

/// Returns a record's length and the offset of its value, given its head.
pub(crate) fn lengths(head: [u8; RECORD_HEAD_BYTES]) -> (usize, Option<usize>) {
    let [key_low, key_high, value @ ..] = head;
    let value_at = RECORD_HEAD_BYTES + usize::from(u16::from_le_bytes([key_low, key_high]));
    match u32::from_le_bytes(value) {
        DELETED => (value_at, None),
        length => (value_at.saturating_add(length as usize), Some(value_at)),
    }
}

/// Reads the first record; returns its change with the remaining bytes, or `None` if it is truncated.
pub(crate) fn read(bytes: &[u8]) -> Option<(RawKeyChange<'_>, &[u8])> {
    let (length, value_at) = lengths(*bytes.first_chunk()?);
    let (record, rest) = bytes.split_at_checked(length)?;
    let (key, value) =
        record[RECORD_HEAD_BYTES..].split_at(value_at.map_or(length, |at| at) - RECORD_HEAD_BYTES);
    Some((RawKeyChange { key, value: value_at.map(|_| value) }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_written_and_not_past_their_end() {
        let changes = [
            RawKeyChange::set(b"key", b"value"),
            RawKeyChange::set(b"", b""),
            RawKeyChange::delete(b"gone"),
        ];
        let mut bytes = Vec::new();
        for change in &changes {
            write(change, &mut bytes);
        }
        assert_eq!(bytes.len(), changes.iter().map(length).sum::<usize>());
        let mut rest = bytes.as_slice();
        for change in changes {
            let (found, after) = read(rest).unwrap();
            assert_eq!(found, change);
            rest = after;
        }
        assert_eq!(read(rest), None);
        assert_eq!(read(&bytes[..13]), None);
    }
}

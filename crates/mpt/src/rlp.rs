//! Strict RLP decoding: every item has exactly one accepted encoding.
//!
//! Source: Ethereum Yellow Paper, appendix B.

use prooflight_core::{ByteReader, Error, Reason, Result};

/// An item without its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RlpItem<'a> {
    /// A string of bytes.
    String(&'a [u8]),
    /// The concatenated encodings of the list's items.
    List(&'a [u8]),
}

/// Payloads of at least this length have a header with the length of their length.
const LONG_PAYLOAD_BYTES: u64 = 56;

/// Decodes a single item; `trailing_bytes` if there is more.
pub fn decode(bytes: &[u8]) -> Result<RlpItem<'_>> {
    let mut reader = ByteReader::new(bytes);
    let item = item(&mut reader)?;
    reader.finish()?;
    Ok(item)
}

/// Reads the next item.
///
/// `truncated` if it extends beyond the bytes, `invalid_encoding` if it has a shorter encoding.
pub fn item<'a>(reader: &mut ByteReader<'a>) -> Result<RlpItem<'a>> {
    let head = reader.take(1)?;
    let first = head.first().copied().unwrap_or_default();
    Ok(match first {
        0x00..=0x7f => RlpItem::String(head),
        0x80..=0xb7 => match reader.take(usize::from(first - 0x80))? {
            &[byte @ 0x00..=0x7f] => {
                let shortest = format_args!("{byte:02x} alone");
                return Err(Error::new(
                    Reason::InvalidEncoding,
                    shortest,
                    format_args!("81 {byte:02x}"),
                ));
            }
            string => RlpItem::String(string),
        },
        0xb8..=0xbf => RlpItem::String(long(reader, first - 0xb7)?),
        0xc0..=0xf7 => RlpItem::List(reader.take(usize::from(first - 0xc0))?),
        0xf8..=0xff => RlpItem::List(long(reader, first - 0xf7)?),
    })
}

/// The items of a list's payload.
pub const fn items(payload: &[u8]) -> RlpItems<'_> {
    RlpItems { rest: payload }
}

/// Counts the items of a list's payload; returns the error of the first invalid one.
pub(crate) fn count_items(payload: &[u8]) -> Result<usize> {
    let mut items = items(payload);
    let mut count = 0;
    while !items.is_empty() {
        items.take()?;
        count += 1;
    }
    Ok(count)
}

/// The rest of a list's payload.
#[derive(Clone, Debug)]
pub struct RlpItems<'a> {
    rest: &'a [u8],
}

impl<'a> RlpItems<'a> {
    /// Whether no item is left.
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next item; `truncated` at the end of the list.
    #[inline]
    pub fn take(&mut self) -> Result<RlpItem<'a>> {
        // A fast path for the items of branches: hashes and empty strings.
        match self.rest {
            [0x80, rest @ ..] => {
                self.rest = rest;
                return Ok(RlpItem::String(&[]));
            }
            [0xa0, rest @ ..] => {
                if let Some((hash, rest)) = rest.split_at_checked(32) {
                    self.rest = rest;
                    return Ok(RlpItem::String(hash));
                }
            }
            _ => {}
        }
        let mut reader = ByteReader::new(self.rest);
        let item = item(&mut reader)?;
        self.rest = reader.rest();
        Ok(item)
    }
}

fn long<'a>(reader: &mut ByteReader<'a>, bytes_of_length: u8) -> Result<&'a [u8]> {
    let bytes = reader.take(usize::from(bytes_of_length))?;
    let length = bytes.iter().fold(0, |length: u64, &byte| length << 8 | u64::from(byte));
    if bytes.first() == Some(&0) || length < LONG_PAYLOAD_BYTES {
        return Err(Error::new(
            Reason::InvalidEncoding,
            "the shortest encoding of a length",
            format_args!("{bytes_of_length} bytes for a length of {length}"),
        ));
    }
    reader.take(usize::try_from(length).unwrap_or(usize::MAX))
}

/// Decodes an integer of at most `N` bytes, big-endian without leading zeros.
pub fn integer<const N: usize>(item: RlpItem<'_>) -> Option<[u8; N]> {
    let RlpItem::String(digits) = item else { return None };
    if digits.first() == Some(&0) {
        return None;
    }
    let zeros = N.checked_sub(digits.len())?;
    let mut integer = [0; N];
    integer.get_mut(zeros..)?.copy_from_slice(digits);
    Some(integer)
}

/// Decodes a string of exactly `N` bytes.
pub fn array<const N: usize>(item: RlpItem<'_>) -> Option<[u8; N]> {
    match item {
        RlpItem::String(string) => string.try_into().ok(),
        RlpItem::List(_) => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn items_are_read_as_the_yellow_paper_writes_them() {
        assert_eq!(decode(&[0x00]), Ok(RlpItem::String(&[0])));
        assert_eq!(decode(&[0x7f]), Ok(RlpItem::String(&[0x7f])));
        assert_eq!(decode(&[0x80]), Ok(RlpItem::String(&[])));
        assert_eq!(decode(&[0x81, 0x80]), Ok(RlpItem::String(&[0x80])));
        assert_eq!(decode(b"\x83dog"), Ok(RlpItem::String(b"dog")));
        assert_eq!(decode(&[0xc0]), Ok(RlpItem::List(&[])));
        assert_eq!(decode(b"\xc4\x83dog"), Ok(RlpItem::List(b"\x83dog")));
        for (length, header) in [
            (55, vec![0xb7]),
            (56, vec![0xb8, 56]),
            (255, vec![0xb8, 255]),
            (256, vec![0xb9, 1, 0]),
            (65_536, vec![0xba, 1, 0, 0]),
        ] {
            let payload = vec![9; length];
            let string = [&header[..], &payload].concat();
            assert_eq!(decode(&string), Ok(RlpItem::String(&payload)), "{length}");
            let mut list = string.clone();
            list[0] += 0x40;
            assert_eq!(decode(&list), Ok(RlpItem::List(&payload)), "{length}");
        }
    }

    #[test]
    fn items_of_a_list_end_with_the_list_or_an_error() {
        let hash = [&[0xa0][..], &[7; 32]].concat();
        let payload = [&hash[..], &[0x80, 1, 0xc0], &hash].concat();
        let mut all = items(&payload);
        let hash = RlpItem::String(&[7; 32]);
        for item in [hash, RlpItem::String(&[]), RlpItem::String(&[1]), RlpItem::List(&[]), hash] {
            assert!(!all.is_empty());
            assert_eq!(all.take(), Ok(item));
        }
        assert!(all.is_empty());
        assert_eq!(all.take().unwrap_err().reason(), Reason::Truncated);
        assert_eq!(count_items(&payload), Ok(5));
        assert_eq!(count_items(&[]), Ok(0));
        for end in [32, 67] {
            let cut = count_items(&payload[..end]).unwrap_err();
            assert_eq!(cut.reason(), Reason::Truncated, "{end}");
        }
    }

    #[test]
    fn integers_have_no_leading_zeros_and_fit() {
        assert_eq!(integer(RlpItem::String(&[])), Some([0; 2]));
        assert_eq!(integer(RlpItem::String(&[7])), Some([0, 7]));
        assert_eq!(integer(RlpItem::String(&[1, 0])), Some([1, 0]));
        assert_eq!(integer::<2>(RlpItem::String(&[1, 0, 0])), None);
        assert_eq!(integer::<2>(RlpItem::String(&[0])), None);
        assert_eq!(integer::<2>(RlpItem::String(&[0, 1])), None);
        assert_eq!(integer::<2>(RlpItem::List(&[1])), None);
        assert_eq!(array(RlpItem::String(&[0, 1])), Some([0, 1]));
        assert_eq!(array::<2>(RlpItem::String(&[1])), None);
        assert_eq!(array::<1>(RlpItem::List(&[1])), None);
    }
}

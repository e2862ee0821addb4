//! The frame of every object: a kind, a format, a length and a checksum.
//!
//! | bytes | |
//! |---|---|
//! | 7 | `PLlogCh`, `PLlogBk` or `PLlogPr`, the kind |
//! | 1 | the format, the digit `1` |
//! | 8 | the length of the object, u64, little-endian |
//! | n | the content |
//! | 32 | BLAKE2b-256 of everything before |
//!
//! The length tells an object that was cut short from one that was altered.

use prooflight_core::{Error, Hex, Reason, Result, blake2b256};

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// A chain's configuration.
    Chain,
    /// A block.
    Block,
    /// An unsigned block.
    Proposal,
}

impl ObjectKind {
    const fn tag(self) -> &'static [u8; 7] {
        match self {
            Self::Chain => b"PLlogCh",
            Self::Block => b"PLlogBk",
            Self::Proposal => b"PLlogPr",
        }
    }
}

const FORMAT_DIGIT: u8 = b'1';
const HEAD_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 32;

/// The most bytes of an object: a block with the most bytes of operations and of transitions.
pub(crate) const MAX_OBJECT_BYTES: usize = 64 << 20;

/// Frames a content; `request_too_large` if no reader would accept it.
pub(crate) fn encode(kind: ObjectKind, content: &[u8]) -> Result<Vec<u8>> {
    let length = HEAD_BYTES + content.len() + CHECKSUM_BYTES;
    if length > MAX_OBJECT_BYTES {
        let expected = format_args!("an object of at most {MAX_OBJECT_BYTES} bytes");
        return Err(Error::new(Reason::RequestTooLarge, expected, length));
    }
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(kind.tag());
    bytes.push(FORMAT_DIGIT);
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
    bytes.extend_from_slice(content);
    bytes.extend_from_slice(&blake2b256(&[&bytes]));
    Ok(bytes)
}

/// The content of the object `name`.
///
/// `unknown_version` if a newer program wrote it, `truncated` if it was cut short, `trailing_bytes` if
/// something was added, `invalid_encoding` if it is another object or was altered.
pub(crate) fn decode<'a>(kind: ObjectKind, name: &str, bytes: &'a [u8]) -> Result<&'a [u8]> {
    let cut = |expected: u64| {
        let expected = format_args!("{expected} bytes of {name}");
        Error::new(Reason::Truncated, expected, bytes.len())
    };
    let (head, rest) = bytes.split_at_checked(HEAD_BYTES).ok_or_else(|| cut(HEAD_BYTES as u64))?;
    let (tag, length) = head.split_at(8);
    let (tag, format) = tag.split_at(7);
    if tag != kind.tag() {
        let expected = format_args!("{name} with the tag {}", Hex(kind.tag()));
        return Err(Error::new(Reason::InvalidEncoding, expected, Hex(tag)));
    }
    if format != [FORMAT_DIGIT] {
        let expected = format_args!("{name} in format 1; a newer program may read it");
        return Err(Error::new(Reason::UnknownVersion, expected, format.escape_ascii()));
    }
    let length = length.iter().rev().fold(0_u64, |length, byte| length << 8 | u64::from(*byte));
    let found = bytes.len() as u64;
    if found < length {
        return Err(cut(length));
    }
    if found > length {
        let expected = format_args!("{length} bytes of {name}");
        return Err(Error::new(Reason::TrailingBytes, expected, found));
    }
    let content = rest
        .len()
        .checked_sub(CHECKSUM_BYTES)
        .ok_or_else(|| cut((HEAD_BYTES + CHECKSUM_BYTES) as u64))?;
    let (content, checksum) = rest.split_at(content);
    let computed = blake2b256(&[head, content]);
    if computed != checksum {
        let expected = format_args!("{name} with the checksum {}", Hex(checksum));
        return Err(Error::new(Reason::InvalidEncoding, expected, Hex(&computed)));
    }
    Ok(content)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> Reason {
        decode(ObjectKind::Block, "blocks/7", bytes).unwrap_err().reason()
    }

    #[test]
    fn every_change_of_an_object_is_found() {
        let bytes = encode(ObjectKind::Block, b"content").unwrap();
        assert_eq!(decode(ObjectKind::Block, "blocks/7", &bytes), Ok(&b"content"[..]));
        for bit in 0..bytes.len() * 8 {
            let mut altered = bytes.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            refused(&altered);
        }
        for length in 0..bytes.len() {
            assert_eq!(refused(&bytes[..length]), Reason::Truncated, "{length}");
        }
        assert_eq!(refused(&[&bytes[..], &[0]].concat()), Reason::TrailingBytes);
        let mut newer = bytes.clone();
        newer[7] = b'2';
        assert_eq!(refused(&newer), Reason::UnknownVersion);
        assert_eq!(
            refused(&encode(ObjectKind::Chain, b"content").unwrap()),
            Reason::InvalidEncoding
        );
        let short = [&bytes[..8], &16_u64.to_le_bytes()].concat();
        assert_eq!(refused(&short), Reason::Truncated);
        let large = encode(ObjectKind::Block, &vec![0; MAX_OBJECT_BYTES]).unwrap_err();
        assert_eq!(large.reason(), Reason::RequestTooLarge);
    }
}

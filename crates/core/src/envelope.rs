//! The wire envelope: `version (=1) | scheme | kind | body`, the body in borsh.
//!
//! Every format of Prooflight's own starts with it. AVL+ and MPT proofs are foreign formats, carried
//! unchanged. Specified in `test-vectors/spec/conventions.md`, section 3.

use alloc::vec::Vec;
use borsh::{BorshDeserialize, BorshSerialize};

use crate::{ByteReader, Error, Limits, Reason, Result, Scheme};

/// The only envelope version.
pub const ENVELOPE_VERSION: u8 = 1;

/// The scheme that an envelope must name, and the kind of message within the scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The scheme that the body belongs to.
    pub scheme: Scheme,
    /// The kind of message, numbered per scheme in `test-vectors/spec/conventions.md`, section 4.
    pub kind: u8,
}

impl Envelope {
    /// Decodes the borsh body of a message in this envelope.
    ///
    /// Refused: another version, scheme or kind, more bytes than the limit, an encoding other than
    /// borsh's canonical one, trailing bytes.
    pub fn decode<T: BorshDeserialize>(self, bytes: &[u8], limits: &Limits) -> Result<T> {
        decode_body(self.open(bytes, limits)?)
    }

    /// The raw body of a message in this envelope, for bodies that are not borsh.
    ///
    /// Refused: another version, scheme or kind, more bytes than the limit.
    pub fn open<'a>(self, bytes: &'a [u8], limits: &Limits) -> Result<&'a [u8]> {
        limits.check_proof(bytes.len())?;
        let mut reader = ByteReader::new(bytes);
        let version = reader.u8()?;
        if version != ENVELOPE_VERSION {
            return Err(Error::new(Reason::UnknownVersion, ENVELOPE_VERSION, version));
        }
        let scheme = Scheme::from_id(reader.u8()?)?;
        if scheme != self.scheme {
            return Err(Error::new(Reason::UnknownScheme, self.scheme.as_str(), scheme.as_str()));
        }
        let kind = reader.u8()?;
        if kind != self.kind {
            return Err(Error::new(Reason::UnknownKind, self.kind, kind));
        }
        Ok(reader.rest())
    }

    /// Encodes a body in this envelope.
    pub fn encode<T: BorshSerialize>(self, body: &T) -> Vec<u8> {
        let mut bytes = Vec::from([ENVELOPE_VERSION, self.scheme.id(), self.kind]);
        // Only a length above u32::MAX can fail, which the limits exclude, and every decoder would
        // refuse the truncated body.
        let _ = body.serialize(&mut bytes);
        bytes
    }
}

/// Decodes borsh without an envelope, strictly and within the limit of a proof.
#[cfg(feature = "chain")]
pub(crate) fn decode_bounded<T: BorshDeserialize>(bytes: &[u8], limits: &Limits) -> Result<T> {
    limits.check_proof(bytes.len())?;
    decode_body(bytes)
}

/// Decodes borsh strictly: the whole input, no trailing bytes.
fn decode_body<T: BorshDeserialize>(body: &[u8]) -> Result<T> {
    let mut rest = body;
    let value = T::deserialize(&mut rest).map_err(|error| {
        let at = body.len() - rest.len();
        Error::new(
            Reason::InvalidEncoding,
            "canonical borsh",
            format_args!("{error} (body offset {at})"),
        )
    })?;
    if rest.is_empty() {
        return Ok(value);
    }
    Err(Error::new(
        Reason::TrailingBytes,
        format_args!("a body of {} bytes", body.len() - rest.len()),
        body.len(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const ENVELOPE: Envelope = Envelope { scheme: Scheme::Smt, kind: 7 };

    fn decode(bytes: &[u8]) -> Result<Vec<u16>> {
        ENVELOPE.decode(bytes, &Limits::default())
    }

    #[test]
    fn round_trip() {
        let bytes = ENVELOPE.encode(&vec![1u16, 513]);
        assert_eq!(bytes, [1, 3, 7, 2, 0, 0, 0, 1, 0, 1, 2]);
        assert_eq!(decode(&bytes), Ok(vec![1, 513]));
    }

    #[test]
    fn every_other_byte_string_of_the_header_is_refused() {
        let valid = ENVELOPE.encode(&vec![1u16, 513]);
        let reason = |at: usize, byte: u8| {
            let mut bytes = valid.clone();
            bytes[at] = byte;
            decode(&bytes).unwrap_err().reason()
        };
        assert_eq!(reason(0, 2), Reason::UnknownVersion);
        assert_eq!(reason(1, 0), Reason::UnknownScheme);
        assert_eq!(reason(1, 2), Reason::UnknownScheme);
        assert_eq!(reason(2, 6), Reason::UnknownKind);
        assert_eq!(reason(3, 3), Reason::InvalidEncoding);
        assert_eq!(reason(3, 1), Reason::TrailingBytes);
    }

    #[test]
    fn truncation_at_every_length_is_refused() {
        let valid = ENVELOPE.encode(&vec![1u16, 513]);
        for n in 0..valid.len() {
            assert_eq!(decode(&valid[..n]).unwrap_err().code(), crate::Code::Malformed);
        }
    }

    #[test]
    fn a_huge_declared_count_allocates_nothing() {
        let bytes = [1, 3, 7, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(decode(&bytes).unwrap_err().reason(), Reason::InvalidEncoding);
    }

    #[test]
    fn the_limit_comes_first() {
        let limits = Limits { max_proof_bytes: 3, ..Limits::default() };
        let refused = ENVELOPE.decode::<u8>(&[1, 3, 7, 0], &limits);
        assert_eq!(refused.unwrap_err().reason(), Reason::ProofTooLarge);
    }
}

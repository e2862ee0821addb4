//! The answer of `/eth/v1/beacon/light_client/updates` in SSZ: updates, each with its fork digest.

use alloc::vec::Vec;

use prooflight_core::{ByteReader, Error, Limits, Reason, Result};

use crate::ssz::read_u64;

/// An update in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateChunk<'a> {
    /// The fork digest of the attested block's slot, according to the server.
    pub digest: [u8; 4],
    /// A `LightClientUpdate`.
    pub ssz: &'a [u8],
}

/// Splits an answer into its updates, without decoding them.
///
/// Each starts with its length in 8 bytes, little-endian, and the digest. More updates than `most` are
/// `invalid_answer`, more bytes than the limit of a proof are `proof_too_large`.
pub fn read_chunks<'a>(
    answer: &'a [u8],
    most: usize,
    limits: &Limits,
) -> Result<Vec<UpdateChunk<'a>>> {
    limits.check_proof(answer.len())?;
    let mut reader = ByteReader::new(answer);
    let mut chunks = Vec::new();
    while !reader.rest().is_empty() {
        if chunks.len() == most {
            let expected = format_args!("at most {most} updates");
            return Err(Error::new(Reason::InvalidAnswer, expected, "more"));
        }
        let length = read_u64(&mut reader)?;
        let chunk = reader.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        let mut parts = ByteReader::new(chunk);
        let digest = parts.array()?;
        chunks.push(UpdateChunk { digest, ssz: parts.rest() });
    }
    Ok(chunks)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn an_answer_is_divided_where_its_lengths_say() {
        let answer = [5, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 9, 4, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8];
        let read = |answer, most| read_chunks(answer, most, &Limits::DEFAULT);
        let first = UpdateChunk { digest: [1, 2, 3, 4], ssz: &[9] };
        let second = UpdateChunk { digest: [5, 6, 7, 8], ssz: &[] };
        assert_eq!(read(&answer, 2), Ok(vec![first, second]));
        assert_eq!(read(&answer[..13], 1), Ok(vec![first]));
        assert_eq!(read(&[], 0), Ok(vec![]));
        assert_eq!(read(&answer, 1).unwrap_err().reason(), Reason::InvalidAnswer);
        for cut in (1..answer.len()).filter(|cut| *cut != 13) {
            assert_eq!(read(&answer[..cut], 2).unwrap_err().reason(), Reason::Truncated, "{cut}");
        }
        let huge = [0xff; 12];
        assert_eq!(read(&huge, 2).unwrap_err().reason(), Reason::Truncated);
        let limits = Limits { max_proof_bytes: 24, ..Limits::DEFAULT };
        assert_eq!(read_chunks(&answer, 2, &limits).unwrap_err().reason(), Reason::ProofTooLarge);
    }
}

//! A strict reader over bytes that an adversary chose.

use alloc::vec::Vec;

use crate::{Error, Reason, Result};

/// Reads a byte string from front to back, never past its end.
#[derive(Clone, Debug)]
pub struct ByteReader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> ByteReader<'a> {
    /// A reader at the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The number of bytes read so far.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or_default()
    }

    /// The next `n` bytes; `truncated` if there are fewer.
    #[inline]
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        match self.rest().get(..n) {
            Some(taken) => {
                self.offset += n;
                Ok(taken)
            }
            None => Err(self.truncated(n)),
        }
    }

    /// The next `N` bytes as an array; `truncated` if there are fewer.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest().first_chunk::<N>() {
            Some(chunk) => {
                self.offset += N;
                Ok(*chunk)
            }
            None => Err(self.truncated(N)),
        }
    }

    /// The next byte; `truncated` if there is none.
    #[inline]
    pub fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// The next four bytes as a big-endian integer; `truncated` if there are fewer.
    #[inline]
    pub fn u32_be(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// The next integer: unsigned LEB128 in its shortest form of at most 8 bytes, else `invalid_encoding`.
    ///
    /// Source: `test-vectors/spec/smt.md`, section 3.
    #[inline]
    pub fn integer(&mut self) -> Result<u64> {
        match self.u8()? {
            byte @ ..0x80 => Ok(byte.into()),
            byte => self.long_integer(byte & 0x7f),
        }
    }

    /// The rest of an integer whose first byte has the continuation bit.
    fn long_integer(&mut self, first: u8) -> Result<u64> {
        let mut integer = u64::from(first);
        for at in 1..MAX_INTEGER_BYTES {
            let byte = self.u8()?;
            integer |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                if byte == 0 {
                    break;
                }
                return Ok(integer);
            }
        }
        Err(Error::new(
            Reason::InvalidEncoding,
            "an integer in its shortest form of at most 8 bytes",
            format_args!("another one, up to body offset {}", self.offset),
        ))
    }

    /// Checks that all bytes have been read; otherwise `trailing_bytes`.
    pub fn finish(self) -> Result<()> {
        match self.rest().len() {
            0 => Ok(()),
            n => Err(Error::new(
                Reason::TrailingBytes,
                format_args!("the end after {} bytes", self.offset),
                format_args!("{n} more"),
            )),
        }
    }

    #[cold]
    fn truncated(&self, n: usize) -> Error {
        Error::new(
            Reason::Truncated,
            format_args!("{n} bytes at offset {}", self.offset),
            format_args!("{}", self.rest().len()),
        )
    }
}

/// Writes an integer below 2^56 as [`ByteReader::integer`] reads it.
pub fn write_integer(mut integer: u64, into: &mut Vec<u8>) {
    while integer >= 0x80 {
        let [low, ..] = integer.to_le_bytes();
        into.push(low | 0x80);
        integer >>= 7;
    }
    let [low, ..] = integer.to_le_bytes();
    into.push(low);
}

/// 56 bits: enough for twice a height.
const MAX_INTEGER_BYTES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_to_the_end_and_not_further() {
        let mut reader = ByteReader::new(&[1, 0, 0, 0, 2, 9]);
        assert_eq!(reader.u8(), Ok(1));
        assert_eq!(reader.u32_be(), Ok(2));
        assert_eq!(reader.clone().finish().unwrap_err().reason(), Reason::TrailingBytes);
        assert_eq!(reader.array::<2>().unwrap_err().reason(), Reason::Truncated);
        assert_eq!(reader.take(usize::MAX).unwrap_err().reason(), Reason::Truncated);
        assert_eq!(reader.take(1), Ok(&[9][..]));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn an_integer_has_one_form() {
        for integer in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1 << 52, (1 << 56) - 1] {
            let mut bytes = Vec::new();
            write_integer(integer, &mut bytes);
            let mut reader = ByteReader::new(&bytes);
            assert_eq!(reader.integer(), Ok(integer));
            assert_eq!(reader.finish(), Ok(()), "{bytes:?}");
        }
        let reason = |bytes: &[u8]| ByteReader::new(bytes).integer().unwrap_err().reason();
        assert_eq!(reason(&[]), Reason::Truncated);
        assert_eq!(reason(&[0x80]), Reason::Truncated);
        assert_eq!(reason(&[0x80, 0]), Reason::InvalidEncoding);
        assert_eq!(reason(&[0xff; 7]), Reason::Truncated);
        assert_eq!(reason(&[0xff; 8]), Reason::InvalidEncoding);
    }
}

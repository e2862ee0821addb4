//! The byte strings between TypeScript and wasm: borsh, read in place and written in one go.
//!
//! Integers are little-endian; byte strings and sequences start with their length as u32; an option
//! is a byte 0, or a byte 1 and the value; an enum starts with the number of its variant as a byte.
//! Both sides are part of Prooflight, so bytes that do not decode are a bug and never bad input.

use prooflight_core::{ByteReader, Error, Reason, Result};

/// Decodes a whole request with `read`; `bug` if it has another form.
pub(crate) fn decode<'a, T>(
    request: &'a [u8],
    read: impl FnOnce(&mut RequestReader<'a>) -> Result<T>,
) -> Result<T> {
    let mut reader = RequestReader(ByteReader::new(request));
    read(&mut reader).and_then(|value| reader.0.finish().map(|()| value)).map_err(|error| {
        Error::new(Reason::Bug, format_args!("a request: {}", error.expected()), error.found())
    })
}

/// Reads the parts of a request, borrowing its bytes.
pub(crate) struct RequestReader<'a>(ByteReader<'a>);

impl<'a> RequestReader<'a> {
    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.0.u8()
    }

    pub(crate) fn bool(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(unknown("0 or 1", other)),
        }
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.0.array()
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.0.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.0.array().map(u64::from_le_bytes)
    }

    #[cfg(feature = "avl")]
    pub(crate) fn i64(&mut self) -> Result<i64> {
        self.0.array().map(i64::from_le_bytes)
    }

    /// A u32 as a length or count; wasm's addresses have the same width.
    pub(crate) fn length(&mut self) -> Result<usize> {
        self.u32().map(|length| length as usize)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.length()?;
        self.0.take(length)
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        if self.bool()? { read(self).map(Some) } else { Ok(None) }
    }

    pub(crate) fn sequence<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let length = self.length()?;
        // An item has at least one byte, so no declared length allocates more than the request.
        let mut items = Vec::with_capacity(length.min(self.0.rest().len()));
        for _ in 0..length {
            items.push(read(self)?);
        }
        Ok(items)
    }
}

/// The refusal of an unknown variant.
#[cold]
pub(crate) fn unknown(expected: &str, found: u8) -> Error {
    Error::new(Reason::InvalidEncoding, expected, found)
}

/// An array whose length TypeScript has checked.
#[cfg(any(feature = "ethereum", feature = "mpt"))]
pub(crate) fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    let found = format_args!("{} bytes", bytes.len());
    bytes.try_into().map_err(|_| Error::new(Reason::Bug, format_args!("{N} bytes"), found))
}

/// Writes the parts of a response.
pub(crate) struct ResponseWriter(Vec<u8>);

impl ResponseWriter {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn u8(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Writes a length or count, which fits into u32 because it fits into wasm's memory.
    pub(crate) fn length(&mut self, length: usize) {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.0.extend_from_slice(&length.to_le_bytes());
    }

    pub(crate) fn array<const N: usize>(&mut self, array: &[u8; N]) {
        self.0.extend_from_slice(array);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn optional_u64(&mut self, number: Option<u64>) {
        match number {
            None => self.u8(0),
            Some(number) => {
                self.u8(1);
                self.array(&number.to_le_bytes());
            }
        }
    }

    #[cfg(any(feature = "avl", feature = "light", feature = "mpt", feature = "smt"))]
    pub(crate) fn option(&mut self, bytes: Option<&[u8]>) {
        match bytes {
            None => self.u8(0),
            Some(bytes) => {
                self.u8(1);
                self.bytes(bytes);
            }
        }
    }
}

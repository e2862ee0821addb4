//! The byte strings between TypeScript and wasm: borsh, read in place and written in one go.
//!
//! Integers are little-endian; byte strings and sequences start with their length as u32; an option
//! is a byte 0, or a byte 1 and the value; an enum starts with the number of its variant as a byte.
//! A `usize` crosses as u32, since wasm's addresses have that width.
//! Both sides are part of Prooflight, so bytes that do not decode are a bug and never bad input.

use prooflight_core::{ByteReader, Error, Reason, Result};

/// Declares requests: each struct with the decoder of its fields, in the order in which they are written here.
///
/// An `extern struct` is a type of another crate, which only gets the decoder. A field `name: Type = function` is
/// read by that function.
macro_rules! requests {
    () => {};
    (
        $(#[$meta:meta])*
        struct $name:ident $(<$life:lifetime>)? {
            $($(#[$doc:meta])* $field:ident: $type:ty $(= $read:expr)?,)*
        }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        pub(crate) struct $name $(<$life>)? { $($(#[$doc])* pub(crate) $field: $type,)* }
        $crate::wire::requests! {
            $(#[$meta])* extern struct $name $(<$life>)? { $($field: $type $(= $read)?,)* }
            $($rest)*
        }
    };
    (
        $(#[$meta:meta])*
        extern struct $name:ident $(<$life:lifetime>)? {
            $($field:ident: $type:ty $(= $read:expr)?,)*
        }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        impl<'a> $crate::wire::RequestValue<'a> for $name $(<$life>)? {
            fn read(r: &mut $crate::wire::RequestReader<'a>) -> prooflight_core::Result<Self> {
                Ok(Self { $($field: $crate::wire::requests!(@field r, $type $(, $read)?),)* })
            }
        }
        $crate::wire::requests! { $($rest)* }
    };
    (@field $r:ident, $type:ty) => { $r.read::<$type>()? };
    (@field $r:ident, $type:ty, $read:expr) => { $read($r)? };
}
pub(crate) use requests;

/// Declares responses: structs of other crates, whose fields are written in the order in which they stand here.
macro_rules! responses {
    ($(extern struct $name:ident $(<$life:lifetime>)? { $($field:ident: $type:ty,)* })*) => {$(
        impl $(<$life>)? $crate::wire::ResponseValue for $name $(<$life>)? {
            fn write(&self, response: &mut $crate::wire::ResponseWriter) {
                $(response.write::<$type>(&self.$field);)*
            }
        }
    )*};
}
pub(crate) use responses;

/// A value of a request.
pub(crate) trait RequestValue<'a>: Sized {
    /// Reads the value, borrowing the bytes of the request.
    fn read(r: &mut RequestReader<'a>) -> Result<Self>;

    /// Decodes a whole request; `bug` if it has another form.
    fn decode(request: &'a [u8]) -> Result<Self> {
        let mut reader = RequestReader(ByteReader::new(request));
        Self::read(&mut reader).and_then(|value| reader.0.finish().map(|()| value)).map_err(
            |error| {
                let expected = format_args!("a request: {}", error.expected());
                Error::new(Reason::Bug, expected, error.found())
            },
        )
    }
}

/// Reads the parts of a request.
pub(crate) struct RequestReader<'a>(ByteReader<'a>);

impl<'a> RequestReader<'a> {
    pub(crate) fn read<T: RequestValue<'a>>(&mut self) -> Result<T> {
        T::read(self)
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl RequestValue<'_> for $integer {
            fn read(r: &mut RequestReader<'_>) -> Result<Self> {
                r.read().map(Self::from_le_bytes)
            }
        }
    )*};
}

integers! { u16 u32 u64 i64 u128 }

impl RequestValue<'_> for u8 {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        r.0.u8()
    }
}

impl RequestValue<'_> for usize {
    #[inline(never)]
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        r.read::<u32>().map(|length| length as usize)
    }
}

impl RequestValue<'_> for bool {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        match r.read()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(unknown("0 or 1", other)),
        }
    }
}

impl<const N: usize> RequestValue<'_> for [u8; N] {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        r.0.array()
    }
}

impl<'a> RequestValue<'a> for &'a [u8] {
    #[inline(never)]
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        let length = r.read()?;
        r.0.take(length)
    }
}

impl<'a, T: RequestValue<'a>> RequestValue<'a> for Option<T> {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        if r.read()? { r.read().map(Some) } else { Ok(None) }
    }
}

impl<'a, T: RequestValue<'a>> RequestValue<'a> for Vec<T> {
    #[inline(never)]
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        let length = r.read()?;
        // An item has at least one byte, so no declared length allocates more than the request.
        let mut items = Self::with_capacity(usize::min(length, r.0.rest().len()));
        for _ in 0..length {
            items.push(r.read()?);
        }
        Ok(items)
    }
}

impl<'a, A: RequestValue<'a>, B: RequestValue<'a>> RequestValue<'a> for (A, B) {
    fn read(r: &mut RequestReader<'a>) -> Result<Self> {
        Ok((r.read()?, r.read()?))
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

/// A value of a response.
pub(crate) trait ResponseValue {
    /// Appends the value.
    fn write(&self, response: &mut ResponseWriter);

    /// Encodes the value as a whole response of about `capacity` bytes.
    fn encode(&self, capacity: usize) -> Vec<u8> {
        let mut response = ResponseWriter::with_capacity(capacity);
        self.write(&mut response);
        response.into_bytes()
    }
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

    /// Writes a byte, such as the number of a variant. A `u8` is no `ResponseValue`: a slice of bytes is written as a whole.
    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn write<T: ResponseValue + ?Sized>(&mut self, value: &T) {
        value.write(self);
    }
}

impl ResponseValue for bool {
    fn write(&self, response: &mut ResponseWriter) {
        response.byte((*self).into());
    }
}

impl ResponseValue for u64 {
    #[inline(never)]
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.to_le_bytes());
    }
}

/// A length, count or position, which fits into u32 because it fits into wasm's memory.
impl ResponseValue for usize {
    #[inline(never)]
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&u32::try_from(*self).unwrap_or(u32::MAX).to_le_bytes());
    }
}

impl<const N: usize> ResponseValue for [u8; N] {
    fn write(&self, response: &mut ResponseWriter) {
        response.0.extend_from_slice(self);
    }
}

impl ResponseValue for [u8] {
    #[inline(never)]
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.len());
        response.0.extend_from_slice(self);
    }
}

impl<T: ResponseValue> ResponseValue for [T] {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.len());
        for item in self {
            response.write(item);
        }
    }
}

impl<T> ResponseValue for Vec<T>
where
    [T]: ResponseValue,
{
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self[..]);
    }
}

impl<T: ResponseValue + ?Sized> ResponseValue for &T {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(*self);
    }
}

impl<T: ResponseValue> ResponseValue for Option<T> {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.is_some());
        if let Some(value) = self {
            response.write(value);
        }
    }
}

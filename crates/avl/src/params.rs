//! The parameters that the verifier pins, and the 33-byte digest.

use core::fmt;
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result};

use crate::operation::Operation;

/// Bytes of a node's label.
pub const LABEL_LENGTH: usize = 32;

/// A label: the BLAKE2b-256 hash of a node.
pub type Label = Hash;

/// The longest key that a dictionary may have, in bytes.
pub const MAX_KEY_LENGTH: usize = 256;

/// The digest of a dictionary: the root's label, then the tree's height as one byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; LABEL_LENGTH + 1]);

impl Digest {
    /// A digest from a root label and a height.
    pub fn new(root: &Label, height: u8) -> Self {
        let mut bytes = [height; LABEL_LENGTH + 1];
        bytes[..LABEL_LENGTH].copy_from_slice(root);
        Self(bytes)
    }

    /// The label of the root.
    pub fn root(&self) -> &Label {
        // A digest has 33 bytes, so its first 32 are always there.
        self.0.first_chunk().unwrap_or(&[0; LABEL_LENGTH])
    }

    /// The height of the tree; a single leaf has height 0.
    pub const fn height(&self) -> u8 {
        self.0[LABEL_LENGTH]
    }
}

impl TryFrom<&[u8]> for Digest {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.try_into().map_err(|_| {
            Error::new(Reason::DigestLength, "33 bytes", format_args!("{} bytes", bytes.len()))
        })?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How strictly a verifier checks proofs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Accepts only the bytes that an honest prover produces: nothing unused, nothing inconsistent.
    #[default]
    Strict,
    /// Accepts whatever scrypto's verifier accepts, for parity with Ergo's consensus.
    Compat,
}

/// The parameters of a dictionary that the verifier pins; the digest does not authenticate them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Bytes of every key, 1 to [`MAX_KEY_LENGTH`].
    pub key_length: usize,
    /// Bytes of every value, or `None` if each value has a length of its own.
    pub value_length: Option<usize>,
    /// How strictly proofs are checked; [`Mode::Strict`] by default.
    pub mode: Mode,
    /// The largest proof, number of operations (`max_keys`) and value.
    pub limits: Limits,
    /// The largest number of operations that may delete.
    pub max_deletes: usize,
}

impl Params {
    /// Strict parameters with the default limits.
    pub const fn new(key_length: usize, value_length: Option<usize>) -> Self {
        Self {
            key_length,
            value_length,
            mode: Mode::Strict,
            limits: Limits::DEFAULT,
            max_deletes: Limits::DEFAULT.max_keys,
        }
    }

    /// The same parameters in another mode.
    #[must_use]
    pub const fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The same parameters for batches of up to `n` operations, all of which may delete.
    #[must_use]
    pub const fn with_max_operations(self, n: usize) -> Self {
        Self { limits: Limits { max_keys: n, ..self.limits }, max_deletes: n, ..self }
    }

    /// Checks the caller's own arguments: lengths and limits, and that no key is a sentinel.
    pub fn check(&self, ops: &[Operation<'_>]) -> Result<()> {
        if !(1..=MAX_KEY_LENGTH).contains(&self.key_length) {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("a key length of 1 to {MAX_KEY_LENGTH}"),
                self.key_length,
            ));
        }
        self.limits.check_operations(ops.len())?;
        let deletes = ops.iter().filter(|op| op.may_delete()).count();
        if deletes > self.max_deletes {
            return Err(Error::new(
                Reason::TooManyDeletes,
                format_args!("at most {}", self.max_deletes),
                deletes,
            ));
        }
        ops.iter().enumerate().try_for_each(|(index, op)| self.check_operation(index, op))
    }

    fn check_operation(&self, index: usize, op: &Operation<'_>) -> Result<()> {
        let key = op.key();
        if key.len() != self.key_length {
            return Err(Error::new(
                Reason::KeyLength,
                format_args!("{} bytes", self.key_length),
                format_args!("{} bytes in operation {index}", key.len()),
            ));
        }
        if key.iter().all(|&b| b == 0) || key.iter().all(|&b| b == 0xff) {
            return Err(Error::new(
                Reason::KeyOutOfRange,
                "a key between the sentinels 00… and ff…",
                format_args!("{} in operation {index}", Hex(key)),
            ));
        }
        op.value().map_or(Ok(()), |value| {
            self.check_value(value.len()).map_err(|error| {
                let found = format_args!("{} in operation {index}", error.found());
                Error::new(error.reason(), error.expected(), found)
            })
        })
    }

    /// Checks the length of a value that is about to be stored.
    pub(crate) fn check_value(&self, length: usize) -> Result<()> {
        let refuse = |expected: fmt::Arguments<'_>| {
            Err(Error::new(Reason::ValueLength, expected, format_args!("{length} bytes")))
        };
        match self.value_length {
            Some(fixed) if length != fixed => refuse(format_args!("{fixed} bytes")),
            None if length > self.limits.max_value_bytes => {
                refuse(format_args!("at most {} bytes", self.limits.max_value_bytes))
            }
            _ => Ok(()),
        }
    }
}

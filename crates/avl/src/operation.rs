//! The operations of a batch, and the effect of each on the current value.

use prooflight_core::{Error, Hex, Reason, Result};

/// One operation of a batch; its result is the previous value of the key, if any.
///
/// Source: Reyzin et al. 2017, section 2, and scrypto's `Operation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// Reads the value.
    Lookup {
        /// The key, of the dictionary's key length.
        key: &'a [u8],
    },
    /// Adds an absent key; fails if it is present.
    Insert {
        /// The key, of the dictionary's key length.
        key: &'a [u8],
        /// The value, of the dictionary's value length if that is fixed.
        value: &'a [u8],
    },
    /// Changes a present key; fails if it is absent.
    Update {
        /// The key, of the dictionary's key length.
        key: &'a [u8],
        /// The value, of the dictionary's value length if that is fixed.
        value: &'a [u8],
    },
    /// Adds an absent key or changes a present one.
    InsertOrUpdate {
        /// The key, of the dictionary's key length.
        key: &'a [u8],
        /// The value, of the dictionary's value length if that is fixed.
        value: &'a [u8],
    },
    /// Deletes a present key; fails if it is absent.
    Remove {
        /// The key, of the dictionary's key length.
        key: &'a [u8],
    },
    /// Deletes the key if it is present.
    RemoveIfExists {
        /// The key, of the dictionary's key length.
        key: &'a [u8],
    },
    /// Adds to a value that is a signed 64-bit big-endian integer, an absent one counting as 0.
    ///
    /// A result of 0 deletes the key; a negative result or an overflow fails.
    UpdateLongBy {
        /// The key, of the dictionary's key length.
        key: &'a [u8],
        /// The summand.
        delta: i64,
    },
}

impl<'a> Operation<'a> {
    /// The key that the operation is about.
    pub const fn key(&self) -> &'a [u8] {
        match *self {
            Self::Lookup { key }
            | Self::Insert { key, .. }
            | Self::Update { key, .. }
            | Self::InsertOrUpdate { key, .. }
            | Self::Remove { key }
            | Self::RemoveIfExists { key }
            | Self::UpdateLongBy { key, .. } => key,
        }
    }

    /// The operation's new value, if it has one.
    pub const fn value(&self) -> Option<&'a [u8]> {
        match *self {
            Self::Insert { value, .. }
            | Self::Update { value, .. }
            | Self::InsertOrUpdate { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The name used in test vectors and TypeScript.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Lookup { .. } => "Lookup",
            Self::Insert { .. } => "Insert",
            Self::Update { .. } => "Update",
            Self::InsertOrUpdate { .. } => "InsertOrUpdate",
            Self::Remove { .. } => "Remove",
            Self::RemoveIfExists { .. } => "RemoveIfExists",
            Self::UpdateLongBy { .. } => "UpdateLongBy",
        }
    }

    /// Whether the operation can delete its key.
    pub const fn may_delete(&self) -> bool {
        matches!(
            self,
            Self::Remove { .. } | Self::RemoveIfExists { .. } | Self::UpdateLongBy { .. }
        )
    }

    /// The operation's effect on a key whose value is `old`, or that is absent.
    pub(crate) fn effect(&self, old: Option<&[u8]>) -> Result<LeafEffect<'a>> {
        let refuse = |reason| Err(self.refused(reason, old));
        match (*self, old) {
            (Self::Lookup { .. } | Self::UpdateLongBy { delta: 0, .. }, _)
            | (Self::RemoveIfExists { .. }, None) => Ok(LeafEffect::Keep),
            (Self::Insert { value, .. } | Self::InsertOrUpdate { value, .. }, None) => {
                Ok(LeafEffect::Insert(LeafValue::Bytes(value)))
            }
            (Self::Update { value, .. } | Self::InsertOrUpdate { value, .. }, Some(_)) => {
                Ok(LeafEffect::Set(LeafValue::Bytes(value)))
            }
            (Self::Remove { .. } | Self::RemoveIfExists { .. }, Some(_)) => Ok(LeafEffect::Delete),
            (Self::Insert { .. }, Some(_)) => refuse(Reason::KeyExists),
            (Self::Update { .. } | Self::Remove { .. }, None) => refuse(Reason::KeyAbsent),
            (Self::UpdateLongBy { delta, .. }, None) if delta > 0 => {
                Ok(LeafEffect::Insert(LeafValue::Long(delta.to_be_bytes())))
            }
            (Self::UpdateLongBy { .. }, None) => refuse(Reason::ValueNegative),
            (Self::UpdateLongBy { delta, .. }, Some(old)) => {
                // Only the first eight bytes of a longer value count, as in scrypto.
                let Some(long) = old.first_chunk() else { return refuse(Reason::ValueNotLong) };
                match i64::from_be_bytes(*long).checked_add(delta) {
                    Some(0) => Ok(LeafEffect::Delete),
                    Some(sum) if sum > 0 => Ok(LeafEffect::Set(LeafValue::Long(sum.to_be_bytes()))),
                    Some(_) => refuse(Reason::ValueNegative),
                    None => refuse(Reason::ValueOverflow),
                }
            }
        }
    }

    #[cold]
    fn refused(&self, reason: Reason, old: Option<&[u8]>) -> Error {
        let found = format_args!("{} of key {}", self.name(), Hex(self.key()));
        let expected = match reason {
            Reason::KeyExists => "an absent key",
            Reason::KeyAbsent => "a present key",
            Reason::ValueNotLong => "a value of at least 8 bytes",
            Reason::ValueOverflow => "a sum below 2^63",
            _ => "a sum of at least 0",
        };
        match old {
            Some(old) => Error::new(
                reason,
                expected,
                format_args!("{found}, whose value is {} ({} bytes)", Hex(old), old.len()),
            ),
            None => Error::new(reason, expected, format_args!("{found}, which is absent")),
        }
    }
}

/// A value: bytes of the proof or of an operation, or a sum that the verifier computed.
#[derive(Clone, Copy, Debug)]
pub enum LeafValue<'a> {
    /// Bytes of the proof or of an operation.
    Bytes(&'a [u8]),
    /// The result of an [`Operation::UpdateLongBy`].
    Long([u8; 8]),
}

impl AsRef<[u8]> for LeafValue<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Long(bytes) => bytes,
        }
    }
}

impl PartialEq for LeafValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for LeafValue<'_> {}

/// The effect of an operation on the leaf that covers its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafEffect<'a> {
    Keep,
    Set(LeafValue<'a>),
    Insert(LeafValue<'a>),
    Delete,
}

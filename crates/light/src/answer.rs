//! Answers, in one form for every scheme.

use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_core::{KeyHistory, PastState, RangeEntry, RangePage, Verified};

/// The answer to a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatementAnswer<'a> {
    /// The state of each key, in the order of the statement.
    Keys(Vec<KeyState<'a>>),
    /// Every change of a key.
    History(KeyHistory<'a>),
    /// The last change of every key that changed.
    #[cfg(feature = "smt")]
    Diff(Vec<prooflight_smt::DiffEntry<'a>>),
    /// The keys of a range, or the first page of them.
    Range(RangePage<'a, RangeEntry<'a>>),
    /// The number of keys in a range.
    Count(u64),
}

impl<'p> StatementAnswer<'p> {
    /// The states of keys, as proven by a scheme.
    pub(crate) fn keys<S: Into<KeyState<'p>>>(states: Verified<Vec<S>>) -> Self {
        Self::Keys(states.into_inner().into_iter().map(Into::into).collect())
    }
}

/// The state of a key after a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyState<'a> {
    /// A value.
    Present {
        /// The value.
        value: ProvenValue<'a>,
        /// The block that set this value, if the scheme proves it.
        since: Option<u64>,
        /// The number of blocks that wrote the key, deletes included, if the scheme proves it.
        version: Option<u64>,
        /// The name of the layer that has the value, if the scheme has layers.
        layer: Option<&'static str>,
    },
    /// No value.
    Absent {
        /// The block that deleted the key, if any and if the scheme proves it.
        deleted_at: Option<u64>,
        /// The number of blocks that wrote the key, deletes included, if the scheme proves it.
        version: Option<u64>,
        /// The name of the layer that has the key's tombstone, or of the last layer, if the scheme has layers.
        layer: Option<&'static str>,
    },
}

impl<'a> KeyState<'a> {
    /// A value of a scheme without versions and layers.
    const fn present(value: ProvenValue<'a>, since: Option<u64>) -> Self {
        Self::Present { value, since, version: None, layer: None }
    }

    /// No value in a scheme without versions and layers.
    const fn absent(deleted_at: Option<u64>) -> Self {
        Self::Absent { deleted_at, version: None, layer: None }
    }

    /// The value, if the key has one.
    pub fn value(&self) -> Option<&[u8]> {
        match self {
            Self::Present { value, .. } => Some(value.as_ref()),
            Self::Absent { .. } => None,
        }
    }
}

/// A value: a part of the proof, or shared by the keys that have it.
#[derive(Clone, Debug)]
pub enum ProvenValue<'a> {
    /// A part of the proof.
    Proof(&'a [u8]),
    /// Decoded from the proof.
    Decoded(Arc<[u8]>),
}

impl AsRef<[u8]> for ProvenValue<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Proof(bytes) => bytes,
            Self::Decoded(bytes) => bytes,
        }
    }
}

impl PartialEq for ProvenValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for ProvenValue<'_> {}

impl<'a> From<Option<&'a [u8]>> for KeyState<'a> {
    fn from(value: Option<&'a [u8]>) -> Self {
        match value {
            Some(value) => Self::present(ProvenValue::Proof(value), None),
            None => Self::absent(None),
        }
    }
}

#[cfg(feature = "lmpt")]
impl<'a> From<prooflight_lmpt::LayeredValue<'a>> for KeyState<'a> {
    fn from(answer: prooflight_lmpt::LayeredValue<'a>) -> Self {
        let layer = Some(answer.layer.as_str());
        match answer.value {
            Some(value) => Self::Present {
                value: ProvenValue::Proof(value),
                since: None,
                version: None,
                layer,
            },
            None => Self::Absent { deleted_at: None, version: None, layer },
        }
    }
}

#[cfg(feature = "lvmt")]
impl From<prooflight_lvmt::VersionedState> for KeyState<'_> {
    fn from(answer: prooflight_lvmt::VersionedState) -> Self {
        use prooflight_lvmt::VersionedState;
        match answer {
            VersionedState::Present { value, since, version } => Self::Present {
                value: ProvenValue::Decoded(value),
                since: Some(since),
                version: Some(version),
                layer: None,
            },
            VersionedState::Deleted { deleted_at, version } => {
                Self::Absent { deleted_at: Some(deleted_at), version: Some(version), layer: None }
            }
            VersionedState::NeverWritten => Self::absent(None),
        }
    }
}

impl<'a> From<PastState<'a>> for KeyState<'a> {
    fn from(answer: PastState<'a>) -> Self {
        match answer {
            PastState::Present { value, since } => {
                Self::present(ProvenValue::Proof(value), Some(since))
            }
            PastState::Deleted { deleted_at } => Self::absent(Some(deleted_at)),
            PastState::NeverWritten => Self::absent(None),
        }
    }
}

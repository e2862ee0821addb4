//! Whether a block is valid.

use prooflight_core::{Code, Error, Result};

/// The answer to whether a block is valid.
///
/// Which case an error belongs to depends on what failed, not on the error alone: bad evidence of others, or a failed
/// store of this node, must never count as a bad block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Verdict<T> {
    /// The block is valid.
    Valid(T),
    /// The block is invalid, for this reason.
    Invalid(Error),
    /// There is no verdict: the block could not be judged, for this reason.
    None(Error),
}

impl<T> Verdict<T> {
    /// The value of a valid block, or the error of either kind.
    pub fn into_result(self) -> Result<T> {
        match self {
            Self::Valid(value) => Ok(value),
            Self::Invalid(error) | Self::None(error) => Err(error),
        }
    }

    /// The verdict on a block by a check that reads nothing but the block and this chain's own state.
    pub(crate) fn by_own_state(checked: Result<T>) -> Self {
        match checked {
            Ok(value) => Self::Valid(value),
            Err(error)
                if matches!(
                    error.code(),
                    Code::Unavailable | Code::Unsupported | Code::Internal
                ) =>
            {
                Self::None(error)
            }
            Err(error) => Self::Invalid(error),
        }
    }
}

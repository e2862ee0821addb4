//! The answer of a verifier.

/// What a proof showed about a key: its value, or that it has none.
///
/// Absence is a result, not an error; everything that is not shown is an [`Error`](crate::Error).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Verified<V, A = ()> {
    /// The key has this value.
    Present(V),
    /// The key has no value; what else the proof shows of its absence is inside.
    Absent(A),
}

impl<V, A> Verified<V, A> {
    /// The value, if the key has one.
    pub fn value(self) -> Option<V> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent(_) => None,
        }
    }

    /// The value, borrowed, if the key has one.
    pub const fn as_value(&self) -> Option<&V> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent(_) => None,
        }
    }
}

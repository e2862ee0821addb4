//! The result type of verifiers.

use core::ops::Deref;

/// A value that a proof has shown against a root that the caller trusts.
///
/// Only Prooflight's verifiers make one, and it cannot be changed, so a function that takes a
/// `Verified<T>` need not ask where it came from. The caller knows which root it was verified against.
/// `T` is the scheme's answer, absence included; anything unproven is an [`Error`](crate::Error).
///
/// It cannot be constructed,
///
/// ```compile_fail,E0423
/// let forged = prooflight_core::Verified(7);
/// ```
///
/// nor converted from another value,
///
/// ```compile_fail,E0277
/// let forged: prooflight_core::Verified<u64> = 7.into();
/// ```
///
/// and its content is read-only.
///
/// ```compile_fail,E0594
/// fn change(mut verified: prooflight_core::Verified<u64>) {
///     *verified = 8;
/// }
/// ```
///
/// ```compile_fail,E0616
/// fn change(mut verified: prooflight_core::Verified<u64>) {
///     verified.0 = 8;
/// }
/// ```
///
/// ```
/// fn read(verified: prooflight_core::Verified<u64>) -> u64 {
///     assert_eq!(*verified, *verified.get());
///     verified.into_inner()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Verified<T>(T);

impl<T> Verified<T> {
    /// Marks a value that a verifier has just proven. Not part of the API: `scripts/lib/verified.test.mjs`
    /// allows calls only in the verifiers' sources.
    #[doc(hidden)]
    pub const fn by_verifier(value: T) -> Self {
        Self(value)
    }

    /// The value.
    pub const fn get(&self) -> &T {
        &self.0
    }

    /// The value, without the mark that it was verified.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Verified<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

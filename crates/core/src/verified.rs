//! What a verifier hands out.

use core::ops::Deref;

/// Something that a proof has shown against a root that the caller trusts.
///
/// Only the verifiers of Prooflight make it, and nothing changes it: a function that takes a
/// `Verified<T>` need not ask where it comes from. What it is verified against, the caller knows. `T`
/// is what the scheme shows, absence included; what is not shown is an [`Error`](crate::Error).
///
/// It cannot be written down,
///
/// ```compile_fail,E0423
/// let forged = prooflight_core::Verified(7);
/// ```
///
/// nor come from anything but a verifier,
///
/// ```compile_fail,E0277
/// let forged: prooflight_core::Verified<u64> = 7.into();
/// ```
///
/// and what is inside is there to be read only.
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
    /// What a verifier has just shown. Not a part of the API: `scripts/lib/verified.test.mjs` keeps
    /// every call to the sources of the verifiers.
    #[doc(hidden)]
    pub const fn by_verifier(value: T) -> Self {
        Self(value)
    }

    /// What was shown.
    pub const fn get(&self) -> &T {
        &self.0
    }

    /// What was shown, without the mark that it was.
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

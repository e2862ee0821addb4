//! A cache of the setups that requests name, since preparing one for pairings is expensive.

use std::cell::RefCell;
use std::rc::Rc;

use prooflight_amt::{VerifyingKey, trusted_key};
use prooflight_core::Result;

/// The number of cached setups; one with vectors of 2^16 entries takes 0.4 MB.
const MAX_CACHED_KEYS: usize = 4;

/// A setup that the caller pins, with the conditions of its use.
pub(crate) struct PinnedSetup<'a> {
    pub(crate) params_id: [u8; 32],
    pub(crate) log_n: u8,
    pub(crate) allow_insecure: bool,
    /// The verifying key, for setups that this build does not have.
    pub(crate) key: Option<&'a [u8]>,
}

/// A setup by its name, or its verifying key.
pub(crate) enum NamedSetup<'a> {
    Dev(u8),
    Ppot(u8),
    Key(&'a [u8]),
}

impl NamedSetup<'_> {
    /// The verifying key; errors are those of `VerifyingKey`.
    pub(crate) fn key(&self) -> Result<Rc<VerifyingKey>> {
        match *self {
            Self::Dev(log_n) => {
                VerifyingKey::dev(log_n).map(|key| cache_key(key, KeyOrigin::BuiltIn))
            }
            Self::Ppot(log_n) => {
                VerifyingKey::ppot(log_n).map(|key| cache_key(key, KeyOrigin::BuiltIn))
            }
            Self::Key(bytes) => match cached_key(|key, _| key.encode() == bytes) {
                Some(key) => Ok(key),
                None => VerifyingKey::decode(bytes).map(|key| cache_key(key, KeyOrigin::Given)),
            },
        }
    }
}

impl PinnedSetup<'_> {
    /// Returns the verifying key of this setup.
    ///
    /// Given bytes that are not that key are `setup_mismatch`, even if this build has the key; without bytes,
    /// a setup that this build does not have is `unknown_setup`.
    pub(crate) fn key(&self) -> Result<Rc<VerifyingKey>> {
        // A key from another request must not be used for a request without a key: the result must not
        // depend on earlier requests.
        let is_it = |key: &VerifyingKey, origin| match self.key {
            Some(bytes) => bytes == key.encode(),
            None => origin == KeyOrigin::BuiltIn,
        };
        if let Some(key) = cached_key(|key, origin| self.is(key) && is_it(key, origin)) {
            return Ok(key);
        }
        let origin = if self.key.is_some() { KeyOrigin::Given } else { KeyOrigin::BuiltIn };
        trusted_key(&self.params_id, self.log_n, self.key).map(|key| cache_key(key, origin))
    }

    fn is(&self, key: &VerifyingKey) -> bool {
        key.params_id() == self.params_id && key.log_n() == self.log_n
    }
}

/// The origin of a cached key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyOrigin {
    /// This build has it.
    BuiltIn,
    /// A request contained its bytes.
    Given,
}

thread_local! {
    /// The setups that were added last, the newest at the end.
    static CACHED_KEYS: RefCell<Vec<(Rc<VerifyingKey>, KeyOrigin)>> = const { RefCell::new(Vec::new()) };
}

fn cached_key(is_it: impl Fn(&VerifyingKey, KeyOrigin) -> bool) -> Option<Rc<VerifyingKey>> {
    let find = |keys: &Vec<(Rc<VerifyingKey>, KeyOrigin)>| {
        let found = keys.iter().find(|(key, origin)| is_it(key, *origin));
        found.map(|(key, _)| Rc::clone(key))
    };
    CACHED_KEYS.with_borrow(find)
}

/// Adds a key to the cache, and removes the oldest one if the cache is full.
fn cache_key(key: VerifyingKey, origin: KeyOrigin) -> Rc<VerifyingKey> {
    let key = Rc::new(key);
    CACHED_KEYS.with_borrow_mut(|keys| {
        keys.retain(|(kept, _)| *kept != key);
        if keys.len() == MAX_CACHED_KEYS {
            keys.remove(0);
        }
        keys.push((Rc::clone(&key), origin));
    });
    key
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use prooflight_core::Reason;

    use super::*;

    #[test]
    fn a_key_that_one_request_brings_is_no_other_request_s() {
        // The square of the development setup's secret: no build has its key.
        let larger = VerifyingKey::dev(5).unwrap();
        let points = &larger.encode()[1..];
        let bytes = [&[4][..], &points[..64], &points[128..]].concat();
        let params_id = VerifyingKey::decode(&bytes).unwrap().params_id();
        let key = |key| PinnedSetup { params_id, log_n: 4, allow_insecure: false, key }.key();
        let refused = |given| key(given).unwrap_err().reason();
        assert_eq!(refused(None), Reason::UnknownSetup);
        assert!(key(Some(&bytes)).is_ok());
        assert_eq!(refused(None), Reason::UnknownSetup);
        assert!(NamedSetup::Key(&bytes).key().is_ok());
        assert_eq!(refused(None), Reason::UnknownSetup);
        assert_eq!(refused(Some(larger.encode())), Reason::SetupMismatch);
        assert!(key(Some(&bytes)).is_ok());
    }
}

//! A cache of the setups that requests name, since preparing one for pairings is expensive.

use std::cell::RefCell;
use std::rc::Rc;

use prooflight_amt::{VerifyingKey, trusted_key};
use prooflight_core::Result;

/// The number of cached setups; one with vectors of 2^16 entries takes 0.4 MB.
const KEPT: usize = 4;

/// A setup that the caller pins, with the conditions of its use.
pub(crate) struct Setup<'a> {
    pub(crate) params_id: [u8; 32],
    pub(crate) log_n: u8,
    pub(crate) allow_insecure: bool,
    /// The verifying key, for setups that this build does not have.
    pub(crate) key: Option<&'a [u8]>,
}

/// A setup by its name, or its verifying key.
pub(crate) enum Named<'a> {
    Dev(u8),
    Ppot(u8),
    Key(&'a [u8]),
}

impl Named<'_> {
    /// The verifying key; errors are those of `VerifyingKey`.
    pub(crate) fn key(&self) -> Result<Rc<VerifyingKey>> {
        match *self {
            Self::Dev(log_n) => VerifyingKey::dev(log_n).map(|key| keep(key, Origin::BuiltIn)),
            Self::Ppot(log_n) => VerifyingKey::ppot(log_n).map(|key| keep(key, Origin::BuiltIn)),
            Self::Key(bytes) => match kept(|key, _| key.encode() == bytes) {
                Some(key) => Ok(key),
                None => VerifyingKey::decode(bytes).map(|key| keep(key, Origin::Given)),
            },
        }
    }
}

impl Setup<'_> {
    /// Returns the verifying key of this setup.
    ///
    /// Given bytes that are not that key are `setup_mismatch`, even if this build has the key; without bytes,
    /// a setup that this build does not have is `unknown_setup`.
    pub(crate) fn key(&self) -> Result<Rc<VerifyingKey>> {
        // A key from another request must not be used for a request without a key: the result must not
        // depend on earlier requests.
        let is_it = |key: &VerifyingKey, origin| match self.key {
            Some(bytes) => bytes == key.encode(),
            None => origin == Origin::BuiltIn,
        };
        if let Some(key) = kept(|key, origin| self.is(key) && is_it(key, origin)) {
            return Ok(key);
        }
        let origin = if self.key.is_some() { Origin::Given } else { Origin::BuiltIn };
        trusted_key(&self.params_id, self.log_n, self.key).map(|key| keep(key, origin))
    }

    fn is(&self, key: &VerifyingKey) -> bool {
        key.params_id() == self.params_id && key.log_n() == self.log_n
    }
}

/// The origin of a cached key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// This build has it.
    BuiltIn,
    /// A request contained its bytes.
    Given,
}

thread_local! {
    /// The setups used last, the newest at the end.
    static KEYS: RefCell<Vec<(Rc<VerifyingKey>, Origin)>> = const { RefCell::new(Vec::new()) };
}

fn kept(is_it: impl Fn(&VerifyingKey, Origin) -> bool) -> Option<Rc<VerifyingKey>> {
    let find = |keys: &Vec<(Rc<VerifyingKey>, Origin)>| {
        let found = keys.iter().find(|(key, origin)| is_it(key, *origin));
        found.map(|(key, _)| Rc::clone(key))
    };
    KEYS.with_borrow(find)
}

/// Adds a key to the cache, and removes the oldest one if the cache is full.
fn keep(key: VerifyingKey, origin: Origin) -> Rc<VerifyingKey> {
    let key = Rc::new(key);
    KEYS.with_borrow_mut(|keys| {
        keys.retain(|(kept, _)| *kept != key);
        if keys.len() == KEPT {
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
        let key = |key| Setup { params_id, log_n: 4, allow_insecure: false, key }.key();
        let refused = |given| key(given).unwrap_err().reason();
        assert_eq!(refused(None), Reason::UnknownSetup);
        assert!(key(Some(&bytes)).is_ok());
        assert_eq!(refused(None), Reason::UnknownSetup);
        assert!(Named::Key(&bytes).key().is_ok());
        assert_eq!(refused(None), Reason::UnknownSetup);
        assert_eq!(refused(Some(larger.encode())), Reason::SetupMismatch);
        assert!(key(Some(&bytes)).is_ok());
    }
}

//! The setups that requests name, each made ready for pairings once.

use std::cell::RefCell;
use std::rc::Rc;

use prooflight_amt::{VerifyingKey, trusted_key};
use prooflight_core::Result;

/// Setups that are kept; one with vectors of 2^16 entries takes 0.4 MB.
const KEPT: usize = 4;

/// A setup that the caller pins, and what is needed to use it.
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
    /// The verifying key; refused as `VerifyingKey` does.
    pub(crate) fn key(&self) -> Result<Rc<VerifyingKey>> {
        match *self {
            Self::Dev(log_n) => VerifyingKey::dev(log_n).map(keep),
            Self::Ppot(log_n) => VerifyingKey::ppot(log_n).map(keep),
            Self::Key(bytes) => match kept(|key| key.encode() == bytes) {
                Some(key) => Ok(key),
                None => VerifyingKey::decode(bytes).map(keep),
            },
        }
    }
}

impl Setup<'_> {
    /// The verifying key of this setup, and no other's.
    ///
    /// Given bytes that are not that key are `setup_mismatch`, whatever this build has; without any, a setup
    /// that it does not have is `unknown_setup`.
    pub(crate) fn key(&self) -> Result<Rc<VerifyingKey>> {
        if let Some(key) = kept(|key| self.is(key)) {
            match self.key {
                Some(bytes) if bytes != key.encode() => {}
                _ => return Ok(key),
            }
        }
        trusted_key(&self.params_id, self.log_n, self.key).map(keep)
    }

    fn is(&self, key: &VerifyingKey) -> bool {
        key.params_id() == self.params_id && key.log_n() == self.log_n
    }
}

thread_local! {
    /// The setups used last, the newest at the end.
    static KEYS: RefCell<Vec<Rc<VerifyingKey>>> = const { RefCell::new(Vec::new()) };
}

fn kept(is_it: impl Fn(&VerifyingKey) -> bool) -> Option<Rc<VerifyingKey>> {
    KEYS.with_borrow(|keys| keys.iter().find(|key| is_it(key)).cloned())
}

/// Keeps a setup, instead of the oldest if there are too many.
fn keep(key: VerifyingKey) -> Rc<VerifyingKey> {
    let key = Rc::new(key);
    KEYS.with_borrow_mut(|keys| {
        keys.retain(|kept| *kept != key);
        if keys.len() == KEPT {
            keys.remove(0);
        }
        keys.push(Rc::clone(&key));
    });
    key
}

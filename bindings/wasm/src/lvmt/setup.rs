//! The setups that requests name, each made ready for pairings once.

use std::cell::RefCell;
use std::rc::Rc;

use prooflight_amt::VerifyingKey;
use prooflight_core::{Error, Hex, Reason, Result};

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

impl Setup<'_> {
    /// The verifying key of this setup, and no other's.
    ///
    /// A given one with another id is `setup_mismatch`, whatever this build has; without one, a setup that
    /// it does not have is `unknown_setup`.
    pub(crate) fn key(&self) -> Result<Rc<VerifyingKey>> {
        match self.key {
            Some(bytes) => self.given(bytes),
            None => self.known(),
        }
    }

    fn given(&self, bytes: &[u8]) -> Result<Rc<VerifyingKey>> {
        if let Some(key) = kept(|key| key.encode() == bytes) {
            return self.check(key);
        }
        let key = self.check(Rc::new(VerifyingKey::decode(bytes)?))?;
        keep(&key);
        Ok(key)
    }

    fn check(&self, key: Rc<VerifyingKey>) -> Result<Rc<VerifyingKey>> {
        let mismatch = |expected: &dyn std::fmt::Display, found: &dyn std::fmt::Display| {
            Err(Error::new(Reason::SetupMismatch, expected, found))
        };
        if key.params_id() != self.params_id {
            return mismatch(&Hex(&self.params_id), &Hex(&key.params_id()));
        }
        if key.log_n() != self.log_n {
            return mismatch(&format_args!("a log_n of {}", self.log_n), &key.log_n());
        }
        Ok(key)
    }

    fn known(&self) -> Result<Rc<VerifyingKey>> {
        let is_it = |key: &VerifyingKey| key.params_id() == self.params_id;
        if let Some(key) = kept(is_it) {
            return self.check(key);
        }
        for make in [VerifyingKey::ppot, VerifyingKey::dev] {
            let key = Rc::new(make(self.log_n)?);
            keep(&key);
            if is_it(&key) {
                return Ok(key);
            }
        }
        let expected = format_args!("the verifying key of the setup {}", Hex(&self.params_id));
        Err(Error::new(Reason::UnknownSetup, expected, "none"))
    }
}

thread_local! {
    /// The setups used last, the newest at the end.
    static KEYS: RefCell<Vec<Rc<VerifyingKey>>> = const { RefCell::new(Vec::new()) };
}

fn kept(is_it: impl Fn(&VerifyingKey) -> bool) -> Option<Rc<VerifyingKey>> {
    KEYS.with_borrow(|keys| keys.iter().find(|key| is_it(key)).cloned())
}

fn keep(key: &Rc<VerifyingKey>) {
    KEYS.with_borrow_mut(|keys| {
        keys.retain(|kept| kept != key);
        if keys.len() == KEPT {
            keys.remove(0);
        }
        keys.push(Rc::clone(key));
    });
}

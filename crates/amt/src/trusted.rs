//! The verifying key of a setup that a caller pins by its id.

use prooflight_core::{Error, Hex, Reason, Result};

use crate::VerifyingKey;

/// Returns the verifying key of the setup with this id, for vectors of `2^log_n` entries.
///
/// `given` may come from anywhere: bytes that are not that key are `setup_mismatch`, even if this build has
/// the key. Without `given`, a setup other than the development one and the Perpetual Powers of Tau is
/// `unknown_setup`.
pub fn trusted_key(params_id: &[u8; 32], log_n: u8, given: Option<&[u8]>) -> Result<VerifyingKey> {
    let is_it = |key: &VerifyingKey| key.params_id() == *params_id && key.log_n() == log_n;
    let refuse = |reason, found: &str| {
        let id = Hex(params_id);
        let expected = format_args!("the verifying key of the setup {id} for 2^{log_n} entries");
        Err(Error::new(reason, expected, found))
    };
    match given.map(VerifyingKey::decode) {
        Some(Ok(key)) if is_it(&key) => return Ok(key),
        Some(Ok(_)) => return refuse(Reason::SetupMismatch, "another's"),
        Some(Err(error)) => return refuse(Reason::SetupMismatch, error.found()),
        None => {}
    }
    for make in [VerifyingKey::ppot, VerifyingKey::dev] {
        let key = make(log_n)?;
        if is_it(&key) {
            return Ok(key);
        }
    }
    refuse(Reason::UnknownSetup, "none")
}

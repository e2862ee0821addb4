//! The caller's trusted inputs: the setup, the arity, the limits, and the roots.

use prooflight_amt::{OpeningKind, VerifyingKey};
use prooflight_core::{Error, Hash, Limits, Reason, Result};

use crate::proof::MAX_KEYS;

/// The largest `log_n`: an AMT has at most 2^16 entries.
pub const MAX_LOG_N: u8 = 16;

/// The parameters of a chain that the verifier pins; they never come from a proof.
#[derive(Clone, Copy, Debug)]
pub struct Params<'a> {
    /// The setup, for AMTs of `2^log_n` entries; each level consumes `log_n` bits of a key's hash.
    pub key: &'a VerifyingKey,
    /// Tree openings have the arity `2^log_arity`; it divides `log_n`.
    pub log_arity: u8,
    /// Whether to accept a setup whose secret is public. Only for tests and development chains.
    pub allow_insecure_setup: bool,
    /// The largest proof, number of keys, and value.
    pub limits: Limits,
}

impl<'a> Params<'a> {
    /// Parameters with the default limits; an insecure setup is refused.
    pub const fn new(key: &'a VerifyingKey, log_arity: u8) -> Self {
        Self { key, log_arity, allow_insecure_setup: false, limits: Limits::DEFAULT }
    }

    /// The same parameters, accepting a setup whose secret is public.
    #[must_use]
    pub const fn with_insecure_setup(self) -> Self {
        Self { allow_insecure_setup: true, ..self }
    }

    /// The same parameters with other limits.
    #[must_use]
    pub const fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The bits of a key hash that each level consumes: 1 to [`MAX_LOG_N`].
    pub const fn log_n(&self) -> u8 {
        self.key.log_n()
    }

    /// Checks the caller's own arguments.
    pub(crate) fn check(&self, root: &LvmtRoot, keys: usize) -> Result<()> {
        self.key.check_secure(self.allow_insecure_setup)?;
        if self.log_n() > MAX_LOG_N {
            let expected = format_args!("a setup with a log_n of at most {MAX_LOG_N}");
            return Err(Error::new(Reason::InvalidArgument, expected, self.log_n()));
        }
        OpeningKind::Tree { log_arity: self.log_arity }.points(self.log_n())?;
        if root.height == u64::MAX {
            return Err(Error::new(
                Reason::InvalidArgument,
                "a height below 2^64 - 1",
                root.height,
            ));
        }
        Limits { max_keys: self.limits.max_keys.min(MAX_KEYS), ..self.limits }.check_keys(keys)
    }
}

/// The trusted roots after the block at `height`: of the state, and of the tree over all blocks so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LvmtRoot {
    /// The compressed commitment of the root AMT.
    pub aroot: [u8; 32],
    /// The root of the tree over the blocks 0 to `height`.
    pub hroot: Hash,
    /// The height of the block after which the state has these roots.
    pub height: u64,
}

impl LvmtRoot {
    /// The roots from a header: `aroot || hroot`, and the header's height.
    pub fn new(bytes: &[u8; 64], height: u64) -> Self {
        let (mut aroot, mut hroot) = ([0; 32], [0; 32]);
        aroot.copy_from_slice(&bytes[..32]);
        hroot.copy_from_slice(&bytes[32..]);
        Self { aroot, hroot, height }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn no_limit_allows_more_keys_than_a_proof_can_have() {
        let key = VerifyingKey::dev(4).unwrap();
        let limits = Limits { max_keys: usize::MAX, ..Limits::DEFAULT };
        let params = Params::new(&key, 2).with_insecure_setup().with_limits(limits);
        let root = LvmtRoot::new(&[0; 64], 0);
        assert_eq!(params.check(&root, MAX_KEYS), Ok(()));
        let error = params.check(&root, MAX_KEYS + 1).unwrap_err();
        assert_eq!(error.reason(), Reason::TooManyKeys);
    }
}

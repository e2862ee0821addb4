//! A chain's configuration: fixed at genesis, pinned by applications, named by its hash in every header.

use alloc::string::String;
use alloc::vec::Vec;
use borsh::{BorshDeserialize, BorshSerialize};

use super::encoding::encode;
use super::scheme_config::{LmptConfig, LvmtConfig, SchemeConfig, wrong};
use crate::{Error, Hash, Limits, Reason, Result, Scheme, blake2b256, order};

/// Everything about a chain that never changes.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ChainConfig {
    /// [`ChainConfig::VERSION`].
    pub version: u8,
    /// A display name; two chains may share it.
    pub chain_id: String,
    /// The schemes that the chain keeps, ascending by id.
    pub schemes: Vec<SchemeConfig>,
    /// The Ed25519 public keys that sign headers, distinct.
    pub authorities: Vec<[u8; 32]>,
    /// The number of authorities that must sign a header, at least 1.
    pub quorum: u16,
    /// Limits of a block.
    pub limits: ChainLimits,
    /// The genesis header's timestamp, in milliseconds since 1970.
    pub genesis_timestamp_ms: u64,
}

/// Limits of a block.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ChainLimits {
    /// The longest key, in bytes.
    pub max_key: u16,
    /// The longest value, in bytes.
    pub max_value: u32,
    /// The largest number of operations in a block.
    pub max_ops: u32,
}

impl ChainLimits {
    /// Limits for proofs about the state: the defaults, with the chain's own limit for values.
    pub fn proof_limits(&self) -> Limits {
        let max_value_bytes = usize::try_from(self.max_value).unwrap_or(usize::MAX);
        Limits { max_value_bytes, ..Limits::DEFAULT }
    }

    /// Checks the raw keys of a query; `key_length` if one is longer than the chain allows.
    pub fn check_keys(&self, keys: &[impl AsRef<[u8]>]) -> Result<()> {
        keys.iter().try_for_each(|key| self.check_key_length(key.as_ref().len() as u64))
    }

    /// Checks the length of a queried raw key, in bytes, like [`check_keys`](Self::check_keys).
    pub fn check_key_length(&self, length: u64) -> Result<()> {
        if length <= self.max_key.into() {
            return Ok(());
        }
        let expected = format_args!("at most {} bytes", self.max_key);
        Err(Error::new(Reason::KeyLength, expected, format_args!("{length} bytes")))
    }
}

impl Default for ChainLimits {
    fn default() -> Self {
        Self { max_key: 256, max_value: 65_536, max_ops: 200_000 }
    }
}

impl ChainConfig {
    /// The version of the format.
    pub const VERSION: u8 = 2;

    /// Whether the chain keeps a scheme.
    pub fn keeps(&self, scheme: Scheme) -> bool {
        self.scheme(scheme).is_some()
    }

    /// The limits of a chain that keeps a scheme; otherwise `wrong_schemes`.
    ///
    /// An older header may have a root of such a scheme, since it is bound to the head by its hash alone.
    pub fn limits_for(&self, scheme: Scheme) -> Result<&ChainLimits> {
        if self.keeps(scheme) {
            return Ok(&self.limits);
        }
        let expected = format_args!("a chain with the scheme {}", scheme.as_str());
        Err(Error::new(Reason::WrongSchemes, expected, "another"))
    }

    /// The ids of the schemes that the chain keeps, ascending.
    pub fn scheme_ids(&self) -> impl Iterator<Item = u8> {
        self.schemes.iter().map(|scheme| scheme.id)
    }

    /// LVMT's setup and shape; `None` if the chain does not keep LVMT or its parameters are not valid.
    pub fn lvmt(&self) -> Option<LvmtConfig> {
        self.scheme(Scheme::Lvmt).and_then(|scheme| LvmtConfig::decode(&scheme.params).ok())
    }

    /// LMPT's eras; `None` if the chain does not keep LMPT or its parameters are not valid.
    pub fn lmpt(&self) -> Option<LmptConfig> {
        self.scheme(Scheme::Lmpt).and_then(|scheme| LmptConfig::decode(&scheme.params).ok())
    }

    fn scheme(&self, scheme: Scheme) -> Option<&SchemeConfig> {
        self.schemes.iter().find(|kept| kept.id == scheme.id())
    }

    /// The hash of the configuration, which every header of the chain names.
    pub fn id(&self) -> Hash {
        blake2b256(&[&encode(self)])
    }

    /// Checks that the configuration is valid; otherwise `invalid_config`.
    pub fn check(&self) -> Result<()> {
        if self.version != Self::VERSION {
            let expected = format_args!("version {}", Self::VERSION);
            return Err(wrong(expected, self.version));
        }
        if !self.scheme_ids().is_sorted_by(|a, b| a < b) {
            let ids: Vec<u8> = self.scheme_ids().collect();
            return Err(wrong("ascending scheme ids", format_args!("{ids:?}")));
        }
        self.schemes.iter().try_for_each(SchemeConfig::check)?;
        let keys = &self.authorities;
        let sorted = order(keys.len(), |a, b| keys[a] < keys[b]);
        if sorted.array_windows().any(|[a, b]| keys[*a] == keys[*b]) {
            return Err(wrong("distinct authorities", "the same key twice"));
        }
        if self.quorum == 0 || usize::from(self.quorum) > self.authorities.len() {
            return Err(wrong(
                format_args!("a quorum of 1 to {}", self.authorities.len()),
                self.quorum,
            ));
        }
        Ok(())
    }
}

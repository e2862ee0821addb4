//! What a chain is: fixed at genesis, pinned by applications, named in every header by its hash.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use borsh::{BorshDeserialize, BorshSerialize};

use super::blake2b256;
use crate::merkle::Hash;
use crate::{Error, Reason, Result, Scheme};

/// The version of [`ChainConfig`] and [`Header`](super::Header).
pub(super) const VERSION: u8 = 1;

/// Everything about a chain that never changes.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ChainConfig {
    /// 1.
    pub version: u8,
    /// A name for people; two chains may share it.
    pub chain_id: String,
    /// The ids of the schemes that the chain keeps, ascending.
    pub schemes: Vec<u8>,
    /// LVMT's setup and shape, if the chain keeps it.
    pub lvmt: Option<LvmtConfig>,
    /// The Ed25519 public keys that sign headers, distinct.
    pub authorities: Vec<[u8; 32]>,
    /// How many of them must sign a header, at least 1.
    pub quorum: u16,
    /// What a block may hold.
    pub limits: ChainLimits,
    /// The genesis header's timestamp, in milliseconds since 1970.
    pub genesis_timestamp_ms: u64,
}

/// The setup and shape of a chain's LVMT store.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct LvmtConfig {
    /// The hash of the verifying key of the trusted setup.
    pub params_id: Hash,
    /// The number of entries of a vector is 2 to this, from 1 to [`MAX_LOG_N`](Self::MAX_LOG_N).
    pub log_n: u8,
    /// The arity of the opening tree is 2 to this; it divides `log_n`.
    pub log_arity: u8,
}

impl LvmtConfig {
    /// The largest `log_n`: a vector has at most 2^16 entries.
    pub const MAX_LOG_N: u8 = 16;

    fn check(&self) -> Result<()> {
        if !(1..=Self::MAX_LOG_N).contains(&self.log_n) {
            let expected = format_args!("a log_n of 1 to {}", Self::MAX_LOG_N);
            return Err(wrong(expected, self.log_n));
        }
        if self.log_n.checked_rem(self.log_arity) != Some(0) {
            let expected = format_args!("a log_arity that divides {}", self.log_n);
            return Err(wrong(expected, self.log_arity));
        }
        Ok(())
    }
}

/// What a block may hold.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ChainLimits {
    /// The longest key, in bytes.
    pub max_key: u16,
    /// The longest value, in bytes.
    pub max_value: u32,
    /// The most operations of a block.
    pub max_ops: u32,
}

impl Default for ChainLimits {
    fn default() -> Self {
        Self { max_key: 256, max_value: 65_536, max_ops: 200_000 }
    }
}

impl ChainConfig {
    /// The hash of the configuration, which every header of the chain names.
    pub fn id(&self) -> Hash {
        blake2b256(&[&encode(self)])
    }

    /// Checks that the configuration is one that a chain can have; otherwise `invalid_config`.
    pub fn check(&self) -> Result<()> {
        if self.version != VERSION {
            return Err(wrong(format_args!("version {VERSION}"), self.version));
        }
        if !self.schemes.is_sorted_by(|a, b| a < b) {
            return Err(wrong("ascending scheme ids", format_args!("{:?}", self.schemes)));
        }
        for &id in &self.schemes {
            Scheme::from_id(id).map_err(|error| wrong(error.expected(), error.found()))?;
        }
        let keeps_lvmt = self.schemes.contains(&Scheme::Lvmt.id());
        if keeps_lvmt != self.lvmt.is_some() {
            return Err(wrong("lvmt parameters if and only if lvmt is a scheme", "otherwise"));
        }
        self.lvmt.as_ref().map_or(Ok(()), LvmtConfig::check)?;
        let distinct: BTreeSet<_> = self.authorities.iter().collect();
        if distinct.len() != self.authorities.len() {
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

/// The borsh encoding, which never fails in memory.
pub(super) fn encode(value: &impl BorshSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Only a length above u32::MAX could fail; the decoder would refuse what is written then.
    let _ = value.serialize(&mut bytes);
    bytes
}

#[cold]
fn wrong(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::InvalidConfig, expected, found)
}

//! The schemes of a chain, and the parameters of those that have some.

use alloc::vec::Vec;
use borsh::{BorshDeserialize, BorshSerialize};

use super::encoding::encode;
use crate::{Error, Hash, Reason, Result, Scheme};

/// A scheme that a chain keeps.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SchemeConfig {
    /// The id of the scheme.
    pub id: u8,
    /// The borsh of the scheme's parameters: [`LvmtConfig`] of `lvmt`, [`LmptConfig`] of `lmpt`, empty for
    /// the others.
    pub params: Vec<u8>,
}

impl SchemeConfig {
    /// A scheme without parameters.
    pub const fn without_params(scheme: Scheme) -> Self {
        Self { id: scheme.id(), params: Vec::new() }
    }

    /// LVMT with its setup and shape.
    pub fn lvmt(config: &LvmtConfig) -> Self {
        Self { id: Scheme::Lvmt.id(), params: encode(config) }
    }

    /// LMPT with its eras.
    pub fn lmpt(config: &LmptConfig) -> Self {
        Self { id: Scheme::Lmpt.id(), params: encode(config) }
    }

    /// Checks that a chain can keep the scheme with these parameters.
    pub(super) fn check(&self) -> Result<()> {
        match Scheme::from_id(self.id) {
            Ok(Scheme::Lvmt) => LvmtConfig::decode(&self.params)?.check(),
            Ok(Scheme::Lmpt) => LmptConfig::decode(&self.params)?.check(),
            Ok(_) if self.params.is_empty() => Ok(()),
            Ok(scheme) => {
                let expected = format_args!("no parameters of {}", scheme.as_str());
                Err(wrong(expected, format_args!("{} bytes", self.params.len())))
            }
            Err(error) => Err(wrong(error.expected(), error.found())),
        }
    }
}

/// The setup and shape of a chain's LVMT store.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct LvmtConfig {
    /// The hash of the verifying key of the trusted setup.
    pub params_id: Hash,
    /// log2 of the number of entries of a vector, from 1 to [`MAX_LOG_N`](Self::MAX_LOG_N).
    pub log_n: u8,
    /// log2 of the opening tree's arity; it divides `log_n`.
    pub log_arity: u8,
}

impl LvmtConfig {
    /// The largest `log_n`: a vector has at most 2^16 entries.
    pub const MAX_LOG_N: u8 = 16;

    pub(super) fn decode(params: &[u8]) -> Result<Self> {
        borsh::from_slice(params).map_err(|_| {
            let found = format_args!("{} bytes of another form", params.len());
            wrong("the parameters of lvmt: params_id, log_n, log_arity", found)
        })
    }

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

/// The eras of a chain's LMPT store. An era ends with the first block that reaches one of the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct LmptConfig {
    /// The blocks of an era, at least 1.
    pub era_blocks: u32,
    /// The normalised operations that end an era, at least 1.
    pub era_ops: u32,
    /// The sum of 64 bytes and the value's length over an era's normalised operations that ends it, at
    /// least 1.
    pub era_bytes: u64,
}

impl LmptConfig {
    pub(super) fn decode(params: &[u8]) -> Result<Self> {
        borsh::from_slice(params).map_err(|_| {
            let found = format_args!("{} bytes of another form", params.len());
            wrong("the parameters of lmpt: era_blocks, era_ops, era_bytes", found)
        })
    }

    /// Checks that every bound is at least 1; otherwise `invalid_config`.
    pub fn check(&self) -> Result<()> {
        let bounds = [
            ("era_blocks", self.era_blocks.into()),
            ("era_ops", self.era_ops.into()),
            ("era_bytes", self.era_bytes),
        ];
        bounds.into_iter().try_for_each(|(name, bound)| match bound {
            0 => Err(wrong(format_args!("{name} of at least 1"), 0)),
            _ => Ok(()),
        })
    }
}

impl Default for LmptConfig {
    /// 1,000 blocks, 500,000 operations, 256 MiB.
    fn default() -> Self {
        Self { era_blocks: 1_000, era_ops: 500_000, era_bytes: 256 << 20 }
    }
}

#[cold]
pub(super) fn wrong(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::InvalidConfig, expected, found)
}

//! Reads a chain's configuration and limits from a request.

use prooflight_core::chain::ChainConfig;
#[cfg(any(feature = "avl", feature = "chain"))]
use prooflight_core::chain::ChainLimits;
use prooflight_core::{Error, Reason, Result};

use crate::wire::RequestReader;

/// Reads the bytes of an encoded `ChainConfig`.
pub(crate) fn config(r: &mut RequestReader<'_>) -> Result<ChainConfig> {
    borsh::from_slice(r.bytes()?).map_err(|error| Error::new(Reason::Bug, "a configuration", error))
}

/// Reads `ChainLimits`.
#[cfg(any(feature = "avl", feature = "chain"))]
pub(crate) fn limits(r: &mut RequestReader<'_>) -> Result<ChainLimits> {
    Ok(ChainLimits {
        max_key: u16::from_le_bytes(r.array()?),
        max_value: r.u32()?,
        max_ops: r.u32()?,
    })
}

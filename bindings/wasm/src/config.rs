//! Reads a chain's configuration and limits from a request.

use prooflight_core::chain::ChainConfig;
#[cfg(any(feature = "avl", feature = "chain"))]
use prooflight_core::chain::ChainLimits;
use prooflight_core::{Error, Reason, Result};

use crate::wire::{RequestReader, RequestValue};

/// The bytes of an encoded `ChainConfig`.
impl RequestValue<'_> for ChainConfig {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        let bytes: &[u8] = r.read()?;
        borsh::from_slice(bytes).map_err(|error| Error::new(Reason::Bug, "a configuration", error))
    }
}

#[cfg(any(feature = "avl", feature = "chain"))]
crate::wire::requests! {
    extern struct ChainLimits { max_key: u16, max_value: u32, max_ops: u32, }
}

//! The checkpoint that an application pins.

use super::ChainConfig;
use crate::{Hash, Result};

/// A header that the application trusts, with the whole configuration of its chain.
///
/// Authorities, quorum, schemes and limits come from here alone, never from a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The chain.
    pub config: ChainConfig,
    /// The height of the trusted header.
    pub height: u64,
    /// The hash of the trusted header.
    pub header_hash: Hash,
}

impl Checkpoint {
    /// Checks the configuration; `invalid_config` if it is not valid.
    pub fn check(&self) -> Result<()> {
        self.config.check()
    }
}

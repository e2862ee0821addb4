//! A caller's trust anchors.

#[cfg(feature = "lvmt")]
use prooflight_core::Result;
use prooflight_core::chain::ChainConfig;
#[cfg(feature = "lvmt")]
pub use prooflight_lvmt::state::{TrustedSetup, setup_key};

/// The configuration of a chain from the caller's own checkpoint, and further parameters of its schemes.
#[derive(Clone, Copy, Debug)]
pub struct Trust<'a> {
    pub(crate) config: &'a ChainConfig,
    #[cfg(feature = "lvmt")]
    setup: Option<TrustedSetup<'a>>,
}

impl<'a> Trust<'a> {
    /// Trust in a chain, for statements that do not need the setup of `lvmt`.
    pub const fn new(config: &'a ChainConfig) -> Self {
        Self {
            config,
            #[cfg(feature = "lvmt")]
            setup: None,
        }
    }

    /// The same, with the trusted setup of the chain's `lvmt`; see [`setup_key`].
    #[cfg(feature = "lvmt")]
    #[must_use]
    pub const fn with_setup(self, setup: TrustedSetup<'a>) -> Self {
        Self { setup: Some(setup), ..self }
    }

    /// The setup; `unknown_setup` if it was not given.
    #[cfg(feature = "lvmt")]
    pub(crate) fn setup(&self) -> Result<TrustedSetup<'a>> {
        use prooflight_core::{Error, Reason};
        let missing = || Error::new(Reason::UnknownSetup, "the setup of the chain's lvmt", "none");
        self.setup.ok_or_else(missing)
    }
}

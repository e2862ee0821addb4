//! The forks whose rules this crate executes.

use revm::primitives::hardfork::SpecId;

/// A fork of the execution layer, since the merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fork {
    /// The merge.
    Paris,
    /// `PUSH0`, a warm coinbase, limits of initcode.
    Shanghai,
    /// Blobs, transient storage.
    Cancun,
    /// Delegations, the precompiles of BLS12-381, the price floor of calldata.
    Prague,
    /// A gas limit of transactions, `CLZ`, the precompile of P-256.
    Osaka,
}

impl Fork {
    /// All forks, in their order.
    pub const ALL: [Self; 5] =
        [Self::Paris, Self::Shanghai, Self::Cancun, Self::Prague, Self::Osaka];

    /// The rules in revm.
    pub(crate) const fn spec(self) -> SpecId {
        match self {
            Self::Paris => SpecId::MERGE,
            Self::Shanghai => SpecId::SHANGHAI,
            Self::Cancun => SpecId::CANCUN,
            Self::Prague => SpecId::PRAGUE,
            Self::Osaka => SpecId::OSAKA,
        }
    }
}

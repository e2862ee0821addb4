//! The forks of the beacon chain, and the indices of light-client data in each one's state.

use core::fmt;

/// A fork that light-client data depends on, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Fork {
    /// Sync committees begin.
    Altair,
    /// The merge; light-client data are unchanged.
    Bellatrix,
    /// Headers contain an execution header.
    Capella,
    /// Execution headers have two fields for blobs.
    Deneb,
    /// The state has more fields, so that branches are longer.
    Electra,
    /// Fork digests depend on the blob parameters.
    Fulu,
    /// Headers contain an execution block hash; containers are progressive.
    Gloas,
}

impl Fork {
    /// Every fork, in order.
    pub const ALL: [Self; 7] = [
        Self::Altair,
        Self::Bellatrix,
        Self::Capella,
        Self::Deneb,
        Self::Electra,
        Self::Fulu,
        Self::Gloas,
    ];

    /// The generalized index of `finalized_checkpoint.root` in a state.
    pub(crate) const fn finalized_root(self) -> u64 {
        match self {
            Self::Altair | Self::Bellatrix | Self::Capella | Self::Deneb => 105,
            Self::Electra | Self::Fulu => 169,
            Self::Gloas => 735,
        }
    }

    /// The generalized index of `current_sync_committee` in a state.
    pub(crate) const fn current_committee(self) -> u64 {
        match self {
            Self::Altair | Self::Bellatrix | Self::Capella | Self::Deneb => 54,
            Self::Electra | Self::Fulu => 86,
            Self::Gloas => 2945,
        }
    }

    /// The generalized index of `next_sync_committee` in a state.
    pub(crate) const fn next_committee(self) -> u64 {
        self.current_committee() + 1
    }
}

impl fmt::Display for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Altair => "altair",
            Self::Bellatrix => "bellatrix",
            Self::Capella => "capella",
            Self::Deneb => "deneb",
            Self::Electra => "electra",
            Self::Fulu => "fulu",
            Self::Gloas => "gloas",
        })
    }
}

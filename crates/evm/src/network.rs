//! Networks: which fork's rules hold at which time.

use alloc::vec::Vec;
use core::fmt;

use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_ethereum::BlobParams;

use crate::fork::Fork;

/// The start of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkStart {
    /// The timestamp of its first block, or an earlier one.
    pub timestamp: u64,
    /// The fork.
    pub fork: Fork,
    /// The version of the beacon chain's fork that started with it.
    pub beacon_version: [u8; 4],
}

/// The parameters of blobs from a time on: a fork's, or those of a fork that changed nothing else (EIP-7892).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobStart {
    /// The timestamp of the first block.
    pub timestamp: u64,
    /// The parameters.
    pub params: BlobParams,
}

/// What the execution of a network's blocks depends on besides their headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionNetwork {
    chain_id: u64,
    forks: Vec<ForkStart>,
    blobs: Vec<BlobStart>,
    end: Option<u64>,
}

/// How a caller knows that a block is of the fork that the network's schedule gives it.
///
/// A schedule does not know of forks that were set after it was written. A block after such a fork looks like one before
/// it, but is executed by other rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkEvidence {
    /// The fork version that the signatures of the block's beacon slot cover.
    BeaconVersion([u8; 4]),
    /// The caller says so.
    Named(Fork),
    /// None: the block is refused if it is of the newest fork or parameters that the schedule has.
    Schedule,
}

impl ExecutionNetwork {
    /// Ethereum.
    pub fn mainnet() -> Self {
        let forks = [0, 1_681_338_455, 1_710_338_135, 1_746_612_311, 1_764_798_551];
        let versions = [[2, 0, 0, 0], [3, 0, 0, 0], [4, 0, 0, 0], [5, 0, 0, 0], [6, 0, 0, 0]];
        Self::public(1, forks, versions, [1_765_290_071, 1_767_747_671])
    }

    /// The test network Sepolia. Its blocks since Gloas are not executed.
    pub fn sepolia() -> Self {
        let forks = [0, 1_677_557_088, 1_706_655_072, 1_741_159_776, 1_760_427_360];
        let versions = [0x71, 0x72, 0x73, 0x74, 0x75].map(|last| [0x90, 0, 0, last]);
        let network = Self::public(11_155_111, forks, versions, [1_761_017_184, 1_761_607_008]);
        Self { end: Some(1_791_294_816), ..network }
    }

    /// The test network Hoodi.
    pub fn hoodi() -> Self {
        let forks = [0, 0, 0, 1_742_999_832, 1_761_677_592];
        let versions = [0x30, 0x40, 0x50, 0x60, 0x70].map(|first| [first, 0, 0x09, 0x10]);
        Self::public(560_048, forks, versions, [1_762_365_720, 1_762_955_544])
    }

    /// A public network: the starts of all forks, and of the two forks of blobs after Osaka.
    fn public(
        chain_id: u64,
        forks: [u64; 5],
        versions: [[u8; 4]; 5],
        blob_forks: [u64; 2],
    ) -> Self {
        let starts = Fork::ALL.into_iter().zip(forks).zip(versions);
        let starts = starts.map(|((fork, timestamp), beacon_version)| ForkStart {
            timestamp,
            fork,
            beacon_version,
        });
        let [_, _, cancun, prague, osaka] = forks;
        let blobs = [
            (cancun, 3, 6, 3_338_477),
            (prague, 6, 9, 5_007_716),
            (blob_forks[0], 10, 15, 8_346_193),
            (blob_forks[1], 14, 21, 11_684_671),
        ];
        let blobs = blobs.map(|(timestamp, target, max, update_fraction)| {
            let has_reserve = timestamp >= osaka;
            BlobStart {
                timestamp,
                params: BlobParams { target, max, update_fraction, has_reserve },
            }
        });
        Self { chain_id, forks: starts.collect(), blobs: blobs.to_vec(), end: None }
    }

    /// Another network with this schedule; both lists are ascending. `end` is when a fork starts that this crate does not
    /// execute, if there is one.
    ///
    /// `invalid_config` if a list is not ascending, or has no first fork.
    pub fn new(
        chain_id: u64,
        forks: Vec<ForkStart>,
        blobs: Vec<BlobStart>,
        end: Option<u64>,
    ) -> Result<Self> {
        let ordered = forks
            .is_sorted_by(|one, next| one.timestamp <= next.timestamp && one.fork < next.fork)
            && blobs.is_sorted_by(|one, next| one.timestamp < next.timestamp);
        if forks.is_empty() || !ordered {
            let found = format_args!("{forks:?} and {blobs:?}");
            return Err(Error::new(Reason::InvalidConfig, "forks in ascending order", found));
        }
        Ok(Self { chain_id, forks, blobs, end })
    }

    /// The number that transactions sign, and that the instruction `CHAINID` gives.
    pub const fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// The fork of a block that evidence confirms; `unsupported_fork` if it does not, or if the time is before the merge.
    pub fn confirmed_fork(&self, timestamp: u64, evidence: ForkEvidence) -> Result<Fork> {
        let start = self.start_at(timestamp)?;
        match evidence {
            ForkEvidence::BeaconVersion(version) if version != start.beacon_version => {
                let expected = format_args!("the fork version {}", Hex(&start.beacon_version));
                Err(unsupported(expected, Hex(&version)))
            }
            ForkEvidence::Named(fork) if fork != start.fork => {
                let expected = format_args!("{:?} at {timestamp}", start.fork);
                Err(unsupported(expected, format_args!("{fork:?}, as named")))
            }
            ForkEvidence::Schedule if timestamp >= self.newest() => {
                let expected =
                    format_args!("a block before {}, or a fork that is named", self.newest());
                Err(unsupported(expected, format_args!("a block at {timestamp}")))
            }
            _ => Ok(start.fork),
        }
    }

    /// The fork at a time; `unsupported_fork` before the merge.
    pub fn fork_at(&self, timestamp: u64) -> Result<Fork> {
        self.start_at(timestamp).map(|start| start.fork)
    }

    /// The parameters of blobs at a time; `None` before the first.
    pub fn blobs_at(&self, timestamp: u64) -> Option<&BlobParams> {
        let started = self.blobs.iter().rev().find(|start| start.timestamp <= timestamp);
        started.map(|start| &start.params)
    }

    fn start_at(&self, timestamp: u64) -> Result<&ForkStart> {
        if let Some(end) = self.end.filter(|end| timestamp >= *end) {
            let expected = format_args!("a block before {end}, when a later fork starts");
            return Err(unsupported(expected, format_args!("one at {timestamp}")));
        }
        let started = self.forks.iter().rev().find(|start| start.timestamp <= timestamp);
        started.ok_or_else(|| {
            unsupported("a block since the merge", format_args!("one at {timestamp}"))
        })
    }

    /// The time from which a block may be of a fork that the schedule does not have.
    fn newest(&self) -> u64 {
        let forks = self.forks.iter().map(|start| start.timestamp);
        let blobs = self.blobs.iter().map(|start| start.timestamp);
        forks.chain(blobs).max().unwrap_or_default()
    }
}

#[cold]
fn unsupported(expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(Reason::UnsupportedFork, expected, found)
}

//! The public networks.

use alloc::borrow::Cow;

use super::{BlobParameters, ForkStart, Network, NetworkParameters, Preset};

/// The epoch of a fork that is not scheduled.
const UNSCHEDULED_EPOCH: u64 = u64::MAX;

impl Network {
    /// Ethereum; Gloas is not scheduled there yet.
    pub const MAINNET: Self = Self(NetworkParameters {
        genesis_validators_root: [
            0x4b, 0x36, 0x3d, 0xb9, 0x4e, 0x28, 0x61, 0x20, 0xd7, 0x6e, 0xb9, 0x05, 0x34, 0x0f,
            0xdd, 0x4e, 0x54, 0xbf, 0xe9, 0xf0, 0x6b, 0xf3, 0x3f, 0xf6, 0xcf, 0x5a, 0xd2, 0x7f,
            0x51, 0x1b, 0xfe, 0x95,
        ],
        genesis_time: 1_606_824_023,
        seconds_per_slot: 12,
        genesis_version: [0, 0, 0, 0],
        forks: starts(
            [74_240, 144_896, 194_048, 269_568, 364_032, 411_392, UNSCHEDULED_EPOCH],
            [1, 0, 0, 0],
            [1, 0, 0, 0],
        ),
        blobs: Cow::Borrowed(&[
            BlobParameters { epoch: 364_032, max_blobs: 9 },
            BlobParameters { epoch: 412_672, max_blobs: 15 },
            BlobParameters { epoch: 419_072, max_blobs: 21 },
        ]),
        preset: Preset::MAINNET,
    });

    /// The test network Sepolia.
    pub const SEPOLIA: Self = Self(NetworkParameters {
        genesis_validators_root: [
            0xd8, 0xea, 0x17, 0x1f, 0x3c, 0x94, 0xae, 0xa2, 0x1e, 0xbc, 0x42, 0xa1, 0xed, 0x61,
            0x05, 0x2a, 0xcf, 0x3f, 0x92, 0x09, 0xc0, 0x0e, 0x4e, 0xfb, 0xaa, 0xdd, 0xac, 0x09,
            0xed, 0x9b, 0x80, 0x78,
        ],
        genesis_time: 1_655_733_600,
        seconds_per_slot: 12,
        genesis_version: [0x90, 0, 0, 0x69],
        forks: starts(
            [50, 100, 56_832, 132_608, 222_464, 272_640, 353_024],
            [0x90, 0, 0, 0x70],
            [0, 0, 0, 1],
        ),
        blobs: Cow::Borrowed(&[
            BlobParameters { epoch: 222_464, max_blobs: 9 },
            BlobParameters { epoch: 274_176, max_blobs: 15 },
            BlobParameters { epoch: 275_712, max_blobs: 21 },
        ]),
        preset: Preset::MAINNET,
    });

    /// The test network Hoodi; Gloas is not scheduled there yet.
    pub const HOODI: Self = Self(NetworkParameters {
        genesis_validators_root: [
            0x21, 0x2f, 0x13, 0xfc, 0x4d, 0xf0, 0x78, 0xb6, 0xcb, 0x7d, 0xb2, 0x28, 0xf1, 0xc8,
            0x30, 0x75, 0x66, 0xdc, 0xec, 0xf9, 0x00, 0x86, 0x74, 0x01, 0xa9, 0x20, 0x23, 0xd7,
            0xba, 0x99, 0xcb, 0x5f,
        ],
        genesis_time: 1_742_213_400,
        seconds_per_slot: 12,
        genesis_version: [0x10, 0, 0x09, 0x10],
        forks: starts(
            [0, 0, 0, 0, 2048, 50_688, UNSCHEDULED_EPOCH],
            [0x20, 0, 0x09, 0x10],
            [0x10, 0, 0, 0],
        ),
        blobs: Cow::Borrowed(&[
            BlobParameters { epoch: 2048, max_blobs: 9 },
            BlobParameters { epoch: 52_480, max_blobs: 15 },
            BlobParameters { epoch: 54_016, max_blobs: 21 },
        ]),
        preset: Preset::MAINNET,
    });
}

/// Forks at these epochs, with versions that ascend from Altair's by `step`.
const fn starts(epochs: [u64; 7], altair: [u8; 4], step: [u8; 4]) -> [ForkStart; 7] {
    let mut starts = [ForkStart { epoch: UNSCHEDULED_EPOCH, version: altair }; 7];
    let mut version = altair;
    let mut at = 0;
    while at < starts.len() {
        starts[at] = ForkStart { epoch: epochs[at], version };
        let mut byte = 0;
        while byte < version.len() {
            version[byte] += step[byte];
            byte += 1;
        }
        at += 1;
    }
    starts
}

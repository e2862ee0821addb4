//! Signing domains and fork digests.

use prooflight_core::Hash;

use crate::fork::Fork;
use crate::header::BeaconHeader;
use crate::network::Network;
use crate::ssz::{hash_pair, leaf, sha256};

/// `DOMAIN_SYNC_COMMITTEE`.
const DOMAIN_SYNC_COMMITTEE: [u8; 4] = [7, 0, 0, 0];

impl Network {
    /// The message that a committee signs for a header at `signature_slot`: `compute_signing_root`.
    ///
    /// The fork version is that of the previous slot, in which the signed block was the head.
    pub(crate) fn signing_root(&self, header: &BeaconHeader, signature_slot: u64) -> Hash {
        let version = self.fork_version(signature_slot.max(1) - 1);
        let mut domain = self.fork_data_root(version);
        domain.copy_within(..28, 4);
        domain[..4].copy_from_slice(&DOMAIN_SYNC_COMMITTEE);
        hash_pair(&header.root(), &domain)
    }

    /// The fork digest of an epoch: `compute_fork_digest`.
    pub fn fork_digest(&self, epoch: u64) -> [u8; 4] {
        let mut root = self.fork_data_root(self.version_of_epoch(epoch));
        if self.fork_of_epoch(epoch) >= Some(Fork::Fulu) {
            let blobs = self.parameters().blobs.iter().rev().find(|blobs| blobs.epoch <= epoch);
            let (since, most) = blobs.map_or((0, 0), |blobs| (blobs.epoch, blobs.max_blobs));
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&since.to_le_bytes());
            bytes[8..].copy_from_slice(&most.to_le_bytes());
            for (byte, mask) in root.iter_mut().zip(sha256(&bytes)) {
                *byte ^= mask;
            }
        }
        let [a, b, c, d, ..] = root;
        [a, b, c, d]
    }

    /// Whether an epoch of the network, as known to this build, has this fork digest.
    pub(crate) fn knows_digest(&self, digest: [u8; 4]) -> bool {
        let forks = self.parameters().forks.iter().map(|fork| fork.epoch);
        let blobs = self.parameters().blobs.iter().map(|blobs| blobs.epoch);
        let mut changes = forks.chain(blobs).chain([0]).filter(|epoch| *epoch < u64::MAX);
        changes.any(|epoch| self.fork_digest(epoch) == digest)
    }

    fn fork_data_root(&self, version: [u8; 4]) -> Hash {
        hash_pair(&leaf(&version), &self.parameters().genesis_validators_root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digests announced by nodes of the networks.
    #[test]
    fn digests_are_those_of_the_networks() {
        for (epoch, digest) in [
            (74_240, [0xaf, 0xca, 0xab, 0xa0]),
            (144_896, [0x4a, 0x26, 0xc5, 0x8b]),
            (194_048, [0xbb, 0xa4, 0xda, 0x96]),
            (269_568, [0x6a, 0x95, 0xa1, 0xa9]),
            (364_032, [0xad, 0x53, 0x2c, 0xeb]),
            (411_392, [0xcc, 0x2c, 0x5c, 0xdb]),
            (412_671, [0xcc, 0x2c, 0x5c, 0xdb]),
            (412_672, [0xcb, 0x0d, 0x1a, 0xcc]),
            (419_072, [0x8c, 0x9f, 0x62, 0xfe]),
            (500_000, [0x8c, 0x9f, 0x62, 0xfe]),
        ] {
            assert_eq!(Network::MAINNET.fork_digest(epoch), digest, "{epoch}");
            assert!(Network::MAINNET.knows_digest(digest));
        }
        assert_eq!(Network::HOODI.fork_digest(100_000), [0xc6, 0xec, 0xb7, 0x6c]);
        assert!(!Network::HOODI.knows_digest([0x8c, 0x9f, 0x62, 0xfe]));
    }
}

//! The AMB-tree: a binary Merkle tree over the zones (the aggregate level of section IV-B), and
//! whole proofs (section V-A).

use prooflight_core::{ByteReader, Hash, keccak256};

use super::index::{self, ZoneIndex};
use super::{Key, KeyVersion, LOG_ZONES, NO_NODE, Value};
use crate::Result;

/// An AMB-tree of one committee.
pub struct AmbTree {
    zones: Vec<ZoneIndex>,
    /// Node n is above the nodes 2n and 2n + 1; node 1 is the root, the last half are the zones.
    aggregate: Vec<Hash>,
}

impl AmbTree {
    /// An empty tree whose Merkle B+ trees have this fan-out, 3 to 127.
    pub fn new(fan_out: u8) -> Result<Self> {
        let zones =
            (0..1 << LOG_ZONES).map(|_| ZoneIndex::new(fan_out)).collect::<Result<Vec<_>>>()?;
        let mut aggregate = vec![NO_NODE; 2 << LOG_ZONES];
        for node in (1..1 << LOG_ZONES).rev() {
            aggregate[node] = keccak256(&[aggregate[2 * node..][..2].as_flattened()]);
        }
        Ok(Self { zones, aggregate })
    }

    /// The root.
    pub fn root(&self) -> Hash {
        self.aggregate[1]
    }

    /// Puts values at a block; returns the root. Every node is hashed once, after the last value.
    ///
    /// Refused if a key has a version of a later block.
    pub fn put(&mut self, block: u64, changes: &[(Key, Value)]) -> Result<Hash> {
        let mut changed = [false; 2 << LOG_ZONES];
        for &(key, value) in changes {
            let key = keccak256(&[&key]);
            let zone = zone(&key);
            self.zones[zone].put(&key, KeyVersion { block, value })?;
            changed[zone + (1 << LOG_ZONES)] = true;
        }
        for (zone, node) in (1 << LOG_ZONES..).take(1 << LOG_ZONES).enumerate() {
            if changed[node] {
                self.aggregate[node] = self.zones[zone].root();
                changed[node / 2] = true;
            }
        }
        for node in (1..1 << LOG_ZONES).rev() {
            if changed[node] {
                let children = &self.aggregate[2 * node..][..2];
                self.aggregate[node] = keccak256(&[children.as_flattened()]);
                changed[node / 2] = true;
            }
        }
        Ok(self.root())
    }

    /// The paper's `Get`: proves a key's newest version; `None` if it was never written, for which
    /// the paper has no proof.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        self.history(key, u64::MAX, u64::MAX)
    }

    /// The paper's `Hist`: proves a key's versions in the blocks `from..=to`, and the one in force
    /// before them. With `from` equal to `to` it is `Get` at that block.
    pub fn history(&self, key: &Key, from: u64, to: u64) -> Option<Vec<u8>> {
        let key = keccak256(&[key]);
        let zone = zone(&key);
        let mut proof = Vec::new();
        for node in path_to_root(zone) {
            proof.extend(self.aggregate[node ^ 1]);
        }
        self.zones[zone].prove(&key, from, to, &mut proof).then_some(proof)
    }
}

/// Verifies a proof of [`AmbTree::get`]; returns the newest version of the key.
pub fn verify_get(root: &Hash, key: &Key, proof: &[u8]) -> Result<KeyVersion> {
    let versions = verify_history(root, key, u64::MAX, u64::MAX, proof)?;
    versions.first().copied().ok_or_else(|| "no version".into())
}

/// Verifies a proof of [`AmbTree::history`]; returns the versions, newest first.
pub fn verify_history(
    root: &Hash,
    key: &Key,
    from: u64,
    to: u64,
    proof: &[u8],
) -> Result<Vec<KeyVersion>> {
    let key = keccak256(&[key]);
    let mut reader = ByteReader::new(proof);
    let beside = reader.take(32 * LOG_ZONES as usize)?;
    let (versions, mut hash) = index::verify(&key, from, to, &mut reader)?;
    reader.finish()?;
    for (node, beside) in path_to_root(zone(&key)).zip(beside.chunks(32)) {
        let [left, right] = if node % 2 == 0 { [&hash, beside] } else { [beside, &hash[..]] };
        hash = keccak256(&[left, right]);
    }
    if hash == *root { Ok(versions) } else { Err("another root".into()) }
}

/// The zone of a hashed key.
fn zone(key: &Hash) -> usize {
    usize::from(key[0] >> (8 - LOG_ZONES))
}

/// The nodes of the aggregate level from a zone up to the root, which is left out.
fn path_to_root(zone: usize) -> impl Iterator<Item = usize> {
    (0..LOG_ZONES).map(move |level| (zone + (1 << LOG_ZONES)) >> level)
}

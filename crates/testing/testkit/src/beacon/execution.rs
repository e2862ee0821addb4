//! Execution headers of made-up blocks, Capella to Fulu.

use prooflight_beacon::Fork;
use prooflight_core::Hash;
use sha2::{Digest, Sha256};

use super::tree::{leaf, merkle_root, pair};

/// The fields of an execution header, derived from its slot.
pub struct ExecutionHeader {
    hashes: [Hash; 7],
    bloom: [u8; 256],
    numbers: [u64; 4],
    extra: Vec<u8>,
    blobs: [u64; 2],
    of: Fork,
}

/// A hash derived from a slot and a name.
pub fn made_up(slot: u64, name: &str) -> Hash {
    Sha256::digest([&slot.to_le_bytes(), name.as_bytes()].concat()).into()
}

pub fn block_hash(slot: u64) -> Hash {
    made_up(slot, "block")
}

impl ExecutionHeader {
    pub fn new(slot: u64, of: Fork) -> Self {
        let names =
            ["parent", "fees", "state", "receipts", "randao", "transactions", "withdrawals"];
        let bloom: Vec<u8> = (0..8).flat_map(|part: u8| made_up(slot, &part.to_string())).collect();
        Self {
            hashes: names.map(|name| made_up(slot, name)),
            bloom: bloom.try_into().unwrap(),
            numbers: [slot, 30_000_000, 1 + slot, 12 * slot],
            extra: b"made up for tests, so and so long"[..usize::try_from(slot % 33).unwrap()]
                .to_vec(),
            blobs: if of >= Fork::Deneb { [131_072, slot] } else { [0; 2] },
            of,
        }
    }

    fn block_hash(&self) -> Hash {
        block_hash(self.numbers[0])
    }

    /// The roots of the fields, padded to a power of two.
    pub fn leaves(&self) -> Vec<Hash> {
        let [parent, fees, state, receipts, randao, transactions, withdrawals] = self.hashes;
        let mut leaves = vec![parent, leaf(&fees[..20]), state, receipts];
        leaves.push(merkle_root(self.bloom.as_chunks().0));
        leaves.push(randao);
        leaves.extend(self.numbers.map(|number| leaf(&number.to_le_bytes())));
        leaves.push(pair(&leaf(&self.extra), &leaf(&(self.extra.len() as u64).to_le_bytes())));
        leaves.extend([leaf(&[7]), self.block_hash(), transactions, withdrawals]);
        if self.of >= Fork::Deneb {
            leaves.extend(self.blobs.map(|number| leaf(&number.to_le_bytes())));
        }
        leaves.resize(leaves.len().next_power_of_two(), [0; 32]);
        leaves
    }

    /// The encoding in the containers of a fork.
    pub fn ssz(&self, format: Fork) -> Vec<u8> {
        let [parent, fees, state, receipts, randao, transactions, withdrawals] = self.hashes;
        let mut bytes =
            [&parent[..], &fees[..20], &state, &receipts, &self.bloom, &randao].concat();
        bytes.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        let fixed: u32 = if format >= Fork::Deneb { 584 } else { 568 };
        bytes.extend(fixed.to_le_bytes());
        bytes.extend(leaf(&[7]));
        bytes.extend([self.block_hash(), transactions, withdrawals].as_flattened());
        if format >= Fork::Deneb {
            bytes.extend(self.blobs.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(&self.extra);
        bytes
    }
}

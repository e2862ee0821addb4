//! Beacon blocks of Deneb, and a beacon node's messages about them to light clients.

use prooflight_core::Hash;
use sha2::{Digest, Sha256};

/// A recorded `SignedBeaconBlock` of Deneb.
pub(crate) struct BeaconBlock {
    pub(crate) slot: u64,
    pub(crate) parent_root: Hash,
    pub(crate) root: Hash,
    pub(crate) block_hash: Hash,
    /// The transactions, in their signed form.
    pub(crate) transactions: Vec<Vec<u8>>,
    header: Vec<u8>,
    execution_header: Vec<u8>,
    execution_branch: [Hash; 4],
    sync_aggregate: Vec<u8>,
}

impl BeaconBlock {
    /// Decodes the container; `None` if it is not a block of Deneb.
    pub(crate) fn decode(signed: &[u8]) -> Option<Self> {
        let message = signed.get(100..)?;
        let body = message.get(84..)?;
        let lists = offsets(body, &[200, 204, 208, 212, 216, 380, 384, 388])?;
        let [slashings, attester_slashings, attestations, deposits, exits, payload, changes, blobs] =
            lists[..]
        else {
            return None;
        };
        // Blocks where they are not empty are not needed by any test.
        if ![slashings, attester_slashings, deposits].iter().all(|list| list.is_empty()) {
            return None;
        }
        let transactions = variable_items(offsets(payload, &[436, 504, 508])?.get(1)?)?;
        let transactions = transactions.into_iter().map(<[u8]>::to_vec).collect();
        let (execution_root, execution_header) = execution(payload)?;
        let exits = exits.as_chunks::<112>().0.iter().map(|exit| {
            let message = pair(leaf(&exit[..8]), leaf(&exit[8..16]));
            pair(message, bytes_root(&exit[16..]))
        });
        let changes = changes.as_chunks::<172>().0.iter().map(|change| {
            let keys = [leaf(&change[..8]), bytes_root(&change[8..56]), leaf(&change[56..76])];
            pair(merkleize(&keys, 4), bytes_root(&change[76..]))
        });
        let sync_aggregate = body.get(220..380)?;
        let eth1 = [leaf(&body[96..128]), leaf(&body[128..136]), leaf(&body[136..168])];
        let fields = [
            bytes_root(&body[..96]),
            merkleize(&eth1, 4),
            leaf(&body[168..200]),
            list_root(&[], 16),
            list_root(&[], 2),
            list_root(&attestation_roots(attestations)?, 128),
            list_root(&[], 16),
            list_root(&exits.collect::<Vec<_>>(), 16),
            pair(bytes_root(&sync_aggregate[..64]), bytes_root(&sync_aggregate[64..])),
            execution_root,
            list_root(&changes.collect::<Vec<_>>(), 16),
            list_root(&blobs.chunks(48).map(bytes_root).collect::<Vec<_>>(), 4096),
        ];
        let node = |from: usize, leaves: usize| {
            merkleize(fields.get(from..fields.len().min(from + leaves)).unwrap_or_default(), leaves)
        };
        let header = [&message[..80], &merkleize(&fields, 16)].concat();
        let leaves =
            [&header[..8], &header[8..16], &header[16..48], &header[48..80], &header[80..]];
        Some(Self {
            slot: u64::from_le_bytes(header[..8].try_into().ok()?),
            parent_root: header[16..48].try_into().ok()?,
            root: merkleize(&leaves.map(leaf), 8),
            transactions,
            block_hash: payload.get(472..504)?.try_into().ok()?,
            // The payload is the tenth field: at 25 of the tree over sixteen.
            execution_branch: [fields[8], node(10, 2), node(12, 4), node(0, 8)],
            header,
            execution_header,
            sync_aggregate: sync_aggregate.to_vec(),
        })
    }

    /// The number of members that signed the previous block.
    pub(crate) fn participants(&self) -> u32 {
        self.sync_aggregate[..64].iter().map(|byte| byte.count_ones()).sum()
    }

    /// The `LightClientOptimisticUpdate` about this block, signed in its child.
    pub(crate) fn optimistic_update(&self, child: &Self) -> Vec<u8> {
        let fixed = u32::try_from(4 + 160 + 8).unwrap().to_le_bytes();
        let execution = u32::try_from(112 + 4 + 128).unwrap().to_le_bytes();
        [
            &fixed[..],
            &child.sync_aggregate,
            &child.slot.to_le_bytes(),
            &self.header,
            &execution,
            self.execution_branch.as_flattened(),
            &self.execution_header,
        ]
        .concat()
    }
}

/// An execution payload's root, and its header in SSZ.
fn execution(payload: &[u8]) -> Option<(Hash, Vec<u8>)> {
    let lists = offsets(payload, &[436, 504, 508])?;
    let [extra, transactions, withdrawals] = lists[..] else { return None };
    let transactions = variable_items(transactions)?;
    let transactions = transactions.into_iter().map(|transaction| {
        let chunks: Vec<_> = transaction.chunks(32).map(leaf).collect();
        mix_in(merkleize(&chunks, 1 << 25), transaction.len())
    });
    let transactions = list_root(&transactions.collect::<Vec<_>>(), 1 << 20);
    let withdrawals = withdrawals.as_chunks::<44>().0.iter().map(|withdrawal| {
        let fields = [
            leaf(&withdrawal[..8]),
            leaf(&withdrawal[8..16]),
            leaf(&withdrawal[16..36]),
            leaf(&withdrawal[36..]),
        ];
        merkleize(&fields, 4)
    });
    let withdrawals = list_root(&withdrawals.collect::<Vec<_>>(), 16);
    let fixed = payload.get(..528)?;
    let mut fields = vec![
        leaf(&fixed[..32]),
        leaf(&fixed[32..52]),
        leaf(&fixed[52..84]),
        leaf(&fixed[84..116]),
        bytes_root(&fixed[116..372]),
        leaf(&fixed[372..404]),
    ];
    fields.extend(fixed[404..436].chunks(8).map(leaf));
    fields.push(mix_in(leaf(extra), extra.len()));
    fields.extend([leaf(&fixed[440..472]), leaf(&fixed[472..504]), transactions, withdrawals]);
    fields.extend(fixed[512..].chunks(8).map(leaf));
    let header = [
        &fixed[..436],
        &584_u32.to_le_bytes(),
        &fixed[440..504],
        &transactions,
        &withdrawals,
        &fixed[512..],
        extra,
    ];
    Some((merkleize(&fields, 32), header.concat()))
}

fn attestation_roots(list: &[u8]) -> Option<Vec<Hash>> {
    let root = |attestation: &[u8]| {
        let data = attestation.get(4..132)?;
        let checkpoint = |bytes: &[u8]| pair(leaf(&bytes[..8]), leaf(&bytes[8..]));
        let data = [
            leaf(&data[..8]),
            leaf(&data[8..16]),
            leaf(&data[16..48]),
            checkpoint(&data[48..88]),
            checkpoint(&data[88..]),
        ];
        let mut bits = attestation.get(228..)?.to_vec();
        // The last set bit ends the list.
        let last = bits.last_mut()?;
        let top = last.checked_ilog2()?;
        *last ^= 1 << top;
        let count = 8 * (bits.len() - 1) + usize::try_from(top).ok()?;
        let bits: Vec<_> = bits[..count.div_ceil(8)].chunks(32).map(leaf).collect();
        let fields = [
            mix_in(merkleize(&bits, 8), count),
            merkleize(&data, 8),
            bytes_root(&attestation[132..228]),
        ];
        Some(merkleize(&fields, 4))
    };
    variable_items(list)?.into_iter().map(root).collect()
}

/// The parts with offsets at these places.
fn offsets<'a>(bytes: &'a [u8], places: &[usize]) -> Option<Vec<&'a [u8]>> {
    let offset = |place: &usize| {
        let bytes = bytes.get(*place..)?.first_chunk()?;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    };
    let mut starts: Vec<_> = places.iter().map(offset).collect::<Option<_>>()?;
    starts.push(bytes.len());
    starts.windows(2).map(|part| bytes.get(part[0]..part[1])).collect()
}

/// The items of a list of variable length.
fn variable_items(list: &[u8]) -> Option<Vec<&[u8]>> {
    let Some(first) = list.first_chunk() else { return Some(Vec::new()) };
    let count = usize::try_from(u32::from_le_bytes(*first)).ok()? / 4;
    offsets(list, &(0..count).map(|at| 4 * at).collect::<Vec<_>>())
}

fn list_root(items: &[Hash], limit: usize) -> Hash {
    mix_in(merkleize(items, limit), items.len())
}

fn mix_in(root: Hash, length: usize) -> Hash {
    pair(root, leaf(&(length as u64).to_le_bytes()))
}

fn bytes_root(bytes: &[u8]) -> Hash {
    let leaves: Vec<_> = bytes.chunks(32).map(leaf).collect();
    merkleize(&leaves, leaves.len().next_power_of_two())
}

/// The root over leaves, padded with zeros to `limit`, a power of two.
fn merkleize(leaves: &[Hash], limit: usize) -> Hash {
    let mut nodes = leaves.to_vec();
    let mut zero = Hash::default();
    for _ in 0..limit.ilog2() {
        if nodes.len() % 2 == 1 {
            nodes.push(zero);
        }
        nodes = nodes.chunks(2).map(|two| pair(two[0], two[1])).collect();
        zero = pair(zero, zero);
    }
    nodes.first().copied().unwrap_or(zero)
}

fn leaf(bytes: &[u8]) -> Hash {
    let mut leaf = Hash::default();
    leaf[..bytes.len()].copy_from_slice(bytes);
    leaf
}

fn pair(left: Hash, right: Hash) -> Hash {
    Sha256::new().chain_update(left).chain_update(right).finalize().into()
}

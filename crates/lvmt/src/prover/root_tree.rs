//! The tree state of the root AMT: in memory for the next block, in the store for proofs.

use alloc::vec::Vec;

use prooflight_amt::{Change, Class, Point, TreeDraft, TreeState, open_entries};
use prooflight_core::Result;
use prooflight_core::store::{Read, WriteBatch};
use rayon::prelude::*;

use super::block::GRAIN;
use super::params::StoreParams;
use super::record::{checksum_of, corrupt, open, read, sealed, tree_node_key};
use super::shard::ProofShard;

/// The tree state of a store's shard; none if it proves nothing.
#[derive(Debug)]
pub(super) struct RootTree(Option<Kept>);

/// A tree state kept in a store.
#[derive(Debug)]
struct Kept {
    state: TreeState,
    /// The checksum of each node's record; 0 for a node of zeros, which has none.
    checksums: Vec<u64>,
    /// Their sum, also kept in the head: it reveals a lost node or an older copy of one.
    sum: u64,
}

/// A changed tree state, not yet adopted.
#[derive(Debug, Default)]
pub(super) struct RootDraft {
    tree: TreeDraft,
    /// The checksums of the nodes that change.
    checksums: Vec<(u32, u64)>,
    /// The sum of the checksums of all nodes.
    pub(super) sum: u64,
}

impl RootTree {
    /// Reads the newest tree state; `store_corrupt` unless its checksums add up to the sum in the head.
    pub(super) fn read<S: Read + ?Sized>(
        store: &S,
        params: &StoreParams,
        tree_sum: u64,
    ) -> Result<Self> {
        let Some(class) = class(params.shard)? else { return Ok(Self(None)) };
        let mut state = TreeState::new(params.log_n(), params.log_arity, class)?;
        let mut checksums = alloc::vec![0; state.nodes() as usize];
        let (from, to) = (tree_node_key(0), tree_node_key(u32::MAX));
        for entry in store.range(&from, &to) {
            let (key, value) = entry?;
            let Some(node) = key.last_chunk().map(|node| u32::from_be_bytes(*node)) else {
                continue;
            };
            let checksum = checksum_of(&value);
            let points = decode_node(&open(&key, value)?)?;
            state.set_node(node, &points).map_err(|e| corrupt(e.expected(), e.found()))?;
            if let Some(place) = checksums.get_mut(node as usize) {
                *place = checksum;
            }
        }
        let sum = checksums.iter().fold(0, |sum: u64, checksum| sum.wrapping_add(*checksum));
        if sum != tree_sum {
            return Err(corrupt("the newest nodes of the root's tree state", "others"));
        }
        Ok(Self(Some(Kept { state, checksums, sum })))
    }

    /// Applies changes to a draft of the tree state, and writes the changed nodes.
    ///
    /// The tree state itself does not change: to abandon a block, drop the draft.
    pub(super) fn draft(
        &self,
        params: &StoreParams,
        changes: &[Change],
        writes: &mut WriteBatch,
    ) -> Result<RootDraft> {
        let Some(Kept { state, checksums, sum }) = &self.0 else { return Ok(RootDraft::default()) };
        let tree = state.draft(&params.tables, changes)?;
        let nodes: Vec<_> = tree.nodes(state).collect();
        let record = |(node, points): &(u32, Vec<Point>)| {
            // Nodes of zeros are not kept, so that each state has one representation.
            let is_kept = points.iter().any(|point| *point != Point::ZERO);
            let key = tree_node_key(*node);
            (*node, if is_kept { Ok(sealed(key, encode_node(points))) } else { Err(key) })
        };
        let records: Vec<_> = nodes.par_iter().with_min_len(GRAIN).map(record).collect();
        let mut draft = RootDraft { tree, checksums: Vec::with_capacity(records.len()), sum: *sum };
        for (node, record) in records {
            let checksum = record.as_ref().map_or(0, |(_, value)| checksum_of(value));
            let before = checksums.get(node as usize).copied().unwrap_or(0);
            draft.sum = draft.sum.wrapping_sub(before).wrapping_add(checksum);
            draft.checksums.push((node, checksum));
            match record {
                Ok((key, value)) => writes.put(key, value),
                Err(key) => writes.delete(key),
            }
        }
        Ok(draft)
    }

    /// Adopts a draft of this tree state.
    pub(super) fn take_over(&mut self, draft: &RootDraft) {
        let Some(kept) = &mut self.0 else { return };
        kept.state.take_over(&draft.tree);
        for (node, checksum) in &draft.checksums {
            if let Some(place) = kept.checksums.get_mut(*node as usize) {
                *place = *checksum;
            }
        }
        kept.sum = draft.sum;
    }
}

/// The points that open entries of the root AMT, from the nodes above them alone.
pub(super) fn open_root<S: Read + ?Sized>(
    store: &S,
    params: &StoreParams,
    indices: &[u32],
) -> Result<Vec<Vec<Point>>> {
    let log_arity = params.log_arity;
    let class_bits = class(params.shard)?.map_or(0, Class::bits);
    // The bits of a node's number in a level that are the same for the whole class.
    let shared = |level: u8| (log_arity * level).min(class_bits);
    let first = |level: u8| {
        let nodes = (0..level).map(|above| 1_u32 << (log_arity * above - shared(above)));
        nodes.sum::<u32>()
    };
    open_entries(params.log_n(), log_arity, indices, |level, number| {
        let node = first(level) + (number >> shared(level));
        match read(store, &tree_node_key(node))? {
            Some(record) => decode_node(&record),
            None => Ok(Vec::new()),
        }
    })
}

/// The indices that a shard opens; none if it opens nothing.
fn class(shard: ProofShard) -> Result<Option<Class>> {
    match shard {
        ProofShard::None => Ok(None),
        ProofShard::Class { bits, value } => Class::new(bits, value).map(Some),
        ProofShard::Full => Ok(Some(Class::ALL)),
    }
}

fn encode_node(points: &[Point]) -> Vec<u8> {
    let mut record = Vec::with_capacity(64 * points.len() + 8);
    for point in points {
        record.extend_from_slice(&point.to_coordinates());
    }
    record
}

fn decode_node(record: &[u8]) -> Result<Vec<Point>> {
    let (points, rest) = record.as_chunks();
    if !rest.is_empty() {
        return Err(corrupt("points of 64 bytes", format_args!("{} bytes", record.len())));
    }
    let decode =
        |bytes| Point::from_coordinates(bytes).map_err(|e| corrupt(e.expected(), e.found()));
    points.iter().map(decode).collect()
}

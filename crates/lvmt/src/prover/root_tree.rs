//! The tree state of the root AMT: in memory for the next block, in the store for proofs.

use alloc::vec::Vec;

use prooflight_amt::{Change, Class, Point, PointBytes, TreeState};
use prooflight_core::Result;
use prooflight_core::store::{Read, WriteBatch};
use rayon::prelude::*;

use super::block::GRAIN;
use super::params::StoreParams;
use super::record::{corrupt, open, put, read, tree_node_key};
use super::shard::ProofShard;

/// The tree state of a store's shard; none if it proves nothing.
#[derive(Clone, Debug)]
pub(super) struct RootTree(Option<TreeState>);

impl RootTree {
    /// The newest tree state in a store.
    pub(super) fn read<S: Read + ?Sized>(store: &S, params: &StoreParams) -> Result<Self> {
        let Some(class) = class(params.shard)? else { return Ok(Self(None)) };
        let mut state = TreeState::new(params.log_n(), params.log_arity, class)?;
        let (from, to) = (tree_node_key(0), tree_node_key(u32::MAX));
        for entry in store.range(&from, &to) {
            let (key, value) = entry?;
            let Some(node) = key.last_chunk().map(|node| u32::from_be_bytes(*node)) else {
                continue;
            };
            let points = decode_node(&open(&key, value)?)?;
            state.set_node(node, &points).map_err(|e| corrupt(e.expected(), e.found()))?;
        }
        Ok(Self(Some(state)))
    }

    /// The tree state after changes, of which the nodes that changed are put.
    pub(super) fn changed(
        &self,
        params: &StoreParams,
        changes: &[Change],
        writes: &mut WriteBatch,
    ) -> Result<Self> {
        let mut tree = self.clone();
        let Some(state) = &mut tree.0 else { return Ok(tree) };
        let nodes = state.update(&params.tables, changes)?;
        let record = |&node: &u32| {
            let points = state.node(node).unwrap_or_default();
            // Nodes of zeros are not kept, so that a state is kept in one way.
            let is_kept = points.iter().any(|point| *point != Point::ZERO);
            (tree_node_key(node), is_kept.then(|| encode_node(points)))
        };
        let records: Vec<_> = nodes.par_iter().with_min_len(GRAIN).map(record).collect();
        for (key, record) in records {
            match record {
                Some(record) => put(writes, key, record),
                None => writes.delete(key),
            }
        }
        Ok(tree)
    }
}

/// The points that open an entry of the root AMT, from the nodes above it alone.
pub(super) fn open_root<S: Read + ?Sized>(
    store: &S,
    params: &StoreParams,
    index: u32,
) -> Result<Vec<PointBytes>> {
    let log_arity = params.log_arity;
    // A class of one index has the nodes above it, one at each level.
    let mut path = TreeState::new(params.log_n(), log_arity, Class::new(params.log_n(), index)?)?;
    let class_bits = class(params.shard)?.map_or(0, Class::bits);
    let mut first = 0;
    for level in 0..path.nodes() {
        let bits = u32::from(log_arity) * level;
        let shared = bits.min(class_bits.into());
        let node = first + ((index & ((1 << bits) - 1)) >> shared);
        if let Some(record) = read(store, &tree_node_key(node))? {
            let points = decode_node(&record)?;
            path.set_node(level, &points).map_err(|e| corrupt(e.expected(), e.found()))?;
        }
        first += 1 << (bits - shared);
    }
    path.open(index)
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

//! The tree state of the root AMT: in memory for the next block, in the store for proofs.
//!
//! The record of a node at the last level also has the versions of the entries below it. A proof takes these nodes
//! from the store, if they are those whose checksums are in memory: so neither the nodes nor the versions are
//! damaged or older, and no pairing needs to tell.
//!
//! The blocks of an import leave the tree state behind: they only count the versions, whose difference is then added at
//! once ([`settle`](RootTree::settle)).

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_amt::{Change, Point, TreeDraft, TreeState, open_entries};
use prooflight_core::Result;
use prooflight_core::store::{Read, WriteBatch};
use rayon::prelude::*;

use super::block::GRAIN;
use super::params::StoreParams;
use super::record::{checksum_of, corrupt, open, sealed, tree_node_key};
use super::tree_shape::{TreeShape, Versions, decode_versions, encode_versions};
use super::upgrade::steps;

/// The tree state of a store's shard; none if it proves nothing.
#[derive(Debug)]
pub(super) struct RootTree(Option<Kept>);

/// A tree state kept in a store.
#[derive(Debug)]
struct Kept {
    shape: TreeShape,
    state: TreeState,
    /// The versions of each entry. Of one outside the shard's class, which the nodes near the root also depend on, they count
    /// from the opening.
    versions: Vec<Versions>,
    /// Those that the tree state has, if blocks have left it behind.
    behind: Option<Vec<Versions>>,
    checksums: Checksums,
    /// The sum of the checksums, also kept in the head: it reveals a lost node or an older copy of one.
    sum: u64,
}

/// The checksum of each node's record in one state; 0 for a node of zeros, which has none.
pub(super) type Checksums = Arc<Vec<u64>>;

/// A changed tree state, not yet adopted.
#[derive(Debug, Default)]
pub(super) struct RootDraft {
    tree: TreeDraft,
    /// The versions of the entries that change.
    versions: BTreeMap<u32, Versions>,
    /// The checksums of the nodes that change.
    checksums: Vec<(u32, u64)>,
    /// The sum of the checksums of all nodes; none if the tree state is left behind.
    pub(super) sum: Option<u64>,
}

/// A tree state that was behind and no longer is, not yet adopted.
pub(super) struct Settled {
    state: TreeState,
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
        let Some(shape) = TreeShape::of(params)? else { return Ok(Self(None)) };
        let mut state = TreeState::new(params.log_n(), params.log_arity, shape.class)?;
        let mut checksums = alloc::vec![0; state.nodes() as usize];
        let mut versions = alloc::vec![Versions::default(); 1 << params.log_n()];
        let (from, to) = (tree_node_key(0), tree_node_key(u32::MAX));
        for entry in store.range(&from, &to) {
            let (key, value) = entry?;
            let Some(node) = key.last_chunk().map(|node| u32::from_be_bytes(*node)) else {
                continue;
            };
            let checksum = checksum_of(&value);
            let Node { points, entries } = Node::decode(&shape, node, &open(&key, value)?)?;
            state.set_node(node, &points).map_err(|e| corrupt(e.expected(), e.found()))?;
            for (index, of_entry) in shape.entries(node).into_iter().zip(entries) {
                if let Some(place) = versions.get_mut(index as usize) {
                    *place = of_entry;
                }
            }
            if let Some(place) = checksums.get_mut(node as usize) {
                *place = checksum;
            }
        }
        let sum = checksums.iter().fold(0, |sum: u64, checksum| sum.wrapping_add(*checksum));
        if sum != tree_sum {
            return Err(corrupt("the newest nodes of the root's tree state", "others"));
        }
        let checksums = Arc::new(checksums);
        Ok(Self(Some(Kept { shape, state, versions, behind: None, checksums, sum })))
    }

    /// Writes every node of the state with these versions; returns the sum of the checksums.
    pub(super) fn put_all(
        params: &StoreParams,
        versions: &[Versions],
        writes: &mut WriteBatch,
    ) -> Result<u64> {
        let Some(shape) = TreeShape::of(params)? else { return Ok(0) };
        let mut state = TreeState::new(params.log_n(), params.log_arity, shape.class)?;
        let before = alloc::vec![Versions::default(); versions.len()];
        step(&mut state, params, &before, versions)?;
        let nodes: Vec<_> = (0..state.nodes()).collect();
        let checksums = put_nodes(&shape, &state, versions, &nodes, writes);
        Ok(checksums.iter().fold(0, |sum: u64, (_, checksum)| sum.wrapping_add(*checksum)))
    }

    /// Computes the tree state of the newest versions, if it is behind, and writes the changed nodes.
    pub(super) fn settle(
        &self,
        params: &StoreParams,
        writes: &mut WriteBatch,
    ) -> Result<Option<Settled>> {
        let Some(kept) = &self.0 else { return Ok(None) };
        let Some(behind) = &kept.behind else { return Ok(None) };
        let mut state = kept.state.clone();
        let nodes = step(&mut state, params, behind, &kept.versions)?;
        let checksums = put_nodes(&kept.shape, &state, &kept.versions, &nodes, writes);
        let sum = kept.sum_with(&checksums);
        Ok(Some(Settled { state, checksums, sum }))
    }

    /// Adopts a tree state that is no longer behind.
    pub(super) fn take_over_settled(&mut self, settled: Settled) {
        let Some(kept) = &mut self.0 else { return };
        kept.state = settled.state;
        kept.behind = None;
        kept.take_over_checksums(&settled.checksums, settled.sum);
    }

    /// The checksums of the nodes; none if the store proves nothing.
    pub(super) fn checksums(&self) -> Option<Checksums> {
        self.0.as_ref().map(|kept| kept.checksums.clone())
    }

    /// Applies changes to a draft of the tree state, and writes the changed nodes.
    ///
    /// The tree state itself does not change: to abandon a block, drop the draft. If the parameters say that nothing is
    /// proved, the draft leaves it behind.
    pub(super) fn draft(
        &self,
        params: &StoreParams,
        changes: &[Change],
        writes: &mut WriteBatch,
    ) -> Result<RootDraft> {
        let Some(kept) = &self.0 else {
            return Ok(RootDraft { sum: Some(0), ..RootDraft::default() });
        };
        let versions = kept.changed_versions(changes)?;
        if params.unproved {
            return Ok(RootDraft { versions, ..RootDraft::default() });
        }
        let Kept { shape, state, .. } = kept;
        let tree = state.draft(&params.tables, changes)?;
        let newest = |index| versions.get(&index).copied().unwrap_or_else(|| kept.of(index));
        let versions_of = |index| shape.recorded(index, newest(index));
        let nodes: Vec<_> = tree.nodes(state).collect();
        let record = |(number, points): &(u32, Vec<Point>)| {
            let entries = shape.entries(*number).into_iter().map(versions_of).collect();
            Node { points: points.clone(), entries }.record(*number)
        };
        let records = nodes.par_iter().with_min_len(GRAIN).map(record).collect();
        let checksums = put_records(records, writes);
        let sum = Some(kept.sum_with(&checksums));
        Ok(RootDraft { tree, versions, checksums, sum })
    }

    /// Adopts a draft of this tree state.
    pub(super) fn take_over(&mut self, draft: &RootDraft) {
        let Some(kept) = &mut self.0 else { return };
        if draft.sum.is_none() && kept.behind.is_none() {
            kept.behind = Some(kept.versions.clone());
        }
        kept.state.take_over(&draft.tree);
        for (index, versions) in &draft.versions {
            if let Some(place) = kept.versions.get_mut(*index as usize) {
                *place = *versions;
            }
        }
        if let Some(sum) = draft.sum {
            kept.take_over_checksums(&draft.checksums, sum);
        }
    }
}

impl Kept {
    fn of(&self, index: u32) -> Versions {
        self.versions.get(index as usize).copied().unwrap_or_default()
    }

    /// The sum of the checksums of all nodes after these have changed.
    fn sum_with(&self, changed: &[(u32, u64)]) -> u64 {
        changed.iter().fold(self.sum, |sum, (node, checksum)| {
            let before = self.checksums.get(*node as usize).copied().unwrap_or(0);
            sum.wrapping_sub(before).wrapping_add(*checksum)
        })
    }

    fn take_over_checksums(&mut self, changed: &[(u32, u64)], sum: u64) {
        // Copied only if a reader has those of the state before.
        let checksums = Arc::make_mut(&mut self.checksums);
        for (node, checksum) in changed {
            if let Some(place) = checksums.get_mut(*node as usize) {
                *place = *checksum;
            }
        }
        self.sum = sum;
    }

    /// The versions of the entries that changes change.
    fn changed_versions(&self, changes: &[Change]) -> Result<BTreeMap<u32, Versions>> {
        let mut changed = BTreeMap::new();
        for change in changes {
            let versions = changed.entry(change.index()).or_insert_with(|| self.of(change.index()));
            let version = versions.get_mut(usize::from(change.slot()));
            let next = version.as_ref().zip(change.steps());
            let next = next.and_then(|(version, steps)| version.checked_add_signed(steps));
            let (Some(version), Some(next)) = (version, next) else {
                return Err(corrupt("a step of a version of the root's AMT", "another change"));
            };
            *version = next;
        }
        Ok(changed)
    }
}

/// Brings a tree state from one list of versions to another; returns the changed nodes, ascending.
fn step(
    state: &mut TreeState,
    params: &StoreParams,
    before: &[Versions],
    after: &[Versions],
) -> Result<Vec<u32>> {
    let changes: Vec<_> = steps(before, after).collect();
    let mut nodes = Vec::new();
    // The rows of all changes at once would take a gigabyte.
    for changes in changes.chunks(1 << 15) {
        nodes.extend(state.update(&params.tables, changes)?);
    }
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}

/// Writes nodes of a tree state with the versions of their entries; returns their checksums.
fn put_nodes(
    shape: &TreeShape,
    state: &TreeState,
    versions: &[Versions],
    nodes: &[u32],
    writes: &mut WriteBatch,
) -> Vec<(u32, u64)> {
    let newest = |index: u32| versions.get(index as usize).copied().unwrap_or_default();
    let of = |index| shape.recorded(index, newest(index));
    let record = |number: &u32| {
        let points = state.node(*number).unwrap_or_default().to_vec();
        let entries = shape.entries(*number).into_iter().map(of).collect();
        Node { points, entries }.record(*number)
    };
    put_records(nodes.par_iter().with_min_len(GRAIN).map(record).collect(), writes)
}

/// Writes the records of nodes; returns their checksums.
fn put_records(records: Vec<(u32, Record)>, writes: &mut WriteBatch) -> Vec<(u32, u64)> {
    let put = |(node, record): (u32, Record)| {
        let checksum = record.as_ref().map_or(0, |(_, value)| checksum_of(value));
        match record {
            Ok((key, value)) => writes.put(key, value),
            Err(key) => writes.delete(key),
        }
        (node, checksum)
    };
    records.into_iter().map(put).collect()
}

/// An opened entry of the root AMT.
pub(super) struct OpenedEntry {
    pub(super) points: Vec<Point>,
    /// Its versions, from the record of the node above it.
    pub(super) versions: Versions,
}

/// Opens entries of the root AMT, from the nodes above them alone.
///
/// `store_corrupt` for a node whose checksum is not the one among `checksums`, if they are known.
pub(super) fn open_root<S: Read + ?Sized>(
    store: &S,
    params: &StoreParams,
    indices: &[u32],
    checksums: Option<&Checksums>,
) -> Result<Vec<OpenedEntry>> {
    let Some(shape) = TreeShape::of(params)? else { return Ok(Vec::new()) };
    let mut versions = BTreeMap::new();
    let opened = open_entries(params.log_n(), params.log_arity, indices, |level, number| {
        let node = shape.node(level, number);
        let key = tree_node_key(node);
        let value = store.get(&key)?;
        let checksum = value.as_deref().map_or(0, checksum_of);
        let newest = checksums.map(|all| all.get(node as usize).copied().unwrap_or(0));
        if newest.is_some_and(|newest| newest != checksum) {
            let expected = format_args!("the newest node {node} of the root's tree state");
            return Err(corrupt(expected, if value.is_some() { "another one" } else { "none" }));
        }
        let Some(value) = value else { return Ok(Vec::new()) };
        let Node { points, entries } = Node::decode(&shape, node, &open(&key, value)?)?;
        versions.extend(shape.entries(node).into_iter().zip(entries));
        Ok(points)
    })?;
    let of = |index| versions.get(index).copied().unwrap_or_default();
    let entry = |(points, index)| OpenedEntry { points, versions: of(index) };
    Ok(opened.into_iter().zip(indices).map(entry).collect())
}

/// A record to write, or the key of one to delete.
type Record = core::result::Result<(Vec<u8>, Vec<u8>), Vec<u8>>;

/// The record of a node.
struct Node {
    points: Vec<Point>,
    /// The versions of the entries below a node at the last level.
    entries: Vec<Versions>,
}

impl Node {
    /// Nodes of zeros are not kept, so that each state has one representation.
    fn is_kept(&self) -> bool {
        self.points.iter().any(|point| *point != Point::ZERO)
            || self.entries.iter().any(|versions| *versions != Versions::default())
    }

    fn record(&self, number: u32) -> (u32, Record) {
        let key = tree_node_key(number);
        (number, if self.is_kept() { Ok(sealed(key, self.encode())) } else { Err(key) })
    }

    fn encode(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(64 * self.points.len() + 8 * self.entries.len() + 8);
        for point in &self.points {
            record.extend_from_slice(&point.to_coordinates());
        }
        encode_versions(&self.entries, &mut record);
        record
    }

    fn decode(shape: &TreeShape, number: u32, record: &[u8]) -> Result<Self> {
        let split = record.split_at_checked(64 * shape.points());
        let (points, versions) = split.ok_or_else(|| {
            let expected = format_args!("{} points of 64 bytes", shape.points());
            corrupt(expected, format_args!("{} bytes", record.len()))
        })?;
        let decode =
            |bytes| Point::from_coordinates(bytes).map_err(|e| corrupt(e.expected(), e.found()));
        let points: Result<_> = points.as_chunks().0.iter().map(decode).collect();
        let entries = decode_versions(versions, shape.entries(number).len())?;
        Ok(Self { points: points?, entries })
    }
}

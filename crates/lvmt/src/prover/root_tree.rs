//! The tree state of the root AMT: in memory for the next block, in the store for proofs.
//!
//! The records of a node at the last level also have the versions of the entries below it. A proof reads these nodes
//! from the store and compares their checksums with those in memory. This shows that neither the nodes nor the versions
//! are damaged or older, without pairings.
//!
//! The blocks of an import do not update the tree state. They only count the versions; the difference is then added in
//! one step ([`settle`](RootTree::settle)).

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_amt::{EntryChange, Point, SLOTS, TreeDraft, TreeState, open_entries};
use prooflight_core::Result;
use prooflight_core::store::{ReadStore, WriteBatch};
use rayon::prelude::*;

use super::block::MIN_ITEMS_PER_THREAD;
use super::params::StoreParams;
use super::record::{checksum_of, corrupt, open, tree_part_key};
use super::tree_part::{Node, NodePart, PARTS_PER_NODE, PartWrite};
use super::tree_shape::{EntryVersions, TreeShape, version_steps};

/// The tree state of a store's shard; `None` if it proves nothing.
#[derive(Debug)]
pub(super) struct RootTree(Option<RootTreeState>);

/// A tree state kept in a store.
#[derive(Debug)]
struct RootTreeState {
    shape: TreeShape,
    state: TreeState,
    /// The versions of each entry. For an entry outside the shard's class they start from 0 when the store is opened;
    /// nodes near the root also depend on these entries.
    versions: Vec<EntryVersions>,
    /// The versions of the tree state, if blocks did not update it.
    behind: Option<Vec<EntryVersions>>,
    checksums: RecordChecksums,
    /// The sum of the checksums, also kept in the head: it detects a lost record or an older copy of one.
    sum: u64,
}

/// The checksum of each record in one state; 0 for a part of zeros, which has none.
pub(super) type RecordChecksums = Arc<Vec<u64>>;

/// A changed tree state, not yet adopted.
#[derive(Debug, Default)]
pub(super) struct RootDraft {
    tree: TreeDraft,
    /// The versions of the entries that change.
    versions: BTreeMap<u32, EntryVersions>,
    /// The checksums of the records that change.
    checksums: Vec<(u32, u64)>,
    /// The sum of the checksums of all records; `None` if the block does not update the tree state.
    pub(super) sum: Option<u64>,
}

/// A tree state that includes all skipped versions, not yet adopted.
pub(super) struct RebuiltTree {
    state: TreeState,
    /// The checksums of the records that change.
    checksums: Vec<(u32, u64)>,
    /// The sum of the checksums of all records.
    pub(super) sum: u64,
}

impl RootTree {
    /// Reads the newest tree state; `store_corrupt` unless its checksums add up to the sum in the head.
    pub(super) fn read<S: ReadStore + ?Sized>(
        store: &S,
        params: &StoreParams,
        tree_sum: u64,
    ) -> Result<Self> {
        let Some(shape) = TreeShape::of(params)? else { return Ok(Self(None)) };
        let mut state = TreeState::new(params.log_n(), params.log_arity, shape.class)?;
        let mut checksums = alloc::vec![0; (PARTS_PER_NODE * state.nodes()) as usize];
        let mut versions = alloc::vec![EntryVersions::default(); 1 << params.log_n()];
        let (from, to) = (tree_part_key(0), tree_part_key(u32::MAX));
        for entry in store.range(&from, &to) {
            let (key, value) = entry?;
            let Some(number) = key.last_chunk().map(|number| u32::from_be_bytes(*number)) else {
                continue;
            };
            let checksum = checksum_of(&value);
            let (node, slot) = (number / PARTS_PER_NODE, (number % PARTS_PER_NODE) as u8);
            let part = NodePart::decode(&shape, node, &open(&key, value)?)?;
            let set = state.set_points(node, slot, &part.points);
            set.map_err(|e| corrupt(e.expected(), e.found()))?;
            for (index, version) in shape.entries(node).into_iter().zip(part.versions) {
                let of_entry = versions.get_mut(index as usize);
                if let Some(place) = of_entry.and_then(|it| it.get_mut(usize::from(slot))) {
                    *place = version;
                }
            }
            if let Some(place) = checksums.get_mut(number as usize) {
                *place = checksum;
            }
        }
        let sum = checksums.iter().fold(0, |sum: u64, checksum| sum.wrapping_add(*checksum));
        if sum != tree_sum {
            return Err(corrupt("the newest nodes of the root's tree state", "others"));
        }
        let checksums = Arc::new(checksums);
        Ok(Self(Some(RootTreeState { shape, state, versions, behind: None, checksums, sum })))
    }

    /// Writes every record of the state with these versions; returns the sum of the checksums.
    pub(super) fn put_all_records(
        params: &StoreParams,
        versions: &[EntryVersions],
        writes: &mut WriteBatch,
    ) -> Result<u64> {
        let Some(shape) = TreeShape::of(params)? else { return Ok(0) };
        let mut state = TreeState::new(params.log_n(), params.log_arity, shape.class)?;
        let before = alloc::vec![EntryVersions::default(); versions.len()];
        apply_steps(&mut state, params, &before, versions)?;
        let parts = |number| node(&shape, &state, versions, number).parts(number).collect();
        let parts = (0..state.nodes())
            .into_par_iter()
            .with_min_len(MIN_ITEMS_PER_THREAD)
            .map(parts)
            .collect();
        let checksums = put_records(parts, writes);
        Ok(checksums.iter().fold(0, |sum: u64, (_, checksum)| sum.wrapping_add(*checksum)))
    }

    /// Computes the tree state of the newest versions, if blocks did not update it, and writes the changed records.
    pub(super) fn catch_up(
        &self,
        params: &StoreParams,
        writes: &mut WriteBatch,
    ) -> Result<Option<RebuiltTree>> {
        let Some(kept) = &self.0 else { return Ok(None) };
        let Some(behind) = &kept.behind else { return Ok(None) };
        let mut state = kept.state.clone();
        let nodes = apply_steps(&mut state, params, behind, &kept.versions)?;
        let changed = |number: &u32| {
            let before = node(&kept.shape, &kept.state, behind, *number);
            let after = node(&kept.shape, &state, &kept.versions, *number);
            after.changed_parts(*number, &before).collect()
        };
        let parts = nodes.par_iter().with_min_len(MIN_ITEMS_PER_THREAD).map(changed).collect();
        let checksums = put_records(parts, writes);
        let sum = kept.sum_with(&checksums);
        Ok(Some(RebuiltTree { state, checksums, sum }))
    }

    /// Adopts a rebuilt tree state.
    pub(super) fn adopt_rebuilt(&mut self, settled: RebuiltTree) {
        let Some(kept) = &mut self.0 else { return };
        kept.state = settled.state;
        kept.behind = None;
        kept.adopt_checksums(&settled.checksums, settled.sum);
    }

    /// The checksums of the records; `None` if the store proves nothing.
    pub(super) fn checksums(&self) -> Option<RecordChecksums> {
        self.0.as_ref().map(|kept| kept.checksums.clone())
    }

    /// Applies changes to a draft of the tree state, and writes the changed records.
    ///
    /// The tree state itself does not change: to abandon a block, drop the draft. If the parameters disable proofs, the
    /// draft only counts versions.
    pub(super) fn draft(
        &self,
        params: &StoreParams,
        changes: &[EntryChange],
        writes: &mut WriteBatch,
    ) -> Result<RootDraft> {
        let Some(kept) = &self.0 else {
            return Ok(RootDraft { sum: Some(0), ..RootDraft::default() });
        };
        let versions = kept.changed_versions(changes)?;
        if params.defer_proof_nodes {
            return Ok(RootDraft { versions, ..RootDraft::default() });
        }
        let RootTreeState { shape, state, .. } = kept;
        let tree = state.draft(&params.tables, changes)?;
        let newest =
            |index| versions.get(&index).copied().unwrap_or_else(|| kept.versions_of(index));
        let versions_of = |index| shape.recorded(index, newest(index));
        let nodes: Vec<_> = tree.nodes(state).collect();
        let changed = |(number, points): &(u32, Vec<Point>)| {
            let before = node(shape, state, &kept.versions, *number);
            let entries = shape.entries(*number).into_iter().map(versions_of).collect();
            let after = Node { points: points.clone(), entries };
            after.changed_parts(*number, &before).collect()
        };
        let parts = nodes.par_iter().with_min_len(MIN_ITEMS_PER_THREAD).map(changed).collect();
        let checksums = put_records(parts, writes);
        let sum = Some(kept.sum_with(&checksums));
        Ok(RootDraft { tree, versions, checksums, sum })
    }

    /// Adopts a draft of this tree state.
    pub(super) fn adopt(&mut self, draft: &RootDraft) {
        let Some(kept) = &mut self.0 else { return };
        if draft.sum.is_none() && kept.behind.is_none() {
            kept.behind = Some(kept.versions.clone());
        }
        kept.state.apply(&draft.tree);
        for (index, versions) in &draft.versions {
            if let Some(place) = kept.versions.get_mut(*index as usize) {
                *place = *versions;
            }
        }
        if let Some(sum) = draft.sum {
            kept.adopt_checksums(&draft.checksums, sum);
        }
    }
}

impl RootTreeState {
    fn versions_of(&self, index: u32) -> EntryVersions {
        self.versions.get(index as usize).copied().unwrap_or_default()
    }

    /// The sum of the checksums of all records after these have changed.
    fn sum_with(&self, changed: &[(u32, u64)]) -> u64 {
        changed.iter().fold(self.sum, |sum, (part, checksum)| {
            let before = self.checksums.get(*part as usize).copied().unwrap_or(0);
            sum.wrapping_sub(before).wrapping_add(*checksum)
        })
    }

    fn adopt_checksums(&mut self, changed: &[(u32, u64)], sum: u64) {
        // Copied only if a reader still has the checksums of the previous state.
        let checksums = Arc::make_mut(&mut self.checksums);
        for (part, checksum) in changed {
            if let Some(place) = checksums.get_mut(*part as usize) {
                *place = *checksum;
            }
        }
        self.sum = sum;
    }

    /// The new versions of the entries that `changes` affect.
    fn changed_versions(&self, changes: &[EntryChange]) -> Result<BTreeMap<u32, EntryVersions>> {
        let mut changed = BTreeMap::new();
        for change in changes {
            let versions =
                changed.entry(change.index()).or_insert_with(|| self.versions_of(change.index()));
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
fn apply_steps(
    state: &mut TreeState,
    params: &StoreParams,
    before: &[EntryVersions],
    after: &[EntryVersions],
) -> Result<Vec<u32>> {
    let changes: Vec<_> = version_steps(before, after).collect();
    let mut nodes = Vec::new();
    // The rows of all changes at once would take a gigabyte.
    for changes in changes.chunks(1 << 15) {
        nodes.extend(state.update(&params.tables, changes)?);
    }
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}

/// A node of a tree state with the versions of its entries.
fn node(shape: &TreeShape, state: &TreeState, versions: &[EntryVersions], number: u32) -> Node {
    let newest = |index: u32| versions.get(index as usize).copied().unwrap_or_default();
    let of = |index| shape.recorded(index, newest(index));
    let points = state.node(number).unwrap_or_default().to_vec();
    Node { points, entries: shape.entries(number).into_iter().map(of).collect() }
}

/// Writes the records of the parts of nodes; returns their checksums.
fn put_records(nodes: Vec<Vec<(u32, PartWrite)>>, writes: &mut WriteBatch) -> Vec<(u32, u64)> {
    let put = |(part, record): (u32, PartWrite)| {
        let checksum = record.as_ref().map_or(0, |(_, value)| checksum_of(value));
        match record {
            Ok((key, value)) => writes.put(key, value),
            Err(key) => writes.delete(key),
        }
        (part, checksum)
    };
    nodes.into_iter().flatten().map(put).collect()
}

/// An opened entry of the root AMT.
pub(super) struct OpenedEntry {
    pub(super) points: Vec<Point>,
    /// Its versions, from the record of the node above it.
    pub(super) versions: EntryVersions,
}

/// Opens entries of the root AMT from the nodes above them.
///
/// `store_corrupt` for a record whose checksum differs from the one in `checksums`, if given.
pub(super) fn open_root<S: ReadStore + ?Sized>(
    store: &S,
    params: &StoreParams,
    indices: &[u32],
    checksums: Option<&RecordChecksums>,
) -> Result<Vec<OpenedEntry>> {
    let Some(shape) = TreeShape::of(params)? else { return Ok(Vec::new()) };
    let mut versions = BTreeMap::new();
    let opened = open_entries(params.log_n(), params.log_arity, indices, |level, number| {
        let node = shape.node(level, number);
        let mut points = alloc::vec![Point::ZERO; SLOTS * shape.points()];
        for (slot, part) in (PARTS_PER_NODE * node..).take(SLOTS).enumerate() {
            let Some(part) = read_part(store, &shape, part, checksums)? else { continue };
            let places = points.iter_mut().skip(slot).step_by(SLOTS);
            places.zip(part.points).for_each(|(place, point)| *place = point);
            for (index, version) in shape.entries(node).into_iter().zip(part.versions) {
                versions.entry(index).or_insert([0; SLOTS])[slot] = version;
            }
        }
        Ok(points)
    })?;
    let of = |index| versions.get(index).copied().unwrap_or_default();
    let entry = |(points, index)| OpenedEntry { points, versions: of(index) };
    Ok(opened.into_iter().zip(indices).map(entry).collect())
}

/// Reads a part of a node; `None` if it is zero.
fn read_part<S: ReadStore + ?Sized>(
    store: &S,
    shape: &TreeShape,
    number: u32,
    checksums: Option<&RecordChecksums>,
) -> Result<Option<NodePart>> {
    let key = tree_part_key(number);
    let value = store.get(&key)?;
    let checksum = value.as_deref().map_or(0, checksum_of);
    let newest = checksums.map(|all| all.get(number as usize).copied().unwrap_or(0));
    if newest.is_some_and(|newest| newest != checksum) {
        let expected = format_args!("the newest record {number} of the root's tree state");
        return Err(corrupt(expected, if value.is_some() { "another one" } else { "none" }));
    }
    value
        .map(|value| NodePart::decode(shape, number / PARTS_PER_NODE, &open(&key, value)?))
        .transpose()
}

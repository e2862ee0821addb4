//! The branches of a block below the first levels: part by part, each from lists and not from a visit.

use alloc::vec;
use alloc::vec::Vec;

use super::branches::{LEVELS, put_child};
use super::header::BRANCH_BYTES;
use super::link::{Link, Place};
use crate::prover::tree::{At, Part};

/// The branches of a part, as a file has them.
#[derive(Debug)]
pub(super) struct PartBytes {
    pub(super) bytes: Vec<u8>,
    /// The number in the file of the first one.
    first: u64,
    /// Where each branch of the part is among them.
    places: Vec<u32>,
}

impl PartBytes {
    /// The branches of a part which block `block` changed, the first of which has the number `first` in the
    /// file. `record_at` says where the record of a change begins; `bytes` is empty memory to write into.
    pub(super) fn new(
        part: Part<'_>,
        first: u64,
        block: u64,
        record_at: impl Fn(usize) -> u64,
        mut bytes: Vec<u8>,
    ) -> Self {
        let places = places(part);
        bytes.resize(places.len() * BRANCH_BYTES, 0);
        let (slots, _) = bytes.as_chunks_mut::<BRANCH_BYTES>();
        for (branch, place) in places.iter().enumerate() {
            let (depth, children) = part.branch(branch);
            let slot = &mut slots[*place as usize];
            for (side, (child, at)) in children.into_iter().enumerate() {
                let here = |at| Place::Here { age: block - child.version, at };
                let place = match at {
                    At::Unchanged => Place::There { version: child.version },
                    At::Branch(at) => here(first + u64::from(places[at])),
                    At::Leaf(change) => here(record_at(change)),
                };
                put_child(slot, side, child.hash, Link { kind: child.kind, place }.pack(depth));
            }
        }
        Self { bytes, first, places }
    }

    /// The number in the file of a branch of the part.
    pub(super) fn number(&self, branch: usize) -> u64 {
        self.first + u64::from(self.places[branch])
    }
}

/// Where each branch goes: a cluster's branches together, its top one first.
fn places(part: Part<'_>) -> Vec<u32> {
    let mut places = Vec::with_capacity(part.branches());
    let mut clusters = vec![0; part.branches()];
    let mut starts: Vec<u32> = Vec::new();
    let mut start = 0;
    for levels in part.levels().chunks(LEVELS) {
        // First how many branches of its cluster come before each one, then also where that starts.
        starts.clear();
        for branch in levels.iter().flat_map(Clone::clone) {
            let above = part.parent(branch).filter(|above| levels[0].start <= *above);
            let cluster = above.map_or(starts.len(), |above| clusters[above]);
            if cluster == starts.len() {
                starts.push(0);
            }
            clusters[branch] = cluster;
            places.push(starts[cluster]);
            starts[cluster] += 1;
        }
        for size in &mut starts {
            start += core::mem::replace(size, start);
        }
        for branch in levels.iter().flat_map(Clone::clone) {
            places[branch] += starts[clusters[branch]];
        }
    }
    places
}

//! `amb/proof_negative.json`: the attacks that the design lists, one by one. Each changes an honest proof such that only
//! the check under test stands between it and acceptance.

mod branches;
mod histories;
mod proofs;
mod ranges;
mod updates;

use prooflight_core::Hash;
use prooflight_testkit::amb::state::AmbModel;
use prooflight_testkit::amb::tree::{NodeRecord, past_hashes};

use super::lies::{AmbLies, node};
use super::{long, more, small};
use crate::generate::builder::FileBuilder;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("AmbProof");
    proofs::envelopes(&mut AmbLies::new(file, "Envelope", small()));
    proofs::roots(&mut AmbLies::new(file, "Roots", small()));
    proofs::values(&mut AmbLies::new(file, "Values", small()));
    proofs::leaves(&mut AmbLies::new(file, "Leaves", small()));
    branches::branches(&mut AmbLies::new(file, "Branches", small()));
    branches::counts(&mut AmbLies::new(file, "Counts", small()));
    histories::versions(&mut AmbLies::new(file, "Versions", small()));
    histories::histories(&mut AmbLies::new(file, "Histories", long(6)));
    ranges::ranges(&mut AmbLies::new(file, "Ranges", small()));
    ranges::cuts(&mut AmbLies::new(file, "Ranges", small()));
    ranges::counting(&mut AmbLies::new(file, "Counting", small()));
    ranges::transfers(&mut AmbLies::new(file, "Transfers", small()));
    updates::updates(&mut AmbLies::new(file, "Updates", small()));
    updates::arguments(&mut AmbLies::new(file, "Arguments", small()));
    more::make(file);
}

/// The hashes of a key's past versions.
fn hashes(state: &AmbModel, key: &[u8]) -> Vec<Hash> {
    past_hashes(&state.entries[key])
}

/// The record of the node that is so many branches below the root, on the path to a key.
fn record(state: &AmbModel, key: &[u8], branches: usize) -> NodeRecord {
    node(&state.tree().expect("a tree"), key, branches).record
}

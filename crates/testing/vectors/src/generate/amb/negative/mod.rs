//! `amb/proof_negative.json`: the attacks that the design lists, one by one. Each changes an honest proof such that only
//! the check under test stands between it and acceptance.

mod branches;
mod histories;
mod proofs;
mod ranges;
mod updates;

use prooflight_core::Hash;
use prooflight_testkit::amb::state::State;
use prooflight_testkit::amb::tree::{Record, past_hashes};

use super::lies::{Lies, node};
use super::{long, more, small};
use crate::generate::builder::Builder;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut Builder) {
    file.group("AmbProof");
    proofs::envelopes(&mut Lies::new(file, "Envelope", small()));
    proofs::roots(&mut Lies::new(file, "Roots", small()));
    proofs::values(&mut Lies::new(file, "Values", small()));
    proofs::leaves(&mut Lies::new(file, "Leaves", small()));
    branches::branches(&mut Lies::new(file, "Branches", small()));
    branches::counts(&mut Lies::new(file, "Counts", small()));
    histories::versions(&mut Lies::new(file, "Versions", small()));
    histories::histories(&mut Lies::new(file, "Histories", long(6)));
    ranges::ranges(&mut Lies::new(file, "Ranges", small()));
    ranges::cuts(&mut Lies::new(file, "Ranges", small()));
    ranges::counting(&mut Lies::new(file, "Counting", small()));
    ranges::transfers(&mut Lies::new(file, "Transfers", small()));
    updates::updates(&mut Lies::new(file, "Updates", small()));
    updates::arguments(&mut Lies::new(file, "Arguments", small()));
    more::make(file);
}

/// The hashes of a key's past versions.
fn hashes(state: &State, key: &[u8]) -> Vec<Hash> {
    past_hashes(&state.entries[key])
}

/// The record of the node that is so many branches below the root, on the path to a key.
fn record(state: &State, key: &[u8], branches: usize) -> Record {
    node(&state.tree().expect("a tree"), key, branches).record
}

//! Honest proofs in which entries have points of their own, or share them: lvmt 5, check 7.

use std::collections::BTreeSet;

use prooflight_core::Hash;
use prooflight_lvmt::proof::OpeningForm;

use super::lies::nodes::neighbours;
use super::sample::{name, sample};
use super::state::{State, keccak};
use super::valid::add as add_valid;
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder) {
    let state = sample(4, 2, 150);
    let mut trees = |comment: &str, keys: &[Vec<u8>]| {
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let hashes: BTreeSet<Hash> = keys.iter().map(|key| keccak(key)).collect();
        let mut proof = state.prove(&keys);
        for amt in &mut proof.amts {
            amt.opening = OpeningForm::Tree;
        }
        state.open(&hashes, &mut proof);
        add_valid(file, &["Form", "Many", "Present"], comment, &state, &keys, &proof);
    };
    let comment = "two entries of an AMT below the root, which share the first point of its tree";
    trees(comment, &neighbours(&state, 1, 2));
    let comment =
        "entries of two AMTs below the root at one index, each with the points of its tree";
    trees(comment, &at_one_index(&state));
}

/// Two keys with a value in two AMTs below the root, at the same index.
pub(super) fn at_one_index(state: &State) -> [Vec<u8>; 2] {
    let there = |key: &Vec<u8>| {
        let record = state.keys.get(&keccak(key));
        record.is_some_and(|it| it.level == 1 && it.value.is_some())
    };
    let keys: Vec<_> = (0..1000).map(name).filter(there).collect();
    let index = |key: &[u8]| state.index(&state.entry_name(&keccak(key), 1));
    let amt = |key: &[u8]| state.amt_name(&keccak(key), 1);
    let pairs = keys.iter().flat_map(|one| keys.iter().map(move |other| (one, other)));
    let mut pairs =
        pairs.filter(|(one, other)| index(one) == index(other) && amt(one) != amt(other));
    let (one, other) = pairs.next().expect("two keys like that");
    [one.clone(), other.clone()]
}

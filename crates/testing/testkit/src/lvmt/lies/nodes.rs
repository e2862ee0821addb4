//! Entries of one AMT with different points for one node of its tree, although each opening is true.

use std::collections::BTreeSet;

use prooflight_core::{Hash, Reason};
use prooflight_lvmt::proof::OpeningForm;

use super::super::sample::{name, sample};
use super::super::state::{LvmtModel, keccak};
use super::{LieCollector, RefusedInput};

pub(super) fn lies() -> Vec<RefusedInput> {
    let mut lies = Vec::new();
    // Three levels of a tree, then two.
    for (log_n, log_arity) in [(3, 1), (4, 2)] {
        let state = sample(log_n, log_arity, 150);
        let mut told = LieCollector::new("Opening", &state);
        for (level, place) in [(0, "the root AMT"), (1, "an AMT below it")] {
            for depth in 1..log_n / log_arity {
                let keys = neighbours(&state, level, depth * log_arity);
                let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let comment = format!(
                    "in {place}, entries with the same last {} bits of their indices and another \
                     point {depth} of {}, each opening true",
                    depth * log_arity,
                    log_n / log_arity
                );
                let hashes: BTreeSet<Hash> = keys.iter().map(|key| keccak(key)).collect();
                let last = *hashes.last().expect("two keys");
                told.change(Reason::OpeningMismatch, &comment, &keys, |proof| {
                    for amt in &mut proof.amts {
                        amt.opening = OpeningForm::Tree;
                    }
                    state.open(&hashes, proof);
                    let t = state.index(&state.entry_name(&last, level));
                    let values = state.values(state.amt_name(&last, level));
                    let other = state.setup.other_tree_opening(&values, t, log_arity, depth);
                    // Its entry comes last, since no key is deeper.
                    let at = proof.points.len() - other.len();
                    proof.points[at..].copy_from_slice(&other);
                });
            }
        }
        lies.append(&mut told.lies);
    }
    lies
}

/// Two keys with values in one AMT whose entries' indices agree in exactly this many low bits.
pub fn neighbours(state: &LvmtModel, level: u8, bits: u8) -> [Vec<u8>; 2] {
    let there = |key: &Vec<u8>| {
        let record = state.keys.get(&keccak(key));
        record.is_some_and(|it| it.level == level && it.value.is_some())
    };
    let keys: Vec<_> = (0..1000).map(name).filter(there).collect();
    let place = |key: &[u8]| {
        let hash = keccak(key);
        (state.amt_name(&hash, level), state.index(&state.entry_name(&hash, level)))
    };
    let pairs = keys.iter().flat_map(|one| keys.iter().map(move |other| (one, other)));
    let mut pairs = pairs.filter(|(one, other)| {
        let ((amt, t), (other_amt, other_t)) = (place(one), place(other));
        amt == other_amt && (t ^ other_t).trailing_zeros() == u32::from(bits)
    });
    let (one, other) = pairs.next().expect("two keys like that");
    [one.clone(), other.clone()]
}

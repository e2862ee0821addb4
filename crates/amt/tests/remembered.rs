//! Cached rows of a known tau add the same as the rows of built tables.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::value;
use prooflight_amt::{EntryChange, IndexClass, Point, ProverSetup, TableParts, Tables, TreeState};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A single change needs rows for the first and second time; many changes go into few nodes, so that scalars are added.
const BLOCKS: [usize; 10] = [1, 5, 5, 40, 300, 5, 40, 1, 300, 40];

const COMMITMENTS: u32 = 3;

#[test]
fn blocks_of_every_size_change_states_and_commitments_as_built_tables_do() {
    for (log_n, log_arity) in [(6, 2), (6, 1), (4, 4)] {
        let parts = TableParts { single: true, tree: Some(log_arity) };
        let known = Tables::dev(log_n, parts).unwrap();
        let built = Tables::build(&ProverSetup::dev(log_n).unwrap(), parts, &|_, _| ()).unwrap();
        let class = IndexClass::new(log_arity, 1).unwrap();
        // The states share the tables, as those of a chain do.
        for class in [IndexClass::ALL, class] {
            let mut rng = StdRng::seed_from_u64(u64::from(log_n));
            let state = || TreeState::new(log_n, log_arity, class).unwrap();
            let (mut of_known, mut of_built) = (state(), state());
            let sums = [Point::ZERO; COMMITMENTS as usize];
            let (mut sums_of_known, mut sums_of_built) = (sums, sums);
            for size in BLOCKS {
                let changes: Vec<_> = (0..size).map(|_| change(&mut rng, log_n)).collect();
                let nodes = of_known.update(&known, &changes).unwrap();
                assert_eq!(nodes, of_built.update(&built, &changes).unwrap());
                assert_eq!(
                    of_known, of_built,
                    "{size} changes, log_n {log_n}, arity 2^{log_arity}"
                );
                let number = |change| (rng.random_range(0..COMMITMENTS), change);
                let changes: Vec<_> = changes.into_iter().map(number).collect();
                known.update(&mut sums_of_known, &changes).unwrap();
                built.update(&mut sums_of_built, &changes).unwrap();
                assert_eq!(sums_of_known, sums_of_built, "{size} changes, log_n {log_n}");
            }
        }
    }
}

/// A step up or down, several steps, or another value.
fn change(rng: &mut StdRng, log_n: u8) -> EntryChange {
    let index = rng.random_range(0..1 << log_n);
    let slot = rng.random_range(0..6);
    match rng.random_range(0..6) {
        0..3 => EntryChange::version(index, slot, 1),
        3 => EntryChange::version(index, slot, -1),
        4 => EntryChange::version(index, slot, 7),
        _ => EntryChange::value(index, value(rng.random_range(0..1000))),
    }
}

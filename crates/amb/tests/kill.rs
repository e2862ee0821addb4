//! A process that makes blocks on the reference node's store is killed with -9 repeatedly.
//!
//! `PROOFLIGHT_KILLS` is the number of kills, 50 by default.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use std::path::Path;
use std::time::Duration;

use common::chain::draw_block;
use common::model::{Key, Model, Value, changes};
use prooflight_amb::prover::{AmbState, PageSize};
use prooflight_amb::{KeysQuestion, TransferQuestion};
use prooflight_core::statement::Statement;
use prooflight_core::store::{MemoryStore, StateReader, StateStore, TransferRequest};
use prooflight_embedded::EmbeddedStore;
use prooflight_testkit::kill;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The number of kills per chain; the model of a longer one takes longer.
const KILLS_OF_A_CHAIN: u32 = 10;

const FOLDER_VARIABLE: &str = "PROOFLIGHT_AMB_KILLED";
const SEED_VARIABLE: &str = "PROOFLIGHT_AMB_SEED";

fn open(folder: &Path) -> AmbState<EmbeddedStore> {
    AmbState::open(EmbeddedStore::open(folder).unwrap(), ()).unwrap()
}

/// The next block of a chain; it depends only on the seed and the blocks before.
fn block(model: &Model, seed: u64, height: u64) -> Vec<(Key, Value)> {
    let mut rng = StdRng::seed_from_u64(seed << 32 | height);
    let count = rng.random_range(0..40);
    draw_block(model, &mut rng, count)
}

#[test]
#[ignore = "the process that the other test starts and kills"]
fn killed() {
    let folder = std::env::var_os(FOLDER_VARIABLE).unwrap();
    let seed = std::env::var(SEED_VARIABLE).unwrap().parse().unwrap();
    let mut state = open(Path::new(&folder));
    let mut model = Model::default();
    let mut next = 0;
    while state.height().is_some_and(|height| height >= next) {
        let of_block = block(&model, seed, next);
        model.apply(next, &of_block);
        next += 1;
    }
    kill::report_open();
    loop {
        let of_block = block(&model, seed, next);
        let root = state.apply(&changes(&of_block)).unwrap();
        model.apply(next, &of_block);
        kill::report_block(next, &root);
        next += 1;
    }
}

#[test]
fn no_acknowledged_block_is_lost_to_kill_9() {
    let kills = std::env::var("PROOFLIGHT_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let mut blocks = 0;
    for first in (0..kills).step_by(KILLS_OF_A_CHAIN as usize) {
        let last = kills.min(first + KILLS_OF_A_CHAIN);
        blocks += kill_in_rounds(first..last);
        println!("{last} kills, {blocks} blocks");
    }
    assert!(blocks > u64::from(kills), "{blocks} blocks");
}

/// Returns the number of blocks of the chain.
fn kill_in_rounds(rounds: std::ops::Range<u32>) -> u64 {
    let seed = u64::from(rounds.start);
    let folder = tempfile::tempdir().unwrap();
    // A store whose creation is interrupted cannot be opened; the node creates it under another name.
    drop(EmbeddedStore::open(folder.path()).unwrap());
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut model, mut roots) = (Model::default(), Vec::new());
    let mut undisturbed = AmbState::open(MemoryStore::default(), ()).unwrap();
    for round in rounds {
        let seed_text = seed.to_string();
        let variables =
            [(FOLDER_VARIABLE, folder.path().as_os_str()), (SEED_VARIABLE, seed_text.as_ref())];
        // Some are killed while they open the store, and the others while they make blocks.
        let lines = if rng.random_ratio(4, 5) { rng.random_range(1..16) } else { 0 };
        let after = Duration::from_micros(rng.random_range(0..20_000));
        let acknowledged = kill::kill(&variables, lines, after);
        let mut state = open(folder.path());
        if let (Some((last, _)), height) = (acknowledged.last(), state.height()) {
            assert!(height >= Some(*last), "round {round}: {height:?} after {last}");
        }
        let Some(height) = state.height() else { continue };
        for next in roots.len() as u64..=height {
            let of_block = block(&model, seed, next);
            model.apply(next, &of_block);
            roots.push(undisturbed.apply(&changes(&of_block)).unwrap());
        }
        for (height, root) in acknowledged {
            // The last line may have been cut.
            let expected = hex::encode(roots[usize::try_from(height).unwrap()]);
            assert!(expected.starts_with(&root), "round {round}, block {height}: {root}");
        }
        assert_eq!(state.root(), roots.last().unwrap(), "round {round}, block {height}");
        assert_eq!(state.root(), model.root(), "round {round}, block {height}");
        let (reader, prover) = (state.reader().unwrap(), undisturbed.prover().unwrap());
        // Every page, every past version.
        let entries = TransferRequest { lo: &[], hi: None, after: None, limit: 1 << 20 };
        let found = reader.transfer(height, &entries).unwrap().proof;
        let size = PageSize { entries: 1 << 20, ..Default::default() };
        let question = TransferQuestion { lo: &[], hi: None, after: None };
        assert_eq!(found, prover.transfer(&question, size).unwrap());
        let keys: Vec<&[u8]> = model.0.keys().map(Vec::as_slice).collect();
        for at in (0..=height).rev().step_by(37).filter(|_| !keys.is_empty()) {
            let found = reader.prove(&Statement::Keys { height: at, keys: &keys }).unwrap().proof;
            assert_eq!(found, prover.keys(&KeysQuestion { keys: &keys, at }).unwrap());
        }
    }
    roots.len() as u64
}

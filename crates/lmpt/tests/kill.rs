//! A process that makes blocks while it merges, on the reference node's store, is killed with -9 repeatedly.
//!
//! `PROOFLIGHT_KILLS` is the number of kills, 50 by default.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod run;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prooflight_core::chain::LmptConfig;
use prooflight_core::store::{Prepared, ReadStore, StateStore, Store};
use prooflight_embedded::EmbeddedStore;
use prooflight_lmpt::{LmptMerging, LmptParams, MergingParams};
use prooflight_testkit::kill;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use run::{Changes, Model, changes, draw_changes, keys};

/// Eras end after few blocks, and their merges take many parts.
const ERAS: LmptConfig = LmptConfig { era_blocks: 9, era_ops: 60, era_bytes: 1 << 20 };

/// The number of kills per chain; the model of a longer one takes longer.
const KILLS_OF_A_CHAIN: u32 = 25;

const FOLDER_VARIABLE: &str = "PROOFLIGHT_LMPT_KILLED";
const SEED_VARIABLE: &str = "PROOFLIGHT_LMPT_SEED";

fn open(folder: &Path) -> LmptMerging<EmbeddedStore> {
    let store = LmptParams { part_keys: 2, is_flat: true, ..LmptParams::new(ERAS) };
    let params = MergingParams { store, on_event: Arc::new(|_| {}) };
    LmptMerging::open(EmbeddedStore::open(folder).unwrap(), params).unwrap()
}

/// The next block of a chain; it depends only on the seed and the blocks before.
fn block(model: &Model, seed: u64) -> Changes {
    let mut rng = StdRng::seed_from_u64(seed << 32 | model.blocks.len() as u64);
    model.normalise(draw_changes(&mut rng, 14))
}

#[test]
#[ignore = "the process that the other test starts and kills"]
fn killed() {
    let folder = std::env::var_os(FOLDER_VARIABLE).unwrap();
    let seed = std::env::var(SEED_VARIABLE).unwrap().parse().unwrap();
    let mut state = open(Path::new(&folder));
    // The dictionary alone, without the roots: a killed process must be fast.
    let mut model = Model::new(ERAS);
    let made = state.height().map_or(0, |height| height + 1);
    while (model.blocks.len() as u64) < made {
        let block = block(&model, seed);
        model.push_block(block);
    }
    kill::report_open();
    loop {
        let block = block(&model, seed);
        let Prepared { root, writes, next, .. } = state.prepare(&changes(&block)).unwrap();
        state.state_mut().store_mut().write(writes).unwrap();
        state.commit(next).unwrap();
        model.push_block(block);
        let height = state.height().unwrap();
        kill::report_block(height, &root);
        if let Some(oldest) = height.checked_sub(20) {
            state.prune(oldest).unwrap();
        }
    }
}

#[test]
fn no_acknowledged_block_is_lost_to_kill_9() {
    let kills = std::env::var("PROOFLIGHT_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let (mut blocks, mut merging) = (0, 0);
    for first in (0..kills).step_by(KILLS_OF_A_CHAIN as usize) {
        let last = kills.min(first + KILLS_OF_A_CHAIN);
        let (more, amid) = kill_in_rounds(first..last);
        (blocks, merging) = (blocks + more, merging + amid);
        println!("{last} kills, {merging} of them in a merge, {blocks} blocks");
    }
    assert!(blocks > kills as usize && merging > kills / 8, "{blocks} blocks, {merging} merges");
}

/// Returns the number of blocks of the chain, and of kills with an unfinished merge in the store.
fn kill_in_rounds(rounds: std::ops::Range<u32>) -> (usize, u32) {
    let seed = u64::from(rounds.start);
    let folder = tempfile::tempdir().unwrap();
    // A store whose creation is interrupted cannot be opened; the node creates it under another name.
    drop(EmbeddedStore::open(folder.path()).unwrap());
    let mut rng = StdRng::seed_from_u64(seed);
    let mut model = Model::new(ERAS);
    let mut merging = 0;
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
        while (model.blocks.len() as u64) <= height {
            let block = block(&model, seed);
            model.push(block);
        }
        for (height, root) in acknowledged {
            // The last line may have been cut.
            let expected = hex::encode(model.roots[usize::try_from(height).unwrap()].encode());
            assert!(expected.starts_with(&root), "round {round}, block {height}: {root}");
        }
        let newest = model.height();
        assert_eq!(state.root(), model.roots[newest].encode(), "round {round}, block {newest}");
        merging += u32::from(state.state_mut().store_mut().get(b"m").unwrap().is_some());
        let asked: Vec<&[u8]> = keys().iter().map(Vec::as_slice).collect();
        model.check(newest, keys(), &state.state_mut().prove(height, &asked).unwrap());
        for key in keys() {
            assert_eq!(state.get(key).unwrap().as_deref(), model.value(newest, key));
        }
    }
    (model.blocks.len(), merging)
}

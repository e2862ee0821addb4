//! Random chains compared with the model at every block: restarts, merges in small parts, forgotten and replayed
//! blocks, reverted blocks.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod run;

use prooflight_core::Reason;
use prooflight_core::statement::Statement;
use prooflight_core::store::{MemoryStore, ReadStore, StateReader, StateStore};
use prooflight_lmpt::{LmptParams, LmptState, RECENT_BLOCKS};
use prooflight_testkit::damage::records;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use run::{Model, changes, draw_changes, draw_eras, keys, trie_of};

/// A chain and its model.
struct ModelRun {
    state: LmptState<MemoryStore>,
    params: LmptParams,
    model: Model,
    rng: StdRng,
    /// The oldest block that is not forgotten.
    oldest: usize,
}

impl ModelRun {
    fn new(seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let params = LmptParams {
            is_flat: rng.random(),
            replays: true,
            part_keys: rng.random_range(1..8),
            ..LmptParams::new(draw_eras(&mut rng))
        };
        let state = LmptState::open(MemoryStore::default(), params).unwrap();
        Self { state, params, model: Model::new(params.eras), rng, oldest: 0 }
    }

    fn block(&mut self, most: usize) {
        let block = self.model.normalise(draw_changes(&mut self.rng, most));
        let ends = self.state.ends_era(&changes(&block));
        let before = self.model.ends.len();
        let roots = self.state.apply(&changes(&block)).unwrap();
        self.model.push(block);
        assert_eq!(roots, *self.model.roots.last().unwrap(), "block {}", self.model.height());
        assert_eq!(ends, self.model.ends.len() > before);
    }

    /// Merges the next part, if there is one.
    fn part(&mut self) {
        let mut merger = self.state.merger().unwrap();
        let part = {
            let store = self.state.store_mut();
            merger.next(store).unwrap()
        };
        if let Some(part) = part {
            prooflight_core::store::Store::write(self.state.store_mut(), part).unwrap();
        }
    }

    fn reopen(self) -> Self {
        let state = LmptState::open(self.state.into_store(), self.params).unwrap();
        assert_eq!(state.height(), Some(self.model.height() as u64));
        assert_eq!(state.roots(), *self.model.roots.last().unwrap());
        Self { state, ..self }
    }

    fn forget(&mut self) {
        self.oldest = self.rng.random_range(self.oldest..=self.model.height());
        self.state.prune(self.oldest as u64).unwrap();
    }

    fn roll_back(&mut self) {
        let newest = self.model.height();
        let start = self.model.era_start(newest);
        let height = self.rng.random_range(start..=newest).max(self.oldest);
        self.state.roll_back(height as u64).unwrap();
        self.model.roll_back(height);
        if let Some(before) = start.checked_sub(1) {
            let refused = self.state.roll_back(before as u64).unwrap_err();
            assert_eq!(refused.reason(), Reason::VersionUnavailable);
        }
    }

    fn check_values(&self) {
        for key in keys() {
            let value = self.model.value(self.model.height(), key);
            assert_eq!(self.state.get(key).unwrap().as_deref(), value, "{key:02x?}");
        }
    }

    /// Proves random keys after a random block.
    fn check_proof(&mut self) -> usize {
        let height = self.rng.random_range(self.oldest..=self.model.height());
        let count = self.rng.random_range(1..=keys().len());
        let asked: Vec<_> =
            (0..count).map(|_| keys()[self.rng.random_range(0..keys().len())].clone()).collect();
        let slices: Vec<&[u8]> = asked.iter().map(Vec::as_slice).collect();
        let reader = self.state.reader().unwrap();
        let statement = Statement::Keys { height: height as u64, keys: &slices };
        self.model.check(height, &asked, &reader.prove(&statement).unwrap());
        self.model.height() - height
    }
}

#[test]
fn every_block_is_as_the_model_says() {
    let (mut ends, mut oldest, mut one_block) = (0, 0, 0);
    for seed in 0..40 {
        println!("seed {seed}");
        let mut run = ModelRun::new(seed);
        run.block(40);
        for _ in 0..70 {
            match run.rng.random_range(0..24) {
                0..=11 => run.block(8),
                12 => run.block(0),
                13..=15 => run.part(),
                16 => run.state.merge().unwrap(),
                17 => run.forget(),
                18 => run.roll_back(),
                19 => run.check_values(),
                20 => run.state.collect().unwrap(),
                _ => run = run.reopen(),
            }
            oldest = oldest.max(run.check_proof());
        }
        run.check_values();
        ends += run.model.ends.len();
        one_block += run.model.ends.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
    }
    println!("{ends} eras, {one_block} of one block, {oldest} blocks back");
    assert!(ends > 300 && one_block > 100 && oldest > 30);
}

#[test]
fn a_restart_at_every_block_changes_nothing() {
    for seed in 100..112 {
        println!("seed {seed}");
        let mut run = ModelRun::new(seed);
        for block in 0..40 {
            run.block(8);
            run.part();
            run = run.reopen();
            if block % 5 == 0 {
                run.check_values();
            }
            run.check_proof();
        }
    }
}

#[test]
fn recent_blocks_are_proved_without_a_replay() {
    let mut run = ModelRun::new(200);
    run.params = LmptParams { replays: false, ..LmptParams::new(run.params.eras) };
    run.params.eras = prooflight_core::chain::LmptConfig { era_blocks: 20, ..Default::default() };
    run.state = LmptState::open(MemoryStore::default(), run.params).unwrap();
    run.model = Model::new(run.params.eras);
    for _ in 0..110 {
        run.block(6);
    }
    let newest = run.model.height();
    let asked = [keys()[3].clone()];
    let slices: Vec<&[u8]> = asked.iter().map(Vec::as_slice).collect();
    for height in 0..=newest {
        let statement = Statement::Keys { height: height as u64, keys: &slices };
        let proved = run.state.reader().unwrap().prove(&statement);
        if height + RECENT_BLOCKS > newest {
            run.model.check(height, &asked, &proved.unwrap());
        } else {
            assert_eq!(proved.unwrap_err().reason(), Reason::VersionUnavailable, "{height}");
        }
    }
    // After a restart, only the current era is in memory.
    run = run.reopen();
    let start = run.model.era_start(newest);
    assert_eq!(start, 100);
    for height in start - 3..=newest {
        let proved = run.state.prove(height as u64, &slices);
        assert_eq!(proved.is_ok(), height >= start, "{height}");
    }
}

#[test]
fn a_store_that_forgets_has_only_the_nodes_of_its_snapshots() {
    for seed in 300..312 {
        println!("seed {seed}");
        let mut run = ModelRun::new(seed);
        run.params.eras.era_blocks = 1;
        run.state = LmptState::open(MemoryStore::default(), run.params).unwrap();
        run.model = Model::new(run.params.eras);
        for block in 0..30 {
            run.block(10);
            if block % 7 == 6 {
                run.forget();
            }
        }
        // Two empty eras, so that all snapshots are the same.
        for _ in 0..3 {
            run.block(0);
        }
        run.state.merge().unwrap();
        let newest = run.model.height();
        run.state.prune(newest as u64).unwrap();
        run.state.collect().unwrap();
        let [.., snapshot] = run.model.layers(newest);
        let expected = trie_of(&snapshot).into_store().range(b"n", b"o").count();
        let store = run.state.into_store();
        assert_eq!(store.range(b"n", b"o").count(), expected);
        let all = records(&store);
        let count = |kind: u8| all.iter().filter(|(key, _)| key[0] == kind).count();
        // The oldest era, the one before it, and the merged snapshot of the next one.
        assert_eq!((count(b'b'), count(b'e'), count(b'v'), count(b'm')), (1, 2, 2, 0));
        assert!(count(b'r') <= 2, "{}", count(b'r'));
    }
}

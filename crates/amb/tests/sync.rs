//! A state that starts another store, from proofs of its entries.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::chain::draw_block;
use common::model::{Key, Model, changes};
use prooflight_amb::TrustedRoot;
use prooflight_amb::prover::{AmbState, ReceivedPage, StateAssembly};
use prooflight_core::statement::Statement;
use prooflight_core::store::{
    MemoryStore, StateReader as _, StateStore as _, Store as _, TransferRequest,
};
use prooflight_core::{Code, Limits, Reason, Result};
use prooflight_testkit::damage::records;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

type State = AmbState<MemoryStore>;

struct Chain {
    rng: StdRng,
    model: Model,
    state: State,
    height: u64,
}

impl Chain {
    fn new(seed: u64, blocks: u64) -> Self {
        let (rng, model) = (StdRng::seed_from_u64(seed), Model::default());
        let state = AmbState::open(MemoryStore::default(), ()).unwrap();
        let mut chain = Self { rng, model, state, height: 0 };
        for _ in 0..blocks {
            chain.grow(None);
        }
        chain
    }

    /// Makes a block, also in a second state.
    fn grow(&mut self, other: Option<&mut State>) {
        let height = self.state.height().map_or(0, |height| height + 1);
        let count = [0, 1, 3, 30, 200][self.rng.random_range(0..5)];
        let of_block = draw_block(&self.model, &mut self.rng, count);
        self.model.apply(height, &of_block);
        let root = self.state.apply(&changes(&of_block)).unwrap();
        if let Some(other) = other {
            assert_eq!(other.apply(&changes(&of_block)).unwrap(), root);
        }
        self.height = height;
    }

    fn root(&self) -> TrustedRoot {
        TrustedRoot { hash: self.state.root().try_into().unwrap(), height: self.height }
    }

    /// The pages of all entries, with this many entries each, and the store that is assembled from
    /// them.
    fn carried(&mut self, limit: usize) -> (Vec<Vec<u8>>, MemoryStore) {
        let reader = self.state.reader().unwrap();
        let mut assembly = StateAssembly::new(self.root());
        let (mut pages, mut to, mut values) = (Vec::new(), MemoryStore::default(), Vec::new());
        while let Some(lo) = assembly.next() {
            let asked = TransferRequest { lo, hi: None, after: None, limit };
            let proof = reader.transfer(self.height, &asked).unwrap().proof;
            let taken = assembly.add_page(&proof, &Limits::DEFAULT).unwrap();
            to.write(taken.writes).unwrap();
            values.extend(taken.values);
            pages.push(proof);
        }
        to.write(assembly.finish().unwrap()).unwrap();
        let live = self.model.range(&[], None, self.height).into_iter();
        let live: Vec<_> =
            live.map(|(key, state)| (key.clone(), state.value().unwrap().to_vec())).collect();
        assert_eq!(values, live);
        (pages, to)
    }
}

#[test]
fn a_state_begins_as_it_was_and_goes_on_alike() {
    let (mut equal, mut unavailable) = (0, 0);
    for seed in 0..12 {
        let mut chain = Chain::new(seed, 1 + seed);
        let limit = [1, 7, 100, 4096][chain.rng.random_range(0..4)];
        let (_, store) = chain.carried(limit);
        let mut other = AmbState::open(store, ()).unwrap();
        let begun = chain.height;
        assert_eq!((other.root(), other.height()), (chain.state.root(), Some(begun)));
        let nodes = |state: &mut State| {
            let mut records = records(state.store_mut());
            records.retain(|(key, _)| [b'h', b'p', b's'].contains(&key[0]));
            records
        };
        assert_eq!(nodes(&mut other), nodes(&mut chain.state));
        for _ in 0..8 {
            chain.grow(Some(&mut other));
            // Also after opening it again.
            let mut again = AmbState::open(other.store_mut().clone(), ()).unwrap();
            let readers = [chain.state.reader().unwrap(), again.reader().unwrap()];
            for _ in 0..40 {
                let key: Key = if chain.model.0.is_empty() {
                    b"none".to_vec()
                } else {
                    chain.model.some_key(&mut chain.rng)
                };
                let at = chain.rng.random_range(0..=chain.height);
                let to = chain.rng.random_range(at..=chain.height);
                let keys = [&key[..]];
                let statements = [
                    Statement::Keys { height: at, keys: &keys },
                    Statement::History { key: &key, from: at, to },
                    Statement::Range { height: at, lo: &key, hi: None, reverse: false },
                ];
                for statement in statements {
                    let prove = |at: usize| readers[at].prove_at(chain.height, &statement, 20);
                    let shows_newer = match statement {
                        Statement::History { from, .. } => from > begun,
                        _ => at >= begun,
                    };
                    match prove(1) {
                        Ok(proved) => {
                            assert_eq!(proved, prove(0).unwrap());
                            equal += 1;
                        }
                        Err(error) => {
                            assert_eq!(error.reason(), Reason::VersionUnavailable, "{error}");
                            assert!(!shows_newer, "{statement:?} of a state begun at {begun}");
                            unavailable += 1;
                        }
                    }
                }
            }
            let asked = TransferRequest { lo: &[], hi: None, after: Some(begun / 2), limit: 50 };
            let transfer = |at: usize| readers[at].transfer(chain.height, &asked).unwrap();
            assert_eq!(transfer(1), transfer(0));
        }
    }
    assert!(equal > 3000 && unavailable > 300, "{equal} equal, {unavailable} unavailable");
}

#[test]
fn a_state_that_was_carried_twice_is_the_same() {
    let mut chain = Chain::new(5, 9);
    let (_, store) = chain.carried(30);
    let state = AmbState::open(store.clone(), ()).unwrap();
    let (rng, model) = (StdRng::seed_from_u64(1), chain.model.clone());
    let mut other = Chain { rng, model, state, height: chain.height };
    let (_, again) = other.carried(7);
    let all = |store: MemoryStore| records(&store);
    assert_eq!(all(again), all(store));
}

/// The result of adding the first pages unchanged, and then this one.
fn taken(root: TrustedRoot, before: &[Vec<u8>], page: &[u8]) -> Result<ReceivedPage> {
    let mut assembly = StateAssembly::new(root);
    for page in before {
        assembly.add_page(page, &Limits::DEFAULT).unwrap();
    }
    assembly.add_page(page, &Limits::DEFAULT)
}

#[test]
fn a_page_that_was_altered_or_is_another_is_refused() {
    let mut chain = Chain::new(4, 7);
    let (pages, _) = chain.carried(20);
    let root = chain.root();
    assert!(pages.len() > 3, "{}", pages.len());
    for at in [0, 1, pages.len() - 1] {
        let (before, page) = (&pages[..at], &pages[at]);
        let right = taken(root, before, page).unwrap();
        let mut cuts = 0;
        for byte in 0..page.len() {
            let mut altered = page.clone();
            altered[byte] ^= 1 << (byte % 8);
            match taken(root, before, &altered) {
                // Another cut between the same two keys.
                Ok(same) => {
                    assert_eq!((&same.values, &same.writes), (&right.values, &right.writes));
                    cuts += 1;
                }
                Err(refused) => {
                    let code = refused.code();
                    assert!([Code::Malformed, Code::Mismatch].contains(&code), "{byte}: {refused}");
                }
            }
            taken(root, before, &page[..byte]).unwrap_err();
        }
        assert!(cuts < 8, "{cuts}");
        taken(root, before, &[&page[..], &[0]].concat()).unwrap_err();
        for (other, page) in pages.iter().enumerate().filter(|(other, _)| *other != at) {
            taken(root, before, page).expect_err(&format!("page {other} instead of {at}"));
        }
    }
    let after = taken(root, &pages, &pages[0]).unwrap_err();
    assert_eq!(after.reason(), Reason::InvalidArgument);
    let mut assembly = StateAssembly::new(root);
    assembly.add_page(&pages[0], &Limits::DEFAULT).unwrap();
    assert_eq!(assembly.finish().unwrap_err().reason(), Reason::InvalidArgument);
}

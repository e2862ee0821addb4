//! A store compared with the model, in random runs.
#![allow(dead_code, reason = "each test uses only some of it")]
#![allow(unreachable_pub, reason = "a test crate exports nothing")]
#![allow(clippy::missing_panics_doc, reason = "tests fail by panicking")]

use std::sync::Arc;

use prooflight_amt::{TableParts, Tables};
use prooflight_core::store::{MemoryStore, RawKeyChange};
use prooflight_core::{Result, Verified};
use prooflight_lvmt::{
    LvmtRoot, LvmtStore, Params, ProofShard, StoreParams, VersionedState, verify,
};
use prooflight_testkit::lvmt::state::{LvmtModel, keccak};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The changes of a block.
pub type Changes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// A store, and the expected state at every height.
pub struct Run {
    pub store: LvmtStore<MemoryStore>,
    /// The state after each block.
    pub known: Vec<LvmtModel>,
    pub rng: StdRng,
}

pub fn params(log_n: u8, log_arity: u8, shard: ProofShard) -> StoreParams {
    let parts = TableParts { single: true, tree: Some(log_arity) };
    let tables = Arc::new(Tables::dev(log_n, parts).unwrap());
    StoreParams { tables, log_arity, shard, defer_proof_nodes: false }
}

pub fn changes(changes: &Changes) -> Vec<RawKeyChange<'_>> {
    changes.iter().map(RawKeyChange::from).collect()
}

impl Run {
    pub fn new(seed: u64, params: StoreParams) -> Self {
        let store = LvmtStore::open(MemoryStore::default(), params).unwrap();
        Self { store, known: Vec::new(), rng: StdRng::seed_from_u64(seed) }
    }

    /// Draws one of few keys, so that blocks overlap.
    pub fn draw_key(&mut self) -> Vec<u8> {
        vec![b'k', self.rng.random_range(0..90)]
    }

    pub fn draw_changes(&mut self, most: usize) -> Changes {
        let count = self.rng.random_range(0..=most);
        (0..count)
            .map(|_| {
                let key = self.draw_key();
                let length = self.rng.random_range(0..40);
                let delete = self.rng.random_ratio(1, 4);
                (key, (!delete).then(|| (0..length).map(|_| self.rng.random()).collect()))
            })
            .collect()
    }

    /// Applies a block to the model.
    pub fn know(&mut self, block: &Changes) {
        let params = self.store.params();
        let new = || LvmtModel::new(params.log_n(), params.log_arity);
        let mut state = self.known.last().cloned().unwrap_or_else(new);
        let borrowed: Vec<_> = block.iter().map(|(k, v)| (&k[..], v.as_deref())).collect();
        state.commit(&borrowed);
        self.known.push(state);
    }

    pub fn apply(&mut self, most: usize) {
        let block = self.draw_changes(most);
        let root = self.store.apply(&changes(&block)).unwrap();
        self.know(&block);
        assert_eq!(root, self.store.root());
        self.check_root();
    }

    /// Closes the store and opens it again.
    pub fn reopen(&mut self) {
        let params = self.store.params().clone();
        let empty = LvmtStore::open(MemoryStore::default(), params.clone()).unwrap();
        let kept = core::mem::replace(&mut self.store, empty).into_store();
        self.store = LvmtStore::open(kept, params).unwrap();
    }

    /// A copy of the store's content.
    pub fn kept(&mut self) -> MemoryStore {
        let params = self.store.params().clone();
        let empty = LvmtStore::open(MemoryStore::default(), params.clone()).unwrap();
        let kept = core::mem::replace(&mut self.store, empty).into_store();
        self.store = LvmtStore::open(kept.clone(), params).unwrap();
        kept
    }

    pub fn check_root(&self) {
        let root = self.known.last().unwrap().root();
        assert_eq!(self.store.height(), Some(root.height));
        assert_eq!(self.store.root()[..32], root.aroot);
        assert_eq!(self.store.root()[32..], root.hroot);
    }

    /// Proves and verifies every key ever drawn, and others, in one proof; returns the number of each kind.
    pub fn check_all(&mut self) -> [usize; 3] {
        let keys: Vec<_> = (0..100_u8).map(|n| vec![b'k', n]).collect();
        let verified = self.verify(&keys).unwrap();
        let state = self.known.last().unwrap();
        let mut kinds = [0; 3];
        for (key, verified) in keys.iter().zip(verified) {
            let known = state.keys.get(&keccak(key));
            let value = known.and_then(|record| record.value.clone());
            assert_eq!(self.store.get(key).unwrap(), value);
            let version = known.map_or(0, |record| record.version);
            let expected = match (known, value) {
                (Some(_), Some(value)) => (0, version, Some(value)),
                (Some(_), None) => (1, version, None),
                (None, _) => (2, 0, None),
            };
            let found = match verified {
                VersionedState::Present { value, version, .. } => {
                    (0, version, Some(value.to_vec()))
                }
                VersionedState::Deleted { version, .. } => (1, version, None),
                VersionedState::NeverWritten => (2, 0, None),
            };
            assert_eq!(found, expected, "{key:?}");
            kinds[found.0] += 1;
        }
        kinds
    }

    pub fn verify(&self, keys: &[Vec<u8>]) -> Result<Vec<VersionedState>> {
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let proved = self.store.prove(&keys)?;
        assert_eq!(proved.root, self.store.root());
        verify_proof(
            self.store.params(),
            &proved.root,
            self.store.height().unwrap(),
            &keys,
            &proved.proof,
        )
    }
}

pub fn verify_proof(
    params: &StoreParams,
    root: &[u8; 64],
    height: u64,
    keys: &[&[u8]],
    proof: &[u8],
) -> Result<Vec<VersionedState>> {
    let pinned = Params::new(params.tables.verifying_key(), params.log_arity).with_insecure_setup();
    verify(&LvmtRoot::new(root, height), keys, proof, &pinned).map(Verified::into_inner)
}

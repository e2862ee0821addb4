//! The store of every scheme, used as the chain uses it.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;

use prooflight_amt::VerifyingKey;
use prooflight_core::chain::{ChainConfig, ChainLimits, LmptConfig, LvmtConfig, SchemeConfig};
use prooflight_core::statement::Statement;
use prooflight_core::store::{
    Prepared, RawKeyChange, StateProof, StateReader as _, Store as _, WriteBatch,
};
use prooflight_core::{Limits, Reason, Scheme};
use prooflight_mpt::{AccountProof, Word};
use prooflight_node::chain::schemes::{self, SchemeContext, SchemeOptions, SchemeStore};
use prooflight_node::chain::store::{self, EmbeddedStore};

const ADDRESS: [u8; 20] = [0xaa; 20];

/// The value of an account with nonce 1, a balance of 5, and a hash of code.
fn account() -> Vec<u8> {
    [&[0xe3, 1, 5, 0xa0][..], &[9; 32]].concat()
}

fn slot(number: u8) -> Word {
    let mut slot = [0; 32];
    slot[31] = number;
    slot
}

fn slot_key(number: u8) -> Vec<u8> {
    [&ADDRESS[..], &slot(number)].concat()
}

/// A key with its new value; `None` if the block deletes it.
type KeyChange = (Vec<u8>, Option<Vec<u8>>);

/// Keys and values of four blocks that every scheme takes; the last one deletes a slot.
fn blocks() -> [Vec<KeyChange>; 4] {
    [
        vec![(ADDRESS.to_vec(), Some(account())), (slot_key(7), Some(vec![1]))],
        vec![(slot_key(7), Some(vec![2])), (slot_key(8), Some(vec![3]))],
        vec![],
        vec![(slot_key(8), None)],
    ]
}

fn every_scheme() -> impl Iterator<Item = Scheme> {
    Scheme::ALL.into_iter().filter(|scheme| scheme.exists())
}

struct SchemeCase {
    scheme: Scheme,
    store: EmbeddedStore,
    state: Box<dyn SchemeStore>,
}

impl SchemeCase {
    fn open(folder: &Path, scheme: Scheme) -> Self {
        let store = store::open(&folder.join("store")).unwrap();
        let options = SchemeOptions::default();
        let place = SchemeContext { folder, options: &options };
        let state = schemes::open(scheme, &store, &config(scheme), place).unwrap();
        Self { scheme, store, state }
    }

    fn prepare(&self, block: &[KeyChange]) -> Prepared<schemes::NextState> {
        let changes: Vec<_> = block.iter().map(RawKeyChange::from).collect();
        self.state.prepare(&changes).unwrap()
    }

    fn keep(&mut self, block: &[KeyChange]) {
        let next = self.prepare(block);
        let mut batch = WriteBatch::new();
        schemes::namespace((), self.scheme).move_into(&mut batch, next.writes);
        self.store.write(batch).unwrap();
        self.state.commit(next.next).unwrap();
        assert_eq!(self.state.root(), next.root);
    }
}

fn config(scheme: Scheme) -> ChainConfig {
    let lvmt = || {
        let (log_n, log_arity) = (4, 2);
        let params_id = VerifyingKey::dev(log_n).unwrap().params_id();
        SchemeConfig::lvmt(&LvmtConfig { params_id, log_n, log_arity })
    };
    ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: String::new(),
        schemes: vec![match scheme {
            Scheme::Lvmt => lvmt(),
            // Blocks 1 and 2 are the first era.
            Scheme::Lmpt => {
                SchemeConfig::lmpt(&LmptConfig { era_blocks: 2, ..LmptConfig::default() })
            }
            other => SchemeConfig::without_params(other),
        }],
        authorities: Vec::new(),
        quorum: 0,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: 0,
    }
}

/// A scheme's proof of the slots 7 and 8.
fn prove(
    scheme: Scheme,
    reader: &schemes::SchemeReader,
    height: u64,
) -> prooflight_core::Result<StateProof> {
    if scheme == Scheme::Mpt {
        let slots = [slot(7), slot(8)];
        return reader.prove(&Statement::Account { height, address: &ADDRESS, slots: &slots });
    }
    reader.prove(&Statement::Keys { height, keys: &[&slot_key(7), &slot_key(8)] })
}

#[test]
fn a_block_counts_once_it_is_committed_and_readers_stay_as_they_were() {
    for scheme in every_scheme() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = SchemeCase::open(folder.path(), scheme);
        assert_eq!(kept.state.height(), None);
        let mut readers = Vec::new();
        for (height, block) in (0_u64..).zip(blocks()) {
            let before = kept.state.root();
            // Another block, which is abandoned.
            let other =
                kept.prepare(&[(ADDRESS.to_vec(), Some(account())), (slot_key(9), Some(vec![9]))]);
            assert_eq!((kept.state.height(), kept.state.root()), (height.checked_sub(1), before));
            kept.keep(&block);
            assert_eq!(kept.state.height(), Some(height));
            for stale in [other.next, Box::new(())] {
                let refused = kept.state.commit(stale).unwrap_err();
                assert_eq!(refused.reason(), Reason::InvalidArgument, "{scheme:?}");
            }
            let reader = kept.state.reader().unwrap();
            let proved = prove(scheme, &reader, height).unwrap();
            assert_eq!(proved.roots, [(height, kept.state.root())]);
            readers.push((reader, proved));
        }
        for (height, (reader, proved)) in (0..).zip(&readers) {
            assert_eq!(prove(scheme, reader, height).unwrap(), *proved, "{scheme:?}");
        }
        let (root, height) = (kept.state.root(), kept.state.height());
        // A reader keeps the store open.
        drop((kept, readers));
        // The files of `smt` are compared with the headers of their blocks, which do not exist here.
        if scheme != Scheme::Smt {
            let again = SchemeCase::open(folder.path(), scheme);
            assert_eq!((again.state.root(), again.state.height()), (root, height));
        }
    }
}

#[test]
fn what_a_scheme_cannot_prove_it_refuses() {
    let key = slot_key(7);
    let statements = [
        Statement::Keys { height: 0, keys: &[&key] },
        Statement::Account { height: 0, address: &ADDRESS, slots: &[] },
        Statement::History { key: &key, from: 0, to: 0 },
        Statement::Diff { from: None, to: 0 },
    ];
    for scheme in every_scheme() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = SchemeCase::open(folder.path(), scheme);
        kept.keep(&blocks()[0]);
        let reader = kept.state.reader().unwrap();
        let proves = statements.map(|statement| match reader.prove(&statement) {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.reason(), Reason::UnknownStatement, "{error}");
                false
            }
        });
        let able = statements.map(|statement| scheme.proves(statement.ability()));
        assert_eq!(proves, able, "{scheme:?}");
        let later = prove(scheme, &reader, 1).unwrap_err();
        assert_eq!(later.reason(), Reason::VersionUnavailable, "{scheme:?}");
    }
}

#[test]
fn what_is_pruned_is_gone_for_new_readers() {
    // The newest root of amb proves all states before it, so nothing of it is pruned.
    for scheme in every_scheme().filter(|scheme| *scheme != Scheme::Amb) {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = SchemeCase::open(folder.path(), scheme);
        for block in blocks() {
            kept.keep(&block);
        }
        let before = kept.state.reader().unwrap();
        kept.state.prune(2).unwrap();
        // Pruning up to an earlier block than before is not an error.
        kept.state.prune(1).unwrap();
        kept.keep(&blocks()[1]);
        let reader = kept.state.reader().unwrap();
        let gone = prove(scheme, &reader, 1).unwrap_err();
        assert_eq!(gone.reason(), Reason::VersionUnavailable, "{scheme:?}");
        for height in 3..=4 {
            prove(scheme, &reader, height).unwrap();
        }
        let root = prove(scheme, &before, 3).unwrap().roots;
        assert_eq!(root, prove(scheme, &reader, 3).unwrap().roots, "{scheme:?}");
    }
}

#[test]
fn the_proof_of_an_account_is_bytes_that_are_taken_apart_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut kept = SchemeCase::open(folder.path(), Scheme::Mpt);
    for block in &blocks()[..2] {
        kept.keep(block);
    }
    let reader = kept.state.reader().unwrap();
    let root = kept.state.root().try_into().unwrap();
    let slots = [slot(8), slot(9), slot(7)];
    for (address, values) in [(ADDRESS, [3, 0, 2]), ([0xbb; 20], [0; 3])] {
        let statement = Statement::Account { height: 1, address: &address, slots: &slots };
        let bytes = reader.prove(&statement).unwrap().proof;
        let proof = AccountProof::decode(&bytes).unwrap();
        let shown = proof.verify(&root, &address, &slots, &Limits::DEFAULT).unwrap();
        assert_eq!(shown.storage, values.map(slot));
        match shown.account {
            Some(account) => {
                assert_eq!((address, account.nonce, account.balance), (ADDRESS, 1, slot(5)));
            }
            None => assert_ne!(address, ADDRESS),
        }
        let fewer = proof.verify(&root, &address, &slots[1..], &Limits::DEFAULT).unwrap_err();
        assert_eq!(fewer.reason(), Reason::SlotKeysMismatch);
        for end in 0..bytes.len() {
            AccountProof::decode(&bytes[..end]).unwrap_err();
        }
        AccountProof::decode(&[&bytes[..], &[0]].concat()).unwrap_err();
    }
    // No list, too few and too many lists, a string for a list, a list for a node.
    for wrong in
        [&[0x80][..], &[0xc0], &[0xc1, 0xc0], &[0xc3, 0xc0, 0xc0, 0xc0], &[0xc2, 0x80, 0xc0]]
    {
        assert_eq!(AccountProof::decode(wrong).unwrap_err().reason(), Reason::InvalidEncoding);
    }
    let nested = AccountProof::decode(&[0xc3, 0xc1, 0xc0, 0xc0]).unwrap_err();
    assert_eq!(nested.reason(), Reason::InvalidEncoding);
    assert_eq!(AccountProof::decode(&[0xc2, 0xc0, 0xc0]).unwrap().slots.len(), 0);
}

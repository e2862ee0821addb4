//! Versions in a store: reopened, pruned, damaged; random batches compared with a map.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeMap;

use arbitrary::Unstructured;
use prooflight_core::store::{MemoryStore, RawKeyChange, ReadStore, Store, WriteBatch};
use prooflight_core::{Limits, Reason};
use prooflight_mpt::{
    EMPTY_ROOT, PersistentState, PersistentTrie, StateChange, prove_at, prove_state_at,
    verify_proof,
};
use prooflight_testkit::mpt::honest::{HonestTrie, KeyKind, draw_value};
use prooflight_testkit::mpt::slices;
use prooflight_testkit::mpt::state::{HonestState, word};
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

fn random_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut data = vec![0; length];
    StdRng::seed_from_u64(seed).fill_bytes(&mut data);
    data
}

fn draw_batch(u: &mut Unstructured<'_>, honest: &HonestTrie) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    (0..u.int_in_range(0..=12).unwrap())
        .map(|_| {
            let value = if u.ratio(2, 5).unwrap() { None } else { Some(draw_value(u).unwrap()) };
            (honest.draw_key(u).unwrap(), value)
        })
        .collect()
}

/// A trie with the same entries, made in one batch.
fn fresh(entries: &BTreeMap<Vec<u8>, Vec<u8>>) -> PersistentTrie<MemoryStore> {
    let mut trie = PersistentTrie::open(MemoryStore::default()).unwrap();
    let changes: Vec<_> =
        entries.iter().map(|(key, value)| RawKeyChange::set(key, value)).collect();
    trie.apply(&changes).unwrap();
    trie
}

fn entries_of(store: &MemoryStore) -> Vec<(Vec<u8>, Vec<u8>)> {
    store.range(&[], &[0xff]).map(Result::unwrap).collect()
}

/// The number of nodes in a store: exactly those that its versions need.
fn nodes_in(store: &MemoryStore) -> usize {
    store.range(b"n", b"o").count()
}

#[test]
fn every_version_is_what_its_entries_make() {
    let (mut deletions, mut empties) = (0, 0);
    for (seed, keys) in (0..60).zip(KeyKind::ALL.into_iter().cycle()) {
        let data = random_bytes(seed, 4000);
        let u = &mut Unstructured::new(&data);
        let mut honest = HonestTrie::new(keys);
        let mut versions = vec![honest.entries.clone()];
        for _ in 0..8 {
            let batch = draw_batch(u, &honest);
            deletions += batch.iter().filter(|(_, value)| value.is_none()).count();
            honest.apply(&batch);
            versions.push(honest.entries.clone());
            let alone = fresh(&honest.entries);
            assert_eq!(honest.trie.root(), alone.root());
            empties += usize::from(honest.entries.is_empty());
            assert_eq!(honest.trie.root() == EMPTY_ROOT, honest.entries.is_empty());
            for _ in 0..6 {
                let key = honest.draw_key(u).unwrap();
                assert_eq!(honest.proof(&key), alone.prove(&key).unwrap().proof);
                honest.judge(&key, &honest.proof(&key)).unwrap();
            }
        }
        let all: Vec<_> = versions.iter().flat_map(|entries| entries.keys().cloned()).collect();
        let store = honest.trie.into_store();
        for (version, entries) in (0..).zip(&versions) {
            let alone = fresh(entries);
            for key in all.iter().step_by(3) {
                let old = prove_at(&store, version, key).unwrap();
                assert_eq!(old, alone.prove(key).unwrap(), "version {version}");
                let proof = slices(&old.proof);
                let verified = verify_proof(&old.root, key, &proof, &Limits::DEFAULT).unwrap();
                assert_eq!(*verified, entries.get(key).map(Vec::as_slice));
            }
        }
        let reopened = PersistentTrie::open(store).unwrap();
        assert_eq!(reopened.root(), fresh(&versions[8]).root());
        assert_eq!((reopened.revision(), reopened.oldest_revision()), (8, 0));
    }
    assert!(deletions > 300 && empties > 5, "{deletions} {empties}");
}

#[test]
fn pruned_to_one_version_a_store_has_its_nodes_alone() {
    for seed in 100..140 {
        let data = random_bytes(seed, 4000);
        let u = &mut Unstructured::new(&data);
        let mut honest = HonestTrie::draw(u, 20).unwrap();
        for _ in 0..6 {
            honest.apply(&draw_batch(u, &honest));
        }
        let newest = honest.trie.revision();
        let middle = newest / 2;
        honest.trie.prune(middle).unwrap();
        assert_eq!(honest.trie.prune(middle - 1).unwrap_err().reason(), Reason::VersionUnavailable);
        assert_eq!(honest.trie.root_at(0).unwrap_err().reason(), Reason::VersionUnavailable);
        honest.trie.root_at(middle).unwrap();
        honest.trie.prune(newest).unwrap();
        for key in honest.entries.keys() {
            assert_eq!(honest.trie.get(key).unwrap().as_ref(), honest.entries.get(key));
        }
        let alone = fresh(&honest.entries).into_store();
        assert_eq!(nodes_in(&honest.trie.into_store()), nodes_in(&alone), "seed {seed}");
    }
}

/// Copies the store of a trie, which stays usable.
struct PersistentTrieCopy;

impl PersistentTrieCopy {
    fn of(honest: &mut HonestTrie) -> MemoryStore {
        let empty = PersistentTrie::open(MemoryStore::default()).unwrap();
        let store = core::mem::replace(&mut honest.trie, empty).into_store();
        honest.trie = PersistentTrie::open(store.clone()).unwrap();
        store
    }
}

#[test]
fn a_prepared_version_changes_nothing_until_it_is_committed() {
    let mut honest = HonestTrie::new(KeyKind::Short);
    honest.apply(&[(b"ab".to_vec(), Some(vec![1; 40])), (b"ac".to_vec(), Some(vec![2; 40]))]);
    let root = honest.trie.root();
    let mut first = honest.trie.prepare(&[RawKeyChange::delete(b"ab")]).unwrap();
    let second = honest.trie.prepare(&[RawKeyChange::set(b"x", b"y")]).unwrap();
    assert_eq!((honest.trie.root(), honest.trie.revision()), (root, 1));
    assert_ne!(first.root(), root);
    let mut store = PersistentTrieCopy::of(&mut honest);
    store.write(first.take_writes()).unwrap();
    let mut written = PersistentTrie::open(store.clone()).unwrap();
    assert_eq!((written.root(), written.revision()), (first.root(), 2));
    assert_eq!(written.commit(&second).unwrap_err().reason(), Reason::InvalidArgument);
    assert_eq!(honest.trie.commit(&first), Ok(first.root()));
    assert_eq!(honest.trie.commit(&first).unwrap_err().reason(), Reason::InvalidArgument);
}

#[test]
fn arguments_that_cannot_be_are_refused_and_change_nothing() {
    let mut trie = fresh(&BTreeMap::from([(b"k".to_vec(), b"v".to_vec())]));
    let root = trie.root();
    let long = [0; 257];
    for (changes, reason) in [
        (
            vec![RawKeyChange::set(b"a", b"b"), RawKeyChange::set(b"b", b"")],
            Reason::InvalidArgument,
        ),
        (vec![RawKeyChange::set(&long, b"b")], Reason::KeyLength),
        (vec![RawKeyChange::delete(&long)], Reason::KeyLength),
    ] {
        assert_eq!(trie.apply(&changes).unwrap_err().reason(), reason);
        assert_eq!((trie.root(), trie.revision()), (root, 1));
    }
    assert_eq!(trie.prove(&long).unwrap_err().reason(), Reason::KeyLength);
    let longest = [7; 256];
    trie.apply(&[RawKeyChange::set(&longest, b"b")]).unwrap();
    assert_eq!(trie.get(&longest).unwrap().as_deref(), Some(&b"b"[..]));
}

#[test]
fn a_changed_byte_of_the_store_is_found_or_harmless() {
    let data = random_bytes(300, 4000);
    let u = &mut Unstructured::new(&data);
    let mut honest = HonestTrie::new(KeyKind::Short);
    for _ in 0..4 {
        honest.apply(&draw_batch(u, &honest));
    }
    let keys: Vec<_> = honest.entries.keys().cloned().chain([b"absent".to_vec()]).collect();
    let (root, entries) = (honest.trie.root(), honest.entries.clone());
    let store = honest.trie.into_store();
    let (mut found, mut harmless) = (0, 0);
    for (key, value) in entries_of(&store) {
        for byte in 0..value.len() {
            let mut changed = value.clone();
            changed[byte] ^= 1 << (byte % 8);
            let mut damaged = store.clone();
            let mut batch = WriteBatch::new();
            batch.put(key.clone(), changed);
            damaged.write(batch).unwrap();
            let read = PersistentTrie::open(damaged).and_then(|trie| {
                keys.iter().map(|key| trie.prove(key)).collect::<Result<Vec<_>, _>>()
            });
            match read {
                // The version record has an unknown root, or an older one.
                Ok(proved) if proved[0].root != root => found += 1,
                Ok(proved) => {
                    let expected = keys.iter().map(|key| entries.get(key).cloned());
                    assert!(proved.into_iter().map(|it| it.value).eq(expected));
                    harmless += 1;
                }
                Err(error) => {
                    let reason = error.reason();
                    assert_eq!(reason, Reason::StoreCorrupt, "{error}");
                    found += 1;
                }
            }
        }
    }
    assert!(found > 300 && harmless > 100, "{found} {harmless}");
}

#[test]
fn states_are_what_their_accounts_make() {
    let (mut present, mut absent) = (0, 0);
    for seed in 400..440 {
        let data = random_bytes(seed, 6000);
        let u = &mut Unstructured::new(&data);
        let mut honest = HonestState::draw(u, 6).unwrap();
        let mut alone = PersistentState::open(MemoryStore::default()).unwrap();
        let mut changes = Vec::new();
        for (&address, known) in &honest.accounts {
            let (nonce, balance, code_hash) = (known.nonce, known.balance, known.code_hash);
            changes.push(StateChange::SetAccount { address, nonce, balance, code_hash });
            let slot = |(&slot, &value)| StateChange::SetSlot { address, slot, value };
            changes.extend(known.slots.iter().map(slot));
        }
        assert_eq!(alone.apply(&changes).unwrap(), honest.state.root(), "seed {seed}");
        for _ in 0..10 {
            let asked = honest.draw_question(u).unwrap();
            honest.judge(&asked).unwrap();
            let known = honest.accounts.contains_key(&asked.address);
            *if known { &mut present } else { &mut absent } += 1;
        }
        honest.state.prune(honest.state.revision()).unwrap();
        let store = honest.state.into_store();
        assert_eq!(nodes_in(&store), nodes_in(&alone.into_store()), "seed {seed}");
        let asked = prove_state_at(&store, 6, &[1; 20], &[word(1)]).unwrap();
        assert_eq!(asked.account.is_some(), honest.accounts.contains_key(&[1; 20]));
        let gone = prove_state_at(&store, 5, &[1; 20], &[]).unwrap_err();
        assert_eq!(gone.reason(), Reason::VersionUnavailable);
    }
    assert!(present > 100 && absent > 50, "{present} {absent}");
}

#[test]
fn a_slot_needs_its_account() {
    let mut state = PersistentState::open(MemoryStore::default()).unwrap();
    let set = |value| StateChange::SetSlot { address: [1; 20], slot: word(1), value };
    let missing = state.apply(&[set(word(5))]).unwrap_err();
    assert_eq!(missing.reason(), Reason::AccountMissing);
    assert_eq!((state.revision(), state.root()), (0, EMPTY_ROOT));
    assert_eq!(state.apply(&[set(word(0))]), Ok(EMPTY_ROOT));

    let (address, nonce, balance) = ([1; 20], 0, word(9));
    let code_hash = prooflight_mpt::EMPTY_CODE_HASH;
    let account = StateChange::SetAccount { address, nonce, balance, code_hash };
    // The account is changed first, whatever its position.
    let with_slot = state.apply(&[set(word(5)), account]).unwrap();
    assert_eq!(state.prove(&address, &[word(1)]).unwrap().storage[0].value, word(5));
    let gone = [set(word(5)), StateChange::DeleteAccount { address }];
    assert_eq!(state.apply(&gone).unwrap_err().reason(), Reason::AccountMissing);
    assert_eq!(state.apply(&[account]), Ok(with_slot));
    assert_eq!(state.apply(&[StateChange::DeleteAccount { address }]), Ok(EMPTY_ROOT));
    let bare = state.apply(&[account]).unwrap();
    assert_ne!(bare, with_slot);
    state.prune(state.revision()).unwrap();
    assert_eq!(nodes_in(&state.into_store()), 1);
}

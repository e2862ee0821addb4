//! Lies about absence: keys that have been written, and slots that do not belong to another key.

use core::cmp::Ordering;

use prooflight_core::Reason;
use prooflight_lvmt::proof::{Proof, SlotOwner, SlotVersion};

use super::super::sample::{find, name, sample};
use super::super::state::{KeyRecord, LevelPrefix, LvmtModel, keccak, key_leaf};
use super::{LieCollector, RefusedInput};

pub(super) fn lies() -> Vec<RefusedInput> {
    let mut lies = hidden();
    lies.extend(owners());
    lies
}

/// The state, whose proofs claim that this key was never written.
fn hiding(state: &LvmtModel, key: &[u8]) -> LvmtModel {
    let mut hiding = state.clone();
    hiding.hidden.insert(keccak(key));
    hiding
}

/// The name of a key's entry, and its slot.
fn place_of(state: &LvmtModel, key: &[u8]) -> (LevelPrefix, KeyRecord) {
    let record = state.keys[&keccak(key)].clone();
    (state.entry_name(&keccak(key), record.level), record)
}

fn hidden() -> Vec<RefusedInput> {
    let full = sample(2, 1, 60);
    let sparse = sample(4, 2, 24);
    let mut told = LieCollector::new("Absence", &full);
    let mut hide = |state: &LvmtModel, comment: &str, key: &[u8]| {
        let proof = hiding(state, key).prove(&[key]);
        told.about(state, Reason::OwnerRequested, comment, &[key], &proof);
    };
    let live = |record: &KeyRecord| record.value.is_some();
    let key = find(&sparse, |record| record.level == 0 && live(record));
    hide(&sparse, "absence of a present key, which owns a slot of the entry", &key);
    let key = find(&full, |record| record.level == 1 && live(record));
    hide(&full, "absence of a present key below the root", &key);
    let key = find(&full, |record| record.level == 0 && live(record));
    hide(&full, "absence of a present key of a full entry, further down", &key);
    let key = find(&sparse, |record| !live(record));
    hide(&sparse, "a deleted key, as if it had never been written", &key);

    // In the middle of its entry's hashes, so that others are on both sides of it.
    let middle = |key: &Vec<u8>| {
        let hash = keccak(key);
        sparse.keys.get(&hash).is_some_and(live) && (4..12).contains(&(hash[0] % 16))
    };
    let key = (0..24).map(name).find(middle).expect("a key like that");
    let hides = hiding(&sparse, &key);
    let entry = sparse.entry_name(&keccak(&key), 0);
    let beside = |n: &u32| sparse.entry_name(&keccak(&name(*n)), 0) == entry;
    for (order, comment) in [
        (Ordering::Less, "two absent keys, the second of which owns a slot of their entry"),
        (Ordering::Greater, "two absent keys, the first of which owns a slot of their entry"),
    ] {
        let ordered = |n: &u32| beside(n) && keccak(&name(*n)).cmp(&keccak(&key)) == order;
        let absent = (1000..2000).find(ordered).map(name).expect("a key of the same entry");
        let keys: &[&[u8]] = &[&key, &absent];
        told.about(&sparse, Reason::OwnerRequested, comment, keys, &hides.prove(keys));
    }

    // The key's slot is the last occupied one, so that the others stay in order without it.
    let last = |record: &KeyRecord, state: &LvmtModel, key: &[u8]| {
        let versions = state.entry_at(&keccak(key), record.level);
        versions.iter().rposition(|&v| v > 0) == Some(usize::from(record.slot))
    };
    let names = (0..24).map(name);
    let key = names
        .filter(|key| sparse.keys.get(&keccak(key)).is_some_and(|r| last(r, &sparse, key)))
        .find(|key| sparse.keys[&keccak(key)].slot < 5)
        .expect("a key like that");
    let (entry, record) = place_of(&sparse, &key);
    let change = |by: &dyn Fn(&mut Proof)| {
        let mut proof = hiding(&sparse, &key).prove(&[&key]);
        by(&mut proof);
        sparse.seal(&mut proof);
        proof
    };
    let silent = change(&|proof| proof.owners.truncate(proof.owners.len() - 1));
    let comment = "the slot of a present key is passed over";
    told.about(&sparse, Reason::OwnerCount, comment, &[&key], &silent);
    let freed = change(&|proof| {
        proof.owners.pop();
        proof.entries[0].0[usize::from(record.slot)] = SlotVersion::new(0).expect("a small one");
    });
    let comment = "the slot of a present key is said to be free";
    told.about(&sparse, Reason::OpeningMismatch, comment, &[&key], &freed);
    let foreign = sparse.keys.iter().find(|(other, of)| {
        (of.level, of.slot) == (0, record.slot)
            && of.leaves.len() as u64 <= record.version
            && sparse.entry_name(other, 0) != entry
    });
    let (other, of) = foreign.expect("a key with that slot elsewhere");
    let elsewhere = sparse.owner(&sparse.entry_name(other, 0), of.slot, |_| 0).expect("that key");
    let foreign = change(&|proof| *proof.owners.last_mut().expect("the key's") = elsewhere);
    let comment = "the slot of a present key is said to be that of a key elsewhere";
    told.about(&sparse, Reason::OwnerElsewhere, comment, &[&key], &foreign);

    let key = find(&full, |record| record.level == 1 && live(record));
    let mut short = hiding(&full, &key).prove(&[&key]);
    short.entries[0].0[0] = SlotVersion::new(0).expect("a small one");
    short.entries.truncate(1);
    short.points.truncate(2);
    short.amts.clear();
    short.owners.truncate(5);
    full.seal(&mut short);
    let comment = "the child that a present key is in is said not to exist";
    told.about(&full, Reason::OpeningMismatch, comment, &[&key], &short);
    short.entries[0] = hiding(&full, &key).prove(&[&key]).entries[0];
    let comment = "the walk stops above the child that a present key is in";
    told.about(&full, Reason::AmtCount, comment, &[&key], &short);
    told.lies
}

fn owners() -> Vec<RefusedInput> {
    let state = sample(2, 1, 60);
    let mut names = (1000..2000).map(name);
    let two_levels = |key: &Vec<u8>| state.prove(&[&key[..]]).owners.len() >= 7;
    let key = names.find(two_levels).expect("a key that meets two entries");
    let mut told = LieCollector::new("Absence", &state);
    let honest = state.prove(&[&key]);

    told.sealed(Reason::RootMismatch, "owners in another order than their slots", &[&key], |p| {
        p.owners.swap(0, 1);
    });
    told.sealed(Reason::RootMismatch, "an owner of the slot a level further down", &[&key], |p| {
        let below = state.entry_name(&keccak(&key), 1);
        p.owners[0] = state.owner(&below, 1, |_| 0).expect("the first owner below");
    });
    told.sealed(Reason::OwnerCount, "no owners", &[&key], |p| p.owners.clear());
    told.change(Reason::OwnerCount, "an owner too many", &[&key], |p| p.owners.push(p.owners[0]));
    told.sealed(Reason::RootMismatch, "an owner's leaf is said to be a tombstone", &[&key], |p| {
        let live = p.owners.iter_mut().find(|owner| owner.value_hash.is_some());
        live.expect("a value").value_hash = None;
    });
    told.sealed(Reason::PlaceTwice, "two owners with one leaf", &[&key], |p| {
        p.owners[1] = p.owners[0];
    });
    let versions = |owner: &SlotOwner| {
        let record = &state.keys[&owner.key_hash];
        (state.entry_name(&owner.key_hash, record.level), record.clone())
    };
    for (comment, change) in [("version 0", None), ("a later version than the slot's", Some(1))] {
        let (_, record) = versions(&honest.owners[0]);
        let version = change.map_or(0, |more| record.version + more);
        let mut lying = state.clone();
        let SlotOwner { key_hash, value_hash, .. } = honest.owners[0];
        let place =
            lying.plant(key_leaf(record.level, record.slot, version, &key_hash, value_hash));
        let mut proof = honest.clone();
        let version = SlotVersion::new(version).expect("a small one");
        proof.owners[0] = SlotOwner { version, place, ..proof.owners[0] };
        lying.seal(&mut proof);
        let comment = format!("an owner's leaf has {comment}");
        told.about(&lying, Reason::OwnerVersion, &comment, &[&key], &proof);
    }
    told.lies
}

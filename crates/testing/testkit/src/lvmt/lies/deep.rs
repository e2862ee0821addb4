//! The lies about the root, repeated at each of the next levels.

use core::cmp::Ordering;

use prooflight_core::Reason;
use prooflight_lvmt::proof::{Proof, SlotOwner, SlotVersion};

use super::super::sample::{find, name, sample};
use super::super::state::{LvmtModel, keccak, key_leaf};
use super::super::tower::{claim_slot, plant_amt, tower};
use super::{LieCollector, RefusedInput};

/// Versions of an entry of which two slots are occupied.
const TWO_SLOTS: [u64; 6] = [0, 1, 1, 0, 0, 0];

pub(super) fn lies() -> Vec<RefusedInput> {
    let mut lies = Vec::new();
    for level in 1..4 {
        lies.extend(absence(level));
        lies.extend(owners(level));
        lies.extend(entries(level));
        lies.extend(claims(level));
    }
    lies.extend(openings());
    lies.extend(stale());
    lies.extend(without_leaves());
    lies
}

fn version(version: u64) -> SlotVersion {
    SlotVersion::new(version).expect("a small one")
}

/// Absence of a key that has been written.
fn absence(level: u8) -> Vec<RefusedInput> {
    let mut state = tower(2, 1, level, TWO_SLOTS, 2);
    state.hidden.insert(keccak(&name(0)));
    let key: &[u8] = &name(0);
    let mut told = LieCollector::new("Absence", &state);
    let comment = format!("absence of a present key, which owns a slot at level {level}");
    told.change(Reason::OwnerRequested, &comment, &[key], |_| ());
    let comment = format!("absence of a present key, whose slot at level {level} is passed over");
    told.sealed(Reason::OwnerCount, &comment, &[key], |p| {
        p.owners.pop();
    });
    let of_entry = |other: &Vec<u8>| {
        state.entry_name(&keccak(other), level) == state.entry_name(&keccak(key), level)
    };
    for (order, which) in [(Ordering::Less, "second"), (Ordering::Greater, "first")] {
        let ordered = |other: &Vec<u8>| keccak(other).cmp(&keccak(key)) == order;
        let other = (1..99_999).map(name).find(|other| of_entry(other) && ordered(other));
        let other = other.expect("an absent key of the same entry");
        let comment = format!("two absent keys, the {which} of which owns a slot at level {level}");
        told.change(Reason::OwnerRequested, &comment, &[key, &other], |_| ());
    }
    told.lies
}

/// False owners of a slot at this level.
fn owners(level: u8) -> Vec<RefusedInput> {
    let state = tower(2, 1, level, TWO_SLOTS, 0);
    let key: &[u8] = &name(0);
    let mut told = LieCollector::new("Absence", &state);
    let honest = state.prove(&[key]);
    let SlotOwner { key_hash, value_hash, .. } = *honest.owners.last().expect("of the last slot");
    let mut owned = |reason, comment: &str, key_hash, number| {
        let mut lying = state.clone();
        let place = lying.plant(key_leaf(level, 2, number, &key_hash, value_hash));
        let mut proof = honest.clone();
        *proof.owners.last_mut().expect("of the last slot") =
            SlotOwner { key_hash, version: version(number), value_hash, place };
        lying.seal(&mut proof);
        told.about(&lying, reason, comment, &[key], &proof);
    };
    let first = 2 * usize::from(level);
    for bit in [0, first - 1, first, first + 1] {
        let mut elsewhere = key_hash;
        elsewhere[bit / 8] ^= 0x80 >> (bit % 8);
        let comment =
            format!("an owner at level {level} whose hash differs from the key's in bit {bit}");
        owned(Reason::OwnerElsewhere, &comment, elsewhere, 1);
    }
    for (number, what) in [(0, "version 0"), (2, "a later version than the slot's")] {
        let comment = format!("an owner's leaf at level {level} has {what}");
        owned(Reason::OwnerVersion, &comment, key_hash, number);
    }
    told.lies
}

/// Entries that no honest chain has, at this level.
fn entries(level: u8) -> Vec<RefusedInput> {
    let key: &[u8] = &name(0);
    let hash = keccak(key);
    let mut lies = Vec::new();
    let mut lie = |state: &LvmtModel, reason, comment: String, proof: &Proof| {
        let mut told = LieCollector::new("Walk", state);
        told.proof(reason, &comment, &[key], proof);
        lies.extend(told.lies);
    };
    let gap = tower(2, 1, level, [0, 1, 0, 1, 0, 0], 3);
    let comment = format!("a slot was left out at level {level}");
    lie(&gap, Reason::InvalidEntry, comment, &gap.prove(&[key]));

    // The entry above the last one differs from that of a tower.
    let above = |versions: [u64; 6], child: u64| {
        let mut state = tower(2, 1, level + 1, TWO_SLOTS, 2);
        state.entries.insert(state.entry_name(&hash, level), versions);
        plant_amt(&mut state, &hash, level, 1);
        plant_amt(&mut state, &hash, level + 1, child);
        state
    };
    let early = above([1, 1, 1, 1, 1, 0], 1);
    let comment = format!("a child below an entry with a free slot at level {level}");
    lie(&early, Reason::InvalidEntry, comment, &early.prove(&[key]));
    let childless = above([0, 1, 1, 1, 1, 1], 0);
    let comment = format!("below an entry without a child at level {level}");
    lie(&childless, Reason::NoChild, comment, &childless.prove(&[key]));
    lies
}

/// Claims about slots at this level that are free or belong to another key.
fn claims(level: u8) -> Vec<RefusedInput> {
    let key: &[u8] = &name(0);
    let mut free = tower(2, 1, level, TWO_SLOTS, 0);
    claim_slot(&mut free, &keccak(key), level, 3, 0);
    let mut told = LieCollector::new("Walk", &free);
    let comment = format!("a leaf of version 0 at level {level}");
    told.change(Reason::SlotFree, &comment, &[key], |_| ());

    let mut taken = tower(2, 1, level, TWO_SLOTS, 1);
    let of_entry = |key: &Vec<u8>| {
        taken.entry_name(&keccak(key), level) == taken.entry_name(&keccak(&name(0)), level)
    };
    let rival = (1..9000).map(name).find(of_entry).expect("a key of the same entry");
    claim_slot(&mut taken, &keccak(&rival), level, 1, 1);
    let keys: &[&[u8]] = &[key, &rival];
    let comment = format!("two keys with one slot at level {level}");
    told.about(&taken, Reason::SlotTaken, &comment, keys, &taken.prove(keys));
    told.lies
}

/// False versions below the first level.
fn openings() -> Vec<RefusedInput> {
    let key: &[u8] = &name(0);
    let mut lies = Vec::new();
    for level in 2..5 {
        let mut state = tower(2, 1, level, TWO_SLOTS, 0);
        claim_slot(&mut state, &keccak(key), level, 2, 2);
        let mut told = LieCollector::new("Opening", &state);
        let comment = format!("a later version of a slot at level {level}, and a leaf that has it");
        told.change(Reason::OpeningMismatch, &comment, &[key], |p| {
            p.entries.last_mut().expect("the key's").0[2] = version(2);
        });
        lies.extend(told.lies);

        // The key has the last slot of the entry, which is claimed to be free.
        let mut state = tower(2, 1, level, TWO_SLOTS, 2);
        state.hidden.insert(keccak(key));
        let mut told = LieCollector::new("Absence", &state);
        let comment = format!("the slot of a present key at level {level} is said to be free");
        told.sealed(Reason::OpeningMismatch, &comment, &[key], |p| {
            p.entries.last_mut().expect("the key's").0[2] = version(0);
            p.owners.pop();
        });
        lies.extend(told.lies);
    }
    lies
}

/// An AMT at level 2 from before the last block, below AMTs from after it.
fn stale() -> Vec<RefusedInput> {
    let state = sample(2, 1, 150);
    let key: &[u8] = &find(&state, |record| record.level == 2 && record.value.is_some());
    let mut later = state.clone();
    later.commit(&[(key, Some(b"later"))]);
    let older = state.prove(&[key]);
    let mut told = LieCollector::new("Leaf", &later);
    let two_levels = |p: &mut Proof| {
        p.claims.clone_from(&older.claims);
        p.amts[1] = older.amts[1];
        p.entries[2] = older.entries[2];
        let last = p.points.len() - 1;
        p.points[last] = older.points[last];
    };
    let comment = "an older commitment at level 2, its openings and its leaves, below a newest one";
    told.sealed(Reason::RootMismatch, comment, &[key], two_levels);
    let comment =
        "an older commitment at level 2, and the older version of it in the newest one above";
    told.sealed(Reason::OpeningMismatch, comment, &[key], |p| {
        two_levels(p);
        p.entries[1] = older.entries[1];
    });
    told.lies
}

/// Sizes and hashes of trees in proofs without leaves.
fn without_leaves() -> Vec<RefusedInput> {
    let mut state = LvmtModel::new(4, 2);
    state.commit(&[]);
    let mut told = LieCollector::new("Leaf", &state);
    let nobody: &[u8] = &name(0);
    for (keys, what) in [(&[nobody][..], "an absent key whose entry is empty"), (&[], "no keys")] {
        let mut change = |reason, comment: &str, by: &dyn Fn(&mut Proof)| {
            told.change(reason, &format!("{what}, and {comment}"), keys, by);
        };
        change(Reason::PathLength, "a hash", &|p| p.hashes.push([0; 32]));
        change(Reason::SizeCount, "a size", &|p| p.sizes.push(1));
        change(Reason::SizeCount, "a size of 0", &|p| p.sizes.push(0));
    }
    told.lies
}

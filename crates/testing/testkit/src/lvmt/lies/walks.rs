//! Claims, entries and commitments that do not belong to the keys' walks.

use prooflight_core::Reason;
use prooflight_lvmt::proof::{Claim, OpeningForm, Proof, ProofAmt, SlotOwner, SlotVersion};

use super::super::prove::entry;
use super::super::sample::{find, name, sample};
use super::super::state::{KeyRecord, LowerAmt, LvmtModel, keccak, key_leaf};
use super::super::tower::{claim_slot, plant_amt};
use super::{LieCollector, RefusedInput};

pub(super) fn lies() -> Vec<RefusedInput> {
    let mut lies = counts();
    lies.extend(claims());
    lies.extend(entries());
    lies.push(bottomless());
    lies
}

fn counts() -> Vec<RefusedInput> {
    let state = sample(2, 1, 60);
    let below = find(&state, |record| record.level == 1 && record.value.is_some());
    let top = find(&state, |record| record.level == 0 && record.value.is_some());
    let mut told = LieCollector::new("Walk", &state);
    let (one, two): (&[&[u8]], &[&[u8]]) = (&[&below], &[&below, &top]);

    told.change(Reason::ClaimCount, "a claim is missing", two, |p| drop(p.claims.pop()));
    told.change(Reason::ClaimCount, "a claim more than keys", one, |p| {
        p.claims.push(Claim::NeverWritten);
    });
    told.change(Reason::ClaimCount, "a repeated key has two claims", &[&below, &below], |p| {
        p.claims.push(p.claims[0].clone());
    });
    told.change(Reason::EntryCount, "no entry", one, |p| p.entries.clear());
    told.change(Reason::EntryCount, "the last entry is missing", one, |p| {
        p.entries.truncate(p.entries.len() - 1);
    });
    told.change(Reason::NoChild, "the entry of the root is skipped", one, |p| {
        p.entries.remove(0);
    });
    told.change(Reason::EntryCount, "an entry is there twice", one, |p| {
        p.entries.push(p.entries[1]);
        p.points.push(p.points[2]);
    });
    told.change(Reason::AmtCount, "the commitment is missing", one, |p| p.amts.clear());
    told.change(Reason::AmtCount, "the commitment is there twice", one, |p| p.amts.push(p.amts[0]));
    told.change(Reason::OpeningLength, "a point is missing", one, |p| {
        p.points.truncate(p.points.len() - 1);
    });
    told.change(Reason::OpeningLength, "a point too many", one, |p| p.points.push(p.points[0]));
    told.change(Reason::OwnerCount, "an owner that nobody asked for", one, |p| {
        p.owners.extend(state.owner(&state.entry_name(&keccak(&top), 0), 1, |_| 0));
    });
    told.change(Reason::EntryCount, "a key below the root, as if it were in it", one, |p| {
        let Claim::Present { slot, .. } = &mut p.claims[0] else { panic!("present") };
        slot.level = 0;
    });
    told.change(Reason::EntryCount, "a key of the root, as if it were below it", &[&top], |p| {
        let Claim::Present { slot, .. } = &mut p.claims[0] else { panic!("present") };
        slot.level = 1;
        p.amts = state.prove(&[&below]).amts;
    });
    told.lies
}

fn claims() -> Vec<RefusedInput> {
    let state = sample(2, 1, 60);
    let key = find(&state, |record| record.level == 0 && record.value.is_some());
    let hash = keccak(&key);
    let mut told = LieCollector::new("Walk", &state);

    told.change(Reason::InvalidSlot, "slot 6", &[&key], |p| {
        let Claim::Present { slot, .. } = &mut p.claims[0] else { panic!("present") };
        slot.number = 6;
    });
    told.change(Reason::LevelOutOfRange, "a level below the last one", &[&key], |p| {
        let Claim::Present { slot, .. } = &mut p.claims[0] else { panic!("present") };
        slot.level = 128;
    });
    // A leaf of a block gives the key the child's slot, at the child's version.
    let mut child = state.clone();
    let version = child.entry_at(&hash, 0)[0];
    claim_slot(&mut child, &hash, 0, 0, version);
    let proof = child.prove(&[&key]);
    told.about(&child, Reason::InvalidSlot, "the slot of the child", &[&key], &proof);

    let first =
        |record: &KeyRecord| (record.level, record.slot) == (0, 1) && record.value.is_some();
    let key = find(&state, first);
    let hash = keccak(&key);
    let mut rivals = state.keys.iter().filter(|(other, record)| {
        record.value.is_some()
            && (record.level, record.slot) == (0, 2)
            && state.entry_name(other, 0) == state.entry_name(&hash, 0)
    });
    let rival = *rivals.next().expect("a second key of the entry").0;
    let rival_key = (0..60).map(name).find(|name| keccak(name) == rival).expect("its name");
    let mut taken = state.clone();
    claim_slot(&mut taken, &rival, 0, 1, state.keys[&hash].version);
    let keys: &[&[u8]] = &[&key, &rival_key];
    let proof = taken.prove(keys);
    told.about(&taken, Reason::SlotTaken, "two keys with one slot", keys, &proof);

    let mut free = sample(4, 2, 3);
    let key = name(0);
    claim_slot(&mut free, &keccak(&key), 0, 5, 0);
    let proof = free.prove(&[&key]);
    told.about(&free, Reason::SlotFree, "a leaf of version 0", &[&key], &proof);

    let mut childless = sample(4, 2, 3);
    let hash = keccak(&key);
    let versions = [0, 1, 0, 0, 0, 0];
    childless.entries.insert(childless.entry_name(&hash, 1), versions);
    plant_amt(&mut childless, &hash, 1, 0);
    claim_slot(&mut childless, &hash, 1, 1, 1);
    let proof = childless.prove(&[&key]);
    told.about(&childless, Reason::NoChild, "below an entry without a child", &[&key], &proof);
    told.lies
}

fn entries() -> Vec<RefusedInput> {
    let state = sample(4, 2, 3);
    let key = name(0);
    let hash = keccak(&key);
    let mut told = LieCollector::new("Walk", &state);

    let mut gap = state.clone();
    gap.entries.insert(gap.entry_name(&hash, 0), [0, 1, 0, 1, 0, 0]);
    claim_slot(&mut gap, &hash, 0, 3, 1);
    let proof = gap.prove(&[&key]);
    told.about(&gap, Reason::InvalidEntry, "a slot was left out", &[&key], &proof);

    let mut early = state.clone();
    early.entries.insert(early.entry_name(&hash, 0), [1, 1, 1, 1, 1, 0]);
    early.entries.insert(early.entry_name(&hash, 1), [0, 1, 0, 0, 0, 0]);
    plant_amt(&mut early, &hash, 1, 1);
    claim_slot(&mut early, &hash, 1, 1, 1);
    let proof = early.prove(&[&key]);
    let comment = "a child below an entry with a free slot";
    told.about(&early, Reason::InvalidEntry, comment, &[&key], &proof);
    told.lies
}

/// A walk that finds five other keys and a child at each level, down to the last.
fn bottomless() -> RefusedInput {
    const LEVELS: u8 = 256_u32.div_euclid(6) as u8;
    let mut state = LvmtModel::new(6, 3);
    state.commit(&[]);
    let key = name(0);
    let hash = keccak(&key);
    for level in 0..LEVELS {
        state.entries.insert(state.entry_name(&hash, level), [1; 6]);
    }
    let version = SlotVersion::new(1).expect("a small one");
    let mut proof = Proof { claims: vec![Claim::NeverWritten], ..Proof::default() };
    for level in 0..LEVELS {
        let (values, t) = (
            state.values(state.amt_name(&hash, level)),
            state.index(&state.entry_name(&hash, level)),
        );
        proof.entries.push(entry(&[1; 6]));
        if level == 0 {
            proof.points.extend(state.setup.tree_opening(&values, t, 3));
        } else {
            plant_amt(&mut state, &hash, level, 1);
            let LowerAmt { commitment, place, .. } = state.amts[&state.amt_name(&hash, level)];
            proof.amts.push(ProofAmt { commitment, place, opening: OpeningForm::Single });
            proof.points.push(state.setup.single_opening(&values, t));
        }
        for slot in 1..6 {
            // No level reads the last four bits.
            let mut key_hash = hash;
            key_hash[31] ^= slot;
            let place = state.plant(key_leaf(level, slot, 1, &key_hash, None));
            proof.owners.push(SlotOwner { key_hash, version, value_hash: None, place });
        }
    }
    state.seal(&mut proof);
    let mut told = LieCollector::new("Walk", &state);
    let comment = "a child below the last level";
    told.proof(Reason::LevelOutOfRange, comment, &[&key], &proof);
    told.lies.remove(0)
}

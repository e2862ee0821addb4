//! Leaves at false places, and leaves that are not the newest ones.

use prooflight_core::Reason;
use prooflight_lvmt::proof::{Claim, LeafPlace, Proof};

use super::super::sample::{find, sample};
use super::super::state::{LvmtModel, keccak};
use super::{LieCollector, RefusedInput, VerifierInput};

pub(super) fn lies() -> Vec<RefusedInput> {
    let state = sample(2, 1, 60);
    let mut lies = values(&state);
    lies.extend(places(&state));
    lies.extend(commitments(&state));
    lies.extend(trees(&state));
    lies
}

fn present(proof: &mut Proof) -> (&mut LeafPlace, &mut Vec<u8>) {
    let Claim::Present { place, value, .. } = &mut proof.claims[0] else { panic!("present") };
    (place, value)
}

/// A key that has a value and had another one before.
fn changed(state: &LvmtModel) -> Vec<u8> {
    find(state, |record| {
        let [.., before, last] = &record.leaves[..] else { return false };
        record.level == 1 && record.value.is_some() && before.1 != last.1
    })
}

fn values(state: &LvmtModel) -> Vec<RefusedInput> {
    let key = changed(state);
    let record = state.keys[&keccak(&key)].clone();
    let [.., (before, _), (last, _)] = record.leaves[..] else { panic!("two leaves") };
    let old = vec![before.block as u8; record.value.as_ref().map_or(0, Vec::len)];
    let deleted = find(state, |record| record.value.is_none() && record.leaves.len() > 1);
    let mut told = LieCollector::new("Leaf", state);
    let reason = Reason::RootMismatch;

    told.change(reason, "one bit of the value", &[&key], |p| present(p).1[0] ^= 1);
    told.change(reason, "a longer value", &[&key], |p| present(p).1.push(0));
    told.change(reason, "an empty value", &[&key], |p| present(p).1.clear());
    told.change(reason, "the value of an older block", &[&key], |p| present(p).1.clone_from(&old));
    told.sealed(reason, "the leaf of an older block, with its value", &[&key], |p| {
        *present(p).0 = before;
        present(p).1.clone_from(&old);
    });
    told.change(reason, "the hash of the value as value", &[&key], |p| {
        *present(p).1 = keccak(present(p).1).to_vec();
    });
    told.change(reason, "a present key, as if it had been deleted", &[&key], |p| {
        let slot = p.claims[0].slot().expect("present");
        p.claims[0] = Claim::Deleted { slot, place: last };
    });
    let undeleted = |value: Vec<u8>| {
        move |p: &mut Proof| {
            let Claim::Deleted { slot, place } = p.claims[0] else { panic!("deleted") };
            p.claims[0] = Claim::Present { slot, place, value: value.clone() };
        }
    };
    told.change(reason, "a tombstone as an empty value", &[&deleted], undeleted(vec![]));
    told.change(reason, "a tombstone as a value of 32 zeros", &[&deleted], undeleted(vec![0; 32]));
    let alive = state.keys[&keccak(&deleted)].leaves[0].0;
    told.sealed(reason, "a deleted key with its last value", &[&deleted], |p| {
        let slot = p.claims[0].slot().expect("deleted");
        let n = p.claims.len() as u8 - 1;
        p.claims[0] = Claim::Present { slot, place: alive, value: vec![n; 3] };
    });
    told.change(reason, "another slot of the entry", &[&key], |p| {
        let Claim::Present { slot, .. } = &mut p.claims[0] else { panic!("present") };
        slot.number = if slot.number == 1 { 2 } else { 1 };
        p.entries[1].0[2] = p.entries[1].0[1];
    });
    told.lies
}

fn places(state: &LvmtModel) -> Vec<RefusedInput> {
    let key = changed(state);
    let top = find(state, |record| record.level == 0 && record.value.is_some());
    let mut told = LieCollector::new("Leaf", state);
    let size = |place: &LeafPlace| state.blocks[place.block as usize].len() as u32;

    told.sealed(Reason::RootMismatch, "another index of the block", &[&key], |p| {
        present(p).0.index ^= 1;
    });
    told.sealed(Reason::RootMismatch, "another block", &[&key], |p| {
        let place = present(p).0;
        (place.block, place.index) = (place.block - 1, 0);
    });
    told.change(Reason::IndexOutOfRange, "an index behind the last leaf", &[&key], |p| {
        let end = size(present(p).0);
        present(p).0.index = end;
    });
    told.change(Reason::IndexOutOfRange, "a block above the height", &[&top], |p| {
        present(p).0.block = state.blocks.len() as u64;
    });
    told.change(Reason::IndexOutOfRange, "the last block of 64 bits", &[&top], |p| {
        present(p).0.block = u64::MAX;
    });
    told.change(
        Reason::PlaceTwice,
        "the leaf of the key where the commitment's is",
        &[&key],
        |p| {
            *present(p).0 = p.amts[0].place;
        },
    );
    told.lies
}

fn commitments(state: &LvmtModel) -> Vec<RefusedInput> {
    let key = changed(state);
    let hash = keccak(&key);
    let amt = state.amt_name(&hash, 1);
    let mut told = LieCollector::new("Leaf", state);

    // The block before: the same key, the older commitment of its AMT, whose leaf is still there.
    let mut later = state.clone();
    later.commit(&[(&key[..], Some(b"later"))]);
    let older = state.prove(&[&key]);
    let mut stale = later.prove(&[&key]);
    stale.claims.clone_from(&older.claims);
    stale.amts.clone_from(&older.amts);
    stale.entries[1] = older.entries[1];
    stale.points.truncate(2);
    stale.points.push(older.points[2]);
    later.seal(&mut stale);
    let comment = "an older commitment, its openings and its leaves below the newest root";
    told.about(&later, Reason::RootMismatch, comment, &[&key], &stale);

    let sibling = *state.amts.keys().find(|name| name.0 == 1 && **name != amt).expect("another");
    told.sealed(Reason::RootMismatch, "the commitment of another prefix", &[&key], |p| {
        let of = state.amts[&sibling];
        (p.amts[0].commitment, p.amts[0].place) = (of.commitment, of.place);
    });
    told.change(Reason::RootMismatch, "a commitment of the liar's", &[&key], |p| {
        p.amts[0].commitment = state.setup.commitment(&[(0, [0, 9, 9, 9, 9, 9])]);
    });
    told.lies
}

fn trees(state: &LvmtModel) -> Vec<RefusedInput> {
    let key = changed(state);
    let mut told = LieCollector::new("Leaf", state);
    told.change(Reason::SizeCount, "a size is missing", &[&key], |p| {
        p.sizes.truncate(p.sizes.len() - 1);
    });
    told.change(Reason::SizeCount, "a size too many", &[&key], |p| p.sizes.push(1));
    told.change(Reason::IndexOutOfRange, "a block without leaves", &[&key], |p| p.sizes[0] = 0);
    told.change(Reason::PathLength, "a hash is missing", &[&key], |p| {
        p.hashes.truncate(p.hashes.len() - 1);
    });
    told.change(Reason::PathLength, "no hashes", &[&key], |p| p.hashes.clear());
    told.change(Reason::PathLength, "a hash too many", &[&key], |p| p.hashes.push([0; 32]));
    told.change(Reason::RootMismatch, "one bit of a hash", &[&key], |p| p.hashes[0][31] ^= 1);
    told.change(Reason::RootMismatch, "two hashes swapped", &[&key], |p| p.hashes.swap(0, 1));
    told.change(Reason::PathLength, "a block with twice as many leaves", &[&key], |p| {
        p.sizes[0] *= 2;
    });
    let mut older = state.clone();
    older.commit(&[]);
    let mut question = VerifierInput::new(state, &[&key], &state.prove(&[&key]));
    question.root = older.root();
    let comment = "a proof against the block before, where no key has changed since";
    told.question(Reason::PathLength, comment, question);
    told.lies
}

//! Versions and points that do not match the commitments.

use prooflight_core::Reason;
use prooflight_lvmt::proof::{OpeningForm, Proof, SlotVersion};

use super::super::sample::{find, sample};
use super::super::state::{LowerAmt, LvmtModel, keccak, key_leaf};
use super::{LieCollector, RefusedInput};

/// The encoding of the point at infinity.
const INFINITY_BYTES: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[31] = 0x40;
    bytes
};

pub(super) fn lies() -> Vec<RefusedInput> {
    let mut lies = versions();
    lies.extend(points());
    lies
}

/// A proof about a state whose entries the liar has changed after the commitments were made.
fn bumped(state: &LvmtModel, key: &[u8], by: impl Fn(u64) -> u64) -> (LvmtModel, Proof) {
    let mut lying = state.clone();
    let hash = keccak(key);
    let record = &state.keys[&hash];
    let version = by(record.version);
    let value_hash = record.value.as_deref().map(keccak);
    let place = lying.plant(key_leaf(record.level, record.slot, version, &hash, value_hash));
    lying.keys.get_mut(&hash).expect("the key").leaves.push((place, value_hash));
    let mut proof = lying.prove(&[key]);
    let slot = usize::from(record.slot);
    proof.entries.last_mut().expect("the key's").0[slot] =
        SlotVersion::new(version).expect("small");
    (lying, proof)
}

fn versions() -> Vec<RefusedInput> {
    let state = sample(2, 1, 60);
    let live = |level| find(&state, |r| r.level == level && r.value.is_some() && r.version > 1);
    let (top, below) = (live(0), live(1));
    let mut told = LieCollector::new("Opening", &state);
    let reason = Reason::OpeningMismatch;
    for (key, place) in [(&top, "of the root"), (&below, "below the root")] {
        for (by, comment) in [(1, "a later version"), (-1, "an earlier version")] {
            let (lying, proof) = bumped(&state, key, |v| v.saturating_add_signed(by));
            let comment = format!("{comment} of a slot {place}, and a leaf that has it");
            told.about(&lying, reason, &comment, &[key], &proof);
        }
        let record = &state.keys[&keccak(key)];
        let (before, _) = record.leaves[record.leaves.len() - 2];
        let mut earlier = state.clone();
        let of = earlier.keys.get_mut(&keccak(key)).expect("the key");
        of.leaves.pop();
        let size = of.value.as_ref().map_or(0, Vec::len);
        of.value = Some(vec![before.block as u8; size]);
        let mut proof = earlier.prove(&[key]);
        let slot = usize::from(record.slot);
        let version = SlotVersion::new(record.version - 1).expect("small");
        proof.entries.last_mut().expect("the key's").0[slot] = version;
        let comment = format!("the value of an older block in a slot {place}, whose leaf is there");
        told.about(&state, reason, &comment, &[key], &proof);
    }

    // Everything from the previous block, except the tree over all blocks.
    let mut later = state.clone();
    later.commit(&[(&top[..], Some(b"later"))]);
    let mut stale = state.prove(&[&top]);
    later.seal(&mut stale);
    told.about(&later, reason, "the whole proof of the block before", &[&top], &stale);

    // The version of the child as well: an older commitment with its own leaf.
    let mut later = state.clone();
    later.commit(&[(&below[..], Some(b"later"))]);
    let mut stale = state.prove(&[&below]);
    stale.points.splice(..2, later.prove(&[&below]).points.into_iter().take(2));
    later.seal(&mut stale);
    let comment = "an older version of the child, and the older commitment";
    told.about(&later, reason, comment, &[&below], &stale);

    let slot = usize::from(state.keys[&keccak(&top)].slot);
    let mut step = |comment: &str, up: usize, down: usize| {
        told.change(reason, comment, &[&top], |p| {
            let versions = &mut p.entries[0].0;
            for (at, by) in [(up, 1), (down, -1)] {
                let version = versions[at].get().checked_add_signed(by).expect("a version");
                versions[at] = SlotVersion::new(version).expect("small");
            }
        });
    };
    // The sum of the entry's versions stays the same, but not the value that they are packed into.
    let mut others = (1..6).filter(|other| *other != slot);
    let (up, down) = (others.next().expect("four"), others.next().expect("four"));
    step("a later version of one slot, an earlier one of the next", up, down);
    step("a later version of the child, an earlier one of a slot", 0, up);
    let mut forged = state.clone();
    let mut other = forged.clone();
    let entry = forged.entry_name(&keccak(&top), 0);
    let record = forged.keys[&keccak(&top)].clone();
    other.entries.get_mut(&entry).expect("the entry")[usize::from(record.slot)] += 5;
    let value_hash = Some(keccak(b"forged"));
    let version = record.version + 5;
    let place = forged.plant(key_leaf(0, record.slot, version, &keccak(&top), value_hash));
    other.blocks.clone_from(&forged.blocks);
    let of = other.keys.get_mut(&keccak(&top)).expect("the key");
    of.value = Some(b"forged".to_vec());
    of.leaves.push((place, value_hash));
    let proof = other.prove(&[&top]);
    let comment = "openings of a commitment that is not the root's";
    told.about(&forged, reason, comment, &[&top], &proof);
    told.lies
}

fn points() -> Vec<RefusedInput> {
    let state = sample(4, 2, 150);
    let below = find(&state, |record| record.level == 1 && record.value.is_some());
    let top = find(&state, |record| record.level == 0 && record.value.is_some());
    let mut told = LieCollector::new("Opening", &state);
    let reason = Reason::OpeningMismatch;
    told.change(reason, "the points of a tree in another order", &[&top], |p| p.points.swap(0, 1));
    told.change(reason, "the points of two entries swapped", &[&below], |p| p.points.swap(1, 2));
    told.change(reason, "the negative of a point", &[&top], |p| p.points[0][31] ^= 0x80);
    told.change(reason, "infinity", &[&top], |p| p.points[1] = INFINITY_BYTES);
    told.change(reason, "all points at infinity", &[&below], |p| p.points.fill(INFINITY_BYTES));
    told.change(reason, "the commitment as opening", &[&below], |p| {
        p.points[2] = p.amts[0].commitment;
    });
    let keys: &[&[u8]] = &[&top, &below];
    let entries = state.prove(keys).entries.len();
    assert_eq!(entries, 3);
    told.change(reason, "the openings of two keys swapped", keys, |p| {
        p.points.swap(0, 2);
        p.points.swap(1, 3);
    });
    told.change(Reason::OpeningLength, "one point for an opening of two", &[&below], |p| {
        p.amts[0].opening = OpeningForm::Tree;
    });
    told.change(Reason::OpeningLength, "two points for an opening of one", &[&below], |p| {
        p.points.push(p.points[0]);
    });
    told.change(reason, "the opening of another index", &[&below], |p| {
        let amt = state.amt_name(&keccak(&below), 1);
        let t = state.index(&state.entry_name(&keccak(&below), 1));
        p.points[2] = state.setup.single_opening(&state.values(amt), t ^ 1);
    });

    let invalid = Reason::InvalidPoint;
    let mut modulus = [
        0x47, 0xfd, 0x7c, 0xd8, 0x16, 0x8c, 0x20, 0x3c, 0x8d, 0xca, 0x71, 0x68, 0x91, 0x6a, 0x81,
        0x97, 0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e,
        0x64, 0x30,
    ];
    told.change(invalid, "an x that is the field's modulus", &[&top], |p| p.points[0] = modulus);
    modulus[0] += 1;
    told.change(invalid, "an x above the field's modulus", &[&top], |p| p.points[0] = modulus);
    told.change(invalid, "an x of no point", &[&top], |p| {
        // 4^3 + 3 is not a square.
        p.points[0] = [0; 32];
        p.points[0][0] = 4;
    });
    told.change(invalid, "infinity with a sign", &[&top], |p| {
        p.points[0] = INFINITY_BYTES;
        p.points[0][31] |= 0x80;
    });
    told.change(invalid, "infinity with an x", &[&top], |p| {
        p.points[0] = INFINITY_BYTES;
        p.points[0][0] = 1;
    });
    told.change(invalid, "zeros", &[&top], |p| p.points[0] = [0; 32]);

    let amt = state.amt_name(&keccak(&below), 1);
    let mut junk = state.clone();
    let LowerAmt { version, .. } = junk.amts[&amt];
    let commitment = [0xff; 32];
    let place = junk.plant(junk.amt_leaf(amt, version, &commitment));
    junk.amts.insert(amt, LowerAmt { version, commitment, place });
    let proof = junk.prove(&[&below]);
    told.about(&junk, invalid, "a commitment that is no point, in a leaf", &[&below], &proof);
    told.lies
}

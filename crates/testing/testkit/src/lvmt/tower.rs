//! Keys at deep levels: every entry above is full, with made-up keys that share only the first bits.

use super::sample::name;
use super::state::{KeyRecord, LowerAmt, LvmtModel, keccak, key_leaf};
use prooflight_core::Hash;

/// A state in which the walk of the key `name(0)` reaches `level`, where its entry has these versions; the slot
/// `own` there belongs to the key, unless it is 0. The other slots, and those of the entries above, belong to
/// other keys.
///
/// No honest chain has such a state: every key is a leaf of the same block, whatever its level.
pub fn tower(log_n: u8, log_arity: u8, level: u8, last: [u64; 6], own: u8) -> LvmtModel {
    let mut state = LvmtModel::new(log_n, log_arity);
    state.commit(&[]);
    let key = keccak(&name(0));
    for at in 0..=level {
        let versions = if at == level { last } else { [1; 6] };
        state.entries.insert(state.entry_name(&key, at), versions);
        for slot in (1..6).filter(|slot| versions[usize::from(*slot)] > 0) {
            let mut owner = key;
            if at == level && slot == own {
                claim_slot(&mut state, &owner, at, slot, versions[usize::from(slot)]);
            } else if u32::from(log_n) * (u32::from(at) + 1) <= 240 {
                (owner[30], owner[31]) = (owner[30] ^ (at + 1), owner[31] ^ slot);
                claim_slot(&mut state, &owner, at, slot, versions[usize::from(slot)]);
            }
        }
    }
    for at in 1..=level {
        plant_amt(&mut state, &key, at, 1);
    }
    state
}

/// Plants a leaf that gives the key a slot at a version, and makes proofs claim the same.
pub fn claim_slot(state: &mut LvmtModel, key: &Hash, level: u8, slot: u8, version: u64) {
    let value = b"claimed".to_vec();
    let value_hash = Some(keccak(&value));
    let place = state.plant(key_leaf(level, slot, version, key, value_hash));
    let leaves = vec![(place, value_hash)];
    let record = KeyRecord { level, slot, version, value: Some(value), leaves };
    state.keys.insert(*key, record);
}

/// Plants the leaf of an AMT at a version, with the commitment to its current entries.
pub fn plant_amt(state: &mut LvmtModel, key: &Hash, level: u8, version: u64) {
    let name = state.amt_name(key, level);
    let commitment = state.setup.commitment(&state.values(name));
    let place = state.plant(state.amt_leaf(name, version, &commitment));
    state.amts.insert(name, LowerAmt { version, commitment, place });
}

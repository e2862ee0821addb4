//! Honest proofs.

use std::collections::{BTreeMap, BTreeSet};

use prooflight_core::Hash;
use prooflight_core::merkle::{multiproof, root};
use prooflight_lvmt::proof::{
    AmtEntry, Claim, KeySlot, LeafPlace, OpeningForm, Proof, ProofAmt, SlotOwner, SlotVersion,
};

use super::state::{KeccakTree, LevelPrefix, LvmtModel, keccak};

impl LvmtModel {
    /// The proof of the state of these keys.
    pub fn prove(&self, keys: &[&[u8]]) -> Proof {
        let keys: BTreeSet<Hash> = keys.iter().map(|key| keccak(key)).collect();
        let mut proof =
            Proof { claims: keys.iter().map(|key| self.claim(key)).collect(), ..Proof::default() };
        let passed = self.visited_entries(&keys);
        for name in passed.keys() {
            proof.entries.push(entry(&self.entry_at(&name.1, name.0)));
        }
        let amts: BTreeSet<LevelPrefix> =
            passed.keys().map(|(level, path)| self.amt_name(path, *level)).collect();
        for name in amts.iter().filter(|name| name.0 > 0) {
            let amt = self.amts[name];
            let (commitment, place) = (amt.commitment, amt.place);
            proof.amts.push(ProofAmt { commitment, place, opening: OpeningForm::Single });
        }
        for (name, met) in &passed {
            for slot in 1..6 {
                if met.absent && !met.claimed.contains(&slot) {
                    proof.owners.extend(self.owner(name, slot, |leaves| leaves - 1));
                }
            }
        }
        self.open(&keys, &mut proof);
        self.seal(&mut proof);
        proof
    }

    /// The owner of an entry's slot, shown by one of its leaves: `choose` maps their number to an index.
    pub fn owner(
        &self,
        name: &LevelPrefix,
        slot: u8,
        choose: impl Fn(usize) -> usize,
    ) -> Option<SlotOwner> {
        let (key, record) = self.keys.iter().find(|(key, record)| {
            (record.level, record.slot) == (name.0, slot) && self.entry_name(key, name.0) == *name
        })?;
        let at = choose(record.leaves.len());
        let (place, value_hash) = record.leaves[at];
        let version = SlotVersion::new(at as u64 + 1).unwrap();
        Some(SlotOwner { key_hash: *key, version, value_hash, place })
    }

    /// Adds the opening points of all entries, in the form that each AMT of the proof has.
    pub fn open(&self, keys: &BTreeSet<Hash>, proof: &mut Proof) {
        let passed = self.visited_entries(keys);
        let amts: BTreeSet<LevelPrefix> =
            passed.keys().map(|(level, path)| self.amt_name(path, *level)).collect();
        let below = amts.into_iter().filter(|name| name.0 > 0).zip(&proof.amts);
        let forms: BTreeMap<LevelPrefix, OpeningForm> =
            below.map(|(name, amt)| (name, amt.opening)).collect();
        proof.points.clear();
        for name in passed.keys() {
            let amt = self.amt_name(&name.1, name.0);
            let (values, t) = (self.values(amt), self.index(name));
            match forms.get(&amt) {
                Some(OpeningForm::Single) => {
                    proof.points.push(self.setup.single_opening(&values, t));
                }
                _ => proof.points.extend(self.setup.tree_opening(&values, t, self.log_arity)),
            }
        }
    }

    /// Adds the sizes and hashes that the proof's places need.
    pub fn seal(&self, proof: &mut Proof) {
        let mut blocks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for LeafPlace { block, index } in places(proof) {
            blocks.entry(block).or_default().insert(index.into());
        }
        (proof.sizes, proof.hashes) = (Vec::new(), Vec::new());
        for (block, indices) in &blocks {
            let leaves = &self.blocks[*block as usize];
            proof.sizes.push(leaves.len() as u32);
            proof.hashes.extend(others(leaves, indices));
        }
        if !blocks.is_empty() {
            let indices = blocks.keys().copied().collect();
            proof.hashes.extend(others(&self.block_leaves(), &indices));
        }
    }

    pub fn claim(&self, key: &Hash) -> Claim {
        let Some(record) = self.keys.get(key) else { return Claim::NeverWritten };
        let slot = KeySlot { level: record.level, number: record.slot };
        let place = record.leaves.last().unwrap().0;
        match &record.value {
            Some(value) => Claim::Present { slot, place, value: value.clone() },
            None => Claim::Deleted { slot, place },
        }
    }

    /// The entries on the walks of the keys, with the keys that pass each.
    pub fn visited_entries(&self, keys: &BTreeSet<Hash>) -> BTreeMap<LevelPrefix, EntryKeys> {
        let mut passed: BTreeMap<LevelPrefix, EntryKeys> = BTreeMap::new();
        for key in keys {
            let record = self.keys.get(key);
            for level in 0..=u8::MAX {
                let met = passed.entry(self.entry_name(key, level)).or_default();
                match record {
                    Some(record) if record.level == level => {
                        met.claimed.insert(record.slot);
                        break;
                    }
                    Some(_) => {}
                    None => {
                        met.absent = true;
                        if self.entry_at(key, level).contains(&0) {
                            break;
                        }
                    }
                }
            }
        }
        passed
    }
}

/// The keys at an entry.
#[derive(Debug, Default)]
pub struct EntryKeys {
    /// The slots of requested keys.
    pub claimed: BTreeSet<u8>,
    /// Whether a never-written key passes.
    pub absent: bool,
}

pub fn entry(versions: &[u64; 6]) -> AmtEntry {
    AmtEntry(versions.map(|version| SlotVersion::new(version).unwrap()))
}

/// The places of all leaves of a proof.
pub fn places(proof: &Proof) -> Vec<LeafPlace> {
    let claims = proof.claims.iter().filter_map(Claim::place);
    let amts = proof.amts.iter().map(|amt| amt.place);
    claims.chain(amts).chain(proof.owners.iter().map(|owner| owner.place)).collect()
}

fn others(leaves: &[Hash], indices: &BTreeSet<u64>) -> Vec<Hash> {
    let indices: Vec<u64> = indices.iter().copied().collect();
    let parts = multiproof(&indices, leaves.len() as u64).unwrap().into_iter();
    parts
        .map(|part| root::<KeccakTree>(&leaves[part.start as usize..][..part.size as usize]))
        .collect()
}

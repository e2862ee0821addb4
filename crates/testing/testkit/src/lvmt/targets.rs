//! The fuzz target; a panic is a finding.

use std::sync::OnceLock;

use arbitrary::{Result, Unstructured};
use prooflight_amt::VerifyingKey;
use prooflight_core::Reason;
use prooflight_lvmt::proof::{Claim, LeafPlace, OpeningForm, PROOF_ENVELOPE, Proof, SlotVersion};
use prooflight_lvmt::{LvmtRoot, Params, VersionedState, verify};

use super::sample::{name, sample};
use super::state::{LvmtModel, keccak};

/// A chain, and honest proofs after its last block and after the one before.
struct FuzzChain {
    key: VerifyingKey,
    state: LvmtModel,
    root: LvmtRoot,
    /// Keys, and the proofs about them.
    asked: Vec<(Vec<Vec<u8>>, [Proof; 2])>,
}

impl FuzzChain {
    fn new(log_n: u8, log_arity: u8, keys: u32) -> Self {
        let before = sample(log_n, log_arity, keys);
        let mut state = before.clone();
        state.commit(&[
            (&name(0), Some(b"newer")),
            (&name(3), None),
            (&name(7), Some(b"alive again")),
            (&name(keys), Some(b"new")),
        ]);
        let sets = (0..40).map(|n| match n {
            0..30 => vec![name(n * keys / 29)],
            30..36 => vec![name(1000 + n)],
            _ => [n, 2 * n, 1000 + n].map(name).to_vec(),
        });
        let proofs = |keys: &Vec<Vec<u8>>| {
            let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
            [state.prove(&keys), before.prove(&keys)]
        };
        let asked = sets.map(|keys| (keys.clone(), proofs(&keys))).collect();
        let key = VerifyingKey::dev(log_n).unwrap();
        Self { key, root: state.root(), state, asked }
    }

    /// Checks that accepted answers are those of the state; returns whether the proof was accepted.
    fn judge(&self, keys: &[Vec<u8>], proof: &[u8]) -> bool {
        let params = Params::new(&self.key, self.state.log_arity).with_insecure_setup();
        let answers = match verify(&self.root, keys, proof, &params) {
            Ok(answers) => answers,
            Err(error) => {
                assert_ne!(error.reason(), Reason::Bug, "{error}");
                return false;
            }
        };
        assert_eq!(answers.len(), keys.len());
        for (key, answer) in keys.iter().zip(answers.get()) {
            let record = self.state.keys.get(&keccak(key));
            let last = record.and_then(|record| record.leaves.last());
            let block = last.map_or(0, |(place, _)| place.block);
            let found = match answer {
                VersionedState::Present { value, since, version } => {
                    Some((Some(&value[..]), *since, *version))
                }
                VersionedState::Deleted { deleted_at, version } => {
                    Some((None, *deleted_at, *version))
                }
                VersionedState::NeverWritten => None,
            };
            let has = record.map(|record| (record.value.as_deref(), block, record.version));
            assert_eq!(found, has, "{proof:02x?}");
        }
        true
    }
}

/// Verifies proofs about keys of two chains: honest ones with changed bytes or members, and arbitrary bytes.
pub fn lvmt_proof(u: &mut Unstructured<'_>) -> Result<()> {
    static CHAINS: OnceLock<[FuzzChain; 2]> = OnceLock::new();
    let chains = CHAINS.get_or_init(|| [FuzzChain::new(2, 1, 60), FuzzChain::new(4, 2, 24)]);
    let chain = u.choose(chains)?;
    let (keys, proofs) = u.choose(&chain.asked)?;
    match u.int_in_range(0..=5)? {
        0 => {
            let mut bytes = vec![1, 2, 1];
            bytes.extend_from_slice(u.bytes(u.len().min(2000))?);
            chain.judge(keys, &bytes);
        }
        1 | 2 => {
            let mut bytes = PROOF_ENVELOPE.encode(&proofs[0]);
            assert!(chain.judge(keys, &bytes), "an honest proof");
            for _ in 0..u.int_in_range(1..=3)? {
                change_bytes(u, &mut bytes)?;
            }
            chain.judge(keys, &bytes);
        }
        _ => {
            let mut proof = u.choose(proofs)?.clone();
            for _ in 0..u.int_in_range(1..=3)? {
                let (_, others) = u.choose(&chain.asked)?;
                let other = u.choose(others)?;
                change_members(u, &mut proof, other)?;
            }
            if u.ratio(3, 4)? {
                reseal(chain, &mut proof);
            }
            chain.judge(keys, &PROOF_ENVELOPE.encode(&proof));
        }
    }
    Ok(())
}

fn change_bytes(u: &mut Unstructured<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let at = u.choose_index(bytes.len())?;
    match u.int_in_range(0..=4)? {
        0 => bytes[at] ^= u.arbitrary::<u8>()?,
        1 => bytes.insert(at, u.arbitrary()?),
        2 => drop(bytes.drain(at..=at)),
        3 => bytes.truncate(at),
        _ => {
            let other = u.choose_index(bytes.len())?;
            bytes.swap(at, other);
        }
    }
    Ok(())
}

/// Takes members from another proof, or changes a number.
fn change_members(u: &mut Unstructured<'_>, proof: &mut Proof, other: &Proof) -> Result<()> {
    match u.int_in_range(0..=9)? {
        0 => one(u, &mut proof.claims, &other.claims)?,
        1 => one(u, &mut proof.entries, &other.entries)?,
        2 => one(u, &mut proof.amts, &other.amts)?,
        3 => one(u, &mut proof.points, &other.points)?,
        4 => one(u, &mut proof.owners, &other.owners)?,
        5 => one(u, &mut proof.hashes, &other.hashes)?,
        6 => one(u, &mut proof.sizes, &other.sizes)?,
        7 => {
            if let Some(Claim::Present { slot, place, .. } | Claim::Deleted { slot, place }) =
                proof.claims.first_mut()
            {
                (slot.level, slot.number) = (u.int_in_range(0..=3)?, u.int_in_range(0..=6)?);
                *place =
                    LeafPlace { block: u.int_in_range(0..=6)?, index: u.int_in_range(0..=40)? };
            }
        }
        8 => {
            if let Some(entry) = proof.entries.last_mut() {
                let version = SlotVersion::new(u.int_in_range(0..=6)?).unwrap();
                entry.0[u.choose_index(6)?] = version;
            }
        }
        _ => {
            if let Some(amt) = proof.amts.first_mut() {
                amt.opening = *u.choose(&[OpeningForm::Single, OpeningForm::Tree])?;
            }
        }
    }
    Ok(())
}

/// Replaces, inserts or removes one element.
fn one<T: Clone>(u: &mut Unstructured<'_>, list: &mut Vec<T>, other: &[T]) -> Result<()> {
    let at = u.choose_index(list.len() + 1)?;
    if u.ratio(1, 4)? {
        list.truncate(at);
    } else if !other.is_empty() {
        let element = u.choose(other)?.clone();
        match list.get_mut(at) {
            Some(place) if u.ratio(3, 4)? => *place = element,
            _ => list.insert(at, element),
        }
    }
    Ok(())
}

/// Recomputes the sizes and hashes for the proof's places, if these exist.
fn reseal(chain: &FuzzChain, proof: &mut Proof) {
    let there = |place: &LeafPlace| {
        let block = usize::try_from(place.block).ok().and_then(|at| chain.state.blocks.get(at));
        block.is_some_and(|leaves| (place.index as usize) < leaves.len())
    };
    if super::prove::places(proof).iter().all(there) {
        chain.state.seal(proof);
    }
}

//! The walks of the requested keys through the entries of a proof, level by level.
//!
//! The walks return what remains to be proved: the entries to open, and the leaves with their places. Each list of
//! the proof is consumed in order.

use alloc::vec::Vec;
use core::slice;

use prooflight_amt::OpeningKind;
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use crate::leaf::{AmtLeaf, KeyLeaf, value_hash};
use crate::params::{LvmtRoot, Params};
use crate::path::{Prefix, common_bits, index_at, levels};
use crate::proof::{
    AmtEntry, Claim, KEY_SLOTS, KeySlot, LeafPlace, OpeningForm, Proof, ProofAmt, SlotOwner,
};

/// The entries and leaves that the claims of a proof depend on.
#[derive(Debug)]
pub(crate) struct WalkResult<'a> {
    /// The entries, each with its AMT.
    pub(crate) entries: Vec<WalkEntry<'a>>,
    /// The leaves that must be in the trees.
    pub(crate) leaves: Vec<(LeafPlace, Hash)>,
    /// The version of each claim's slot; 0 for a claim without a slot.
    pub(crate) versions: Vec<u64>,
}

/// An entry on a walk.
#[derive(Debug)]
pub(crate) struct WalkEntry<'a> {
    /// The index of its AMT, in the order of AMTs.
    pub(crate) amt: usize,
    pub(crate) commitment: [u8; 32],
    pub(crate) kind: OpeningKind,
    pub(crate) index: u32,
    pub(crate) versions: [u64; 6],
    pub(crate) points: &'a [[u8; 32]],
}

/// Walks all keys down to where their claims end; `keys` are distinct and ascending.
pub(crate) fn walk<'a>(
    params: &Params<'_>,
    root: &LvmtRoot,
    keys: &[Hash],
    proof: &'a Proof,
) -> Result<WalkResult<'a>> {
    check_claims(params, keys, proof)?;
    let mut walk = VerifierWalk::new(params, root, keys, proof);
    let mut walking: Vec<_> = (0..keys.len()).map(|key| KeyCursor { key, child: 0 }).collect();
    for level in (0..=u8::MAX).take(levels(params.log_n()) as usize) {
        walking = walk.level(level, &walking)?;
    }
    if walking.is_empty() { walk.finish() } else { Err(too_deep(params)) }
}

fn check_claims(params: &Params<'_>, keys: &[Hash], proof: &Proof) -> Result<()> {
    if proof.claims.len() != keys.len() {
        let expected = format_args!("{} claims", keys.len());
        return Err(Error::new(Reason::ClaimCount, expected, proof.claims.len()));
    }
    for claim in &proof.claims {
        if let Claim::Present { value, .. } = claim {
            params.limits.check_value(value.len() as u64)?;
        }
        let Some(KeySlot { level, number }) = claim.slot() else { continue };
        if !(1..=KEY_SLOTS).contains(&number) {
            return Err(Error::new(Reason::InvalidSlot, "a slot of 1 to 5", number));
        }
        if u32::from(level) >= levels(params.log_n()) {
            return Err(too_deep(params));
        }
    }
    Ok(())
}

fn too_deep(params: &Params<'_>) -> Error {
    let expected = format_args!("levels below {}", levels(params.log_n()));
    Error::new(Reason::LevelOutOfRange, expected, "a deeper one")
}

/// A key on its walk: the index of its claim, and the version of the AMT that it enters.
#[derive(Clone, Copy, Debug)]
struct KeyCursor {
    key: usize,
    child: u64,
}

/// The rest of the proof's lists, and the results so far.
struct VerifierWalk<'p, 'a> {
    params: &'p Params<'p>,
    keys: &'p [Hash],
    claims: &'a [Claim],
    entries: slice::Iter<'a, AmtEntry>,
    amts: slice::Iter<'a, ProofAmt>,
    owners: slice::Iter<'a, SlotOwner>,
    points: &'a [[u8; 32]],
    /// The current AMT: its index, its commitment, and how the proof opens its entries.
    amt: (usize, [u8; 32], OpeningKind),
    walked: WalkResult<'a>,
}

impl<'p, 'a> VerifierWalk<'p, 'a> {
    fn new(params: &'p Params<'p>, root: &LvmtRoot, keys: &'p [Hash], proof: &'a Proof) -> Self {
        Self {
            params,
            keys,
            claims: &proof.claims,
            entries: proof.entries.iter(),
            amts: proof.amts.iter(),
            owners: proof.owners.iter(),
            points: &proof.points,
            amt: (0, root.aroot, OpeningKind::Tree { log_arity: params.log_arity }),
            walked: WalkResult {
                entries: Vec::new(),
                leaves: Vec::new(),
                versions: alloc::vec![0; keys.len()],
            },
        }
    }

    /// Walks the keys through their entries at one level; returns those whose walks continue below.
    fn level(&mut self, level: u8, walking: &[KeyCursor]) -> Result<Vec<KeyCursor>> {
        let log_n = u32::from(self.params.log_n());
        let (keys, bits) = (self.keys, log_n * u32::from(level));
        let common = |a: &KeyCursor, b: &KeyCursor| common_bits(&keys[a.key], &keys[b.key]);
        let mut below = Vec::new();
        for in_amt in walking.chunk_by(|a, b| common(a, b) >= bits) {
            if level > 0 {
                self.amt(level, in_amt[0])?;
            }
            for in_entry in in_amt.chunk_by(|a, b| common(a, b) >= bits + log_n) {
                self.entry(level, in_entry, &mut below)?;
            }
        }
        Ok(below)
    }

    /// Enters an AMT below the root, whose version the walker knows.
    fn amt(&mut self, level: u8, walker: KeyCursor) -> Result<()> {
        let amt = self.amts.next().ok_or_else(|| missing(Reason::AmtCount))?;
        let log_n = self.params.log_n();
        let leaf = AmtLeaf {
            level,
            prefix: Prefix::new(&self.keys[walker.key], log_n, level),
            version: walker.child,
            commitment: amt.commitment,
        };
        self.walked.leaves.push((amt.place, leaf.hash()));
        let kind = match amt.opening {
            OpeningForm::Single => OpeningKind::Single,
            OpeningForm::Tree => OpeningKind::Tree { log_arity: self.params.log_arity },
        };
        self.amt = (self.amt.0 + 1, amt.commitment, kind);
        Ok(())
    }

    /// Checks all keys whose walks pass an entry.
    fn entry(
        &mut self,
        level: u8,
        walkers: &[KeyCursor],
        below: &mut Vec<KeyCursor>,
    ) -> Result<()> {
        let versions = self.entries.next().ok_or_else(|| missing(Reason::EntryCount))?.versions();
        check_entry(&versions)?;
        let (amt, commitment, kind) = self.amt;
        let of_entry = self.points.split_at_checked(kind.points(self.params.log_n())?);
        let (points, left) = of_entry.ok_or_else(|| missing(Reason::OpeningLength))?;
        self.points = left;
        let index = index_at(&self.keys[walkers[0].key], self.params.log_n(), level);
        self.walked.entries.push(WalkEntry { amt, commitment, kind, index, versions, points });

        let mut passed = EntryCheck { level, versions, claimed: [false; 6], absent: false };
        for walker in walkers {
            if self.pass(&mut passed, walker.key)? {
                below.push(KeyCursor { key: walker.key, child: versions[0] });
            }
        }
        if passed.absent {
            self.owners(&passed, &self.keys[walkers[0].key])?;
        }
        Ok(())
    }

    /// Checks one key against an entry. Returns whether its walk continues in the child.
    fn pass(&mut self, entry: &mut EntryCheck, key: usize) -> Result<bool> {
        let claim = &self.claims[key];
        let Some(slot) = claim.slot() else {
            entry.absent = true;
            return Ok(entry.child() > 0);
        };
        if slot.level > entry.level {
            if entry.child() == 0 {
                let expected = format_args!("a child of the entry at level {}", entry.level);
                return Err(Error::new(Reason::NoChild, expected, "none"));
            }
            return Ok(true);
        }
        let version = entry.claim(slot.number)?;
        self.walked.versions[key] = version;
        if let Some(place) = claim.place() {
            let value_hash = match claim {
                Claim::Present { value, .. } => Some(value_hash(value)),
                _ => None,
            };
            let key_hash = self.keys[key];
            let leaf =
                KeyLeaf { level: slot.level, slot: slot.number, version, key_hash, value_hash };
            self.walked.leaves.push((place, leaf.hash()));
        }
        Ok(false)
    }

    /// Checks the owner of every occupied slot that no claim covers.
    fn owners(&mut self, entry: &EntryCheck, key: &Hash) -> Result<()> {
        let bits = u32::from(self.params.log_n()) * (u32::from(entry.level) + 1);
        for slot in 1..=KEY_SLOTS {
            let version = entry.versions[usize::from(slot)];
            if version == 0 || entry.claimed[usize::from(slot)] {
                continue;
            }
            let owner = self.owners.next().ok_or_else(|| missing(Reason::OwnerCount))?;
            if self.keys.binary_search(&owner.key_hash).is_ok() {
                let expected = "a key that was not asked for";
                return Err(Error::new(Reason::OwnerRequested, expected, Hex(&owner.key_hash)));
            }
            if common_bits(&owner.key_hash, key) < bits {
                let expected = format_args!("the first {bits} bits of {}", Hex(key));
                return Err(Error::new(Reason::OwnerElsewhere, expected, Hex(&owner.key_hash)));
            }
            if !(1..=version).contains(&owner.version.get()) {
                let expected = format_args!("a version from 1 to {version}");
                return Err(Error::new(Reason::OwnerVersion, expected, owner.version.get()));
            }
            let leaf = KeyLeaf {
                level: entry.level,
                slot,
                version: owner.version.get(),
                key_hash: owner.key_hash,
                value_hash: owner.value_hash,
            };
            self.walked.leaves.push((owner.place, leaf.hash()));
        }
        Ok(())
    }

    /// Checks that every list of the proof is consumed.
    fn finish(self) -> Result<WalkResult<'a>> {
        let left = [
            (Reason::EntryCount, self.entries.len()),
            (Reason::AmtCount, self.amts.len()),
            (Reason::OpeningLength, self.points.len()),
            (Reason::OwnerCount, self.owners.len()),
        ];
        match left.into_iter().find(|(_, left)| *left > 0) {
            None => Ok(self.walked),
            Some((reason, left)) => {
                Err(Error::new(reason, "no more", format_args!("{left} left over")))
            }
        }
    }
}

/// An entry while its keys are checked.
struct EntryCheck {
    level: u8,
    versions: [u64; 6],
    /// The slots covered by a claim.
    claimed: [bool; 6],
    /// Whether a never-written key passes.
    absent: bool,
}

impl EntryCheck {
    const fn child(&self) -> u64 {
        self.versions[0]
    }

    /// Assigns a slot, 1 to 5, to a key; returns the slot's version.
    fn claim(&mut self, slot: u8) -> Result<u64> {
        let at = usize::from(slot);
        if self.versions[at] == 0 {
            let expected = format_args!("slot {slot} at level {} to be occupied", self.level);
            return Err(Error::new(Reason::SlotFree, expected, "version 0"));
        }
        if core::mem::replace(&mut self.claimed[at], true) {
            let expected = format_args!("slot {slot} at level {} for one key", self.level);
            return Err(Error::new(Reason::SlotTaken, expected, "two"));
        }
        Ok(self.versions[at])
    }
}

/// Checks that the occupied slots are the lowest ones, and that only a full entry has a child.
fn check_entry(versions: &[u64; 6]) -> Result<()> {
    let [child, slots @ ..] = versions;
    let occupied = slots.iter().take_while(|&&version| version > 0).count();
    let rest_free = slots.iter().skip(occupied).all(|&version| version == 0);
    if rest_free && (*child == 0 || occupied == slots.len()) {
        return Ok(());
    }
    let expected = "slots occupied from the first on, and a child only if all five are";
    Err(Error::new(Reason::InvalidEntry, expected, format_args!("{versions:?}")))
}

#[cold]
fn missing(reason: Reason) -> Error {
    Error::new(reason, "one more", "none left")
}

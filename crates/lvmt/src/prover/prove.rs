//! Proofs of the newest state, from a store or a snapshot of one.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_amt::{EntryChange as AmtChange, Point, Scalar};
use prooflight_core::merkle::{Subtree, multiproof};
use prooflight_core::store::{ReadStore, StoreEntry};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result};
use rayon::prelude::*;

use super::blocks;
use super::newest::{StateRoot, state_root};
use super::params::StoreParams;
use super::record::{
    AmtRecord, BlockRecord, KeyHead, PARAMS_KEY, StateHead, amt_index, amt_key, corrupt,
    decode_amt, fill_after, key_record_key, open, read, read_key, require_key,
};
use super::root_tree::{RecordChecksums, open_root};
use super::tree;
use crate::leaf::value_hash;
use crate::params::{LvmtRoot, Params};
use crate::path::{Prefix, common_bits, index_at, key_hash, levels};
use crate::proof::{
    self, Claim, KEY_SLOTS, LeafPlace, OpeningForm, PROOF_ENVELOPE, Proof, ProofAmt, SlotOwner,
    SlotVersion,
};
use crate::verify::verify_new_proof;

/// A proof, and the root that it is against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedKeys {
    /// The root of the state.
    pub root: StateRoot,
    /// The proof, for [`verify`](crate::verify).
    pub proof: Vec<u8>,
}

/// In-memory checks of a state; a stored record that disagrees is damaged or stale.
#[derive(Clone, Debug)]
pub(super) struct StateChecks {
    pub(super) root: StateRoot,
    /// The nodes of the root AMT's tree state; `None` if the store proves nothing.
    pub(super) nodes: Option<RecordChecksums>,
}

/// Proves values and absences of keys in the newest state, which is that after block `height`.
///
/// It only reads, so a snapshot can prove while further blocks are committed. The proof is verified before it is
/// returned; a failure means that the store is damaged and is `store_corrupt`. A store proves only its newest state:
/// any other height is `version_unavailable`, as is a state whose nodes [`catch_up`](super::LvmtStore::catch_up) has not
/// rebuilt. Keys whose class the store does not keep are `shard_unavailable`, which names the class; more keys than
/// a proof may have are `too_many_keys`; parameters other than those of the store are `invalid_argument`.
pub fn prove_at<S: ReadStore + ?Sized>(
    store: &S,
    params: &StoreParams,
    height: u64,
    keys: &[impl AsRef<[u8]>],
) -> Result<ProvedKeys> {
    prove(store, params, height, keys, None)
}

/// Proves like [`prove_at`], at about half the cost with in-memory checks.
///
/// Each record behind the openings is then compared with the checks, see [`ProofWalk::level`], and the rest of the proof is
/// verified. Without checks, the openings are verified with pairings.
pub(super) fn prove<S: ReadStore + ?Sized>(
    store: &S,
    params: &StoreParams,
    height: u64,
    keys: &[impl AsRef<[u8]>],
    known: Option<&StateChecks>,
) -> Result<ProvedKeys> {
    params.check_store(read(store, PARAMS_KEY)?.as_deref())?;
    let (head, tree) = StateHead::read_with_blocks(store)?;
    if height.checked_add(1) != Some(head.blocks) {
        if known.is_some() {
            let expected = format_args!("the head of block {height}");
            return Err(corrupt(expected, format_args!("one of {} blocks", head.blocks)));
        }
        return Err(Error::new(
            Reason::VersionUnavailable,
            format_args!("the newest of {} blocks", head.blocks),
            height,
        ));
    }
    if head.tree_sum.is_none() {
        let expected = "a state that was settled after unproved blocks";
        return Err(Error::new(Reason::VersionUnavailable, expected, "one that was not"));
    }
    Limits::DEFAULT.check_keys(keys.len())?;
    let mut distinct: Vec<Hash> = keys.iter().map(|key| key_hash(key.as_ref())).collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.iter().try_for_each(|key| params.shard.check_proves(key, params.log_n()))?;

    let nodes = known.and_then(|known| known.nodes.as_ref());
    let mut walk = ProofWalk::new(store, params, &distinct, nodes);
    walk.claims()?;
    let mut walking: Vec<usize> = (0..distinct.len()).collect();
    for level in 0..=u8::MAX {
        if walking.is_empty() {
            break;
        }
        walking = walk.level(level, &walking)?;
    }
    let ProofWalk { mut proof, mut points, .. } = walk;
    points.push(head.commitment);
    prove_leaves(store, head.blocks, &mut proof)?;
    let (root, proof) = (state_root(&head.commitment, &tree), PROOF_ENVELOPE.encode(&proof));
    if let Some(known) = known.filter(|known| known.root != root) {
        return Err(corrupt(Hex(&known.root), Hex(&root)));
    }
    let requested: Vec<Hash> = keys.iter().map(|key| key_hash(key.as_ref())).collect();
    let check = |points| check(params, &LvmtRoot::new(&root, height), &requested, &proof, points);
    if nodes.is_some() {
        check(None)?;
        debug_assert_eq!(check(Some(&points)), Ok(()), "what was compared is what pairings find");
    } else {
        check(Some(&points))?;
    }
    Ok(ProvedKeys { root, proof })
}

/// Verifies a new proof; a failure is `store_corrupt`, since one of its records must be damaged.
///
/// The proof is verified as by a client, except that the points of the openings, which were just computed, are not
/// decoded. Without `points`, everything but the openings is verified.
fn check(
    params: &StoreParams,
    root: &LvmtRoot,
    requested: &[Hash],
    proof: &[u8],
    points: Option<&[Point]>,
) -> Result<()> {
    // The store's own setup is trusted, and its values were within the limits when they were written.
    let limits = Limits { max_keys: Limits::DEFAULT.max_keys, ..Limits::NONE };
    let pinned = Params::new(params.tables.verifying_key(), params.log_arity).with_insecure_setup();
    match verify_new_proof(root, requested, proof, &pinned.with_limits(limits), points) {
        Ok(_) => Ok(()),
        Err(error) => Err(corrupt(
            format_args!("a proof that verifies, {}", error.expected()),
            format_args!("{}: {}", error.reason().as_str(), error.found()),
        )),
    }
}

/// The walks of the keys, as the verifier follows them.
struct ProofWalk<'p, S: ?Sized> {
    store: &'p S,
    params: &'p StoreParams,
    /// The distinct keys, ascending.
    keys: &'p [Hash],
    /// The head of each key's record; `None` if the key was never written.
    heads: Vec<Option<KeyHead>>,
    /// The heads of all keys below an entry of the root AMT, by its index.
    below: BTreeMap<u32, Arc<Vec<(Hash, KeyHead)>>>,
    proof: Proof,
    /// The points that the proof has in encoded form.
    points: Vec<Point>,
    /// The nodes of the root AMT's tree state, if they are known.
    nodes: Option<&'p RecordChecksums>,
}

/// An entry of an AMT: the owners of its slots, and the versions.
#[derive(Clone, Debug, Default)]
struct OwnedEntry {
    owners: [Option<Hash>; KEY_SLOTS as usize],
    versions: [SlotVersion; 6],
}

/// An AMT below the root, with all its nonzero entries.
struct WholeAmt {
    commitment: Point,
    entries: BTreeMap<u32, OwnedEntry>,
}

/// An entry of an AMT below the root, to be opened: the values of the AMT's entries, and the index.
type SparseOpening = (Arc<Vec<(u32, Scalar)>>, u32);

impl<'p, S: ReadStore + ?Sized> ProofWalk<'p, S> {
    fn new(
        store: &'p S,
        params: &'p StoreParams,
        keys: &'p [Hash],
        nodes: Option<&'p RecordChecksums>,
    ) -> Self {
        let (heads, below, points) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { store, params, keys, heads, below, proof: Proof::default(), points, nodes }
    }

    fn claims(&mut self) -> Result<()> {
        for key in self.keys {
            let Some((record, head)) = read_key(self.store, key)? else {
                self.proof.claims.push(Claim::NeverWritten);
                self.heads.push(None);
                continue;
            };
            let KeyHead { slot, place, .. } = head;
            self.proof.claims.push(match head.value(record) {
                Some(value) => Claim::Present { slot, place, value },
                None => Claim::Deleted { slot, place },
            });
            self.heads.push(Some(head));
        }
        Ok(())
    }

    /// Walks the keys through their entries at one level; returns those whose walks continue below.
    ///
    /// An entry of the root AMT must have the versions in the node above it, which are the newest if the nodes'
    /// checksums are given. An AMT below the root must have the commitment of all its entries; the proof shows that the
    /// commitment has the version in the parent's entry.
    fn level(&mut self, level: u8, walking: &[usize]) -> Result<Vec<usize>> {
        let log_n = u32::from(self.params.log_n());
        let (keys, bits) = (self.keys, log_n * u32::from(level));
        let common = |a: usize, b: usize| common_bits(&keys[a], &keys[b]);
        let mut below = Vec::new();
        let mut in_root: Vec<(u32, OwnedEntry)> = Vec::new();
        let (mut amts, mut sparse): (Vec<WholeAmt>, Vec<SparseOpening>) = (Vec::new(), Vec::new());
        for in_amt in walking.chunk_by(|a, b| common(*a, *b) >= bits) {
            let amt = if level == 0 { None } else { Some(self.amt(level, &keys[in_amt[0]])?) };
            let values = amt.as_ref().map(|amt| scalars(&amt.entries)).transpose()?.map(Arc::new);
            for in_entry in in_amt.chunk_by(|a, b| common(*a, *b) >= bits + log_n) {
                let key = &keys[in_entry[0]];
                let index = index_at(key, self.params.log_n(), level);
                let entry = match &amt {
                    Some(amt) => amt.entries.get(&index).cloned().unwrap_or_default(),
                    None => self.root_entry(key)?,
                };
                self.pass(level, &entry, in_entry, &mut below)?;
                match &values {
                    Some(values) => sparse.push((values.clone(), index)),
                    None => in_root.push((index, entry)),
                }
            }
            amts.extend(amt);
        }
        check_commitments(self.params, &amts)?;
        self.open_root(&in_root)?;
        self.open(&sparse)?;
        Ok(below)
    }

    /// Opens entries of the root AMT.
    fn open_root(&mut self, entries: &[(u32, OwnedEntry)]) -> Result<()> {
        let indices: Vec<_> = entries.iter().map(|(index, _)| *index).collect();
        let opened = open_root(self.store, self.params, &indices, self.nodes)?;
        for ((index, entry), opened) in entries.iter().zip(opened) {
            let found = entry.versions.map(SlotVersion::get);
            if found != opened.versions {
                let expected =
                    format_args!("versions {:?} at {index} of the root", opened.versions);
                return Err(corrupt(expected, format_args!("{found:?}")));
            }
            self.put_points(opened.points);
        }
        Ok(())
    }

    /// Opens entries of AMTs below the root, on all threads.
    fn open(&mut self, entries: &[SparseOpening]) -> Result<()> {
        let tables = &self.params.tables;
        let open = |(values, index): &SparseOpening| tables.open_entry(values, *index);
        self.put_points(entries.par_iter().map(open).collect::<Result<_>>()?);
        Ok(())
    }

    fn put_points(&mut self, mut points: Vec<Point>) {
        self.proof.points.extend(points.iter().map(Point::to_bytes));
        self.points.append(&mut points);
    }

    /// Enters an AMT below the root.
    fn amt(&mut self, level: u8, key: &Hash) -> Result<WholeAmt> {
        let prefix = Prefix::new(key, self.params.log_n(), level);
        let amt = AmtRecord::read(self.store, level, &prefix)?
            .ok_or_else(|| corrupt(format_args!("an AMT at level {level} on a walk"), "none"))?;
        let (commitment, place) = (amt.commitment.to_bytes(), amt.place);
        self.points.push(amt.commitment);
        self.proof.amts.push(ProofAmt { commitment, place, opening: OpeningForm::Single });
        let bits = u32::from(self.params.log_n()) * u32::from(level);
        Ok(WholeAmt { commitment: amt.commitment, entries: self.entries(level, key, bits)? })
    }

    /// The entry of the root AMT that a key's walk passes.
    fn root_entry(&mut self, key: &Hash) -> Result<OwnedEntry> {
        let entries = self.entries(0, key, self.params.log_n().into())?;
        Ok(entries.into_values().next().unwrap_or_default())
    }

    /// The nonzero entries at a level whose paths begin with the first `bits` bits of a key hash.
    fn entries(&mut self, level: u8, key: &Hash, bits: u32) -> Result<BTreeMap<u32, OwnedEntry>> {
        let log_n = self.params.log_n();
        let mut entries: BTreeMap<u32, OwnedEntry> = BTreeMap::new();
        for (owner, KeyHead { slot, version, .. }) in self.heads_below(key)?.iter() {
            if slot.level == level
                && (1..=KEY_SLOTS).contains(&slot.number)
                && common_bits(owner, key) >= bits
            {
                let entry = entries.entry(index_at(owner, log_n, level)).or_default();
                entry.versions[usize::from(slot.number)] = *version;
                entry.owners[usize::from(slot.number) - 1] = Some(*owner);
            }
        }
        if u32::from(level) + 1 < levels(log_n) {
            let [first, mut last] = [0, 0xff].map(|fill| {
                amt_key(level + 1, &Prefix::new(&fill_after(key, bits, fill), log_n, level + 1))
            });
            last.push(0);
            for record in self.store.range(&first, &last) {
                let (key, value) = record?;
                let child = decode_amt(&key, &open(&key, value)?)?;
                let entry = entries.entry(amt_index(&key, log_n)).or_default();
                entry.versions[0] = child.version;
            }
        }
        Ok(entries)
    }

    /// The heads of the keys below the same entry of the root AMT, ascending: their records are contiguous.
    fn heads_below(&mut self, key: &Hash) -> Result<Arc<Vec<(Hash, KeyHead)>>> {
        let log_n = self.params.log_n();
        let index = index_at(key, log_n, 0);
        if let Some(heads) = self.below.get(&index) {
            return Ok(heads.clone());
        }
        let [first, mut last] =
            [0, 0xff].map(|fill| key_record_key(&fill_after(key, log_n.into(), fill)));
        last.push(0);
        let head = |record: Result<StoreEntry>| {
            let (key, value) = record?;
            let head = KeyHead::decode(&open(&key, value)?)?;
            let hash = key.last_chunk().ok_or_else(|| corrupt("the hash of a key", Hex(&key)))?;
            Ok((*hash, head))
        };
        let heads: Result<Vec<_>> = self.store.range(&first, &last).map(head).collect();
        let heads = Arc::new(heads?);
        self.below.insert(index, heads.clone());
        Ok(heads)
    }

    /// Adds an entry with the owners that its keys need; appends the keys whose walks continue to `below`.
    fn pass(
        &mut self,
        level: u8,
        entry: &OwnedEntry,
        walking: &[usize],
        below: &mut Vec<usize>,
    ) -> Result<()> {
        self.proof.entries.push(proof::AmtEntry(entry.versions));
        let mut claimed = Vec::new();
        let mut absent = false;
        for &walker in walking {
            let slot = self.heads[walker].map(|head| head.slot);
            absent |= slot.is_none();
            match slot {
                Some(slot) if slot.level == level => claimed.push(slot.number),
                None if entry.versions[0] == SlotVersion::default() => {}
                _ => below.push(walker),
            }
        }
        for (slot, owner) in (1..=KEY_SLOTS).zip(&entry.owners) {
            if let Some(owner) = owner
                && absent
                && !claimed.contains(&slot)
            {
                let (record, head) = require_key(self.store, owner)?;
                self.proof.owners.push(SlotOwner {
                    key_hash: *owner,
                    version: head.version,
                    value_hash: head.value(record).map(|value| value_hash(&value)),
                    place: head.place,
                });
            }
        }
        Ok(())
    }
}

/// Checks that AMTs have the commitments of their entries; otherwise `store_corrupt`, since the record of an AMT, of
/// a key in it, or of an AMT below it must be damaged, older or lost.
fn check_commitments(params: &StoreParams, amts: &[WholeAmt]) -> Result<()> {
    let mut changes = Vec::new();
    for (number, amt) in (0..).zip(amts) {
        for (index, entry) in &amt.entries {
            for (slot, version) in (0..).zip(entry.versions) {
                if version != SlotVersion::default() {
                    let steps = i64::try_from(version.get()).unwrap_or(i64::MAX);
                    changes.push((number, AmtChange::version(*index, slot, steps)));
                }
            }
        }
    }
    let mut commitments = alloc::vec![Point::ZERO; amts.len()];
    params.tables.update(&mut commitments, &changes)?;
    for (amt, commitment) in amts.iter().zip(commitments) {
        if amt.commitment != commitment {
            let expected = format_args!("an AMT {}", Hex(&amt.commitment.to_bytes()));
            return Err(corrupt(expected, Hex(&commitment.to_bytes())));
        }
    }
    Ok(())
}

/// The values of an AMT's entries.
fn scalars(entries: &BTreeMap<u32, OwnedEntry>) -> Result<Vec<(u32, Scalar)>> {
    entries
        .iter()
        .map(|(index, entry)| {
            let versions = entry.versions.map(SlotVersion::get);
            Ok((*index, Scalar::from_versions(&versions)?))
        })
        .collect()
}

/// The subtrees of a multiproof; places outside the tree are `store_corrupt`.
fn subtrees(indices: &[u64], size: u64) -> Result<Vec<Subtree>> {
    multiproof(indices, size).map_err(|error| corrupt(error.expected(), error.found()))
}

/// Completes a proof with the sizes and hashes of the trees that its leaves are in.
fn prove_leaves<S: ReadStore + ?Sized>(store: &S, blocks: u64, proof: &mut Proof) -> Result<()> {
    let claims = proof.claims.iter().filter_map(Claim::place);
    let amts = proof.amts.iter().map(|amt| amt.place);
    let owners = proof.owners.iter().map(|owner| owner.place);
    let mut places: Vec<LeafPlace> = claims.chain(amts).chain(owners).collect();
    places.sort_unstable();
    let mut of_blocks = Vec::new();
    for of_block in places.chunk_by(|a, b| a.block == b.block) {
        let block = of_block[0].block;
        let size = BlockRecord::read(store, block)?.size;
        let indices: Vec<_> = of_block.iter().map(|place| u64::from(place.index)).collect();
        for part in subtrees(&indices, size.into())? {
            proof.hashes.push(tree::subtree(store, block, size.into(), part.start, part.size)?);
        }
        proof.sizes.push(size);
        of_blocks.push(block);
    }
    if !of_blocks.is_empty() {
        for part in subtrees(&of_blocks, blocks)? {
            proof.hashes.push(blocks::subtree(store, part.start, part.size)?);
        }
    }
    Ok(())
}

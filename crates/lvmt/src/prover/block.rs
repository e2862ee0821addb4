//! One block's changes: versions, commitments, the block's tree.

use alloc::collections::{BTreeMap, btree_map};
use alloc::vec::Vec;

use prooflight_amt::{EntryChange as AmtChange, Point};
use prooflight_core::store::{RawKeyChange, ReadStore};
use prooflight_core::{Error, Hash, Hex, Reason, Result};
use rayon::prelude::*;

use super::cache::StateCache;
use super::params::StoreParams;
use super::record::{
    AmtRecord, KeyHead, corrupt, fill_after, key_record_key, open, owners_key, read_key,
    read_owners,
};
use crate::leaf::{AmtLeaf, KeyLeaf, value_hash};
use crate::path::{Prefix, common_bits, index_at, key_hash, levels};
use crate::proof::{KEY_SLOTS, KeySlot, LeafPlace, SlotVersion};

/// The result of a block's changes; every write follows from it.
#[derive(Debug)]
pub(super) struct BlockChanges<'a> {
    /// In the order of the leaves: ascending by level and key hash.
    pub(super) keys: Vec<WrittenKey<'a>>,
    /// In the order of the leaves: the deepest level first, then by prefix.
    pub(super) amts: Vec<WrittenAmt>,
    /// The changes of the root AMT.
    pub(super) root_changes: Vec<AmtChange>,
    /// The entries on the walks of new keys, by level and path.
    pub(super) entries: OwnersByEntry,
}

pub(super) type OwnersByEntry = BTreeMap<(u8, Prefix), EntryOwners>;

/// The owners of an entry's slots, from slot 1 on.
#[derive(Debug)]
pub(super) struct EntryOwners {
    pub(super) owners: Vec<Hash>,
    /// Whether one of them got its slot in this block.
    pub(super) has_new: bool,
}

/// A key that the block writes.
#[derive(Debug)]
pub(super) struct WrittenKey<'a> {
    pub(super) key_hash: Hash,
    /// `None` for a tombstone.
    pub(super) value: Option<&'a [u8]>,
    /// The head of its record before the block.
    pub(super) before: Option<KeyHead>,
    pub(super) slot: KeySlot,
    pub(super) version: SlotVersion,
}

/// An AMT at level 1 or below that the block changes.
#[derive(Debug)]
pub(super) struct WrittenAmt {
    pub(super) level: u8,
    pub(super) prefix: Prefix,
    /// The hash of some key below it.
    pub(super) key_hash: Hash,
    pub(super) before: Option<AmtRecord>,
    pub(super) version: SlotVersion,
    pub(super) commitment: Point,
}

impl<'a> BlockChanges<'a> {
    /// Applies changes to the newest state.
    pub(super) fn new<S: ReadStore + Sync>(
        store: &S,
        params: &StoreParams,
        cache: &StateCache,
        changes: &[RawKeyChange<'a>],
    ) -> Result<Self> {
        let mut keys = read_keys(store, params, cache, last_changes(changes))?;
        let entries = allocate(store, params, cache, &mut keys)?;
        // Stable: key hashes stay ascending within a level.
        keys.sort_by_key(|key| key.slot.level);
        let (amts, root_changes) = raise_versions(store, params, cache, &keys)?;
        Ok(Self { keys, amts, root_changes, entries })
    }

    /// The hashes of the block's leaves, in order.
    pub(super) fn leaves(&self) -> Vec<Hash> {
        let keys = self.keys.par_iter().with_min_len(MIN_ITEMS_PER_THREAD).map(|key| {
            let KeySlot { level, number } = key.slot;
            let value_hash = key.value.map(value_hash);
            let version = key.version.get();
            KeyLeaf { level, slot: number, version, key_hash: key.key_hash, value_hash }.hash()
        });
        let amts = self.amts.par_iter().with_min_len(MIN_ITEMS_PER_THREAD).map(|amt| {
            let (version, commitment) = (amt.version.get(), amt.commitment.to_bytes());
            AmtLeaf { level: amt.level, prefix: amt.prefix, version, commitment }.hash()
        });
        keys.chain(amts).collect()
    }

    /// The leaves that the block replaces: the hash of the key, or of a key below the AMT, and the leaf's place.
    pub(super) fn replaced(&self) -> impl Iterator<Item = (&Hash, LeafPlace)> {
        let keys =
            self.keys.iter().filter_map(|key| Some((&key.key_hash, key.before.as_ref()?.place)));
        let amts =
            self.amts.iter().filter_map(|amt| Some((&amt.key_hash, amt.before.as_ref()?.place)));
        keys.chain(amts)
    }

    /// The key hash of a leaf: that of its key, or of a key below its AMT.
    pub(super) fn leaf_key_hash(&self, index: usize) -> &Hash {
        match index.checked_sub(self.keys.len()) {
            None => &self.keys[index].key_hash,
            Some(index) => &self.amts[index].key_hash,
        }
    }
}

/// The smallest number of items for which another thread pays off.
pub(super) const MIN_ITEMS_PER_THREAD: usize = 128;

/// The place of a leaf of the next block.
pub(super) fn place(block: u64, index: usize) -> Result<LeafPlace> {
    match u32::try_from(index) {
        Ok(index) => Ok(LeafPlace { block, index }),
        Err(_) => Err(Error::new(Reason::TooManyOperations, "less than 2^32 leaves", index)),
    }
}

/// The last change of each key, ascending by key hash.
fn last_changes<'a>(changes: &[RawKeyChange<'a>]) -> Vec<(Hash, Option<&'a [u8]>)> {
    let hashed = |&RawKeyChange { key, value }: &RawKeyChange<'a>| (key_hash(key), value);
    let mut last: Vec<_> =
        changes.par_iter().with_min_len(MIN_ITEMS_PER_THREAD).map(hashed).collect();
    // Stable: the changes of one key stay in their order.
    last.par_sort_by(|(a, _), (b, _)| a.cmp(b));
    last.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        if is_same {
            earlier.1 = later.1;
        }
        is_same
    });
    last
}

/// Reads the keys' records; a delete of a key without a value is dropped.
fn read_keys<'a, S: ReadStore + Sync>(
    store: &S,
    params: &StoreParams,
    cache: &StateCache,
    last: Vec<(Hash, Option<&'a [u8]>)>,
) -> Result<Vec<WrittenKey<'a>>> {
    let read = |(key_hash, value): (Hash, Option<&'a [u8]>)| {
        let before = match cache.key_heads.get(&key_hash) {
            Some(before) => before,
            None => read_key(store, &key_hash)?.map(|(_, head)| head),
        };
        if value.is_none() && before.is_none() {
            check_never_written(store, params, cache, &key_hash)?;
        }
        if value.is_none() && before.is_none_or(|head| !head.has_value) {
            return Ok(None);
        }
        let slot = before.map_or(KeySlot { level: 0, number: 0 }, |head| head.slot);
        let version = next(before.map(|head| head.version))?;
        Ok(Some(WrittenKey { key_hash, value, before, slot, version }))
    };
    let keys: Result<Vec<_>> =
        last.into_par_iter().with_min_len(MIN_ITEMS_PER_THREAD).map(read).collect();
    Ok(keys?.into_iter().flatten().collect())
}

/// Assigns to each new key the lowest free slot of the first entry with a free slot on its walk.
fn allocate<S: ReadStore + Sync>(
    store: &S,
    params: &StoreParams,
    cache: &StateCache,
    keys: &mut [WrittenKey<'_>],
) -> Result<OwnersByEntry> {
    let log_n = params.log_n();
    let mut entries = first_entries(store, params, cache, keys)?;
    for key in keys.iter_mut().filter(|key| key.before.is_none()) {
        let mut level = first_level(log_n, cache, &key.key_hash);
        key.slot = loop {
            if u32::from(level) >= levels(log_n).min(u8::MAX.into()) {
                let expected = "a free slot on the walk of a key";
                return Err(Error::new(Reason::DictionaryFull, expected, "none"));
            }
            let path = Prefix::new(&key.key_hash, log_n, level + 1);
            let entry = match entries.entry((level, path)) {
                btree_map::Entry::Occupied(entry) => entry.into_mut(),
                btree_map::Entry::Vacant(entry) => {
                    entry.insert(EntryOwners::read(store, log_n, level, &key.key_hash)?)
                }
            };
            if entry.owners.contains(&key.key_hash) {
                return Err(lost_key(&key.key_hash));
            }
            if entry.owners.len() < usize::from(KEY_SLOTS) {
                entry.owners.push(key.key_hash);
                entry.has_new = true;
                break KeySlot { level, number: entry.owners.len() as u8 };
            }
            level += 1;
        };
    }
    Ok(entries)
}

/// The first level at which the entry of a key may have a free slot, or the key itself.
fn first_level(log_n: u8, cache: &StateCache, key_hash: &Hash) -> u8 {
    u8::from(cache.is_full_of_others(index_at(key_hash, log_n, 0), key_hash))
}

/// Reads the first entry on the walk of each new key, on all threads.
fn first_entries<S: ReadStore + Sync>(
    store: &S,
    params: &StoreParams,
    cache: &StateCache,
    keys: &[WrittenKey<'_>],
) -> Result<OwnersByEntry> {
    let log_n = params.log_n();
    let new = keys.iter().filter(|key| key.before.is_none());
    let met = new.map(|WrittenKey { key_hash, .. }| {
        let level = first_level(log_n, cache, key_hash);
        ((level, Prefix::new(key_hash, log_n, level + 1)), key_hash)
    });
    // Each entry once.
    let met: Vec<_> = met.collect::<BTreeMap<_, _>>().into_iter().collect();
    let read = |((level, path), key_hash): ((u8, Prefix), &Hash)| {
        Ok(((level, path), EntryOwners::read(store, log_n, level, key_hash)?))
    };
    let read = met.into_par_iter().with_min_len(MIN_ITEMS_PER_THREAD).map(read);
    Ok(read.collect::<Result<Vec<_>>>()?.into_iter().collect())
}

impl EntryOwners {
    /// Reads the entry of a key at a level, and checks it.
    fn read<S: ReadStore>(store: &S, log_n: u8, level: u8, key_hash: &Hash) -> Result<Self> {
        let owners = read_owners(store, level, &Prefix::new(key_hash, log_n, level + 1))?;
        check_owners(store, log_n, level, key_hash, &owners)?;
        Ok(Self { owners, has_new: false })
    }
}

/// Checks that a key without a record has no slot; otherwise the record is lost (`store_corrupt`).
pub(super) fn check_never_written<S: ReadStore>(
    store: &S,
    params: &StoreParams,
    cache: &StateCache,
    key_hash: &Hash,
) -> Result<()> {
    let log_n = params.log_n();
    for level in (0..u8::MAX).take(levels(log_n) as usize) {
        if level == 0 && cache.is_full_of_others(index_at(key_hash, log_n, 0), key_hash) {
            continue;
        }
        let owners = read_owners(store, level, &Prefix::new(key_hash, log_n, level + 1))?;
        if owners.contains(key_hash) {
            return Err(lost_key(key_hash));
        }
        if owners.len() < usize::from(KEY_SLOTS) {
            break;
        }
    }
    Ok(())
}

/// Checks the owners of an entry with a free slot: they must be exactly the keys below it that have no slot
/// above it; otherwise `store_corrupt`.
///
/// This detects a lost or older record, which has too few owners. A record of five owners is never an older copy,
/// since no key can be added to it.
fn check_owners<S: ReadStore>(
    store: &S,
    log_n: u8,
    level: u8,
    key_hash: &Hash,
    owners: &[Hash],
) -> Result<()> {
    if owners.len() == usize::from(KEY_SLOTS) {
        return Ok(());
    }
    let bits = u32::from(log_n) * (u32::from(level) + 1);
    let [first, mut last] = [0, 0xff].map(|fill| key_record_key(&fill_after(key_hash, bits, fill)));
    last.push(0);
    let mut keys = 0;
    for entry in store.range(&first, &last) {
        let (key, value) = entry?;
        if KeyHead::decode(&open(&key, value)?)?.slot.level < level {
            continue;
        }
        if !owners.iter().any(|owner| key.get(1..) == Some(owner)) {
            return Err(corrupt(format_args!("an owner of an entry at level {level}"), Hex(&key)));
        }
        keys += 1;
    }
    if keys == owners.len() {
        return Ok(());
    }
    Err(corrupt(format_args!("the keys of {} owners of an entry", owners.len()), keys))
}

/// Checks that an AMT without a record has no entries; otherwise the record is lost (`store_corrupt`).
fn check_no_amt<S: ReadStore>(store: &S, log_n: u8, level: u8, key_hash: &Hash) -> Result<()> {
    let bits = u32::from(log_n) * u32::from(level);
    let [first, mut last] = [0, 0xff].map(|fill| {
        owners_key(level, &Prefix::new(&fill_after(key_hash, bits, fill), log_n, level + 1))
    });
    last.push(0);
    match store.range(&first, &last).next().transpose()? {
        None => Ok(()),
        Some(_) => {
            Err(corrupt(format_args!("the AMT at level {level} of {}", Hex(key_hash)), "none"))
        }
    }
}

#[cold]
fn lost_key(key_hash: &Hash) -> Error {
    corrupt(format_args!("the key {} that has a slot", Hex(key_hash)), "none")
}

/// Raises the versions of the keys' slots, and from the deepest level up those of the changed AMTs.
fn raise_versions<S: ReadStore + Sync>(
    store: &S,
    params: &StoreParams,
    cache: &StateCache,
    keys: &[WrittenKey<'_>],
) -> Result<(Vec<WrittenAmt>, Vec<AmtChange>)> {
    let deepest = keys.last().map_or(0, |key| key.slot.level);
    let mut amts: Vec<WrittenAmt> = Vec::new();
    // The start of the AMTs of the level below.
    let mut below = 0;
    for level in (1..=deepest).rev() {
        let mut bumped = raised_slots(&amts[below..], of_level(keys, level));
        // Merges two ascending runs.
        bumped.sort_by_key(|(key_hash, _)| *key_hash);
        let bits = u32::from(params.log_n()) * u32::from(level);
        let runs: Vec<_> = bumped.chunk_by(|a, b| common_bits(a.0, b.0) >= bits).collect();
        let read = |run: &&[(&Hash, u8)]| {
            let key_hash = *run[0].0;
            let prefix = Prefix::new(&key_hash, params.log_n(), level);
            let before = match cache.amt(level, index_at(&key_hash, params.log_n(), 0)) {
                Some(amt) => Some(amt),
                None => AmtRecord::read(store, level, &prefix)?,
            };
            if before.is_none() {
                check_no_amt(store, params.log_n(), level, &key_hash)?;
            }
            let version = next(before.map(|before| before.version))?;
            let commitment = before.map_or(Point::ZERO, |before| before.commitment);
            Ok(WrittenAmt { level, prefix, key_hash, before, version, commitment })
        };
        let mut changed: Vec<_> =
            runs.par_iter().with_min_len(MIN_ITEMS_PER_THREAD).map(read).collect::<Result<_>>()?;
        let mut changes = Vec::with_capacity(bumped.len());
        for (number, run) in (0..).zip(runs) {
            changes.extend(run.iter().map(|bumped| (number, change(params, level, bumped))));
        }
        let mut commitments: Vec<_> = changed.iter().map(|amt| amt.commitment).collect();
        params.tables.update(&mut commitments, &changes)?;
        for (amt, commitment) in changed.iter_mut().zip(commitments) {
            amt.commitment = commitment;
        }
        below = amts.len();
        amts.append(&mut changed);
    }
    let in_root = raised_slots(&amts[below..], of_level(keys, 0));
    let root_changes = in_root.iter().map(|bumped| change(params, 0, bumped)).collect();
    Ok((amts, root_changes))
}

/// The slots at a level whose versions grow by one: first of AMTs, then of keys, each with the hash of a key below it.
fn raised_slots<'b>(below: &'b [WrittenAmt], keys: &'b [WrittenKey<'_>]) -> Vec<(&'b Hash, u8)> {
    let below = below.iter().map(|amt| (&amt.key_hash, 0));
    below.chain(keys.iter().map(|key| (&key.key_hash, key.slot.number))).collect()
}

fn change(params: &StoreParams, level: u8, &(key_hash, slot): &(&Hash, u8)) -> AmtChange {
    AmtChange::version(index_at(key_hash, params.log_n(), level), slot, 1)
}

/// The keys of a level, which are contiguous.
fn of_level<'k, 'a>(keys: &'k [WrittenKey<'a>], level: u8) -> &'k [WrittenKey<'a>] {
    let start = keys.partition_point(|key| key.slot.level < level);
    let end = keys.partition_point(|key| key.slot.level <= level);
    &keys[start..end]
}

/// The next version, or the first; `version_range` above the largest.
fn next(version: Option<SlotVersion>) -> Result<SlotVersion> {
    let next = version.map_or(0, SlotVersion::get) + 1;
    SlotVersion::new(next)
        .ok_or_else(|| Error::new(Reason::VersionRange, "a version below 2^40", next))
}

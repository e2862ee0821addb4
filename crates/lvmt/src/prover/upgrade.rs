//! Brings a store of an earlier layout up to date.

use alloc::vec::Vec;

use prooflight_amt::{Change, Point};
use prooflight_core::store::{Store, WriteBatch};
use prooflight_core::{Hash, Hex, Result};

use super::params::StoreParams;
use super::record::{
    HEAD_KEY, Head, KeyHead, PARAMS_KEY, amt_index, amt_key, corrupt, decode_amt, key_key, open,
    put,
};
use super::root_tree::RootTree;
use super::tree_shape::Versions;
use crate::path::{Prefix, index_at};
use crate::proof::KEY_SLOTS;

/// Makes the nodes of the root's tree state anew, of the versions in the records of keys and AMTs.
///
/// Before layout 2 they had other points, and no versions. `store_corrupt`, with nothing written, if these are not the
/// versions of the root's commitment. The work is that of a block that changes every entry of the root.
pub(super) fn upgrade<S: Store>(store: &mut S, params: &StoreParams) -> Result<()> {
    let (head, _) = Head::read_with_blocks(store)?;
    let versions = root_versions(store, params)?;
    let changes: Vec<_> = steps(&versions).map(|change| (0, change)).collect();
    let mut commitment = [Point::ZERO];
    params.tables.update(&mut commitment, &changes)?;
    if commitment != [head.commitment] {
        let expected =
            format_args!("keys and AMTs of the root {}", Hex(&head.commitment.to_bytes()));
        return Err(corrupt(expected, "damaged, older or lost ones"));
    }
    let mut writes = WriteBatch::new();
    let tree_sum = RootTree::put_all(params, &versions, &mut writes)?;
    put(&mut writes, HEAD_KEY.to_vec(), Head { tree_sum, ..head }.encode());
    put(&mut writes, PARAMS_KEY.to_vec(), params.encode());
    store.write(writes)
}

/// The changes that make these versions of an AMT of zeros.
pub(super) fn steps(versions: &[Versions]) -> impl Iterator<Item = Change> + '_ {
    (0..).zip(versions).flat_map(|(index, versions)| {
        let is_set = |(_, version): &(u8, &u64)| **version != 0;
        let steps = |version: u64| i64::try_from(version).unwrap_or(i64::MAX);
        let change =
            move |(slot, version): (u8, &u64)| Change::version(index, slot, steps(*version));
        (0..).zip(versions).filter(is_set).map(change)
    })
}

/// The versions of every entry of the root AMT.
fn root_versions<S: Store>(store: &S, params: &StoreParams) -> Result<Vec<Versions>> {
    let mut versions = alloc::vec![Versions::default(); 1 << params.log_n()];
    let [first, mut last] = [0, 0xff].map(|fill| key_key(&[fill; 32]));
    last.push(0);
    for record in store.range(&first, &last) {
        let (key, value) = record?;
        let head = KeyHead::decode(&open(&key, value)?)?;
        let hash: &Hash =
            key.last_chunk().ok_or_else(|| corrupt("the hash of a key", Hex(&key)))?;
        if head.slot.level == 0 && (1..=KEY_SLOTS).contains(&head.slot.number) {
            let index = index_at(hash, params.log_n(), 0);
            versions[index as usize][usize::from(head.slot.number)] = head.version.get();
        }
    }
    let [first, mut last] =
        [0, 0xff].map(|fill| amt_key(1, &Prefix::new(&[fill; 32], params.log_n(), 1)));
    last.push(0);
    for record in store.range(&first, &last) {
        let (key, value) = record?;
        let amt = decode_amt(&key, &open(&key, value)?)?;
        versions[amt_index(&key, params.log_n()) as usize][0] = amt.version.get();
    }
    Ok(versions)
}

//! Rebuilds the nodes of the root's tree state, after an import.

use alloc::vec::Vec;

use prooflight_amt::Point;
use prooflight_core::store::{Store, WriteBatch};
use prooflight_core::{Hash, Hex, Result};

use super::params::StoreParams;
use super::record::{
    HEAD_KEY, KeyHead, StateHead, amt_index, amt_key, corrupt, decode_amt, key_record_key, open,
    put,
};
use super::root_tree::RootTree;
use super::tree_shape::{EntryVersions, version_steps};
use crate::path::{Prefix, index_at};
use crate::proof::KEY_SLOTS;

/// Rebuilds the nodes of the root's tree state from the versions in the records of keys and AMTs.
///
/// After a killed import, the stored nodes are those of an earlier block. `store_corrupt`, with nothing written, if
/// the versions do not have the root's commitment. It costs as much as a block that changes every entry of the root.
pub(super) fn rebuild_root_tree<S: Store>(store: &mut S, params: &StoreParams) -> Result<()> {
    let (head, _) = StateHead::read_with_blocks(store)?;
    let versions = root_versions(store, params)?;
    let before = alloc::vec![EntryVersions::default(); versions.len()];
    let changes: Vec<_> = version_steps(&before, &versions).map(|change| (0, change)).collect();
    let mut commitment = [Point::ZERO];
    params.tables.update(&mut commitment, &changes)?;
    if commitment != [head.commitment] {
        let expected =
            format_args!("keys and AMTs of the root {}", Hex(&head.commitment.to_bytes()));
        return Err(corrupt(expected, "damaged, older or lost ones"));
    }
    let mut writes = WriteBatch::new();
    let tree_sum = RootTree::put_all_records(params, &versions, &mut writes)?;
    put(&mut writes, HEAD_KEY.to_vec(), StateHead { tree_sum: Some(tree_sum), ..head }.encode());
    store.write(writes)
}

/// The versions of every entry of the root AMT.
fn root_versions<S: Store>(store: &S, params: &StoreParams) -> Result<Vec<EntryVersions>> {
    let mut versions = alloc::vec![EntryVersions::default(); 1 << params.log_n()];
    let [first, mut last] = [0, 0xff].map(|fill| key_record_key(&[fill; 32]));
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

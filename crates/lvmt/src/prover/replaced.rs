//! The leaves that a block replaced. The newest state does not need them; they are collected for many blocks at once.
//!
//! Nothing else about a block's changes is kept, since a store does not roll back. See
//! `docs/decisions/0008-lvmt-keeps-its-newest-state.md`.

use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_core::store::{ReadStore, WriteBatch};

use super::record::{decode, put, put_place, replaced_key, require, take_place};
use crate::proof::LeafPlace;

/// Writes the places of the leaves that a block replaced.
pub(super) fn put_replaced(
    writes: &mut WriteBatch,
    block: u64,
    places: impl Iterator<Item = LeafPlace>,
) {
    let mut record = Vec::new();
    places.for_each(|place| put_place(&mut record, place));
    put(writes, replaced_key(block), record);
}

/// The places of replaced leaves that have not been collected.
pub(super) fn read_replaced<S: ReadStore + ?Sized>(
    store: &S,
    block: u64,
) -> Result<Vec<LeafPlace>> {
    let key = replaced_key(block);
    decode(&key, &require(store, &key)?, |reader| {
        let mut places = Vec::new();
        while !reader.rest().is_empty() {
            places.push(take_place(reader)?);
        }
        Ok(places)
    })
}

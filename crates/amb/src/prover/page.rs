//! Reads and writes pages.

use alloc::vec::Vec;

use prooflight_core::store::{ReadStore, WriteBatch, corrupt};
use prooflight_core::{Hex, Result};

use super::entry::PageEntry;
use super::hashing::hash_values;
use super::piece::{KeyedNode, TreePiece};
use super::stored_record::{decode, encode_node, page_key, put, require, summary_key};
use crate::hash::NodeRecord;

/// The stored bytes of a page.
pub(super) fn read<S: ReadStore + ?Sized>(store: &S, first: &[u8]) -> Result<Vec<u8>> {
    require(store, &page_key(first), &format_args!("the page from {} on", Hex(first)))
}

/// The entries of a page, whose record is known.
///
/// `store_corrupt` if they are older: of two pages that begin with one key, the newer one has an entry of a later block,
/// or, if it is a part of a page that was divided, fewer entries.
pub(super) fn entries<'p>(
    first: &[u8],
    page: &'p [u8],
    record: &NodeRecord,
) -> Result<Vec<PageEntry<'p>>> {
    let name = format_args!("the page from {} on", Hex(first));
    let mut entries = decode(page, &name, |reader| {
        let mut entries = Vec::new();
        while !reader.rest().is_empty() {
            entries.push(PageEntry::decode(reader)?);
        }
        Ok(entries)
    })?;
    let version = entries.iter().map(|entry| entry.newest.block).max();
    let live = entries.iter().filter(|entry| entry.newest.value.is_some()).count() as u64;
    let dead = entries.len() as u64 - live;
    if (version, live, dead) != (Some(record.version), record.live, record.dead) {
        let NodeRecord { version, live, dead, .. } = record;
        let expected =
            format_args!("{name} of block {version}, {live} live and {dead} dead entries");
        return Err(corrupt(expected, "another one"));
    }
    let values = entries.iter().filter_map(|entry| entry.value.as_deref());
    let hashes = hash_values(values);
    let hashed = entries.iter_mut().filter(|entry| entry.value.is_some());
    for (entry, hash) in hashed.zip(hashes) {
        entry.newest.value = Some(hash);
    }
    Ok(entries)
}

/// Writes a page of some entries, and its record.
pub(super) fn write(writes: &mut WriteBatch, entries: &[TreePiece<'_>], record: &NodeRecord) {
    let mut page = Vec::new();
    for entry in entries.iter().filter_map(|piece| piece.entry().ok()) {
        entry.encode(&mut page);
    }
    let first = entries.first().map_or(&[][..], KeyedNode::key);
    put(writes, page_key(first), page);
    put(writes, summary_key(first), encode_node(record));
}

//! The keys and checksums of records.

use alloc::vec::Vec;
use core::fmt;

use prooflight_core::store::sealed::{seal, unseal};
use prooflight_core::store::{ReadStore, WriteBatch, corrupt};
use prooflight_core::{ByteReader, Result};

use crate::hash::NodeRecord;
use crate::message::HashMessage as _;

/// The first bytes of keys.
pub(super) mod kind {
    pub(in super::super) const MISSING: u8 = b'b';
    pub(in super::super) const HEAD: u8 = b'h';
    pub(in super::super) const SUMMARY: u8 = b's';
    pub(in super::super) const PAGE: u8 = b'p';
    pub(in super::super) const PAST: u8 = b'v';
    pub(in super::super) const VALUE: u8 = b'w';
}

/// The key of the newest block.
pub(super) fn head_key(height: u64) -> Vec<u8> {
    [&[kind::HEAD][..], &height.to_be_bytes()].concat()
}

/// The key of a page's record.
pub(super) fn summary_key(first: &[u8]) -> Vec<u8> {
    [&[kind::SUMMARY], first].concat()
}

/// The key of a page.
pub(super) fn page_key(first: &[u8]) -> Vec<u8> {
    [&[kind::PAGE], first].concat()
}

/// The key of a past version.
pub(super) fn past_key(key: &[u8], number: u64) -> Vec<u8> {
    numbered(kind::PAST, key, number)
}

/// The key of a version's value.
pub(super) fn value_key(key: &[u8], number: u64) -> Vec<u8> {
    numbered(kind::VALUE, key, number)
}

/// The key of the versions that a store does not have.
pub(super) fn missing_key(key: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(3 + key.len());
    bytes.push(kind::MISSING);
    bytes.put_u16(key.len());
    bytes.put(key);
    bytes
}

fn numbered(kind: u8, key: &[u8], number: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(11 + key.len());
    bytes.push(kind);
    bytes.put_u16(key.len());
    bytes.put(key);
    bytes.put(&number.to_be_bytes());
    bytes
}

/// Writes a record with its checksum.
pub(super) fn put(writes: &mut WriteBatch, key: Vec<u8>, record: Vec<u8>) {
    let value = seal(&key, record);
    writes.put(key, value);
}

/// Reads a record that must be there; `store_corrupt` if it is lost or damaged.
pub(super) fn require<S: ReadStore + ?Sized>(
    store: &S,
    key: &[u8],
    name: &dyn fmt::Display,
) -> Result<Vec<u8>> {
    match store.get(key)? {
        Some(value) => check(key, value, name),
        None => Err(corrupt(name, "none")),
    }
}

/// Checks a record that was read, and removes its checksum.
pub(super) fn check(key: &[u8], value: Vec<u8>, name: &dyn fmt::Display) -> Result<Vec<u8>> {
    let expected = format_args!("{name} with its checksum");
    unseal(key, value).ok_or_else(|| corrupt(expected, "another one"))
}

/// Reads the parts of a record; `store_corrupt` if it has others.
pub(super) fn decode<'r, T>(
    record: &'r [u8],
    name: &dyn fmt::Display,
    read: impl FnOnce(&mut ByteReader<'r>) -> Result<T>,
) -> Result<T> {
    let mut reader = ByteReader::new(record);
    let parts = read(&mut reader).and_then(|parts| reader.finish().map(|()| parts));
    parts.map_err(|error| corrupt(format_args!("{name}: {}", error.expected()), error.found()))
}

/// The record of a node in a store.
pub(super) fn encode_node(node: &NodeRecord) -> Vec<u8> {
    let mut record = Vec::with_capacity(64);
    record.put_record(node);
    record
}

pub(super) fn decode_node(reader: &mut ByteReader<'_>) -> Result<NodeRecord> {
    Ok(NodeRecord {
        version: integer(reader)?,
        live: integer(reader)?,
        dead: integer(reader)?,
        hash: reader.array()?,
    })
}

pub(super) fn integer(reader: &mut ByteReader<'_>) -> Result<u64> {
    reader.array().map(u64::from_be_bytes)
}

pub(super) fn short(reader: &mut ByteReader<'_>) -> Result<usize> {
    reader.array().map(u16::from_be_bytes).map(usize::from)
}

//! Finds the damaged files of a folder.

use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;
use prooflight_core::{Error, Reason, Result};
use xxhash_rust::xxh3::xxh3_64;

use super::SnapshotFiles;
use crate::snapshot::format::header::{FileHeader, HEADER_BYTES};
use crate::snapshot::format::manifest::Manifest;
use crate::snapshot::format::{corrupt, file_name, last_block, missing};

/// A file whose contents differ from what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDamage {
    /// The file's name.
    pub file: String,
    /// The error, `store_corrupt`, with what was expected and what was found.
    pub error: Error,
}

/// A damaged file, and the last block of its group.
pub(crate) struct DamagedGroup {
    pub(crate) last: u64,
    pub(crate) damage: FileDamage,
}

/// Returns every damaged file of the kept blocks, and of older blocks whose files still exist.
pub(crate) fn check(files: &SnapshotFiles, manifest: &Manifest) -> Result<Vec<FileDamage>> {
    let checked = check_groups(files, manifest, |last| {
        let (header, checksum, _) = read_whole(files, last)?;
        Ok((header, checksum))
    })?;
    Ok(checked.into_iter().map(|group| group.damage).collect())
}

/// Like [`check_bodies`], but compares only headers and lengths.
pub(crate) fn check_headers(
    files: &SnapshotFiles,
    manifest: &Manifest,
) -> Result<Vec<DamagedGroup>> {
    let lengths = files.list()?;
    check_groups(files, manifest, |last| {
        let name = file_name(last);
        let length = *lengths.get(&name).ok_or_else(|| missing(&name))?;
        let bytes = files.read_range(&name, 0..HEADER_BYTES as u64)?;
        let (header, checksum) = FileHeader::decode(&name, &bytes)?;
        check_length(&name, &header, length)?;
        Ok((header, checksum))
    })
}

/// Like [`check`], but also returns the last block of each damaged group.
pub(crate) fn check_bodies(
    files: &SnapshotFiles,
    manifest: &Manifest,
) -> Result<Vec<DamagedGroup>> {
    check_groups(files, manifest, |last| read_whole(files, last).map(|read| (read.0, read.1)))
}

/// Reads the header of a file; returns it with its checksum.
pub(crate) fn read_header(files: &SnapshotFiles, last: u64) -> Result<(FileHeader, u64)> {
    let name = file_name(last);
    FileHeader::decode(&name, &files.read_range(&name, 0..HEADER_BYTES as u64)?)
}

/// Reads a file and compares its length and checksum; returns its header, the header's checksum,
/// and the whole file.
pub(crate) fn read_whole(files: &SnapshotFiles, last: u64) -> Result<(FileHeader, u64, Bytes)> {
    let name = file_name(last);
    let bytes = files.read(&name)?.ok_or_else(|| missing(&name))?;
    let (header, checksum) = FileHeader::decode(&name, &bytes)?;
    check_length(&name, &header, bytes.len() as u64)?;
    let body = xxh3_64(&bytes[HEADER_BYTES..]);
    if body != header.body_checksum {
        let expected = format_args!("the checksum {:016x}", header.body_checksum);
        return Err(corrupt(&name, expected, format_args!("{body:016x}")));
    }
    Ok((header, checksum, bytes))
}

fn check_length(name: &str, header: &FileHeader, length: u64) -> Result<()> {
    if length == header.file_bytes() {
        return Ok(());
    }
    Err(corrupt(name, format_args!("{} bytes", header.file_bytes()), length))
}

/// Checks the groups that must exist, and the older files that still do.
fn check_groups(
    files: &SnapshotFiles,
    manifest: &Manifest,
    read: impl Fn(u64) -> Result<(FileHeader, u64)>,
) -> Result<Vec<DamagedGroup>> {
    let first_kept = manifest.last_of_group(manifest.oldest);
    let older = files.list()?.into_keys().filter_map(|name| last_block(&name));
    let older = older.filter(|&last| last < first_kept);
    let steps = (manifest.newest.saturating_sub(first_kept)) / manifest.blocks_per_file;
    let kept = (0..=steps).map(|step| first_kept + step * manifest.blocks_per_file);
    let mut damaged = Vec::new();
    let mut before: Option<(u64, u64)> = None;
    for last in older.chain(kept) {
        let file = file_name(last);
        let found = read(last).and_then(|(header, checksum)| {
            let follows = before.is_none_or(|(before, checksum)| {
                before + manifest.blocks_per_file != last || header.previous == checksum
            });
            let is_newest = last < manifest.newest || checksum == manifest.newest_header;
            if header.last == last && follows && is_newest {
                return Ok((last, checksum));
            }
            Err(corrupt(&file, "the header of this chain's block", "that of another one"))
        });
        before = match found {
            Ok(found) => Some(found),
            Err(error) if error.reason() == Reason::StoreCorrupt => {
                damaged.push(DamagedGroup { last, damage: FileDamage { file, error } });
                None
            }
            Err(error) => return Err(error),
        };
    }
    Ok(damaged)
}

//! A contiguous copy of one revision's nodes, for fast opening.
//!
//! In the store, the nodes of the newest revision are mixed with those of older ones. The file has only the nodes of
//! the revision that was the newest when it was written, in the order in which opening reads them; later revisions
//! still have most of them. A node never changes, so a record of the file equals that of the store, and is checked like
//! it. Nodes that the file lacks, and all nodes after the first damage, are read from the store.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `PLavlNd1` |
//! | 16 | the identity of the store, its record `f` |
//! | 8 | an id above those of all nodes |
//! | 8 | the checksum of the 32 bytes before |
//!
//! Then come groups: the length of the rest as u32, nodes by descending ids, a checksum. A node is its id u64, the
//! length of its record u32, and the record. A checksum also covers the identity, the id above all nodes, and the
//! group's number. All integers are big-endian.

use std::fs::File;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use prooflight_core::store::sealed::{CHECKSUM_BYTES, seal, unseal};
use prooflight_core::{ByteReader, Error, Reason, Result};

use crate::params::{LABEL_LENGTH, Params};

const FILE_MAGIC: &[u8; 8] = b"PLavlNd1";

/// A group ends once it has this many bytes.
const GROUP_BYTES: usize = 1 << 16;

/// The largest size of a group's last node and checksum, in bytes.
fn max_group_tail_bytes(params: &Params) -> usize {
    let (key, value) = (params.key_length, params.value_length);
    // Of a leaf, and of an internal node.
    let leaf = value.unwrap_or(params.limits.max_value_bytes).saturating_add(1 + 2 * key);
    let record = leaf.max(2 + key + 2 * 8 + 2 * LABEL_LENGTH);
    record.saturating_add(8 + 4 + CHECKSUM_BYTES)
}

/// The store and revision of a file's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileOrigin {
    /// The identity of the store.
    pub(super) identity: [u8; 16],
    /// The first id that the revision did not have.
    pub(super) end: u64,
}

impl FileOrigin {
    fn encode(&self) -> Vec<u8> {
        [&FILE_MAGIC[..], &self.identity, &self.end.to_be_bytes()].concat()
    }

    /// The bytes that a group's checksum covers besides its nodes.
    fn group_context(&self, number: u64) -> Vec<u8> {
        [self.encode(), number.to_be_bytes().to_vec()].concat()
    }
}

/// A revision file opened for reading.
#[derive(Debug)]
pub(super) struct RevisionFile {
    file: File,
    origin: FileOrigin,
    /// The largest group, in bytes.
    max_group_bytes: usize,
    groups: u64,
    /// The nodes of the last group, and the number of their bytes already used.
    group: Vec<u8>,
    position: usize,
}

impl RevisionFile {
    /// Opens the file of this store; `None` if it is missing, damaged, of another store, or has ids from `next_id` on.
    pub(super) fn open(
        path: &Path,
        params: &Params,
        identity: &[u8; 16],
        next_id: u64,
    ) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let mut header = vec![0; FILE_MAGIC.len() + 16 + 8 + CHECKSUM_BYTES];
        file.read_exact(&mut header).ok()?;
        let header = unseal(&[], header)?;
        let origin =
            FileOrigin { identity: *identity, end: u64::from_be_bytes(*header.last_chunk()?) };
        if header != origin.encode() || origin.end > next_id {
            return None;
        }
        let most = max_group_tail_bytes(params).saturating_add(GROUP_BYTES - 1);
        Some(Self {
            file,
            origin,
            max_group_bytes: most,
            groups: 0,
            group: Vec::new(),
            position: 0,
        })
    }

    /// The id above those of all nodes.
    pub(super) const fn end(&self) -> u64 {
        self.origin.end
    }

    /// The record of a node, whose id is smaller than all before; `None` if the file does not have it.
    pub(super) fn take(&mut self, id: u64) -> Option<Vec<u8>> {
        if id >= self.origin.end {
            return None;
        }
        loop {
            while self.position < self.group.len() {
                let mut rest = ByteReader::new(&self.group[self.position..]);
                let found = u64::from_be_bytes(rest.array().ok()?);
                if found < id {
                    return None;
                }
                let length = u32::from_be_bytes(rest.array().ok()?);
                let record = rest.take(usize::try_from(length).ok()?).ok()?;
                self.position += 12 + record.len();
                if found == id {
                    return Some(record.to_vec());
                }
            }
            // After damage there is no next group.
            self.group = self.next_group().unwrap_or_default();
            self.position = 0;
            if self.group.is_empty() {
                self.origin.end = 0;
                return None;
            }
        }
    }

    fn next_group(&mut self) -> Option<Vec<u8>> {
        let mut length = [0; 4];
        self.file.read_exact(&mut length).ok()?;
        let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
        // A damaged length allocates no more than the largest group, or the rest of the file.
        if length > self.max_group_bytes {
            return None;
        }
        let mut group = Vec::new();
        let found = (&mut self.file).take(length as u64).read_to_end(&mut group).ok()?;
        if found != length {
            return None;
        }
        let group = unseal(&self.origin.group_context(self.groups), group)?;
        self.groups += 1;
        Some(group)
    }
}

/// A revision file opened for writing.
pub(super) struct RevisionFileWriter<'p> {
    /// The final path.
    path: &'p Path,
    new: PathBuf,
    file: BufWriter<File>,
    origin: FileOrigin,
    groups: u64,
    group: Vec<u8>,
}

impl Drop for RevisionFileWriter<'_> {
    /// Removes an incomplete file; after `finish`, no file has this name.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.new);
    }
}

impl<'p> RevisionFileWriter<'p> {
    /// Creates the file next to the one that it will replace.
    pub(super) fn begin(path: &'p Path, origin: FileOrigin) -> Result<Self> {
        let new = path.with_extension("new");
        let begin = || {
            let mut file = BufWriter::with_capacity(GROUP_BYTES, File::create(&new)?);
            file.write_all(&seal(&[], origin.encode()))?;
            Ok(file)
        };
        let file = begin().map_err(|error| failed(&new, &error))?;
        Ok(Self { path, new, file, origin, groups: 0, group: Vec::new() })
    }

    /// Adds a node, whose id is smaller than all before.
    pub(super) fn add(&mut self, id: u64, record: &[u8]) -> Result<()> {
        let length = u32::try_from(record.len())
            .map_err(|_| Error::new(Reason::Bug, "a node below 4 GiB", record.len()))?;
        self.group.extend_from_slice(&id.to_be_bytes());
        self.group.extend_from_slice(&length.to_be_bytes());
        self.group.extend_from_slice(record);
        if self.group.len() < GROUP_BYTES { Ok(()) } else { self.end_group() }
    }

    /// Replaces the file.
    ///
    /// The file is not synced: after a power loss, missing parts count as damage.
    pub(super) fn finish(mut self) -> Result<()> {
        self.end_group()?;
        let finished = self.file.flush().and_then(|()| fs::rename(&self.new, self.path));
        finished.map_err(|error| failed(self.path, &error))
    }

    fn end_group(&mut self) -> Result<()> {
        let group = std::mem::take(&mut self.group);
        if group.is_empty() {
            return Ok(());
        }
        let sealed = seal(&self.origin.group_context(self.groups), group);
        let length = u32::try_from(sealed.len())
            .map_err(|_| Error::new(Reason::Bug, "a group below 4 GiB", sealed.len()))?;
        let written = self.file.write_all(&length.to_be_bytes());
        written
            .and_then(|()| self.file.write_all(&sealed))
            .map_err(|error| failed(&self.new, &error))?;
        self.groups += 1;
        Ok(())
    }
}

#[cold]
fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("to write the file {}", path.display()), error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use std::io::Seek as _;

    use super::super::record::NodeRecord;
    use super::*;

    const ORIGIN: FileOrigin = FileOrigin { identity: [7; 16], end: 100 };

    /// A file whose first group has a node that leaves room for one byte, and then this node.
    fn with_last(folder: &Path, last: &[u8]) -> PathBuf {
        let path = folder.join("nodes");
        let mut file = RevisionFileWriter::begin(&path, ORIGIN).unwrap();
        file.add(9, &vec![1; GROUP_BYTES - 12 - 1]).unwrap();
        file.add(8, last).unwrap();
        file.finish().unwrap();
        path
    }

    #[test]
    fn the_largest_group_is_read_and_no_larger_one() {
        let folder = tempfile::tempdir().unwrap();
        for (key, value) in [(32, 300_000), (32, 0), (256, 0), (1, 100)] {
            let fixed = Params::new(key, Some(value));
            let mut variable = Params::new(key, None);
            variable.limits.max_value_bytes = value;
            let bytes = vec![2; key.max(value)];
            let (key, value) = (&bytes[..key], &bytes[..value]);
            let leaf = NodeRecord::Leaf { key, next_key: key, value }.encode();
            let (ids, labels) = ([1, 2], [[3; LABEL_LENGTH]; 2]);
            let internal = NodeRecord::Internal { balance: 0, separator: key, ids, labels };
            let largest = [leaf, internal.encode()].into_iter().max_by_key(Vec::len).unwrap();
            for params in [fixed, variable] {
                for more in [0, 1] {
                    let last = [&largest[..], &[4][..more]].concat();
                    let path = with_last(folder.path(), &last);
                    let mut file =
                        RevisionFile::open(&path, &params, &ORIGIN.identity, 100).unwrap();
                    let found = [9, 8].map(|id| file.take(id).is_some());
                    assert_eq!(found, [more == 0; 2], "{params:?}");
                    // Nothing of the larger group was read.
                    let read = if more == 0 { fs::metadata(&path).unwrap().len() } else { 44 };
                    assert_eq!(file.file.stream_position().unwrap(), read);
                }
            }
        }
    }
}

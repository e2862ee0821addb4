//! The header of a snapshot file: the blocks it covers, its root, and where its sections begin.

use prooflight_core::{ByteReader, Hash, Result};
use xxhash_rust::xxh3::xxh3_64;

use super::error::corrupt;
use super::link::{FileLink, MAX_BLOCKS_PER_FILE, MAX_FILE_BYTES, NO_ROOT, NodeLocation};
use crate::hash::{EMPTY_ROOT, MAX_HEIGHT};

pub(crate) const HEADER_BYTES: usize = 128;
/// Per block of the file: where its records end, and its root.
pub(crate) const BLOCK_ROW_BYTES: usize = 40;

const HEADER_MAGIC: &[u8; 8] = b"PLsmtSn1";

/// The header of a snapshot file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileHeader {
    /// The first block that the file covers.
    pub(crate) first: u64,
    /// The last block; the branches belong to its tree.
    pub(crate) last: u64,
    /// The root node, unless the tree is empty.
    pub(crate) root: Option<FileLink>,
    pub(crate) root_hash: Hash,
    /// Where the records end and the branches begin.
    pub(crate) branches_at: u64,
    /// The total size of the branch clusters.
    pub(crate) branch_bytes: u64,
    /// The XXH3 of everything after the header.
    pub(crate) body_checksum: u64,
    /// The header checksum of the previous file; 0 in the first one.
    pub(crate) previous: u64,
}

impl FileHeader {
    /// Encodes the header; returns the bytes and their checksum.
    pub(crate) fn encode(&self) -> ([u8; HEADER_BYTES], u64) {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(HEADER_MAGIC);
        bytes[8..16].copy_from_slice(&self.first.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.last.to_le_bytes());
        let root = self.root.map_or(NO_ROOT, FileLink::pack);
        bytes[24..32].copy_from_slice(&root.to_le_bytes());
        bytes[32..64].copy_from_slice(&self.root_hash);
        bytes[64..72].copy_from_slice(&self.branches_at.to_le_bytes());
        bytes[72..80].copy_from_slice(&self.branch_bytes.to_le_bytes());
        bytes[80..88].copy_from_slice(&self.body_checksum.to_le_bytes());
        bytes[88..96].copy_from_slice(&self.previous.to_le_bytes());
        let checksum = xxh3_64(&bytes[..CHECKED_BYTES]);
        bytes[CHECKED_BYTES..].copy_from_slice(&checksum.to_le_bytes());
        (bytes, checksum)
    }

    /// Decodes the header of the file with this name; returns it with its checksum.
    pub(crate) fn decode(file: &str, bytes: &[u8]) -> Result<(Self, u64)> {
        let wrong = |found: &str| corrupt(file, "a header", found);
        let mut reader = ByteReader::new(bytes);
        let mut next = || reader.array::<8>().map_err(|_| wrong("a cut off one"));
        if next()? != *HEADER_MAGIC {
            return Err(wrong("something else"));
        }
        let (first, last) = (u64::from_le_bytes(next()?), u64::from_le_bytes(next()?));
        let root = u64::from_le_bytes(next()?);
        let mut root_hash = [0; 32];
        for part in root_hash.chunks_exact_mut(8) {
            part.copy_from_slice(&next()?);
        }
        let (branches_at, branch_bytes) =
            (u64::from_le_bytes(next()?), u64::from_le_bytes(next()?));
        let (body_checksum, previous) = (u64::from_le_bytes(next()?), u64::from_le_bytes(next()?));
        let root = match root {
            NO_ROOT => None,
            word => Some(FileLink::unpack(word).ok_or_else(|| wrong("one without a root"))?),
        };
        let header = Self {
            first,
            last,
            root,
            root_hash,
            branches_at,
            branch_bytes,
            body_checksum,
            previous,
        };
        // Re-encoding checks the reserved bytes and the checksum.
        let (encoded, checksum) = header.encode();
        if bytes.get(..HEADER_BYTES) != Some(&encoded) || !header.is_possible() {
            return Err(wrong("one with other bytes"));
        }
        Ok((header, checksum))
    }

    /// The length of the whole file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.blocks_at() + (self.last - self.first + 1) * BLOCK_ROW_BYTES as u64
    }

    /// The position of the block rows.
    pub(crate) fn blocks_at(&self) -> u64 {
        self.branches_at + self.branch_bytes
    }

    /// Returns the records of a block and its root, given the bytes of the whole file.
    pub(crate) fn records_of<'f>(&self, file: &'f [u8], height: u64) -> Option<(&'f [u8], Hash)> {
        let row = |height: u64| {
            let at = self.blocks_at() + height.checked_sub(self.first)? * BLOCK_ROW_BYTES as u64;
            let (end, rest) = file.get(usize::try_from(at).ok()?..)?.split_first_chunk()?;
            let end = usize::try_from(u64::from_le_bytes(*end)).ok()?;
            Some((end, *rest.first_chunk::<32>()?))
        };
        let (end, root) = row(height)?;
        let start = if height == self.first { HEADER_BYTES } else { row(height - 1)?.0 };
        Some((file.get(start..end)?, root))
    }

    /// Returns the height of a node that a branch of this file, or the header, links to.
    pub(crate) fn height(&self, place: NodeLocation) -> Option<u64> {
        match place {
            NodeLocation::SameFile { age, .. } => {
                self.last.checked_sub(age).filter(|&at| at >= self.first)
            }
            NodeLocation::OtherFile { height } => {
                Some(height).filter(|&height| height < self.first)
            }
        }
    }

    fn is_possible(&self) -> bool {
        self.first <= self.last
            && self.last <= MAX_HEIGHT
            && self.last - self.first < MAX_BLOCKS_PER_FILE
            && self.branches_at >= HEADER_BYTES as u64
            && self.branches_at <= MAX_FILE_BYTES
            && self.branch_bytes <= MAX_FILE_BYTES
            && self.root.is_none() == (self.root_hash == EMPTY_ROOT)
    }
}

/// The part of the header before its checksum.
const CHECKED_BYTES: usize = HEADER_BYTES - 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::NodeKind;
    use prooflight_core::Reason;

    #[test]
    fn a_header_with_any_bit_flipped_is_refused() {
        let header = FileHeader {
            first: 4,
            last: 7,
            root: Some(FileLink {
                kind: NodeKind::Branch,
                place: NodeLocation::SameFile { age: 0, at: 3 },
            }),
            root_hash: [9; 32],
            branches_at: 1000,
            branch_bytes: 500,
            body_checksum: 77,
            previous: 3,
        };
        let (bytes, checksum) = header.encode();
        assert_eq!(FileHeader::decode("f", &bytes), Ok((header, checksum)));
        assert_eq!(header.file_bytes(), 1000 + 500 + 4 * 40);
        for bit in 0..HEADER_BYTES * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            let refused = FileHeader::decode("f", &flipped).unwrap_err();
            assert_eq!(refused.reason(), Reason::StoreCorrupt, "bit {bit}");
        }
        for cut in 0..HEADER_BYTES {
            FileHeader::decode("f", &bytes[..cut]).unwrap_err();
        }
    }
}

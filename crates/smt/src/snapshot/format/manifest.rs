//! The manifest: the blocks that the files of a folder cover.

use prooflight_core::{ByteReader, Result};
use xxhash_rust::xxh3::xxh3_64;

use super::error::corrupt;

pub(crate) const MANIFEST_NAME: &str = "manifest";
const MANIFEST_MAGIC: &[u8; 8] = b"PLsmtMf1";
const MANIFEST_BYTES: usize = 48;

/// Names the valid files: those of the groups from the oldest kept block to the newest block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Blocks per file. A group begins at a multiple of this number.
    pub(crate) blocks_per_file: u64,
    /// The oldest block that is kept.
    pub(crate) oldest: u64,
    /// The newest block, the last of its group.
    pub(crate) newest: u64,
    /// The checksum at the end of the newest file's header.
    pub(crate) newest_header: u64,
}

impl Manifest {
    /// Returns the last block of the group that contains a block.
    pub(crate) fn last_of_group(&self, height: u64) -> u64 {
        last_of_group(height, self.blocks_per_file)
    }

    pub(crate) fn encode(&self) -> [u8; MANIFEST_BYTES] {
        let mut bytes = [0; MANIFEST_BYTES];
        let fields = [self.blocks_per_file, self.oldest, self.newest, self.newest_header];
        bytes[..8].copy_from_slice(MANIFEST_MAGIC);
        for (part, field) in bytes[8..].chunks_exact_mut(8).zip(fields) {
            part.copy_from_slice(&field.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes[..MANIFEST_BYTES - 8]);
        bytes[MANIFEST_BYTES - 8..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let wrong = || corrupt(MANIFEST_NAME, "a manifest", "other bytes");
        let mut reader = ByteReader::new(bytes);
        let mut next = || reader.array().map(u64::from_le_bytes).map_err(|_| wrong());
        next()?;
        let manifest = Self {
            blocks_per_file: next()?,
            oldest: next()?,
            newest: next()?,
            newest_header: next()?,
        };
        let possible = manifest.blocks_per_file > 0 && manifest.oldest <= manifest.newest;
        if bytes != manifest.encode() || !possible {
            return Err(wrong());
        }
        Ok(manifest)
    }
}

/// Returns the last block of the group that contains a block.
pub(crate) const fn last_of_group(height: u64, blocks_per_file: u64) -> u64 {
    height - height % blocks_per_file + (blocks_per_file - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_with_any_bit_flipped_is_refused() {
        let manifest = Manifest { blocks_per_file: 4, oldest: 3, newest: 15, newest_header: 9 };
        let bytes = manifest.encode();
        assert_eq!(Manifest::decode(&bytes), Ok(manifest));
        for bit in 0..MANIFEST_BYTES * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            Manifest::decode(&flipped).unwrap_err();
        }
        for cut in 0..MANIFEST_BYTES {
            Manifest::decode(&bytes[..cut]).unwrap_err();
        }
        assert_eq!([0, 3, 4, 7].map(|height| manifest.last_of_group(height)), [3, 3, 7, 7]);
    }
}

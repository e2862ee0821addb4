//! The last acknowledged block, recorded outside the store.
//!
//! A store that finds the end of its log damaged treats it as an interrupted write and drops it.
//! That is right for a write that was never acknowledged, but wrong for a block that was served:
//! the node would sign another block at the same height. The anchor distinguishes the two cases.

use std::io::ErrorKind;
use std::path::PathBuf;

use prooflight_core::{Hash, Result, blake2b256};

use super::corrupt;
use crate::runtime::durable::{failed, replace};
use crate::runtime::files;

const ANCHOR_BYTES: usize = 8 + 32 + 32;

/// The file with the height and hash of the last acknowledged block.
#[derive(Debug)]
pub struct Anchor {
    path: PathBuf,
}

impl Anchor {
    /// Creates an anchor in this file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the height and hash written last, or `None` if nothing was written.
    ///
    /// `store_corrupt` if the file is damaged.
    pub fn read(&self) -> Result<Option<(u64, Hash)>> {
        let bytes = match files::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&self.path, &error)),
        };
        let damaged =
            || corrupt(format_args!("an anchor in {}", self.path.display()), "other bytes");
        let bytes: &[u8; ANCHOR_BYTES] = bytes.as_slice().try_into().map_err(|_| damaged())?;
        let (content, checksum) = bytes.split_at(ANCHOR_BYTES - 32);
        if blake2b256(&[content]) != checksum {
            return Err(damaged());
        }
        let (height, hash) = content.split_at(8);
        match (height.try_into(), hash.try_into()) {
            (Ok(height), Ok(hash)) => Ok(Some((u64::from_be_bytes(height), hash))),
            _ => Err(damaged()),
        }
    }

    /// Atomically replaces the height and hash. On success the new ones are on disk; an interrupted
    /// call leaves the old or the new ones.
    pub fn write(&self, height: u64, hash: &Hash) -> Result<()> {
        let content = [&height.to_be_bytes()[..], hash].concat();
        let bytes = [&content[..], &blake2b256(&[&content])].concat();
        replace(&self.path, &bytes)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use std::fs;

    use super::*;
    use prooflight_core::Reason;

    #[test]
    fn every_changed_bit_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchor");
        let anchor = Anchor::new(&path);
        assert_eq!(anchor.read(), Ok(None));
        anchor.write(6, &[1; 32]).unwrap();
        anchor.write(7, &[2; 32]).unwrap();
        assert_eq!(anchor.read(), Ok(Some((7, [2; 32]))));
        let bytes = fs::read(&path).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            assert_eq!(anchor.read().unwrap_err().reason(), Reason::StoreCorrupt);
        }
        fs::write(&path, &bytes[1..]).unwrap();
        assert_eq!(anchor.read().unwrap_err().reason(), Reason::StoreCorrupt);
    }
}

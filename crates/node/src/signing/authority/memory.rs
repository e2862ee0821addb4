//! The record of what an authority has signed. It is on disk before a signature leaves the authority.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use borsh::{BorshDeserialize, BorshSerialize};
use prooflight_core::chain::SignedHeader;
use prooflight_core::{Error, Hash, Hex, Reason, Result, blake2b256};

use crate::runtime::durable::{failed, make_durable, replace};
use crate::runtime::files;

/// The newest header that an authority has signed. It signs no other one of that height, and none below.
#[derive(Debug)]
pub struct SigningMemory {
    path: PathBuf,
    record: MemoryRecord,
}

/// The content of the file, in borsh. Its BLAKE2b-256 follows in the file.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
struct MemoryRecord {
    version: u8,
    chain: Hash,
    authority: [u8; 32],
    height: u64,
    /// The hash of the header that was signed at `height`; `None` if nothing was signed at that height or above.
    signed: Option<Hash>,
}

const RECORD_VERSION: u8 = 1;

impl SigningMemory {
    /// Begins the memory of a key that has signed nothing at `height` or above, as its operator confirms.
    ///
    /// A damaged file is kept as `PATH.damaged`; `invalid_argument` if there is a memory already.
    pub fn begin(path: &Path, chain: Hash, authority: [u8; 32], height: u64) -> Result<Self> {
        match read(path) {
            Ok(None) => {}
            Ok(Some(record)) => {
                let expected = format_args!("no memory in {}; it is complete", path.display());
                return Err(Error::new(Reason::InvalidArgument, expected, record.show()));
            }
            Err(error) if error.reason() == Reason::MemoryLost => {
                let damaged = path.with_extension("damaged");
                fs::rename(path, &damaged).map_err(|error| failed(path, &error))?;
            }
            Err(error) => return Err(error),
        }
        let record =
            MemoryRecord { version: RECORD_VERSION, chain, authority, height, signed: None };
        let memory = Self { path: path.to_owned(), record };
        memory.write(&memory.record)?;
        Ok(memory)
    }

    /// Opens the memory of a key on a chain; `memory_lost` if it is missing or damaged, `wrong_chain` or
    /// `invalid_argument` if it is that of another chain or key.
    ///
    /// The file is made durable, even if the process that wrote it was killed before that. So the same header can be
    /// signed again without another write.
    pub fn open(path: &Path, chain: Hash, authority: [u8; 32]) -> Result<Self> {
        let record = read(path)?.ok_or_else(|| lost(path, "none"))?;
        if record.chain != chain {
            return Err(Error::new(Reason::WrongChain, Hex(&chain), Hex(&record.chain)));
        }
        if record.authority != authority {
            let expected = format_args!("the key {}, as in the memory", Hex(&record.authority));
            return Err(Error::new(Reason::InvalidArgument, expected, Hex(&authority)));
        }
        make_durable(path)?;
        Ok(Self { path: path.to_owned(), record })
    }

    /// The height from which the key may sign. If it has signed at this height, it may sign only the same header there.
    pub const fn height(&self) -> u64 {
        self.record.height
    }

    /// The hash of the header that was signed at [`height`](Self::height).
    pub const fn signed(&self) -> Option<&Hash> {
        self.record.signed.as_ref()
    }

    /// Records that a header is signed, and returns once that is on disk.
    ///
    /// `already_signed` if another header of that height was signed, or one above it. After an error
    /// nothing may be signed.
    pub fn record_signed(&mut self, height: u64, hash: &Hash) -> Result<()> {
        let record = &self.record;
        let is_free =
            height > record.height || (height == record.height && record.signed.is_none());
        if !is_free {
            if height == record.height && record.signed.as_ref() == Some(hash) {
                return Ok(());
            }
            let found = format_args!("header {} of height {height}", Hex(hash));
            return Err(Error::new(Reason::AlreadySigned, record.show(), found));
        }
        let next = MemoryRecord { height, signed: Some(*hash), ..record.clone() };
        self.write(&next)?;
        self.record = next;
        Ok(())
    }

    /// Checks a published header with this key's signature against the memory; `memory_lost` if the header was signed
    /// after the recorded one, as when an older file was put back.
    pub fn check_published(&self, header: &SignedHeader, index: u16) -> Result<()> {
        if header.signatures.iter().all(|(signer, _)| *signer != index) {
            return Ok(());
        }
        let (height, hash) = (header.header.height, header.header.hash());
        let record = &self.record;
        if height < record.height || (height == record.height && record.signed == Some(hash)) {
            return Ok(());
        }
        let found = format_args!("{}, but this key has signed block {height}", record.show());
        Err(lost(&self.path, found))
    }

    fn write(&self, record: &MemoryRecord) -> Result<()> {
        let bytes = borsh::to_vec(record)
            .map_err(|error| Error::new(Reason::Bug, "a record that encodes", error))?;
        replace(&self.path, &[&bytes[..], &blake2b256(&[&bytes])].concat())
    }
}

impl MemoryRecord {
    fn show(&self) -> String {
        match &self.signed {
            Some(hash) => format!("header {} of height {}, or above", Hex(hash), self.height),
            None => format!("headers from height {} on", self.height),
        }
    }
}

fn read(path: &Path) -> Result<Option<MemoryRecord>> {
    let bytes = match files::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(path, &error)),
    };
    let record =
        bytes.split_last_chunk::<32>().filter(|(record, sum)| blake2b256(&[record]) == **sum);
    let record = record.and_then(|(record, _)| borsh::from_slice::<MemoryRecord>(record).ok());
    match record.filter(|record| record.version == RECORD_VERSION) {
        Some(record) => Ok(Some(record)),
        None => Err(lost(path, "other bytes")),
    }
}

#[cold]
fn lost(path: &Path, found: impl core::fmt::Display) -> Error {
    let expected = format_args!(
        "what this key has signed in {}; if you know a height from which it has signed nothing, move the \
         file away and confirm that with --sign-from HEIGHT",
        path.display()
    );
    Error::new(Reason::MemoryLost, expected, found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::runtime::durable::synced;
    use prooflight_core::chain::Header;

    const CHAIN: Hash = [1; 32];
    const KEY: [u8; 32] = [2; 32];

    fn reason<T: core::fmt::Debug>(result: Result<T>) -> Reason {
        result.unwrap_err().reason()
    }

    #[test]
    fn one_header_of_a_height_is_signed_and_none_below() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signed");
        assert_eq!(reason(SigningMemory::open(&path, CHAIN, KEY)), Reason::MemoryLost);
        let mut memory = SigningMemory::begin(&path, CHAIN, KEY, 5).unwrap();
        assert_eq!(reason(memory.record_signed(4, &[4; 32])), Reason::AlreadySigned);
        memory.record_signed(5, &[5; 32]).unwrap();
        for _ in 0..2 {
            // The same after a restart.
            assert_eq!(memory.record_signed(5, &[5; 32]), Ok(()));
            assert_eq!(reason(memory.record_signed(5, &[6; 32])), Reason::AlreadySigned);
            assert_eq!(reason(memory.record_signed(4, &[5; 32])), Reason::AlreadySigned);
            memory = SigningMemory::open(&path, CHAIN, KEY).unwrap();
        }
        memory.record_signed(9, &[9; 32]).unwrap();
        assert_eq!((memory.height(), memory.signed()), (9, Some(&[9; 32])));
        assert_eq!(reason(SigningMemory::open(&path, [0; 32], KEY)), Reason::WrongChain);
        assert_eq!(reason(SigningMemory::open(&path, CHAIN, [0; 32])), Reason::InvalidArgument);
        assert_eq!(reason(SigningMemory::begin(&path, CHAIN, KEY, 10)), Reason::InvalidArgument);
    }

    #[test]
    fn what_a_killed_process_wrote_is_on_disk_before_it_is_signed_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signed");
        let mut memory = SigningMemory::begin(&path, CHAIN, KEY, 5).unwrap();
        synced();
        memory.record_signed(5, &[5; 32]).unwrap();
        assert_eq!(synced(), [folder.path()]);
        // Killed after the file got its name and before that name was on disk: the file can be read.
        let mut memory = SigningMemory::open(&path, CHAIN, KEY).unwrap();
        assert_eq!(memory.record_signed(5, &[5; 32]), Ok(()));
        assert_eq!(synced(), [&path, folder.path()]);
    }

    #[test]
    fn every_changed_bit_and_every_cut_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signed");
        SigningMemory::begin(&path, CHAIN, KEY, 0).unwrap().record_signed(7, &[7; 32]).unwrap();
        let bytes = fs::read(&path).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            assert_eq!(reason(SigningMemory::open(&path, CHAIN, KEY)), Reason::MemoryLost);
        }
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            assert_eq!(reason(SigningMemory::open(&path, CHAIN, KEY)), Reason::MemoryLost);
        }
        // The operator confirms a height; the damaged file stays.
        let memory = SigningMemory::begin(&path, CHAIN, KEY, 8).unwrap();
        assert_eq!((memory.height(), memory.signed()), (8, None));
        assert_eq!(fs::read(path.with_extension("damaged")).unwrap().len(), bytes.len() - 1);
    }

    #[test]
    fn a_memory_that_was_put_back_is_found_by_a_published_signature() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signed");
        let header = |height: u64| Header {
            version: 1,
            chain: CHAIN,
            height,
            parent: [1; 32],
            timestamp_ms: 1,
            ops_root: [1; 32],
            history_root: [1; 32],
            roots: vec![],
        };
        let published = |height, signer| SignedHeader {
            header: header(height),
            signatures: vec![(0, [0; 64]), (signer, [0; 64])],
        };
        let mut memory = SigningMemory::begin(&path, CHAIN, KEY, 0).unwrap();
        memory.record_signed(7, &header(7).hash()).unwrap();
        for height in [0, 6, 7] {
            assert_eq!(memory.check_published(&published(height, 2), 2), Ok(()));
        }
        assert_eq!(memory.check_published(&published(8, 1), 2), Ok(()));
        assert_eq!(reason(memory.check_published(&published(8, 2), 2)), Reason::MemoryLost);
        let mut other = published(7, 2);
        other.header.timestamp_ms = 2;
        assert_eq!(reason(memory.check_published(&other, 2)), Reason::MemoryLost);
    }
}

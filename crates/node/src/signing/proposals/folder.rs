//! Proposals in a folder of the leader: `proposed/HEIGHT/ATTEMPT`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use prooflight_core::{Error, Hash, Result, blake2b256};

use crate::chain::proposal::{AttemptId, ProposalStore};
use crate::chain::store::corrupt;
use crate::runtime::durable::{failed, make_durable, replace, sync};
use crate::runtime::files;

/// The proposals in the folder of a chain, which only its node writes. Each file ends with a checksum.
#[derive(Clone, Debug)]
pub struct ProposalFolder(PathBuf);

impl ProposalFolder {
    /// The proposals of the chain in a folder.
    pub fn of(chain: &Path) -> Self {
        Self(chain.join("proposed"))
    }

    fn height(&self, height: u64) -> PathBuf {
        self.0.join(format!("{height:016}"))
    }

    fn path(&self, attempt: AttemptId) -> PathBuf {
        self.height(attempt.height).join(format!("{:04}", attempt.number))
    }

    /// Makes the names of the folders durable.
    fn sync_folders(&self) -> std::io::Result<()> {
        sync(&self.0)?;
        self.0.parent().map_or(Ok(()), sync)
    }
}

impl ProposalStore for ProposalFolder {
    fn create(&self, attempt: AttemptId, proposal: &[u8]) -> Result<Vec<u8>> {
        if let Some(stored) = self.read(attempt)? {
            return Ok(stored);
        }
        let folder = self.height(attempt.height);
        let made = fs::create_dir_all(&folder).and_then(|()| self.sync_folders());
        made.map_err(|error| failed(&folder, &error))?;
        replace(&self.path(attempt), &[proposal, &checksum(attempt, proposal)].concat())?;
        Ok(proposal.to_vec())
    }

    fn read(&self, attempt: AttemptId) -> Result<Option<Vec<u8>>> {
        let path = self.path(attempt);
        match files::read(&path) {
            Ok(bytes) => match bytes.split_last_chunk::<32>() {
                Some((proposal, sum)) if checksum(attempt, proposal) == *sum => {
                    // A killed process may have left the proposal only in the system's page cache.
                    make_durable(&path)?;
                    self.sync_folders().map_err(|error| failed(&self.0, &error))?;
                    Ok(Some(proposal.to_vec()))
                }
                _ => Err(damaged(&path)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&path, &error)),
        }
    }

    fn published(&self, height: u64) -> Result<()> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(&self.0, &error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| failed(&self.0, &error))?;
            let of_height = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
            if of_height.is_some_and(|of_height| of_height <= height) {
                let path = entry.path();
                fs::remove_dir_all(&path).map_err(|error| failed(&path, &error))?;
            }
        }
        Ok(())
    }
}

fn checksum(AttemptId { height, number }: AttemptId, proposal: &[u8]) -> Hash {
    blake2b256(&[&height.to_be_bytes(), &number.to_be_bytes(), proposal])
}

/// The error of a damaged proposal. Authorities may have signed the proposal, so no other block may replace it.
#[cold]
fn damaged(path: &Path) -> Error {
    let expected = format_args!(
        "the proposal in {}, which authorities may have signed: restore it",
        path.display()
    );
    corrupt(expected, "other bytes")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::runtime::durable::synced;
    use prooflight_core::Reason;

    #[test]
    fn a_stored_proposal_is_on_disk_before_it_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let proposals = ProposalFolder::of(folder.path());
        let first = AttemptId { height: 7, number: 0 };
        proposals.create(first, b"one").unwrap();
        let all = folder.path().join("proposed");
        let height = all.join("0000000000000007");
        let durable = [&height.join("0000"), &height, &all, folder.path()];
        synced();
        proposals.read(first).unwrap();
        assert_eq!(synced(), durable);
        proposals.create(first, b"two").unwrap();
        assert_eq!(synced(), durable);
    }

    #[test]
    fn a_proposal_is_created_once_and_damage_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let proposals = ProposalFolder::of(folder.path());
        let at = |height, number| AttemptId { height, number };
        proposals.published(3).unwrap();
        assert_eq!(proposals.read(at(7, 0)), Ok(None));
        assert_eq!(proposals.create(at(7, 0), b"one"), Ok(b"one".to_vec()));
        assert_eq!(proposals.create(at(7, 0), b"two"), Ok(b"one".to_vec()));
        assert_eq!(proposals.create(at(7, 1), b"two"), Ok(b"two".to_vec()));
        let path = folder.path().join("proposed/0000000000000007/0000");
        let bytes = fs::read(&path).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, changed).unwrap();
            assert_eq!(proposals.read(at(7, 0)).unwrap_err().reason(), Reason::StoreCorrupt);
            let refused = proposals.create(at(7, 0), b"three").unwrap_err();
            assert_eq!(refused.reason(), Reason::StoreCorrupt);
        }
        // The proposal of another attempt.
        fs::copy(folder.path().join("proposed/0000000000000007/0001"), &path).unwrap();
        assert_eq!(proposals.read(at(7, 0)).unwrap_err().reason(), Reason::StoreCorrupt);
        proposals.published(6).unwrap();
        assert_eq!(proposals.read(at(7, 1)), Ok(Some(b"two".to_vec())));
        proposals.published(7).unwrap();
        assert_eq!(proposals.read(at(7, 1)), Ok(None));
    }
}

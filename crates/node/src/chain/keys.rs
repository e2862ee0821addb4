//! The keys that sign headers.

use std::fs;
use std::io::Write;
use std::path::Path;

use ed25519_dalek::{Signer, SigningKey};
use prooflight_core::chain::{ChainConfig, Header, SignedHeader, StateOperation};
use prooflight_core::{Error, Hex, Reason, Result};

use crate::runtime::files::{self, create_private};
use crate::{Chain, View};

/// The authority keys that this node holds, with their indices in the chain's configuration.
#[derive(Debug)]
pub struct Signers(Vec<(u16, SigningKey)>);

impl Signers {
    /// Finds the index of each key; `invalid_config` if a key is not an authority's, if there are fewer
    /// than the quorum, or if the quorum is no majority.
    pub fn new(config: &ChainConfig, keys: Vec<SigningKey>) -> Result<Self> {
        let signers = Self::with_any_keys(config, keys)?;
        if signers.are_quorum(config) {
            return Ok(signers);
        }
        let expected = format_args!("the keys of {} authorities", config.quorum);
        Err(Error::new(Reason::InvalidConfig, expected, signers.count()))
    }

    /// Like [`new`](Self::new), with any number of keys; remote authorities have the others.
    pub fn with_any_keys(config: &ChainConfig, keys: Vec<SigningKey>) -> Result<Self> {
        check_majority(config)?;
        let mut signers = Vec::with_capacity(keys.len());
        for key in keys {
            signers.push((index_of(config, &key)?, key));
        }
        signers.sort_by_key(|&(index, _)| index);
        signers.dedup_by_key(|&mut (index, _)| index);
        Ok(Self(signers))
    }

    /// The number of keys.
    pub const fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether the keys are enough to sign a header.
    pub fn are_quorum(&self, config: &ChainConfig) -> bool {
        self.count() >= usize::from(config.quorum)
    }

    /// The indices of the keys in the chain's configuration, ascending.
    pub fn indices(&self) -> impl Iterator<Item = u16> {
        self.0.iter().map(|(index, _)| *index)
    }

    /// Makes the next block of a chain, signed with these keys, and stores it. Errors are those of
    /// [`Chain::execute`] and [`Chain::commit`].
    pub fn make(
        &self,
        chain: &mut Chain,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
    ) -> Result<View> {
        let executed = chain.execute(operations, now_ms)?;
        let signed = self.sign(executed.header().clone());
        chain.commit(executed, signed)
    }

    /// Signs a header with every key.
    pub fn sign(&self, header: Header) -> SignedHeader {
        let hash = header.hash();
        let signatures =
            self.0.iter().map(|(index, key)| (*index, key.sign(&hash).to_bytes())).collect();
        SignedHeader { header, signatures }
    }
}

/// The index of a key in the chain's configuration; `invalid_config` if it is not an authority's.
pub(crate) fn index_of(config: &ChainConfig, key: &SigningKey) -> Result<u16> {
    let public = key.verifying_key().to_bytes();
    let index = config.authorities.iter().position(|authority| *authority == public);
    index.and_then(|index| u16::try_from(index).ok()).ok_or_else(|| {
        Error::new(Reason::InvalidConfig, "a key of the chain's authorities", Hex(&public))
    })
}

/// Checks that two quorums always share an authority, so that two blocks of one height are signed only
/// if an authority signs both; otherwise `invalid_config`.
pub fn check_majority(config: &ChainConfig) -> Result<()> {
    let count = config.authorities.len();
    if 2 * usize::from(config.quorum) > count {
        return Ok(());
    }
    let expected = format_args!("a quorum of more than half of the {count} authorities");
    Err(Error::new(Reason::InvalidConfig, expected, config.quorum))
}

/// Makes a new key from the system's randomness.
pub fn generate_key() -> Result<SigningKey> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| Error::new(Reason::Bug, "randomness of the system", error))?;
    Ok(SigningKey::from_bytes(&secret))
}

/// Writes a key's secret as hexadecimal into a new file that only its owner can read.
///
/// `invalid_argument` if the file exists already.
pub fn write_key(path: &Path, key: &SigningKey) -> Result<()> {
    create_private(path)
        .and_then(|mut file| {
            let secret = key.to_bytes();
            secret.iter().try_for_each(|byte| write!(file, "{byte:02x}"))?;
            file.write_all(b"\n")?;
            file.sync_all()
        })
        .map_err(|error| Error::new(Reason::InvalidArgument, new_file(path), error))
}

/// Reads a key; `invalid_argument` if the file has no key, or users other than its owner can read it.
pub fn read_key(path: &Path) -> Result<SigningKey> {
    let wrong = |found: &dyn core::fmt::Display| {
        let expected = format_args!("a key of 64 hexadecimal digits in {}", path.display());
        Error::new(Reason::InvalidArgument, expected, found)
    };
    check_private(path)?;
    let text = files::read_to_string(path).map_err(|error| wrong(&error))?;
    // The content is not shown: it may be most of a key.
    let bytes: Option<Vec<u8>> = text
        .trim_end()
        .as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(hex_digit(*high)? << 4 | hex_digit(*low)?),
            _ => None,
        })
        .collect();
    let secret = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    secret.map(|secret| SigningKey::from_bytes(&secret)).ok_or_else(|| wrong(&"something else"))
}

fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn new_file(path: &Path) -> String {
    format!("a new file {}", path.display())
}

#[cfg(unix)]
fn check_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)
        .map_err(|error| {
            Error::new(Reason::InvalidArgument, format_args!("a file {}", path.display()), error)
        })?
        .permissions()
        .mode();
    let for_others = mode & 0o077;
    if for_others == 0 {
        return Ok(());
    }
    Err(Error::new(
        Reason::InvalidArgument,
        format_args!("{} readable only by its owner (mode 600)", path.display()),
        format_args!("mode {:o}", mode & 0o777),
    ))
}

#[cfg(not(unix))]
fn check_private(_path: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written_and_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let key = generate_key().unwrap();
        write_key(&path, &key).unwrap();
        assert_eq!(read_key(&path).unwrap().to_bytes(), key.to_bytes());
        assert!(write_key(&path, &generate_key().unwrap()).is_err());
        assert_eq!(read_key(&path).unwrap().to_bytes(), key.to_bytes());
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        write_key(&path, &generate_key().unwrap()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(read_key(&path).unwrap_err().found().contains("640"));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_key_is_refused_without_showing_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for text in ["", "00", "zz", &"0".repeat(63), &"é".repeat(32), &"+1".repeat(32)] {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            let refused = read_key(&path).unwrap_err();
            assert_eq!(
                (refused.reason(), refused.found()),
                (Reason::InvalidArgument, "something else")
            );
        }
    }
}

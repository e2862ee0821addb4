//! A folder for a store on disk.

use std::path::{Path, PathBuf};

use prooflight_embedded::EmbeddedStore;

/// An empty folder for a store, which is removed when it is dropped.
#[derive(Debug)]
pub struct StoreFolder(PathBuf);

impl StoreFolder {
    /// An empty folder of this name.
    pub fn new(within: &Path, name: &str) -> Self {
        let folder = within.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        assert!(folder.read_dir().unwrap().next().is_none(), "{} is in use", folder.display());
        Self(folder)
    }

    /// A store in the folder, which keeps keys with these prefixes apart.
    pub fn store(&self, prefixes: &[&[u8]]) -> EmbeddedStore {
        EmbeddedStore::open_divided(&self.0, prefixes).unwrap()
    }

    /// Megabytes of its files.
    pub fn megabytes(&self) -> u64 {
        fn bytes(folder: &Path) -> u64 {
            let entries = folder.read_dir().unwrap().map(Result::unwrap);
            let sizes = entries.map(|entry| {
                // A file that the store has just replaced is not counted.
                let Ok(metadata) = entry.metadata() else { return 0 };
                if metadata.is_dir() { bytes(&entry.path()) } else { metadata.len() }
            });
            sizes.sum()
        }
        bytes(&self.0) / 1_000_000
    }
}

impl Drop for StoreFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

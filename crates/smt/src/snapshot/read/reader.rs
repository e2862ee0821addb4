//! Proves any kept block from files that another process may be writing.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use std::sync::{PoisonError, RwLock};

use prooflight_core::{Error, Hash, Limits, Reason, Result};

use super::nodes::NodeReader;
use super::prove::{diff, sorted_hashes, write_keys};
use super::read_ahead;
use crate::hash::MAX_HEIGHT;
use crate::proof::{HISTORY_ENVELOPE, PROOF_ENVELOPE, ProofWriter};
use crate::snapshot::files::check::check;
use crate::snapshot::files::{FileDamage, SnapshotFiles};
use crate::snapshot::format::manifest::{MANIFEST_NAME, Manifest, last_of_group};
use crate::snapshot::format::{NodeRef, corrupt, missing};
use crate::snapshot::remote::{MAX_THREADS, parallel_map};

/// Proves from snapshot files. Keeps no tree, only a cache of recently used parts of the files.
///
/// Every node read is hashed and checked against its parent, up to the root in the block's file.
/// Damage is reported as `store_corrupt` with the file's name and never becomes part of a proof.
/// The writer may continue meanwhile, in this process or another; the reader reloads the manifest
/// when asked for a block that it does not know yet. Calls block the thread; see [`SnapshotFiles`].
#[derive(Debug)]
pub struct SnapshotReader {
    nodes: NodeReader,
    /// The cached nodes alone, if the files are remote and reading them is slow.
    cached: Option<NodeReader>,
    manifest: RwLock<Manifest>,
    limits: Limits,
}

/// A proof, and the root that it verifies against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotProof {
    /// The root of the block.
    pub root: Hash,
    /// The proof, as input to `verify` or `verify_diff`.
    pub proof: Vec<u8>,
}

/// A history proof, and the roots that it verifies against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryProof {
    /// The blocks whose roots the proof needs, newest first, with these roots.
    pub roots: Vec<(u64, Hash)>,
    /// The proof, as input to `verify_history`.
    pub proof: Vec<u8>,
}

/// The blocks that can be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBlocks {
    /// The oldest block that is kept.
    pub oldest: u64,
    /// The newest block.
    pub newest: u64,
    /// Number of blocks per file. Only the last block of each file can be proved, that is, blocks
    /// whose number plus one is a multiple of this.
    pub blocks_per_file: u64,
}

impl SnapshotReader {
    /// Opens files that a writer has created; `cache_bytes` is the approximate size of the cache in
    /// memory.
    ///
    /// `version_unavailable` if there is no snapshot yet, `store_corrupt` if the manifest is damaged.
    pub fn open(files: SnapshotFiles, cache_bytes: u64) -> Result<Self> {
        let Some(manifest) = files.manifest()? else {
            return Err(Error::new(Reason::VersionUnavailable, "a snapshot", "none yet"));
        };
        let nodes = NodeReader::new(files, manifest.blocks_per_file, cache_bytes);
        let cached = nodes.files().as_remote().is_some().then(|| nodes.cached());
        Ok(Self { nodes, cached, manifest: RwLock::new(manifest), limits: Limits::DEFAULT })
    }

    /// Limits the size of proofs; the default limits are those of the specification.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Reloads the manifest; returns the blocks that can be proved now.
    pub fn refresh(&self) -> Result<KeptBlocks> {
        let files = self.nodes.files();
        let manifest = files.newer_manifest(Some(self.manifest()))?;
        let manifest = manifest.ok_or_else(|| missing(MANIFEST_NAME))?;
        if manifest.blocks_per_file != self.manifest().blocks_per_file {
            let expected = format_args!("{} blocks in a file", self.manifest().blocks_per_file);
            return Err(corrupt(MANIFEST_NAME, expected, manifest.blocks_per_file));
        }
        let mut known = self.manifest.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have found more meanwhile.
        if files.as_remote().is_none() || manifest.newest > known.newest {
            *known = manifest;
        }
        drop(known);
        Ok(self.kept_blocks())
    }

    /// Returns the blocks that can be proved, according to the manifest as last read.
    pub fn kept_blocks(&self) -> KeptBlocks {
        let Manifest { blocks_per_file, oldest, newest, .. } = self.manifest();
        KeptBlocks { oldest, newest, blocks_per_file }
    }

    /// The root of a block. `version_unavailable` as in [`prove`](Self::prove).
    pub fn root(&self, height: u64) -> Result<Hash> {
        self.with_root(&self.nodes, height, |(root, _)| Ok(root))
    }

    /// Proves the state of keys at a block: their values, that they are deleted, or that they were
    /// never written.
    ///
    /// `version_unavailable` if the block is not kept or is not the last one of its file; the error
    /// names the nearest blocks that can be proved. `too_many_keys` or `proof_too_large` beyond the
    /// limits, `invalid_argument` without keys.
    pub fn prove(&self, height: u64, keys: &[&[u8]]) -> Result<SnapshotProof> {
        if keys.is_empty() {
            return Err(Error::new(Reason::InvalidArgument, "at least one key", 0));
        }
        self.limits.check_keys(keys.len())?;
        let hashes = sorted_hashes(keys);
        self.cached_first(|nodes, cached| {
            self.with_root(nodes, height, |(root, node)| {
                if let (Some(root), Some(cached), true) = (node, cached, hashes.len() > 1) {
                    read_ahead::keys(nodes, cached, root, &hashes);
                }
                let mut writer = ProofWriter::new(PROOF_ENVELOPE);
                write_keys(nodes, height, node, &hashes, &mut writer)?;
                self.limits.check_proof(writer.length())?;
                Ok(SnapshotProof { root, proof: writer.finish() })
            })
        })
    }

    /// Proves every change of a key in the blocks `from..=to`, and its state before them.
    ///
    /// `invalid_argument` if `from` is after `to`; `version_unavailable` if the block before one of
    /// the changes cannot be proved; `too_many_changes` or `proof_too_large` beyond the limits.
    pub fn history(&self, key: &[u8], from: u64, to: u64) -> Result<HistoryProof> {
        if from > to {
            let expected = format_args!("a range that begins at {to} or earlier");
            return Err(Error::new(Reason::InvalidArgument, expected, from));
        }
        let hashes = sorted_hashes(&[key]);
        self.cached_first(|nodes, cached| {
            self.history_from(nodes, cached.is_some(), &hashes, from, to)
        })
    }

    /// The history of the key with this hash, from these nodes. With `ahead`, the trees after the first are read in
    /// advance on several threads.
    fn history_from(
        &self,
        nodes: &NodeReader,
        ahead: bool,
        hashes: &[Hash],
        from: u64,
        to: u64,
    ) -> Result<HistoryProof> {
        let (mut writer, mut roots) = (ProofWriter::new(HISTORY_ENVELOPE), Vec::new());
        let mut height = to;
        loop {
            let (root, changed) = self.with_root(nodes, height, |(root, node)| {
                Ok((root, write_keys(nodes, height, node, hashes, &mut writer)?))
            })?;
            self.limits.check_proof(writer.length())?;
            roots.push((height, root));
            if let (1, Some(changed), true) = (roots.len(), changed, ahead) {
                self.read_history_ahead(hashes, from, changed);
            }
            match changed {
                Some(changed) if changed > from => height = changed - 1,
                _ => return Ok(HistoryProof { roots, proof: writer.finish() }),
            }
            // Each tree so far shows one change.
            self.limits.check_changes(roots.len())?;
        }
    }

    /// Proves which keys changed after block `after` (`None`: in any block) up to `to`.
    ///
    /// Verifies against the root of `to` alone: `after` need not be kept. `invalid_argument` if
    /// `after` is not before `to`; `version_unavailable` as in [`prove`](Self::prove);
    /// `proof_too_large` beyond the limit.
    pub fn diff(&self, after: Option<u64>, to: u64) -> Result<SnapshotProof> {
        if after.is_some_and(|after| after >= to) {
            let expected = format_args!("a block before {to}");
            return Err(Error::new(Reason::InvalidArgument, expected, after.unwrap_or_default()));
        }
        self.cached_first(|nodes, cached| {
            self.with_root(nodes, to, |(root, node)| {
                if let (Some(root), Some(cached)) = (node, cached) {
                    read_ahead::changes(nodes, cached, root, after);
                }
                Ok(SnapshotProof { root, proof: diff(nodes, after, to, node, &self.limits)? })
            })
        })
    }

    /// Makes an answer. For remote files, it first tries the cache alone. If nodes are missing there, `make` also gets
    /// the cached nodes, and reads the others ahead on several threads.
    fn cached_first<T>(
        &self,
        make: impl Fn(&NodeReader, Option<&NodeReader>) -> Result<T>,
    ) -> Result<T> {
        let Some(cached) = &self.cached else { return make(&self.nodes, None) };
        match make(cached, None) {
            // Not cached, or damaged in the cache, which dropped it.
            Err(error) if matches!(error.reason(), Reason::StoreFailed | Reason::StoreCorrupt) => {
                make(&self.nodes, Some(cached))
            }
            answer => answer,
        }
    }

    /// Reads the trees of a key's changes in `from..changed` on several threads. Each thread takes a part of the range,
    /// and follows the changes backwards through it.
    fn read_history_ahead(&self, hashes: &[Hash], from: u64, changed: u64) {
        let Some(length) = changed.checked_sub(from).filter(|length| *length > 0) else { return };
        let threads = length.min(MAX_THREADS as u64);
        let at =
            |number: u64| from + length / threads * number + length % threads * number / threads;
        let parts: Vec<(u64, u64)> =
            (0..threads).map(|number| (at(number), at(number + 1) - 1)).collect();
        parallel_map(&parts, |&(from, to)| {
            let mut height = last_of_group(to, self.manifest().blocks_per_file).min(changed - 1);
            for _ in 0..self.limits.max_changes {
                let changed = self.with_root(&self.nodes, height, |(_, node)| {
                    write_keys(
                        &self.nodes,
                        height,
                        node,
                        hashes,
                        &mut ProofWriter::new(HISTORY_ENVELOPE),
                    )
                });
                match changed {
                    Ok(Some(changed)) if changed > from => height = changed - 1,
                    _ => break,
                }
            }
        });
    }

    pub(super) fn files(&self) -> &SnapshotFiles {
        self.nodes.files()
    }

    /// Reads every file of the kept blocks and returns the damaged ones: missing, truncated or
    /// changed.
    pub fn check(&self) -> Result<Vec<FileDamage>> {
        self.refresh()?;
        check(self.nodes.files(), &self.manifest())
    }

    /// Runs `work` on a block's root. If that fails and the block is no longer kept, reports that
    /// instead.
    fn with_root<T>(
        &self,
        nodes: &NodeReader,
        height: u64,
        work: impl FnOnce((Hash, Option<NodeRef>)) -> Result<T>,
    ) -> Result<T> {
        if self.manifest().newest < height {
            self.refresh()?;
        }
        check_kept(&self.manifest(), height)?;
        nodes.root(height).and_then(work).map_err(|error| {
            // Files that are only read are never removed.
            if self.cached.is_some() {
                return error;
            }
            // The writer may just have removed the file.
            let still_kept = self.refresh().and_then(|_| check_kept(&self.manifest(), height));
            match (error.reason(), still_kept) {
                (Reason::StoreCorrupt, Err(unavailable)) => unavailable,
                _ => error,
            }
        })
    }

    fn manifest(&self) -> Manifest {
        *self.manifest.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns `version_unavailable` if a block cannot be proved.
fn check_kept(manifest: &Manifest, height: u64) -> Result<()> {
    let Manifest { blocks_per_file, oldest, newest, .. } = *manifest;
    let unavailable = |expected: &dyn fmt::Display| {
        Err(Error::new(Reason::VersionUnavailable, expected, format_args!("block {height}")))
    };
    if height < oldest || height > newest || height > MAX_HEIGHT {
        return unavailable(&format_args!("one of the kept blocks {oldest} to {newest}"));
    }
    let after = manifest.last_of_group(height);
    if after == height {
        return Ok(());
    }
    let before = (height / blocks_per_file * blocks_per_file).checked_sub(1);
    let before = before.filter(|&before| before >= oldest);
    let nearest: String = match before {
        Some(before) => alloc::format!("{before} or {after}"),
        None => alloc::format!("{after}"),
    };
    unavailable(&format_args!(
        "the last block of a file, each of which has {blocks_per_file} blocks; the nearest is {nearest}"
    ))
}

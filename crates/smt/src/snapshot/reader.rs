//! Proofs at any kept block, from files that another process may be writing.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use std::sync::{PoisonError, RwLock};

use prooflight_core::{Error, Hash, Limits, Reason, Result};

use super::check::{Damage, check};
use super::files::{Files, missing};
use super::manifest::{MANIFEST, Manifest};
use super::nodes::{NodeRef, Nodes};
use super::prove::{diff, sorted_hashes, write_keys};
use crate::hash::MAX_VERSION;
use crate::proof::{HISTORY, PROOF, Writer};

/// Proves from snapshot files; keeps no tree, only the parts of files that it used last.
///
/// Every node that it reads is hashed and compared with what its parent commits to, up to the root that
/// the block's file has: what was damaged is `store_corrupt` and names the file, and never part of a proof. The
/// writer may go on meanwhile, in this process or another one; a block that the reader does not
/// know yet makes it read the manifest again. Calls block; see [`Files`].
#[derive(Debug)]
pub struct SnapshotReader {
    nodes: Nodes,
    manifest: RwLock<Manifest>,
    limits: Limits,
}

/// A proof, and the root that it is against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The root of the block.
    pub root: Hash,
    /// What `verify`, or `verify_diff`, takes.
    pub proof: Vec<u8>,
}

/// A history with the roots that it is against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedHistory {
    /// The blocks whose roots it needs, newest first, with these roots.
    pub roots: Vec<(u64, Hash)>,
    /// What `verify_history` takes.
    pub proof: Vec<u8>,
}

/// Which blocks can be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBlocks {
    /// The oldest block that is kept.
    pub oldest: u64,
    /// The newest block.
    pub newest: u64,
    /// How many blocks share a file. Only the last block of each file can be proved: those
    /// whose number plus one is a multiple of this.
    pub blocks_per_file: u64,
}

impl SnapshotReader {
    /// Opens the files that a writer has begun; `cache_bytes` is about what it keeps of them in memory.
    ///
    /// `version_unavailable` if there is no snapshot yet, `store_corrupt` if the manifest is damaged.
    pub fn open(files: Files, cache_bytes: u64) -> Result<Self> {
        let Some(manifest) = Manifest::read(&files)? else {
            return Err(Error::new(Reason::VersionUnavailable, "a snapshot", "none yet"));
        };
        let nodes = Nodes::new(files, manifest.blocks_per_file, cache_bytes);
        Ok(Self { nodes, manifest: RwLock::new(manifest), limits: Limits::DEFAULT })
    }

    /// Makes no larger proofs than these limits allow; by default those of the specification.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Reads the manifest again; gives the blocks that can be proved now.
    pub fn refresh(&self) -> Result<KeptBlocks> {
        let files = self.nodes.files();
        let manifest = Manifest::read(files)?.ok_or_else(|| missing(MANIFEST))?;
        if manifest.blocks_per_file != self.manifest().blocks_per_file {
            let expected = format_args!("{} blocks in a file", self.manifest().blocks_per_file);
            return Err(super::corrupt(MANIFEST, expected, manifest.blocks_per_file));
        }
        *self.manifest.write().unwrap_or_else(PoisonError::into_inner) = manifest;
        Ok(self.kept())
    }

    /// The blocks that can be proved, as the manifest said when it was read last.
    pub fn kept(&self) -> KeptBlocks {
        let Manifest { blocks_per_file, oldest, newest, .. } = self.manifest();
        KeptBlocks { oldest, newest, blocks_per_file }
    }

    /// The root of a block. `version_unavailable` as in [`prove`](Self::prove).
    pub fn root(&self, block: u64) -> Result<Hash> {
        self.at(block, |(root, _)| Ok(root))
    }

    /// Proves what keys had at a block: values, deletions, or that they were never written.
    ///
    /// `version_unavailable` if the block is not kept, or inside a file with several blocks; the error
    /// names the nearest ones that can be proved. `too_many_keys` or `proof_too_large` beyond the
    /// limits, `invalid_argument` without a key.
    pub fn prove(&self, block: u64, keys: &[&[u8]]) -> Result<Proved> {
        if keys.is_empty() {
            return Err(Error::new(Reason::InvalidArgument, "at least one key", 0));
        }
        self.limits.check_keys(keys.len())?;
        let hashes = sorted_hashes(keys);
        self.at(block, |(root, node)| {
            let mut writer = Writer::new(PROOF);
            write_keys(&self.nodes, block, node, &hashes, &mut writer)?;
            self.limits.check_proof(writer.length())?;
            Ok(Proved { root, proof: writer.finish() })
        })
    }

    /// Proves every change of a key in the blocks `from..=to`, and what it had before.
    ///
    /// `invalid_argument` if `from` is after `to`; `version_unavailable` if the tree of a block before
    /// one of the changes cannot be proved; `too_many_changes` or `proof_too_large` beyond the limits.
    pub fn history(&self, key: &[u8], from: u64, to: u64) -> Result<ProvedHistory> {
        if from > to {
            let expected = format_args!("a range that begins at {to} or before");
            return Err(Error::new(Reason::InvalidArgument, expected, from));
        }
        let hashes = sorted_hashes(&[key]);
        let (mut writer, mut roots) = (Writer::new(HISTORY), Vec::new());
        let mut block = to;
        loop {
            let (root, changed) = self.at(block, |(root, node)| {
                Ok((root, write_keys(&self.nodes, block, node, &hashes, &mut writer)?))
            })?;
            self.limits.check_proof(writer.length())?;
            roots.push((block, root));
            match changed {
                Some(changed) if changed > from => block = changed - 1,
                _ => return Ok(ProvedHistory { roots, proof: writer.finish() }),
            }
            // Each tree up to here shows one change.
            self.limits.check_changes(roots.len())?;
        }
    }

    /// Proves which keys changed after block `after`, or in any block if that is `None`, up to `to`.
    ///
    /// Against the root of `to` alone: `after` need not be kept. `invalid_argument` if `after` is not
    /// before `to`; `version_unavailable` as in [`prove`](Self::prove); `proof_too_large` beyond the limit.
    pub fn diff(&self, after: Option<u64>, to: u64) -> Result<Proved> {
        if after.is_some_and(|after| after >= to) {
            let expected = format_args!("a block before {to}");
            return Err(Error::new(Reason::InvalidArgument, expected, after.unwrap_or_default()));
        }
        self.at(to, |(root, node)| {
            Ok(Proved { root, proof: diff(&self.nodes, after, to, node, &self.limits)? })
        })
    }

    /// Reads every file that the kept blocks have and names the damaged ones: missing, cut off, or changed.
    pub fn check(&self) -> Result<Vec<Damage>> {
        self.refresh()?;
        check(self.nodes.files(), &self.manifest())
    }

    /// Works on a block's root. If that fails, and the block is not kept any more, it says so.
    fn at<T>(
        &self,
        block: u64,
        work: impl FnOnce((Hash, Option<NodeRef>)) -> Result<T>,
    ) -> Result<T> {
        if self.manifest().newest < block {
            self.refresh()?;
        }
        check_kept(&self.manifest(), block)?;
        self.nodes.root(block).and_then(work).map_err(|error| {
            // The writer may have removed the file just now.
            let still_kept = self.refresh().and_then(|_| check_kept(&self.manifest(), block));
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

/// `version_unavailable` if a block cannot be proved.
fn check_kept(manifest: &Manifest, block: u64) -> Result<()> {
    let Manifest { blocks_per_file, oldest, newest, .. } = *manifest;
    let unavailable = |expected: &dyn fmt::Display| {
        Err(Error::new(Reason::VersionUnavailable, expected, format_args!("block {block}")))
    };
    if block < oldest || block > newest || block > MAX_VERSION {
        return unavailable(&format_args!("one of the kept blocks {oldest} to {newest}"));
    }
    let after = manifest.last_of_group(block);
    if after == block {
        return Ok(());
    }
    let before = (block / blocks_per_file * blocks_per_file).checked_sub(1);
    let before = before.filter(|&before| before >= oldest);
    let nearest: String = match before {
        Some(before) => alloc::format!("{before} or {after}"),
        None => alloc::format!("{after}"),
    };
    unavailable(&format_args!(
        "the last block of a file, of which each has {blocks_per_file} blocks; the nearest is {nearest}"
    ))
}

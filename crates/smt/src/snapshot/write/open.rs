//! Opens a folder to continue writing: finds the newest block whose files are intact, and loads its
//! tree.

use alloc::string::ToString;
use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Reason, Result};

use super::buffer_pool::BufferPool;
use super::foreign;
use super::retention::FileCollector;
use super::writer::{SnapshotWriter, WriterOptions};
use crate::snapshot::files::check::{DamagedGroup, check_bodies, check_headers, read_header};
use crate::snapshot::files::{FileDamage, SnapshotFiles};
use crate::snapshot::format::manifest::{MANIFEST_NAME, Manifest};
use crate::snapshot::format::{file_name, last_block, missing};
use crate::snapshot::read::leaves::TreeLeaves;
use crate::snapshot::read::nodes::NodeReader;
use crate::tree::MemoryTree;

/// The cache for loading a tree: each file is read once, in tree order.
const LOAD_CACHE_BYTES: u64 = 64 << 20;

impl SnapshotWriter {
    /// Opens the files of a folder, or starts with none; also returns the damaged files.
    ///
    /// The tree is that of [`newest`](SnapshotWriter::newest): the newest block up to which no file
    /// is damaged. It is empty if there is none. Nothing is removed; later blocks overwrite their
    /// files. Every node of the tree is read and checked against the root. `invalid_argument` if
    /// the files were written with another number of blocks per file.
    pub fn open(files: SnapshotFiles, options: WriterOptions) -> Result<(Self, Vec<FileDamage>)> {
        Self::open_checked(files, options, None)
    }

    /// Like [`open`](Self::open), for files that must belong to a chain with these roots.
    ///
    /// `root_of` returns the root after a block, or `None` if the chain does not have the block;
    /// each file is checked against it. `store_corrupt`, with nothing written, if a file is intact
    /// but of another chain, a fork or another block: only whoever mixed them up knows where it
    /// belongs. Without the roots, such a file can make the intact file after it count as damaged.
    pub fn open_for(
        files: SnapshotFiles,
        options: WriterOptions,
        root_of: impl Fn(u64) -> Result<Option<Hash>>,
    ) -> Result<(Self, Vec<FileDamage>)> {
        Self::open_checked(files, options, Some(&root_of))
    }

    fn open_checked(
        files: SnapshotFiles,
        options: WriterOptions,
        root_of: Option<&dyn Fn(u64) -> Result<Option<Hash>>>,
    ) -> Result<(Self, Vec<FileDamage>)> {
        options.check()?;
        let mut damage = Vec::new();
        let read = files.manifest();
        let written = read.as_ref().ok().copied().flatten();
        let manifest = match read {
            Err(error) if error.reason() == Reason::StoreCorrupt => {
                damage.push(FileDamage { file: MANIFEST_NAME.to_string(), error });
                manifest_of_files(&files, &options)?
            }
            Ok(None) => {
                let manifest = manifest_of_files(&files, &options)?;
                damage.extend(manifest.map(|_| {
                    let error = missing(MANIFEST_NAME);
                    FileDamage { file: MANIFEST_NAME.to_string(), error }
                }));
                manifest
            }
            manifest => manifest?,
        };
        if let Some(root_of) = root_of {
            foreign::refuse_foreign(&files, root_of)?;
        }
        files.remove_unfinished()?;
        let Some(manifest) = manifest else { return Ok((Self::empty(files, options), damage)) };
        if manifest.blocks_per_file != options.blocks_per_file {
            let expected = format_args!("{} blocks in a file", manifest.blocks_per_file);
            return Err(Error::new(Reason::InvalidArgument, expected, options.blocks_per_file));
        }
        let mut found = check_headers(&files, &manifest)?;
        let mut intact = cut_before_damage(&found, &manifest, &files)?;
        let mut opened = intact.map(|manifest| Self::load(&files, options, manifest)).transpose();
        if opened.as_ref().is_err_and(|error| error.reason() == Reason::StoreCorrupt) {
            found = check_bodies(&files, &manifest)?;
            intact = cut_before_damage(&found, &manifest, &files)?;
            opened = intact.map(|manifest| Self::load(&files, options, manifest)).transpose();
        }
        damage.extend(found.into_iter().map(|group| group.damage));
        let writer = match opened {
            Ok(writer) => writer,
            // A file from before the kept blocks is missing, which only its missing nodes reveal.
            Err(error) if error.reason() == Reason::StoreCorrupt => {
                damage.push(FileDamage { file: file_name(manifest.newest), error });
                None
            }
            Err(error) => return Err(error),
        };
        let mut writer = writer.unwrap_or_else(|| Self::empty(files, options));
        writer.is_manifest_stale = writer.manifest.is_some() && writer.manifest != written;
        Ok((writer, damage))
    }

    fn empty(files: SnapshotFiles, options: WriterOptions) -> Self {
        let nodes = NodeReader::new(files, options.blocks_per_file, 0);
        Self {
            nodes,
            options,
            tree: MemoryTree::new(),
            manifest: None,
            is_manifest_stale: false,
            root: None,
            group: None,
            ready: None,
            writing: None,
            collector: FileCollector::default(),
            spare: BufferPool::default(),
        }
    }

    /// Loads the writer at the newest block of a manifest.
    fn load(files: &SnapshotFiles, options: WriterOptions, manifest: Manifest) -> Result<Self> {
        let mut writer = Self::empty(files.clone(), options);
        let (hash, root) = writer.nodes.root(manifest.newest)?;
        let mut leaves = TreeLeaves::new(files, options.blocks_per_file, LOAD_CACHE_BYTES, root)?;
        let tree = MemoryTree::restore(manifest.newest, &mut leaves)?;
        if let Some(error) = leaves.error {
            return Err(error);
        }
        if tree.root() != hash {
            // Every node was already checked when it was read.
            return Err(Error::new(Reason::Bug, Hex(&hash), Hex(&tree.root())));
        }
        writer.tree = tree;
        writer.root = root.map(|root| (root.kind, root.height));
        writer.manifest = Some(manifest);
        Ok(writer)
    }
}

/// Returns the manifest truncated to the last block before any damage.
fn cut_before_damage(
    damaged: &[DamagedGroup],
    manifest: &Manifest,
    files: &SnapshotFiles,
) -> Result<Option<Manifest>> {
    let Some(first) = damaged.iter().map(|group| group.last).min() else {
        return Ok(Some(*manifest));
    };
    let newest = first.checked_sub(manifest.blocks_per_file).filter(|&it| it >= manifest.oldest);
    let Some(newest) = newest else { return Ok(None) };
    let (_, newest_header) = read_header(files, newest)?;
    Ok(Some(Manifest { newest, newest_header, ..*manifest }))
}

/// Rebuilds the manifest from the files: the newest one and those before it without a gap.
fn manifest_of_files(files: &SnapshotFiles, options: &WriterOptions) -> Result<Option<Manifest>> {
    let names = files.list()?.into_keys();
    let mut lasts: Vec<u64> = names.filter_map(|name| last_block(&name)).collect();
    lasts.sort_unstable();
    let mut manifest: Option<(Manifest, u64)> = None;
    for last in lasts.into_iter().rev() {
        let Ok((header, checksum)) = read_header(files, last) else {
            if manifest.is_some() {
                break;
            }
            continue;
        };
        manifest = match manifest {
            None => Some((
                Manifest {
                    blocks_per_file: options.blocks_per_file,
                    oldest: header.first,
                    newest: last,
                    newest_header: checksum,
                },
                header.previous,
            )),
            Some((found, previous)) if previous == checksum => {
                Some((Manifest { oldest: header.first, ..found }, header.previous))
            }
            found => {
                manifest = found;
                break;
            }
        };
    }
    Ok(manifest.map(|(manifest, _)| manifest))
}

//! A chain's folder: creates it, opens it, and checks its content.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use prooflight_core::chain::{ChainConfig, SignedHeader};
use prooflight_core::store::{RawKeyChange, ReadStore};
use prooflight_core::{Error, Hash, Hex, Reason, Result, Scheme};
use rayon::prelude::*;

use super::builder::{ChainBuilder, store_folder};
use super::{Chain, format};
use crate::chain::block::{self, CONFIG_KEY, NEWEST_KEY};
use crate::chain::schemes::{self, SchemeContext, SchemeOptions};
use crate::chain::store::{self, Anchor, EmbeddedStore, corrupt};
use crate::chain::view::check_root;
use crate::runtime::files;

impl Chain {
    /// Whether a folder has a chain; `store_failed` if that cannot be found out.
    ///
    /// A chain of another format is `invalid_argument`. Nothing in its folder is changed.
    pub fn exists(folder: &Path) -> Result<bool> {
        let exists = store_folder(folder).try_exists().map_err(|error| {
            let expected = format_args!("the folder {} to be readable", folder.display());
            Error::new(Reason::StoreFailed, expected, error)
        })?;
        if exists {
            format::check(folder)?;
        }
        Ok(exists)
    }

    /// Begins a chain in a folder that has none; its first block, made or followed, is genesis.
    ///
    /// `invalid_config` if no chain can have the configuration, `unknown_statement` if this build
    /// does not have one of its schemes.
    pub fn create(folder: &Path, config: &ChainConfig) -> Result<Self> {
        Self::create_with(folder, config, &SchemeOptions::default())
    }

    /// Like [`create`](Self::create), with the node's options, which are stored in the folder.
    ///
    /// `unknown_setup` if the chain's setup of `lvmt` is in no file that the options name.
    pub fn create_with(
        folder: &Path,
        config: &ChainConfig,
        options: &SchemeOptions,
    ) -> Result<Self> {
        files::check_folder(folder)?;
        check_complete(folder)?;
        ChainBuilder::begin(folder, config, options)?.finish(None)?;
        Self::open_with(folder, options)
    }

    /// Begins a chain with the configuration, the options and the setup of the one in another folder.
    pub fn create_like(folder: &Path, other: &Path) -> Result<Self> {
        let config = Self::open(other)?.config;
        schemes::copy_setup(other, folder)?;
        Self::create_with(folder, &config, &SchemeOptions::read(other)?)
    }

    /// Deletes a chain without blocks; one with blocks is `invalid_argument`.
    pub fn discard(folder: &Path) -> Result<()> {
        if let Some(height) = Self::open(folder)?.height() {
            let found = format_args!("one of height {height}");
            return Err(Error::new(Reason::InvalidArgument, "a chain without blocks", found));
        }
        let store = store_folder(folder);
        fs::remove_dir_all(&store).map_err(|error| {
            Error::new(
                Reason::StoreFailed,
                format_args!("{} to be deleted", store.display()),
                error,
            )
        })
    }

    /// Opens the chain in a folder at its last acknowledged block, and checks it.
    ///
    /// `invalid_argument` if there is none, or if it is of another format; `store_corrupt` if the store lacks an
    /// acknowledged block, or its parts do not agree.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::check_folder(folder)?;
        Self::open_with(folder, &SchemeOptions::read(folder)?)
    }

    /// Like [`open`](Self::open), with the given options as far as they are not stored in the folder: for example the
    /// `.ptau` file from which tables are rebuilt.
    pub fn reopen(folder: &Path, given: &SchemeOptions) -> Result<Self> {
        Self::check_folder(folder)?;
        let SchemeOptions { proof_shard, blocks_per_file, left_out, .. } =
            SchemeOptions::read(folder)?;
        let given = given.clone();
        let options = SchemeOptions { proof_shard, blocks_per_file, left_out, ..given };
        Self::open_with(folder, &options)
    }

    /// Opens a synced chain for the first time. If that fails, the folder stays marked as incomplete.
    pub(crate) fn open_synced(folder: &Path, options: &SchemeOptions) -> Result<Self> {
        let chain = Self::open_with(folder, options)?;
        let marker = folder.join(SYNCING_FILE);
        fs::remove_file(&marker).and_then(|()| fs::File::open(folder)?.sync_all()).map_err(
            |error| {
                let expected = format_args!("{} to be deleted", marker.display());
                Error::new(Reason::StoreFailed, expected, error)
            },
        )?;
        Ok(chain)
    }

    /// Checks that a folder has a chain that this program can open.
    fn check_folder(folder: &Path) -> Result<()> {
        files::check_folder(folder)?;
        check_complete(folder)?;
        if Self::exists(folder)? {
            return Ok(());
        }
        let expected = format_args!("a chain in {}", folder.display());
        Err(Error::new(Reason::InvalidArgument, expected, "none"))
    }

    fn open_with(folder: &Path, options: &SchemeOptions) -> Result<Self> {
        let store = store::open(&store_folder(folder))?;
        let config = store.get(CONFIG_KEY)?.ok_or_else(|| corrupt("a configuration", "none"))?;
        let config = block::decode_config(&config)
            .map_err(|error| corrupt(error.expected(), error.found()))?;
        let context = SchemeContext { folder, options };
        let schemes = config
            .scheme_ids()
            .map(Scheme::from_id)
            .filter(|scheme| !scheme.as_ref().is_ok_and(|it| options.left_out.contains(it)))
            .collect::<Result<Vec<_>>>()?;
        let open = |scheme| Ok((scheme, schemes::open(scheme, &store, &config, context)?));
        // In parallel; of several errors, that of the first scheme is returned.
        let schemes: Vec<Result<_>> = schemes.into_par_iter().map(open).collect();
        let schemes = schemes.into_iter().collect::<Result<Vec<_>>>()?;
        let anchor = Anchor::new(folder.join("anchor"));
        let head = read_head(&store)?;
        let config = Arc::new(config);
        let mut chain = Self {
            store,
            anchor,
            config,
            schemes,
            readers: [].into(),
            head,
            blocks_per_file: options.blocks_per_file,
            left_out: options.left_out.clone(),
            readers_disabled: options.readers_disabled,
            failed: false,
        };
        chain.catch_up()?;
        chain.check_agreement()?;
        chain.check_anchor()?;
        chain.renew_readers()?;
        Ok(chain)
    }

    /// Re-executes the newest blocks for a scheme that keeps its state outside the store, and lost them when the process
    /// was killed.
    fn catch_up(&mut self) -> Result<()> {
        let Some(newest) = self.height() else { return Ok(()) };
        for (scheme, store) in &mut self.schemes {
            while store.height().is_none_or(|height| height < newest) {
                let next = store.height().map_or(0, |height| height + 1);
                let header = block::read_header(&self.store, next)?;
                let header =
                    header.ok_or_else(|| corrupt(format_args!("header {next}"), "none"))?;
                // Operations are deleted only while no scheme needs them, so the scheme's own files are damaged.
                block::check_kept(&self.store, next)
                    .map_err(|error| corrupt(error.expected(), error.found()))?;
                let body = block::read_body(&self.store, &header.header)?;
                let changes: Vec<_> = body.operations.iter().map(RawKeyChange::from).collect();
                let prepared = store.prepare(&changes)?;
                // Commit a block only if it leads to its header's root.
                check_root(&header.header, *scheme, &prepared.root).map_err(|error| {
                    let expected = format_args!(
                        "{} from the blocks of this folder; nothing was written: take the folder from a \
                         backup, or the chain from another node",
                        error.expected()
                    );
                    corrupt(expected, error.found())
                })?;
                if !prepared.writes.is_empty() {
                    let name = scheme.as_str();
                    return Err(corrupt(format_args!("{name} after block {next}"), "before it"));
                }
                store.commit(prepared.next)?;
            }
        }
        Ok(())
    }

    /// Checks that every scheme has the height and root of the newest header.
    fn check_agreement(&self) -> Result<()> {
        let head = self.head.as_ref().map(|(head, _)| &head.header);
        for (scheme, store) in &self.schemes {
            let name = scheme.as_str();
            let height = head.map(|head| head.height);
            if store.height() != height {
                return Err(corrupt(
                    format_args!("{name} at height {height:?}"),
                    format_args!("{:?}", store.height()),
                ));
            }
            let root = store.root();
            if head.is_some_and(|head| head.root(*scheme) != Some(&root[..])) {
                return Err(corrupt(format_args!("the head's {name} root"), Hex(&root)));
            }
        }
        Ok(())
    }

    /// Checks that the store has the acknowledged block. A block that was written and not yet acknowledged is acknowledged
    /// now.
    fn check_anchor(&mut self) -> Result<()> {
        let anchored = self.anchor.read()?;
        let head = self.head.as_ref().map(|(head, hash)| (head.header.height, *hash));
        match (anchored, head) {
            (None, None) => Ok(()),
            (Some(anchored), Some(head)) if anchored == head => Ok(()),
            // The process was killed between the writes of the block and of its anchor.
            (None, Some((0, hash))) => self.anchor.write(0, &hash),
            (Some((height, parent)), Some((newest, hash)))
                if newest == height + 1
                    && self.head.as_ref().is_some_and(|(head, _)| head.header.parent == parent) =>
            {
                self.anchor.write(newest, &hash)
            }
            (anchored, head) => {
                let show = |block: Option<(u64, Hash)>| match block {
                    Some((height, hash)) => format!("block {height} with hash {}", Hex(&hash)),
                    None => "no block".to_owned(),
                };
                Err(corrupt(format_args!("{}, which was acknowledged", show(anchored)), show(head)))
            }
        }
    }
}

/// The file that marks an incomplete chain: the sync of its state has not ended.
pub(crate) const SYNCING_FILE: &str = "syncing";

/// Refuses a folder in which a sync was interrupted.
fn check_complete(folder: &Path) -> Result<()> {
    if !folder.join(SYNCING_FILE).exists() {
        return Ok(());
    }
    let expected = format_args!("{} with a complete chain", folder.display());
    let found = "one whose sync was interrupted: run --sync again, or empty the folder";
    Err(Error::new(Reason::InvalidArgument, expected, found))
}

fn read_head(store: &EmbeddedStore) -> Result<Option<(Arc<SignedHeader>, Hash)>> {
    let Some(newest) = store.get(NEWEST_KEY)? else { return Ok(None) };
    let height = block::decode_height(&newest)?;
    let header = block::read_header(store, height)?;
    let header = header.ok_or_else(|| corrupt(format_args!("header {height}"), "none"))?;
    let hash = header.header.hash();
    Ok(Some((Arc::new(header), hash)))
}

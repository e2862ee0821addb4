//! The chain's one writer: makes blocks, or checks and takes over those of another node.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use prooflight_core::chain::{ChainConfig, Header, SignedHeader, StateOperation, operations_root};
use prooflight_core::merkle::Hash;
use prooflight_core::store::{Read, Store, WriteBatch};
use prooflight_core::{Error, Hex, Limits, Reason, Result, Scheme};

use crate::authority::Signers;
use crate::block::{self, Block, Body, CONFIG_KEY, NEWEST_KEY};
use crate::history;
use crate::normalise::{check_bytes, normalise};
use crate::schemes::{self, NormalBlock, Place, Prepared, SchemeOptions, SchemeStore};
use crate::store::{Anchor, EmbeddedStore, corrupt};
use crate::view::{Provers, View};

/// A chain in a folder. A block is on disk before anything shows it.
pub struct Chain {
    store: EmbeddedStore,
    anchor: Anchor,
    config: Arc<ChainConfig>,
    schemes: Vec<Box<dyn SchemeStore>>,
    provers: Provers,
    /// The newest header with its hash; none before genesis.
    head: Option<(Arc<SignedHeader>, Hash)>,
    /// A write has failed, so that nobody knows what is on disk.
    failed: bool,
}

/// What follows from a block's operations.
struct Outcome<'a> {
    roots: Vec<(u8, Vec<u8>)>,
    transitions: Vec<(u8, Vec<u8>)>,
    prepared: Vec<Prepared<'a>>,
}

impl Chain {
    /// Whether a folder has a chain.
    pub fn exists(folder: &Path) -> bool {
        store_folder(folder).exists()
    }

    /// Begins a chain in a folder that has none; its genesis block is the first to be made or taken.
    ///
    /// `invalid_config` if no chain can have the configuration, `unknown_statement` if this build
    /// does not have one of its schemes.
    pub fn create(folder: &Path, config: &ChainConfig) -> Result<Self> {
        Self::create_with(folder, config, &SchemeOptions::default())
    }

    /// The same as [`create`](Self::create), with what is up to the node; it is kept in the folder.
    ///
    /// `unknown_setup` if the chain's setup of `lvmt` is in no file that the options name.
    pub fn create_with(
        folder: &Path,
        config: &ChainConfig,
        options: &SchemeOptions,
    ) -> Result<Self> {
        config.check()?;
        if Self::exists(folder) {
            let expected = format_args!("no chain in {}", folder.display());
            return Err(Error::new(Reason::InvalidArgument, expected, "one"));
        }
        // The store gets its name once it has its configuration, so that a start that is cut off
        // leaves no chain.
        let unnamed = folder.join("store.new");
        let failed = |error: std::io::Error| {
            Error::new(Reason::StoreFailed, format_args!("a new {}", unnamed.display()), error)
        };
        if unnamed.exists() {
            fs::remove_dir_all(&unnamed).map_err(failed)?;
        }
        fs::create_dir_all(folder).map_err(failed)?;
        options.write(folder)?;
        schemes::begin(config, Place { folder, options })?;
        let mut store = EmbeddedStore::open(&unnamed)?;
        let mut batch = WriteBatch::new();
        batch.put(CONFIG_KEY, block::encode_config(config)?);
        store.write(batch)?;
        drop(store);
        fs::rename(&unnamed, store_folder(folder)).map_err(failed)?;
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Self::open_with(folder, options)
    }

    /// Begins a chain with the configuration, the options and the setup of the one in another folder.
    pub fn create_like(folder: &Path, other: &Path) -> Result<Self> {
        let config = Self::open(other)?.config;
        schemes::copy_setup(other, folder)?;
        Self::create_with(folder, &config, &SchemeOptions::read(other)?)
    }

    /// Deletes a chain that has no block; one that has any is `invalid_argument`.
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

    /// Opens the chain in a folder as its last acknowledged block left it, and checks that.
    ///
    /// `store_corrupt` if the store lacks an acknowledged block, or its parts do not agree.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, &SchemeOptions::read(folder)?)
    }

    /// The same as [`open`](Self::open); where tables have to be built again, they are from the `.ptau`
    /// file of `given`. Its other options are those of a first start.
    pub fn open_again(folder: &Path, given: &SchemeOptions) -> Result<Self> {
        let SchemeOptions { ptau, progress, .. } = given.clone();
        Self::open_with(folder, &SchemeOptions { ptau, progress, ..SchemeOptions::read(folder)? })
    }

    fn open_with(folder: &Path, options: &SchemeOptions) -> Result<Self> {
        if !Self::exists(folder) {
            let expected = format_args!("a chain in {}", folder.display());
            return Err(Error::new(Reason::InvalidArgument, expected, "none"));
        }
        let store = EmbeddedStore::open(&store_folder(folder))?;
        let config = store.get(CONFIG_KEY)?.ok_or_else(|| corrupt("a configuration", "none"))?;
        let config = block::decode_config(&config)
            .map_err(|error| corrupt(error.expected(), error.found()))?;
        let place = Place { folder, options };
        let schemes = config
            .schemes
            .iter()
            .map(|&id| schemes::open(Scheme::from_id(id)?, &store, &config, place))
            .collect::<Result<Vec<_>>>()?;
        let provers = schemes.iter().map(|scheme| (scheme.scheme(), scheme.prover())).collect();
        let anchor = Anchor::new(folder.join("anchor"));
        let head = read_head(&store)?;
        let config = Arc::new(config);
        let mut chain = Self { store, anchor, config, schemes, provers, head, failed: false };
        chain.catch_up()?;
        chain.check_agreement()?;
        chain.check_anchor()?;
        Ok(chain)
    }

    /// The chain's configuration.
    pub fn config(&self) -> &Arc<ChainConfig> {
        &self.config
    }

    /// The height of the newest block, or `None` before genesis.
    pub fn height(&self) -> Option<u64> {
        self.head.as_ref().map(|(head, _)| head.header.height)
    }

    /// Bytes on disk.
    pub fn disk_bytes(&self) -> Result<u64> {
        self.store.disk_bytes()
    }

    /// The chain as it is now, for reading; `version_unavailable` before genesis.
    pub fn view(&self) -> Result<View> {
        let Some((head, _)) = &self.head else {
            return Err(Error::new(
                Reason::VersionUnavailable,
                "a chain with a genesis block",
                "none",
            ));
        };
        let (config, head, provers) = (self.config.clone(), head.clone(), self.provers.clone());
        Ok(View::new(self.store.snapshot()?, config, head, provers))
    }

    /// Makes, signs and keeps the next block.
    ///
    /// Its timestamp is `now_ms`, or the first one after the parent's; that of genesis is the
    /// configuration's. If an operation is refused nothing has changed; `request_too_large` if they
    /// have more bytes than a block may, or their transition is larger than a verifier reads. After
    /// `store_failed` the chain takes no more blocks: it must be opened again, which shows what is on
    /// disk.
    pub fn make(
        &mut self,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
        signers: &Signers,
    ) -> Result<View> {
        self.check_usable()?;
        let operations = normalise(operations, &self.config, &block::state(self.store.clone()))?;
        check_bytes(&operations)?;
        let normal = NormalBlock::new(operations);
        let outcome = self.run(&normal)?;
        check_transition_bytes(&outcome.transitions)?;
        let header = self.next_header(&normal, outcome.roots.clone(), now_ms)?;
        let header = signers.sign(header);
        self.keep(header, &normal, outcome)
    }

    /// Checks a block of another node by executing it, and keeps it.
    ///
    /// Refused, with nothing changed: a header that the chain's authorities have not signed, one
    /// that does not follow the newest (`not_extending`), operations that are not those of the header
    /// (`operations_mismatch`) or not normalised (`invalid_block`), a header whose roots are not those
    /// that the operations lead to (`state_root_mismatch`), a transition that does not prove it.
    pub fn follow(&mut self, block: Block) -> Result<View> {
        self.check_usable()?;
        let header = &block.header.header;
        // What comes from elsewhere has the form that decoding demands.
        SignedHeader::decode(&block.header.encode(), &Limits::default())?;
        block.header.check_signed(&self.config)?;
        let root = operations_root(&block.body.operations);
        if root != header.ops_root {
            return Err(Error::new(Reason::OperationsMismatch, Hex(&header.ops_root), Hex(&root)));
        }
        let (given, state) = (block.body.operations, block::state(self.store.clone()));
        if normalise(given.iter().cloned(), &self.config, &state)? != given {
            return Err(Error::new(Reason::InvalidBlock, "normalised operations", "others"));
        }
        let normal = NormalBlock::new(given);
        let outcome = self.run(&normal)?;
        let expected = self.next_header(&normal, outcome.roots.clone(), header.timestamp_ms)?;
        if header.roots != expected.roots {
            return Err(Error::new(
                Reason::StateRootMismatch,
                format_args!(
                    "the roots after block {}: {}",
                    expected.height,
                    show(&expected.roots)
                ),
                show(&header.roots),
            ));
        }
        if *header != expected {
            return Err(Error::new(
                Reason::NotExtending,
                format_args!(
                    "the header after {}, with hash {}",
                    expected.height,
                    Hex(&expected.hash())
                ),
                format_args!("one of height {}, with hash {}", header.height, Hex(&header.hash())),
            ));
        }
        self.check_transitions(&normal, &outcome.transitions, &block.body.transitions)?;
        self.keep(block.header, &normal, outcome)
    }

    /// Forgets the states before that of block `oldest`; the blocks themselves stay.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.schemes.iter_mut().try_for_each(|scheme| scheme.prune(oldest))
    }

    /// Forgets the states of blocks further before the newest than `blocks`, if there is a limit.
    pub fn keep_states(&mut self, blocks: Option<u64>) -> Result<()> {
        match (blocks, self.height()) {
            (Some(keep), Some(height)) if height > keep => self.prune(height - keep),
            _ => Ok(()),
        }
    }

    /// Checks transition proofs that were given for the next block; those it makes itself are right.
    fn check_transitions(
        &self,
        normal: &NormalBlock,
        made: &[(u8, Vec<u8>)],
        given: &[(u8, Vec<u8>)],
    ) -> Result<()> {
        let ids = |proofs: &[(u8, Vec<u8>)]| proofs.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        if ids(made) != ids(given) {
            return Err(Error::new(
                Reason::InvalidBlock,
                format_args!("the transitions of the schemes {:?}", ids(made)),
                format_args!("those of {:?}", ids(given)),
            ));
        }
        for ((id, made), (_, given)) in made.iter().zip(given) {
            let scheme = self.schemes.iter().find(|scheme| scheme.scheme().id() == *id);
            if let Some(scheme) = scheme.filter(|_| made != given) {
                scheme.check_transition(normal, given)?;
            }
        }
        Ok(())
    }

    fn run<'a>(&self, normal: &'a NormalBlock) -> Result<Outcome<'a>> {
        let mut outcome =
            Outcome { roots: Vec::new(), transitions: Vec::new(), prepared: Vec::new() };
        for scheme in &self.schemes {
            let mut prepared = scheme.prepare(normal)?;
            let id = scheme.scheme().id();
            outcome.roots.push((id, prepared.root.clone()));
            outcome.transitions.extend(prepared.transition.take().map(|proof| (id, proof)));
            outcome.prepared.push(prepared);
        }
        Ok(outcome)
    }

    /// The header of the next block with these operations and roots.
    fn next_header(
        &self,
        normal: &NormalBlock,
        roots: Vec<(u8, Vec<u8>)>,
        now_ms: u64,
    ) -> Result<Header> {
        let (height, parent, timestamp_ms) = match &self.head {
            None => (0, [0; 32], self.config.genesis_timestamp_ms),
            Some((head, hash)) => {
                let head = &head.header;
                let next = |number: u64| {
                    number.checked_add(1).ok_or_else(|| {
                        Error::new(Reason::NotExtending, "a height and time below 2^64 - 1", number)
                    })
                };
                (next(head.height)?, *hash, now_ms.max(next(head.timestamp_ms)?))
            }
        };
        Ok(Header {
            version: 1,
            chain: self.config.id(),
            height,
            parent,
            timestamp_ms,
            ops_root: operations_root(normal.operations()),
            history_root: history::root(&self.store, height)?,
            roots,
        })
    }

    /// Writes a whole block at once, and only then shows it.
    fn keep(
        &mut self,
        header: SignedHeader,
        normal: &NormalBlock,
        outcome: Outcome<'_>,
    ) -> Result<View> {
        let (height, hash) = (header.header.height, header.header.hash());
        let body =
            Body { operations: normal.operations().to_vec(), transitions: outcome.transitions };
        let block = Block { header, body };
        let mut batch = WriteBatch::new();
        block::put(&mut batch, &block, &hash)?;
        history::append(&self.store, height, &hash, &mut batch)?;
        let mut prepared = outcome.prepared;
        for (scheme, prepared) in self.schemes.iter().zip(&mut prepared) {
            let writes = core::mem::take(&mut prepared.writes);
            schemes::namespace((), scheme.scheme()).move_into(&mut batch, writes);
        }
        // Until everything below has succeeded, memory and disk may differ.
        self.failed = true;
        self.store.write(batch)?;
        self.anchor.write(height, &hash)?;
        for (scheme, prepared) in self.schemes.iter_mut().zip(prepared) {
            scheme.commit(prepared)?;
        }
        self.head = Some((Arc::new(block.header), hash));
        self.failed = false;
        let view = self.view()?;
        view.publish();
        Ok(view)
    }

    fn check_usable(&self) -> Result<()> {
        if !self.failed {
            return Ok(());
        }
        Err(Error::new(
            Reason::StoreFailed,
            "a chain whose last write succeeded",
            "one that failed",
        ))
    }

    /// Executes blocks again for a scheme that keeps its state beside the store, and was killed before
    /// it had them.
    fn catch_up(&mut self) -> Result<()> {
        let Some(newest) = self.height() else { return Ok(()) };
        for scheme in &mut self.schemes {
            while scheme.height().is_none_or(|height| height < newest) {
                let next = scheme.height().map_or(0, |height| height + 1);
                let body = self.store.get(&block::body_key(next))?;
                let body = body.ok_or_else(|| corrupt(format_args!("block {next}"), "none"))?;
                let normal = NormalBlock::new(Body::decode(&body)?.operations);
                let prepared = scheme.prepare(&normal)?;
                if !prepared.writes.is_empty() {
                    let name = scheme.scheme().as_str();
                    return Err(corrupt(format_args!("{name} after block {next}"), "before it"));
                }
                scheme.commit(prepared)?;
            }
        }
        Ok(())
    }

    /// Every scheme must be where the newest header says.
    fn check_agreement(&self) -> Result<()> {
        let head = self.head.as_ref().map(|(head, _)| &head.header);
        for scheme in &self.schemes {
            let name = scheme.scheme().as_str();
            let height = head.map(|head| head.height);
            if scheme.height() != height {
                return Err(corrupt(
                    format_args!("{name} at height {height:?}"),
                    format_args!("{:?}", scheme.height()),
                ));
            }
            let root = scheme.root();
            if head.is_some_and(|head| head.root(scheme.scheme()) != Some(&root[..])) {
                return Err(corrupt(format_args!("the head's {name} root"), Hex(&root)));
            }
        }
        Ok(())
    }

    /// A block that was acknowledged must be there; one that was only written is acknowledged now.
    fn check_anchor(&mut self) -> Result<()> {
        let anchored = self.anchor.read()?;
        let head = self.head.as_ref().map(|(head, hash)| (head.header.height, *hash));
        match (anchored, head) {
            (None, None) => Ok(()),
            (Some(anchored), Some(head)) if anchored == head => Ok(()),
            // Killed between the block and its anchor.
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

impl core::fmt::Debug for Chain {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Chain").field("height", &self.height()).finish_non_exhaustive()
    }
}

/// A transition is proved in vain if no verifier reads it.
fn check_transition_bytes(transitions: &[(u8, Vec<u8>)]) -> Result<()> {
    let most = Limits::DEFAULT.max_proof_bytes;
    match transitions.iter().map(|(_, proof)| proof.len()).max() {
        Some(bytes) if bytes > most => {
            let expected = format_args!("operations whose transition has at most {most} bytes");
            Err(Error::new(Reason::RequestTooLarge, expected, bytes))
        }
        _ => Ok(()),
    }
}

fn store_folder(folder: &Path) -> std::path::PathBuf {
    folder.join("store")
}

fn read_head(store: &EmbeddedStore) -> Result<Option<(Arc<SignedHeader>, Hash)>> {
    let Some(newest) = store.get(NEWEST_KEY)? else { return Ok(None) };
    let height = block::decode_height(&newest)?;
    let bytes = store.get(&block::header_key(height))?;
    let bytes = bytes.ok_or_else(|| corrupt(format_args!("header {height}"), "none"))?;
    let header = SignedHeader::decode(&bytes, &Limits::default())
        .map_err(|error| corrupt(format_args!("header {height}"), error))?;
    let hash = header.header.hash();
    Ok(Some((Arc::new(header), hash)))
}

fn show(roots: &[(u8, Vec<u8>)]) -> String {
    let roots: Vec<_> = roots.iter().map(|(id, root)| format!("{id}: {}", Hex(root))).collect();
    roots.join(", ")
}

//! Begins a chain, and inspects a chain that is not running.

use std::path::{Path, PathBuf};

use clap::Args;
use ed25519_dalek::SigningKey;
use prooflight_core::chain::{
    ChainConfig, ChainLimits, Checkpoint, Header, LmptConfig, SchemeConfig, StateOperation,
};
use prooflight_core::{Ability, Code, Error, Hex, Reason, Result, Scheme};
use prooflight_json as json;
use prooflight_node::chain::keys::{self, Signers};
use prooflight_node::chain::proposal::{AttemptId, Proposal, ProposalStore};
use prooflight_node::chain::schemes::SchemeOptions;
use prooflight_node::replication::log::SharedLog;
use prooflight_node::runtime::clock::{format_utc, now_ms};
use prooflight_node::runtime::files;
use prooflight_node::runtime::scratch::ScratchFolder;
use prooflight_node::signing::collector::{BlockSigner, SignatureCollector};
use prooflight_node::signing::proposals::ProposalFolder;
use prooflight_node::{BlockId, Chain, Verdict, View};

use super::chain_source::{ChainSource, open_source};
use super::exit::file_error;
use super::log_commands::LogArgs;
use super::new_folder::begin_in;
use super::params::{LmptArgs, LvmtArgs, SchemeArgs};
use super::settings::ResolvedSettings;
use super::state_file::read_block;

/// The location of a chain.
#[derive(Clone, Debug, Args)]
pub(super) struct FolderArgs {
    /// The folder of the chain.
    #[arg(long, env = "PROOFLIGHT_DATA_DIR", default_value = "prooflight-data")]
    pub(super) data_dir: PathBuf,
}

/// The configuration of a new chain.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// A human-readable name.
    #[arg(long, default_value = "prooflight")]
    chain_id: String,
    /// Files with authority keys of this node; a key is made if no authority is given.
    #[arg(long = "key")]
    keys: Vec<PathBuf>,
    /// Public keys of remote authorities, 0x-hex.
    #[arg(long = "authority")]
    authorities: Vec<json::HexBytes>,
    /// The number of authorities that must sign a header: more than half of them.
    #[arg(long, default_value_t = 1)]
    quorum: u16,
    /// A file with the initial state, in the format of `export`; it must fit into one block.
    #[arg(long)]
    state: Option<PathBuf>,
    #[arg(long, value_delimiter = ',', value_parser = scheme, default_value = "avl", help = schemes_help())]
    schemes: Vec<Scheme>,
    #[command(flatten)]
    lmpt: LmptArgs,
    #[command(flatten)]
    lvmt: LvmtArgs,
    #[command(flatten)]
    options: SchemeArgs,
    /// The longest raw key, in bytes.
    #[arg(long, default_value_t = ChainLimits::default().max_key)]
    max_key: u16,
    /// The longest value, in bytes.
    #[arg(long, default_value_t = ChainLimits::default().max_value)]
    max_value: u32,
    /// The most operations in a block.
    #[arg(long, default_value_t = ChainLimits::default().max_ops)]
    max_ops: u32,
}

impl InitArgs {
    pub(super) fn run(self) -> Result<()> {
        let folder = self.folder.data_dir.clone();
        files::check_folder(&folder)?;
        if Chain::exists(&folder)? {
            let expected = format_args!("no chain in {}", folder.display());
            return Err(Error::new(Reason::InvalidArgument, expected, "one"));
        }
        begin_in(&folder, || self.begin(&folder))
    }

    fn begin(self, folder: &Path) -> Result<()> {
        let mut keys = Vec::new();
        for path in &self.keys {
            let key = keys::read_key(path)?;
            store_key(folder, keys.len(), &key)?;
            keys.push(key);
        }
        if keys.is_empty() && self.authorities.is_empty() {
            keys.push(own_key(folder)?);
        }
        let mut public: Vec<[u8; 32]> =
            keys.iter().map(|key| key.verifying_key().to_bytes()).collect();
        for json::HexBytes(bytes) in self.authorities {
            let key = bytes.try_into().map_err(|bytes: Vec<u8>| {
                Error::new(Reason::InvalidArgument, "an authority of 32 bytes", bytes.len())
            })?;
            public.push(key);
        }
        let Self { max_key, max_value, max_ops, .. } = self;
        let limits = ChainLimits { max_key, max_value, max_ops };
        let schemes = scheme_configs(&self.schemes, &self.lvmt, self.lmpt.config())?;
        let config = ChainConfig { schemes, limits, ..config(&self.chain_id, public, self.quorum) };
        let options = self.options.choose(self.lvmt.ptau());
        let local = keys.len();
        let genesis = begin(folder, &config, keys, self.state.as_deref(), &options)?;
        println!("chain {}", Hex(&config.id()));
        println!("genesis {}", Hex(&genesis.hash()));
        println!("time {}, by the clock of this machine", format_utc(genesis.timestamp_ms));
        let missing = usize::from(config.quorum).saturating_sub(local);
        if missing > 0 {
            println!("the genesis block waits for the signatures of {missing} remote authorities");
        }
        Ok(())
    }
}

/// A scheme by its name.
fn scheme(name: &str) -> Result<Scheme, String> {
    let known = Scheme::named(name).filter(|scheme| scheme.exists());
    known.ok_or_else(|| format!("expected {}", Scheme::names(Scheme::exists)))
}

fn schemes_help() -> String {
    let (all, accounts) = (Scheme::exists, |scheme: Scheme| scheme.proves(Ability::Account));
    format!(
        "The schemes that the chain keeps: {}; with {}, its keys are accounts and slots",
        Scheme::names(all),
        Scheme::names(accounts)
    )
}

/// Begins a development chain with a new key.
pub(super) fn begin_development(folder: &Path, options: &SchemeOptions) -> Result<()> {
    begin_in(folder, || {
        let key = own_key(folder)?;
        let schemes = [Scheme::Avl, Scheme::Lvmt, Scheme::Smt, Scheme::Amb];
        let schemes = scheme_configs(&schemes, &LvmtArgs::default(), LmptConfig::default())?;
        let public = vec![key.verifying_key().to_bytes()];
        let config = ChainConfig { schemes, ..config("development", public, 1) };
        begin(folder, &config, vec![key], None, options).map(|_| ())
    })
}

/// The schemes of the chain's configuration, each once, ascending by id.
fn scheme_configs(
    schemes: &[Scheme],
    lvmt: &LvmtArgs,
    lmpt: LmptConfig,
) -> Result<Vec<SchemeConfig>> {
    let mut schemes = schemes.to_vec();
    schemes.sort_unstable_by_key(|scheme| scheme.id());
    schemes.dedup();
    let config = |scheme| match scheme {
        Scheme::Lmpt => Ok(SchemeConfig::lmpt(&lmpt)),
        Scheme::Lvmt => lvmt.config().map(|config| SchemeConfig::lvmt(&config)),
        other => Ok(SchemeConfig::without_params(other)),
    };
    schemes.into_iter().map(config).collect()
}

fn config(chain_id: &str, authorities: Vec<[u8; 32]>, quorum: u16) -> ChainConfig {
    ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: chain_id.to_owned(),
        schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
        authorities,
        quorum,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: now_ms(),
    }
}

fn begin(
    folder: &Path,
    config: &ChainConfig,
    keys: Vec<SigningKey>,
    state: Option<&Path>,
    options: &SchemeOptions,
) -> Result<Header> {
    config.check()?;
    let signers = Signers::with_any_keys(config, keys)?;
    let genesis_file = folder.join(GENESIS_FILE);
    if genesis_file.exists() {
        // Left by a start that was interrupted before the chain existed.
        std::fs::remove_file(&genesis_file).map_err(|error| file_error(&genesis_file, &error))?;
    }
    if let Some(state) = state {
        read_block(state, config)?;
        std::fs::copy(state, &genesis_file).map_err(|error| file_error(state, &error))?;
    }
    let mut chain = Chain::create_with(folder, config, options)?;
    begin_genesis(folder, &mut chain, &signers).inspect_err(|error| {
        if error.code() == Code::InvalidInput {
            // No chain can begin with that state: delete the state and the chain.
            drop(chain);
            let _ = std::fs::remove_file(&genesis_file);
            let _ = Chain::discard(folder);
        }
    })
}

/// Makes the genesis block, or proposes it to remote authorities.
fn begin_genesis(folder: &Path, chain: &mut Chain, signers: &Signers) -> Result<Header> {
    if signers.are_quorum(chain.config()) {
        return Ok(make_genesis(folder, chain, signers)?.head().header.clone());
    }
    let operations = genesis_operations(folder, chain)?;
    SignatureCollector::propose(&ProposalFolder::of(folder), chain, operations, now_ms())
}

/// The chain up to its newest block. If there is no block, genesis is made and signed.
pub(super) fn first_view(
    folder: &Path,
    chain: &mut Chain,
    signing: &BlockSigner,
    mut shared: Option<&mut SharedLog>,
) -> Result<View> {
    if chain.height().is_some() {
        return chain.view();
    }
    if let Some(resumed) = signing.resume(chain, now_ms(), shared.as_deref_mut())? {
        return resumed.into_view();
    }
    let operations = genesis_operations(folder, chain)?;
    signing.make(chain, operations, now_ms(), shared)?.into_view()
}

/// The file with a chain's initial state, in its folder. It is written before the chain.
const GENESIS_FILE: &str = "genesis.jsonl";

/// Makes the genesis block of a chain without blocks, signed with the local keys.
pub(super) fn make_genesis(folder: &Path, chain: &mut Chain, signers: &Signers) -> Result<View> {
    let operations = genesis_operations(folder, chain)?;
    signers.make(chain, operations, now_ms())
}

fn genesis_operations(folder: &Path, chain: &Chain) -> Result<Vec<StateOperation>> {
    let genesis_file = folder.join(GENESIS_FILE);
    if !genesis_file.exists() {
        return Ok(Vec::new());
    }
    read_block(&genesis_file, chain.config())
}

fn key_path(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("authority-{index}.key"))
}

fn own_key(folder: &Path) -> Result<SigningKey> {
    let path = key_path(folder, 0);
    if path.exists() {
        // Left by a start that was interrupted before the chain existed.
        return keys::read_key(&path);
    }
    let key = keys::generate_key()?;
    store_key(folder, 0, &key)?;
    Ok(key)
}

fn store_key(folder: &Path, index: usize, key: &SigningKey) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| file_error(folder, &error))?;
    keys::write_key(&key_path(folder, index), key)
}

/// The keys in the folder of a chain.
pub(super) fn read_keys(folder: &Path) -> Result<Vec<SigningKey>> {
    let paths = (0..).map(|index| key_path(folder, index));
    paths.take_while(|path| path.exists()).map(|path| keys::read_key(&path)).collect()
}

/// Opens a chain whose blocks are signed with the keys in its folder. Makes its genesis block if the first start was
/// interrupted.
pub(super) fn open(folder: &Path, options: &SchemeOptions) -> Result<(Chain, Signers)> {
    let mut chain = Chain::reopen(folder, options)?;
    let signers = Signers::new(chain.config(), read_keys(folder)?)?;
    if chain.height().is_none() {
        make_genesis(folder, &mut chain, &signers)?;
    }
    Ok((chain, signers))
}

/// Opens a chain with the keys in its folder, which may be fewer than the quorum.
pub(super) fn open_with_keys(folder: &Path, options: &SchemeOptions) -> Result<(Chain, Signers)> {
    let chain = Chain::reopen(folder, options)?;
    let signers = Signers::with_any_keys(chain.config(), read_keys(folder)?)?;
    Ok((chain, signers))
}

/// Begins a development chain in a folder without a chain, if permitted.
pub(super) fn begin_if_dev(settings: &ResolvedSettings) -> Result<()> {
    let folder = &settings.data_dir;
    if !settings.dev {
        let expected = format_args!(
            "a chain in {}; `init` begins one, and `run --dev` a development chain",
            folder.display()
        );
        return Err(Error::new(Reason::InvalidArgument, expected, "none"));
    }
    begin_development(folder, &settings.schemes)?;
    tracing::warn!(
        folder = %folder.display(),
        "no chain in the folder: began a development chain with a new key"
    );
    Ok(())
}

/// The arguments of `verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    log: LogArgs,
}

impl VerifyArgs {
    /// Executes every block in a separate folder, and compares the results with the stored chain.
    pub(super) fn verify(&self) -> Result<()> {
        if let Some(log) = self.log.open()? {
            let (_scratch, chain) = log.execute_in_scratch()?;
            let view = chain.view()?;
            let values = view.entries().try_fold(0_u64, |count, entry| entry.map(|_| count + 1))?;
            println!("{} blocks and {values} values verified", view.height() + 1);
            return Ok(());
        }
        let folder = &self.folder.data_dir;
        // Fails before anything is written.
        Chain::exists(folder)?;
        let scratch = ScratchFolder::new_in(folder).map_err(|error| file_error(folder, &error))?;
        let mut replayed = Chain::create_like(&scratch.path().join("chain"), folder)?;
        let options = SchemeOptions { check_all_nodes: true, ..SchemeOptions::default() };
        let view = Chain::reopen(folder, &options)?.view()?;
        // Fails before anything is executed if block 0 is not kept.
        view.block(BlockId::Height(0))?;
        for height in 0..=view.height() {
            match replayed.follow(view.block(BlockId::Height(height))?) {
                Verdict::Valid(_) => {}
                Verdict::Invalid(error) => {
                    let expected = format_args!("block {height} with {}", error.expected());
                    return Err(Error::new(Reason::StoreCorrupt, expected, error.found()));
                }
                Verdict::None(error) => return Err(error),
            }
            view.header_path(height, &view.head().header)?;
        }
        let replayed = replayed.view()?;
        let (mut stored, mut expected) = (view.entries(), replayed.entries());
        let mut values = 0_u64;
        loop {
            match (stored.next().transpose()?, expected.next().transpose()?) {
                (None, None) => break,
                (stored, expected) if stored == expected => values += 1,
                _ => {
                    let expected = "the keys and values that result from the blocks";
                    return Err(Error::new(Reason::StoreCorrupt, expected, "others"));
                }
            }
        }
        println!("{} blocks and {values} values verified", view.height() + 1);
        Ok(())
    }
}

/// The arguments of `checkpoint`.
#[derive(Debug, Args)]
pub(super) struct CheckpointArgs {
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    log: LogArgs,
    /// The height; the newest block if left out.
    #[arg(long)]
    height: Option<u64>,
}

impl CheckpointArgs {
    pub(super) fn print_checkpoint(&self) -> Result<()> {
        let height = self.height;
        if let Some(log) = self.log.open()? {
            println!("{}", log.checkpoint(height)?);
            return Ok(());
        }
        if let Some(json) = self.proposed_genesis()? {
            println!("{json}");
            return Ok(());
        }
        let json = match open_source(&self.folder.data_dir)? {
            ChainSource::Opened(source) => {
                source.checkpoint(height.map_or(BlockId::Latest, BlockId::Height))?
            }
            ChainSource::Running(node) => {
                let query = height.map(|height| format!("?height={height}"));
                let mut json = Vec::new();
                node.fetch(&format!("/checkpoint{}", query.unwrap_or_default()), |piece| {
                    json.extend_from_slice(piece);
                    Ok(())
                })?;
                String::from_utf8_lossy(&json).into_owned()
            }
        };
        println!("{json}");
        Ok(())
    }

    /// The checkpoint of a proposed genesis block. Authorities need it to sign that block.
    fn proposed_genesis(&self) -> Result<Option<String>> {
        let folder = &self.folder.data_dir;
        let first = AttemptId { height: 0, number: 0 };
        let proposal = match self.height {
            None | Some(0) => ProposalFolder::of(folder).read(first)?,
            Some(_) => None,
        };
        let Some(proposal) = proposal else { return Ok(None) };
        let chain = match Chain::open(folder) {
            Ok(chain) if chain.height().is_none() => chain,
            // A chain with blocks, and a running node that has the chain open, have checkpoints.
            Ok(_) => return Ok(None),
            Err(error) if error.reason() == Reason::StoreFailed => return Ok(None),
            Err(error) => return Err(error),
        };
        let header = Proposal::decode(&proposal)?.header;
        let checkpoint = Checkpoint {
            config: ChainConfig::clone(chain.config()),
            height: header.height,
            header_hash: header.hash(),
        };
        Ok(Some(json::checkpoint::to_json(&checkpoint)))
    }
}

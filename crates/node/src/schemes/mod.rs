//! The authenticated stores of a chain: one [`SchemeStore`] for each of its schemes.

mod avl;
mod lvmt;
mod mpt;
mod options;
mod setup;
mod smt;

pub use avl::AvlScheme;
pub use lvmt::LvmtScheme;
pub use mpt::{MptScheme, prove_account};
pub use options::{Progress, SchemeOptions, Shard};
pub(crate) use setup::copy as copy_setup;
pub use smt::{CACHE_BYTES, SNAPSHOTS, SmtProofs, SmtScheme};

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use prooflight_core::chain::{ChainConfig, StateOperation, state_key};
use prooflight_core::store::WriteBatch;
use prooflight_core::{Ability, Error, Hash, Reason, Result, Scheme};

use crate::store::{EmbeddedSnapshot, EmbeddedStore, Namespace};

/// One authenticated store, moved from block to block in two steps.
///
/// [`prepare`](Self::prepare) says what a block changes, so that all schemes' changes go into one
/// atomic batch; once that is written, [`commit`](Self::commit) takes them over.
pub trait SchemeStore: Send {
    /// Which scheme it is.
    fn scheme(&self) -> Scheme;

    /// The height of its newest block, or `None` before genesis.
    fn height(&self) -> Option<u64>;

    /// The root after its newest block.
    fn root(&self) -> Vec<u8>;

    /// What the next block changes; nothing has changed yet.
    fn prepare<'a>(&self, block: &'a NormalBlock) -> Result<Prepared<'a>>;

    /// Verifies a proof that the next block's operations lead from the root to the one after them.
    ///
    /// `invalid_block` if the scheme has no such proofs.
    fn check_transition(&self, _block: &NormalBlock, _proof: &[u8]) -> Result<()> {
        let expected = format_args!("no transition of {}", self.scheme().as_str());
        Err(Error::new(Reason::InvalidBlock, expected, "one"))
    }

    /// Takes over a prepared block whose writes are in the store.
    fn commit(&mut self, prepared: Prepared<'_>) -> Result<()>;

    /// The chain is open, and the scheme agrees with its head.
    fn opened(&mut self) -> Result<()> {
        Ok(())
    }

    /// Forgets the states before that after block `oldest`.
    fn prune(&mut self, oldest: u64) -> Result<()>;

    /// What proves from snapshots of the store, while further blocks are made.
    fn prover(&self) -> Arc<dyn SchemeProver>;
}

/// Proves values and absences of raw keys.
pub trait SchemeProver: core::fmt::Debug + Send + Sync {
    /// A proof about the state after block `height`, with the root that it is against.
    ///
    /// `unknown_statement` if the scheme has no proofs of raw keys: those of `mpt` are about accounts,
    /// by [`prove_account`]. `version_unavailable` if the scheme no longer keeps that state.
    fn prove(
        &self,
        snapshot: &EmbeddedSnapshot,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<(Vec<u8>, Vec<u8>)>;

    /// Hears of every new block, with the store as it is after it.
    fn published(&self, _snapshot: &EmbeddedSnapshot, _height: u64) {}

    /// Proves every change of a raw key in the blocks `from..=to`.
    ///
    /// `unknown_statement` if the scheme has no histories, `version_unavailable` if it no longer keeps
    /// those states.
    fn history(&self, _key: &[u8], _from: u64, _to: u64) -> Result<ProvedRange> {
        Err(no_history())
    }

    /// Proves which raw keys changed after block `after`, or in any block, and up to block `to`.
    ///
    /// Errors are those of [`history`](Self::history).
    fn diff(&self, _after: Option<u64>, _to: u64) -> Result<ProvedRange> {
        Err(no_history())
    }
}

/// A proof about a range of blocks.
#[derive(Clone, Debug)]
pub struct ProvedRange {
    /// The blocks whose roots it needs, newest first, with these roots.
    pub roots: Vec<(u64, Hash)>,
    /// The proof, in the scheme's format.
    pub proof: Vec<u8>,
}

impl ProvedRange {
    /// The blocks whose headers a client needs for a history from block `from` on: those of the roots,
    /// those of the changes, and the first one.
    pub fn heights(&self, from: u64) -> BTreeSet<u64> {
        let blocks = self.roots.iter().map(|(block, _)| *block);
        // The tree of the block before a change comes after that of the change.
        let changed = self.roots.iter().skip(1).map(|(block, _)| block + 1);
        blocks.chain(changed).chain([from]).collect()
    }
}

/// Where schemes keep what is not in the store, and how.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The folder of the chain.
    pub folder: &'a Path,
    /// What is up to the node, not the chain.
    pub options: &'a SchemeOptions,
}

/// The next block of a scheme, proved but not yet written.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// The root after the block.
    pub root: Vec<u8>,
    /// The proof that the block's operations lead from the root before to this one, if the scheme
    /// has such proofs.
    pub transition: Option<Vec<u8>>,
    /// What has to be written, in the scheme's namespace.
    pub writes: WriteBatch,
    changes: Changes<'a>,
}

/// What a scheme keeps in memory between the two steps.
#[derive(Debug)]
enum Changes<'a> {
    Avl(Box<prooflight_avl::PreparedBatch<'a>>),
    Lvmt(Box<prooflight_lvmt::PreparedBlock>),
    Mpt(prooflight_mpt::PreparedTrie),
    Smt(prooflight_smt::snapshot::PreparedBlock),
}

/// A block's normalised operations, with the hashes that schemes use for keys.
#[derive(Clone, Debug)]
pub struct NormalBlock {
    operations: Vec<StateOperation>,
    key_hashes: Vec<Hash>,
}

impl NormalBlock {
    /// A block of operations that are normalised.
    pub fn new(operations: Vec<StateOperation>) -> Self {
        let key_hashes = operations.iter().map(|operation| state_key(operation.key())).collect();
        Self { operations, key_hashes }
    }

    /// The operations, ascending by raw key.
    pub fn operations(&self) -> &[StateOperation] {
        &self.operations
    }

    /// The operations with the hashes of their keys, ascending by hash.
    pub fn by_key_hash(&self) -> Vec<(&Hash, &StateOperation)> {
        let mut pairs: Vec<_> = self.key_hashes.iter().zip(&self.operations).collect();
        pairs.sort_unstable_by_key(|&(hash, _)| hash);
        pairs
    }
}

/// The part of the store that a scheme has for itself.
pub fn namespace<S>(store: S, scheme: Scheme) -> Namespace<S> {
    Namespace::new(store, [b'x', scheme.id()])
}

/// Makes what has to be there before a chain begins: the tables of LVMT's setup.
pub(crate) fn begin(config: &ChainConfig, place: Place<'_>) -> Result<()> {
    config.lvmt().map_or(Ok(()), |lvmt| setup::tables(&lvmt, place).map(|_| ()))
}

/// Opens the store of a scheme; `unknown_statement` if this build does not have it.
pub fn open(
    scheme: Scheme,
    store: &EmbeddedStore,
    config: &ChainConfig,
    place: Place<'_>,
) -> Result<Box<dyn SchemeStore>> {
    let whole = store;
    let store = namespace(store.clone(), scheme);
    match scheme {
        Scheme::Avl => Ok(Box::new(AvlScheme::open(store, config)?)),
        Scheme::Lvmt => Ok(Box::new(LvmtScheme::open(store, config, place)?)),
        Scheme::Mpt => Ok(Box::new(MptScheme::open(store)?)),
        Scheme::Smt => Ok(Box::new(SmtScheme::open(whole, place)?)),
        other => Err(unknown(other)),
    }
}

#[cold]
fn unknown(scheme: Scheme) -> Error {
    Error::new(Reason::UnknownStatement, Scheme::names(Scheme::exists), scheme.as_str())
}

#[cold]
fn no_history() -> Error {
    let histories = Scheme::names(|scheme| scheme.proves(Ability::History));
    Error::new(Reason::UnknownStatement, histories, "a scheme without histories")
}

#[cold]
pub(crate) fn not_kept(scheme: Scheme) -> Error {
    Error::new(Reason::UnknownStatement, "a scheme of this chain", scheme.as_str())
}

#[cold]
fn other_changes() -> Error {
    Error::new(Reason::Bug, "what the scheme itself prepared", "another scheme's changes")
}

//! The chain's only writer: makes blocks, or checks and stores those of another node.

pub(crate) mod accounts;
pub(crate) mod audit;
pub(crate) mod block;
mod builder;
mod executed;
mod folder;
mod format;
pub mod history;
pub mod keys;
pub mod normalise;
pub mod proposal;
pub mod schemes;
pub mod store;
mod verdict;
pub(crate) mod view;
pub mod wire;

pub(crate) use builder::{ChainBuilder, EntryWriter};
pub use executed::ExecutedBlock;
pub(crate) use folder::SYNCING_FILE;
pub use verdict::Verdict;

use std::sync::Arc;

use prooflight_core::chain::{ChainConfig, Header, SignedHeader, StateOperation, operations_root};
use prooflight_core::store::{RawKeyChange, Store, WriteBatch};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Scheme};
use prooflight_light::{PreviousState, verify_block};
use rayon::prelude::*;

use block::{Block, BlockBody};
use normalise::{check_bytes, normalise};
use proposal::Proposal;
use schemes::SchemeStore;
use store::{Anchor, EmbeddedStore};
use view::{SchemeReaders, View};

/// A chain in a folder. A block is on disk before it becomes visible.
pub struct Chain {
    store: EmbeddedStore,
    anchor: Anchor,
    config: Arc<ChainConfig>,
    schemes: SchemeStores,
    readers: SchemeReaders,
    /// The newest header with its hash; `None` before genesis.
    head: Option<(Arc<SignedHeader>, Hash)>,
    /// The number of blocks per snapshot file of smt.
    blocks_per_file: u64,
    /// The schemes of the chain that this node does not keep, since it began with a state without them.
    left_out: Vec<Scheme>,
    /// Whether readers are disabled, as during an import.
    readers_disabled: bool,
    /// Whether a write has failed, so that the state on disk is unknown.
    failed: bool,
}

/// The numbers of blocks before the newest whose data are kept; `None` keeps those of all blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockRetention {
    /// The blocks whose states can be proved.
    pub states: Option<u64>,
    /// The blocks with their operations and transition proofs, which replicas and stateless followers fetch.
    pub blocks: Option<u64>,
}

/// The parent in the header of a genesis block.
const GENESIS_PARENT: Hash = [0; 32];

/// The blocks whose operations are deleted at once.
const PRUNE_BATCH_BLOCKS: u64 = 1000;

/// The stores of a chain's schemes, ascending by id.
type SchemeStores = Vec<(Scheme, Box<dyn SchemeStore>)>;

/// The result of a block's operations.
struct ExecutionResult {
    roots: Vec<(u8, Vec<u8>)>,
    transitions: Vec<(u8, Vec<u8>)>,
    /// The writes of all schemes.
    writes: WriteBatch,
    /// The changes in memory of each scheme.
    next: Vec<schemes::NextState>,
}

impl Chain {
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
        let (config, head, readers) = (self.config.clone(), head.clone(), self.readers.clone());
        Ok(View::new(self.store.snapshot()?, config, head, readers))
    }

    /// Executes operations as the next block. Nothing is written.
    ///
    /// Its timestamp is `now_ms`, or one millisecond after the parent's if that is later; genesis has
    /// the configuration's. `request_too_large` if the operations have more bytes than a block may, or their
    /// transition is larger than a verifier accepts.
    pub fn execute(
        &self,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
    ) -> Result<ExecutedBlock> {
        self.check_may_make()?;
        let operations =
            normalise(operations, &self.config, &block::raw_state(self.store.clone()))?;
        check_bytes(&operations)?;
        let executed = self.execute_normalised(operations, now_ms, &[])?;
        executed.check_transition_bytes()?;
        Ok(executed)
    }

    /// Judges an unsigned block by executing it. Nothing is written.
    ///
    /// Invalid is a block that does not follow the newest (`not_extending`), operations that are not those of the
    /// header (`operations_mismatch`) or not normalised (`invalid_block`), and roots that do not follow from the
    /// operations (`state_root_mismatch`). The verdict depends on the chain and the block alone. There is none if
    /// the store fails.
    pub fn execute_given(&self, proposal: &Proposal) -> Verdict<ExecutedBlock> {
        if let Err(error) = self.check_usable() {
            return Verdict::None(error);
        }
        if let Err(error) = self.check_form(proposal) {
            return Verdict::Invalid(error);
        }
        match Verdict::by_own_state(self.execute_as_given(proposal)) {
            Verdict::Valid(executed) => match check_same(&proposal.header, &executed.header) {
                Ok(()) => Verdict::Valid(executed),
                Err(error) => Verdict::Invalid(error),
            },
            other => other,
        }
    }

    /// Stores an executed block with the signatures of its header.
    ///
    /// Refused, with nothing changed: a header with too few signatures (`too_few_signatures`), a header of another block
    /// (`invalid_argument`), and a block that was executed on another state than the newest (`not_extending`). After
    /// `store_failed` the chain takes no more blocks: it must be reopened, which shows what is on disk.
    pub fn commit(&mut self, executed: ExecutedBlock, signed: SignedHeader) -> Result<View> {
        self.check_usable()?;
        signed.check_signed(&self.config)?;
        executed.check_header(&signed)?;
        self.write(executed, signed)
    }

    /// Judges a block of another node by executing it, and stores it if it is valid.
    ///
    /// Invalid, with nothing changed, is a block whose header the chain's authorities have not signed, one that
    /// [`execute_given`](Self::execute_given) finds invalid, and one with a transition proof that does not verify.
    /// There is no verdict if the store fails.
    pub fn follow(&mut self, block: Block) -> Verdict<View> {
        self.follow_executed(block, None)
    }

    /// Like [`follow`](Self::follow). If `executed` is that block, it is not executed a second time.
    pub fn follow_executed(
        &mut self,
        block: Block,
        executed: Option<ExecutedBlock>,
    ) -> Verdict<View> {
        if let Err(error) = self.check_usable() {
            return Verdict::None(error);
        }
        if let Err(error) = self.check_signed(&block.header) {
            return Verdict::Invalid(error);
        }
        let Block { header: signed, body: BlockBody { operations, transitions } } = block;
        let proposal = Proposal { header: signed.header.clone(), operations };
        let executed = executed.filter(|executed| {
            executed.header == signed.header && self.check_on_newest(executed).is_ok()
        });
        let executed = match executed {
            Some(executed) => match self.check_form(&proposal) {
                Ok(()) => executed,
                Err(error) => return Verdict::Invalid(error),
            },
            None => match self.execute_given(&proposal) {
                Verdict::Valid(executed) => executed,
                Verdict::Invalid(error) => return Verdict::Invalid(error),
                Verdict::None(error) => return Verdict::None(error),
            },
        };
        if let Err(error) = self.check_transitions(&executed, &proposal, &transitions) {
            return Verdict::Invalid(error);
        }
        match self.write(executed, signed) {
            Ok(view) => Verdict::Valid(view),
            Err(error) => Verdict::None(error),
        }
    }

    /// Checks the form and the signatures of a header of another node.
    fn check_signed(&self, signed: &SignedHeader) -> Result<()> {
        SignedHeader::decode(&signed.encode(), &Limits::default())?;
        signed.check_signed(&self.config)
    }

    /// Checks the parts of a block that can be checked without the chain's state.
    pub(crate) fn check_form(&self, proposal: &Proposal) -> Result<()> {
        let Proposal { header, operations } = proposal;
        Header::decode(&header.encode(), &Limits::default())?;
        let chain = self.config.id();
        if header.chain != chain {
            return Err(Error::new(Reason::WrongChain, Hex(&chain), Hex(&header.chain)));
        }
        let root = operations_root(operations);
        if root != header.ops_root {
            return Err(Error::new(Reason::OperationsMismatch, Hex(&header.ops_root), Hex(&root)));
        }
        Ok(())
    }

    /// Executes the operations of a block at its time; the header may differ from the block's.
    fn execute_as_given(&self, proposal: &Proposal) -> Result<ExecutedBlock> {
        let Proposal { header, operations: given } = proposal;
        let state = block::raw_state(self.store.clone());
        let operations = normalise(given.iter().cloned(), &self.config, &state)?;
        if operations != *given {
            return Err(Error::new(Reason::InvalidBlock, "normalised operations", "others"));
        }
        // This node cannot compute the roots of schemes that it left out; the authorities have signed them.
        let signed = self.left_out.iter();
        let signed = signed.map(|scheme| Ok((scheme.id(), header.expect_root(*scheme)?.to_vec())));
        self.execute_normalised(
            operations,
            header.timestamp_ms,
            &signed.collect::<Result<Vec<_>>>()?,
        )
    }

    /// Executes normalised operations; `left_out` has the roots of the schemes that this node does not keep.
    fn execute_normalised(
        &self,
        operations: Vec<StateOperation>,
        now_ms: u64,
        left_out: &[(u8, Vec<u8>)],
    ) -> Result<ExecutedBlock> {
        let ExecutionResult { mut roots, transitions, writes, next } = self.run(&operations)?;
        roots.extend_from_slice(left_out);
        roots.sort_unstable_by_key(|(id, _)| *id);
        let header = self.next_header(&operations, roots, now_ms)?;
        Ok(ExecutedBlock { header, body: BlockBody { operations, transitions }, writes, next })
    }

    /// Deletes the states before that of block `oldest`; the blocks themselves stay.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.schemes.iter_mut().try_for_each(|(_, store)| store.prune(oldest))?;
        self.renew_readers()?;
        Ok(())
    }

    /// Deletes the states and blocks that are older than the limits.
    pub fn apply_retention(&mut self, limits: BlockRetention) -> Result<()> {
        let Some(height) = self.height() else { return Ok(()) };
        let oldest = |keep: Option<u64>| keep.and_then(|keep| height.checked_sub(keep));
        if let Some(oldest) = oldest(limits.states).filter(|oldest| *oldest > 0) {
            self.prune(oldest)?;
        }
        oldest(limits.blocks).map_or(Ok(()), |oldest| self.prune_blocks(oldest))
    }

    /// Deletes the operations and transition proofs of the blocks before `oldest`, some at a time. All headers stay, and
    /// the blocks that a scheme may have to re-execute.
    fn prune_blocks(&mut self, oldest: u64) -> Result<()> {
        let newest = self.height().map_or(0, |height| height + 1);
        // After a restart, smt re-executes the blocks whose file is not complete.
        let needed = newest - newest % self.blocks_per_file.max(1);
        let kept = block::oldest_kept(&self.store)?;
        let until = oldest.min(needed).min(kept + PRUNE_BATCH_BLOCKS);
        if until <= kept {
            return Ok(());
        }
        let mut batch = WriteBatch::new();
        block::delete_bodies(&mut batch, kept, until);
        self.store.write(batch)
    }

    /// Checks the transition proofs of a block of another node; equal proofs of this node need no check.
    fn check_transitions(
        &self,
        executed: &ExecutedBlock,
        proposal: &Proposal,
        given: &[(u8, Vec<u8>)],
    ) -> Result<()> {
        let made = &executed.body.transitions;
        let ids = |proofs: &[(u8, Vec<u8>)]| proofs.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        if ids(made) != ids(given) {
            return Err(Error::new(
                Reason::InvalidBlock,
                format_args!("the transitions of the schemes {:?}", ids(made)),
                format_args!("those of {:?}", ids(given)),
            ));
        }
        let (Proposal { header, operations }, limits) = (proposal, &self.config.limits);
        let parent = self.head.as_ref().map(|(head, _)| &head.header);
        let before = PreviousState { parent, digest: None };
        for (_, given) in given.iter().filter(|given| !made.contains(given)) {
            let _ = verify_block(&before, header, operations, given, limits)?;
        }
        Ok(())
    }

    /// Prepares the next block in each scheme, on all threads.
    fn run(&self, operations: &[StateOperation]) -> Result<ExecutionResult> {
        let changes: Vec<_> = operations.iter().map(RawKeyChange::from).collect();
        let (mut roots, mut transitions) = (Vec::new(), Vec::new());
        let mut writes = WriteBatch::new();
        let prepare =
            |(scheme, store): &(Scheme, Box<dyn SchemeStore>)| (*scheme, store.prepare(&changes));
        let prepared: Vec<_> = self.schemes.par_iter().map(prepare).collect();
        let mut next = Vec::with_capacity(prepared.len());
        for (scheme, prepared) in prepared {
            let prepared = prepared?;
            roots.push((scheme.id(), prepared.root));
            transitions.extend(prepared.transition.map(|proof| (scheme.id(), proof)));
            schemes::namespace((), scheme).move_into(&mut writes, prepared.writes);
            next.push(prepared.next);
        }
        Ok(ExecutionResult { roots, transitions, writes, next })
    }

    /// The header of the next block with these operations and roots.
    fn next_header(
        &self,
        operations: &[StateOperation],
        roots: Vec<(u8, Vec<u8>)>,
        now_ms: u64,
    ) -> Result<Header> {
        let (height, parent, timestamp_ms) = match &self.head {
            None => (0, GENESIS_PARENT, self.config.genesis_timestamp_ms),
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
            ops_root: operations_root(operations),
            history_root: history::root(&self.store, height)?,
            roots,
        })
    }

    /// Writes a block in one batch, then its anchor, and only then makes it visible.
    fn write(&mut self, executed: ExecutedBlock, signed: SignedHeader) -> Result<View> {
        self.check_on_newest(&executed)?;
        let ExecutedBlock { body, writes: mut batch, next, .. } = executed;
        let (height, hash) = (signed.header.height, signed.header.hash());
        let block = Block { header: signed, body };
        block::put(&mut batch, &block, &hash)?;
        history::append(&self.store, height, &hash, &mut batch)?;
        // Until everything below has succeeded, memory and disk may differ.
        self.failed = true;
        self.store.write(batch)?;
        self.anchor.write(height, &hash)?;
        for ((_, store), next) in self.schemes.iter_mut().zip(next) {
            store.commit(next)?;
        }
        self.renew_readers()?;
        self.head = Some((Arc::new(block.header), hash));
        self.failed = false;
        self.view()
    }

    /// Refuses a block that was executed on another state than the newest.
    fn check_on_newest(&self, executed: &ExecutedBlock) -> Result<()> {
        let newest = self.head.as_ref().map_or(GENESIS_PARENT, |(_, hash)| *hash);
        let parent = executed.header.parent;
        if parent == newest {
            return Ok(());
        }
        let expected = format_args!("a block after the header {}", Hex(&newest));
        Err(Error::new(Reason::NotExtending, expected, format_args!("one after {}", Hex(&parent))))
    }

    /// Ends an import: updates the nodes for proofs of the newest state, which are not updated during an import. The next
    /// opening would do so too, but takes longer.
    pub fn finish_import(mut self) -> Result<()> {
        self.check_usable()?;
        self.readers_disabled = false;
        self.renew_readers()
    }

    /// Takes the readers of each scheme's current state.
    fn renew_readers(&mut self) -> Result<()> {
        if !self.readers_disabled {
            let reader = |(scheme, store): &mut (Scheme, Box<dyn SchemeStore>)| {
                Ok((*scheme, store.reader()?))
            };
            self.readers = self.schemes.iter_mut().map(reader).collect::<Result<_>>()?;
        }
        Ok(())
    }

    /// Refuses to make or sign blocks after a failed write, or without the roots of all schemes.
    pub(crate) fn check_may_make(&self) -> Result<()> {
        self.check_usable()?;
        let Some(scheme) = self.left_out.first() else { return Ok(()) };
        let found = format_args!("one that began with a state without {}", scheme.as_str());
        Err(Error::new(Reason::ReadOnly, "a node with the states of all schemes", found))
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
}

impl core::fmt::Debug for Chain {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Chain").field("height", &self.height()).finish_non_exhaustive()
    }
}

/// Checks that the header of a block is the one that follows from executing it.
fn check_same(given: &Header, expected: &Header) -> Result<()> {
    if given.roots != expected.roots {
        return Err(Error::new(
            Reason::StateRootMismatch,
            format_args!(
                "the roots after block {}: {}",
                expected.height,
                show_roots(&expected.roots)
            ),
            show_roots(&given.roots),
        ));
    }
    if given == expected {
        return Ok(());
    }
    Err(Error::new(
        Reason::NotExtending,
        format_args!("the header after {}, with hash {}", expected.height, Hex(&expected.hash())),
        format_args!("one of height {}, with hash {}", given.height, Hex(&given.hash())),
    ))
}

fn show_roots(roots: &[(u8, Vec<u8>)]) -> String {
    let roots: Vec<_> = roots.iter().map(|(id, root)| format!("{id}: {}", Hex(root))).collect();
    roots.join(", ")
}

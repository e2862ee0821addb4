//! The chain's only writer: makes blocks, or checks and stores those of another node.

mod folder;

use std::sync::Arc;

use prooflight_core::chain::{ChainConfig, Header, SignedHeader, StateOperation, operations_root};
use prooflight_core::store::{Change, Store, WriteBatch};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Scheme};
use prooflight_light::{Before, verify_block};

use crate::authority::Signers;
use crate::block::{self, Block, Body};
use crate::history;
use crate::normalise::{check_bytes, normalise};
use crate::schemes::{self, SchemeStore};
use crate::store::{Anchor, EmbeddedStore};
use crate::view::{Readers, View};

/// A chain in a folder. A block is on disk before it becomes visible.
pub struct Chain {
    store: EmbeddedStore,
    anchor: Anchor,
    config: Arc<ChainConfig>,
    schemes: Schemes,
    readers: Readers,
    /// The newest header with its hash; none before genesis.
    head: Option<(Arc<SignedHeader>, Hash)>,
    /// Whether a write has failed, so that the state on disk is unknown.
    failed: bool,
}

/// The stores of a chain's schemes, ascending by id.
type Schemes = Vec<(Scheme, Box<dyn SchemeStore>)>;

/// The result of a block's operations.
struct Outcome {
    roots: Vec<(u8, Vec<u8>)>,
    transitions: Vec<(u8, Vec<u8>)>,
    /// The writes of all schemes.
    writes: WriteBatch,
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

    /// Makes, signs and stores the next block.
    ///
    /// Its timestamp is `now_ms`, or one millisecond after the parent's if that is later; genesis has
    /// the configuration's. If an operation is refused, nothing has changed; `request_too_large` if the
    /// operations have more bytes than a block may, or their transition is larger than a verifier
    /// accepts. After `store_failed` the chain takes no more blocks: it must be reopened, which shows
    /// what is on disk.
    pub fn make(
        &mut self,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
        signers: &Signers,
    ) -> Result<View> {
        self.check_usable()?;
        let operations = normalise(operations, &self.config, &block::state(self.store.clone()))?;
        check_bytes(&operations)?;
        let outcome = self.run(&operations)?;
        check_transition_bytes(&outcome.transitions)?;
        let header = self.next_header(&operations, outcome.roots, now_ms)?;
        let body = Body { operations, transitions: outcome.transitions };
        self.keep(Block { header: signers.sign(header), body }, outcome.writes)
    }

    /// Checks a block of another node by executing it, and stores it.
    ///
    /// Refused, with nothing changed: a header that the chain's authorities have not signed, one that
    /// does not follow the newest (`not_extending`), operations that are not those of the header
    /// (`operations_mismatch`) or not normalised (`invalid_block`), roots that do not follow from the
    /// operations (`state_root_mismatch`), and a transition proof that does not verify.
    pub fn follow(&mut self, block: Block) -> Result<View> {
        self.check_usable()?;
        let header = &block.header.header;
        // Enforces the form that decoding checks, since the block comes from elsewhere.
        SignedHeader::decode(&block.header.encode(), &Limits::default())?;
        block.header.check_signed(&self.config)?;
        let root = operations_root(&block.body.operations);
        if root != header.ops_root {
            return Err(Error::new(Reason::OperationsMismatch, Hex(&header.ops_root), Hex(&root)));
        }
        let (given, state) = (&block.body.operations, block::state(self.store.clone()));
        if normalise(given.iter().cloned(), &self.config, &state)? != *given {
            return Err(Error::new(Reason::InvalidBlock, "normalised operations", "others"));
        }
        let outcome = self.run(given)?;
        let expected = self.next_header(given, outcome.roots, header.timestamp_ms)?;
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
        self.check_transitions(&outcome.transitions, &block)?;
        let body = Body { transitions: outcome.transitions, ..block.body };
        self.keep(Block { body, ..block }, outcome.writes)
    }

    /// Deletes the states before that of block `oldest`; the blocks themselves stay.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.schemes.iter_mut().try_for_each(|(_, store)| store.prune(oldest))?;
        self.readers = readers(&mut self.schemes)?;
        Ok(())
    }

    /// Deletes the states of blocks more than `blocks` before the newest, if there is a limit.
    pub fn keep_states(&mut self, blocks: Option<u64>) -> Result<()> {
        match (blocks, self.height()) {
            (Some(keep), Some(height)) if height > keep => self.prune(height - keep),
            _ => Ok(()),
        }
    }

    /// Checks the transition proofs of another node's block; our own need no check.
    fn check_transitions(&self, made: &[(u8, Vec<u8>)], block: &Block) -> Result<()> {
        let Body { operations, transitions: given } = &block.body;
        let ids = |proofs: &[(u8, Vec<u8>)]| proofs.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        if ids(made) != ids(given) {
            return Err(Error::new(
                Reason::InvalidBlock,
                format_args!("the transitions of the schemes {:?}", ids(made)),
                format_args!("those of {:?}", ids(given)),
            ));
        }
        let (header, limits) = (&block.header.header, &self.config.limits);
        let parent = self.head.as_ref().map(|(head, _)| &head.header);
        let before = Before { parent, digest: None };
        for (_, given) in given.iter().filter(|given| !made.contains(given)) {
            let _ = verify_block(&before, header, operations, given, limits)?;
        }
        Ok(())
    }

    /// Prepares the next block in each scheme.
    fn run(&mut self, operations: &[StateOperation]) -> Result<Outcome> {
        let changes: Vec<_> = operations.iter().map(Change::from).collect();
        let (mut roots, mut transitions) = (Vec::new(), Vec::new());
        let mut writes = WriteBatch::new();
        for (scheme, store) in &mut self.schemes {
            let next = store.prepare(&changes)?;
            roots.push((scheme.id(), next.root));
            transitions.extend(next.transition.map(|proof| (scheme.id(), proof)));
            schemes::namespace((), *scheme).move_into(&mut writes, next.writes);
        }
        Ok(Outcome { roots, transitions, writes })
    }

    /// The header of the next block with these operations and roots.
    fn next_header(
        &self,
        operations: &[StateOperation],
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
            ops_root: operations_root(operations),
            history_root: history::root(&self.store, height)?,
            roots,
        })
    }

    /// Writes a block in one batch, and only then makes it visible.
    fn keep(&mut self, block: Block, mut batch: WriteBatch) -> Result<View> {
        let (height, hash) = (block.header.header.height, block.header.header.hash());
        block::put(&mut batch, &block, &hash)?;
        history::append(&self.store, height, &hash, &mut batch)?;
        // Until everything below has succeeded, memory and disk may differ.
        self.failed = true;
        self.store.write(batch)?;
        self.anchor.write(height, &hash)?;
        self.schemes.iter_mut().try_for_each(|(_, store)| store.commit())?;
        self.readers = readers(&mut self.schemes)?;
        self.head = Some((Arc::new(block.header), hash));
        self.failed = false;
        self.view()
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

/// The readers of each scheme's current state.
fn readers(schemes: &mut Schemes) -> Result<Readers> {
    schemes.iter_mut().map(|(scheme, store)| Ok((*scheme, store.reader()?))).collect()
}

impl core::fmt::Debug for Chain {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Chain").field("height", &self.height()).finish_non_exhaustive()
    }
}

/// Refuses a transition proof that is too large for verifiers.
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

fn show(roots: &[(u8, Vec<u8>)]) -> String {
    let roots: Vec<_> = roots.iter().map(|(id, root)| format!("{id}: {}", Hex(root))).collect();
    roots.join(", ")
}

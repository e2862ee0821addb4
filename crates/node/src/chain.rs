//! The chain's only writer: makes blocks, or checks and stores those of another node.

mod folder;
mod format;
mod unnamed;

pub(crate) use folder::SYNCING;
pub(crate) use unnamed::{Run, Unnamed};

use std::sync::Arc;

use prooflight_core::chain::{ChainConfig, Header, SignedHeader, StateOperation, operations_root};
use prooflight_core::store::{Change, Store, WriteBatch};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Scheme};
use prooflight_light::{Before, verify_block};
use rayon::prelude::*;

use crate::authority::Signers;
use crate::block::{self, Block, Body};
use crate::history;
use crate::normalise::{check_bytes, normalise};
use crate::proposals::Proposal;
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
    /// The number of blocks per snapshot file of smt.
    blocks_per_file: u64,
    /// The next block, executed but not signed, if one is at hand.
    prepared: Option<Prepared>,
    /// The schemes of the chain that this node does not keep, since it began with a state without them.
    left_out: Vec<Scheme>,
    /// Whether nothing is proved.
    unproved: bool,
    /// Whether a write has failed, so that the state on disk is unknown.
    failed: bool,
}

/// How many blocks before the newest keep what; `None` keeps that of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Their states, which can be proved.
    pub states: Option<u64>,
    /// Their operations and transition proofs, which replicas and stateless followers fetch.
    pub blocks: Option<u64>,
}

/// The blocks whose operations are deleted at once.
const BODIES_AT_ONCE: u64 = 1000;

/// The stores of a chain's schemes, ascending by id.
type Schemes = Vec<(Scheme, Box<dyn SchemeStore>)>;

/// The result of a block's operations.
struct Outcome {
    roots: Vec<(u8, Vec<u8>)>,
    transitions: Vec<(u8, Vec<u8>)>,
    /// The writes of all schemes.
    writes: WriteBatch,
}

/// The chain after a block was made.
#[derive(Debug)]
pub struct Made {
    /// The chain up to the new block.
    pub view: View,
    /// Whether it is our block, with our operations.
    pub ours: bool,
    /// Why our operations are not in it, if the next block should not have all of them either.
    pub refused: Option<Error>,
}

/// A block that was executed and not yet written.
struct Prepared {
    header: Header,
    body: Body,
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
        self.make_through(operations, now_ms, signers, |_| Ok(None)).map(|made| made.view)
    }

    /// Like [`make`](Self::make), but `publish` decides which block is stored: ours, if it returns `None`
    /// or the same header, perhaps with other signatures; otherwise the one that it returns, which is
    /// checked like that of another node. If it fails, nothing has changed.
    pub fn make_through(
        &mut self,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
        signers: &Signers,
        publish: impl FnOnce(&Block) -> Result<Option<Block>>,
    ) -> Result<Made> {
        let prepared = self.execute(operations, now_ms)?;
        let header = signers.sign(prepared.header.clone());
        self.keep_through(header, prepared, publish)
    }

    /// Makes the next block without signatures, and holds it until it is [published](Self::publish) or
    /// another one is made or examined. Errors and the timestamp are those of [`make`](Self::make).
    pub fn propose(
        &mut self,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
    ) -> Result<Proposal> {
        let prepared = self.execute(operations, now_ms)?;
        let (header, operations) = (prepared.header.clone(), prepared.body.operations.clone());
        self.prepared = Some(prepared);
        Ok(Proposal { header, operations })
    }

    /// Executes the next block.
    fn execute(
        &mut self,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
    ) -> Result<Prepared> {
        self.check_usable()?;
        self.check_keeps_all()?;
        let operations = normalise(operations, &self.config, &block::state(self.store.clone()))?;
        check_bytes(&operations)?;
        let outcome = self.run(&operations)?;
        check_transition_bytes(&outcome.transitions)?;
        let header = self.next_header(&operations, outcome.roots, now_ms)?;
        let body = Body { operations, transitions: outcome.transitions };
        Ok(Prepared { header, body, writes: outcome.writes })
    }

    /// Checks an unsigned block by executing it, and holds it like [`propose`](Self::propose).
    ///
    /// Refused as by [`follow`](Self::follow), besides the signatures and the transition proofs, and as by
    /// [`make`](Self::make) if it is too large. The verdict depends on the chain and the block alone, unless
    /// the store fails.
    pub fn examine(&mut self, proposal: &Proposal) -> Result<()> {
        // What is examined may be signed here, and must have been executed in every scheme.
        self.check_keeps_all()?;
        check_bytes(&proposal.operations)?;
        self.execute_given(proposal)?;
        let prepared = self.prepared.as_ref();
        prepared.map_or(Ok(()), |prepared| check_transition_bytes(&prepared.body.transitions))
    }

    /// Executes the block of a header, and holds it.
    fn execute_given(&mut self, proposal: &Proposal) -> Result<()> {
        self.check_usable()?;
        let Proposal { header, operations: given } = proposal;
        Header::decode(&header.encode(), &Limits::default())?;
        let chain = self.config.id();
        if header.chain != chain {
            return Err(Error::new(Reason::WrongChain, Hex(&chain), Hex(&header.chain)));
        }
        let root = operations_root(given);
        if root != header.ops_root {
            return Err(Error::new(Reason::OperationsMismatch, Hex(&header.ops_root), Hex(&root)));
        }
        if self.prepared.as_ref().is_some_and(|prepared| prepared.header == *header) {
            return Ok(());
        }
        let state = block::state(self.store.clone());
        if normalise(given.iter().cloned(), &self.config, &state)? != *given {
            return Err(Error::new(Reason::InvalidBlock, "normalised operations", "others"));
        }
        let mut outcome = self.run(given)?;
        // The authorities have signed those that cannot be computed here.
        for scheme in &self.left_out {
            outcome.roots.push((scheme.id(), header.expect_root(*scheme)?.to_vec()));
        }
        outcome.roots.sort_unstable_by_key(|(id, _)| *id);
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
        let body = Body { operations: given.clone(), transitions: outcome.transitions };
        self.prepared = Some(Prepared { header: expected, body, writes: outcome.writes });
        Ok(())
    }

    /// Forgets the block at hand, so that it is executed again when it is examined.
    pub fn drop_prepared(&mut self) {
        self.prepared = None;
    }

    /// Stores the block at hand with the signatures of its header.
    ///
    /// Too few signatures are `too_few_signatures`; a header of another block than the one at hand is a
    /// `bug`. The block stays at hand in both cases. After `store_failed` see [`make`](Self::make).
    pub fn publish(&mut self, signed: SignedHeader) -> Result<View> {
        self.publish_through(signed, |_| Ok(None)).map(|made| made.view)
    }

    /// Like [`publish`](Self::publish), with `publish` as in [`make_through`](Self::make_through).
    pub fn publish_through(
        &mut self,
        signed: SignedHeader,
        publish: impl FnOnce(&Block) -> Result<Option<Block>>,
    ) -> Result<Made> {
        self.check_usable()?;
        signed.check_signed(&self.config)?;
        let prepared = self.take_prepared(&signed.header)?;
        self.keep_through(signed, prepared, publish)
    }

    /// Checks a block of another node by executing it, and stores it. A block that was examined before is
    /// not executed again.
    ///
    /// Refused, with nothing changed: a header that the chain's authorities have not signed, one that
    /// does not follow the newest (`not_extending`), operations that are not those of the header
    /// (`operations_mismatch`) or not normalised (`invalid_block`), roots that do not follow from the
    /// operations (`state_root_mismatch`), and a transition proof that does not verify.
    pub fn follow(&mut self, block: Block) -> Result<View> {
        self.check_usable()?;
        // Enforces the form that decoding checks, since the block comes from elsewhere.
        SignedHeader::decode(&block.header.encode(), &Limits::default())?;
        block.header.check_signed(&self.config)?;
        let Block { header, body: Body { operations, transitions } } = block;
        let proposal = Proposal { header: header.header.clone(), operations };
        self.execute_given(&proposal)?;
        self.check_transitions(&proposal, &transitions)?;
        let Prepared { body, writes, .. } = self.take_prepared(&header.header)?;
        self.keep(Block { header, body }, writes)
    }

    /// Deletes the states before that of block `oldest`; the blocks themselves stay.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.schemes.iter_mut().try_for_each(|(_, store)| store.prune(oldest))?;
        self.renew_readers()?;
        Ok(())
    }

    /// Deletes what the limits do not keep.
    pub fn keep_only(&mut self, limits: Retention) -> Result<()> {
        let Some(height) = self.height() else { return Ok(()) };
        let oldest = |keep: Option<u64>| keep.and_then(|keep| height.checked_sub(keep));
        if let Some(oldest) = oldest(limits.states).filter(|oldest| *oldest > 0) {
            self.prune(oldest)?;
        }
        oldest(limits.blocks).map_or(Ok(()), |oldest| self.prune_blocks(oldest))
    }

    /// Deletes the operations and transition proofs of the blocks before `oldest`, some at a time. All headers stay, and
    /// blocks that a scheme of this chain may have to execute again.
    fn prune_blocks(&mut self, oldest: u64) -> Result<()> {
        let newest = self.height().map_or(0, |height| height + 1);
        // After a restart, smt executes the blocks again whose file is not complete.
        let needed = newest - newest % self.blocks_per_file.max(1);
        let kept = block::oldest(&self.store)?;
        let until = oldest.min(needed).min(kept + BODIES_AT_ONCE);
        if until <= kept {
            return Ok(());
        }
        let mut batch = WriteBatch::new();
        block::delete_bodies(&mut batch, kept, until);
        self.store.write(batch)
    }

    /// Checks the transition proofs of the block at hand that another node sent; our own need no check.
    fn check_transitions(&self, proposal: &Proposal, given: &[(u8, Vec<u8>)]) -> Result<()> {
        let made = self.prepared.as_ref().map_or(&[][..], |it| &it.body.transitions);
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
        let before = Before { parent, digest: None };
        for (_, given) in given.iter().filter(|given| !made.contains(given)) {
            let _ = verify_block(&before, header, operations, given, limits)?;
        }
        Ok(())
    }

    /// Takes the block at hand, which must have this header.
    fn take_prepared(&mut self, header: &Header) -> Result<Prepared> {
        let prepared = self.prepared.take_if(|prepared| prepared.header == *header);
        prepared.ok_or_else(|| Error::new(Reason::Bug, "the block at hand", "another"))
    }

    /// Stores a block that was executed, or the one that `publish` returns instead.
    fn keep_through(
        &mut self,
        header: SignedHeader,
        Prepared { body, writes, .. }: Prepared,
        publish: impl FnOnce(&Block) -> Result<Option<Block>>,
    ) -> Result<Made> {
        let ours = Block { header, body };
        let ours = match publish(&ours)? {
            None => ours,
            Some(published) if published.header.header == ours.header.header => {
                Block { header: published.header, ..ours }
            }
            Some(another) => {
                let view = self.follow(another)?;
                return Ok(Made { view, ours: false, refused: None });
            }
        };
        Ok(Made { view: self.keep(ours, writes)?, ours: true, refused: None })
    }

    /// Prepares the next block in each scheme, on all threads.
    fn run(&mut self, operations: &[StateOperation]) -> Result<Outcome> {
        self.prepared = None;
        let changes: Vec<_> = operations.iter().map(Change::from).collect();
        let (mut roots, mut transitions) = (Vec::new(), Vec::new());
        let mut writes = WriteBatch::new();
        let prepare = |(scheme, store): &mut (Scheme, Box<dyn SchemeStore>)| {
            (*scheme, store.prepare(&changes))
        };
        let prepared: Vec<_> = self.schemes.par_iter_mut().map(prepare).collect();
        for (scheme, next) in prepared {
            let next = next?;
            roots.push((scheme.id(), next.root));
            transitions.extend(next.transition.map(|proof| (scheme.id(), proof)));
            schemes::namespace((), scheme).move_into(&mut writes, next.writes);
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
        self.renew_readers()?;
        self.head = Some((Arc::new(block.header), hash));
        self.failed = false;
        self.view()
    }

    /// Ends an import: brings up to date what proofs of the newest state need, which its blocks have left behind. The next
    /// opening does so as well, but takes longer.
    pub fn end_unproved(mut self) -> Result<()> {
        self.check_usable()?;
        self.unproved = false;
        self.renew_readers()
    }

    /// Takes the readers of each scheme's current state.
    fn renew_readers(&mut self) -> Result<()> {
        if !self.unproved {
            let reader = |(scheme, store): &mut (Scheme, Box<dyn SchemeStore>)| {
                Ok((*scheme, store.reader()?))
            };
            self.readers = self.schemes.iter_mut().map(reader).collect::<Result<_>>()?;
        }
        Ok(())
    }

    /// Refuses to make blocks without the roots of all schemes.
    fn check_keeps_all(&self) -> Result<()> {
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

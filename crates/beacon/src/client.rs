//! The light client for applications: the protocol with stricter trust rules.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Reason, Result, Verified};

use crate::clock::SlotClock;
use crate::finality::{FinalizedBlock, FinalizedBlocks};
use crate::fork::Fork;
use crate::header::LightClientHeader;
use crate::message::{Bootstrap, SyncAggregate, Update, UpdateKind};
use crate::network::Network;
use crate::store::LightClientStore;
use crate::update_chunks::UpdateChunk;

/// Follows a network's heads from a checkpoint that the application trusts.
///
/// Stricter than the specification: no head moves, not even the optimistic one, unless two thirds of
/// the committee signed; there are no forced updates; an update that finalizes an older block than the
/// newest one moves no head; and two finalized blocks of one slot stop the client permanently, as long as
/// the first is one of the last 512. Slots are compared with the caller's [`SlotClock`].
#[derive(Clone, Debug)]
pub struct LightClient {
    pub(crate) store: LightClientStore,
    pub(crate) finalized: Option<Participation>,
    pub(crate) optimistic: Option<Participation>,
    /// The newest finalized blocks; the last one is the store's.
    pub(crate) finalized_blocks: FinalizedBlocks,
    evidence: Option<ConflictEvidence>,
}

/// A beacon block, and the execution block that it commits to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconHead {
    /// The beacon block's slot.
    pub slot: u64,
    /// The beacon block's root.
    pub beacon_root: Hash,
    /// The execution block's hash; `None` before Capella. From Gloas on, that of the newest execution block
    /// before the beacon block's own, whose payload may still be missing.
    pub execution_block_hash: Option<Hash>,
    /// The members that signed it; `None` for the checkpoint, which the application itself trusts.
    pub participation: Option<Participation>,
}

/// The participation of a committee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participation {
    /// Members that signed.
    pub signed: usize,
    /// Members of the committee.
    pub members: usize,
}

/// The changes made by an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadChanges {
    /// Whether there is a newer finalized head, or the next committee became known.
    pub finality: bool,
    /// Whether there is a newer optimistic head.
    pub optimistic: bool,
}

/// Two updates that finalize different blocks of one slot, each signed by two thirds of a committee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictEvidence {
    /// The slot of both blocks.
    pub slot: u64,
    /// The roots of the first block and of the other.
    pub roots: [Hash; 2],
    /// The update that finalized the first block; `None` if the block is trusted, or the update is no longer kept.
    pub first: Option<(UpdateKind, Vec<u8>)>,
    /// The update that finalizes the other block.
    pub second: (UpdateKind, Vec<u8>),
}

impl LightClient {
    /// Starts at a checkpoint: the root of a finalized block that the application trusts.
    ///
    /// `bootstrap` is a `LightClientBootstrap` in SSZ, from any server. `header_hash_mismatch` if it is
    /// of another block; `head_too_old` if the block is more than `max_age` slots before the current one:
    /// validators of that time may have withdrawn their stake since. Usual limit: [`Network::two_weeks`].
    pub fn start(
        network: Network,
        checkpoint: &Hash,
        bootstrap: &[u8],
        clock: impl Into<SlotClock>,
        max_age: u64,
    ) -> Result<Self> {
        let bootstrap = Bootstrap::decode(bootstrap, &network)?;
        let store = LightClientStore::initialize(network, checkpoint, bootstrap)?;
        clock.into().check_age(store.finalized.beacon.slot, max_age)?;
        Ok(Self::with_heads(store, None, None, Vec::new()))
    }

    /// A client with these heads, the participation behind each, and the finalized blocks before them.
    pub(crate) fn with_heads(
        store: LightClientStore,
        finalized: Option<Participation>,
        optimistic: Option<Participation>,
        mut before: Vec<FinalizedBlock>,
    ) -> Self {
        before.push(FinalizedBlock::new(&store.finalized.beacon, None));
        let finalized_blocks = FinalizedBlocks::new(before);
        Self { store, finalized, optimistic, finalized_blocks, evidence: None }
    }

    /// Processes an update in SSZ, as a server sends it.
    ///
    /// A refused update changes nothing, except for `conflicting_finality`, after which every call is
    /// refused. `too_few_signatures` below two thirds of the committee; `not_extending` if the attested block
    /// is another one than the finalized one of its slot; the other reasons correspond to the specification's
    /// assertions.
    pub fn process(
        &mut self,
        kind: UpdateKind,
        ssz: &[u8],
        clock: impl Into<SlotClock>,
    ) -> Result<HeadChanges> {
        self.check_consistent()?;
        let update = Update::decode(kind, ssz, &self.store.network)?;
        self.apply_update(&update, (kind, ssz), clock.into())
    }

    /// Processes an update with the fork digest that it came with.
    ///
    /// `wrong_fork` if the digest belongs to another fork or time than the update's. An unknown digest may
    /// come from newer blob parameters, which do not matter here, or from a fork that this build does not
    /// know: any error of such an update is `unsupported_fork`.
    pub fn process_chunk(
        &mut self,
        chunk: &UpdateChunk<'_>,
        clock: impl Into<SlotClock>,
    ) -> Result<HeadChanges> {
        self.check_consistent()?;
        let network = &self.store.network;
        let known = network.knows_digest(chunk.digest);
        let unsupported = |error: Error| {
            let found = format_args!("digest {}: {error}", Hex(&chunk.digest));
            Error::new(Reason::UnsupportedFork, "the digest of a fork of this network", found)
        };
        let update = Update::decode(UpdateKind::Update, chunk.ssz, network);
        let update = if known { update? } else { update.map_err(unsupported)? };
        let epoch = network.epoch(update.attested.beacon.slot);
        let expected = network.fork_digest(epoch);
        if chunk.digest != expected && (known || network.fork_of_epoch(epoch) < Some(Fork::Fulu)) {
            return Err(Error::new(Reason::WrongFork, Hex(&expected), Hex(&chunk.digest)));
        }
        let taken = self.apply_update(&update, (UpdateKind::Update, chunk.ssz), clock.into());
        taken.map_err(|error| match error.reason() {
            Reason::BranchMismatch | Reason::InvalidSignature if !known => unsupported(error),
            _ => error,
        })
    }

    fn apply_update(
        &mut self,
        update: &Update,
        (kind, ssz): (UpdateKind, &[u8]),
        clock: SlotClock,
    ) -> Result<HeadChanges> {
        let participation = Participation::of(&update.aggregate);
        if !update.aggregate.has_supermajority() {
            return Err(Error::new(
                Reason::TooFewSignatures,
                format_args!("two thirds of {}", participation.members),
                participation.signed,
            ));
        }
        let finalizes = update
            .finalized()
            .map(|header| FinalizedBlock::new(&header.beacon, Some((kind, Vec::from(ssz)))));
        if let Some(block) = &finalizes
            && let Some(known) = self.conflicting_block(block.slot, &block.root)
        {
            self.store.validate_finality(update, clock.latest_slot)?;
            self.evidence = Some(ConflictEvidence {
                slot: known.slot,
                roots: [known.root, block.root],
                first: known.update.clone(),
                second: (kind, Vec::from(ssz)),
            });
            return self
                .check_consistent()
                .map(|()| HeadChanges { finality: false, optimistic: false });
        }
        self.store.validate(update, clock.latest_slot)?;
        let attested = &update.attested.beacon;
        if let Some(known) = self.conflicting_block(attested.slot, &attested.root()) {
            let found = Hex(&attested.root());
            return Err(Error::new(Reason::NotExtending, Hex(&known.root), found));
        }

        let newest = self.store.finalized.beacon.slot;
        let is_behind = finalizes.as_ref().is_some_and(|block| block.slot < newest);
        let optimistic = !is_behind && self.store.follow_optimistic(update);
        if optimistic {
            self.optimistic = Some(participation);
        }
        let finality = self.store.follow_finality(update);
        if self.store.finalized.beacon.slot > newest {
            self.finalized = Some(participation);
        }
        if let Some(block) = finalizes {
            self.finalized_blocks.insert(block);
        }
        Ok(HeadChanges { finality, optimistic })
    }

    /// The finalized block of this slot, if it has another root.
    fn conflicting_block(&self, slot: u64, root: &Hash) -> Option<&FinalizedBlock> {
        self.finalized_blocks.at(slot).filter(|known| known.root != *root)
    }

    /// The newest finalized block.
    pub fn finalized(&self) -> Result<Verified<BeaconHead>> {
        self.head(&self.store.finalized, self.finalized)
    }

    /// The newest block that two thirds of a committee signed; never older than the finalized one.
    pub fn optimistic(&self) -> Result<Verified<BeaconHead>> {
        self.head(&self.store.optimistic, self.optimistic)
    }

    fn head(
        &self,
        header: &LightClientHeader,
        participation: Option<Participation>,
    ) -> Result<Verified<BeaconHead>> {
        self.check_consistent()?;
        Ok(Verified::by_verifier(BeaconHead {
            slot: header.beacon.slot,
            beacon_root: header.beacon.root(),
            execution_block_hash: header.execution.map(|execution| execution.block_hash),
            participation,
        }))
    }

    /// The network.
    pub const fn network(&self) -> &Network {
        &self.store.network
    }

    /// The period of the finalized head: request its update from a server while the next committee is
    /// unknown.
    pub const fn period(&self) -> u64 {
        self.store.period()
    }

    /// Whether the committee of the period after [`period`](Self::period) is known.
    pub const fn knows_next_committee(&self) -> bool {
        self.store.next_committee.is_some()
    }

    /// The two updates that contradict each other, if any.
    pub const fn evidence(&self) -> Option<&ConflictEvidence> {
        self.evidence.as_ref()
    }

    /// Returns `conflicting_finality`, with the roots of both blocks, if two finalized blocks contradicted each
    /// other.
    pub(crate) fn check_consistent(&self) -> Result<()> {
        let Some(ConflictEvidence { roots: [first, second], .. }) = &self.evidence else {
            return Ok(());
        };
        Err(Error::new(Reason::ConflictingFinality, Hex(first), Hex(second)))
    }
}

impl BeaconHead {
    /// Checks that the block is at most `max_age` slots old; otherwise `head_too_old`, or `head_in_future`.
    pub fn check_age(&self, clock: impl Into<SlotClock>, max_age: u64) -> Result<()> {
        clock.into().check_age(self.slot, max_age)
    }
}

impl Participation {
    fn of(aggregate: &SyncAggregate) -> Self {
        Self { signed: aggregate.participants(), members: aggregate.bits.len() }
    }
}

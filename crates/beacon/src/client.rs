//! The light client for applications: the protocol with stricter trust rules.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Reason, Result, Verified};

use crate::fork::Fork;
use crate::header::Header;
use crate::message::{Bootstrap, Kind, SyncAggregate, Update};
use crate::network::Network;
use crate::store::Store;
use crate::stream::Chunk;

/// Follows a network's heads from a checkpoint that the application trusts.
///
/// Stricter than the specification: no head moves, not even the optimistic one, unless two thirds of
/// the committee signed; there are no forced updates; and two finalized blocks of one slot stop the
/// client permanently. Slots are compared with `current_slot`, the caller's clock.
#[derive(Clone, Debug)]
pub struct LightClient {
    pub(crate) store: Store,
    pub(crate) finalized: Option<Participation>,
    pub(crate) optimistic: Option<Participation>,
    /// The update that finalized the current block.
    finalized_by: Option<(Kind, Vec<u8>)>,
    evidence: Option<Evidence>,
}

/// A beacon block, and the execution block that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The beacon block's slot.
    pub slot: u64,
    /// The beacon block's root.
    pub beacon_root: Hash,
    /// The execution block's hash; none before Capella. From Gloas on, that of the newest execution block
    /// before the beacon block's own, whose payload may still be missing.
    pub execution_block_hash: Option<Hash>,
    /// The members that signed it; none for the checkpoint, which the application itself trusts.
    pub participation: Option<Participation>,
}

/// The participation of a committee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participation {
    /// Members that signed.
    pub signed: usize,
    /// Members of the committee.
    pub of: usize,
}

/// The changes made by an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Whether there is a newer finalized head, or the next committee became known.
    pub finality: bool,
    /// Whether there is a newer optimistic head.
    pub optimistic: bool,
}

/// Two updates that finalize different blocks of one slot, each signed by two thirds of a committee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The update that finalized the first block; none if that was the checkpoint.
    pub first: Option<(Kind, Vec<u8>)>,
    /// The update that finalizes another.
    pub second: (Kind, Vec<u8>),
}

impl LightClient {
    /// Starts at a checkpoint: the root of a finalized block that the application trusts.
    ///
    /// `bootstrap` is a `LightClientBootstrap` in SSZ, from any server. `header_hash_mismatch` if it is
    /// of another block; `head_too_old` if the block is more than `max_age` slots before
    /// `current_slot`, by default [`Network::two_weeks`]: validators of that time may have withdrawn
    /// their stake since.
    pub fn start(
        network: Network,
        checkpoint: &Hash,
        bootstrap: &[u8],
        current_slot: u64,
        max_age: u64,
    ) -> Result<Self> {
        let bootstrap = Bootstrap::decode(bootstrap, &network)?;
        let store = Store::initialize(network, checkpoint, bootstrap)?;
        check_age(store.finalized.beacon.slot, current_slot, max_age)?;
        Ok(Self::at(store, None, None))
    }

    /// A client with these heads, and the participation behind each.
    pub(crate) const fn at(
        store: Store,
        finalized: Option<Participation>,
        optimistic: Option<Participation>,
    ) -> Self {
        Self { store, finalized, optimistic, finalized_by: None, evidence: None }
    }

    /// Processes an update in SSZ, as a server sends it.
    ///
    /// A refused update changes nothing, except for `conflicting_finality`, after which every call is
    /// refused. `too_few_signatures` below two thirds of the committee; the other reasons correspond to
    /// the specification's assertions.
    pub fn process(&mut self, kind: Kind, ssz: &[u8], current_slot: u64) -> Result<Progress> {
        self.check_consistent()?;
        let update = Update::decode(kind, ssz, &self.store.network)?;
        self.take(&update, (kind, ssz), current_slot)
    }

    /// Processes an update with the fork digest that it came with.
    ///
    /// `wrong_fork` if the digest belongs to another fork or time than the update's. An unknown digest may
    /// come from newer blob parameters, which do not matter here, or from a fork that this build does not
    /// know: any error of such an update is `unsupported_fork`.
    pub fn process_chunk(&mut self, chunk: &Chunk<'_>, current_slot: u64) -> Result<Progress> {
        self.check_consistent()?;
        let network = &self.store.network;
        let known = network.knows_digest(chunk.digest);
        let unsupported = |error: Error| {
            let found = format_args!("digest {}: {error}", Hex(&chunk.digest));
            Error::new(Reason::UnsupportedFork, "the digest of a fork of this network", found)
        };
        let update = Update::decode(Kind::Update, chunk.ssz, network);
        let update = if known { update? } else { update.map_err(unsupported)? };
        let epoch = network.epoch(update.attested.beacon.slot);
        let expected = network.fork_digest(epoch);
        if chunk.digest != expected && (known || network.fork_of_epoch(epoch) < Some(Fork::Fulu)) {
            return Err(Error::new(Reason::WrongFork, Hex(&expected), Hex(&chunk.digest)));
        }
        let taken = self.take(&update, (Kind::Update, chunk.ssz), current_slot);
        taken.map_err(|error| match error.reason() {
            Reason::BranchMismatch | Reason::InvalidSignature if !known => unsupported(error),
            _ => error,
        })
    }

    fn take(
        &mut self,
        update: &Update,
        (kind, ssz): (Kind, &[u8]),
        current_slot: u64,
    ) -> Result<Progress> {
        let participation = Participation::of(&update.aggregate);
        if !update.aggregate.has_supermajority() {
            return Err(Error::new(
                Reason::TooFewSignatures,
                format_args!("two thirds of {}", participation.of),
                participation.signed,
            ));
        }
        self.store.validate(update, current_slot)?;
        let known = self.store.finalized.beacon;
        let claimed = update.finalized().map(|header| header.beacon);
        if claimed.is_some_and(|claimed| claimed.slot == known.slot && claimed != known) {
            let second = (kind, Vec::from(ssz));
            self.evidence = Some(Evidence { first: self.finalized_by.take(), second });
            return self
                .check_consistent()
                .map(|()| Progress { finality: false, optimistic: false });
        }

        let optimistic = self.store.follow_optimistic(update);
        if optimistic {
            self.optimistic = Some(participation);
        }
        let finality = self.store.follow_finality(update);
        if self.store.finalized.beacon != known {
            self.finalized = Some(participation);
            self.finalized_by = Some((kind, Vec::from(ssz)));
        }
        Ok(Progress { finality, optimistic })
    }

    /// The newest finalized block.
    pub fn finalized(&self) -> Result<Verified<Head>> {
        self.head(&self.store.finalized, self.finalized)
    }

    /// The newest block that two thirds of a committee signed; never older than the finalized one.
    pub fn optimistic(&self) -> Result<Verified<Head>> {
        self.head(&self.store.optimistic, self.optimistic)
    }

    fn head(
        &self,
        header: &Header,
        participation: Option<Participation>,
    ) -> Result<Verified<Head>> {
        self.check_consistent()?;
        Ok(Verified::by_verifier(Head {
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
    pub const fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// Returns `conflicting_finality` if two finalized blocks contradicted each other.
    pub(crate) fn check_consistent(&self) -> Result<()> {
        if self.evidence.is_none() {
            return Ok(());
        }
        let expected =
            format_args!("one finalized block at slot {}", self.store.finalized.beacon.slot);
        Err(Error::new(Reason::ConflictingFinality, expected, "two"))
    }
}

impl Head {
    /// Checks that the block is at most `max_age` slots old; otherwise `head_too_old`, or `head_in_future`.
    pub fn check_age(&self, current_slot: u64, max_age: u64) -> Result<()> {
        check_age(self.slot, current_slot, max_age)
    }
}

impl Participation {
    fn of(aggregate: &SyncAggregate) -> Self {
        Self { signed: aggregate.participants(), of: aggregate.bits.len() }
    }
}

pub(crate) fn check_age(slot: u64, current_slot: u64, max_age: u64) -> Result<()> {
    let Some(age) = current_slot.checked_sub(slot) else {
        let expected = format_args!("a block up to slot {current_slot}");
        return Err(Error::new(Reason::HeadInFuture, expected, format_args!("slot {slot}")));
    };
    if age > max_age {
        return Err(Error::new(
            Reason::HeadTooOld,
            format_args!("a block of at most {max_age} slots"),
            format_args!("{age} slots"),
        ));
    }
    Ok(())
}

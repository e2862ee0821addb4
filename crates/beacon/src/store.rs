//! The light client of the specification, to the letter.

use prooflight_core::{Error, Hash, Hex, Reason, Result};

use crate::branch;
use crate::committee::SyncCommittee;
use crate::header::LightClientHeader;
use crate::message::{Bootstrap, Update};
use crate::network::Network;

/// `LightClientStore`.
///
/// Accepts an update that a single member of a committee signed, and forced updates move its heads
/// without finality: for comparisons with other clients, and for tests. Applications should use
/// [`LightClient`](crate::LightClient).
#[derive(Clone, Debug)]
pub struct LightClientStore {
    pub(crate) network: Network,
    pub(crate) finalized: LightClientHeader,
    pub(crate) committee: SyncCommittee,
    pub(crate) next_committee: Option<SyncCommittee>,
    pub(crate) optimistic: LightClientHeader,
    best_valid_update: Option<Update>,
    previous_max_participants: usize,
    current_max_participants: usize,
}

impl LightClientStore {
    /// `initialize_light_client_store`: starts at a block that the caller trusts.
    ///
    /// `header_hash_mismatch` if the bootstrap is of another block, `branch_mismatch` if its state
    /// has another committee.
    pub fn initialize(network: Network, trusted: &Hash, bootstrap: Bootstrap) -> Result<Self> {
        let Bootstrap { header, committee, branch } = bootstrap;
        let root = header.beacon.root();
        if root != *trusted {
            return Err(Error::new(Reason::HeaderHashMismatch, Hex(trusted), Hex(&root)));
        }
        let index = network.fork(header.beacon.slot)?.current_committee();
        let state = &header.beacon.state_root;
        branch::check("sync committee", &committee.root(), &branch, index, state)?;
        Ok(Self::with_heads(network, header, header, committee, None))
    }

    /// A store with these heads and committees, without any update.
    pub(crate) const fn with_heads(
        network: Network,
        finalized: LightClientHeader,
        optimistic: LightClientHeader,
        committee: SyncCommittee,
        next_committee: Option<SyncCommittee>,
    ) -> Self {
        Self {
            network,
            finalized,
            committee,
            next_committee,
            optimistic,
            best_valid_update: None,
            previous_max_participants: 0,
            current_max_participants: 0,
        }
    }

    /// `finalized_header`.
    pub const fn finalized(&self) -> &LightClientHeader {
        &self.finalized
    }

    /// `optimistic_header`.
    pub const fn optimistic(&self) -> &LightClientHeader {
        &self.optimistic
    }

    /// The period of the finalized header.
    pub(crate) const fn period(&self) -> u64 {
        self.network.period(self.finalized.beacon.slot)
    }

    /// `process_light_client_update`, for all three kinds.
    ///
    /// A refused update changes nothing. `too_few_signatures` if nobody signed it; the other reasons
    /// correspond to the specification's assertions.
    pub fn process_update(&mut self, update: &Update, current_slot: u64) -> Result<()> {
        let participants = update.aggregate.participants();
        if participants == 0 {
            return Err(Error::new(Reason::TooFewSignatures, "one member or more", "none"));
        }
        self.validate(update, current_slot)?;
        if self.best_valid_update.as_ref().is_none_or(|best| self.is_better(update, best)) {
            self.best_valid_update = Some(update.clone());
        }
        self.current_max_participants = self.current_max_participants.max(participants);
        if participants > self.safety_threshold() {
            self.follow_optimistic(update);
        }
        if update.aggregate.has_supermajority() && self.follow_finality(update) {
            self.best_valid_update = None;
        }
        Ok(())
    }

    /// `process_light_client_store_force_update`: after a period without finality, treats the best
    /// update's attested block as finalized.
    pub fn force_update(&mut self, current_slot: u64) {
        let timeout = self.finalized.beacon.slot.saturating_add(self.network.period_slots());
        if current_slot <= timeout {
            return;
        }
        let Some(best) = self.best_valid_update.take() else { return };
        let finalized =
            best.finalized().filter(|header| header.beacon.slot > self.finalized.beacon.slot);
        self.apply(finalized.unwrap_or(best.attested), &best);
    }

    /// Moves the optimistic head to a newer attested block; returns whether it did.
    pub(crate) fn follow_optimistic(&mut self, update: &Update) -> bool {
        let newer = update.attested.beacon.slot > self.optimistic.beacon.slot;
        if newer {
            self.optimistic = update.attested;
        }
        newer
    }

    /// Moves the finalized head or sets the next committee; returns whether it did.
    pub(crate) fn follow_finality(&mut self, update: &Update) -> bool {
        let slot = update.finalized_slot();
        let finalizes_next_committee = self.next_committee.is_none()
            && update.next_committee.is_some()
            && update.finality.is_some()
            && self.network.period(slot) == self.network.period(update.attested.beacon.slot);
        let Some(finalized) = update.finalized() else {
            // The finalized block is genesis, with which the store began in period 0.
            if finalizes_next_committee && self.period() == 0 {
                self.next_committee =
                    update.next_committee.as_ref().map(|next| next.committee.clone());
            }
            return finalizes_next_committee;
        };
        if slot > self.finalized.beacon.slot || finalizes_next_committee {
            self.apply(finalized, update);
            return true;
        }
        false
    }

    /// `apply_light_client_update`, with the header to finalize.
    ///
    /// The specification asserts that a store without the next committee stays in its period. An update
    /// that leaves the period is refused earlier, since its signature is of an unknown period.
    fn apply(&mut self, finalized: LightClientHeader, update: &Update) {
        let period = self.network.period(finalized.beacon.slot);
        let next = || update.next_committee.as_ref().map(|next| next.committee.clone());
        match self.next_committee.take() {
            None if period == self.period() => self.next_committee = next(),
            None => return,
            Some(known) if period.checked_sub(self.period()) == Some(1) => {
                self.committee = known;
                self.next_committee = next();
                self.previous_max_participants = self.current_max_participants;
                self.current_max_participants = 0;
            }
            Some(known) => self.next_committee = Some(known),
        }
        if finalized.beacon.slot > self.finalized.beacon.slot {
            self.finalized = finalized;
            if finalized.beacon.slot > self.optimistic.beacon.slot {
                self.optimistic = finalized;
            }
        }
    }

    /// `get_safety_threshold`.
    fn safety_threshold(&self) -> usize {
        self.previous_max_participants.max(self.current_max_participants) / 2
    }

    /// `is_better_update`.
    fn is_better(&self, new: &Update, old: &Update) -> bool {
        let rank = |update: &Update| {
            let participants = update.aggregate.participants();
            let supermajority = update.aggregate.has_supermajority();
            let period = |slot| self.network.period(slot);
            let attested = period(update.attested.beacon.slot);
            let relevant =
                update.next_committee.is_some() && attested == period(update.signature_slot);
            let finality = update.finality.is_some();
            (
                supermajority,
                if supermajority { 0 } else { participants },
                relevant,
                finality,
                finality && period(update.finalized_slot()) == attested,
                participants,
                core::cmp::Reverse(update.attested.beacon.slot),
                core::cmp::Reverse(update.signature_slot),
            )
        };
        rank(new) > rank(old)
    }
}

impl Update {
    /// The finalized header; `None` if it is genesis or absent.
    pub(crate) fn finalized(&self) -> Option<LightClientHeader> {
        self.finality.as_ref().and_then(|finality| finality.header)
    }

    /// The finalized header's slot; 0 if absent.
    pub(crate) fn finalized_slot(&self) -> u64 {
        self.finalized().map_or(0, |header| header.beacon.slot)
    }
}

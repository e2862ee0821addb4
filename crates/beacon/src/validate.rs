//! `validate_light_client_update`, in the order of the specification.

use prooflight_core::{Error, Hash, Reason, Result};

use crate::bls::fast_aggregate_verify;
use crate::branch;
use crate::message::Update;
use crate::store::LightClientStore;

impl LightClientStore {
    /// Checks an update against the store; the caller has decoded it, and checked the participation
    /// that it requires.
    ///
    /// Refused: `slot_order`, `head_in_future`, `period_unknown`, `update_not_newer`,
    /// `branch_mismatch`, `committee_mismatch`, `invalid_point`, `invalid_signature`.
    pub(crate) fn validate(&self, update: &Update, current_slot: u64) -> Result<()> {
        check_slots(update, current_slot)?;
        self.check_period(update)?;
        self.check_relevance(update)?;
        self.check_finality(update)?;
        self.check_next_committee(update)?;
        self.check_signature(update)
    }

    /// Checks that a known committee signed a block with this finalized one, even if the update is not newer: the part
    /// of [`validate`](Self::validate) that makes a contradiction evidence.
    pub(crate) fn validate_finality(&self, update: &Update, current_slot: u64) -> Result<()> {
        check_slots(update, current_slot)?;
        self.check_period(update)?;
        self.check_finality(update)?;
        self.check_signature(update)
    }

    fn check_period(&self, update: &Update) -> Result<()> {
        let known = self.period();
        let signed = self.network.period(update.signature_slot);
        let next = self.next_committee.is_some() && signed.checked_sub(known) == Some(1);
        if signed == known || next {
            return Ok(());
        }
        // The update is older than the finalized block, whose period is known.
        if signed < known {
            return Err(self.not_newer(update.attested.beacon.slot));
        }
        let last = known.saturating_add(self.next_committee.is_some().into());
        Err(Error::new(
            Reason::PeriodUnknown,
            format_args!("a signature of the periods {known} to {last}"),
            format_args!("period {signed}"),
        ))
    }

    fn check_relevance(&self, update: &Update) -> Result<()> {
        let attested = update.attested.beacon.slot;
        let has_next_committee = self.next_committee.is_none()
            && update.next_committee.is_some()
            && self.network.period(attested) == self.period();
        if attested > self.finalized.beacon.slot || has_next_committee {
            return Ok(());
        }
        Err(self.not_newer(attested))
    }

    fn not_newer(&self, attested: u64) -> Error {
        Error::new(
            Reason::UpdateNotNewer,
            format_args!("a block after slot {}", self.finalized.beacon.slot),
            format_args!("slot {attested}"),
        )
    }

    fn check_finality(&self, update: &Update) -> Result<()> {
        let Some(finality) = &update.finality else { return Ok(()) };
        let attested = &update.attested.beacon;
        let root = finality.header.map_or(Hash::default(), |header| header.beacon.root());
        let index = self.network.fork(attested.slot)?.finalized_root();
        branch::check("finalized root", &root, &finality.branch, index, &attested.state_root)
    }

    fn check_next_committee(&self, update: &Update) -> Result<()> {
        let Some(next) = &update.next_committee else { return Ok(()) };
        let attested = &update.attested.beacon;
        let root = next.committee.root();
        if self.network.period(attested.slot) == self.period()
            && self.next_committee.as_ref().is_some_and(|known| *known != next.committee)
        {
            return Err(Error::new(
                Reason::CommitteeMismatch,
                "the known next committee",
                "another",
            ));
        }
        let index = self.network.fork(attested.slot)?.next_committee();
        branch::check("next committee", &root, &next.branch, index, &attested.state_root)
    }

    fn check_signature(&self, update: &Update) -> Result<()> {
        let signed = self.network.period(update.signature_slot);
        let next = self.next_committee.as_ref().filter(|_| signed != self.period());
        fast_aggregate_verify(
            next.unwrap_or(&self.committee),
            &update.aggregate.bits,
            &self.network.signing_root(&update.attested.beacon, update.signature_slot),
            &update.aggregate.signature,
        )
    }
}

fn check_slots(update: &Update, current_slot: u64) -> Result<()> {
    let (attested, finalized) = (update.attested.beacon.slot, update.finalized_slot());
    let signed = update.signature_slot;
    if signed <= attested || attested < finalized {
        return Err(Error::new(
            Reason::SlotOrder,
            "a signature after the attested block, which is not before the finalized one",
            format_args!("slots {signed}, {attested} and {finalized}"),
        ));
    }
    if signed > current_slot {
        return Err(Error::new(
            Reason::HeadInFuture,
            format_args!("a signature up to slot {current_slot}"),
            format_args!("slot {signed}"),
        ));
    }
    Ok(())
}

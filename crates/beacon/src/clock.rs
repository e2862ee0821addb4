//! The caller's clock.

use prooflight_core::{Error, Reason, Result};

/// The caller's clock, in slots; a `u64` is one without tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotClock {
    /// The current slot, from which ages are counted.
    pub current_slot: u64,
    /// The last slot that does not count as the future; after the current one if clocks may differ.
    pub latest_slot: u64,
}

impl From<u64> for SlotClock {
    fn from(slot: u64) -> Self {
        Self { current_slot: slot, latest_slot: slot }
    }
}

impl SlotClock {
    /// `head_in_future` for a slot after the latest one; `head_too_old` if it is more than `max_age` slots
    /// before the current one.
    pub(crate) fn check_age(self, slot: u64, max_age: u64) -> Result<()> {
        if slot > self.latest_slot {
            let expected = format_args!("a block up to slot {}", self.latest_slot);
            return Err(Error::new(Reason::HeadInFuture, expected, format_args!("slot {slot}")));
        }
        let age = self.current_slot.saturating_sub(slot);
        if age > max_age {
            return Err(Error::new(
                Reason::HeadTooOld,
                format_args!("a block of at most {max_age} slots"),
                format_args!("{age} slots"),
            ));
        }
        Ok(())
    }
}

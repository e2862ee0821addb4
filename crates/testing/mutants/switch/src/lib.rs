//! Selects the active fault, and records which fault sites a run reached.
//!
//! All faults are compiled into one build; a site asks [`at`] which of its faults is active. A
//! process runs one verifier at a time.

#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Maximum number of faults in a build; they are numbered from 1.
pub const MAX_FAULTS: usize = 1 << 15;

static ACTIVE_FAULT: AtomicU32 = AtomicU32::new(0);
static REACHED_SITES: [AtomicBool; MAX_FAULTS] = [const { AtomicBool::new(false) }; MAX_FAULTS];

/// Returns which of a site's faults `first..first + count` is active, counted from 1, or 0 for
/// none.
#[inline]
pub fn at(first: u32, count: u32) -> u32 {
    if let Some(reached) = REACHED_SITES.get(first as usize) {
        reached.store(true, Relaxed);
    }
    let on = ACTIVE_FAULT.load(Relaxed).wrapping_sub(first);
    if on < count { on + 1 } else { 0 }
}

/// Activates one fault and deactivates all others; 0 deactivates all.
pub fn turn_on(fault: u32) {
    ACTIVE_FAULT.store(fault, Relaxed);
}

/// Returns the first fault of each site reached since the last call.
pub fn reached() -> impl Iterator<Item = u32> {
    (0u32..)
        .zip(&REACHED_SITES)
        .filter(|(_, reached)| reached.swap(false, Relaxed))
        .map(|(first, _)| first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fault_of_one_place_is_on_and_places_are_remembered_once() {
        turn_on(12);
        assert_eq!([at(5, 3), at(10, 2), at(10, 3), at(12, 1), at(13, 4)], [0, 0, 3, 1, 0]);
        assert!(reached().eq([5, 10, 12, 13]));
        assert_eq!(reached().count(), 0);
        turn_on(0);
        assert_eq!([at(1, 40), at(12, 1)], [0, 0]);
    }
}

//! Which planted fault is on, and which places of faults a run came by.
//!
//! Every fault is compiled into one build; a place asks [`at`] which of its faults is on. A process runs one
//! verifier at a time.

#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Faults that one build can have; the first has the number 1.
pub const MAX_FAULTS: usize = 1 << 15;

static ON: AtomicU32 = AtomicU32::new(0);
static REACHED: [AtomicBool; MAX_FAULTS] = [const { AtomicBool::new(false) }; MAX_FAULTS];

/// At a place with the faults `first..first + count`: which of them is on, counted from 1, or 0.
#[inline]
pub fn at(first: u32, count: u32) -> u32 {
    if let Some(reached) = REACHED.get(first as usize) {
        reached.store(true, Relaxed);
    }
    let on = ON.load(Relaxed).wrapping_sub(first);
    if on < count { on + 1 } else { 0 }
}

/// Turns on one fault and all others off; 0 turns off all.
pub fn turn_on(fault: u32) {
    ON.store(fault, Relaxed);
}

/// The first faults of the places that were come by since the last call.
pub fn reached() -> impl Iterator<Item = u32> {
    (0u32..)
        .zip(&REACHED)
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

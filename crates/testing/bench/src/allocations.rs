//! Counts allocations per call, with a counting allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATION_COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of allocations of this thread since it started.
pub(crate) fn count() -> usize {
    ALLOCATION_COUNT.get()
}

/// The system's allocator with a counter, which adds a nanosecond to each call, for us and the peer
/// alike.
struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn count_one() {
    ALLOCATION_COUNT.set(ALLOCATION_COUNT.get() + 1);
}

// SAFETY: every call is forwarded to the system's allocator. `counted` neither allocates nor
// unwinds: its thread local is constant and has no destructor.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one();
        // SAFETY: the caller upholds the same contract.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

//! How often a call allocates: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// How often this thread has allocated since it started.
pub(crate) fn count() -> usize {
    COUNT.get()
}

/// The system's allocator; counting adds a nanosecond to each call, for ours and the peer alike.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn counted() {
    COUNT.set(COUNT.get() + 1);
}

// SAFETY: every call is passed on to the system's allocator. `counted` neither allocates nor
// unwinds: its thread local is constant and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        counted();
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        counted();
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        counted();
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

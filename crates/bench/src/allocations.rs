//! How often a call allocates: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Allocations and the bytes asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allocations {
    pub(crate) count: usize,
    pub(crate) bytes: usize,
}

impl core::ops::AddAssign for Allocations {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// What this thread allocates while `call` runs.
pub(crate) fn of<T>(call: impl FnOnce() -> T) -> (T, Allocations) {
    let before = TOTAL.get();
    let result = call();
    let after = TOTAL.get();
    let count = after.count - before.count;
    (result, Allocations { count, bytes: after.bytes - before.bytes })
}

thread_local! {
    static TOTAL: Cell<Allocations> = const { Cell::new(Allocations { count: 0, bytes: 0 }) };
}

/// The system's allocator; counting adds a nanosecond to each call, for ours and the peer alike.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: usize) {
    let total = TOTAL.get();
    TOTAL.set(Allocations { count: total.count + 1, bytes: total.bytes + bytes });
}

// SAFETY: every call is the system allocator's own; `count` neither allocates nor unwinds, as its
// thread local is constant and needs no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and `pointer` is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller keeps the contract of `realloc`, and `pointer` is the system's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

//! Prefetches the memory that the next round of a walk will use.
//!
//! Measured on one core of an EPYC (Zen 4), blocks of 100,000 changes: 1.75 M changes/s with it and 1.22 M without at
//! 1 M keys, 0.85 M and 0.60 M at 10 M keys.

/// Starts to load an item of a slab into the caches; does nothing if there is no such item.
#[inline]
pub(super) fn prefetch<T>(slab: &[T], at: u32) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = slab.get(at as usize) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = core::ptr::from_ref(item).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(64) {
            // SAFETY: a prefetch is not a memory access in the sense of the language, and the
            // address is inside `item`. Every x86-64 has SSE and so this instruction.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slab, at);
}

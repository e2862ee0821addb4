//! Runs I/O-bound work on a few threads.

use alloc::vec::Vec;
use std::panic::resume_unwind;
use std::thread;

/// The most threads of a request.
pub(crate) const MAX_THREADS: usize = 8;

/// Does the work for every item, and returns the results in order.
pub(crate) fn parallel_map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let run = |part: &[T]| part.iter().map(&work).collect::<Vec<R>>();
    if items.len() < 2 {
        return run(items);
    }
    thread::scope(|scope| {
        let start = |part| thread::Builder::new().spawn_scoped(scope, move || run(part)).ok();
        let parts = items.chunks(items.len().div_ceil(MAX_THREADS));
        let begun: Vec<_> = parts.map(|part| (part, start(part))).collect();
        let results = begun.into_iter().flat_map(|(part, thread)| match thread {
            Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            None => run(part),
        });
        results.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        for count in [0, 1, 2, 7, 8, 9, 100_u64] {
            let items: Vec<u64> = (0..count).collect();
            assert_eq!(
                parallel_map(&items, |item| item * 2),
                (0..count).map(|it| it * 2).collect::<Vec<_>>()
            );
        }
    }
}

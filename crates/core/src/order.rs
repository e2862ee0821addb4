//! Sorting with little code.
//!
//! `sort_unstable` costs a WebAssembly binary 25 KB for each type that it sorts. The verifiers sort a few
//! thousand items, whose hashes took longer to compute than they take to sort.

use alloc::vec::Vec;
use core::cmp::min;

/// The indices `0..count` in the order of their items: `before` says whether one item must come before another.
///
/// Items of which neither comes first keep their order. It takes at most `count * log2(count)` comparisons.
pub fn order(count: usize, before: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..count).collect();
    let mut merged = sorted.clone();
    let mut width = 1;
    while width < count {
        let pairs = sorted.chunks(width.saturating_mul(2));
        for (pair, into) in pairs.zip(merged.chunks_mut(width.saturating_mul(2))) {
            let (left, right) = pair.split_at(min(width, pair.len()));
            merge(left, right, into, &before);
        }
        core::mem::swap(&mut sorted, &mut merged);
        width = width.saturating_mul(2);
    }
    sorted
}

/// The distinct items, ascending, and each item's index among them.
pub fn distinct<T: Copy + PartialOrd>(items: &[T]) -> (Vec<T>, Vec<usize>) {
    let mut distinct = Vec::with_capacity(items.len());
    let mut places = alloc::vec![0; items.len()];
    for at in order(items.len(), |a, b| items[a] < items[b]) {
        if distinct.last() != Some(&items[at]) {
            distinct.push(items[at]);
        }
        places[at] = distinct.len() - 1;
    }
    (distinct, places)
}

/// Merges two sorted lists; a right item goes first only if it comes before the left one.
fn merge(
    left: &[usize],
    right: &[usize],
    into: &mut [usize],
    before: &impl Fn(usize, usize) -> bool,
) {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    for place in into {
        let next = match (left.peek(), right.peek()) {
            (Some(&&one), Some(&&other)) if before(other, one) => right.next(),
            (Some(_), _) => left.next(),
            (None, _) => right.next(),
        };
        if let Some(&index) = next {
            *place = index;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_orders_as_the_standard_library_does() {
        let mut state = 1_u64;
        for count in (0..40).chain([63, 64, 65, 1000]) {
            let items: Vec<u64> = (0..count)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    state >> 60 // Of 16 values, so that many are equal.
                })
                .collect();
            let mut expected: Vec<usize> = (0..count).collect();
            expected.sort_by_key(|&index| items[index]);
            assert_eq!(order(count, |a, b| items[a] < items[b]), expected, "{items:?}");

            let (distinct, places) = distinct(&items);
            assert!(distinct.is_sorted_by(|a, b| a < b), "{distinct:?}");
            let again: Vec<u64> = places.into_iter().map(|place| distinct[place]).collect();
            assert_eq!(again, items);
        }
    }
}

//! The bytes that two strings have in common.

use std::collections::HashMap;

/// The longest run of equal bytes between two differences that is shorter to repeat than to start another edit.
pub(super) const SHORT_GAP_BYTES: usize = 32;

/// The length of the pieces by which runs are found.
const PIECE_BYTES: usize = 16;

/// Bytes that two strings share.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommonRun {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) length: usize,
}

/// Runs that both strings have in the same order: the beginning, the end, either perhaps empty, and long ones between.
pub(super) fn common_runs(old: &[u8], new: &[u8]) -> Vec<CommonRun> {
    let beginning = equal(old.iter(), new.iter());
    let end = equal(old[beginning..].iter().rev(), new[beginning..].iter().rev());
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let mut places = HashMap::<&[u8], Vec<usize>>::new();
    for (at, piece) in old[..old_end].windows(PIECE_BYTES).enumerate() {
        places.entry(piece).or_default().push(at);
    }
    let mut runs = vec![CommonRun { old: 0, new: 0, length: beginning }];
    let (mut from, mut at) = (beginning, beginning);
    while at + PIECE_BYTES <= new_end {
        let known = places.get(&new[at..at + PIECE_BYTES]).map_or(&[][..], Vec::as_slice);
        let place = known.iter().copied().find(|&place| place >= from);
        let length =
            place.map_or(0, |place| equal(old[place..old_end].iter(), new[at..new_end].iter()));
        match place {
            Some(place) if length > SHORT_GAP_BYTES => {
                runs.push(CommonRun { old: place, new: at, length });
                (from, at) = (place + length, at + length);
            }
            _ => at += 1,
        }
    }
    runs.push(CommonRun { old: old_end, new: new_end, length: end });
    runs
}

/// The number of equal bytes before the first different ones.
fn equal<'a>(one: impl Iterator<Item = &'a u8>, other: impl Iterator<Item = &'a u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_beginning_the_end_and_long_ones_in_order() {
        let long = |first: u8| (first..first + 40).collect::<Vec<_>>();
        let (one, other) = (long(100), long(150));
        let old = [&b"ab"[..], &one, b"-", &other, b"yz"].concat();
        let new = [&b"a"[..], &one, b"+++", &other, b"xz"].concat();
        let run = |old, new, length| CommonRun { old, new, length };
        let expected = [run(0, 0, 1), run(2, 1, 40), run(43, 44, 40), run(84, 85, 1)];
        assert_eq!(common_runs(&old, &new), expected);
        // The other order has only one of them.
        let swapped = [&other[..], &one].concat();
        assert_eq!(common_runs(&old, &swapped).len(), 3);
        assert_eq!(common_runs(b"", b"a"), [run(0, 0, 0), run(0, 1, 0)]);
    }
}

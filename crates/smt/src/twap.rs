//! The time-weighted average of a history.

use alloc::vec::Vec;
use prooflight_core::{Error, Hex, KeyHistory, PastState, Reason, Result, Verified};

/// A time-weighted average, exact: `sum / covered_ms`, if any time is covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Average {
    /// The sum of value times milliseconds, big-endian.
    pub sum: [u8; 40],
    /// The milliseconds in which the key had a value; 0 if there is no average.
    pub covered_ms: u64,
    /// The times at which the key had no value, in order; they do not count in the average.
    pub gaps: Vec<ValueGap>,
}

/// A time without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueGap {
    /// Its start, in milliseconds since 1970.
    pub from_ms: u64,
    /// Its end, in milliseconds since 1970.
    pub to_ms: u64,
}

/// Averages a key's values over the time from block `a` to block `b`, weighted by how long the key had each.
///
/// Values are unsigned big-endian integers of 1 to 32 bytes, else `value_not_number`. `timestamps` are
/// block numbers with the timestamps, in milliseconds, of the blocks' headers, which the caller must
/// trust: both ascending; `a`, `b` and every block between them that changed the key must be there.
/// `invalid_argument` otherwise, or if `a..=b` is not in the range of the history. A value set in block
/// `b` has no duration yet, and is ignored.
pub fn twap(
    history: &Verified<KeyHistory<'_>>,
    timestamps: &[(u64, u64)],
    a: u64,
    b: u64,
) -> Result<Verified<Average>> {
    if !(history.from <= a && a <= b && b <= history.to) {
        let expected = format_args!("a range within {}..={}", history.from, history.to);
        return Err(Error::new(Reason::InvalidArgument, expected, format_args!("{a}..={b}")));
    }
    let clock = BlockTimes::new(timestamps)?;
    let changed = |change: &PastState<'_>| change.changed_at().unwrap_or(0);
    let (before, during) =
        history.changes.split_at(history.changes.partition_point(|change| changed(change) <= a));
    let during = &during[..during.partition_point(|change| changed(change) <= b)];

    let mut sum = ProductSum::default();
    let mut average = Average { sum: [0; 40], covered_ms: 0, gaps: Vec::new() };
    let mut value = before.last().copied().or(history.entering).unwrap_or(PastState::NeverWritten);
    let mut since = clock.at(a)?;
    let end = clock.at(b)?;
    let changes = during.iter().map(|&change| Ok((change, clock.at(changed(&change))?)));
    for change in changes.chain([Ok((PastState::NeverWritten, end))]) {
        let (next, until) = change?;
        let time = until.saturating_sub(since);
        match value {
            _ if time == 0 => (),
            PastState::Present { value, .. } => {
                sum.add_product(number(value)?, time);
                average.covered_ms += time;
            }
            PastState::Deleted { .. } | PastState::NeverWritten => {
                average.gaps.push(ValueGap { from_ms: since, to_ms: until });
            }
        }
        (value, since) = (next, until);
    }
    average.sum = sum.to_be_bytes();
    Ok(Verified::by_verifier(average))
}

/// Timestamps by block.
struct BlockTimes<'t> {
    timestamps: &'t [(u64, u64)],
}

impl<'t> BlockTimes<'t> {
    fn new(timestamps: &'t [(u64, u64)]) -> Result<Self> {
        let ascending = |pair: &[(u64, u64)]| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1;
        match timestamps.windows(2).find(|pair| !ascending(pair)) {
            None => Ok(Self { timestamps }),
            Some(pair) => Err(Error::new(
                Reason::InvalidArgument,
                "ascending blocks with ascending timestamps",
                format_args!("{:?} before {:?}", pair[0], pair[1]),
            )),
        }
    }

    fn at(&self, height: u64) -> Result<u64> {
        match self.timestamps.binary_search_by_key(&height, |&(height, _)| height) {
            Ok(at) => Ok(self.timestamps[at].1),
            Err(_) => Err(Error::new(
                Reason::InvalidArgument,
                format_args!("the timestamp of block {height}"),
                "none",
            )),
        }
    }
}

/// A value as an integer: limbs of 64 bits, least significant first.
fn number(value: &[u8]) -> Result<[u64; 4]> {
    if !(1..=32).contains(&value.len()) {
        return Err(Error::new(
            Reason::ValueNotNumber,
            "1 to 32 bytes",
            format_args!("{} bytes: {}", value.len(), Hex(value)),
        ));
    }
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(value.rchunks(8)) {
        *limb = bytes.iter().fold(0, |limb, &byte| limb << 8 | u64::from(byte));
    }
    Ok(limbs)
}

/// A sum of 256-bit integers times 64-bit weights; the weights sum to less than 2^64, so it fits 320 bits.
#[derive(Default)]
struct ProductSum {
    limbs: [u64; 5],
}

impl ProductSum {
    fn add_product(&mut self, value: [u64; 4], factor: u64) {
        let mut carry = 0;
        let [one, two, three, four] = value;
        for (limb, value) in self.limbs.iter_mut().zip([one, two, three, four, 0]) {
            let sum = u128::from(value) * u128::from(factor) + u128::from(*limb) + carry;
            #[expect(clippy::cast_possible_truncation, reason = "the high half is carried")]
            {
                *limb = sum as u64;
            }
            carry = sum >> 64;
        }
    }

    fn to_be_bytes(&self) -> [u8; 40] {
        let mut bytes = [0; 40];
        for (chunk, limb) in bytes.rchunks_mut(8).zip(self.limbs) {
            chunk.copy_from_slice(&limb.to_be_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const SET: PastState<'_> = PastState::Present { value: &[1, 0], since: 12 };

    fn history<'a>(
        entering: Option<PastState<'a>>,
        changes: Vec<PastState<'a>>,
    ) -> Verified<KeyHistory<'a>> {
        Verified::by_verifier(KeyHistory { from: 10, to: 20, entering, changes })
    }

    fn sum(average: &Average) -> u128 {
        assert_eq!(average.sum[..24], [0; 24]);
        average.sum[24..].iter().fold(0, |sum, &byte| sum << 8 | u128::from(byte))
    }

    #[test]
    fn each_value_counts_for_its_time() {
        let entering = PastState::Present { value: &[0, 0, 7], since: 3 };
        let history = history(
            Some(entering),
            vec![
                SET,
                PastState::Deleted { deleted_at: 15 },
                PastState::Present { value: &[9], since: 20 },
            ],
        );
        let times = [(10, 1000), (12, 1100), (13, 1150), (15, 1600), (20, 2000)];
        let whole = twap(&history, &times, 10, 20).unwrap();
        assert_eq!(sum(&whole), 7 * 100 + 256 * 500);
        assert_eq!(whole.covered_ms, 600);
        assert_eq!(whole.gaps, [ValueGap { from_ms: 1600, to_ms: 2000 }]);
        let part = twap(&history, &times, 13, 15).unwrap();
        assert_eq!((sum(&part), part.covered_ms, &*part.gaps), (256 * 450, 450, &[][..]));
        let point = twap(&history, &times, 12, 12).unwrap();
        assert_eq!((sum(&point), point.covered_ms, &*point.gaps), (0, 0, &[][..]));
    }

    #[test]
    fn the_largest_sum_fits() {
        let entering = PastState::Present { value: &[0xff; 32], since: 0 };
        let largest = PastState::Present { value: &[0xff; 32], since: 11 };
        let history = history(Some(entering), vec![largest]);
        let average = twap(&history, &[(10, 0), (11, 1), (20, u64::MAX)], 10, 20).unwrap();
        // (2^256 - 1) (2^64 - 1) = 2^320 - 2^256 - 2^64 + 1.
        let mut expected = [0xff; 40];
        expected[7] = 0xfe;
        expected[32..].fill(0);
        expected[39] = 1;
        assert_eq!(average.sum, expected);
        assert_eq!(average.covered_ms, u64::MAX);
    }

    #[test]
    fn what_is_no_number_or_has_no_timestamp_is_refused() {
        let refused = |entering, changes, times: &[(u64, u64)], a, b| {
            twap(&history(entering, changes), times, a, b).unwrap_err().reason()
        };
        let number = |value| Some(PastState::Present { value, since: 3 });
        let times = [(10, 1000), (20, 2000)];
        assert_eq!(refused(number(&[]), vec![], &times, 10, 20), Reason::ValueNotNumber);
        assert_eq!(refused(number(&[0; 33]), vec![], &times, 10, 20), Reason::ValueNotNumber);
        let invalid = Reason::InvalidArgument;
        assert_eq!(refused(number(&[1]), vec![], &times, 9, 20), invalid);
        assert_eq!(refused(number(&[1]), vec![], &times, 10, 21), invalid);
        assert_eq!(refused(number(&[1]), vec![], &times, 20, 10), invalid);
        assert_eq!(refused(number(&[1]), vec![], &[(20, 2000)], 10, 20), invalid);
        assert_eq!(refused(number(&[1]), vec![], &[(10, 2000)], 10, 20), invalid);
        assert_eq!(refused(number(&[1]), vec![SET], &times, 10, 20), invalid);
        assert_eq!(refused(number(&[1]), vec![], &[(10, 2), (20, 2)], 10, 20), invalid);
        assert_eq!(refused(number(&[1]), vec![], &[(10, 1), (10, 2), (20, 3)], 10, 20), invalid);
    }
}

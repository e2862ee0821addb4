//! The time for blocks: the system's time, unless it jumps.
//!
//! A block is never older than its parent. So a clock that is ahead for a moment would leave a chain whose
//! blocks are in the future, by as much as the clock was ahead.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prooflight_core::chain::SyncPolicy;
use prooflight_core::{Error, Reason, Result};

/// The system's time, compared with a monotonic clock.
pub struct Clock {
    read: Box<dyn Fn() -> ClockReading + Send + Sync>,
    /// The last accepted reading.
    last: Mutex<ClockReading>,
}

/// The times of both clocks at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The time of day, in milliseconds since 1970.
    pub wall_ms: u64,
    /// The monotonic time since a fixed moment.
    pub steady: Duration,
}

impl Clock {
    /// The clocks of the system, from now on.
    pub fn system() -> Self {
        Self::new(|| ClockReading { wall_ms: now_ms(), steady: steady() })
    }

    /// Clocks that are read with this function.
    pub fn new(read: impl Fn() -> ClockReading + Send + Sync + 'static) -> Self {
        let last = Mutex::new(read());
        Self { read: Box::new(read), last }
    }

    /// Returns the time of day in milliseconds since 1970; `clock_jumped` if the clock was changed by more than
    /// the error that clients allow, until it is set back or [confirmed](Self::confirm).
    pub fn now_ms(&self) -> Result<u64> {
        let now = (self.read)();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = now.steady.saturating_sub(last.steady);
        let passed = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX);
        let expected = last.wall_ms.saturating_add(passed);
        if now.wall_ms.abs_diff(expected) > allowed_ms() {
            let expected = format_args!("a clock at {}, since none was set", format_utc(expected));
            return Err(Error::new(Reason::ClockJumped, expected, format_utc(now.wall_ms)));
        }
        *last = now;
        Ok(now.wall_ms)
    }

    /// Accepts the present time, and returns it.
    pub fn confirm(&self) -> u64 {
        let now = (self.read)();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = now;
        now.wall_ms
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("last", &self.last).finish_non_exhaustive()
    }
}

/// `head_in_future` if the timestamp is further ahead of the time than clients allow.
pub fn check_not_in_future(timestamp_ms: u64, now_ms: u64) -> Result<()> {
    let latest = now_ms.saturating_add(allowed_ms());
    if timestamp_ms <= latest {
        return Ok(());
    }
    let expected = format_args!("a block of {} or before", format_utc(latest));
    Err(Error::new(Reason::HeadInFuture, expected, format_utc(timestamp_ms)))
}

/// The clock error that clients allow.
fn allowed_ms() -> u64 {
    SyncPolicy::at(0).max_clock_skew_ms
}

/// The system's time, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The time since the system started, including the time that it was suspended.
#[cfg(target_os = "linux")]
fn steady() -> Duration {
    let since = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::try_from(since).unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn steady() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

/// Writes a time in milliseconds since 1970 as in RFC 3339, in UTC; times after 9999 as its end.
pub fn format_utc(ms: u64) -> String {
    let seconds = (ms / 1000).min(253_402_300_799);
    let (mut days, time) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    while days >= 365 + leap_day(year) {
        days -= 365 + leap_day(year);
        year += 1;
    }
    let lengths = [31, 28 + leap_day(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

fn leap_day(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    leap.into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use std::sync::Arc;

    const NOW: u64 = 1_800_000_000_000;

    #[test]
    fn a_jump_is_refused_until_it_is_taken_back_or_confirmed() {
        let reading = ClockReading { wall_ms: NOW, steady: Duration::from_secs(7) };
        let shared = Arc::new(Mutex::new(reading));
        let clock = Clock::new({
            let shared = shared.clone();
            move || *shared.lock().unwrap()
        });
        let now_ms = |wall_ms: u64, steady: u64| {
            let steady = Duration::from_secs(steady);
            *shared.lock().unwrap() = ClockReading { wall_ms, steady };
            clock.now_ms().map_err(|error| error.reason())
        };
        // A day passes, and the clock is corrected by as much as clients allow.
        assert_eq!(now_ms(NOW + 86_400_000, 86_407), Ok(NOW + 86_400_000));
        let at = NOW + 86_430_000;
        assert_eq!(now_ms(at, 86_407), Ok(at));
        for wrong in [at + 30_001, at - 30_001, at + 2 * 86_400_000, 0, u64::MAX] {
            assert_eq!(now_ms(wrong, 86_407), Err(Reason::ClockJumped));
        }
        assert_eq!(now_ms(at + 5000, 86_412), Ok(at + 5000));
        assert_eq!(now_ms(NOW, 86_412), Err(Reason::ClockJumped));
        assert_eq!(clock.confirm(), NOW);
        assert_eq!(now_ms(NOW, 86_412), Ok(NOW));
        assert!(Clock::system().now_ms().is_ok());
    }

    #[test]
    fn a_block_waits_for_its_time() {
        assert_eq!(check_not_in_future(31_000, 1000), Ok(()));
        let early = check_not_in_future(31_001, 1000).map_err(|error| error.reason());
        assert_eq!(early, Err(Reason::HeadInFuture));
        assert_eq!(check_not_in_future(u64::MAX, u64::MAX - 5), Ok(()));
    }

    #[test]
    fn times_are_written_as_in_rfc_3339() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (951_868_799_999, "2000-02-29T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(format_utc(ms), text);
        }
    }
}

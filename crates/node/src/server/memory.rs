//! The memory of answers that clients have not accepted yet, for all connections of a listener together.
//!
//! Nobody knows the size of an answer before it is made. Therefore an answer that may be large has
//! room for what it may take before it begins ([`AnswerMemory::room`]), and its real size is charged
//! to its connection from when it is made until the client accepts it. If there is no room, the
//! connections that have held the most for the longest are cut: those whose clients do not read. A
//! client that reads holds little for a short time, so it is not among them, and need not wait for
//! them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::gate::Gate;

/// The memory of the unread answers of a listener.
#[derive(Debug)]
pub struct AnswerMemory {
    /// In bytes.
    limit: usize,
    state: Mutex<State>,
    /// Answers get room one after another, so that small ones do not overtake a large one for ever.
    turn: tokio::sync::Mutex<()>,
    /// Says that bytes were released.
    released: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes of all connections.
    held: usize,
    /// Bytes for answers that are being made.
    making: usize,
    /// By the number of the connection.
    holdings: HashMap<u64, Holding>,
    connections: u64,
}

/// What a connection holds.
#[derive(Debug)]
struct Holding {
    bytes: usize,
    /// The bytes have been held since this time, on average.
    since: Instant,
    /// When the client last accepted some, or when there was the first to accept.
    moved: Instant,
    gate: Weak<Gate>,
}

/// The default limit: 512 MiB.
pub const ANSWER_BYTES: usize = 512 << 20;

/// A connection may be cut for others once its client has accepted nothing for this time.
const STALL_TIME: Duration = Duration::from_secs(1);

/// A connection may be cut for others once it has held its bytes for this time on average.
const HOLDING_TIME: Duration = Duration::from_secs(5);

/// How often a call that waits for room looks whether a connection may be cut.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

impl AnswerMemory {
    /// At most this many bytes of answers, and what is charged without room: small answers.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            state: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            released: Notify::new(),
        })
    }

    /// The number of a new connection.
    pub(super) fn connect(&self) -> u64 {
        let mut state = self.state();
        state.connections += 1;
        state.connections
    }

    /// Waits until an answer of this size may be made; there is room for it until the result is dropped.
    pub(crate) async fn room(self: &Arc<Self>, bytes: usize) -> AnswerRoom {
        let bytes = bytes.min(self.limit);
        let _turn = self.turn.lock().await;
        loop {
            // Hears of all that is released from here on.
            let released = self.released.notified();
            if self.take(bytes, Instant::now()) {
                return AnswerRoom { memory: self.clone(), bytes };
            }
            // A connection that may not be cut yet may be later.
            let _ = tokio::time::timeout(LOOK_INTERVAL, released).await;
        }
    }

    /// Takes room if there is enough, or if cutting connections makes enough.
    fn take(&self, bytes: usize, now: Instant) -> bool {
        let mut cut = Vec::new();
        let mut state = self.state();
        while state.held + bytes > self.limit {
            let Some(gate) = state.cut_worst(now) else { break };
            cut.push(gate);
        }
        let fits = state.held + state.making + bytes <= self.limit;
        if fits {
            state.making += bytes;
        }
        drop(state);
        // A gate locks the state when it is dropped.
        for gate in cut.into_iter().flatten() {
            tracing::debug!("cut a connection whose client does not read its answers");
            gate.cut();
        }
        fits
    }

    /// Records that a connection holds more.
    pub(super) fn hold(&self, connection: u64, gate: &Arc<Gate>, bytes: usize, now: Instant) {
        if bytes == 0 {
            return;
        }
        let mut state = self.state();
        state.held += bytes;
        let holding = state.holdings.entry(connection).or_insert_with(|| Holding {
            bytes: 0,
            since: now,
            moved: now,
            gate: Arc::downgrade(gate),
        });
        // The new bytes have been held for no time.
        holding.age(now, holding.bytes, holding.bytes + bytes);
        holding.bytes += bytes;
    }

    /// Records that a connection holds less: `accepted` by the client, or dropped.
    pub(super) fn release(&self, connection: u64, bytes: usize, accepted: bool, now: Instant) {
        let mut state = self.state();
        let Some(holding) = state.holdings.get_mut(&connection) else { return };
        let released = bytes.min(holding.bytes);
        // The client accepts the oldest first, so the rest is younger.
        holding.age(now, holding.bytes - released, holding.bytes);
        holding.bytes -= released;
        if accepted && released > 0 {
            holding.moved = now;
        }
        if holding.bytes == 0 {
            state.holdings.remove(&connection);
        }
        state.held -= released;
        drop(state);
        self.released.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The numbers are right between the calls.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets the connection that has held the most for the longest, of those that may be cut; returns its
    /// gate.
    fn cut_worst(&mut self, now: Instant) -> Option<Option<Arc<Gate>>> {
        let slow = self.holdings.iter().filter(|(_, holding)| holding.is_slow(now));
        let (&worst, _) = slow.max_by_key(|(_, holding)| holding.byte_time(now))?;
        let holding = self.holdings.remove(&worst)?;
        self.held -= holding.bytes;
        Some(holding.gate.upgrade())
    }
}

impl Holding {
    /// Makes the average time shorter, by this fraction.
    fn age(&mut self, now: Instant, numerator: usize, denominator: usize) {
        let time = now.saturating_duration_since(self.since);
        let nanos = time.as_nanos() * numerator as u128 / denominator.max(1) as u128;
        let time = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.since = now.checked_sub(time).unwrap_or(self.since);
    }

    fn is_slow(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.moved) >= STALL_TIME
            || now.saturating_duration_since(self.since) >= HOLDING_TIME
    }

    /// The bytes, times how long they are held.
    fn byte_time(&self, now: Instant) -> u128 {
        now.saturating_duration_since(self.since).as_nanos() * self.bytes as u128
    }
}

/// Room for an answer that is being made.
#[derive(Debug)]
pub(crate) struct AnswerRoom {
    memory: Arc<AnswerMemory>,
    bytes: usize,
}

impl Drop for AnswerRoom {
    fn drop(&mut self) {
        self.memory.state().making -= self.bytes;
        self.memory.released.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 1000;

    /// A connection that has held some bytes for some time when the test begins.
    fn holder(memory: &Arc<AnswerMemory>, bytes: usize, now: Instant, held: Duration) -> Arc<Gate> {
        let gate = Gate::new(memory);
        memory.hold(gate.connection(), &gate, bytes, now.checked_sub(held).unwrap_or(now));
        gate
    }

    #[test]
    fn room_is_made_by_cutting_who_has_held_the_most_for_the_longest() {
        let (memory, now) = (AnswerMemory::new(LIMIT), Instant::now());
        let long = holder(&memory, 300, now, Duration::from_secs(4));
        let much = holder(&memory, 600, now, Duration::from_secs(3));
        let new = holder(&memory, 100, now, Duration::ZERO);
        assert!(memory.take(500, now));
        assert_eq!([&long, &much, &new].map(|gate| gate.is_cut()), [false, true, false]);
        // What is being made is not held, and ends by itself.
        assert!(!memory.take(200, now));
        assert_eq!([&long, &new].map(|gate| gate.is_cut()), [false, false]);
        assert!(memory.take(100, now));
    }

    #[test]
    fn who_accepts_answers_is_not_cut() {
        let (memory, now) = (AnswerMemory::new(LIMIT), Instant::now());
        let reader = holder(&memory, 900, now, Duration::from_secs(4));
        memory.release(reader.connection(), 1, true, now);
        assert!(!memory.take(500, now), "it waits");
        assert!(!reader.is_cut());
        memory.release(reader.connection(), 899, true, now);
        assert!(memory.take(500, now));
        // Not even if it always holds something.
        let busy = holder(&memory, 100, now, Duration::from_mins(1));
        for _ in 0..100 {
            memory.hold(busy.connection(), &busy, 100, now);
            memory.release(busy.connection(), 100, true, now);
        }
        assert!(!memory.take(500, now));
        assert!(!busy.is_cut());
    }

    #[test]
    fn who_accepts_almost_nothing_is_cut() {
        let (memory, now) = (AnswerMemory::new(LIMIT), Instant::now());
        let slow = holder(&memory, 900, now, Duration::from_secs(6));
        memory.release(slow.connection(), 1, true, now);
        assert!(memory.take(500, now));
        assert!(slow.is_cut());
    }

    #[tokio::test]
    async fn an_answer_waits_for_others_that_are_made_and_a_larger_one_has_all() {
        let memory = AnswerMemory::new(LIMIT);
        let first = memory.room(800).await;
        let second = memory.room(10 * LIMIT);
        tokio::select! {
            biased;
            _ = second => unreachable!("it has to wait"),
            () = tokio::task::yield_now() => {}
        }
        drop(first);
        let all = memory.room(10 * LIMIT).await;
        assert!(!memory.take(1, Instant::now()));
        drop(all);
        assert!(memory.take(LIMIT, Instant::now()));
    }

    #[test]
    fn a_connection_that_ends_holds_nothing() {
        let (memory, now) = (AnswerMemory::new(LIMIT), Instant::now());
        drop(holder(&memory, 900, now, Duration::ZERO));
        assert!(memory.take(LIMIT, now));
    }
}

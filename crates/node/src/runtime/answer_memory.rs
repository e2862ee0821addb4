//! The memory of answers that clients have not accepted yet, of all connections of a listener together.
//!
//! The size of an answer is unknown before it is made. So an answer that may be large first reserves its
//! estimated size (`AnswerMemory::reserve`). Its real size is charged to its connection from when it is made until
//! the client accepts it. If memory is missing, connections whose clients do not read are cut, those that hold the
//! most first. A client that reads is not cut, and does not wait for the others.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// The memory of the unread answers of a listener.
#[derive(Debug)]
pub struct AnswerMemory {
    /// The most bytes that answers may hold.
    limit: usize,
    state: Mutex<MemoryState>,
    /// Reservations are made one after another, so that small ones do not overtake a large one forever.
    turn: tokio::sync::Mutex<()>,
    /// Notified when bytes are released.
    released: Notify,
}

#[derive(Debug, Default)]
struct MemoryState {
    /// Bytes of all connections.
    held: usize,
    /// Bytes reserved for answers that are being made.
    making: usize,
    /// The bytes of each connection, by the number of the connection.
    holdings: HashMap<u64, ConnectionBytes>,
    connections: u64,
}

/// A connection whose answers take memory.
pub(crate) trait AnsweringConnection: Debug + Send + Sync {
    /// Ends the connection.
    fn cut(&self);
}

/// Why bytes are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HoldReason {
    /// For a call that is not answered yet: its request, or answers of its batch.
    Call,
    /// For the client, which must accept an answer.
    Client,
}

/// The bytes that a connection holds.
#[derive(Debug)]
struct ConnectionBytes {
    bytes: usize,
    /// The bytes that the client must accept.
    unread: usize,
    /// The average time at which the bytes were charged.
    since: Instant,
    /// When the client last accepted bytes, or when the first were ready for it.
    moved: Instant,
    gate: Weak<dyn AnsweringConnection>,
}

/// Maximum size of a reply in bytes: a block with its operations and the largest transition, or the largest proof,
/// in hexadecimal, plus the JSON around it.
pub const MAX_REPLY_BYTES: u32 = 40 << 20;

/// The default limit: 512 MiB.
pub const ANSWER_BYTES: usize = 512 << 20;

/// A connection may be cut once its client has accepted nothing of an answer for this time.
const STALL_TIMEOUT: Duration = Duration::from_secs(1);

/// After stalled connections, those may be cut that have held their bytes for this time on average.
const MAX_HOLD_TIME: Duration = Duration::from_secs(5);

/// How often a call that waits for memory checks whether a connection may be cut.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl AnswerMemory {
    /// At most `limit` bytes of answers, besides small answers, which are charged without a reservation.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            state: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            released: Notify::new(),
        })
    }

    /// The number of a new connection.
    pub(crate) fn connect(&self) -> u64 {
        let mut state = self.state();
        state.connections += 1;
        state.connections
    }

    /// Waits until memory for an answer of this size is free, and reserves it until the result is dropped.
    pub(crate) async fn reserve(self: &Arc<Self>, bytes: usize) -> AnswerPermit {
        let bytes = bytes.min(self.limit);
        let _turn = self.turn.lock().await;
        loop {
            // Subscribed first, so that no release is missed.
            let released = self.released.notified();
            if self.take(bytes, Instant::now()) {
                return AnswerPermit { memory: self.clone(), bytes };
            }
            // Connections that may not be cut now may be cut later.
            let _ = tokio::time::timeout(POLL_INTERVAL, released).await;
        }
    }

    /// Reserves bytes if enough are free, if necessary by cutting connections.
    fn take(&self, bytes: usize, now: Instant) -> bool {
        let mut state = self.state();
        let excess = (state.held + bytes).saturating_sub(self.limit);
        let cut = state.cut_slow(excess, now);
        let fits = state.held + state.making + bytes <= self.limit;
        if fits {
            state.making += bytes;
        }
        drop(state);
        // Dropping a gate locks the state.
        for gate in cut {
            tracing::debug!("cut a connection whose client does not read its answers");
            gate.cut();
        }
        fits
    }

    /// Charges bytes to a connection.
    pub(crate) fn hold(
        &self,
        connection: u64,
        gate: &Arc<impl AnsweringConnection + 'static>,
        bytes: usize,
        held_for: HoldReason,
        now: Instant,
    ) {
        if bytes == 0 {
            return;
        }
        let mut state = self.state();
        state.held += bytes;
        let holding = state.holdings.entry(connection).or_insert_with(|| ConnectionBytes {
            bytes: 0,
            unread: 0,
            since: now,
            moved: now,
            gate: Arc::<_>::downgrade(gate) as Weak<dyn AnsweringConnection>,
        });
        // The new bytes have just been charged.
        holding.age(now, holding.bytes, holding.bytes + bytes);
        holding.bytes += bytes;
        if held_for == HoldReason::Client {
            if holding.unread == 0 {
                holding.moved = now;
            }
            holding.unread += bytes;
        }
    }

    /// Records that a client accepts bytes, and has now accepted whole answers of `answers` bytes.
    pub(crate) fn accepted(&self, connection: u64, answers: usize, now: Instant) {
        if let Some(holding) = self.state().holdings.get_mut(&connection) {
            holding.moved = now;
        }
        if answers > 0 {
            self.release(connection, answers, HoldReason::Client, now);
        }
    }

    /// Releases bytes of a connection: those of a call, or of answers that the client has accepted.
    pub(crate) fn release(
        &self,
        connection: u64,
        bytes: usize,
        held_for: HoldReason,
        now: Instant,
    ) {
        let mut state = self.state();
        let Some(holding) = state.holdings.get_mut(&connection) else { return };
        let released = bytes.min(match held_for {
            HoldReason::Call => holding.bytes - holding.unread,
            HoldReason::Client => holding.unread,
        });
        // The client accepts the oldest bytes first, so the average age of the rest falls.
        holding.age(now, holding.bytes - released, holding.bytes);
        holding.bytes -= released;
        if held_for == HoldReason::Client {
            holding.unread -= released;
        }
        if holding.bytes == 0 {
            state.holdings.remove(&connection);
        }
        state.held -= released;
        drop(state);
        self.released.notify_waiters();
    }

    /// Records that a connection has ended.
    pub(crate) fn disconnect(&self, connection: u64) {
        let mut state = self.state();
        if let Some(holding) = state.holdings.remove(&connection) {
            state.held -= holding.bytes;
        }
        drop(state);
        self.released.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        // The numbers are consistent between calls.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryState {
    /// Removes connections that together hold `needed` bytes, and returns their gates. Of the connections that may be
    /// cut, those whose clients do not read come first, then those that hold the most. If all of them together hold
    /// fewer bytes, none is removed.
    fn cut_slow(&mut self, needed: usize, now: Instant) -> Vec<Arc<dyn AnsweringConnection>> {
        if needed == 0 {
            return Vec::new();
        }
        let slow = self.holdings.iter().filter_map(|(number, holding)| {
            let is_unread = holding.is_unread(now);
            (is_unread || holding.is_old(now)).then_some((is_unread, holding.bytes, *number))
        });
        let mut slow: Vec<_> = slow.collect();
        if slow.iter().map(|(_, bytes, _)| bytes).sum::<usize>() < needed {
            return Vec::new();
        }
        slow.sort_unstable_by(|a, b| b.cmp(a));
        let (mut gates, before) = (Vec::new(), self.held);
        for (_, bytes, number) in slow {
            if before - self.held >= needed {
                break;
            }
            self.held -= bytes;
            gates.extend(self.holdings.remove(&number).and_then(|holding| holding.gate.upgrade()));
        }
        gates
    }
}

impl ConnectionBytes {
    /// Scales the average age by this fraction.
    fn age(&mut self, now: Instant, numerator: usize, denominator: usize) {
        let time = now.saturating_duration_since(self.since);
        let nanos = time.as_nanos() * numerator as u128 / denominator.max(1) as u128;
        let time = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.since = now.checked_sub(time).unwrap_or(self.since);
    }

    /// Whether the client does not read.
    fn is_unread(&self, now: Instant) -> bool {
        self.unread > 0 && now.saturating_duration_since(self.moved) >= STALL_TIMEOUT
    }

    fn is_old(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= MAX_HOLD_TIME
    }
}

/// Memory reserved for an answer that is being made.
#[derive(Debug)]
pub(crate) struct AnswerPermit {
    memory: Arc<AnswerMemory>,
    bytes: usize,
}

impl Drop for AnswerPermit {
    fn drop(&mut self) {
        self.memory.state().making -= self.bytes;
        self.memory.released.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    const LIMIT_BYTES: usize = 1000;

    #[derive(Debug)]
    struct TestConnection {
        number: u64,
        cut: AtomicBool,
        memory: Arc<AnswerMemory>,
    }

    impl TestConnection {
        fn new(memory: &Arc<AnswerMemory>) -> Arc<Self> {
            let (number, cut) = (memory.connect(), AtomicBool::new(false));
            Arc::new(Self { number, cut, memory: memory.clone() })
        }

        const fn connection(&self) -> u64 {
            self.number
        }

        fn is_cut(&self) -> bool {
            self.cut.load(Ordering::SeqCst)
        }
    }

    impl AnsweringConnection for TestConnection {
        fn cut(&self) {
            self.cut.store(true, Ordering::SeqCst);
        }
    }

    impl Drop for TestConnection {
        fn drop(&mut self) {
            self.memory.disconnect(self.number);
        }
    }

    /// A connection that has held some bytes for some time when the test begins.
    fn holder(
        memory: &Arc<AnswerMemory>,
        bytes: usize,
        now: Instant,
        held: Duration,
    ) -> Arc<TestConnection> {
        let gate = TestConnection::new(memory);
        let since = now.checked_sub(held).unwrap_or(now);
        memory.hold(gate.connection(), &gate, bytes, HoldReason::Client, since);
        gate
    }

    #[test]
    fn memory_is_freed_by_cutting_the_largest_connection_that_does_not_read() {
        let (memory, now) = (AnswerMemory::new(LIMIT_BYTES), Instant::now());
        let long = holder(&memory, 300, now, Duration::from_secs(4));
        let much = holder(&memory, 600, now, Duration::from_secs(3));
        let new = holder(&memory, 100, now, Duration::ZERO);
        assert!(memory.take(500, now));
        assert_eq!([&long, &much, &new].map(|gate| gate.is_cut()), [false, true, false]);
        // Reserved bytes are not held by a connection, and are released without a cut.
        assert!(!memory.take(200, now));
        assert_eq!([&long, &new].map(|gate| gate.is_cut()), [false, false]);
        assert!(memory.take(100, now));
    }

    #[test]
    fn a_connection_that_accepts_answers_is_not_cut() {
        let (memory, now) = (AnswerMemory::new(LIMIT_BYTES), Instant::now());
        let reader = holder(&memory, 900, now, Duration::from_secs(4));
        memory.accepted(reader.connection(), 1, now);
        assert!(!memory.take(500, now), "it waits");
        // Part of an answer, which is held until the client has all of it.
        memory.accepted(reader.connection(), 0, now + STALL_TIMEOUT);
        assert!(!memory.take(500, now + STALL_TIMEOUT), "it waits");
        assert!(!reader.is_cut());
        memory.accepted(reader.connection(), 899, now);
        assert!(memory.take(500, now));
        // Not even if it always holds something.
        let busy = holder(&memory, 100, now, Duration::from_mins(1));
        for _ in 0..100 {
            memory.hold(busy.connection(), &busy, 100, HoldReason::Client, now);
            memory.accepted(busy.connection(), 100, now);
        }
        assert!(!memory.take(500, now));
        assert!(!busy.is_cut());
    }

    #[test]
    fn no_connection_is_cut_if_that_frees_too_little() {
        let (memory, now) = (AnswerMemory::new(LIMIT_BYTES), Instant::now());
        let new = holder(&memory, 900, now, Duration::ZERO);
        let waiting = holder(&memory, 50, now, Duration::from_mins(1));
        assert!(!memory.take(500, now));
        assert_eq!([&new, &waiting].map(|gate| gate.is_cut()), [false, false]);
        assert!(memory.take(500, now + STALL_TIMEOUT));
        assert_eq!([&new, &waiting].map(|gate| gate.is_cut()), [true, false]);
    }

    #[test]
    fn a_call_that_is_not_answered_yet_is_cut_last() {
        let (memory, now) = (AnswerMemory::new(LIMIT_BYTES), Instant::now());
        let begun = |held| now.checked_sub(held).unwrap_or(now);
        let batches = [MAX_HOLD_TIME, STALL_TIMEOUT].map(|held| {
            let gate = TestConnection::new(&memory);
            memory.hold(gate.connection(), &gate, 300, HoldReason::Call, begun(held));
            gate
        });
        let unread = holder(&memory, 100, now, STALL_TIMEOUT);
        let cut = || [&batches[0], &batches[1], &unread].map(|gate| gate.is_cut());
        assert!(memory.take(400, now));
        assert_eq!(cut(), [false, false, true]);
        assert!(!memory.take(500, now), "what is being made ends by itself");
        assert_eq!(cut(), [true, false, true]);
        memory.release(batches[1].connection(), 300, HoldReason::Call, now);
        assert!(memory.take(600, now));
    }

    #[test]
    fn a_connection_that_accepts_almost_nothing_is_cut() {
        let (memory, now) = (AnswerMemory::new(LIMIT_BYTES), Instant::now());
        let slow = holder(&memory, 900, now, Duration::from_secs(6));
        memory.accepted(slow.connection(), 1, now);
        assert!(memory.take(500, now));
        assert!(slow.is_cut());
    }

    #[tokio::test]
    async fn an_answer_waits_for_others_that_are_made_and_a_larger_one_has_all() {
        let memory = AnswerMemory::new(LIMIT_BYTES);
        let first = memory.reserve(800).await;
        let second = memory.reserve(10 * LIMIT_BYTES);
        tokio::select! {
            biased;
            _ = second => unreachable!("it has to wait"),
            () = tokio::task::yield_now() => {}
        }
        drop(first);
        let all = memory.reserve(10 * LIMIT_BYTES).await;
        assert!(!memory.take(1, Instant::now()));
        drop(all);
        assert!(memory.take(LIMIT_BYTES, Instant::now()));
    }

    #[test]
    fn a_connection_that_ends_holds_nothing() {
        let (memory, now) = (AnswerMemory::new(LIMIT_BYTES), Instant::now());
        drop(holder(&memory, 900, now, Duration::ZERO));
        assert!(memory.take(LIMIT_BYTES, now));
    }
}

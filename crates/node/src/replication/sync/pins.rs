//! The states that a leader keeps for replicas, and for how long.

use std::time::{Duration, Instant};

use crate::runtime::blocking::ClientId;

/// States that are kept while replicas fetch them: at most one for each client and few in all, because the store cannot
/// free what later blocks replace.
#[derive(Debug)]
pub(super) struct PinnedStates<T>(Vec<StatePin<T>>);

#[derive(Debug)]
struct StatePin<T> {
    state: T,
    height: u64,
    client: ClientId,
    begun: Instant,
    /// When a chunk was last requested.
    used: Option<Instant>,
}

/// The most states that are kept.
const MAX_PINNED_STATES: usize = 4;

/// How long a state is kept before its first chunk is requested.
const UNUSED_PIN_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a state is kept after the last request of a chunk.
const IDLE_PIN_TIMEOUT: Duration = Duration::from_mins(1);

/// The longest time that a state is kept.
const MAX_PIN_TIME: Duration = Duration::from_hours(1);

impl<T> PinnedStates<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Keeps the state after the newest block for a client. A client that already has a state gets that one. If the
    /// maximum is reached, the client gets the newest of the kept states.
    pub(super) fn begin(
        &mut self,
        client: ClientId,
        height: u64,
        now: Instant,
        state: impl FnOnce() -> T,
    ) -> Option<&T> {
        self.expire(now);
        // The connections of a local proxy may belong to any client, so they share one state.
        let client = if matches!(client, ClientId::Local(_)) { ClientId::Local(0) } else { client };
        if let Some(own) = self.0.iter().position(|pin| pin.client == client) {
            return Some(&self.0[own].state);
        }
        let is_known = self.0.iter().any(|pin| pin.height == height);
        if self.0.len() < MAX_PINNED_STATES && !is_known {
            self.0.push(StatePin { state: state(), height, client, begun: now, used: None });
        }
        self.0.iter().max_by_key(|pin| pin.height).map(|newest| &newest.state)
    }

    /// Finds the state of which a chunk is requested.
    pub(super) fn find(&mut self, now: Instant, is_requested: impl Fn(&T) -> bool) -> Option<&T> {
        self.expire(now);
        let pin = self.0.iter_mut().find(|pin| is_requested(&pin.state))?;
        pin.used = Some(now);
        Some(&pin.state)
    }

    fn expire(&mut self, now: Instant) {
        self.0.retain(|pin| {
            let is_used = pin
                .used
                .map_or(now - pin.begun < UNUSED_PIN_TIMEOUT, |used| now - used < IDLE_PIN_TIMEOUT);
            is_used && now - pin.begun < MAX_PIN_TIME
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state that a client gets at a second while the chain is at a height.
    fn asked(
        pins: &mut PinnedStates<u64>,
        begun: Instant,
        second: u64,
        client: u8,
        height: u64,
    ) -> u64 {
        let (client, now) = (ClientId::V4([client; 4]), begun + Duration::from_secs(second));
        *pins.begin(client, height, now, || height).unwrap_or(&u64::MAX)
    }

    #[test]
    fn each_client_has_one_state_and_all_have_few() {
        let (mut pins, begun) = (PinnedStates::new(), Instant::now());
        // A client that asks repeatedly holds one state.
        assert_eq!([7, 8, 9].map(|height| asked(&mut pins, begun, 0, 1, height)), [7, 7, 7]);
        assert_eq!([2, 3, 4].map(|client| asked(&mut pins, begun, 0, client, 9)), [9, 9, 9]);
        assert_eq!(pins.0.len(), 2);
        assert_eq!([10, 11, 12].map(|it| asked(&mut pins, begun, 0, it, it.into())), [10, 11, 11]);
        assert_eq!(pins.0.len(), MAX_PINNED_STATES);
        // All connections of this machine count as one client.
        let mut pins = PinnedStates::new();
        for connection in 0..9 {
            let height = u64::from(connection);
            assert_eq!(pins.begin(ClientId::Local(connection), height, begun, || height), Some(&0));
        }
        assert_eq!(pins.0.len(), 1);
    }

    #[test]
    fn a_state_that_nobody_fetches_is_dropped_soon() {
        let (mut pins, begun) = (PinnedStates::new(), Instant::now());
        let at = |second| begun + Duration::from_secs(second);
        assert_eq!(asked(&mut pins, begun, 0, 1, 7), 7);
        // Asking for the block again does not extend the time.
        assert_eq!(asked(&mut pins, begun, 19, 1, 8), 7);
        assert_eq!(asked(&mut pins, begun, 20, 1, 8), 8);
        for second in (21..3600).step_by(59) {
            assert_eq!(pins.find(at(second), |state| *state == 8), Some(&8), "{second}");
        }
        assert_eq!(pins.find(at(3599), |state| *state == 9), None);
        assert_eq!(pins.find(at(3619), |state| *state == 8), Some(&8));
        assert_eq!(pins.find(at(3620), |state| *state == 8), None);
        assert_eq!(asked(&mut pins, begun, 3620, 1, 9), 9);
        assert_eq!(pins.find(at(3621), |state| *state == 9), Some(&9));
        assert_eq!(pins.find(at(3681), |state| *state == 9), None);
    }
}

//! The order in which proofs begin.
//!
//! Each scheme has its own queues, so that no scheme waits for another: one for cheap requests and one for
//! expensive requests. Each of the two always has a slot that the other cannot take. Within a queue, the
//! client that has received less work comes first (self-clocked fair queueing: Golestani, "A Self-Clocked
//! Fair Queueing Scheme for Broadband Applications", INFOCOM 1994, doi:10.1109/INFCOM.1994.337677).

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use prooflight_core::Scheme;

use crate::runtime::answer_memory::MAX_REPLY_BYTES;

/// A request as the queue orders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkRequest {
    /// The scheme whose store is read; `None` for headers.
    pub scheme: Option<Scheme>,
    /// The expected work, in tenths of a millisecond of CPU time.
    pub cost: u64,
    /// The client that sent the request.
    pub client: ClientId,
}

impl WorkRequest {
    /// A rough upper bound on the bytes of the answer, from the expected work. Measured: an answer that takes
    /// 0.1 ms has less than 4 KiB. A block, whose cost is fixed, rarely has more than 3 MiB.
    pub(super) fn answer_bytes(&self) -> usize {
        let bytes = self.cost.saturating_mul(16 << 10).saturating_add(64 << 10);
        usize::try_from(bytes).unwrap_or(usize::MAX).min(MAX_REPLY_BYTES as usize)
    }
}

/// A client: its IPv4 address or its IPv6 network. A proxy forwards many clients, so each of its connections
/// counts as a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientId {
    /// An IPv4 address.
    V4([u8; 4]),
    /// An IPv6 network of 64 bits.
    V6(u64),
    /// A connection from a proxy, or from this machine.
    Local(u32),
}

impl ClientId {
    /// The client of a connection with this number.
    pub fn of(peer: IpAddr, connection: u32, proxies: &ProxyAddresses) -> Self {
        match peer.to_canonical() {
            ip if proxies.has(ip) => Self::Local(connection),
            IpAddr::V4(ip) => Self::V4(ip.octets()),
            // The upper half always fits.
            IpAddr::V6(ip) => Self::V6(u64::try_from(ip.to_bits() >> 64).unwrap_or_default()),
        }
    }
}

/// The addresses of proxies in front of a node; the loopback addresses if none is configured.
#[derive(Clone, Debug, Default)]
pub struct ProxyAddresses(Arc<[IpAddr]>);

impl ProxyAddresses {
    /// These addresses, and no others.
    pub fn new(addresses: &[IpAddr]) -> Self {
        Self(addresses.iter().map(IpAddr::to_canonical).collect())
    }

    fn has(&self, ip: IpAddr) -> bool {
        if self.0.is_empty() { ip.is_loopback() } else { self.0.contains(&ip) }
    }
}

/// Requests estimated above this cost are expensive: 20 ms of CPU time.
pub(crate) const EXPENSIVE_ABOVE: u64 = 200;

/// Queued requests, each with its wake-up handle.
#[derive(Debug)]
pub(super) struct RequestQueue<T> {
    schemes: Vec<(Option<Scheme>, SchemeQueue<T>)>,
    /// Maximum concurrent requests of a scheme, at least 2.
    max_running: usize,
    entered: u64,
}

/// The requests of one scheme: the cheap ones and the expensive ones.
#[derive(Debug)]
struct SchemeQueue<T>([FairQueue<T>; 2]);

#[derive(Debug)]
struct FairQueue<T> {
    running: usize,
    /// Sorted by the virtual time at which each request ends, then by arrival.
    waiting: BTreeMap<(u64, u64), T>,
    /// The virtual time: the work that has been started.
    clock: u64,
    /// The virtual time at which a client's last request ends, if later than `clock`.
    ends: HashMap<ClientId, u64>,
}

/// A request's position in the queue, held until it finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueTicket {
    scheme: Option<Scheme>,
    /// The index of the queue in its scheme: 0 for cheap requests, 1 for expensive ones.
    queue: usize,
    key: (u64, u64),
}

impl QueueTicket {
    pub(super) const fn scheme(self) -> Option<Scheme> {
        self.scheme
    }
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { running: 0, waiting: BTreeMap::new(), clock: 0, ends: HashMap::new() }
    }
}

impl<T> RequestQueue<T> {
    /// At most `most` requests of a scheme run concurrently; at least 2.
    pub(super) fn new(most: usize) -> Self {
        Self { schemes: Vec::new(), max_running: most.max(2), entered: 0 }
    }

    /// Adds a request to its queue.
    pub(super) fn enter(&mut self, ask: WorkRequest, waiter: T) -> QueueTicket {
        self.entered += 1;
        let entered = self.entered;
        let WorkRequest { scheme, cost, client } = ask;
        let number = usize::from(cost > EXPENSIVE_ABOVE);
        let queue = &mut self.scheme_queue(scheme).0[number];
        let begin = queue.ends.get(&client).map_or(queue.clock, |end| queue.clock.max(*end));
        let end = begin.saturating_add(cost.max(1));
        queue.ends.insert(client, end);
        queue.waiting.insert((end, entered), waiter);
        QueueTicket { scheme, queue: number, key: (end, entered) }
    }

    /// Removes and returns the next request of a scheme that may begin.
    pub(super) fn begin(&mut self, scheme: Option<Scheme>) -> Option<T> {
        let most = self.max_running;
        let SchemeQueue(queues) = self.scheme_queue(scheme);
        let running: usize = queues.iter().map(|queue| queue.running).sum();
        let free = running < most;
        let queue = queues.iter_mut().find(|queue| {
            // The last slot is reserved for the other queue.
            free && queue.running + 1 < most && !queue.waiting.is_empty()
        })?;
        let ((end, _), waiter) = queue.waiting.pop_first()?;
        queue.running += 1;
        queue.clock = queue.clock.max(end);
        let clock = queue.clock;
        queue.ends.retain(|_, end| *end > clock);
        Some(waiter)
    }

    /// Removes a request that is waiting, or one that has finished.
    pub(super) fn leave(&mut self, ticket: QueueTicket) {
        let queue = &mut self.scheme_queue(ticket.scheme).0[ticket.queue];
        if queue.waiting.remove(&ticket.key).is_none() {
            queue.running -= 1;
        }
    }

    fn scheme_queue(&mut self, scheme: Option<Scheme>) -> &mut SchemeQueue<T> {
        let index = self.schemes.iter().position(|(known, _)| *known == scheme);
        let index = index.unwrap_or_else(|| {
            self.schemes.push((scheme, SchemeQueue(Default::default())));
            self.schemes.len() - 1
        });
        &mut self.schemes[index].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LVMT: Option<Scheme> = Some(Scheme::Lvmt);
    const EXPENSIVE: u64 = 3000;

    fn ask(scheme: Option<Scheme>, client: u32, cost: u64) -> WorkRequest {
        WorkRequest { scheme, cost, client: ClientId::Local(client) }
    }

    /// Begins all requests that may begin.
    fn begun<T>(queue: &mut RequestQueue<T>, scheme: Option<Scheme>) -> Vec<T> {
        std::iter::from_fn(|| queue.begin(scheme)).collect()
    }

    /// Runs the requests of clients, two at a time; returns the clients in the order in which their
    /// requests begin.
    fn order(asked: &[(u32, u64)]) -> Vec<u32> {
        let mut queue = RequestQueue::new(3);
        let tickets: Vec<_> = (0..)
            .zip(asked)
            .map(|(number, &(client, cost))| queue.enter(ask(LVMT, client, cost), number))
            .collect();
        let mut running: std::collections::VecDeque<usize> = begun(&mut queue, LVMT).into();
        let mut order: Vec<usize> = running.iter().copied().collect();
        while let Some(done) = running.pop_front() {
            queue.leave(tickets[done]);
            let next = begun(&mut queue, LVMT);
            order.extend(&next);
            running.extend(next);
        }
        order.into_iter().map(|number| asked[number].0).collect()
    }

    #[test]
    fn a_cheap_request_and_another_scheme_never_wait_for_expensive_ones() {
        let mut queue = RequestQueue::new(3);
        for number in 0..64 {
            queue.enter(ask(LVMT, 1, EXPENSIVE), number);
        }
        assert_eq!(begun(&mut queue, LVMT), [0, 1], "one slot is for cheap requests");
        // Not even a request of the same client waits.
        let cheap = queue.enter(ask(LVMT, 1, 70), 100);
        queue.enter(ask(LVMT, 2, 70), 101);
        assert_eq!(begun(&mut queue, LVMT), [100]);
        queue.leave(cheap);
        assert_eq!(begun(&mut queue, LVMT), [101]);
        for scheme in [Some(Scheme::Avl), Some(Scheme::Smt), None] {
            queue.enter(ask(scheme, 1, EXPENSIVE), 102);
            assert_eq!(begun(&mut queue, scheme), [102]);
        }
    }

    #[test]
    fn expensive_requests_never_wait_for_cheap_ones_either() {
        let mut queue = RequestQueue::new(3);
        for number in 0..64 {
            queue.enter(ask(LVMT, number, 70), number);
        }
        assert_eq!(begun(&mut queue, LVMT), [0, 1]);
        queue.enter(ask(LVMT, 1, EXPENSIVE), 100);
        assert_eq!(begun(&mut queue, LVMT), [100]);
    }

    #[test]
    fn clients_take_turns_by_the_work_that_they_ask_for() {
        // One client sends many requests first, others few: theirs are next.
        let mut asked = vec![(1, EXPENSIVE); 8];
        asked.extend([(2, EXPENSIVE), (3, EXPENSIVE), (2, EXPENSIVE)]);
        assert_eq!(order(&asked), [1, 2, 3, 1, 2, 1, 1, 1, 1, 1, 1]);
        // A client whose requests cost a quarter gets four times as many.
        let asked = [[(1, EXPENSIVE); 3].as_slice(), &[(2, EXPENSIVE / 4); 9]].concat();
        assert_eq!(order(&asked), [2, 2, 2, 1, 2, 2, 2, 2, 1, 2, 2, 1]);
        assert_eq!(order(&[(1, 10), (1, 10), (2, 10)]), [1, 2, 1]);
    }

    #[test]
    fn an_idle_client_saves_nothing_up() {
        let mut queue = RequestQueue::new(2);
        let ticket = queue.enter(ask(LVMT, 1, 100 * EXPENSIVE), 1);
        assert_eq!(queue.begin(LVMT), Some(1));
        for number in 2..4 {
            queue.enter(ask(LVMT, 2, EXPENSIVE), number);
        }
        queue.enter(ask(LVMT, 1, EXPENSIVE), 4);
        queue.leave(ticket);
        assert_eq!(queue.begin(LVMT), Some(2), "the one that was first of those that begin alike");
    }

    #[test]
    fn a_client_that_leaves_frees_its_slot() {
        let mut queue = RequestQueue::new(2);
        let tickets: Vec<_> =
            (0..3).map(|number| queue.enter(ask(LVMT, 1, EXPENSIVE), number)).collect();
        assert_eq!(begun(&mut queue, LVMT), [0]);
        queue.leave(tickets[1]);
        assert!(begun(&mut queue, LVMT).is_empty());
        queue.leave(tickets[0]);
        assert_eq!(begun(&mut queue, LVMT), [2]);
    }

    #[test]
    fn clients_are_told_apart_by_address_and_on_this_machine_by_connection() {
        let of = |peer: &str, connection| {
            ClientId::of(
                peer.parse().unwrap_or_else(|_| unreachable!()),
                connection,
                &ProxyAddresses::default(),
            )
        };
        assert_eq!(of("192.0.2.7", 1), of("192.0.2.7", 2));
        assert_eq!(of("192.0.2.7", 1), of("::ffff:192.0.2.7", 2));
        assert_eq!(of("2001:db8::1", 1), of("2001:db8::2:3", 2));
        assert_ne!(of("2001:db8::1", 1), of("2001:db8:0:1::1", 1));
        assert_ne!(of("127.0.0.1", 1), of("127.0.0.1", 2));
    }
}

//! The limits of a server's port.

use std::time::Duration;

use crate::runtime::blocking::ProxyAddresses;

/// The limits on requests and connections of a port.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Bytes per request.
    pub request_bytes: u32,
    /// Calls per batch.
    pub batch: u32,
    /// Concurrent connections.
    pub connections: u32,
    /// Concurrent connections of an address, or for IPv6 of a network of 64 bits.
    pub connections_per_address: u32,
    /// The addresses without a limit per address.
    pub proxies: ProxyAddresses,
    /// Subscriptions per connection.
    pub subscriptions: u32,
    /// Time limit for reading a head, for answering a request, and for the peer to accept part of a
    /// reply.
    pub request_time: Duration,
}

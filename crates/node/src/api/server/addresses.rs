//! Open connections by address.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::runtime::blocking::ClientId;

/// Counts the open connections of each client. Each connection of a proxy is a client.
#[derive(Debug)]
pub(super) struct AddressLimits {
    most: u32,
    open: Mutex<HashMap<ClientId, u32>>,
}

/// An open connection.
#[derive(Debug)]
pub(super) struct AddressPermit {
    addresses: Arc<AddressLimits>,
    client: ClientId,
}

impl AddressLimits {
    /// At most `most` connections of a client.
    pub(super) fn new(most: u32) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// Counts a connection until the permit is dropped; `None` above the limit.
    pub(super) fn open(self: &Arc<Self>, client: ClientId) -> Option<AddressPermit> {
        let mut open = self.lock();
        let count = open.entry(client).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(AddressPermit { addresses: self.clone(), client })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, u32>> {
        // The counts are consistent between calls.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.addresses.lock().entry(self.client) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::runtime::blocking::ProxyAddresses;

    #[test]
    fn the_connections_of_an_address_are_limited() {
        let addresses = AddressLimits::new(2);
        let none = ProxyAddresses::default();
        let client = |ip: &str, id| ClientId::of(ip.parse().unwrap(), id, &none);
        for (one, same, other) in [
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.3"),
            ("2001:db8::1", "2001:db8::2:1", "2001:db8:0:1::1"),
        ] {
            let first = addresses.open(client(one, 1)).unwrap();
            let second = addresses.open(client(same, 2));
            assert!(second.is_some());
            assert!(addresses.open(client(one, 3)).is_none());
            assert!(addresses.open(client(other, 4)).is_some());
            drop(first);
            assert!(addresses.open(client(one, 5)).is_some());
        }
        assert!(addresses.lock().is_empty(), "nothing is left of connections that have ended");
    }

    #[test]
    fn connections_of_proxies_are_not_counted_together() {
        let addresses = AddressLimits::new(1);
        let named = ProxyAddresses::new(&["10.0.0.7".parse().unwrap()]);
        for (proxies, proxy, other) in [
            (&ProxyAddresses::default(), "127.0.0.1", "10.0.0.7"),
            (&named, "10.0.0.7", "127.0.0.1"),
        ] {
            let open =
                |ip: &str, id| addresses.open(ClientId::of(ip.parse().unwrap(), id, proxies));
            let many: Vec<_> = (0..10).map(|id| open(proxy, id)).collect();
            assert!(many.iter().all(Option::is_some), "{proxy}");
            let first = open(other, 10);
            assert!(first.is_some() && open(other, 11).is_none(), "{other}");
        }
    }
}

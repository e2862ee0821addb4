//! An address that is bound before the server is ready to serve.

use std::net::SocketAddr;

use prooflight_core::{Error, Reason, Result};
use tokio::net::{TcpListener, TcpSocket};

/// A bound address. Connections to it are refused until [`start`](super::start) listens.
#[derive(Debug)]
pub struct BoundAddress {
    address: SocketAddr,
    socket: TcpSocket,
}

/// The most connections that wait to be accepted.
const ACCEPT_BACKLOG: u32 = 1024;

/// Binds an address; `invalid_argument` if it is in use, or not one of this machine.
pub fn bind(listen: SocketAddr) -> Result<BoundAddress> {
    let bind = || {
        let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // Otherwise a port stays in use for some time after its last listener has ended.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        Ok(BoundAddress { address: listen, socket })
    };
    bind().map_err(|error| bind_error(listen, &error))
}

impl BoundAddress {
    /// Listens; returns the address with the actual port.
    pub(super) fn listen(self) -> Result<(SocketAddr, TcpListener)> {
        let address = self.address;
        let listen = || {
            let listener = self.socket.listen(ACCEPT_BACKLOG)?;
            Ok((listener.local_addr()?, listener))
        };
        listen().map_err(|error| bind_error(address, &error))
    }
}

fn bind_error(listen: SocketAddr, error: &std::io::Error) -> Error {
    Error::new(Reason::InvalidArgument, format_args!("to listen on {listen}"), error)
}

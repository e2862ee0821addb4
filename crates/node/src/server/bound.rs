//! An address that is taken before there is anything to serve on it.

use std::net::SocketAddr;

use prooflight_core::{Error, Reason, Result};
use tokio::net::{TcpListener, TcpSocket};

/// An address that no other program can listen on. Connections to it are refused until
/// [`start`](super::start) listens.
#[derive(Debug)]
pub struct Bound {
    asked: SocketAddr,
    socket: TcpSocket,
}

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// Takes an address; `invalid_argument` if it is not free, or not one of this machine.
pub fn bind(listen: SocketAddr) -> Result<Bound> {
    let bind = || {
        let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // A port is free again as soon as its last listener has ended.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        Ok(Bound { asked: listen, socket })
    };
    bind().map_err(|error| cannot(listen, &error))
}

impl Bound {
    /// Listens; returns the address with the port that was chosen if none was asked for.
    pub(super) fn listen(self) -> Result<(SocketAddr, TcpListener)> {
        let asked = self.asked;
        let listen = || {
            let listener = self.socket.listen(BACKLOG)?;
            Ok((listener.local_addr()?, listener))
        };
        listen().map_err(|error| cannot(asked, &error))
    }
}

fn cannot(listen: SocketAddr, error: &std::io::Error) -> Error {
    Error::new(Reason::InvalidArgument, format_args!("to listen on {listen}"), error)
}

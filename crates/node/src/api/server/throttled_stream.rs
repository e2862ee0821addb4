//! A connection that is read no faster than its gate allows, and cut if the peer stops accepting data.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Sleep, sleep};

use super::addresses::AddressPermit;
use super::gate::ConnectionGate;
use crate::runtime::answer_memory::AnsweringConnection;
use crate::runtime::metrics;

/// A rate-limited connection. Dropping it releases its permits and its metric.
#[derive(Debug)]
pub(super) struct ThrottledStream<C> {
    stream: TcpStream,
    gate: Arc<ConnectionGate>,
    /// How long the peer may accept nothing.
    limit: Duration,
    /// Runs while the peer accepts nothing.
    stall: Option<Pin<Box<Sleep>>>,
    _permits: C,
}

/// The permits and the metric of a connection.
pub(super) type ConnectionPermits =
    ((OwnedSemaphorePermit, Option<AddressPermit>), metrics::GaugeGuard);

impl<C> ThrottledStream<C> {
    pub(super) fn new(
        stream: TcpStream,
        gate: Arc<ConnectionGate>,
        limit: Duration,
        permits: C,
    ) -> Self {
        Self { stream, gate, limit, stall: None, _permits: permits }
    }

    /// Writes, and cuts the connection if the peer accepts no data.
    fn throttled_write(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.gate.poll_cut(context) {
            return Poll::Ready(Err(too_slow()));
        }
        if let Poll::Ready(written) = write(Pin::new(&mut self.stream), context) {
            self.stall = None;
            self.gate.sent(*written.as_ref().unwrap_or(&0));
            return Poll::Ready(written);
        }
        let limit = self.limit;
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(stall.as_mut().poll(context));
        // The reading task must notice too.
        self.gate.cut();
        Poll::Ready(Err(too_slow()))
    }
}

fn too_slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the peer accepts no data")
}

impl<C: Unpin> AsyncRead for ThrottledStream<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.gate.poll_open(context));
        if self.gate.is_cut() {
            return Poll::Ready(Err(too_slow()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<C: Unpin> AsyncWrite for ThrottledStream<C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.throttled_write(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.throttled_write(context, |stream, context| stream.poll_write_vectored(context, parts))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

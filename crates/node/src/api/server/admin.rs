//! The admin listener: the pages on a separate address from the start of the program, copies of the chain, the
//! confirmation of a clock that was set, and the promotion of a standby.
//!
//! Clients of the node do not reach it, so they cannot exhaust its connections. A connection carries one request.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jsonrpsee::server::HttpResponse;
use prooflight_core::{Error, Result};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::copies::{CopyRequest, CopyService};
use super::gate::ConnectionGate;
use super::pages::{StatusPage, StatusPages, TEXT_PLAIN, respond};
use super::throttled_stream::ThrottledStream;
use super::{BoundAddress, RequestPolicy, accept};
use crate::runtime::clock::format_utc;

/// The most connections; further ones are closed.
pub(crate) const MAX_ADMIN_CONNECTIONS: usize = 64;

/// The time limit of a connection for its request and the answer, or for one piece of a copy.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The default address for a server that listens on `listen`: the loopback interface, 1000 ports above. Any free
/// port if there is no such port, or if the server takes any.
pub fn default_address(listen: SocketAddr) -> SocketAddr {
    let loopback: IpAddr = match listen {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    let port = match listen.port() {
        0 => 0,
        port => port.checked_add(1000).unwrap_or(0),
    };
    SocketAddr::new(loopback, port)
}

/// Serves the pages until the program ends; returns the address.
pub fn start(bound: BoundAddress, pages: StatusPages, policy: RequestPolicy) -> Result<SocketAddr> {
    let (address, listener) = bound.listen()?;
    tokio::spawn(listen(listener, pages, policy));
    Ok(address)
}

async fn listen(listener: TcpListener, pages: StatusPages, policy: RequestPolicy) {
    let free = Arc::new(Semaphore::new(MAX_ADMIN_CONNECTIONS));
    let copies = CopyService::new();
    loop {
        let (stream, _) = accept(&listener).await;
        let Ok(permit) = free.clone().try_acquire_owned() else { continue };
        let (pages, copies, policy) = (pages.clone(), copies.clone(), policy.clone());
        let stream = ThrottledStream::new(
            stream,
            ConnectionGate::new(pages.workers.answers()),
            REQUEST_TIMEOUT,
            permit,
        );
        tokio::spawn(async move {
            let is_long = AtomicBool::new(false);
            let mut served = pin!(serve(stream, &pages, &copies, &policy, &is_long));
            // A peer that is too slow, or has gone, gets no answer.
            let in_time = tokio::time::timeout(REQUEST_TIMEOUT, &mut served).await;
            if in_time.is_err() && is_long.load(Ordering::Relaxed) {
                let _ = served.await;
            }
        });
    }
}

async fn serve(
    stream: ThrottledStream<OwnedSemaphorePermit>,
    pages: &StatusPages,
    copies: &CopyService,
    policy: &RequestPolicy,
    is_long: &AtomicBool,
) -> hyper::Result<()> {
    let answer = service_fn(|request| async move {
        Ok::<_, Infallible>(answer(&request, pages, copies, policy, is_long).await)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), answer)
        .await
}

async fn answer(
    request: &Request<Incoming>,
    pages: &StatusPages,
    copies: &CopyService,
    policy: &RequestPolicy,
    is_long: &AtomicBool,
) -> HttpResponse {
    let say = |status, text: &str| respond(status, TEXT_PLAIN, format!("{text}\n"));
    let refuse = |error: &Error| say(StatusCode::FORBIDDEN, &error.to_string());
    let source = policy.source(request);
    let source = match source.and_then(|source| source.check_host().map(|()| source)) {
        Ok(source) => source,
        Err(error) => return refuse(&error),
    };
    if let Some(page) = StatusPage::of(request) {
        return pages.show(page).await;
    }
    if let Some(copy) = CopyRequest::of(request) {
        return copies.answer(copy, request, pages, is_long).await;
    }
    let path = request.uri().path();
    if request.method() != Method::PUT || !["/clock", "/promote"].contains(&path) {
        return say(StatusCode::NOT_FOUND, "GET /health, /ready, /metrics; PUT /clock, /promote");
    }
    // A page in the operator's browser must not be able to do this.
    if let Err(error) = source.check_write(false) {
        return refuse(&error);
    }
    if path == "/promote" {
        if !pages.status.borrow().promote() {
            return say(StatusCode::NOT_FOUND, "no standby");
        }
        tracing::warn!("promoted");
        return say(StatusCode::OK, "this node leads from now on");
    }
    let confirmed = pages.status.borrow().confirm_clock();
    let Some(now_ms) = confirmed else {
        return say(StatusCode::NOT_FOUND, "this node makes no blocks");
    };
    let now = format_utc(now_ms);
    tracing::warn!(now, "the clock was confirmed");
    say(StatusCode::OK, &format!("block timestamps follow the clock, which is at {now}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_default_address_is_local_and_beside_that_of_the_server() {
        for (listen, admin) in [
            ("127.0.0.1:8645", "127.0.0.1:9645"),
            ("0.0.0.0:8645", "127.0.0.1:9645"),
            ("[::]:8645", "[::1]:9645"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("127.0.0.1:65000", "127.0.0.1:0"),
        ] {
            assert_eq!(default_address(listen.parse().unwrap()), admin.parse().unwrap());
        }
    }
}

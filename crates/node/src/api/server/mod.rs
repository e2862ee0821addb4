//! One port for JSON-RPC over HTTP and WebSocket, and for `/health`, `/ready` and `/metrics`, which the [`admin`]
//! listener also serves.

mod addresses;
pub mod admin;
mod bound;
mod copies;
mod gate;
mod http_layer;
mod limits;
mod pages;
mod policy;
mod source_layer;
mod throttled_stream;

pub use bound::{BoundAddress, bind};
pub use http_layer::{ConnectionLimit, HttpLayer};
pub use limits::ServerLimits;
pub use pages::{NodeStatus, ServerStatus, StatusPages};
pub use policy::RequestPolicy;
pub(crate) use policy::RequestSource;

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use jsonrpsee::core::BoxError;
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::server::{
    BatchRequestConfig, HttpBody, PingConfig, Server, ServerConfig, ServerHandle, StopHandle,
    stop_channel,
};
use jsonrpsee::{Methods, RpcModule};
use prooflight_core::Result;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use addresses::{AddressLimits, AddressPermit};
use gate::{ConnectionGate, GateLayer};
use source_layer::SourceLayer;
use throttled_stream::{ConnectionPermits, ThrottledStream};

use crate::api::rpc::check_effects;
use crate::runtime::answer_memory::MAX_REPLY_BYTES;
use crate::runtime::blocking::ClientId;

/// Starts the server; returns the address and the handle that stops it.
///
/// `invalid_argument` if it cannot listen on the address. Must be called within a runtime.
pub fn start<C: Send + Sync + 'static>(
    bound: BoundAddress,
    module: RpcModule<C>,
    layer: HttpLayer,
) -> Result<(SocketAddr, ServerHandle)> {
    let methods = Methods::from(module);
    check_effects(&methods)?;
    let (address, listener) = bound.listen()?;
    let (stop, handle) = stop_channel();
    let config = config(&layer.limits);
    let port = RpcListener { config, methods, layer, stop };
    tokio::spawn(port.listen(listener));
    Ok((address, handle))
}

fn config(limits: &ServerLimits) -> ServerConfig {
    ServerConfig::builder()
        .max_request_body_size(limits.request_bytes)
        .max_response_body_size(MAX_REPLY_BYTES)
        .max_subscriptions_per_connection(limits.subscriptions)
        .set_batch_request_config(BatchRequestConfig::Limit(limits.batch))
        // Answers waiting to be sent.
        .set_message_buffer_capacity(8)
        .enable_ws_ping(PingConfig::new().inactive_limit(limits.request_time))
        .build()
}

/// The state that all connections share.
struct RpcListener {
    config: ServerConfig,
    methods: Methods,
    layer: HttpLayer,
    stop: StopHandle,
}

/// The most connections beyond the limit that receive a refusal; further ones are closed.
pub(crate) const REFUSED_CONNECTIONS: usize = 64;

impl RpcListener {
    async fn listen(self, listener: TcpListener) {
        let most = usize::try_from(self.layer.limits.connections).unwrap_or(usize::MAX);
        let served = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        let refused = Arc::new(Semaphore::new(REFUSED_CONNECTIONS));
        let addresses = AddressLimits::new(self.layer.limits.connections_per_address);
        let mut stopped = pin!(self.stop.clone().shutdown());
        for id in (0..=u32::MAX).cycle() {
            let (stream, peer) = tokio::select! {
                () = &mut stopped => return,
                accepted = accept(&listener) => accepted,
            };
            let client = ClientId::of(peer.ip(), id, &self.layer.limits.proxies);
            let (permit, address, refusal) =
                match (addresses.open(client), served.clone().try_acquire_owned()) {
                    (Some(address), Ok(permit)) => (permit, Some(address), None),
                    (address, _) => {
                        let refusal = match address {
                            None => ConnectionLimit::Address,
                            Some(_) => ConnectionLimit::All,
                        };
                        let Ok(permit) = refused.clone().try_acquire_owned() else { continue };
                        (permit, None, Some(refusal))
                    }
                };
            self.serve(stream, client, id, (permit, address), refusal);
        }
    }

    fn serve(
        &self,
        stream: TcpStream,
        client: ClientId,
        id: u32,
        permit: (OwnedSemaphorePermit, Option<AddressPermit>),
        refusal: Option<ConnectionLimit>,
    ) {
        // Nagle's algorithm would delay answers. Each answer is written as a whole anyway.
        let _ = stream.set_nodelay(true);
        let gate = ConnectionGate::new(self.layer.pages.workers.answers());
        let layer = HttpLayer { refusal, ..self.layer.clone() };
        let (time, open) = (layer.limits.request_time, layer.pages.metrics.connection());
        let service = Server::builder()
            .set_config(self.config.clone())
            .set_http_middleware(
                tower::ServiceBuilder::new()
                    .layer(SourceLayer(layer.clone()))
                    .layer(layer.policy.cors())
                    .layer(layer),
            )
            .set_rpc_middleware(RpcServiceBuilder::new().layer(GateLayer(gate.clone())))
            .to_service_builder()
            .connection_id(id)
            .build(self.methods.clone(), self.stop.clone());
        let service = tower::ServiceBuilder::new()
            .map_request(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(client);
                request.map(HttpBody::new)
            })
            .service(service);
        let stream = ThrottledStream::new(stream, gate, time, (permit, open));
        let stopped = self.stop.clone().shutdown();
        tokio::spawn(serve(stream, TowerToHyperService::new(service), time, stopped));
    }
}

/// Accepts the next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                // Usually too many open files, some of which will be closed.
                tracing::warn!(%error, "no connection was accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Serves the requests of a connection one after another until it ends or becomes a WebSocket.
async fn serve<S>(
    stream: ThrottledStream<ConnectionPermits>,
    service: S,
    head_time: Duration,
    stopped: impl Future<Output = ()>,
) where
    S: Service<Request<Incoming>, Response = Response<HttpBody>>,
    S::Error: Into<BoxError>,
{
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let served = tokio::select! {
        served = &mut connection => served,
        () = stopped => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "connection");
    }
}

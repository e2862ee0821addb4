//! One port for JSON-RPC over HTTP and WebSocket, and for `/health`, `/ready` and `/metrics`.

mod front;

pub use front::Front;

use std::net::SocketAddr;
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method};
use jsonrpsee::server::{BatchRequestConfig, PingConfig, Server, ServerConfig, ServerHandle};
use jsonrpsee::{Methods, RpcModule};
use prooflight_core::{Error, Reason, Result};
use tower_http::cors::{AllowOrigin, Any, CorsLayer};

use crate::rpc::Context;

/// Bytes of a reply: a block with its operations and the transition of the largest size, or a proof
/// of that size, in hexadecimal, and what is around it.
pub const REPLY_BYTES: u32 = 40 << 20;

/// What the port takes at most.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Bytes of a request.
    pub request_bytes: u32,
    /// Calls of a batch.
    pub batch: u32,
    /// Connections.
    pub connections: u32,
    /// Subscriptions of a connection.
    pub subscriptions: u32,
    /// How long an HTTP request may take, from its first byte to its reply.
    pub request_time: Duration,
}

/// Starts to serve; returns the address and the handle that stops it. `origins` are those whose
/// pages may ask; all if there are none.
///
/// `invalid_argument` if it cannot listen there, or an origin is not one.
pub async fn start(
    listen: SocketAddr,
    module: RpcModule<Context>,
    origins: &[String],
    front: Front,
) -> Result<(SocketAddr, ServerHandle)> {
    let limits = &front.limits;
    let config = ServerConfig::builder()
        .max_request_body_size(limits.request_bytes)
        .max_response_body_size(REPLY_BYTES)
        .max_connections(limits.connections)
        .max_subscriptions_per_connection(limits.subscriptions)
        .set_batch_request_config(BatchRequestConfig::Limit(limits.batch))
        .set_first_request_timeout(Some(limits.request_time))
        // What a reader has not taken of its subscriptions; one that takes none is disconnected.
        .set_message_buffer_capacity(64)
        .enable_ws_ping(PingConfig::new().inactive_limit(limits.request_time))
        .build();
    let middleware = tower::ServiceBuilder::new().layer(cors(origins)?).layer(front);
    let cannot = |error: &dyn core::fmt::Display| {
        Error::new(Reason::InvalidArgument, format_args!("to listen on {listen}"), error)
    };
    let server = Server::builder()
        .set_config(config)
        .set_http_middleware(middleware)
        .build(listen)
        .await
        .map_err(|error| cannot(&error))?;
    let address = server.local_addr().map_err(|error| cannot(&error))?;
    Ok((address, server.start(Methods::from(module))))
}

fn cors(origins: &[String]) -> Result<CorsLayer> {
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([CONTENT_TYPE, AUTHORIZATION]);
    if origins.is_empty() {
        return Ok(layer.allow_origin(Any));
    }
    let origins = origins.iter().map(|origin| {
        HeaderValue::from_str(origin)
            .map_err(|_| Error::new(Reason::InvalidArgument, "an origin", origin))
    });
    Ok(layer.allow_origin(AllowOrigin::list(origins.collect::<Result<Vec<_>>>()?)))
}

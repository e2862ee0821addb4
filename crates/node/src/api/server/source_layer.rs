//! Checks the source of each request before anything else handles it.

use std::task::{Context, Poll};

use http::StatusCode;
use jsonrpsee::server::{HttpRequest, HttpResponse};
use tower::{Layer, Service};

use super::HttpLayer;
use super::http_layer::HttpFuture;

/// Refuses requests from sources that are not served, and attaches the source to the others.
#[derive(Clone)]
pub(super) struct SourceLayer(pub(super) HttpLayer);

impl<S> Layer<S> for SourceLayer {
    type Service = SourceService<S>;

    fn layer(&self, inner: S) -> SourceService<S> {
        SourceService { inner, layer: self.0.clone() }
    }
}

/// A service behind a [`SourceLayer`].
#[derive(Clone)]
pub(super) struct SourceService<S> {
    inner: S,
    layer: HttpLayer,
}

impl<S> Service<HttpRequest> for SourceService<S>
where
    S: Service<HttpRequest, Response = HttpResponse>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = HttpResponse;
    type Error = S::Error;
    type Future = HttpFuture<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: HttpRequest) -> Self::Future {
        match self.layer.policy.source(&request) {
            Ok(source) => {
                request.extensions_mut().insert(source);
                Box::pin(self.inner.call(request))
            }
            Err(error) => {
                let response = self.layer.refuse(StatusCode::FORBIDDEN, &error);
                Box::pin(async move { Ok(response) })
            }
        }
    }
}

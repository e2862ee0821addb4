//! Checks the source of each request before anything else handles it.

use std::task::{Context, Poll};

use http::StatusCode;
use jsonrpsee::server::{HttpRequest, HttpResponse};
use tower::{Layer, Service};

use super::Front;
use super::front::Answer;

/// Refuses requests from sources that are not served, and attaches the source to the others.
#[derive(Clone)]
pub(super) struct Guard(pub(super) Front);

impl<S> Layer<S> for Guard {
    type Service = GuardService<S>;

    fn layer(&self, inner: S) -> GuardService<S> {
        GuardService { inner, front: self.0.clone() }
    }
}

/// A service behind a [`Guard`].
#[derive(Clone)]
pub(super) struct GuardService<S> {
    inner: S,
    front: Front,
}

impl<S> Service<HttpRequest> for GuardService<S>
where
    S: Service<HttpRequest, Response = HttpResponse>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = HttpResponse;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: HttpRequest) -> Self::Future {
        match self.front.policy.source(&request) {
            Ok(source) => {
                request.extensions_mut().insert(source);
                Box::pin(self.inner.call(request))
            }
            Err(error) => {
                let response = self.front.refuse(StatusCode::FORBIDDEN, &error);
                Box::pin(async move { Ok(response) })
            }
        }
    }
}

//! Checkpoints, exports and backups of the open chain, which the admin listener gives to commands.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::thread;

use http::{Method, Request, StatusCode};
use hyper::body::{Body, Bytes, Frame};
use jsonrpsee::server::{HttpBody, HttpResponse};
use prooflight_core::{Error, Reason, Result};
use tokio::sync::{Semaphore, mpsc};

use super::pages::{StatusPages, TEXT_PLAIN, respond};
use crate::BlockId;
use crate::chain::wire::error_details;
use crate::replication::backup::BackupSource;
use crate::runtime::blocking::run_blocking;

/// The kind of copy that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopyRequest {
    Backup,
    Export,
    Checkpoint,
}

impl CopyRequest {
    pub(super) fn of<B>(request: &Request<B>) -> Option<Self> {
        match request.uri().path() {
            _ if request.method() != Method::GET => None,
            "/backup" => Some(Self::Backup),
            "/export" => Some(Self::Export),
            "/checkpoint" => Some(Self::Checkpoint),
            _ => None,
        }
    }
}

/// Makes copies: one backup or export at a time.
#[derive(Clone, Debug)]
pub(super) struct CopyService(Arc<Semaphore>);

impl CopyService {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }

    /// Answers a request for a copy. `is_long` is set for an answer whose duration depends on its reader.
    pub(super) async fn answer<B>(
        &self,
        copy: CopyRequest,
        request: &Request<B>,
        pages: &StatusPages,
        is_long: &AtomicBool,
    ) -> HttpResponse {
        let status = pages.status.borrow().clone();
        let Some((access, source)) = status.copies() else {
            return respond(
                StatusCode::NOT_FOUND,
                TEXT_PLAIN,
                "this server has no open chain\n".to_owned(),
            );
        };
        if !access.allows(request.headers()) {
            let expected = "the token in the file `running` of the chain's folder";
            return refuse(&Error::new(Reason::NotAuthorised, expected, "another, or none"));
        }
        let send: fn(&BackupSource, BodyWriter) -> Result<()> = match copy {
            CopyRequest::Backup => BackupSource::send::<BodyWriter>,
            CopyRequest::Export => BackupSource::export::<BodyWriter>,
            CopyRequest::Checkpoint => {
                let query = request.uri().query().map(str::to_owned);
                let made = run_blocking(move || source.checkpoint(height(query.as_deref())?)).await;
                return made.map_or_else(
                    |error| refuse(&error),
                    |json| respond(StatusCode::OK, "application/json", json),
                );
            }
        };
        let Ok(permit) = self.0.clone().try_acquire_owned() else {
            let expected = "one backup or export at a time";
            return refuse(&Error::new(Reason::Busy, expected, "another that has not ended"));
        };
        is_long.store(true, Ordering::Relaxed);
        tracing::info!(?copy, height = source.view().height(), "copying");
        let (sender, pieces) = mpsc::channel(BODY_BUFFER_PIECES);
        // Not a thread of the runtime: it waits for a slow reader.
        thread::spawn(move || {
            if let Err(error) = send(&source, BodyWriter(sender.clone())) {
                tracing::warn!(%error, "the copy failed");
                // The answer must not look complete.
                let _ = sender.blocking_send(Err(error));
            }
            drop(permit);
        });
        HttpResponse::new(HttpBody::new(StreamBody(pieces)))
    }
}

/// The block of a query such as `height=12`; the newest block without a query.
fn height(query: Option<&str>) -> Result<BlockId> {
    let Some(query) = query else { return Ok(BlockId::Latest) };
    let height = query.strip_prefix("height=").and_then(|height| height.parse().ok());
    let wrong = || Error::new(Reason::InvalidArgument, "height=HEIGHT", query);
    height.map(BlockId::Height).ok_or_else(wrong)
}

fn refuse(error: &Error) -> HttpResponse {
    let status = match error.reason() {
        Reason::NotAuthorised => StatusCode::UNAUTHORIZED,
        Reason::Busy => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::BAD_REQUEST,
    };
    // Plain data with plain strings: serialization cannot fail.
    let body = serde_json::to_string(&error_details(error)).unwrap_or_default();
    respond(status, "application/json", body)
}

/// The pieces of an answer that are buffered for its reader.
const BODY_BUFFER_PIECES: usize = 4;

/// Writes pieces; blocks while the buffer is full.
struct BodyWriter(mpsc::Sender<Result<Bytes>>);

impl Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes)));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An answer in pieces; an error closes the connection.
struct StreamBody(mpsc::Receiver<Result<Bytes>>);

impl Body for StreamBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

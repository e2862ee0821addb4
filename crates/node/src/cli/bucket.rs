//! Opens the buckets of a server.

use std::path::Path;

use prooflight_core::Result;
use prooflight_log::{Bucket, BucketRequest};
use prooflight_node::runtime::files;
use prooflight_node::runtime::metrics::Metrics;

/// Opens the bucket of a URL and counts its requests.
pub(super) fn bucket(url: &str, metrics: &Metrics) -> Result<Bucket> {
    let metrics = metrics.clone();
    if let Some(folder) = url.strip_prefix("file://") {
        files::check_folder(Path::new(folder))?;
    }
    Ok(Bucket::open(url)?.with_observer(move |request| {
        metrics.log_request(match request {
            BucketRequest::Read => "read",
            BucketRequest::Create => "create",
            BucketRequest::List => "list",
            BucketRequest::Delete => "delete",
        });
    }))
}

/// Like [`bucket`], and retries failed requests a few times, until [`Bucket::end_startup_retry`].
pub(super) fn bucket_at_start(url: &str, metrics: &Metrics) -> Result<Bucket> {
    Ok(bucket(url, metrics)?.with_startup_retry(|error| {
        tracing::warn!(reason = %error.reason(), %error, "a request failed; retrying while the node starts");
    }))
}

//! What is counted, for Prometheus.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use prooflight_core::Error;

/// The numbers of a node; clones count together.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Arc<Registry>,
    calls: Family<Method, Histogram>,
    errors: Family<Refused, Counter>,
    height: Gauge,
    timestamp_ms: Gauge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Method {
    method: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    method: &'static str,
    code: &'static str,
    reason: &'static str,
}

impl Metrics {
    /// Numbers that begin at nothing.
    pub fn new() -> Self {
        let calls: Family<Method, Histogram> = Family::new_with_constructor(|| {
            // From a tenth of a millisecond to six seconds.
            Histogram::new(exponential_buckets(0.0001, 2.0, 17))
        });
        let (errors, height, timestamp_ms) =
            (Family::default(), Gauge::default(), Gauge::default());
        let mut registry = Registry::with_prefix("prooflight");
        registry.register("rpc_seconds", "How long calls took", calls.clone());
        registry.register("rpc_errors", "Calls that were refused", errors.clone());
        registry.register("height", "The height of the newest block", height.clone());
        registry.register(
            "head_timestamp_ms",
            "The timestamp of the newest block, in milliseconds since 1970",
            timestamp_ms.clone(),
        );
        Self { registry: Arc::new(registry), calls, errors, height, timestamp_ms }
    }

    /// Counts a call.
    pub fn called(&self, method: &'static str, took: Duration, refused: Option<&Error>) {
        self.calls.get_or_create(&Method { method }).observe(took.as_secs_f64());
        if let Some(error) = refused {
            let (code, reason) = (error.code().as_str(), error.reason().as_str());
            self.errors.get_or_create(&Refused { method, code, reason }).inc();
        }
    }

    /// Says which block is the newest.
    pub fn newest(&self, height: u64, timestamp_ms: u64) {
        let number = |number| i64::try_from(number).unwrap_or(i64::MAX);
        self.height.set(number(height));
        self.timestamp_ms.set(number(timestamp_ms));
    }

    /// All of it, in the text that Prometheus reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

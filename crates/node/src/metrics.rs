//! Metrics for Prometheus.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use prooflight_core::{Error, Result, Scheme};

/// The metrics of a node; clones share them.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Arc<Registry>,
    calls: Family<Method, Histogram>,
    errors: Family<Refused, Counter>,
    proofs: Family<Proved, Histogram>,
    blocks: Histogram,
    merge_waits: Histogram,
    merge_keys: Gauge,
    merge_total: Gauge,
    store_bytes: Gauge,
    height: Gauge,
    timestamp_ms: Gauge,
    leader_height: Gauge,
    follow_errors: Family<NotFollowed, Counter>,
    connections: Gauge,
}

/// An open connection; it is counted until this is dropped.
#[derive(Debug)]
pub struct OpenConnection(Gauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Method {
    method: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Proved {
    scheme: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NotFollowed {
    code: &'static str,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    method: &'static str,
    code: &'static str,
    reason: &'static str,
}

impl Metrics {
    /// Creates metrics at zero.
    pub fn new() -> Self {
        let new = Self {
            registry: Arc::default(),
            calls: Family::new_with_constructor(seconds),
            errors: Family::default(),
            proofs: Family::new_with_constructor(seconds),
            blocks: seconds(),
            merge_waits: seconds(),
            merge_keys: Gauge::default(),
            merge_total: Gauge::default(),
            store_bytes: Gauge::default(),
            height: Gauge::default(),
            timestamp_ms: Gauge::default(),
            leader_height: Gauge::default(),
            follow_errors: Family::default(),
            connections: Gauge::default(),
        };
        let mut all = Registry::with_prefix("prooflight");
        all.register("rpc_seconds", "The time that calls took", new.calls.clone());
        all.register("rpc_errors", "Calls that were refused", new.errors.clone());
        all.register("proof_seconds", "The time that making a proof took", new.proofs.clone());
        let help = "The time to make or execute a block and write it to disk";
        all.register("block_seconds", help, new.blocks.clone());
        let help = "The time that blocks waited for a merge of lmpt";
        all.register("lmpt_merge_wait_seconds", help, new.merge_waits.clone());
        let help = "Keys that the newest merge of lmpt has applied";
        all.register("lmpt_merge_keys", help, new.merge_keys.clone());
        let help = "Keys of the newest merge of lmpt";
        all.register("lmpt_merge_keys_total", help, new.merge_total.clone());
        let help = "Bytes of the store on disk, after the newest block";
        all.register("store_bytes", help, new.store_bytes.clone());
        all.register("height", "The height of the newest block", new.height.clone());
        let help = "The timestamp of the newest block, in milliseconds since 1970";
        all.register("head_timestamp_ms", help, new.timestamp_ms.clone());
        all.register("connections", "Open connections", new.connections.clone());
        let help = "The newest height that the followed node has shown";
        all.register("follow_leader_height", help, new.leader_height.clone());
        let help = "Answers of the followed node that were refused or did not arrive";
        all.register("follow_errors", help, new.follow_errors.clone());
        Self { registry: Arc::new(all), ..new }
    }

    /// Counts a call.
    pub fn called(&self, method: &'static str, took: Duration, refused: Option<&Error>) {
        self.calls.get_or_create(&Method { method }).observe(took.as_secs_f64());
        if let Some(error) = refused {
            self.refused(method, error);
        }
    }

    /// Counts a refusal.
    pub fn refused(&self, method: &'static str, error: &Error) {
        let (code, reason) = (error.code().as_str(), error.reason().as_str());
        self.errors.get_or_create(&Refused { method, code, reason }).inc();
    }

    /// Makes a proof, and counts it if it could be made.
    pub fn proving<T>(&self, scheme: Scheme, prove: impl FnOnce() -> Result<T>) -> Result<T> {
        let (scheme, started) = (scheme.as_str(), Instant::now());
        let proof = prove()?;
        self.proofs.get_or_create(&Proved { scheme }).observe(started.elapsed().as_secs_f64());
        Ok(proof)
    }

    /// Counts a block.
    pub fn block(&self, took: Duration) {
        self.blocks.observe(took.as_secs_f64());
    }

    /// Sets the progress of the newest merge of `lmpt`: its keys that are applied, and all of them.
    pub fn merged(&self, keys: u64, total: u64) {
        self.merge_total.set(number(total));
        self.merge_keys.set(number(keys));
    }

    /// Counts a block that ended an era of `lmpt`, and its wait for the merge.
    pub fn waited(&self, time: Duration) {
        self.merge_waits.observe(time.as_secs_f64());
    }

    /// Sets the size of the store.
    pub fn store(&self, bytes: u64) {
        self.store_bytes.set(number(bytes));
    }

    /// Sets the newest block.
    pub fn newest(&self, height: u64, timestamp_ms: u64) {
        self.height.set(number(height));
        self.timestamp_ms.set(number(timestamp_ms));
    }

    /// Sets the newest block of the followed node.
    pub fn leader(&self, height: u64) {
        self.leader_height.set(number(height));
    }

    /// Counts a connection until the returned guard is dropped.
    pub fn connection(&self) -> OpenConnection {
        self.connections.inc();
        OpenConnection(self.connections.clone())
    }

    /// Counts an answer of the followed node that was refused or did not arrive.
    pub fn follow_failed(&self, error: &Error) {
        let (code, reason) = (error.code().as_str(), error.reason().as_str());
        self.follow_errors.get_or_create(&NotFollowed { code, reason }).inc();
    }

    /// All metrics, in Prometheus' text format.
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

/// A histogram from a tenth of a millisecond to six seconds.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 2.0, 17))
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

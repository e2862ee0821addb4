//! Metrics for Prometheus.

mod process;

use std::env::consts::{ARCH, OS};
use std::sync::Arc;
use std::time::{Duration, Instant};

use process::ProcessCollector;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use prooflight_core::{Error, Result, Scheme};

/// The metrics of a node; clones share them.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Arc<Registry>,
    /// The metrics of the process, whose names have another prefix.
    process: Arc<Registry>,
    calls: Family<MethodLabel, Histogram>,
    errors: Family<ErrorLabels, Counter>,
    proofs: Family<SchemeLabel, Histogram>,
    waiting: Family<SchemeLabel, Gauge>,
    blocks: Histogram,
    merge_waits: Histogram,
    merge_keys: Gauge,
    merge_total: Gauge,
    store_bytes: Gauge,
    disk_free_bytes: Gauge,
    height: Gauge,
    oldest_block: Gauge,
    timestamp_ms: Gauge,
    leader_height: Gauge,
    follow_errors: Family<FollowErrorLabels, Counter>,
    log_requests: Family<RequestLabel, Counter>,
    connections: Gauge,
    signatures: Family<AuthorityLabel, Counter>,
    refusals: Family<RefusalLabels, Counter>,
    authorities_missing: Gauge,
    quorums: Histogram,
    signed_height: Gauge,
}

/// Counts an open connection or a waiting request until this is dropped.
#[derive(Debug)]
pub struct GaugeGuard(Gauge);

impl GaugeGuard {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MethodLabel {
    method: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SchemeLabel {
    scheme: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FollowErrorLabels {
    code: &'static str,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabel {
    request: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AuthorityLabel {
    authority: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RefusalLabels {
    authority: u16,
    invalid: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ErrorLabels {
    method: &'static str,
    code: &'static str,
    reason: &'static str,
}

impl Metrics {
    /// Creates metrics at zero.
    pub fn new() -> Self {
        let new = Self {
            registry: Arc::default(),
            process: Arc::default(),
            calls: Family::new_with_constructor(seconds),
            errors: Family::default(),
            proofs: Family::new_with_constructor(seconds),
            waiting: Family::default(),
            blocks: seconds(),
            merge_waits: seconds(),
            merge_keys: Gauge::default(),
            merge_total: Gauge::default(),
            store_bytes: Gauge::default(),
            disk_free_bytes: Gauge::default(),
            height: Gauge::default(),
            oldest_block: Gauge::default(),
            timestamp_ms: Gauge::default(),
            leader_height: Gauge::default(),
            follow_errors: Family::default(),
            log_requests: Family::default(),
            connections: Gauge::default(),
            signatures: Family::default(),
            refusals: Family::default(),
            authorities_missing: Gauge::default(),
            quorums: seconds(),
            signed_height: Gauge::default(),
        };
        let mut all = Registry::with_prefix("prooflight");
        all.register("rpc_seconds", "The time that calls took", new.calls.clone());
        all.register("rpc_errors", "Calls that were refused", new.errors.clone());
        all.register("proof_seconds", "The time that making a proof took", new.proofs.clone());
        let help = "Requests that wait in a queue to be proved";
        all.register("proofs_waiting", help, new.waiting.clone());
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
        let help = "Bytes that are free for the node on the disk of its folder";
        all.register("disk_free_bytes", help, new.disk_free_bytes.clone());
        let build = Info::new([("version", env!("CARGO_PKG_VERSION")), ("arch", ARCH), ("os", OS)]);
        all.register("build", "The program", build);
        all.register("height", "The height of the newest block", new.height.clone());
        let help = "The height of the oldest block whose operations are kept";
        all.register("oldest_block", help, new.oldest_block.clone());
        let help = "The timestamp of the newest block, in milliseconds since 1970";
        all.register("head_timestamp_ms", help, new.timestamp_ms.clone());
        all.register("connections", "Open connections", new.connections.clone());
        let help = "The newest height of the followed node";
        all.register("follow_leader_height", help, new.leader_height.clone());
        let help = "Answers of the followed node that were refused or did not arrive";
        all.register("follow_errors", help, new.follow_errors.clone());
        let help = "Requests to the object store with the chain's log";
        all.register("log_requests", help, new.log_requests.clone());
        let help = "Signatures of remote authorities";
        all.register("signatures", help, new.signatures.clone());
        let help = "Proposals that remote authorities refused";
        all.register("refusals", help, new.refusals.clone());
        let help = "Authorities that do not poll for blocks to sign";
        all.register("authorities_missing", help, new.authorities_missing.clone());
        let help = "The time from a proposal to the signatures of a quorum";
        all.register("quorum_seconds", help, new.quorums.clone());
        let help = "The height of the newest block that this authority has signed";
        all.register("signed_height", help, new.signed_height.clone());
        let mut process = Registry::default();
        process.register_collector(Box::new(ProcessCollector));
        Self { registry: Arc::new(all), process: Arc::new(process), ..new }
    }

    /// Counts a call.
    pub fn called(&self, method: &'static str, took: Duration, refused: Option<&Error>) {
        self.calls.get_or_create(&MethodLabel { method }).observe(took.as_secs_f64());
        if let Some(error) = refused {
            self.refused(method, error);
        }
    }

    /// Counts a refusal.
    pub fn refused(&self, method: &'static str, error: &Error) {
        let (code, reason) = (error.code().as_str(), error.reason().as_str());
        self.errors.get_or_create(&ErrorLabels { method, code, reason }).inc();
    }

    /// Runs `prove`, and counts the proof if it succeeds.
    pub fn proving<T>(&self, scheme: Scheme, prove: impl FnOnce() -> Result<T>) -> Result<T> {
        let (scheme, started) = (scheme.as_str(), Instant::now());
        let proof = prove()?;
        self.proofs.get_or_create(&SchemeLabel { scheme }).observe(started.elapsed().as_secs_f64());
        Ok(proof)
    }

    /// Counts a request that waits to be proved, until the returned guard is dropped.
    pub fn waiting(&self, scheme: Option<Scheme>) -> GaugeGuard {
        let scheme = scheme.map_or("headers", Scheme::as_str);
        GaugeGuard::new(&self.waiting.get_or_create(&SchemeLabel { scheme }))
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

    /// Sets the free space on the disk.
    pub fn disk_free(&self, bytes: u64) {
        self.disk_free_bytes.set(number(bytes));
    }

    /// Sets the newest block.
    pub fn newest(&self, height: u64, timestamp_ms: u64) {
        self.height.set(number(height));
        self.timestamp_ms.set(number(timestamp_ms));
    }

    /// Sets the oldest block whose operations are kept.
    pub fn oldest(&self, height: u64) {
        self.oldest_block.set(number(height));
    }

    /// Sets the newest block of the followed node.
    pub fn leader(&self, height: u64) {
        self.leader_height.set(number(height));
    }

    /// Counts a connection until the returned guard is dropped.
    pub fn connection(&self) -> GaugeGuard {
        GaugeGuard::new(&self.connections)
    }

    /// Counts a request to the followed node that failed: its answer was refused or did not arrive.
    pub fn follow_failed(&self, error: &Error) {
        let (code, reason) = (error.code().as_str(), error.reason().as_str());
        self.follow_errors.get_or_create(&FollowErrorLabels { code, reason }).inc();
    }

    /// Counts a request to the object store with the chain's log.
    pub fn log_request(&self, request: &'static str) {
        self.log_requests.get_or_create(&RequestLabel { request }).inc();
    }

    /// Counts a signature of a remote authority.
    pub fn signature(&self, authority: u16) {
        self.signatures.get_or_create(&AuthorityLabel { authority }).inc();
    }

    /// Counts a refusal of a remote authority.
    pub fn refusal(&self, authority: u16, invalid: bool) {
        let invalid = if invalid { "true" } else { "false" };
        self.refusals.get_or_create(&RefusalLabels { authority, invalid }).inc();
    }

    /// Counts a quorum of signatures.
    pub fn quorum(&self, took: Duration) {
        self.quorums.observe(took.as_secs_f64());
    }

    /// Sets the number of authorities that do not poll.
    pub fn missing(&self, authorities: usize) {
        self.authorities_missing.set(number(authorities as u64));
    }

    /// Sets the height of the newest block that this authority has signed.
    pub fn signed_height(&self, height: u64) {
        self.signed_height.set(number(height));
    }

    /// All metrics, in Prometheus' text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode_registry(&mut text, &self.process);
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use prooflight_core::Reason;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The names of all metrics of a node that has done everything once.
    fn names() -> BTreeSet<String> {
        let metrics = Metrics::new();
        let error = Error::new(Reason::Busy, "one", "two");
        metrics.called("method", Duration::ZERO, Some(&error));
        metrics.proving(Scheme::Avl, || Ok(())).unwrap();
        metrics.follow_failed(&error);
        metrics.log_request("read");
        metrics.signature(0);
        metrics.refusal(0, true);
        let waiting = metrics.waiting(Some(Scheme::Avl));
        let text = metrics.text();
        assert!(text.contains("prooflight_proofs_waiting{scheme=\"avl\"} 1\n"), "{text}");
        drop(waiting);
        assert!(metrics.text().contains("prooflight_proofs_waiting{scheme=\"avl\"} 0\n"));
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        samples.map(|line| line.split(['{', ' ']).next().unwrap().to_owned()).collect()
    }

    /// The names of metrics in a file.
    fn named(path: &str) -> BTreeSet<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = std::fs::read_to_string(path).unwrap();
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_name =
            |word: &&str| ["prooflight_", "process_"].iter().any(|it| word.starts_with(it));
        words.filter(is_name).map(str::to_owned).collect()
    }

    #[test]
    fn every_metric_of_the_rules_the_dashboard_and_the_guide_exists() {
        let known = names();
        // The names of JSON-RPC methods begin like metrics. The methods for authorities are not public.
        let mut methods = named("openrpc.json");
        methods.extend(named("src/signing/rpc.rs"));
        methods.insert("prooflight_node".to_owned());
        for path in ["deploy/alerts.yml", "deploy/dashboard.json", "../../docs/node.md"] {
            let named = named(path);
            assert!(named.len() > 10, "{path}: {named:?}");
            for name in named.difference(&methods) {
                let whole = known.contains(name);
                let histogram = known.contains(&format!("{name}_bucket"));
                let is_text = Path::new(path).extension().is_some_and(|it| it == "md");
                assert!(whole || histogram && is_text, "{name} of {path}: {known:?}");
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_is_measured() {
        let text = Metrics::new().text();
        let value = |name: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
            line.unwrap_or_else(|| panic!("{name}: {text}")).parse().unwrap()
        };
        assert!(value("process_resident_memory_bytes") > 1e6);
        assert!(value("process_open_fds") >= 3.0);
        assert!(value("process_max_fds") >= value("process_open_fds"));
        assert!(value("process_cpu_seconds_total") >= 0.0);
        assert!((1.6e9..4e9).contains(&value("process_start_time_seconds")));
        let version = format!("prooflight_build_info{{version=\"{}\"", env!("CARGO_PKG_VERSION"));
        assert!(text.contains(&version), "{text}");
    }
}

//! The resources that this process and its threads have used so far.

use std::fs::read_to_string;

/// The processor time of all threads in milliseconds: user and system.
pub(super) fn cpu() -> (f64, f64) {
    let stat = read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
    let mut fields = fields.map(|field| field.parse().unwrap_or(0.0) * 10.0);
    (fields.next().unwrap_or(0.0), fields.next().unwrap_or(0.0))
}

/// The processor time of this thread alone in milliseconds.
pub(super) fn thread_cpu() -> f64 {
    let stat = read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split_whitespace().next().and_then(|field| field.parse().ok());
    nanos.unwrap_or(0.0) / 1e6
}

/// Megabytes of memory: current and peak.
pub(super) fn memory() -> (f64, f64) {
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
    };
    (field("VmRSS:"), field("VmHWM:"))
}

/// Bytes that were written to disk, compactions included.
pub(super) fn disk_bytes() -> f64 {
    let io = read_to_string("/proc/self/io").unwrap_or_default();
    let line = io.lines().find_map(|line| line.strip_prefix("write_bytes:")).unwrap_or("0");
    line.trim().parse().unwrap_or(0.0)
}

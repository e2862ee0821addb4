//! The resources that the process uses, under the names of Prometheus' own client libraries.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// Reads the resource usage whenever the metrics are encoded. Only on Linux.
#[derive(Debug)]
pub(super) struct ProcessCollector;

/// The resource usage of the process.
#[derive(Clone, Copy, Debug)]
struct ProcessUsage {
    processor_seconds: f64,
    memory_bytes: u64,
    open_files: u64,
    most_files: Option<u64>,
    start_seconds: f64,
}

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Some(usage) = usage() else { return Ok(()) };
        let mut gauge = |name: &str, help: &str, value: f64| {
            let gauge = ConstGauge::new(value);
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
        };
        let memory = number(usage.memory_bytes);
        gauge("process_resident_memory_bytes", "Physical memory of the process", memory)?;
        gauge("process_open_fds", "Open file descriptors", number(usage.open_files))?;
        if let Some(most) = usage.most_files {
            gauge("process_max_fds", "The limit of open file descriptors", number(most))?;
        }
        let help = "When the process started, in seconds since 1970";
        gauge("process_start_time_seconds", help, usage.start_seconds)?;
        let processor = ConstCounter::new(usage.processor_seconds);
        let help = "Processor time of the process, in seconds";
        let kind = processor.metric_type();
        processor.encode(encoder.encode_descriptor("process_cpu_seconds", help, None, kind)?)
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact below 2^53")]
const fn number(number: u64) -> f64 {
    number as f64
}

#[cfg(target_os = "linux")]
fn usage() -> Option<ProcessUsage> {
    use procfs::process::{LimitValue, Process};
    use procfs::{WithCurrentSystemInfo, boot_time_secs, ticks_per_second};

    let process = Process::myself().ok()?;
    let stat = process.stat().ok()?;
    let ticks = number(ticks_per_second());
    let most_files = match process.limits().ok()?.max_open_files.soft_limit {
        LimitValue::Value(most) => Some(most),
        LimitValue::Unlimited => None,
    };
    Some(ProcessUsage {
        processor_seconds: number(stat.utime + stat.stime) / ticks,
        memory_bytes: stat.rss_bytes().get(),
        open_files: u64::try_from(process.fd_count().ok()?).ok()?,
        most_files,
        start_seconds: number(boot_time_secs().ok()?) + number(stat.starttime) / ticks,
    })
}

#[cfg(not(target_os = "linux"))]
const fn usage() -> Option<ProcessUsage> {
    None
}

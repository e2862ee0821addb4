//! Samples of times, and the table that reports them.

use core::array::from_fn;
use std::time::Duration;

use cpu_time::ThreadTime;

use crate::runner::RunMeasurement;

/// How to read the table.
pub(crate) const TABLE_LEGEND: &str = "\
Times are what the processor worked: medians of all samples, in brackets the middle half of them.
A prover performs the operations, makes the proof and computes the new digest. A verifier reads the
proof, performs the operations, computes the new digest and frees what it took. Labels are the
hashes that no verifier of the batch can do without; below them are the time that as many
compressions of 66 bytes take and nothing else, and how many times as long the verifiers took. A
verification of an account reads the nodes of its proof; the other peer is told the value. A tree's
operations a second are those of the median block: it is applied and its root computed, from hashed
keys, and by ours from hashed values.";

/// Makes a call and measures its CPU time, including freeing whatever it does not return.
pub(crate) fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let start = ThreadTime::now();
    let result = call();
    (result, start.elapsed())
}

/// Times of repeated runs of the same work.
#[derive(Default)]
pub(crate) struct TimeSamples(Vec<Duration>);

impl TimeSamples {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn add(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// Adds the times of both sides.
    pub(crate) fn add_both(times: &mut [Self; 2], answers: &[RunMeasurement; 2]) {
        for (times, answer) in times.iter_mut().zip(answers) {
            times.add(Duration::from_nanos(answer.nanoseconds));
        }
    }

    /// Returns the given quartile, in milliseconds.
    fn quartile(&self, quarters: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = sorted.len().saturating_sub(1) * quarters / 4;
        sorted.get(at).map_or(f64::NAN, |sample| sample.as_secs_f64() * 1e3)
    }

    pub(crate) fn median(&self) -> f64 {
        self.quartile(2)
    }

    fn show(&self) -> String {
        format!("{:.2} ms ({:.2}-{:.2})", self.median(), self.quartile(1), self.quartile(3))
    }
}

/// A table with five columns: the data, the measurement, ours, the peer, ours / peer.
pub(crate) struct ReportTable(Vec<[String; 5]>);

impl ReportTable {
    pub(crate) fn new() -> Self {
        Self(vec![["", "", "ours", "peer", "ours / peer"].map(str::to_owned)])
    }

    pub(crate) fn times(&mut self, data: &str, what: &str, [ours, peer]: &[TimeSamples; 2]) {
        let ratio = format!("{:.2}", ours.median() / peer.median());
        self.0.push([data.to_owned(), what.to_owned(), ours.show(), peer.show(), ratio]);
    }

    /// Adds a lower bound for the time of any verifier, and both times as multiples of it.
    pub(crate) fn floor(&mut self, what: &str, floor: &TimeSamples, times: &[TimeSamples; 2]) {
        let what = format!("{what}: {:.2} ms", floor.median());
        let [ours, peer] = [0, 1].map(|side: usize| times[side].median() / floor.median());
        self.0.push([
            String::new(),
            what,
            format!("{ours:.2} x"),
            format!("{peer:.2} x"),
            String::new(),
        ]);
    }

    /// Adds rates, which are not times.
    pub(crate) fn rates(&mut self, what: &str, ours: f64, peer: Option<f64>) {
        let show = |it: f64| format!("{it:.0}");
        let ratio = peer.map_or(String::new(), |peer| format!("{:.2}", ours / peer));
        let peer = peer.map_or(String::new(), show);
        self.0.push([String::new(), what.to_owned(), show(ours), peer, ratio]);
    }

    pub(crate) fn text(&mut self, what: &str) {
        self.0.push(["", what, "", "", ""].map(str::to_owned));
    }

    pub(crate) fn both(&mut self, what: &str, [ours, peer]: [usize; 2]) {
        let empty = String::new;
        self.0.push([empty(), what.to_owned(), ours.to_string(), peer.to_string(), empty()]);
    }

    pub(crate) fn print(&self) {
        print(&self.0, 2);
    }
}

/// Prints rows in columns, the first ones flush left and the others flush right.
pub(crate) fn print<const COLUMNS: usize>(rows: &[[String; COLUMNS]], left: usize) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [_; COLUMNS] = from_fn(|column| width(column).unwrap_or(0));
    for row in rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

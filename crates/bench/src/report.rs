//! Samples, and the table of them.

use std::time::{Duration, Instant};

/// How to read the table.
pub(crate) const LEGEND: &str = "Times are medians, in brackets the middle half of the samples.";

/// The result of a call and how long it took, with the freeing of all that it does not return.
pub(crate) fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = call();
    (result, start.elapsed())
}

/// Durations of the same work.
#[derive(Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn add(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// The sample that a fraction of all are below, in milliseconds.
    fn quantile(&self, quarters: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = sorted.len().saturating_sub(1) * quarters / 4;
        sorted.get(at).map_or(f64::NAN, |sample| sample.as_secs_f64() * 1e3)
    }

    /// In milliseconds.
    pub(crate) fn median(&self) -> f64 {
        self.quantile(2)
    }

    fn show(&self) -> String {
        format!("{:.2} ms ({:.2} - {:.2})", self.median(), self.quantile(1), self.quantile(3))
    }
}

/// Rows of text, printed in columns.
pub(crate) struct Table(Vec<[String; 5]>);

impl Table {
    pub(crate) fn new() -> Self {
        Self(vec![["", "", "ours", "peer", "ours / peer"].map(str::to_owned)])
    }

    pub(crate) fn row(&mut self, what: &str, detail: &str, ours: &str, peer: &str, ratio: f64) {
        let ratio = if ratio.is_nan() { String::new() } else { format!("{ratio:.2}") };
        self.0.push([what.to_owned(), detail.to_owned(), ours.to_owned(), peer.to_owned(), ratio]);
    }

    /// A row of times, ours and the peer's.
    pub(crate) fn times(&mut self, what: &str, detail: &str, ours: &Samples, peer: &Samples) {
        self.row(what, detail, &ours.show(), &peer.show(), ours.median() / peer.median());
    }

    /// A row for a lower bound of the verifiers' times.
    pub(crate) fn floor(&mut self, detail: &str, floor: &Samples, ours: &Samples, peer: &Samples) {
        let times = |samples: &Samples| format!("{:.2} x", samples.median() / floor.median());
        let detail = format!("{detail}: {}", floor.show());
        self.row("", &detail, &times(ours), &times(peer), f64::NAN);
    }

    pub(crate) fn print(&self) {
        let width = |column: usize| self.0.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(width);
        for [what, detail, ours, peer, ratio] in &self.0 {
            println!("{what:<a$}  {detail:<b$}  {ours:>c$}  {peer:>d$}  {ratio:>e$}");
        }
    }
}

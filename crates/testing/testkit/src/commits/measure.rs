//! The measurement of one case.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use super::process::{cpu, disk_bytes, memory, thread_cpu};
use super::workload::{CommitWorkload, KeyPut, key};
use super::{BenchArgs, StoreCounts};

/// An authenticated store that is measured.
pub trait MeasuredStore {
    /// The value of a key, as a node reads it while it executes a block.
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>>;

    /// Makes a block durable; operations ascend by key without repetition.
    fn commit(&mut self, ops: &[KeyPut]);

    /// Removes states that are no longer kept.
    fn prune(&mut self);

    /// Waits for work in the background.
    fn settle(&mut self) {}

    /// Starts to count the case's own figures.
    fn begin(&mut self) {}

    /// Adds the case's own figures at the end.
    fn finish(self, row: &mut CaseFigures, sample: &[[u8; 32]])
    where
        Self: Sized;
}

/// The figures of a case, by name, in the order of the table.
#[derive(Clone, Debug, Default)]
pub struct CaseFigures(Vec<(String, f64)>);

/// Operations of a block while the keys are written.
const LOAD_BATCH: usize = 100_000;

/// Keys in the sample that is read at the end; some of them are proved.
const SAMPLE_KEYS: usize = 100_000;

impl CaseFigures {
    /// Measures a case; `counts` are those of its store.
    pub fn measure(
        name: &str,
        args: &BenchArgs,
        mut case: impl MeasuredStore,
        counts: &StoreCounts,
    ) -> Self {
        let mut row = Self::default();
        let mut workload = CommitWorkload::new(args.keys, args.zipf);
        let started = Instant::now();
        let all: Vec<_> = (0..args.keys).map(|n| key(n as u64)).collect();
        for part in all.chunks(LOAD_BATCH) {
            let mut ops: Vec<KeyPut> = part.iter().map(|key| (*key, workload.word())).collect();
            ops.sort_unstable();
            case.commit(&ops);
            case.prune();
        }
        drop(all);
        case.settle();
        case.begin();
        eprintln!("{name}: {} keys in {:.1} s", args.keys, started.elapsed().as_secs_f64());

        let (blocks, operations) = (args.blocks(), args.operations);
        let (mut whole, mut read, mut prune) = (Vec::new(), 0.0, 0.0);
        let before = (cpu(), disk_bytes(), counts.reads.load(Relaxed), counts.bytes.load(Relaxed));
        let measured = Instant::now();
        for block in 0..blocks {
            let (reads, writes) = workload.block(operations);
            let started = Instant::now();
            for key in &reads {
                assert!(case.get(key).is_some());
            }
            let reading = ms(started);
            case.commit(&writes);
            whole.push(ms(started));
            read += reading;
            let started = Instant::now();
            case.prune();
            prune += ms(started);
            if block % (blocks / 10).max(1) == 0 {
                eprintln!("{name}: block {block} of {blocks}, {:.1} ms", whole[block]);
            }
        }
        let seconds = measured.elapsed().as_secs_f64();
        let all = (blocks * operations) as f64;
        let ((user, system), written) = (cpu(), disk_bytes());
        let memory = memory();
        let mean = whole.iter().sum::<f64>() / blocks as f64;
        whole.sort_by(f64::total_cmp);
        let at = |share: f64| whole[((blocks as f64 * share) as usize).min(blocks - 1)];
        row.put("block p50, ms", at(0.5));
        row.put("block p99, ms", at(0.99));
        row.put("block max, ms", at(1.0));
        row.put("block mean, ms", mean);
        row.put("its reads, ms", read / blocks as f64);
        row.put("prune mean, ms", prune / blocks as f64);
        row.put("operations a second", all / seconds);
        row.put("processor, us/op", (user - before.0.0 + system - before.0.1) * 1000.0 / all);
        row.put("of it system, us/op", (system - before.0.1) * 1000.0 / all);
        row.put("store reads/op", (counts.reads.load(Relaxed) - before.2) as f64 / all);
        row.put("store bytes/op", (counts.bytes.load(Relaxed) - before.3) as f64 / all);
        row.put("disk bytes/op", (written - before.1) / all);
        row.put("memory, MB", memory.0);
        row.put("memory max, MB", memory.1);

        case.settle();
        let sample: Vec<_> = (0..SAMPLE_KEYS).map(|_| workload.key()).collect();
        // The time of this thread alone: the store may still compact on others.
        let (before, started) = (thread_cpu(), Instant::now());
        for key in &sample {
            assert!(case.get(key).is_some());
        }
        let each = 1000.0 / sample.len() as f64;
        row.put("get, us", ms(started) * each);
        row.put("get, processor, us", (thread_cpu() - before) * each);
        case.finish(&mut row, &sample);
        row
    }

    /// Adds a figure.
    pub fn put(&mut self, name: &str, figure: f64) {
        self.0.push((name.to_owned(), figure));
    }

    pub(super) fn figures(&self) -> impl Iterator<Item = &(String, f64)> {
        self.0.iter()
    }

    pub(super) fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, figure)| *figure)
    }

    pub(super) fn encode(&self) -> String {
        let lines = self.0.iter().map(|(name, figure)| format!("{name}\t{figure}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn decode(text: &str) -> Self {
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        Self(lines.map(|(name, figure)| (name.to_owned(), figure.parse().unwrap())).collect())
    }
}

/// The sizes of proofs, and the time to verify them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProofFigures {
    count: f64,
    bytes: f64,
    micros: f64,
}

impl ProofFigures {
    /// Adds a proof that was verified since `started`.
    pub fn add(&mut self, bytes: usize, started: Instant) {
        self.micros += ms(started) * 1000.0;
        self.count += 1.0;
        self.bytes += bytes as f64;
    }

    /// Adds the means to a row; `of` says which proofs they are.
    pub fn put(&self, row: &mut CaseFigures, of: &str) {
        if self.count > 0.0 {
            row.put(&format!("proof{of}, bytes"), self.bytes / self.count);
            row.put(&format!("verify{of}, us"), self.micros / self.count);
        }
    }
}

fn ms(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}

//! Leaders and readers on a bucket that loses, delays, reorders and cuts, from many seeds.
//!
//! The time is virtual and there is one thread, so a seed always gives the same run. The rules that
//! look fussy are also broken one at a time, and each time some seed must show why the rule exists.
//! `PROOFLIGHT_SEEDS=10000` runs more seeds than the default.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod bucket;
mod made;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bucket::{FaultyStore, RandomNumbers};
use bytes::Bytes;
use made::{block, config, operations};
use object_store::path::Path;
use prooflight_core::Hash;
use prooflight_core::chain::ChainConfig;
use prooflight_log::{Bucket, BucketLog, CreateOutcome, LogEntry};

/// How a leader publishes a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PublishRule {
    /// As `BucketLog::publish` does.
    Right,
    /// After a failure and a read that finds nothing, the block is refused.
    GivesUp,
    /// A block that exists is somebody else's.
    DoesNotCompare,
    /// A failure is taken for a success.
    TakesItForDone,
}

#[test]
fn no_fault_of_the_bucket_splits_the_chain_or_loses_an_operation() {
    let seeds = std::env::var("PROOFLIGHT_SEEDS").map_or(150, |seeds| seeds.parse().unwrap());
    let (mut happened, mut competed) = ([0; 4], 0);
    for seed in 0..seeds {
        let run = TestRun::of(seed, PublishRule::Right);
        assert_eq!(run.wrongs(), Vec::<String>::new(), "seed {seed}");
        let faults = &run.bucket.happened;
        let faults = [&faults.refused, &faults.lost, &faults.answers_lost, &faults.cut];
        for (sum, count) in happened.iter_mut().zip(faults) {
            *sum += count.load(Ordering::Relaxed);
        }
        competed += run.seen.lock().unwrap().lost_races;
    }
    println!(
        "{seeds} seeds: {happened:?} requests refused, lost, without answer, cut; {competed} lost races"
    );
    assert!(happened.iter().all(|count| *count > 0) && competed > 0, "nothing happened");
}

#[test]
fn a_leader_that_gives_up_is_found_to_refuse_what_is_published() {
    assert_found(PublishRule::GivesUp, "refused, yet in block");
}

#[test]
fn a_leader_that_does_not_compare_is_found_to_execute_twice() {
    assert_found(PublishRule::DoesNotCompare, "executed twice");
}

#[test]
fn a_leader_that_takes_a_failure_for_done_is_found_to_show_a_second_block() {
    assert_found(PublishRule::TakesItForDone, "two blocks shown");
}

/// Asserts that some seed shows what is wrong with a rule.
fn assert_found(rule: PublishRule, wrong: &str) {
    let found = |seed| TestRun::of(seed, rule).wrongs().iter().any(|found| found.contains(wrong));
    assert!((0..150).any(found), "no seed shows: {wrong}");
}

/// The operations that each leader is given.
const OPERATIONS: u64 = 6;

/// One run: two leaders, which crash, and two readers.
#[derive(Clone)]
struct TestRun {
    bucket: FaultyStore,
    dice: Arc<RandomNumbers>,
    config: Arc<ChainConfig>,
    rule: PublishRule,
    seen: Arc<Mutex<ClientView>>,
}

/// What clients and readers saw.
#[derive(Default)]
struct ClientView {
    shown: BTreeMap<u64, BTreeSet<Hash>>,
    /// Operations, with the block that was named for them.
    acknowledged: Vec<(u64, u64, Hash)>,
    refused: Vec<u64>,
    lost_races: usize,
    /// The blocks of the bucket at the end.
    published: Vec<LogEntry>,
    stuck: bool,
}

impl TestRun {
    fn of(seed: u64, rule: PublishRule) -> Self {
        let run = Self {
            bucket: FaultyStore::new(seed),
            dice: Arc::new(RandomNumbers::new(!seed)),
            config: config("protocol"),
            rule,
            seen: Arc::default(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(run.clone().run());
        run
    }

    async fn run(self) {
        let leaders = [0, 1].map(|id| tokio::spawn(TestLeader::new(id, &self).live()));
        let readers = [0, 1].map(|_| tokio::spawn(self.clone().read()));
        let healed = self.bucket.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_mins(1)).await;
            healed.heal();
        });
        // Far more than a run without faults needs.
        let end = tokio::time::Instant::now() + Duration::from_hours(1);
        for leader in leaders {
            match tokio::time::timeout_at(end, leader).await {
                Ok(ended) => ended.unwrap(),
                Err(_) => self.seen.lock().unwrap().stuck = true,
            }
        }
        // Late writes still arrive.
        tokio::time::sleep(Duration::from_mins(1)).await;
        readers.iter().for_each(tokio::task::JoinHandle::abort);
        let log = self.log().await;
        let mut published = Vec::new();
        while let Some(entry) = log.block(published.len() as u64).await.unwrap() {
            published.push(entry);
        }
        self.seen.lock().unwrap().published = published;
    }

    async fn log(&self) -> BucketLog {
        let bucket = Bucket::new(Arc::new(self.bucket.clone()), Path::from("chain"));
        loop {
            match BucketLog::begin(bucket.clone(), self.config.clone()).await {
                Ok(log) => return log,
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    fn show(&self, entry: &LogEntry) {
        let mut seen = self.seen.lock().unwrap();
        seen.shown.entry(entry.height()).or_default().insert(entry.hash());
    }

    async fn read(self) {
        let log = self.log().await;
        let mut reader = log.reader(0);
        let mut newest: Option<LogEntry> = None;
        loop {
            let next = newest.as_ref().map_or(0, |newest| newest.height() + 1);
            match reader.block(next).await {
                Ok(Some(entry)) => {
                    let parent = newest.as_ref().map_or([0; 32], LogEntry::hash);
                    assert_eq!(entry.header.header.parent, parent);
                    self.show(&entry);
                    newest = Some(entry);
                }
                Ok(None) | Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// Everything that went wrong.
    fn wrongs(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let mut wrongs = Vec::new();
        if seen.stuck {
            wrongs.push("no progress without further faults".to_owned());
        }
        for (height, hashes) in &seen.shown {
            if hashes.len() > 1 {
                wrongs.push(format!("two blocks shown at {height}"));
            }
        }
        let mut places = BTreeMap::new();
        for (height, entry) in seen.published.iter().enumerate() {
            for operation in operations(entry) {
                if places.insert(operation, (height as u64, entry.hash())).is_some() {
                    wrongs.push(format!("{operation} executed twice"));
                }
            }
        }
        for (operation, height, hash) in &seen.acknowledged {
            if places.get(operation) != Some(&(*height, *hash)) {
                wrongs.push(format!("{operation} lost, said to be in block {height}"));
            }
        }
        for operation in &seen.refused {
            if let Some((height, _)) = places.get(operation) {
                wrongs.push(format!("{operation} refused, yet in block {height}"));
            }
        }
        wrongs
    }
}

/// A leader with a disk that survives its crashes.
struct TestLeader {
    id: u64,
    run: TestRun,
    disk: Vec<LogEntry>,
    /// Operations that are neither acknowledged nor refused; the first one is next.
    operations: Vec<u64>,
}

impl TestLeader {
    fn new(id: u64, run: &TestRun) -> Self {
        let operations = (0..OPERATIONS).map(|n| id * 1_000_000 + n * 1000).collect();
        Self { id, run: run.clone(), disk: Vec::new(), operations }
    }

    /// Leads through crashes until every operation is answered.
    async fn live(mut self) {
        for _ in 0..3 {
            let life = Duration::from_millis(self.run.dice.pick(0..30_000));
            if tokio::time::timeout(life, self.lead()).await.is_ok() {
                return;
            }
            // The client does not know: it submits the operation again, with a new number.
            if let Some(first) = self.operations.first_mut() {
                *first += 1;
            }
        }
        self.lead().await;
    }

    async fn lead(&mut self) {
        let log = self.run.log().await;
        self.restart(&log).await;
        while let Some(&operation) = self.operations.first() {
            self.run.dice.delay().await;
            let signer = u16::try_from(self.id).unwrap();
            let ours = block(&self.run.config, self.disk.last(), &[operation], signer);
            let Some((published, done)) = self.publish(&log, ours.clone()).await else {
                self.run.seen.lock().unwrap().refused.push(operation);
                self.operations.remove(0);
                continue;
            };
            self.commit(published.clone()).await;
            let mut seen = self.run.seen.lock().unwrap();
            if done {
                seen.acknowledged.push((operation, ours.height(), ours.hash()));
                self.operations.remove(0);
            } else {
                seen.lost_races += 1;
            }
        }
    }

    /// Executes the blocks that the bucket has and the disk lacks.
    async fn restart(&mut self, log: &BucketLog) {
        let mut reader = log.reader(self.disk.len() as u64);
        loop {
            match reader.block(self.disk.len() as u64).await {
                Ok(Some(entry)) => self.commit(entry).await,
                Ok(None) => return,
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// Commits a block and shows it; a crash can come in between.
    async fn commit(&mut self, entry: LogEntry) {
        self.disk.push(entry.clone());
        tokio::task::yield_now().await;
        self.run.show(&entry);
    }

    /// The block of that height, and whether it is taken for ours; `None` if ours is refused.
    async fn publish(&self, log: &BucketLog, ours: LogEntry) -> Option<(LogEntry, bool)> {
        if self.run.rule == PublishRule::Right {
            let published = log.publish(ours.clone()).await.unwrap();
            let same = published.hash() == ours.hash();
            return Some((published, same));
        }
        let (height, bytes) = (ours.height(), self.encoded(&ours).await);
        let name = format!("blocks/{height:016}");
        let failed = match self.run.rule {
            PublishRule::DoesNotCompare => {
                let settled = log.bucket().settle(&name, bytes, |_| Ok(()), |_| ()).await;
                settled != CreateOutcome::Created
            }
            _ => match log.bucket().create(&name, bytes).await {
                Ok(created) => !created,
                Err(_) => self.run.rule != PublishRule::TakesItForDone,
            },
        };
        if !failed {
            return Some((ours, true));
        }
        loop {
            match log.block(height).await {
                Ok(found) => return found.map(|found| (found, false)),
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// The bytes of a block, made in a bucket without faults.
    async fn encoded(&self, entry: &LogEntry) -> Bytes {
        let store = Arc::new(object_store::memory::InMemory::new());
        let bucket = Bucket::new(store, Path::default());
        let log = BucketLog::begin(bucket.clone(), self.run.config.clone()).await.unwrap();
        log.publish(entry.clone()).await.unwrap();
        bucket.read(&format!("blocks/{:016}", entry.height())).await.unwrap().unwrap()
    }
}

/// The rule for one object, one fault at a time.
#[tokio::test(start_paused = true)]
async fn settling_takes_the_same_bytes_until_the_object_exists() {
    for seed in 0..100 {
        let faulty = FaultyStore::new(seed);
        let bucket = Bucket::new(Arc::new(faulty.clone()), Path::default());
        let settle = |bytes: &'static [u8]| {
            let bucket = bucket.clone();
            async move {
                let whole = |found: &[u8]| match found.len() {
                    3 => Ok(found.to_vec()),
                    found => Err(prooflight_core::Error::new(
                        prooflight_core::Reason::Truncated,
                        "3 bytes",
                        found,
                    )),
                };
                bucket.settle("proposed/7/0", Bytes::from_static(bytes), whole, |_| ()).await
            }
        };
        let (one, two) = tokio::join!(settle(b"one"), settle(b"two"));
        let clean = Bucket::new(faulty.inner.clone(), Path::default());
        let kept = clean.read("proposed/7/0").await.unwrap().unwrap();
        for (ours, settled) in [(b"one", one), (b"two", two)] {
            match settled {
                CreateOutcome::Created => assert_eq!(&kept[..], ours, "seed {seed}"),
                CreateOutcome::Exists(found) => assert_eq!(kept, found, "seed {seed}"),
            }
        }
    }
}

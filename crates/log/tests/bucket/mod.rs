//! A bucket that fails in every way that the protocol must survive, from a seed.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// Random numbers from a seed (`SplitMix64`).
#[derive(Debug)]
pub(crate) struct RandomNumbers(Mutex<u64>);

impl RandomNumbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    fn next(&self) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in a range.
    pub(crate) fn pick(&self, range: Range<u64>) -> u64 {
        range.start + self.next() % (range.end - range.start)
    }

    /// Whether an event of this percentage happens.
    pub(crate) fn percent(&self, often: u64) -> bool {
        self.pick(0..100) < often
    }

    /// Some milliseconds, rarely some seconds.
    pub(crate) async fn delay(&self) {
        let most = if self.percent(5) { 20_000 } else { 50 };
        tokio::time::sleep(Duration::from_millis(self.pick(0..most))).await;
    }
}

/// What happened to the requests, so that a run without faults shows.
#[derive(Debug, Default)]
pub(crate) struct FaultCounts {
    pub(crate) refused: AtomicUsize,
    pub(crate) lost: AtomicUsize,
    pub(crate) answers_lost: AtomicUsize,
    pub(crate) cut: AtomicUsize,
}

/// A bucket in memory whose requests are refused, lost, delayed, reordered, answered late or cut.
#[derive(Clone)]
pub(crate) struct FaultyStore {
    pub(crate) inner: Arc<InMemory>,
    dice: Arc<RandomNumbers>,
    faults: Arc<AtomicBool>,
    pub(crate) happened: Arc<FaultCounts>,
}

impl FaultyStore {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            inner: Arc::new(InMemory::new()),
            dice: Arc::new(RandomNumbers::new(seed)),
            faults: Arc::new(AtomicBool::new(true)),
            happened: Arc::default(),
        }
    }

    /// Ends the faults. Running requests may still arrive late.
    pub(crate) fn heal(&self) {
        self.faults.store(false, Ordering::Relaxed);
    }

    fn fails(&self, often: u64) -> bool {
        self.faults.load(Ordering::Relaxed) && self.dice.percent(often)
    }
}

fn failure(why: &'static str) -> Error {
    Error::Generic { store: "faulty", source: why.into() }
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

#[async_trait]
impl ObjectStore for FaultyStore {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.dice.delay().await;
        if self.fails(15) {
            count(&self.happened.refused);
            return Err(failure("503"));
        }
        if self.fails(15) {
            count(&self.happened.lost);
            self.dice.delay().await;
            return Err(failure("the request is lost"));
        }
        if self.fails(30) {
            // The write and the error are independent: it may arrive long after the error.
            count(&self.happened.answers_lost);
            let (store, location) = (self.clone(), location.clone());
            tokio::spawn(async move {
                store.dice.delay().await;
                store.inner.put_opts(&location, payload, options).await
            });
            self.dice.delay().await;
            return Err(failure("the answer is lost"));
        }
        let put = self.inner.put_opts(location, payload, options).await;
        self.dice.delay().await;
        put
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.dice.delay().await;
        if self.fails(20) {
            count(&self.happened.refused);
            return Err(failure("503"));
        }
        let mut found = self.inner.get_opts(location, options).await?;
        self.dice.delay().await;
        if self.fails(20) {
            count(&self.happened.cut);
            let (dice, length) = (self.dice.clone(), found.meta.size);
            let kept = usize::try_from(dice.pick(0..length)).unwrap();
            let GetResultPayload::Stream(whole) = found.payload else { unreachable!() };
            let cut = whole.map(move |part| part.map(|part: Bytes| part.slice(..kept)));
            found.payload = GetResultPayload::Stream(cut.boxed());
        }
        Ok(found)
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        // A late write would make a second block of that height.
        unreachable!("nothing is ever deleted")
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        stream::once(async { Err(failure("not needed")) }).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        Err(failure("not needed"))
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(failure("not needed"))
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        unreachable!("nothing is ever copied")
    }
}

impl fmt::Display for FaultyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

impl fmt::Debug for FaultyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

//! A chain's layers, with their merges on a separate thread.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use prooflight_core::store::{Prepared, RawKeyChange, StateStore, Store};
use prooflight_core::{Error, Reason, Result};

use super::chain::{LmptBlock, LmptParams, LmptReader, LmptState};
use super::merge::EraMerger;

/// The layers of a chain, whose merges run on a separate thread while blocks are made.
///
/// A block that ends an era waits for the era's merge. Clones of the store must share its content.
#[derive(Debug)]
pub struct LmptMerging<S> {
    state: LmptState<S>,
    worker: MergeWorker<S>,
}

/// The parameters of a store with its merges.
pub struct MergingParams {
    /// The parameters of the store.
    pub store: LmptParams,
    /// Called on the thread of the merges, or of the blocks.
    pub on_event: Arc<dyn Fn(&MergeEvent<'_>) + Send + Sync>,
}

/// The progress of a merge.
#[derive(Clone, Copy, Debug)]
pub enum MergeEvent<'a> {
    /// Another part is in the store; the last one has all keys.
    Part {
        /// The era during which the merge runs.
        era: u64,
        /// The keys that are merged.
        keys: u64,
        /// The keys of the whole merge.
        total: u64,
    },
    /// A block that ends an era has waited for the merge.
    Waited {
        /// The era.
        era: u64,
        /// The duration of the wait.
        time: Duration,
    },
    /// The merge has failed. It is tried once more before the block that ends the era.
    Failed(&'a Error),
}

impl<S: Store + Clone + Send + 'static> StateStore for LmptMerging<S> {
    type Source = S;
    type Params = MergingParams;
    type Next = LmptBlock;
    type Reader = LmptReader<S::Snapshot>;

    fn open(store: S, params: MergingParams) -> Result<Self> {
        let worker = MergeWorker::start(store.clone(), params.on_event)?;
        let merging = Self { state: LmptState::open(store, params.store)?, worker };
        if merging.height().is_some() {
            merging.begin()?;
        }
        Ok(merging)
    }

    fn height(&self) -> Option<u64> {
        self.state.height()
    }

    fn root(&self) -> Vec<u8> {
        self.state.root()
    }

    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<LmptBlock>> {
        if self.state.ends_era(changes) {
            self.finish()?;
        }
        self.state.prepare(changes)
    }

    fn commit(&mut self, next: LmptBlock) -> Result<()> {
        let before = self.state.era();
        self.state.commit(next)?;
        if self.state.era() == before { Ok(()) } else { self.begin() }
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        self.state.prune(oldest)
    }

    fn reader(&mut self) -> Result<Self::Reader> {
        self.state.reader()
    }
}

impl<S: Store + Clone + Send + 'static> LmptMerging<S> {
    /// The state, whose store a caller writes prepared blocks to.
    pub const fn state_mut(&mut self) -> &mut LmptState<S> {
        &mut self.state
    }

    /// The newest value of a key; see [`LmptState::get`].
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.state.get(key)
    }

    /// Waits until the merge of the current era is done.
    pub fn finish(&self) -> Result<()> {
        let started = Instant::now();
        let result = self.worker.wait().or_else(|_| {
            // The disk may have been full for a while.
            self.begin()?;
            self.worker.wait()
        });
        if let Some(era) = self.state.era() {
            (self.worker.watch)(&MergeEvent::Waited { era, time: started.elapsed() });
        }
        result
    }

    fn begin(&self) -> Result<()> {
        self.worker.begin(self.state.merger()?);
        Ok(())
    }
}

/// The thread of the merges; dropping it stops a merge after its next part.
struct MergeWorker<S> {
    shared: Arc<WorkerState>,
    watch: Arc<dyn Fn(&MergeEvent<'_>) + Send + Sync>,
    thread: Option<JoinHandle<()>>,
    store: core::marker::PhantomData<S>,
}

#[derive(Default)]
struct WorkerState {
    task: Mutex<MergeTask>,
    changed: Condvar,
}

#[derive(Default)]
enum MergeTask {
    /// Nothing to merge before the first block, nor after the last part.
    #[default]
    Done,
    Begin(EraMerger),
    Running,
    Failed(Error),
    Stop,
}

impl<S: Store + Send + 'static> MergeWorker<S> {
    fn start(mut store: S, watch: Arc<dyn Fn(&MergeEvent<'_>) + Send + Sync>) -> Result<Self> {
        let shared = Arc::new(WorkerState::default());
        let (own, own_watch) = (shared.clone(), watch.clone());
        let thread = thread::Builder::new().name("lmpt merge".into()).spawn(move || {
            while let Some(merger) = own.next() {
                let merge = || own.merge(merger, &mut store, &*own_watch);
                // A block must not wait for a thread that has ended.
                let result = catch_unwind(AssertUnwindSafe(merge))
                    .unwrap_or_else(|_| Err(Error::new(Reason::Bug, "a merge", "a panic")));
                if let Err(error) = &result {
                    own_watch(&MergeEvent::Failed(error));
                }
                own.end(result);
            }
        });
        let thread = thread
            .map_err(|error| Error::new(Reason::StoreFailed, "a thread for merges", error))?;
        Ok(Self { shared, watch, thread: Some(thread), store: core::marker::PhantomData })
    }

    fn begin(&self, merger: EraMerger) {
        *self.shared.task() = MergeTask::Begin(merger);
        self.shared.changed.notify_all();
    }

    /// Waits until no merge is under way.
    fn wait(&self) -> Result<()> {
        let busy = |task: &mut MergeTask| matches!(task, MergeTask::Begin(_) | MergeTask::Running);
        let task = self.shared.changed.wait_while(self.shared.task(), busy);
        match &*task.unwrap_or_else(PoisonError::into_inner) {
            MergeTask::Failed(error) => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

impl WorkerState {
    fn task(&self) -> MutexGuard<'_, MergeTask> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next merge; `None` if there are no more.
    fn next(&self) -> Option<EraMerger> {
        let idle = |task: &mut MergeTask| !matches!(task, MergeTask::Begin(_) | MergeTask::Stop);
        let task = self.changed.wait_while(self.task(), idle);
        let mut task = task.unwrap_or_else(PoisonError::into_inner);
        match core::mem::replace(&mut *task, MergeTask::Running) {
            MergeTask::Begin(merger) => Some(merger),
            _ => None,
        }
    }

    fn merge<S: Store>(
        &self,
        mut merger: EraMerger,
        store: &mut S,
        watch: &dyn Fn(&MergeEvent<'_>),
    ) -> Result<()> {
        while let Some(part) = merger.next(store)? {
            store.write(part)?;
            let (era, (keys, total)) = (merger.era(), merger.progress());
            watch(&MergeEvent::Part { era, keys, total });
            if matches!(*self.task(), MergeTask::Stop) {
                break;
            }
        }
        Ok(())
    }

    fn end(&self, result: Result<()>) {
        let mut task = self.task();
        if matches!(*task, MergeTask::Running) {
            *task = result.map_or_else(MergeTask::Failed, |()| MergeTask::Done);
        }
        self.changed.notify_all();
    }
}

impl<S> Drop for MergeWorker<S> {
    fn drop(&mut self) {
        *self.shared.task() = MergeTask::Stop;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl<S> fmt::Debug for MergeWorker<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl fmt::Debug for MergingParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergingParams").field("store", &self.store).finish_non_exhaustive()
    }
}

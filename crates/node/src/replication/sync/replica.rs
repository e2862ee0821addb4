//! The replica's side: fetches a state, and opens the chain that begins with this state.

use std::fs::{self, File};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use prooflight_core::chain::{ChainConfig, Checkpoint, Header, operations_root};
use prooflight_core::store::WriteBatch;
use prooflight_core::{Error, Hash, Hex, Reason, Result, Scheme};
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_light::{PreviousState, verify_block};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;

use super::StatePart;
use super::files::SnapshotReceiver;
use super::headers::HeaderReceiver;
use super::part::PartReceiver;
use super::trees::{AmbReceiver, AvlReceiver};
use super::values::ValueReceiver;
use crate::Chain;
use crate::chain::block::{self, Block, NEWEST_KEY};
use crate::chain::schemes::{SNAPSHOTS_FOLDER, SchemeOptions};
use crate::chain::{ChainBuilder, EntryWriter, SYNCING_FILE};
use crate::replication::follow::{HeaderReply, LeaderClient};
use crate::runtime::backoff::RetryBackoff;
use crate::runtime::blocking;
use crate::runtime::clock::{check_not_in_future, now_ms};
use crate::runtime::space::DiskSpace;

/// Whether the state of a scheme can be sent to another node.
pub const fn can_sync(scheme: Scheme) -> bool {
    sync_obstacle(scheme).is_none()
}

/// Why the state of a scheme cannot be sent; `None` if it can.
const fn sync_obstacle(scheme: Scheme) -> Option<&'static str> {
    match scheme {
        Scheme::Avl | Scheme::Smt | Scheme::Amb => None,
        Scheme::Lvmt => Some(
            "a commitment shows its entries only by an opening each, and the openings for proofs \
             would have to be computed anew: that is much of executing the blocks",
        ),
        Scheme::Lmpt => Some(
            "its root is over a snapshot of an earlier era and the operations of the two eras since, \
             and the leader merges these into the snapshot while it would be read",
        ),
        Scheme::Mpt => Some(
            "it has a trie for each account, in the order of hashes, and no proofs of ranges by which \
             a part of one could be checked",
        ),
        _ => Some("this build does not know it"),
    }
}

/// Whether a folder has no complete chain, because a [`sync`] into it was interrupted.
pub fn is_interrupted(folder: &Path) -> bool {
    folder.join(SYNCING_FILE).exists()
}

/// Begins a chain in a folder without one, with the state after a new block of the leader.
///
/// `invalid_argument` if there is a chain, or if this one has neither `avl` nor `amb`. The error of a chunk names the
/// leader. An error leaves nothing behind; after a crash, the next call starts over.
pub async fn sync(
    leader: &LeaderClient,
    folder: &Path,
    checkpoint: &Checkpoint,
    options: &SchemeOptions,
    space: &DiskSpace,
) -> Result<Chain> {
    let left_out = left_out(&checkpoint.config)?;
    blocking::in_place(|| prepare(folder))?;
    let options = SchemeOptions { left_out, ..options.clone() };
    let synced = fetch_and_open(leader, folder, checkpoint, options, space).await;
    synced.inspect_err(|_| {
        // The command reports the first error.
        let _ = clear(folder).and_then(|()| fs::remove_file(folder.join(SYNCING_FILE)));
    })
}

/// The schemes of a chain whose states cannot be sent.
fn left_out(config: &ChainConfig) -> Result<Vec<Scheme>> {
    let mut schemes = config.scheme_ids().map(Scheme::from_id).collect::<Result<Vec<_>>>()?;
    if !config.keeps(Scheme::Avl) && !config.keeps(Scheme::Amb) {
        let expected = "a chain with avl or amb, against which raw keys can be checked";
        let names: Vec<_> = schemes.iter().map(|scheme| scheme.as_str()).collect();
        return Err(Error::new(Reason::InvalidArgument, expected, names.join(", ")));
    }
    schemes.retain(|scheme| !can_sync(*scheme));
    Ok(schemes)
}

/// Marks a folder as one without a complete chain.
fn prepare(folder: &Path) -> Result<()> {
    let failed = |error: std::io::Error| {
        let expected = format_args!("a new chain in {}", folder.display());
        Error::new(Reason::StoreFailed, expected, error)
    };
    let marker = folder.join(SYNCING_FILE);
    if marker.exists() {
        clear(folder).map_err(failed)?;
    } else if STATE_FILES.iter().any(|part| folder.join(part).exists()) {
        let expected = format_args!("no chain, and no part of one, in {}", folder.display());
        return Err(Error::new(Reason::InvalidArgument, expected, "one"));
    }
    fs::create_dir_all(folder).map_err(failed)?;
    File::create(&marker)
        .and_then(|marker| marker.sync_all())
        .and_then(|()| File::open(folder)?.sync_all())
        .map_err(failed)
}

/// The files and folders of a state.
const STATE_FILES: [&str; 4] = ["store", "store.new", SNAPSHOTS_FOLDER, "anchor"];

fn clear(folder: &Path) -> std::io::Result<()> {
    for path in STATE_FILES.map(|part| folder.join(part)) {
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else if path.exists() {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SyncHead {
    header: HeaderReply,
    blocks_per_snapshot: Quantity,
}

async fn fetch_and_open(
    leader: &LeaderClient,
    folder: &Path,
    checkpoint: &Checkpoint,
    mut options: SchemeOptions,
    space: &DiskSpace,
) -> Result<Chain> {
    let config = &checkpoint.config;
    let reply: SyncHead = leader.ask("prooflight_sync", json!({})).await?;
    let head = reply.header.decode().and_then(|head| {
        head.check_signed(config)?;
        check_not_in_future(head.header.timestamp_ms, now_ms())?;
        if head.header.height >= checkpoint.height {
            return Ok(head.header);
        }
        let expected = format_args!("at least the checkpoint's height, {}", checkpoint.height);
        Err(Error::new(Reason::NotExtending, expected, head.header.height))
    });
    let head = head.map_err(|error| name_sender(&error, &format_args!("the head of {leader}")))?;
    let (height, hash) = (head.height, head.hash());
    tracing::info!(height, hash = %Hex(&hash), %leader, "fetching the state");
    for scheme in &options.left_out {
        tracing::warn!(
            scheme = scheme.as_str(),
            why = sync_obstacle(*scheme),
            "left out: no node sends its state, so this replica proves nothing of it, and takes its roots from the \
             signed headers without executing them"
        );
    }
    if config.keeps(Scheme::Smt) {
        options.blocks_per_file = reply.blocks_per_snapshot.0;
    }
    let new = blocking::in_place(|| ChainBuilder::begin(folder, config, &options))?;
    let syncing = Arc::new(SyncTask {
        leader: leader.clone(),
        config: config.clone(),
        head: head.clone(),
        hash,
        space: space.clone(),
        failed: OnceLock::new(),
        stopped: watch::Sender::new(false),
    });
    syncing.fetch(&mut HeaderReceiver::new(checkpoint, &head), new.entry_writer()).await?;
    let snapshots = folder.join(SNAPSHOTS_FOLDER);
    let blocks_per_file = options.blocks_per_file;
    // In parallel, so that the leader reads chunks of one part while another is checked.
    let amb =
        syncing.spawn_part(new.entry_writer(), async |syncing, writer| syncing.amb(writer).await);
    let avl =
        syncing.spawn_part(new.entry_writer(), async |syncing, writer| syncing.avl(writer).await);
    let files = syncing.spawn_part(new.entry_writer(), async move |syncing, writer| {
        syncing.files(&snapshots, blocks_per_file, writer).await
    });
    let (amb, avl, files) = tokio::join!(amb, avl, files);
    if let Some(first) = syncing.failed.get() {
        return Err(first.clone());
    }
    let (((), ()), oldest) = ((amb?, avl?), files?);
    blocking::in_place(|| finish(new, &head, hash, oldest))?;
    let opened = blocking::in_place(|| Chain::open_synced(folder, &options));
    opened.map_err(|error| match error.reason() {
        // An error of the fetched state that only the whole state shows.
        Reason::StoreCorrupt => {
            let expected = format_args!("{}, in the state of {leader}", error.expected());
            Error::new(Reason::RootMismatch, expected, error.found())
        }
        _ => error,
    })
}

#[derive(Deserialize)]
struct ChunkReply {
    chunk: HexBytes,
}

struct SyncTask {
    leader: LeaderClient,
    config: ChainConfig,
    head: Header,
    hash: Hash,
    space: DiskSpace,
    /// The first error of a part.
    failed: OnceLock<Error>,
    /// Whether the other parts should end.
    stopped: watch::Sender<bool>,
}

/// The most attempts to fetch a chunk.
const MAX_CHUNK_ATTEMPTS: u32 = 4;

/// The longest delay before the second attempt.
const FIRST_CHUNK_DELAY: Duration = Duration::from_millis(500);

impl SyncTask {
    /// Receives a part in a separate task. The task has ended when this returns, so nothing is written after that.
    /// If it fails, the tasks of other parts end after the chunk that they are checking.
    async fn spawn_part<T: Send + 'static, F: Future<Output = Result<T>> + Send + 'static>(
        self: &Arc<Self>,
        writer: EntryWriter,
        take: impl FnOnce(Arc<Self>, EntryWriter) -> F,
    ) -> Result<T> {
        let ended = tokio::spawn(take(self.clone(), writer)).await;
        let ended = ended.map_err(|error| Error::new(Reason::Bug, "a task that ends", error));
        ended.flatten().inspect_err(|error| {
            // The first error counts.
            let _ = self.failed.set(error.clone());
            self.stopped.send_replace(true);
        })
    }

    async fn amb(&self, writer: EntryWriter) -> Result<()> {
        if self.config.keeps(Scheme::Amb) {
            self.fetch(&mut AmbReceiver::new(&self.config, &self.head)?, writer).await?;
        }
        Ok(())
    }

    /// Receives the tree of `avl`, and the raw values unless `amb` has them.
    async fn avl(&self, writer: EntryWriter) -> Result<()> {
        if !self.config.keeps(Scheme::Avl) {
            return Ok(());
        }
        let mut avl = AvlReceiver::new(&self.config, &self.head, !self.config.keeps(Scheme::Amb))?;
        let writer = self.fetch(&mut avl, writer).await?;
        if let Some(values) = avl.values {
            self.fetch(&mut ValueReceiver::new(values), writer).await?;
        }
        Ok(())
    }

    /// Receives the files of `smt`, and the blocks after them; returns the first block with operations.
    async fn files(&self, folder: &Path, blocks_per_file: u64, writer: EntryWriter) -> Result<u64> {
        if !self.config.keeps(Scheme::Smt) {
            return Ok(self.head.height + 1);
        }
        let mut files = SnapshotReceiver::new(folder, &self.head, blocks_per_file)?;
        let writer = self.fetch(&mut files, writer).await?;
        let oldest = files.finish()?;
        self.blocks(oldest, writer).await?;
        Ok(oldest)
    }

    async fn fetch(
        &self,
        receiver: &mut impl PartReceiver,
        mut writer: EntryWriter,
    ) -> Result<EntryWriter> {
        let (part, started, mut bytes) = (receiver.part(), Instant::now(), 0);
        while let Some(from) = receiver.next()? {
            self.space.check()?;
            let chunk = self.ask(part, &from).await?;
            bytes += chunk.len();
            blocking::in_place(|| receiver.take(&chunk, &mut writer)).map_err(|error| {
                let (from, leader) = (Hex(&from), &self.leader);
                name_sender(&error, &format_args!("the chunk of {part:?} from {from} of {leader}"))
            })?;
        }
        blocking::in_place(|| writer.flush())?;
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(?part, bytes, milliseconds, "fetched");
        Ok(writer)
    }

    async fn ask(&self, part: StatePart, from: &[u8]) -> Result<Vec<u8>> {
        let from = HexBytes(from.to_vec());
        let params = json!({ "head": Hash32(self.hash), "part": part, "from": from });
        let mut stopped = self.stopped.subscribe();
        let (mut backoff, mut attempts) = (RetryBackoff::new(FIRST_CHUNK_DELAY), 1);
        loop {
            let answer = tokio::select! {
                answer = self.leader.ask("prooflight_sync", params.clone()) => answer,
                // `self` keeps the sender.
                _ = stopped.wait_for(|stopped| *stopped) => {
                    let expected = "the other parts of the state";
                    return Err(Error::new(Reason::InvalidResult, expected, "an error"));
                }
            };
            match answer {
                Ok(ChunkReply { chunk: HexBytes(chunk) }) => return Ok(chunk),
                Err(error) if attempts < MAX_CHUNK_ATTEMPTS && is_unreachable(&error) => {
                    tracing::warn!(%error, "retrying");
                    tokio::time::sleep(backoff.failed()).await;
                    attempts += 1;
                }
                Err(error) => return Err(name_sender(&error, &self.leader)),
            }
        }
    }

    /// Receives the blocks from `from` on, which schemes must still execute.
    async fn blocks(&self, from: u64, mut writer: EntryWriter) -> Result<()> {
        for height in from..=self.head.height {
            let block = self.leader.block(height).await;
            let block = block.map_err(|error| name_sender(&error, &self.leader))?;
            blocking::in_place(|| self.keep(&block, &mut writer)).map_err(|error| {
                name_sender(&error, &format_args!("block {height} of {}", self.leader))
            })?;
        }
        Ok(())
    }

    /// Checks and stores the body of a block whose header is stored.
    fn keep(&self, block: &Block, writer: &mut EntryWriter) -> Result<()> {
        let header = &block.header.header;
        let known = |height| -> Result<Option<Header>> {
            Ok(block::read_header(writer.store(), height)?.map(|it| it.header))
        };
        let (parent, own) = match header.height.checked_sub(1) {
            Some(before) => (known(before)?, known(header.height)?),
            None => (None, known(0)?),
        };
        if own.as_ref() != Some(header) {
            let expected = format_args!("header {} of the head's history", header.height);
            return Err(Error::new(Reason::WrongBlock, expected, "another"));
        }
        let operations = operations_root(&block.body.operations);
        if operations != header.ops_root {
            let expected = Hex(&header.ops_root);
            return Err(Error::new(Reason::OperationsMismatch, expected, Hex(&operations)));
        }
        let expected = self.config.keeps(Scheme::Avl).then_some(Scheme::Avl.id());
        if !block.body.transitions.iter().map(|(id, _)| *id).eq(expected) {
            let expected = format_args!("transitions of the schemes {expected:?}");
            return Err(Error::new(Reason::InvalidBlock, expected, "others"));
        }
        let before = PreviousState { parent: parent.as_ref(), digest: None };
        for (_, proof) in &block.body.transitions {
            let operations = &block.body.operations;
            let _ = verify_block(&before, header, operations, proof, &self.config.limits)?;
        }
        let mut batch = WriteBatch::new();
        batch.put(block::body_key(header.height), block.body.encode()?);
        writer.write(batch)
    }
}

/// Completes the chain, which has the operations of blocks from `oldest` on.
fn finish(mut new: ChainBuilder, head: &Header, hash: Hash, oldest: u64) -> Result<()> {
    let mut batch = WriteBatch::new();
    batch.put(NEWEST_KEY, head.height.to_be_bytes());
    block::delete_bodies(&mut batch, oldest, oldest);
    new.write(batch)?;
    new.finish(Some((head.height, hash)))
}

/// Whether the error is that no answer arrived.
fn is_unreachable(error: &Error) -> bool {
    matches!(error.reason(), Reason::Unreachable | Reason::RequestTimeout)
}

/// Adds the sender to an error, unless it is this node's own error.
fn name_sender(error: &Error, what: &dyn core::fmt::Display) -> Error {
    let reason = error.reason();
    if matches!(reason, Reason::StoreFailed | Reason::StoreCorrupt | Reason::Bug) {
        return error.clone();
    }
    let expected = format_args!("{}, in {what}", error.expected());
    Error::new(reason, expected, error.found())
}

//! The leader's side: keeps the states that replicas begin from, and serves their chunks.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use prooflight_core::chain::ChainConfig;
use prooflight_core::store::{StoreEntry, TransferRequest};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Scheme};
use prooflight_smt::snapshot::{SnapshotFiles, file_name};

use super::pins::PinnedStates;
use super::{SYNC_CHUNK_BYTES, SnapshotCursor, SnapshotPiece, StatePart, encode};
use crate::chain::schemes::{SNAPSHOTS_FOLDER, SchemeOptions, unknown_scheme};
use crate::runtime::blocking::ClientId;
use crate::{BlockId, View};

/// The states that replicas begin from. Each is kept while a replica fetches it.
#[derive(Clone, Debug)]
pub struct SyncSource {
    pinned: Arc<Mutex<PinnedStates<ServedState>>>,
    folder: PathBuf,
    has_smt: bool,
    /// Read at the first request of a replica, not at every start of a node.
    snapshots: Arc<OnceLock<SnapshotFolder>>,
}

/// The snapshot files of `smt`, if the node has any.
#[derive(Debug)]
struct SnapshotFolder {
    files: Option<SnapshotFiles>,
    blocks_per_file: u64,
}

/// The state after a block.
#[derive(Clone, Debug)]
pub(crate) struct ServedState {
    view: View,
    /// The last blocks of the files of `smt`, ascending. The folder may have a file for each block, so it is listed
    /// once for a state.
    files: Arc<OnceLock<Vec<u64>>>,
}

impl SyncSource {
    /// Serves the states of the chain in a folder.
    pub fn new(folder: &Path, config: &ChainConfig) -> Self {
        let has_smt = config.keeps(Scheme::Smt);
        let pinned = Arc::new(Mutex::new(PinnedStates::new()));
        Self { pinned, folder: folder.to_owned(), has_smt, snapshots: Arc::default() }
    }

    fn snapshots(&self) -> Result<&SnapshotFolder> {
        if let Some(snapshots) = self.snapshots.get() {
            return Ok(snapshots);
        }
        let options = SchemeOptions::read(&self.folder)?;
        let has_files = self.has_smt && !options.left_out.contains(&Scheme::Smt);
        let files = has_files
            .then(|| SnapshotFiles::open_existing(&self.folder.join(SNAPSHOTS_FOLDER)))
            .transpose()?;
        Ok(self
            .snapshots
            .get_or_init(|| SnapshotFolder { files, blocks_per_file: options.blocks_per_file }))
    }

    /// The number of blocks per file of `smt`.
    pub(crate) fn blocks_per_file(&self) -> Result<u64> {
        Ok(self.snapshots()?.blocks_per_file)
    }

    /// Keeps the state of a view for a client. A client that already has a state gets that one. If the maximum is
    /// reached, the client gets the newest of the kept states.
    pub(crate) fn pin(&self, client: ClientId, view: &View) -> View {
        let mut pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        let state = || ServedState { view: view.clone(), files: Arc::default() };
        let found = pinned.begin(client, view.height(), Instant::now(), state);
        found.map_or_else(|| view.clone(), |found| found.view.clone())
    }

    /// The state after a block, if it is kept; otherwise `version_unavailable`.
    pub(crate) fn pinned(&self, head: &Hash) -> Result<ServedState> {
        let mut pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        let found = pinned.find(Instant::now(), |pinned| pinned.view.head_hash() == head);
        found.cloned().ok_or_else(|| {
            let expected = "a block that prooflight_sync named at most an hour ago, whose chunks were requested at once \
                            and then every minute";
            Error::new(Reason::VersionUnavailable, expected, Hex(head))
        })
    }
}

/// A chunk of a state, see the [table](super).
pub(crate) fn chunk(
    source: &SyncSource,
    pinned: &ServedState,
    part: StatePart,
    from: &[u8],
) -> Result<Vec<u8>> {
    let view = &pinned.view;
    match part {
        StatePart::Headers => encode(&headers(view, from)?),
        StatePart::Avl => view.avl_chunk(from, SYNC_CHUNK_BYTES),
        StatePart::Amb => {
            let limit = Limits::DEFAULT.max_entries;
            let entries = TransferRequest { lo: from, hi: None, after: None, limit };
            Ok(view.transfer(Scheme::Amb, view.height(), &entries)?.proof)
        }
        StatePart::Values => encode(&values(view, from)?),
        StatePart::Smt => encode(&piece(source, pinned, from)?),
    }
}

fn headers(view: &View, from: &[u8]) -> Result<Vec<Vec<u8>>> {
    let from = from.try_into().map_err(|_| invalid("a height of 8 bytes", &from.len()))?;
    let (mut headers, mut bytes) = (Vec::new(), 0);
    for height in u64::from_be_bytes(from)..=view.height() {
        let header = view.header(BlockId::Height(height))?.encode();
        bytes += header.len();
        headers.push(header);
        if bytes >= SYNC_CHUNK_BYTES {
            break;
        }
    }
    Ok(headers)
}

fn values(view: &View, from: &[u8]) -> Result<Vec<StoreEntry>> {
    let (mut values, mut bytes) = (Vec::new(), 0);
    for entry in view.entries_from(from) {
        let (key, value) = entry?;
        bytes += key.len() + value.len() + 8;
        values.push((key, value));
        if bytes >= SYNC_CHUNK_BYTES {
            break;
        }
    }
    Ok(values)
}

fn piece(source: &SyncSource, pinned: &ServedState, from: &[u8]) -> Result<SnapshotPiece> {
    let files = source.snapshots()?.files.as_ref().ok_or_else(|| unknown_scheme(Scheme::Smt))?;
    let cursor: SnapshotCursor =
        borsh::from_slice(from).map_err(|error| invalid("a position in the files", &error))?;
    if !cursor.file.is_empty() && cursor.at != u64::MAX {
        return read(files, cursor);
    }
    if pinned.files.get().is_none() {
        // Another request may have listed it at the same time.
        let _ = pinned.files.set(files.last_blocks(pinned.view.height())?);
    }
    let last_blocks = pinned.files.get().map_or(&[][..], Vec::as_slice);
    let next = last_blocks.partition_point(|last| file_name(*last) <= cursor.file);
    for last in &last_blocks[next..] {
        match read(files, SnapshotCursor { file: file_name(*last), at: 0 }) {
            // The file may have been removed, since no kept block needs it any more.
            Err(error) if error.reason() == Reason::StoreCorrupt => {}
            read => return read,
        }
    }
    Ok(SnapshotPiece::end())
}

fn read(files: &SnapshotFiles, cursor: SnapshotCursor) -> Result<SnapshotPiece> {
    let (bytes, is_last) = files.read_piece(&cursor.file, cursor.at, SYNC_CHUNK_BYTES as u64)?;
    Ok(SnapshotPiece { cursor, bytes: bytes.to_vec(), is_last })
}

fn invalid(expected: &str, found: &dyn core::fmt::Display) -> Error {
    Error::new(Reason::InvalidArgument, expected, found)
}

//! The leader's side: keeps the states that replicas begin from, and serves their chunks.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use prooflight_core::chain::ChainConfig;
use prooflight_core::store::{Entries, Entry};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Scheme};
use prooflight_smt::snapshot::Files;

use super::{ENOUGH, Part, Piece, Place, encode};
use crate::schemes::{SNAPSHOTS, SchemeOptions, not_kept};
use crate::{At, View};

/// The states that replicas begin from. Each stays as it is while a replica asks for it.
#[derive(Clone, Debug)]
pub struct SyncSource {
    pinned: Arc<Mutex<Vec<Pinned>>>,
    /// The files of smt, if the chain has it.
    files: Option<Files>,
    blocks_per_file: u64,
}

#[derive(Debug)]
struct Pinned {
    view: View,
    begun: Instant,
    used: Instant,
}

/// The most blocks whose states are kept for replicas.
const PINNED: usize = 4;

/// How long one is kept that nobody asks for.
const IDLE: Duration = Duration::from_mins(2);

/// How long one is kept at most: as long as it is, the store cannot free what later blocks replace.
const LONGEST: Duration = Duration::from_hours(1);

impl SyncSource {
    /// The chain in a folder.
    pub fn new(folder: &Path, config: &ChainConfig) -> Result<Self> {
        let options = SchemeOptions::read(folder)?;
        let has_files = config.keeps(Scheme::Smt) && !options.left_out.contains(&Scheme::Smt);
        let files = has_files.then(|| Files::existing(&folder.join(SNAPSHOTS))).transpose()?;
        let blocks_per_file = options.blocks_per_file;
        Ok(Self { pinned: Arc::default(), files, blocks_per_file })
    }

    /// The number of blocks per file of `smt`.
    pub(crate) const fn blocks_per_file(&self) -> u64 {
        self.blocks_per_file
    }

    /// Keeps the state of a view; if enough are kept already, returns the newest of those instead.
    pub(crate) fn pin(&self, view: View) -> View {
        let mut pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        pinned.retain(|it| now - it.used < IDLE && now - it.begun < LONGEST);
        let is_new = pinned.iter().all(|known| known.view.height() != view.height());
        if pinned.len() < PINNED && is_new {
            pinned.push(Pinned { view: view.clone(), begun: now, used: now });
        }
        let newest = pinned.iter_mut().max_by_key(|known| known.view.height());
        newest.map_or(view, |newest| {
            newest.used = now;
            newest.view.clone()
        })
    }

    /// The state after a block, if it is kept; otherwise `version_unavailable`.
    pub(crate) fn pinned(&self, head: &Hash) -> Result<View> {
        let mut pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        pinned.retain(|it| now - it.used < IDLE && now - it.begun < LONGEST);
        let known = pinned.iter_mut().find(|known| known.view.head_hash() == head);
        let known = known.ok_or_else(|| {
            let expected =
                "a block that prooflight_sync named an hour ago at most, asked for every two minutes";
            Error::new(Reason::VersionUnavailable, expected, Hex(head))
        })?;
        known.used = now;
        Ok(known.view.clone())
    }
}

/// A chunk of a state, see the [table](super).
pub(crate) fn chunk(source: &SyncSource, view: &View, part: Part, from: &[u8]) -> Result<Vec<u8>> {
    match part {
        Part::Headers => encode(&headers(view, from)?),
        Part::Avl => view.avl_chunk(from, ENOUGH),
        Part::Amb => {
            let limit = Limits::DEFAULT.max_entries;
            let entries = Entries { lo: from, hi: None, after: None, limit };
            Ok(view.transfer(Scheme::Amb, view.height(), &entries)?.proof)
        }
        Part::Values => encode(&values(view, from)?),
        Part::Smt => encode(&piece(source, view, from)?),
    }
}

fn headers(view: &View, from: &[u8]) -> Result<Vec<Vec<u8>>> {
    let from = from.try_into().map_err(|_| invalid("a height of 8 bytes", &from.len()))?;
    let (mut headers, mut bytes) = (Vec::new(), 0);
    for height in u64::from_be_bytes(from)..=view.height() {
        let header = view.header(At::Height(height))?.encode();
        bytes += header.len();
        headers.push(header);
        if bytes >= ENOUGH {
            break;
        }
    }
    Ok(headers)
}

fn values(view: &View, from: &[u8]) -> Result<Vec<Entry>> {
    let (mut values, mut bytes) = (Vec::new(), 0);
    for entry in view.entries_from(from) {
        let (key, value) = entry?;
        bytes += key.len() + value.len() + 8;
        values.push((key, value));
        if bytes >= ENOUGH {
            break;
        }
    }
    Ok(values)
}

fn piece(source: &SyncSource, view: &View, from: &[u8]) -> Result<Piece> {
    let files = source.files.as_ref().ok_or_else(|| not_kept(Scheme::Smt))?;
    let place: Place =
        borsh::from_slice(from).map_err(|error| invalid("a place in the files", &error))?;
    let place = if place.file.is_empty() || place.at == u64::MAX {
        match files.next_file(&place.file, view.height())? {
            Some(file) => Place { file, at: 0 },
            None => return Ok(Piece::end()),
        }
    } else {
        place
    };
    let (bytes, is_last) = files.piece(&place.file, place.at, ENOUGH as u64)?;
    Ok(Piece { place, bytes: bytes.to_vec(), is_last })
}

fn invalid(expected: &str, found: &dyn core::fmt::Display) -> Error {
    Error::new(Reason::InvalidArgument, expected, found)
}

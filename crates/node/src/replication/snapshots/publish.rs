//! Puts the snapshot files of a folder into the bucket, in the order of their blocks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use prooflight_core::{Error, Reason, Result};
use prooflight_log::Bucket;
use prooflight_smt::snapshot::{KeptBlocks, SnapshotFiles, SnapshotReader, file_name};
use tokio::sync::watch;
use tokio::time::sleep;

use super::BUCKET_FOLDER;
use crate::View;
use crate::chain::schemes::SNAPSHOTS_FOLDER;
use crate::runtime::blocking;

/// The delays before the first retry after an error, and the longest.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(200);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);

/// The bytes of an object that are read for each comparison.
const COMPARE_BYTES: u64 = 8 << 20;

/// Creates the objects that the bucket lacks, then one for each new file, until the node ends.
///
/// No block waits for it. Errors are logged and retried. An object with other bytes is logged and left unchanged.
pub async fn publish(bucket: Bucket, folder: PathBuf, mut views: watch::Receiver<View>) {
    let mut publisher =
        SnapshotPublisher { bucket, folder: folder.join(SNAPSHOTS_FOLDER), next: None };
    let (mut last_error, mut delay) = (None, FIRST_RETRY_DELAY);
    loop {
        views.borrow_and_update();
        match publisher.catch_up().await {
            Ok(()) => {
                (last_error, delay) = (None, FIRST_RETRY_DELAY);
                if views.changed().await.is_err() {
                    return;
                }
            }
            Err(error) => {
                if last_error.as_ref() != Some(&error) {
                    tracing::warn!(reason = %error.reason(), %error, "snapshots are not published");
                    last_error = Some(error);
                }
                // The content of the bucket may have changed meanwhile.
                publisher.next = None;
                sleep(delay).await;
                delay = (delay * 2).min(MAX_RETRY_DELAY);
            }
        }
    }
}

struct SnapshotPublisher {
    bucket: Bucket,
    folder: PathBuf,
    /// The last block of the next file, once the bucket has all files before it.
    next: Option<u64>,
}

impl SnapshotPublisher {
    /// Creates all objects whose files exist.
    async fn catch_up(&mut self) -> Result<()> {
        let folder = self.folder.clone();
        let Some(kept) = blocking::run_blocking(move || kept_blocks(&folder)).await? else {
            return Ok(());
        };
        let step = kept.blocks_per_file;
        let mut next = match self.next {
            Some(next) => next,
            None => self.complete(step).await?,
        };
        while next <= kept.newest {
            self.create(step, next).await?;
            next += step;
            self.next = Some(next);
        }
        self.next = Some(next);
        Ok(())
    }

    /// Recreates missing objects before the newest one; returns the last block of the file after the newest one.
    ///
    /// Logs the first object that neither the bucket nor the folder has.
    async fn complete(&self, step: u64) -> Result<u64> {
        let objects = self.bucket.contents(&format!("{BUCKET_FOLDER}/{step}")).await?.objects;
        let folder = self.folder.clone();
        let own = blocking::run_blocking(move || lengths(&folder)).await?;
        // Later there are not this node's. A bogus name must not make this node search for all files before it.
        let known = own.last_key_value().map_or(0, |(last, _)| *last);
        let is_file = |last: &u64| *last <= known && objects.contains_key(&file_name(*last));
        let lasts = objects.keys().filter_map(|name| name.strip_suffix(".smt")?.parse().ok());
        let newest: Option<u64> = lasts.filter(is_file).max();
        let end = newest.map_or(0, |newest| newest / step + 1);
        let mut lost = Vec::new();
        for last in (0..end).map(|number| last_of(number, step)) {
            match (objects.get(&file_name(last)), own.get(&last)) {
                (Some(length), Some(own)) if length != own => {
                    self.log_mismatch(step, last, &format_args!("one of {length} bytes"));
                }
                (Some(_), _) => {}
                (None, Some(_)) => {
                    tracing::info!(object = object_name(step, last), "recreating a missing object");
                    self.create(step, last).await?;
                }
                (None, None) => lost.push(last),
            }
        }
        if let Some(first) = lost.first() {
            let (object, count) = (object_name(step, *first), lost.len());
            tracing::warn!(
                object,
                count,
                "objects are missing in the bucket, and their files in the folder"
            );
        }
        Ok(last_of(end, step))
    }

    /// Creates the object of a file, or compares an existing object with the file.
    async fn create(&self, step: u64, last: u64) -> Result<()> {
        let (folder, name) = (self.folder.clone(), object_name(step, last));
        let bytes =
            blocking::run_blocking(move || file(&folder, last)).await?.ok_or_else(|| {
                let expected = format_args!("the file of {name}, or this object from another node");
                Error::new(Reason::VersionUnavailable, expected, "a folder that begins later")
            })?;
        if self.bucket.create(&name, bytes.clone()).await? || self.is_same(&name, &bytes).await? {
            tracing::debug!(object = name, "published");
            return Ok(());
        }
        self.log_mismatch(step, last, &"other bytes");
        Ok(())
    }

    /// Whether an object has these bytes.
    async fn is_same(&self, name: &str, bytes: &Bytes) -> Result<bool> {
        let mut rest = &bytes[..];
        let mut at = 0;
        loop {
            let found = self.bucket.read_range(name, at..at + COMPARE_BYTES).await?;
            let found = found.ok_or_else(|| {
                let expected = format_args!("{name}, which was said to exist");
                Error::new(Reason::Unreachable, expected, "none")
            })?;
            let Some(after) = rest.strip_prefix(&found[..]) else { return Ok(false) };
            if after.is_empty() {
                // The object may be longer than the file.
                let end = at + found.len() as u64;
                let more = self.bucket.read_range(name, end..end + 1).await?;
                return Ok(more.is_none_or(|more| more.is_empty()));
            }
            if found.is_empty() {
                return Ok(false);
            }
            (rest, at) = (after, at + found.len() as u64);
        }
    }

    /// Logs an object that differs from this node's file. Readers check what they read, so nothing else is done.
    fn log_mismatch(&self, step: u64, last: u64, found: &dyn std::fmt::Display) {
        let expected = format_args!(
            "{} in {} with the bytes of this node's file: if the object is damaged, delete it and restart this node, which recreates it",
            object_name(step, last),
            self.bucket.name()
        );
        let error = Error::new(Reason::StoreCorrupt, expected, found);
        tracing::error!(reason = %error.reason(), %error, "a snapshot in the bucket differs from this node's file");
    }
}

fn object_name(step: u64, last: u64) -> String {
    format!("{BUCKET_FOLDER}/{step}/{}", file_name(last))
}

/// The blocks in the files of a folder; `None` if there is no file yet.
fn kept_blocks(folder: &Path) -> Result<Option<KeptBlocks>> {
    match SnapshotReader::open(SnapshotFiles::open_existing(folder)?, 0) {
        Ok(reader) => Ok(Some(reader.kept_blocks())),
        Err(error) if error.reason() == Reason::VersionUnavailable => Ok(None),
        Err(error) => Err(error),
    }
}

/// The lengths of the files of a folder, by their last blocks.
fn lengths(folder: &Path) -> Result<BTreeMap<u64, u64>> {
    let lasts = SnapshotFiles::open_existing(folder)?.last_blocks(u64::MAX)?;
    let length = |last: u64| {
        // A file that no kept block needs may have been removed.
        let found = std::fs::metadata(folder.join(file_name(last))).ok()?;
        Some((last, found.len()))
    };
    Ok(lasts.into_iter().filter_map(length).collect())
}

/// The last block of a file.
fn last_of(number: u64, blocks_per_file: u64) -> u64 {
    number.saturating_add(1).saturating_mul(blocks_per_file) - 1
}

/// A whole file of the folder, with verified checksums; `None` if absent.
fn file(folder: &Path, last: u64) -> Result<Option<Bytes>> {
    SnapshotFiles::open_existing(folder)?.read_checked(last)
}

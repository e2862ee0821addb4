//! Copies a log to another bucket, so that its leaders can move there.

use std::collections::VecDeque;

use bytes::Bytes;
use prooflight_core::chain::Header;
use prooflight_core::{Error, Hex, Reason, Result};

use crate::backoff::RetryDelays;
use crate::bucket::Bucket;
use crate::entry::{self, LogEntry};
use crate::log::BucketLog;
use crate::proposals;
use crate::reader::RequestTask;

/// The counts of a [`copy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyReport {
    /// The blocks of the log.
    pub blocks: u64,
    /// The blocks that were created; the others existed.
    pub created: u64,
}

/// The most creates at once.
const MAX_CREATES: usize = 16;

/// The most attempts of a create that gets no clear answer.
const MAX_CREATE_ATTEMPTS: u32 = 6;

/// Copies every block of a log, the proposals for the next one, and finally the chain's configuration. Until then,
/// nobody can mistake the copy for the chain's log. The next call continues an interrupted copy.
///
/// Each block is checked: its signatures, its height, that it follows the one before, and by `check` its body.
/// `on_copied` is called with each copied height. `wrong_chain` if the other bucket has another chain, `equivocation` if it has
/// another block, `not_extending` or the error of `check` if a block is wrong, `unknown_block` if there is no block, or
/// the other bucket has more. Otherwise the errors of [`BucketLog::block`] and [`Bucket::create`].
///
/// Must be called within a runtime. The copy lacks the blocks that a leader makes meanwhile.
pub async fn copy(
    from: &BucketLog,
    to: &Bucket,
    mut check: impl FnMut(&LogEntry) -> Result<()>,
    mut on_copied: impl FnMut(u64),
) -> Result<CopyReport> {
    let target = from.in_bucket(to).await?;
    let found = target.newest().await?;
    if let Some(newest) = found {
        check_same(from, &target, newest).await?;
    }
    // An interrupted call may have left gaps among the blocks that it created concurrently.
    let first = found.map_or(0, |newest| (newest + 1).saturating_sub(MAX_CREATES as u64));
    let mut parent = match first.checked_sub(1) {
        Some(before) => Some(read(from, before).await?.header.header),
        None => None,
    };
    let (mut reader, mut height, mut created) = (from.reader(first), first, 0);
    let mut pending: VecDeque<RequestTask<u64>> = VecDeque::new();
    loop {
        let next = reader.block(height).await?;
        if let Some(entry) = &next {
            check_order(parent.as_ref(), &entry.header.header)?;
            check(entry)?;
        }
        while pending.len() >= if next.is_some() { MAX_CREATES } else { 1 } {
            let Some(mut first) = pending.pop_front() else { break };
            created += first.end().await?;
        }
        let Some(entry) = next else { break };
        parent = Some(entry.header.header.clone());
        let target = target.clone();
        if created == 0 && pending.is_empty() {
            // The first create runs alone, to learn whether this store creates an object only once.
            created += create(&target, entry, true).await?;
        } else {
            pending
                .push_back(RequestTask::spawn(async move { create(&target, entry, false).await }));
        }
        on_copied(height);
        height += 1;
    }
    if height == 0 {
        let expected = format_args!("a block in {}", from.bucket().name());
        return Err(Error::new(Reason::UnknownBlock, expected, "none"));
    }
    copy_proposals(from, &target, height).await?;
    target.write_config().await?;
    Ok(CopyReport { blocks: height, created })
}

/// Copies the proposals of a height: authorities that have signed one sign no other.
async fn copy_proposals(from: &BucketLog, target: &BucketLog, height: u64) -> Result<()> {
    for attempt in 0.. {
        let name = proposals::name(height, attempt);
        let Some(bytes) = from.bucket().read(&name).await? else { break };
        proposals::decode(height, attempt, &bytes)?;
        if target.bucket().create(&name, bytes.clone()).await? {
            continue;
        }
        if target.bucket().read(&name).await?.as_ref() != Some(&bytes) {
            let expected = format_args!("the same {name} in {}", target.bucket().name());
            return Err(Error::new(Reason::Equivocation, expected, "another"));
        }
    }
    Ok(())
}

/// Compares the newest block of the other bucket.
async fn check_same(from: &BucketLog, target: &BucketLog, newest: u64) -> Result<()> {
    let (source, found) = (read(from, newest).await, read(target, newest).await?);
    let source = source.map_err(|error| match error.reason() {
        Reason::UnknownBlock => {
            let expected = format_args!(
                "no more blocks in {} than in {}",
                target.bucket().name(),
                from.bucket().name()
            );
            Error::new(Reason::UnknownBlock, expected, format_args!("block {newest}"))
        }
        _ => error,
    })?;
    check_hash(target, &source, &found)
}

fn check_hash(target: &BucketLog, source: &LogEntry, found: &LogEntry) -> Result<()> {
    let (expected, found) = (source.hash(), found.hash());
    if expected == found {
        return Ok(());
    }
    let (height, name) = (source.height(), target.bucket().name());
    let expected = format_args!("block {height} with the hash {} in {name}", Hex(&expected));
    Err(Error::new(Reason::Equivocation, expected, Hex(&found)))
}

async fn read(log: &BucketLog, height: u64) -> Result<LogEntry> {
    let none = || {
        let expected = format_args!("block {height} in {}", log.bucket().name());
        Error::new(Reason::UnknownBlock, expected, "none")
    };
    log.block(height).await?.ok_or_else(none)
}

/// Checks that a header follows another one, or is the first.
fn check_order(parent: Option<&Header>, header: &Header) -> Result<()> {
    let (hash, time) = parent.map_or(([0; 32], None), |it| (it.hash(), Some(it.timestamp_ms)));
    if header.parent != hash {
        let expected = format_args!("block {} after {}", header.height, Hex(&hash));
        return Err(Error::new(Reason::NotExtending, expected, Hex(&header.parent)));
    }
    if time.is_some_and(|time| header.timestamp_ms <= time) {
        let expected = format_args!("block {} later than the one before", header.height);
        return Err(Error::new(Reason::NotExtending, expected, header.timestamp_ms));
    }
    Ok(())
}

/// Creates a block that may exist; returns the number of created objects.
async fn create(target: &BucketLog, entry: LogEntry, is_first: bool) -> Result<u64> {
    let (name, bytes) = (entry::name(entry.height()), Bytes::from(entry.encode()?));
    let (mut delays, mut attempts) = (RetryDelays::new(), 1);
    let created = loop {
        match target.bucket().create(&name, bytes.clone()).await {
            Ok(true) => break true,
            Ok(false) => {
                if let Some(found) = target.block(entry.height()).await? {
                    check_hash(target, &entry, &found)?;
                    break false;
                }
            }
            Err(error)
                if error.reason() != Reason::Unreachable || attempts >= MAX_CREATE_ATTEMPTS =>
            {
                return Err(error);
            }
            Err(_) => {}
        }
        attempts += 1;
        delays.wait().await;
    };
    if created && is_first {
        target.bucket().check_creates_once(&name, bytes).await?;
    }
    Ok(u64::from(created))
}

//! Copies of a log: whole, interrupted, and refused.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod made;

use std::sync::Arc;

use made::{block, config};
use object_store::memory::InMemory;
use object_store::path::Path;
use prooflight_core::{Error, Reason, Result};
use prooflight_log::{Bucket, BucketLog, CopyReport, LogEntry, copy};

fn memory() -> Bucket {
    Bucket::new(Arc::new(InMemory::new()), Path::from("a/chain"))
}

fn name(height: u64) -> String {
    format!("blocks/{height:016}")
}

/// A log of this length, with different operations from a height on.
async fn log(length: u64, other_from: u64) -> (BucketLog, Vec<LogEntry>) {
    let log = BucketLog::begin(memory(), config("a chain")).await.unwrap();
    let mut blocks = Vec::new();
    for height in 0..length {
        let operations = if height < other_from { vec![height] } else { vec![height, 7] };
        let next = block(&config("a chain"), blocks.last(), &operations, 0);
        log.publish(next.clone()).await.unwrap();
        blocks.push(next);
    }
    (log, blocks)
}

async fn copied(from: &BucketLog, to: &Bucket) -> Result<CopyReport> {
    copy(from, to, |_| Ok(()), |_| ()).await
}

#[tokio::test]
async fn a_copy_is_a_log_only_once_it_is_whole_and_an_interrupted_one_goes_on() {
    let (from, blocks) = log(60, 60).await;
    let to = memory();
    let stop = |entry: &LogEntry| match entry.height() {
        40 => Err(Error::new(Reason::Unreachable, "a store", "none")),
        _ => Ok(()),
    };
    copy(&from, &to, stop, |_| ()).await.unwrap_err();
    assert_eq!(BucketLog::config(&to).await, Ok(None));
    // Any of the last ones can be missing.
    let rest = memory();
    for height in (0..40).filter(|height| *height != 27 && *height != 33) {
        if let Some(bytes) = to.read(&name(height)).await.unwrap() {
            assert!(rest.create(&name(height), bytes).await.unwrap());
        }
    }
    let CopyReport { blocks: count, created } = copied(&from, &rest).await.unwrap();
    assert!(count == 60 && (22..60).contains(&created), "{created}");
    let there = BucketLog::open(rest.clone(), config("a chain")).await.unwrap();
    for block in &blocks {
        assert_eq!(there.block(block.height()).await.unwrap().as_ref(), Some(block));
    }
    assert_eq!(there.newest().await, Ok(Some(59)));
    let again = copied(&from, &rest).await;
    assert_eq!(again, Ok(CopyReport { blocks: 60, created: 0 }));
}

#[tokio::test]
async fn the_newest_block_is_found_at_every_length() {
    for length in [0, 1, 2, 3, 4, 5, 8, 9, 31, 32, 33] {
        let (log, _) = log(length, length).await;
        assert_eq!(log.newest().await, Ok(length.checked_sub(1)), "{length}");
    }
}

#[tokio::test]
async fn what_is_not_a_copy_of_this_log_is_refused() {
    let (from, blocks) = log(20, 20).await;
    let refused =
        async |from: &BucketLog, to: &Bucket| copied(from, to).await.unwrap_err().reason();

    // Another chain, complete or not; the same one with another block; one with more blocks.
    let other = memory();
    BucketLog::begin(other.clone(), config("another chain")).await.unwrap();
    assert_eq!(refused(&from, &other).await, Reason::WrongChain);
    let partly = memory();
    let (entries, others) = (config("another chain"), memory());
    let log_of_others = BucketLog::begin(others.clone(), entries.clone()).await.unwrap();
    log_of_others.publish(block(&entries, None, &[1], 0)).await.unwrap();
    let bytes = others.read(&name(0)).await.unwrap().unwrap();
    assert!(partly.create(&name(0), bytes).await.unwrap());
    assert_eq!(refused(&from, &partly).await, Reason::WrongChain);
    let (fork, _) = log(15, 12).await;
    assert_eq!(refused(&from, fork.bucket()).await, Reason::Equivocation);
    let (more, _) = log(21, 21).await;
    assert_eq!(refused(&from, more.bucket()).await, Reason::UnknownBlock);
    let (empty, _) = log(0, 0).await;
    let to = memory();
    assert_eq!(refused(&empty, &to).await, Reason::UnknownBlock);
    assert_eq!(BucketLog::config(&to).await, Ok(None));

    // A block that does not follow the one before, that is refused, cut, or of another format.
    for (height, bytes, reason) in [
        (3, None, Reason::NotExtending),
        (3, Some(|it: &[u8]| it[..it.len() - 1].to_vec()), Reason::Truncated),
        (0, Some(|it: &[u8]| [&it[..7], b"0", &it[8..]].concat()), Reason::UnknownVersion),
        (
            5,
            Some(|it: &[u8]| [&it[..40], &[it[40] ^ 1], &it[41..]].concat()),
            Reason::InvalidEncoding,
        ),
    ] as [(u64, Option<fn(&[u8]) -> Vec<u8>>, Reason); 4]
    {
        let wrong = memory();
        let log = BucketLog::begin(wrong.clone(), config("a chain")).await.unwrap();
        for entry in &blocks[..6] {
            let place = entry.height();
            let good = from.bucket().read(&name(place)).await.unwrap().unwrap();
            match bytes {
                Some(change) if place == height => {
                    wrong.create(&name(place), change(&good).into()).await.unwrap();
                }
                None if place == height => {
                    let entry =
                        block(&config("a chain"), Some(&log_parent(&blocks, height)), &[9], 0);
                    log.publish(entry).await.unwrap();
                }
                _ => assert!(wrong.create(&name(place), good).await.unwrap()),
            }
        }
        let to = memory();
        assert_eq!(refused(&log, &to).await, reason);
        assert_eq!(BucketLog::config(&to).await, Ok(None), "{reason}");
    }
    let to = memory();
    let check = |entry: &LogEntry| match entry.height() {
        0 => Err(Error::new(Reason::OperationsMismatch, "operations", "others")),
        _ => Ok(()),
    };
    copy(&from, &to, check, |_| ()).await.unwrap_err();
    assert_eq!(to.read(&name(0)).await, Ok(None));
}

/// A block of the height before that is not the chain's.
fn log_parent(blocks: &[LogEntry], height: u64) -> LogEntry {
    let before = usize::try_from(height).unwrap() - 2;
    block(&config("a chain"), Some(&blocks[before]), &[8], 0)
}

//! Proposals in a log: each is created once, read whole, copied, and removed only when its block is published.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[allow(dead_code, reason = "the protocol uses all of it")]
mod bucket;
mod made;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bucket::FaultyStore;
use made::{block, config};
use object_store::memory::InMemory;
use object_store::path::Path;
use prooflight_core::Reason;
use prooflight_log::{Bucket, BucketLog, copy};

fn memory() -> Bucket {
    Bucket::new(Arc::new(InMemory::new()), Path::from("a/chain"))
}

async fn log(bucket: Bucket) -> BucketLog {
    BucketLog::begin(bucket, config("a chain")).await.unwrap()
}

fn name(height: u64, attempt: u32) -> String {
    format!("proposed/{height:016}/{attempt:04}")
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_makes_no_second_proposal() {
    for seed in 0..100 {
        let faulty = FaultyStore::new(seed);
        log(Bucket::new(faulty.inner.clone(), Path::default())).await;
        let bucket = Bucket::new(Arc::new(faulty.clone()), Path::default());
        let open = async || loop {
            if let Ok(log) = BucketLog::open(bucket.clone(), config("a chain")).await {
                return log;
            }
        };
        let (first, second) = (open().await, open().await);
        // The second one also dies: its write may arrive at any time.
        let killed = tokio::time::timeout(
            Duration::from_millis(seed),
            second.propose(7, 0, b"of a leader that is killed"),
        );
        let (one, _) = tokio::join!(first.propose(7, 0, b"one"), killed);
        let one = one.unwrap();
        let two = open().await.propose(7, 0, b"two").await.unwrap();
        tokio::time::sleep(Duration::from_mins(1)).await;
        let kept = open().await.read_proposal(7, 0).await.unwrap();
        assert_eq!((&one, &two), (&kept, &kept), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_proposal_that_is_cut_or_of_another_place_is_read_again_and_the_log_says_so() {
    let bucket = memory();
    let log = log(bucket.clone()).await;
    assert_eq!(log.read_proposal(7, 0).await, None);
    assert_eq!(log.propose(7, 0, b"one").await.unwrap(), b"one");
    assert_eq!(log.read_proposal(7, 0).await.unwrap(), b"one");
    let whole = bucket.read(&name(7, 0)).await.unwrap().unwrap();
    for (wrong, reason) in
        [(whole.slice(..whole.len() - 1), Reason::Truncated), (whole.clone(), Reason::WrongBlock)]
    {
        let other = memory();
        assert!(other.create(&name(8, 0), wrong).await.unwrap());
        let log = self::log(other).await;
        let read = tokio::time::timeout(Duration::from_mins(1), log.read_proposal(8, 0));
        read.await.unwrap_err();
        assert_eq!(log.waiting().borrow().as_ref().unwrap().reason(), reason);
        let created = tokio::time::timeout(Duration::from_mins(1), log.propose(8, 0, b"two"));
        created.await.unwrap_err();
        assert_eq!(log.waiting().borrow().as_ref().unwrap().reason(), reason);
    }
}

#[tokio::test]
async fn only_proposals_of_published_blocks_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}", folder.path().display());
    for bucket in [memory(), Bucket::open(&url).unwrap()] {
        let log = log(bucket.clone()).await;
        // There is no folder yet.
        log.remove_old_proposals(9).await.unwrap();
        log.remove_proposal(9, 0).await.unwrap();
        let first = block(&config("a chain"), None, &[7], 0);
        log.publish(first.clone()).await.unwrap();
        for (height, attempt) in [(6, 0), (7, 0), (7, 1), (8, 0), (9, 0)] {
            log.propose(height, attempt, b"proposal").await.unwrap();
        }
        log.remove_proposal(6, 0).await.unwrap();
        log.remove_old_proposals(8).await.unwrap();
        for (height, attempt) in [(6, 0), (7, 0), (7, 1), (8, 0)] {
            assert_eq!(log.read_proposal(height, attempt).await, None);
        }
        assert!(log.read_proposal(9, 0).await.is_some());
        assert_eq!(log.block(0).await.unwrap(), Some(first));
    }
    // No empty folders are left.
    let left = std::fs::read_dir(folder.path().join("proposed")).unwrap();
    assert_eq!(left.count(), 1);
}

#[tokio::test]
async fn a_copy_has_what_is_proposed_for_the_next_block() {
    let from = log(memory()).await;
    from.publish(block(&config("a chain"), None, &[7], 0)).await.unwrap();
    from.propose(0, 0, b"published").await.unwrap();
    from.propose(1, 0, b"invalid").await.unwrap();
    from.propose(1, 1, b"signed").await.unwrap();
    let to = memory();
    copy(&from, &to, |_| Ok(()), |_| ()).await.unwrap();
    // A second copy changes nothing.
    copy(&from, &to, |_| Ok(()), |_| ()).await.unwrap();
    let there = log(to).await;
    assert_eq!(there.read_proposal(0, 0).await, None);
    assert_eq!(there.read_proposal(1, 0).await.unwrap(), b"invalid");
    assert_eq!(there.read_proposal(1, 1).await.unwrap(), b"signed");

    // An object with another proposal is refused.
    let other = memory();
    let bytes = from.bucket().read(&name(1, 1)).await.unwrap().unwrap();
    assert!(other.create(&name(1, 0), bytes).await.unwrap());
    let refused = copy(&from, &other, |_| Ok(()), |_| ()).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::Equivocation);
    assert_eq!(BucketLog::config(&other).await, Ok(None));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_shorter_than_announced_is_an_answer_that_did_not_come() {
    let faulty = FaultyStore::new(3);
    let bucket = Bucket::new(Arc::new(faulty.clone()), Path::from("a/chain"));
    let whole = vec![7; 1000];
    let inner = Bucket::new(faulty.inner.clone(), Path::from("a/chain"));
    assert!(inner.create("object", whole.clone().into()).await.unwrap());
    for round in 0..100 {
        let found = if round % 2 == 0 {
            bucket.read("object").await
        } else {
            bucket.read_range("object", 0..1000).await
        };
        match found {
            Ok(found) => assert_eq!(found.unwrap(), whole),
            Err(error) => assert_eq!(error.reason(), Reason::Unreachable, "{error}"),
        }
    }
    assert!(faulty.happened.cut.load(Ordering::Relaxed) > 10);
}

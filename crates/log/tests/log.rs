//! A log on stores without faults, and everything that can be wrong with a bucket.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod made;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use made::{block, config};
use object_store::memory::InMemory;
use object_store::path::Path;
use prooflight_core::{Error, Reason};
use prooflight_log::{Bucket, BucketLog, BucketRequest, LogEntry};

/// A folder as a bucket.
fn folder() -> (tempfile::TempDir, Bucket) {
    let folder = tempfile::tempdir().unwrap();
    let bucket = Bucket::open(&format!("file://{}", folder.path().display())).unwrap();
    (folder, bucket)
}

fn memory() -> Bucket {
    Bucket::new(Arc::new(InMemory::new()), Path::from("a/chain"))
}

/// Publishes a chain of this length.
async fn publish(log: &BucketLog, length: u64) -> Vec<LogEntry> {
    let (config, mut blocks) = (config("a chain"), Vec::new());
    for height in 0..length {
        let next = block(&config, blocks.last(), &[height], 0);
        assert_eq!(log.publish(next.clone()).await.unwrap(), next);
        blocks.push(next);
    }
    blocks
}

#[tokio::test]
async fn blocks_are_read_as_they_were_published_on_every_store() {
    let (_kept, folder) = folder();
    for bucket in [folder, memory(), Bucket::open("memory:///").unwrap()] {
        let log = BucketLog::begin(bucket.clone(), config("a chain")).await.unwrap();
        let blocks = publish(&log, 40).await;
        let again = BucketLog::open(bucket.clone(), config("a chain")).await.unwrap();
        let mut reader = again.reader(3);
        for block in &blocks[3..] {
            assert_eq!(reader.block(block.height()).await.unwrap().as_ref(), Some(block));
        }
        assert_eq!(reader.block(40).await, Ok(None));
        assert_eq!(reader.block(7).await.unwrap().as_ref(), Some(&blocks[7]));
        assert_eq!(BucketLog::config(&bucket).await.unwrap().as_ref(), Some(&*config("a chain")));
    }
}

#[tokio::test]
async fn two_programs_on_one_folder_have_one_block_of_each_height() {
    let (kept, first) = folder();
    let second = Bucket::open(&format!("file://{}", kept.path().display())).unwrap();
    let first = BucketLog::begin(first, config("a chain")).await.unwrap();
    let second = BucketLog::begin(second, config("a chain")).await.unwrap();
    let mut parent = None;
    for height in 0..50 {
        let ours = [1, 2].map(|n| block(&config("a chain"), parent.as_ref(), &[height, n], 0));
        let [one, two] = ours.clone();
        let (one, two) = tokio::join!(first.publish(one), second.publish(two));
        assert_eq!(one, two);
        assert!(ours.contains(&one.clone().unwrap()));
        parent = Some(one.unwrap());
    }
}

#[tokio::test]
async fn the_same_header_is_success_and_the_signatures_of_the_bucket_are_shown() {
    let log = BucketLog::begin(memory(), config("a chain")).await.unwrap();
    let [by_one, by_other] = [0, 1].map(|signer| block(&config("a chain"), None, &[7], signer));
    assert_eq!(log.publish(by_one.clone()).await.unwrap(), by_one);
    let published = log.publish(by_other.clone()).await.unwrap();
    assert_eq!((published.hash(), &published), (by_other.hash(), &by_one));
}

#[tokio::test]
async fn a_block_that_no_authority_signed_is_never_sent() {
    let (bucket, requests) = (memory(), Arc::new(AtomicUsize::new(0)));
    let counted = requests.clone();
    let bucket = bucket.with_observer(move |request| {
        counted.fetch_add(usize::from(request == BucketRequest::Create), Ordering::Relaxed);
    });
    let log = BucketLog::begin(bucket, config("a chain")).await.unwrap();
    let mut unsigned = block(&config("a chain"), None, &[7], 0);
    unsigned.header.header.timestamp_ms += 1;
    let of_another = block(&config("another chain"), None, &[7], 0);
    for (block, reason) in [(unsigned, Reason::TooFewSignatures), (of_another, Reason::WrongChain)]
    {
        assert_eq!(log.publish(block).await.unwrap_err().reason(), reason);
    }
    let large = LogEntry { body: vec![0; 64 << 20], ..block(&config("a chain"), None, &[7], 0) };
    assert_eq!(log.publish(large).await.unwrap_err().reason(), Reason::RequestTooLarge);
    assert_eq!(requests.load(Ordering::Relaxed), 2, "only the configuration");
}

#[tokio::test]
async fn a_bucket_of_another_chain_is_refused_and_not_written() {
    let bucket = memory();
    let none = BucketLog::open(bucket.clone(), config("a chain")).await.unwrap_err();
    assert_eq!(none.reason(), Reason::UnknownBlock, "{none}");
    assert_eq!(bucket.read("chain").await, Ok(None));
    BucketLog::begin(bucket.clone(), config("a chain")).await.unwrap();
    for refused in [
        BucketLog::begin(bucket.clone(), config("another chain")).await.unwrap_err(),
        BucketLog::open(bucket.clone(), config("another chain")).await.unwrap_err(),
    ] {
        assert_eq!(refused.reason(), Reason::WrongChain);
        assert!(refused.expected().contains("a bucket or folder of its own"), "{refused}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_an_object_is_said() {
    let log = BucketLog::begin(memory(), config("a chain")).await.unwrap();
    let blocks = publish(&log, 2).await;
    let bytes = log.bucket().read("blocks/0000000000000001").await.unwrap().unwrap();
    let with = |bytes: Vec<u8>, height: u64| async move {
        let bucket = memory();
        let log = BucketLog::begin(bucket.clone(), config("a chain")).await.unwrap();
        assert!(bucket.create(&format!("blocks/{height:016}"), bytes.into()).await.unwrap());
        let error: Error = log.block(height).await.unwrap_err();
        let mut reader = log.reader(height);
        assert_eq!(reader.block(height).await, Err(error.clone()));
        error.reason()
    };
    assert_eq!(with(bytes[..bytes.len() - 1].to_vec(), 1).await, Reason::Truncated);
    assert_eq!(with(Vec::new(), 1).await, Reason::Truncated);
    let mut altered = bytes.to_vec();
    altered[100] ^= 1;
    assert_eq!(with(altered, 1).await, Reason::InvalidEncoding);
    let mut newer = bytes.to_vec();
    newer[7] = b'2';
    assert_eq!(with(newer, 1).await, Reason::UnknownVersion);
    assert_eq!(with(bytes.to_vec(), 2).await, Reason::WrongBlock);

    // A block of another chain, in the place of one of this chain.
    let others = Bucket::new(Arc::new(InMemory::new()), Path::default());
    let log = BucketLog::begin(others.clone(), config("another chain")).await.unwrap();
    log.publish(block(&config("another chain"), None, &[7], 0)).await.unwrap();
    let foreign = others.read("blocks/0000000000000000").await.unwrap().unwrap();
    assert_eq!(with(foreign.to_vec(), 0).await, Reason::WrongChain);
    assert_eq!(blocks.len(), 2);

    // The configuration.
    let bucket = memory();
    assert!(bucket.create("chain", Bytes::from_static(b"PLlogCh1")).await.unwrap());
    let cut = BucketLog::begin(bucket, config("a chain")).await.unwrap_err();
    assert_eq!(cut.reason(), Reason::Truncated);
}

#[tokio::test]
async fn a_reader_that_has_every_block_makes_one_request_for_each_answer() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    let bucket = memory().with_observer(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let log = BucketLog::begin(bucket, config("a chain")).await.unwrap();
    publish(&log, 10).await;
    requests.store(0, Ordering::Relaxed);
    let mut reader = log.reader(0);
    for height in 0..10 {
        assert!(reader.block(height).await.unwrap().is_some());
        reader.pause();
    }
    for _ in 0..10 {
        assert_eq!(reader.block(10).await, Ok(None));
    }
    assert_eq!(requests.load(Ordering::Relaxed), 20);
}

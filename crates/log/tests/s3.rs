//! S3: what can be wrong with a bucket, and a log in a real one.
//!
//! `npm test -- s3` runs the ignored tests, on a server that it starts. `PROOFLIGHT_S3` is the URL of an
//! empty bucket on another one, whose credentials are in the usual variables.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod made;
mod server;

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use made::{block, config};
use prooflight_core::{Error, Reason};
use prooflight_log::{Bucket, BucketLog};
use server::{HttpAnswer, HttpRequest, Server, ServerReply};

const SECRET: &str = "a-secret-of-forty-characters";

/// The bucket `s3://bucket/chain` on a local server.
fn bucket(endpoint: &str) -> Bucket {
    let variable = |name: &str| match name {
        "AWS_ACCESS_KEY_ID" => Some("an-id".to_owned()),
        "AWS_SECRET_ACCESS_KEY" => Some(SECRET.to_owned()),
        "AWS_ENDPOINT_URL" => Some(endpoint.to_owned()),
        _ => None,
    };
    Bucket::open_with("s3://bucket/chain", variable).unwrap()
}

/// Begins a log on a server that answers like this; returns the error and the requests.
async fn begin(
    answer: impl Fn(&HttpRequest) -> HttpAnswer + Send + Sync + 'static,
) -> (Error, Vec<HttpRequest>) {
    let server = Server::new(answer);
    let bucket = bucket(&format!("http://{}", server.address));
    let error = BucketLog::begin(bucket, config("a chain")).await.unwrap_err();
    assert!(!error.to_string().contains(SECRET), "{error}");
    (error, server.asked())
}

fn said(status: u16, code: &str) -> HttpAnswer {
    (status, format!("<Error><Code>{code}</Code></Error>").into_bytes())
}

fn writes(asked: &[HttpRequest]) -> Vec<&HttpRequest> {
    asked.iter().filter(|asked| asked.method != "GET").collect()
}

#[tokio::test]
async fn a_server_that_replaces_objects_is_refused() {
    let objects = Mutex::new(BTreeMap::new());
    let (error, asked) = begin(move |asked| {
        let mut objects = objects.lock().unwrap();
        if asked.method == "PUT" {
            objects.insert(asked.path.clone(), asked.body.clone());
            return (200, Vec::new());
        }
        objects.get(&asked.path).map_or(said(404, "NoSuchKey"), |found| (200, found.clone()))
    })
    .await;
    assert_eq!(error.reason(), Reason::InvalidArgument);
    assert!(error.found().contains("ignores If-None-Match"), "{error}");
    for write in writes(&asked) {
        assert_eq!(write.path, "/bucket/chain/chain");
        assert!(write.headers.contains("\nif-none-match: *\n"), "{}", write.headers);
    }
}

#[tokio::test]
async fn a_server_without_conditional_writes_is_refused() {
    let (error, asked) = begin(|asked| match asked.method.as_str() {
        "GET" => said(404, "NoSuchKey"),
        _ => said(501, "NotImplemented"),
    })
    .await;
    assert_eq!(error.reason(), Reason::InvalidArgument);
    assert!(error.expected().contains("only if it does not exist"), "{error}");
    assert!(!writes(&asked).is_empty());
}

#[tokio::test]
async fn what_is_missing_or_forbidden_is_said_and_nothing_is_written() {
    for (status, code, expected) in [
        (404, "NoSuchBucket", "create it first"),
        // versitygw says so of an unknown AWS_ACCESS_KEY_ID. It must not mean that there is no chain.
        (404, "XAdminUserNotFound", "a bucket and credentials"),
        (400, "AuthorizationHeaderMalformed", "AWS_REGION"),
        (403, "SignatureDoesNotMatch", "credentials"),
        (403, "InvalidAccessKeyId", "credentials"),
        (401, "Unauthorized", "credentials"),
    ] {
        let (error, asked) = begin(move |_| said(status, code)).await;
        assert_eq!(error.reason(), Reason::InvalidArgument, "{code}");
        assert!(error.expected().contains(expected), "{error}");
        assert!(error.expected().contains("s3://bucket/chain at http://127.0.0.1:"), "{error}");
        assert!(writes(&asked).is_empty());
    }
    // Credentials that may read but not create.
    let (error, _) = begin(|asked| match asked.method.as_str() {
        "GET" => said(404, "NoSuchKey"),
        _ => said(403, "AccessDenied"),
    })
    .await;
    assert!(error.expected().contains("credentials"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_away_or_in_trouble_is_unreachable() {
    let (error, _) = begin(|_| said(503, "SlowDown")).await;
    assert_eq!(error.reason(), Reason::Unreachable);
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let away = BucketLog::begin(bucket(&format!("http://{address}")), config("a chain")).await;
    let error = away.unwrap_err();
    assert_eq!(error.reason(), Reason::Unreachable);
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    assert!(error.found().contains("refused"), "{error}");
}

/// The object with the configuration of a chain.
async fn chain_object() -> Vec<u8> {
    let bucket = Bucket::open("memory:///").unwrap();
    BucketLog::begin(bucket.clone(), config("a chain")).await.unwrap();
    bucket.read("chain").await.unwrap().unwrap().to_vec()
}

/// Opens a log at a startup; returns the error, if any, and the number of reported failures.
async fn start(server: &Server) -> (Result<(), Error>, usize) {
    let heard = Arc::new(AtomicUsize::new(0));
    let counted = heard.clone();
    let bucket = bucket(&format!("http://{}", server.address)).with_startup_retry(move |error| {
        assert_eq!(error.reason(), Reason::Unreachable, "{error}");
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let opened = BucketLog::open(bucket, config("a chain")).await.map(drop);
    (opened, heard.load(Ordering::Relaxed))
}

/// What happens to a request for an object with these bytes.
type Failure = fn(&[u8]) -> ServerReply;

#[tokio::test]
async fn a_start_outlasts_what_may_be_gone_at_the_next_try() {
    let chain = chain_object().await;
    let failures: [(&str, Failure); 3] = [
        ("a body that is cut", |chain| ServerReply::Cut(chain.to_vec())),
        ("503", |_| ServerReply::Whole(said(503, "SlowDown"))),
        ("no answer", |_| ServerReply::Silence),
    ];
    for (what, failure) in failures {
        let served = chain.clone();
        // The client itself makes three requests per attempt.
        let server = Server::failing(move |_, before| {
            if before < 4 { failure(&served) } else { ServerReply::Whole((200, served.clone())) }
        });
        let (opened, heard) = start(&server).await;
        assert_eq!(opened, Ok(()), "{what}");
        assert!((1..=4).contains(&heard), "{what}: {heard}");
        // Once it has started, callers decide about retries.
        let served = chain.clone();
        let server = Server::failing(move |_, _| failure(&served));
        let started =
            bucket(&format!("http://{}", server.address)).with_startup_retry(|_| panic!("heard"));
        started.clone().end_startup_retry();
        let error = started.read("chain").await.unwrap_err();
        assert_eq!(error.reason(), Reason::Unreachable, "{what}");
    }
}

#[tokio::test]
async fn a_start_does_not_wait_for_what_will_not_change() {
    let chain = chain_object().await;
    let mut altered = chain.clone();
    altered[40] ^= 1;
    let cut = chain[..chain.len() - 1].to_vec();
    for (answer, expected) in [
        ((200, cut), Reason::Truncated),
        ((200, altered), Reason::InvalidEncoding),
        (said(404, "NoSuchKey"), Reason::UnknownBlock),
        (said(404, "NoSuchBucket"), Reason::InvalidArgument),
        (said(403, "InvalidAccessKeyId"), Reason::InvalidArgument),
        (said(403, "SignatureDoesNotMatch"), Reason::InvalidArgument),
    ] {
        let server = Server::new(move |_| answer.clone());
        let (opened, heard) = start(&server).await;
        assert_eq!(opened.unwrap_err().reason(), expected);
        assert_eq!((heard, server.asked().len()), (0, 1), "{expected:?}");
    }
}

/// An unused folder in the bucket that the environment names.
fn real(name: &str) -> String {
    let url = std::env::var("PROOFLIGHT_S3").unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    format!("{url}/{name}-{}", now.as_nanos())
}

#[tokio::test]
#[ignore = "needs an S3 server"]
async fn blocks_are_read_from_a_real_bucket_as_they_were_published() {
    let url = real("read");
    let log = BucketLog::begin(Bucket::open(&url).unwrap(), config("a chain")).await.unwrap();
    let mut blocks = Vec::new();
    for height in 0..40 {
        let next = block(&config("a chain"), blocks.last(), &[height], 0);
        assert_eq!(log.publish(next.clone()).await.unwrap(), next);
        blocks.push(next);
    }
    let again = BucketLog::open(Bucket::open(&url).unwrap(), config("a chain")).await.unwrap();
    let mut reader = again.reader(0);
    for block in &blocks {
        assert_eq!(reader.block(block.height()).await.unwrap().as_ref(), Some(block));
    }
    assert_eq!(reader.block(40).await, Ok(None));
    let other = BucketLog::begin(Bucket::open(&url).unwrap(), config("another chain")).await;
    assert_eq!(other.unwrap_err().reason(), Reason::WrongChain);
}

#[tokio::test]
#[ignore = "needs an S3 server"]
async fn proposals_of_published_blocks_are_removed_from_a_real_bucket() {
    let log = BucketLog::begin(Bucket::open(&real("proposed")).unwrap(), config("a chain")).await;
    let log = log.unwrap();
    log.remove_old_proposals(9).await.unwrap();
    log.remove_proposal(9, 0).await.unwrap();
    for (height, attempt) in [(7, 0), (7, 1), (8, 0), (9, 0)] {
        let there = log.propose(height, attempt, b"proposal").await.unwrap();
        assert_eq!(log.propose(height, attempt, b"another").await.unwrap(), there);
    }
    log.remove_proposal(8, 0).await.unwrap();
    log.remove_old_proposals(8).await.unwrap();
    for (height, attempt) in [(7, 0), (7, 1), (8, 0)] {
        assert_eq!(log.read_proposal(height, attempt).await, None);
    }
    assert_eq!(log.read_proposal(9, 0).await.unwrap(), b"proposal");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs an S3 server"]
async fn one_of_many_creates_wins_in_a_real_bucket() {
    let url = real("race");
    let buckets: Vec<Bucket> = (0..8).map(|_| Bucket::open(&url).unwrap()).collect();
    for round in 0..50 {
        let creates = buckets.iter().cloned().zip(0_u8..).map(|(bucket, number)| {
            tokio::spawn(async move {
                let name = format!("blocks/{round:016}");
                let created = bucket.create(&name, Bytes::from(vec![number; 5000])).await;
                created.unwrap().then_some(number)
            })
        });
        let mut winners = Vec::new();
        for create in creates.collect::<Vec<_>>() {
            winners.extend(create.await.unwrap());
        }
        let [winner] = winners[..] else { panic!("{winners:?} in round {round}") };
        let kept = buckets[0].read(&format!("blocks/{round:016}")).await.unwrap().unwrap();
        assert_eq!(kept, vec![winner; 5000]);
    }
}

#[tokio::test]
#[ignore = "needs an S3 server"]
async fn a_real_server_refuses_strangers_and_missing_buckets() {
    let wrong = |name: &str| match name {
        "AWS_SECRET_ACCESS_KEY" => Some(SECRET.to_owned()),
        other => std::env::var(other).ok(),
    };
    let stranger = Bucket::open_with(&real("stranger"), wrong).unwrap();
    let refused = BucketLog::begin(stranger, config("a chain")).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::InvalidArgument);
    assert!(refused.expected().contains("credentials"), "{refused}");
    let unknown = |name: &str| match name {
        "AWS_ACCESS_KEY_ID" => Some("nobody-of-this-name".to_owned()),
        other => std::env::var(other).ok(),
    };
    let unknown = Bucket::open_with(&real("unknown"), unknown).unwrap();
    let refused = BucketLog::open(unknown, config("a chain")).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::InvalidArgument, "{refused}");
    let missing = Bucket::open("s3://prooflight-has-no-such-bucket/chain").unwrap();
    let refused = BucketLog::begin(missing, config("a chain")).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::InvalidArgument);
    assert!(refused.expected().contains("create it first"), "{refused}");
}

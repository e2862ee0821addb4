//! Blocks while the clock is set: the real producer on a real chain, with a clock that the test sets.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prooflight_core::chain::{ChainConfig, ChainLimits, SchemeConfig, StateOperation};
use prooflight_core::{Reason, Result, Scheme};
use prooflight_node::api::server::{NodeStatus, ServerStatus};
use prooflight_node::chain::keys::{Signers, generate_key};
use prooflight_node::producer::{BlockConditions, BlockPace, start};
use prooflight_node::replication::backup::AdminAccess;
use prooflight_node::runtime::clock::{Clock, ClockReading};
use prooflight_node::runtime::metrics::Metrics;
use prooflight_node::runtime::space::DiskSpace;
use prooflight_node::runtime::status::NotReady;
use prooflight_node::{BlockId, BlockRef, BlockRetention, Chain};
use tokio::sync::watch;

const NOW: u64 = 1_800_000_000_000;
const TWO_DAYS: u64 = 2 * 86_400_000;

fn begun(folder: &Path) -> (Chain, Signers) {
    let key = generate_key().unwrap();
    let config = ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: "test".to_owned(),
        schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
        authorities: vec![key.verifying_key().to_bytes()],
        quorum: 1,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: NOW,
    };
    let signers = Signers::new(&config, vec![key]).unwrap();
    let mut chain = Chain::create(folder, &config).unwrap();
    drop(signers.make(&mut chain, [], NOW).unwrap());
    (chain, signers)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_block_is_made_while_the_clock_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, signers) = begun(folder.path());
    // The monotonic clock stands still; the test sets the other clock.
    let wall = Arc::new(AtomicU64::new(NOW));
    let clock = Clock::new({
        let wall = wall.clone();
        move || ClockReading { wall_ms: wall.load(Ordering::SeqCst), steady: Duration::ZERO }
    });
    let set = |ms: u64| wall.store(ms, Ordering::SeqCst);
    let (published, views) = watch::channel(chain.view().unwrap());
    let space = DiskSpace::new(folder.path(), 0);
    let conditions = Arc::new(BlockConditions::new(views.clone(), clock, space));
    let pace = BlockPace {
        interval: Duration::ZERO,
        empty_blocks: false,
        keep: BlockRetention::default(),
    };
    let (submitter, thread) =
        start(chain, signers, pace, conditions.clone(), published, Metrics::new(), None);
    let access = AdminAccess::open(folder.path(), "127.0.0.1:1".parse().unwrap()).unwrap();
    let standing = NodeStatus {
        views: views.clone(),
        conditions: Some(conditions),
        progress: None,
        promote: None,
        access,
    };
    let submit = async || {
        let set = StateOperation::Set { key: b"key".to_vec(), value: b"value".to_vec() };
        submitter.submit(vec![set]).await
    };
    let timestamp = |included: Result<BlockRef>| {
        let at = BlockId::Height(included.unwrap().height);
        views.borrow().header(at).unwrap().header.timestamp_ms
    };
    let refused = |included: Result<BlockRef>| included.unwrap_err().reason();
    let not_ready = || match standing.ready() {
        Err(NotReady::Failed(error)) => error.reason(),
        other => unreachable!("{other:?}"),
    };

    set(NOW + 1000);
    assert_eq!(timestamp(submit().await), NOW + 1000);
    // Wrong for some time, in both directions: no block has that time.
    for wrong in [NOW + TWO_DAYS, NOW - TWO_DAYS] {
        set(wrong);
        assert_eq!(not_ready(), Reason::ClockJumped);
        assert_eq!(refused(submit().await), Reason::ClockJumped);
        set(NOW + 2000);
        assert!(standing.ready().is_ok());
    }
    assert_eq!(timestamp(submit().await), NOW + 2000);

    // The operator confirms the time.
    set(NOW + TWO_DAYS);
    assert_eq!(refused(submit().await), Reason::ClockJumped);
    assert_eq!(standing.confirm_clock(), Some(NOW + TWO_DAYS));
    assert_eq!(timestamp(submit().await), NOW + TWO_DAYS);

    // Set back by the operator: the next block waits for the time of the newest.
    set(NOW);
    standing.confirm_clock();
    assert_eq!(not_ready(), Reason::HeadInFuture);
    assert_eq!(refused(submit().await), Reason::HeadInFuture);
    assert_eq!(views.borrow().height(), 3);

    drop(submitter);
    assert_eq!(thread.join().unwrap(), Ok(()));
}

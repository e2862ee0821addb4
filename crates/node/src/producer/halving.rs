//! Blocks that authorities refuse because of one operation are halved until it is alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ed25519_dalek::{Signer as _, SigningKey};
use prooflight_core::chain::{ChainConfig, ChainLimits, SchemeConfig, StateOperation};
use prooflight_core::{Reason, Result, Scheme};
use tokio::sync::watch;

use super::{BlockConditions, BlockPace, start};
use crate::chain::block::BlockRef;
use crate::chain::keys::{Signers, generate_key};
use crate::chain::proposal::{AttemptId, Proposal, ProposalStore};
use crate::runtime::clock::{Clock, now_ms};
use crate::runtime::metrics::Metrics;
use crate::runtime::space::DiskSpace;
use crate::signing::authority::Refusal;
use crate::signing::collector::{BlockSigner, SignatureCollector};
use crate::signing::signature_round::SignatureRound;
use crate::{BlockId, BlockRetention, Chain, View};

/// Proposals that get a wrong root if an operation has a faulty key, like those of a leader with a bug.
struct FaultyProposals(Mutex<BTreeMap<AttemptId, Vec<u8>>>);

/// The beginning of a faulty key.
const FAULT_PREFIX: &[u8] = b"fault";

fn is_faulty(operation: &StateOperation) -> bool {
    matches!(operation, StateOperation::Set { key, .. } if key.starts_with(FAULT_PREFIX))
}

impl ProposalStore for FaultyProposals {
    fn create(&self, attempt: AttemptId, proposal: &[u8]) -> Result<Vec<u8>> {
        let mut proposal = Proposal::decode(proposal)?;
        if proposal.operations.iter().any(is_faulty) {
            proposal.header.roots[0].1[0] ^= 1;
        }
        let bytes = proposal.encode()?;
        Ok(self.0.lock().unwrap().entry(attempt).or_insert(bytes).clone())
    }

    fn read(&self, attempt: AttemptId) -> Result<Option<Vec<u8>>> {
        Ok(self.0.lock().unwrap().get(&attempt).cloned())
    }

    fn published(&self, height: u64) -> Result<()> {
        self.0.lock().unwrap().retain(|attempt, _| attempt.height > height);
        Ok(())
    }
}

/// The authority, which signs every proposal without a faulty operation.
fn sign(round: &SignatureRound, key: &SigningKey) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    while !round.is_closed() {
        let wait = Duration::from_millis(10);
        let (_, pending) = runtime.block_on(round.poll(0, u64::MAX, wait)).unwrap();
        let Some((attempt, id)) = pending else { continue };
        let Ok(bytes) = round.proposal(attempt) else { continue };
        let proposal = Proposal::decode(&bytes).unwrap();
        // The answer fails if the round asks for another proposal by now.
        let _ = if proposal.operations.iter().any(is_faulty) {
            let refusal = Refusal { chain: round.chain(), attempt, id, invalid: true };
            round.refuse(0, &refusal, &refusal.sign(key), "another root")
        } else {
            let hash = proposal.header.hash();
            round.sign(0, attempt.height, hash, key.sign(&hash).to_bytes())
        };
    }
}

/// Submits an operation for each key, all of them before the first block. Returns the result of each, and the chain.
fn submit(folder: &Path, keys: &[&str]) -> (Vec<Result<BlockRef>>, View) {
    let key = generate_key().unwrap();
    let config = ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: "test".to_owned(),
        schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
        authorities: vec![key.verifying_key().to_bytes()],
        quorum: 1,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: 1000,
    };
    let mut chain = Chain::create(folder, &config).unwrap();
    let signers = Signers::with_any_keys(&config, Vec::new()).unwrap();
    let round = SignatureRound::new(chain.config().clone(), &signers, None, Metrics::new());
    let round = Arc::new(round);
    let authority = thread::spawn({
        let round = round.clone();
        move || sign(&round, &key)
    });
    let proposals = Box::new(FaultyProposals(Mutex::default()));
    let signing = BlockSigner::Remote(SignatureCollector::new(round.clone(), proposals, signers));
    let genesis = signing.make(&mut chain, [], now_ms(), None).unwrap().into_view().unwrap();
    signing.published(0).unwrap();
    let (published, views) = watch::channel(genesis);
    let space = DiskSpace::new(folder, 0);
    let conditions = BlockConditions::new(views.clone(), Clock::system(), space);
    let pace = BlockPace {
        // Long enough for all submissions to arrive before the first block.
        interval: Duration::from_secs(1),
        empty_blocks: false,
        keep: BlockRetention::default(),
    };
    let (submitter, producer) =
        start(chain, signing, pace, Arc::new(conditions), published, Metrics::new(), None);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let answers = runtime.block_on(async {
        let set = |key: &&str| StateOperation::Set { key: (*key).into(), value: b"value".into() };
        let submissions = keys.iter().map(|key| {
            let (submitter, operations) = (submitter.clone(), vec![set(key)]);
            tokio::spawn(async move { submitter.submit(operations).await })
        });
        let submissions: Vec<_> = submissions.collect();
        let mut answers = Vec::new();
        for submission in submissions {
            answers.push(submission.await.unwrap());
        }
        answers
    });
    drop(submitter);
    producer.join().unwrap().unwrap();
    round.close();
    authority.join().unwrap();
    let newest = views.borrow().clone();
    (answers, newest)
}

/// Asserts that exactly the faulty submissions are refused, and that the others are in the blocks that their
/// answers name.
fn assert_isolated(folder: &Path, keys: &[&str]) -> View {
    let (answers, newest) = submit(folder, keys);
    for (key, answer) in keys.iter().zip(answers) {
        if key.as_bytes().starts_with(FAULT_PREFIX) {
            let error = answer.unwrap_err();
            assert_eq!(error.reason(), Reason::QuorumMissing, "{error}");
            assert!(error.to_string().contains("invalid blocks at every attempt"), "{error}");
            continue;
        }
        let included = answer.unwrap();
        let block = newest.block(BlockId::Height(included.height)).unwrap();
        assert_eq!(block.header.header.hash(), included.hash);
        let set = StateOperation::Set { key: (*key).into(), value: b"value".into() };
        assert!(block.body.operations.contains(&set), "{key}");
    }
    newest
}

#[test]
fn the_operation_at_fault_is_found_by_halving_and_the_others_are_included() {
    let folder = tempfile::tempdir().unwrap();
    let newest = assert_isolated(folder.path(), &["a", "b", "c", "d", "e", "fault", "g", "h"]);
    // Of 8, 4, 2 and 1 submissions none was signed, but a block without any; then 4, 1 and 1 were.
    assert_eq!(newest.height(), 4 + 3);
    let operations = |height| newest.block(BlockId::Height(height)).unwrap().body.operations.len();
    assert_eq!((0..=7).map(operations).collect::<Vec<_>>(), [0, 0, 4, 0, 0, 1, 0, 2]);
}

#[test]
fn two_operations_at_fault_and_one_alone_are_found_too() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    assert_isolated(folders[0].path(), &["fault", "b", "c", "d", "e", "f", "fault again"]);
    assert_eq!(assert_isolated(folders[1].path(), &["fault"]).height(), 1);
}

//! An authority's verdicts on proposals: of an honest leader, of one that lies, and of two leaders.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::PathBuf;

use ed25519_dalek::SigningKey;
use prooflight_core::chain::{
    ChainConfig, ChainLimits, Checkpoint, SchemeConfig, SignedHeader, StateOperation,
};
use prooflight_core::{Reason, Result, Scheme};
use prooflight_node::chain::keys::{Signers, generate_key};
use prooflight_node::chain::proposal::Proposal;
use prooflight_node::runtime::clock::now_ms;
use prooflight_node::signing::authority::{Authority, HeaderSignature, SigningMemory};
use prooflight_node::{Block, BlockId, Chain, Verdict, View};

/// A chain with three authorities and a quorum of two.
struct TestChain {
    folder: tempfile::TempDir,
    keys: [SigningKey; 3],
    leader: Chain,
    checkpoint: Checkpoint,
}

impl TestChain {
    /// A chain whose genesis block is proposed.
    fn new() -> (Self, Proposal) {
        let folder = tempfile::tempdir().unwrap();
        let keys = [(); 3].map(|()| generate_key().unwrap());
        let config = ChainConfig {
            version: ChainConfig::VERSION,
            chain_id: "test".to_owned(),
            schemes: vec![
                SchemeConfig::without_params(Scheme::Avl),
                SchemeConfig::without_params(Scheme::Smt),
            ],
            authorities: keys.iter().map(|key| key.verifying_key().to_bytes()).collect(),
            quorum: 2,
            limits: ChainLimits::default(),
            genesis_timestamp_ms: now_ms() - 10_000,
        };
        let leader = Chain::create(&folder.path().join("leader"), &config).unwrap();
        let genesis = leader.execute([set("a", "0"), set("b", "0")], 0).unwrap().proposal();
        let header_hash = genesis.header.hash();
        let checkpoint = Checkpoint { config, height: 0, header_hash };
        (Self { folder, keys, leader, checkpoint }, genesis)
    }

    /// The signers of these authorities.
    fn signers(&self, indices: &[usize]) -> Signers {
        let keys = indices.iter().map(|index| self.keys[*index].clone()).collect();
        Signers::with_any_keys(&self.checkpoint.config, keys).unwrap()
    }

    /// Proposes the next block, without publishing it.
    fn propose(&self, operations: Vec<StateOperation>) -> Proposal {
        self.leader.execute(operations, now_ms()).unwrap().proposal()
    }

    /// Publishes a proposal, signed by these authorities.
    fn publish(&mut self, proposal: &Proposal, by: &[usize]) -> Block {
        let signed = self.signers(by).sign(proposal.header.clone());
        let view = self.commit(proposal, signed);
        view.block(BlockId::Latest).unwrap()
    }

    /// Stores a proposal at the leader, with signatures.
    fn commit(&mut self, proposal: &Proposal, signed: SignedHeader) -> View {
        let executed = self.leader.execute_given(proposal).into_result().unwrap();
        self.leader.commit(executed, signed).unwrap()
    }

    fn memory_file(&self) -> PathBuf {
        self.folder.path().join("authority/signed")
    }

    /// Opens the first authority.
    fn open(&self) -> Result<Authority> {
        let folder = self.folder.path().join("authority");
        let config = &self.checkpoint.config;
        let chain = if Chain::exists(&folder)? {
            Chain::open(&folder)?
        } else {
            Chain::create(&folder, config)?
        };
        let public = config.authorities[0];
        let path = self.memory_file();
        let memory = if path.exists() {
            SigningMemory::open(&path, config.id(), public)?
        } else {
            SigningMemory::begin(&path, config.id(), public, 0)?
        };
        Authority::new(chain, self.keys[0].clone(), memory, Some(self.checkpoint.clone()))
    }
}

fn set(key: &str, value: &str) -> StateOperation {
    StateOperation::Set { key: key.into(), value: value.into() }
}

fn judge(authority: &mut Authority, proposal: &Proposal) -> Verdict<HeaderSignature> {
    authority.judge(proposal.header.height, &proposal.encode().unwrap())
}

fn invalid(authority: &mut Authority, proposal: &Proposal) -> Reason {
    match judge(authority, proposal) {
        Verdict::Invalid(error) => error.reason(),
        other => unreachable!("{other:?}"),
    }
}

/// The bytes of a header's timestamp: after version, chain, height and parent.
const TIMESTAMP: std::ops::Range<usize> = 73..81;

/// The reason why there is no verdict.
fn unjudged(verdict: Verdict<HeaderSignature>) -> Reason {
    match verdict {
        Verdict::None(error) => error.reason(),
        other => unreachable!("{other:?}"),
    }
}

/// The reason of an error.
fn refused<T: core::fmt::Debug>(result: Result<T>) -> Reason {
    result.unwrap_err().reason()
}

/// An authority with the genesis block, which it signed.
fn begun() -> (TestChain, Authority) {
    let (mut world, genesis) = TestChain::new();
    let mut authority = world.open().unwrap();
    let signed = judge(&mut authority, &genesis).into_result().unwrap();
    let HeaderSignature { hash, signature } = signed;
    assert_eq!(hash, genesis.header.hash());
    let mut signed = world.signers(&[2]).sign(genesis.header.clone());
    signed.signatures.insert(0, (0, signature));
    signed.check_signed(&world.checkpoint.config).unwrap();
    let view = world.commit(&genesis, signed);
    authority.follow(view.block(BlockId::Latest).unwrap()).into_result().unwrap();
    (world, authority)
}

#[test]
fn one_block_of_a_height_is_signed_before_and_after_a_restart() {
    let (mut world, mut authority) = begun();
    let other = world.propose(vec![set("a", "other")]);
    let proposal = world.propose(vec![set("a", "1")]);
    let first = judge(&mut authority, &proposal);
    assert!(matches!(first, Verdict::Valid(_)));
    for _ in 0..2 {
        assert_eq!(unjudged(judge(&mut authority, &other)), Reason::AlreadySigned);
        // The same signature at every request.
        assert_eq!(judge(&mut authority, &proposal), first);
        drop(authority);
        authority = world.open().unwrap();
    }
    // The other authorities publish the other block: it is followed, and later blocks are signed.
    let other = world.propose(vec![set("a", "other")]);
    let block = world.publish(&other, &[1, 2]);
    authority.follow(block).into_result().unwrap();
    let next = world.propose(vec![]);
    assert!(matches!(judge(&mut authority, &next), Verdict::Valid(_)));
}

#[test]
fn what_does_not_follow_from_the_published_blocks_is_refused() {
    let (world, mut authority) = begun();
    let honest = world.propose(vec![set("a", "1"), set("c", "3")]);
    let with = |change: &dyn Fn(&mut Proposal)| {
        let mut proposal = honest.clone();
        change(&mut proposal);
        proposal
    };
    let root = with(&|proposal| proposal.header.roots[1].1[0] ^= 1);
    assert_eq!(invalid(&mut authority, &root), Reason::StateRootMismatch);
    let parent = with(&|proposal| proposal.header.parent[0] ^= 1);
    assert_eq!(invalid(&mut authority, &parent), Reason::NotExtending);
    let history = with(&|proposal| proposal.header.history_root[0] ^= 1);
    assert_eq!(invalid(&mut authority, &history), Reason::NotExtending);
    let older = with(&|proposal| proposal.header.timestamp_ms = 1);
    assert_eq!(invalid(&mut authority, &older), Reason::NotExtending);
    let height = with(&|proposal| proposal.header.height = 2);
    assert_eq!(
        match authority.judge(1, &height.encode().unwrap()) {
            Verdict::Invalid(error) => error.reason(),
            other => unreachable!("{other:?}"),
        },
        Reason::NotExtending
    );
    let chain = with(&|proposal| proposal.header.chain[0] ^= 1);
    assert_eq!(invalid(&mut authority, &chain), Reason::WrongChain);
    let fewer = with(&|proposal| drop(proposal.header.roots.pop()));
    assert_eq!(invalid(&mut authority, &fewer), Reason::StateRootMismatch);
    let version = with(&|proposal| proposal.header.version = 2);
    assert_eq!(invalid(&mut authority, &version), Reason::InvalidHeader);
    let operation = with(&|proposal| drop(proposal.operations.pop()));
    assert_eq!(invalid(&mut authority, &operation), Reason::OperationsMismatch);
    let order = with(&|proposal| {
        proposal.operations.reverse();
        proposal.header.ops_root = prooflight_core::chain::operations_root(&proposal.operations);
    });
    assert_eq!(invalid(&mut authority, &order), Reason::InvalidBlock);
    // Complete bytes that are no block; what is cut in transit has another hash and does not get here.
    let bytes = honest.encode().unwrap();
    for length in 0..bytes.len() {
        let verdict = authority.judge(1, &bytes[..length]);
        assert!(matches!(verdict, Verdict::Invalid(_)), "{length}");
    }
    // Every changed bit of the header, besides those of the time: a later one is that of another block.
    let header = honest.header.encode().len();
    for bit in (0..header * 8).filter(|bit| !TIMESTAMP.contains(&(bit / 8))) {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let verdict = authority.judge(1, &changed);
        assert!(matches!(verdict, Verdict::Invalid(_)), "bit {bit}: {verdict:?}");
    }
    assert_eq!(authority.memory().height(), 0);
    assert!(matches!(judge(&mut authority, &honest), Verdict::Valid(_)));
}

#[test]
fn a_block_that_no_verifier_would_read_is_invalid() {
    let (world, mut authority) = begun();
    // Many values of the greatest length, one above what a node puts into a block.
    let most = world.checkpoint.config.limits.max_value as usize;
    let many = |count: usize| -> Vec<_> {
        let value = "x".repeat(most);
        (0..count).map(|key| set(&format!("{key:03}"), &value)).collect()
    };
    let refused = world.leader.execute(many(128), now_ms()).unwrap_err();
    assert_eq!(refused.reason(), Reason::RequestTooLarge);
    // A leader that does not check this.
    let mut large = world.propose(many(1));
    large.operations = many(128);
    large.header.ops_root = prooflight_core::chain::operations_root(&large.operations);
    assert_eq!(invalid(&mut authority, &large), Reason::RequestTooLarge);
}

#[test]
fn the_clock_delays_and_never_judges() {
    let (world, mut authority) = begun();
    let future = world.leader.execute([], now_ms() + 60_000).unwrap().proposal();
    assert_eq!(unjudged(judge(&mut authority, &future)), Reason::HeadInFuture);
    assert_eq!(authority.memory().height(), 0);
    let now = world.propose(vec![]);
    assert!(matches!(judge(&mut authority, &now), Verdict::Valid(_)));
}

#[test]
fn only_the_next_height_is_judged() {
    let (mut world, mut authority) = begun();
    let first = world.propose(vec![set("a", "1")]);
    let block = world.publish(&first, &[1, 2]);
    let second = world.propose(vec![set("a", "2")]);
    // Its parent has not arrived yet.
    assert_eq!(unjudged(judge(&mut authority, &second)), Reason::WrongBlock);
    // A parent without a quorum is not published.
    let signed = SignedHeader { signatures: vec![], ..block.header.clone() };
    let unsigned = Block { header: signed, ..block.clone() };
    assert_eq!(refused(authority.follow(unsigned).into_result()), Reason::TooFewSignatures);
    authority.follow(block).into_result().unwrap();
    assert!(matches!(judge(&mut authority, &second), Verdict::Valid(_)));
    assert_eq!(unjudged(judge(&mut authority, &first)), Reason::WrongBlock);
}

#[test]
fn genesis_is_signed_only_as_the_checkpoint_pins_it() {
    let (mut world, genesis) = TestChain::new();
    world.checkpoint.header_hash[0] ^= 1;
    let mut authority = world.open().unwrap();
    assert_eq!(invalid(&mut authority, &genesis), Reason::Equivocation);
    drop(authority);
    let config = world.checkpoint.config.clone();
    let folder = world.folder.path().join("authority");
    let memory =
        SigningMemory::open(&world.memory_file(), config.id(), config.authorities[0]).unwrap();
    let chain = Chain::open(&folder).unwrap();
    let mut authority = Authority::new(chain, world.keys[0].clone(), memory, None).unwrap();
    assert_eq!(unjudged(judge(&mut authority, &genesis)), Reason::InvalidArgument);
}

#[test]
fn an_older_memory_is_found_by_the_signatures_that_were_published() {
    let (mut world, mut authority) = begun();
    let old = fs::read(world.memory_file()).unwrap();
    let proposal = world.propose(vec![set("a", "1")]);
    assert!(matches!(judge(&mut authority, &proposal), Verdict::Valid(_)));
    drop(authority);

    // An older memory was restored after a signature was given: the published block with this signature reveals that.
    fs::write(world.memory_file(), &old).unwrap();
    let mut authority = world.open().unwrap();
    let block = world.publish(&proposal, &[0, 1]);
    assert_eq!(refused(authority.follow(block.clone()).into_result()), Reason::MemoryLost);
    drop(authority);

    // With the newer memory it goes on; an older one that is restored later is found immediately.
    fs::remove_file(world.memory_file()).unwrap();
    let config = &world.checkpoint.config;
    SigningMemory::begin(&world.memory_file(), config.id(), config.authorities[0], 2).unwrap();
    let mut authority = world.open().unwrap();
    authority.follow(block).into_result().unwrap();
    drop(authority);
    fs::write(world.memory_file(), &old).unwrap();
    assert_eq!(refused(world.open()), Reason::MemoryLost);
}

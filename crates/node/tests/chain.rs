//! The chain as a library: its blocks verify, survive reopening, and are followed or refused.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use prooflight_avl::state::verify_block;
use prooflight_avl::{Digest, Operation, Params, verify_batch};
use prooflight_core::chain::{
    ChainConfig, ChainLimits, Checkpoint, SchemeConfig, StateOperation, SyncPolicy, state_key,
    verify_ancestor, verify_head,
};
use prooflight_core::statement::Statement;
use prooflight_core::store::StateProof;
use prooflight_core::{Reason, Result, Scheme};
use prooflight_node::chain::keys::{Signers, generate_key};
use prooflight_node::{Block, BlockId, Chain, Verdict, View};

const NOW: u64 = 1_800_000_000_000;

fn set(key: &str, value: &str) -> StateOperation {
    StateOperation::Set { key: key.into(), value: value.into() }
}

fn delete(key: &str) -> StateOperation {
    StateOperation::Delete { key: key.into() }
}

/// A chain with two of three authorities' keys at hand.
fn config() -> (ChainConfig, Signers) {
    let keys = [(); 3].map(|()| generate_key().unwrap());
    let config = ChainConfig {
        version: ChainConfig::VERSION,
        chain_id: "test".to_owned(),
        schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
        authorities: keys.iter().map(|key| key.verifying_key().to_bytes()).collect(),
        quorum: 2,
        limits: ChainLimits::default(),
        genesis_timestamp_ms: NOW,
    };
    let [first, _, third] = keys;
    let signers = Signers::new(&config, vec![third, first]).unwrap();
    (config, signers)
}

/// Blocks that set, change and delete keys; the first has operations too.
fn blocks() -> Vec<Vec<StateOperation>> {
    let mut blocks = vec![vec![set("alice", "1"), set("bob", "2")], vec![]];
    for n in 0..20 {
        blocks.push(vec![set("alice", &n.to_string()), set(&format!("key {n}"), "")]);
        blocks.push(vec![delete(&format!("key {}", n / 2)), delete("nobody")]);
    }
    blocks
}

fn made(folder: &Path) -> (Chain, Signers) {
    let (config, signers) = config();
    let mut chain = Chain::create(folder, &config).unwrap();
    for block in blocks() {
        signers.make(&mut chain, block, NOW).unwrap();
    }
    (chain, signers)
}

fn prove(view: &View, height: u64, keys: &[&[u8]]) -> Result<StateProof> {
    view.prove(Scheme::Avl, &Statement::Keys { height, keys })
}

fn lookup(view: &View, at: BlockId, key: &str) -> Option<Vec<u8>> {
    let header = view.header(at).unwrap().header;
    let proved = prove(view, header.height, &[key.as_bytes()]).unwrap();
    let root = header.root(Scheme::Avl).unwrap();
    let hash = state_key(key.as_bytes());
    let ops = [Operation::Lookup { key: &hash }];
    let digest = Digest::try_from(root).unwrap();
    let verified = verify_batch(&digest, &ops, &proved.proof, &Params::new(32, None)).unwrap();
    verified.results[0].value().map(|value| value.as_ref().to_vec())
}

#[test]
fn heads_extend_every_checkpoint_and_older_headers_are_their_ancestors() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, _) = made(folder.path());
    let view = chain.view().unwrap();
    for height in 0..=view.height() {
        let header = view.header(BlockId::Height(height)).unwrap();
        assert_eq!(header.signatures.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [0, 2]);
        let header_hash = header.header.hash();
        assert_eq!(view.header(BlockId::Hash(header_hash)).unwrap(), header);
        let checkpoint = Checkpoint { config: view.config().clone(), height, header_hash };
        let path = view.header_path(height, &view.head().header).unwrap();
        let accepted = verify_head(&checkpoint, view.head(), &path, &SyncPolicy::at(NOW)).unwrap();
        assert_eq!(accepted.header_hash, *view.head_hash());
        for older in 0..=height {
            let ancestor = view.header(BlockId::Height(older)).unwrap().header;
            let path = view.header_path(older, &header.header).unwrap();
            verify_ancestor(&header.header, &ancestor, &path).unwrap();
        }
    }
}

#[test]
fn values_and_absences_verify_at_every_height() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, _) = made(folder.path());
    let view = chain.view().unwrap();
    let mut state = std::collections::BTreeMap::new();
    for (height, block) in (0..).zip(blocks()) {
        for operation in block {
            match operation {
                StateOperation::Set { key, value } => state.insert(key, value),
                StateOperation::Delete { key } => state.remove(&key),
            };
        }
        for key in ["alice", "bob", "key 3", "nobody", ""] {
            let expected = state.get(key.as_bytes()).cloned();
            assert_eq!(lookup(&view, BlockId::Height(height), key), expected, "{key} at {height}");
        }
    }
    let entries: Vec<_> = view.entries().map(Result::unwrap).collect();
    assert_eq!(entries, state.into_iter().collect::<Vec<_>>());
}

#[test]
fn transitions_lead_from_digest_to_digest() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, _) = made(folder.path());
    let view = chain.view().unwrap();
    let mut digest = None;
    for height in 0..=view.height() {
        let Block { header, body } = view.block(BlockId::Height(height)).unwrap();
        let [(1, proof)] = &body.transitions[..] else { unreachable!() };
        let root = Digest::try_from(header.header.root(Scheme::Avl).unwrap()).unwrap();
        if let Some(before) = digest {
            let limits = &view.config().limits;
            let after = verify_block(&before, &header.header, &body.operations, proof, limits);
            assert_eq!(*after.unwrap(), root);
        }
        digest = Some(root);
    }
}

#[test]
fn a_view_stays_as_it_was_while_blocks_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let (mut chain, signers) = made(folder.path());
    let before = chain.view().unwrap();
    let head = *before.head_hash();
    let after = signers.make(&mut chain, [set("alice", "new")], NOW).unwrap();
    assert_eq!((before.height() + 1, *before.head_hash()), (after.height(), head));
    assert_eq!(lookup(&before, BlockId::Latest, "alice"), Some(b"19".to_vec()));
    assert_eq!(lookup(&after, BlockId::Latest, "alice"), Some(b"new".to_vec()));
    assert_eq!(lookup(&after, BlockId::Hash(head), "alice"), Some(b"19".to_vec()));
    let refused = before.header(BlockId::Height(after.height())).unwrap_err();
    assert_eq!(refused.reason(), Reason::UnknownBlock);
}

#[test]
fn a_chain_continues_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, signers) = made(folder.path());
    let head = *chain.view().unwrap().head_hash();
    drop(chain);
    let mut chain = Chain::open(folder.path()).unwrap();
    assert_eq!(*chain.view().unwrap().head_hash(), head);
    let view = signers.make(&mut chain, [set("bob", "3")], 0).unwrap();
    assert_eq!(view.head().header.parent, head);
    assert_eq!(view.head().header.timestamp_ms, NOW + view.height());
    assert_eq!(lookup(&view, BlockId::Latest, "bob"), Some(b"3".to_vec()));
}

#[test]
fn a_refused_block_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut chain, signers) = made(folder.path());
    let head = *chain.view().unwrap().head_hash();
    let long = "x".repeat(257);
    let refused = signers.make(&mut chain, [set("bob", "9"), set(&long, "")], NOW).unwrap_err();
    assert_eq!(refused.reason(), Reason::KeyLength);
    assert_eq!(*chain.view().unwrap().head_hash(), head);
    assert_eq!(signers.make(&mut chain, [], NOW).unwrap().head().header.parent, head);
}

#[test]
fn a_replica_that_executes_the_blocks_has_the_same_chain() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (chain, _) = made(folder.path());
    let view = chain.view().unwrap();
    let mut replica = Chain::create(other.path(), view.config()).unwrap();
    for height in 0..=view.height() {
        replica.follow(view.block(BlockId::Height(height)).unwrap()).into_result().unwrap();
    }
    let copy = replica.view().unwrap();
    assert_eq!((copy.head(), copy.head_hash()), (view.head(), view.head_hash()));
    for height in 0..=view.height() {
        let at = BlockId::Height(height);
        assert_eq!(copy.block(at).unwrap(), view.block(at).unwrap());
        let keys: [&[u8]; 2] = [b"alice", b"nobody"];
        assert_eq!(prove(&copy, height, &keys).unwrap(), prove(&view, height, &keys).unwrap());
    }
}

#[test]
fn a_replica_refuses_every_wrong_block() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (config, signers) = config();
    let mut chain = Chain::create(folder.path(), &config).unwrap();
    let mut replica = Chain::create(other.path(), &config).unwrap();
    for block in [vec![set("alice", "1")], vec![set("bob", "2"), set("carol", "3")]] {
        signers.make(&mut chain, block, NOW).unwrap();
    }
    let view = chain.view().unwrap();
    replica.follow(view.block(BlockId::Height(0)).unwrap()).into_result().unwrap();
    let good = view.block(BlockId::Height(1)).unwrap();

    let refused = |replica: &mut Chain, change: &dyn Fn(&mut Block)| {
        let mut block = good.clone();
        change(&mut block);
        let Verdict::Invalid(error) = replica.follow(block) else { panic!("valid") };
        assert_eq!(replica.height(), Some(0), "{error}");
        error.reason()
    };
    let signed = |block: &mut Block, change: &dyn Fn(&mut prooflight_core::chain::Header)| {
        let mut header = block.header.header.clone();
        change(&mut header);
        block.header = signers.sign(header);
    };
    assert_eq!(
        refused(&mut replica, &|block| block.header.header.timestamp_ms += 1),
        Reason::TooFewSignatures
    );
    assert_eq!(
        refused(&mut replica, &|block| block.header.signatures.truncate(1)),
        Reason::TooFewSignatures
    );
    assert_eq!(
        refused(&mut replica, &|block| signed(block, &|header| header.roots[0].1[5] ^= 1)),
        Reason::StateRootMismatch
    );
    assert_eq!(
        refused(&mut replica, &|block| block.body.operations[0] = set("bob", "9")),
        Reason::OperationsMismatch
    );
    assert_eq!(
        refused(&mut replica, &|block| block.body.transitions[0].1[1] ^= 1),
        Reason::RootMismatch
    );
    assert_eq!(
        refused(&mut replica, &|block| block.body.transitions.clear()),
        Reason::InvalidBlock
    );
    assert_eq!(
        refused(&mut replica, &|block| block.body.transitions[0].0 = 2),
        Reason::InvalidBlock
    );
    for change in [
        |header: &mut prooflight_core::chain::Header| header.height += 1,
        |header: &mut prooflight_core::chain::Header| header.parent[0] ^= 1,
        |header: &mut prooflight_core::chain::Header| header.history_root[0] ^= 1,
        |header: &mut prooflight_core::chain::Header| header.timestamp_ms = NOW,
    ] {
        assert_eq!(refused(&mut replica, &|block| signed(block, &change)), Reason::NotExtending);
    }
    // Operations that are not normalised, with a header that commits to them.
    for operations in [
        vec![set("carol", "3"), set("bob", "2")],
        vec![set("bob", "1"), set("bob", "2"), set("carol", "3")],
        vec![set("bob", "2"), set("carol", "3"), delete("nobody")],
    ] {
        let reason = refused(&mut replica, &|block| {
            block.body.operations.clone_from(&operations);
            signed(block, &|header| {
                header.ops_root = prooflight_core::chain::operations_root(&operations);
            });
        });
        assert_eq!(reason, Reason::InvalidBlock);
    }
    assert_eq!(*replica.follow(good).into_result().unwrap().head_hash(), *view.head_hash());
}

#[test]
fn pruned_states_are_unavailable_and_blocks_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (mut chain, _) = made(folder.path());
    let before = chain.view().unwrap();
    chain.prune(10).unwrap();
    let view = chain.view().unwrap();
    let prove = |view: &View, height| prove(view, height, &[b"alice"]);
    assert_eq!(prove(&view, 9).unwrap_err().reason(), Reason::VersionUnavailable);
    assert_eq!(prove(&view, 10).unwrap(), prove(&before, 10).unwrap());
    // An earlier view stays readable.
    prove(&before, 9).unwrap();
    assert_eq!(view.block(BlockId::Height(9)).unwrap(), before.block(BlockId::Height(9)).unwrap());
}

/// Copies a folder; the store must not be open.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_store_that_lost_an_acknowledged_block_is_not_opened() {
    let (folder, old) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (chain, signers) = made(folder.path());
    drop(chain);
    copy(folder.path(), old.path());
    let mut chain = Chain::open(folder.path()).unwrap();
    signers.make(&mut chain, [set("bob", "3")], NOW).unwrap();
    drop(chain);

    // The old store with the new anchor: the last block is lost.
    fs::copy(folder.path().join("anchor"), old.path().join("anchor")).unwrap();
    let refused = Chain::open(old.path()).unwrap_err();
    assert_eq!(refused.reason(), Reason::StoreCorrupt);
    assert!(refused.expected().contains("acknowledged"), "{refused}");

    // The new store with the old anchor, as after a kill between the two writes: the block is adopted.
    let anchor = folder.path().join("anchor");
    let height = Chain::open(folder.path()).unwrap().height();
    fs::remove_dir_all(old.path().join("store")).unwrap();
    let kept = fs::read(&anchor).unwrap();
    let mut chain = Chain::open(folder.path()).unwrap();
    signers.make(&mut chain, [set("bob", "4")], NOW).unwrap();
    drop(chain);
    fs::write(&anchor, kept).unwrap();
    assert_eq!(Chain::open(folder.path()).unwrap().height(), height.map(|height| height + 1));
}

#[test]
fn keys_that_are_no_authorities_or_too_few_make_no_blocks() {
    let (config, _) = config();
    let refused = Signers::new(&config, vec![generate_key().unwrap()]).unwrap_err();
    assert_eq!(refused.reason(), Reason::InvalidConfig);
    let refused = Signers::new(&config, vec![]).unwrap_err();
    assert!(refused.expected().contains('2'), "{refused}");
}

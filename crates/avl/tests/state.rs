//! The state of chains: every bit of an answer and of a block matters. The vectors state the rules.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_avl::state::{empty_state, state_params, verify_block, verify_keys};
use prooflight_avl::{AvlProver, Digest, Operation};
use prooflight_core::chain::{ChainLimits, Header, StateOperation, operations_root, state_key};
use prooflight_core::{Reason, Result, Scheme, Verified};

const LIMITS: ChainLimits = ChainLimits { max_key: 8, max_value: 16, max_ops: 64 };

/// A block with all inputs of its verifier.
#[derive(Clone)]
struct Block {
    before: Digest,
    header: Header,
    operations: Vec<StateOperation>,
    proof: Vec<u8>,
}

impl Block {
    fn new(prover: &mut AvlProver, operations: &[StateOperation]) -> Self {
        let before = prover.digest();
        let mut batch: Vec<_> = operations.iter().map(|it| (state_key(it.key()), it)).collect();
        batch.sort_by_key(|(key, _)| *key);
        let batch: Vec<_> = batch
            .iter()
            .map(|(key, operation)| match operation {
                StateOperation::Set { value, .. } => Operation::InsertOrUpdate { key, value },
                StateOperation::Delete { .. } => Operation::RemoveIfExists { key },
            })
            .collect();
        let proof = prover.apply_batch(&batch).unwrap().proof;
        let header = header(operations, &prover.digest());
        Self { before, header, operations: operations.to_vec(), proof }
    }

    fn verify(&self) -> Result<Digest> {
        verify_block(&self.before, &self.header, &self.operations, &self.proof, &LIMITS)
            .map(Verified::into_inner)
    }
}

fn header(operations: &[StateOperation], digest: &Digest) -> Header {
    Header {
        version: 1,
        chain: [1; 32],
        height: 7,
        parent: [2; 32],
        timestamp_ms: 3,
        ops_root: operations_root(operations),
        history_root: [4; 32],
        roots: vec![(Scheme::Avl.id(), digest.0.to_vec())],
    }
}

fn set(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> StateOperation {
    StateOperation::Set { key: key.into(), value: value.into() }
}

fn delete(key: impl Into<Vec<u8>>) -> StateOperation {
    StateOperation::Delete { key: key.into() }
}

/// A state of 40 keys, some of which were changed and deleted, and its last block.
fn state() -> (AvlProver, Block) {
    let mut prover = AvlProver::new(state_params(&LIMITS)).unwrap();
    assert_eq!(empty_state(), prover.digest());
    let key = |n: u8| format!("key {n:02}");
    Block::new(&mut prover, &(0..40).map(|n| set(key(n), [n; 3])).collect::<Vec<_>>());
    let mut operations = vec![set("", ""), delete(key(3)), set(key(4), "changed"), delete(key(31))];
    operations.push(set("z", "new"));
    let block = Block::new(&mut prover, &operations);
    (prover, block)
}

#[test]
fn every_bit_of_an_answer_matters() {
    let (prover, _) = state();
    let keys: [&[u8]; 2] = [b"key 04", b"absent"];
    let hashes = keys.map(state_key);
    let lookups = hashes.each_ref().map(|key| Operation::Lookup { key });
    let (digest, proof) = (prover.digest(), prover.prove_batch(&lookups).unwrap().proof);
    let accepts = |digest: &Digest, proof: &[u8]| {
        verify_keys(&header(&[], digest), &keys, proof, &LIMITS).is_ok()
    };
    every_bit(&proof, |proof| accepts(&digest, proof));
    every_bit(&digest.0, |bytes| Digest::try_from(bytes).is_ok_and(|it| accepts(&it, &proof)));
}

#[test]
fn every_bit_of_a_block_matters() {
    let (_, block) = state();
    every_bit(&block.proof, |proof| {
        Block { proof: proof.to_vec(), ..block.clone() }.verify().is_ok()
    });
    every_bit(&block.before.0, |digest| {
        let before = Digest::try_from(digest);
        before.is_ok_and(|before| Block { before, ..block.clone() }.verify().is_ok())
    });
    every_bit(&block.header.ops_root, |root| {
        let Ok(ops_root) = root.try_into() else { return false };
        let header = Header { ops_root, ..block.header.clone() };
        Block { header, ..block.clone() }.verify().is_ok()
    });
    every_bit(&block.header.roots[0].1, |root| {
        let mut block = block.clone();
        block.header.roots[0].1 = root.to_vec();
        block.verify().is_ok()
    });
}

/// Accepted bytes must be refused with a bit flipped, a byte less or a byte more.
#[track_caller]
fn every_bit(bytes: &[u8], accepts: impl Fn(&[u8]) -> bool) {
    assert!(accepts(bytes));
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(!accepts(&flipped), "bit {bit}");
    }
    for end in 0..bytes.len() {
        assert!(!accepts(&bytes[..end]), "{end} bytes");
    }
    assert!(!accepts(&[bytes, &[0]].concat()), "a byte more");
}

#[test]
fn a_delete_of_an_absent_key_names_the_raw_key() {
    let (mut prover, _) = state();
    let error = Block::new(&mut prover, &[delete("a")]).verify().unwrap_err();
    assert_eq!(error.reason(), Reason::KeyAbsent);
    assert!(error.expected().contains("0x61"), "{error}");
}

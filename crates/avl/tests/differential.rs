//! Random batches of every operation, compared with `ergo_avltree_rust`: same proofs, same digests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use bytes::Bytes;
use ergo_avltree_rust::authenticated_tree_ops::AuthenticatedTreeOps;
use ergo_avltree_rust::batch_avl_prover::BatchAVLProver;
use ergo_avltree_rust::batch_avl_verifier::BatchAVLVerifier;
use ergo_avltree_rust::batch_node::{AVLTree, Node, NodeHeader};
use ergo_avltree_rust::operation::{KeyDelta, KeyValue, Operation as PeerOperation};
use prooflight_avl::{AvlProver, Mode, OldValue, Operation, Params, verify_batch};
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};

#[derive(Clone, Copy)]
struct Shape {
    key_length: usize,
    value_length: Option<usize>,
    /// Distinct keys that operations draw from; few keys make many hits.
    keys: u32,
    batches: usize,
    operations: usize,
}

#[derive(Clone, Debug)]
struct Draw {
    op: u32,
    key: Vec<u8>,
    value: Vec<u8>,
    delta: i64,
}

impl Draw {
    fn ours(&self) -> Operation<'_> {
        let (key, value) = (&self.key[..], &self.value[..]);
        match self.op {
            0 => Operation::Lookup { key },
            1 => Operation::Insert { key, value },
            2 => Operation::Update { key, value },
            3 => Operation::InsertOrUpdate { key, value },
            4 => Operation::Remove { key },
            5 => Operation::RemoveIfExists { key },
            _ => Operation::UpdateLongBy { key, delta: self.delta },
        }
    }

    fn peer(&self) -> PeerOperation {
        let key = Bytes::copy_from_slice(&self.key);
        let kv = || KeyValue { key: key.clone(), value: Bytes::copy_from_slice(&self.value) };
        match self.op {
            0 => PeerOperation::Lookup(key),
            1 => PeerOperation::Insert(kv()),
            2 => PeerOperation::Update(kv()),
            3 => PeerOperation::InsertOrUpdate(kv()),
            4 => PeerOperation::Remove(key),
            5 => PeerOperation::RemoveIfExists(key),
            _ => PeerOperation::UpdateLongBy(KeyDelta { key: key.clone(), delta: self.delta }),
        }
    }
}

fn peer_tree(shape: Shape) -> AVLTree {
    let resolver = |digest: &[u8; 32]| Node::LabelOnly(NodeHeader::new(Some(*digest), None));
    AVLTree::new(resolver, shape.key_length, shape.value_length)
}

fn draw(rng: &mut StdRng, shape: Shape) -> Draw {
    // Spread over the key space, but never a sentinel.
    let n = rng.random_range(1..=shape.keys);
    let mut key = vec![0x5a; shape.key_length];
    let (few, spread) = (n.to_be_bytes(), n.wrapping_mul(0x9e37_79b9).to_be_bytes());
    let source = if shape.key_length < 4 { &few[3..] } else { &spread[..] };
    for (to, from) in key.iter_mut().zip(source) {
        *to = *from;
    }
    // Additions need values of eight bytes; other shapes leave them out.
    let long = shape.value_length.is_none_or(|n| n == 8);
    let op = rng.random_range(0..if long { 9 } else { 6 });
    let length = shape
        .value_length
        .unwrap_or_else(|| if rng.random() { 8 } else { rng.random_range(8..100) });
    let mut value = vec![0; length];
    rng.fill_bytes(&mut value);
    if long {
        value[..7].fill(0);
    }
    Draw { op, key, value, delta: rng.random_range(-3..=3) }
}

fn run(shape: Shape, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let params = Params::new(shape.key_length, shape.value_length);
    let mut ours = AvlProver::new(params).unwrap();
    let mut peer = BatchAVLProver::new(peer_tree(shape), false);
    for _ in 0..shape.batches {
        let count = rng.random_range(0..=shape.operations);
        let draws: Vec<Draw> = (0..count).map(|_| draw(&mut rng, shape)).collect();
        let ops: Vec<Operation<'_>> = draws.iter().map(Draw::ours).collect();
        let before = ours.digest();
        assert_eq!(before.0[..], peer.digest().unwrap()[..]);

        let batch = ours.apply_possible(&ops).unwrap();
        let mut succeeded = Vec::new();
        for ((draw, op), result) in draws.iter().zip(&ops).zip(&batch.results) {
            let peer_result = peer.perform_one_operation(&draw.peer());
            match (result, peer_result) {
                (Ok(old), Ok(peer_old)) => {
                    assert_eq!(old.as_deref(), peer_old.as_deref(), "{draw:?}");
                    succeeded.push((*op, old.clone(), draw.peer()));
                }
                (Err(_), Err(_)) => {}
                (a, b) => panic!("{draw:?}: ours {a:?}, peer {b:?}"),
            }
        }
        let peer_proof = peer.generate_proof();
        assert_eq!(hex::encode(&batch.proof), hex::encode(&peer_proof));
        assert_eq!(batch.digest.0[..], peer.digest().unwrap()[..]);

        // Both verifiers accept it and compute the same, Prooflight's in both modes.
        let ops: Vec<_> = succeeded.iter().map(|(op, ..)| *op).collect();
        for mode in [Mode::Strict, Mode::Compat] {
            let verified =
                verify_batch(&before, &ops, &batch.proof, &params.with_mode(mode)).unwrap();
            assert_eq!(verified.digest, batch.digest);
            for (result, (_, old, _)) in verified.results.iter().zip(&succeeded) {
                assert_eq!(result.value().map(AsRef::as_ref), old.as_deref());
                if let OldValue::Absent(neighbours) = result {
                    assert!(neighbours.previous.is_none_or(|key| key.len() == shape.key_length));
                }
            }
        }
        let digest = Bytes::copy_from_slice(&before.0);
        let mut verifier =
            BatchAVLVerifier::new(&digest, &peer_proof, peer_tree(shape), Some(ops.len()), None)
                .unwrap();
        for (_, old, op) in &succeeded {
            assert_eq!(verifier.perform_one_operation(op).unwrap().as_deref(), old.as_deref());
        }
        assert_eq!(verifier.digest().unwrap()[..], batch.digest.0[..]);
    }
}

#[test]
fn variable_values() {
    for seed in 0..40 {
        run(
            Shape { key_length: 32, value_length: None, keys: 400, batches: 12, operations: 60 },
            seed,
        );
    }
}

#[test]
fn fixed_values() {
    for seed in 0..40 {
        run(
            Shape { key_length: 32, value_length: Some(8), keys: 300, batches: 12, operations: 60 },
            seed,
        );
    }
}

#[test]
fn values_that_are_not_integers() {
    for seed in 0..10 {
        run(
            Shape { key_length: 20, value_length: Some(5), keys: 300, batches: 8, operations: 60 },
            seed,
        );
    }
}

#[test]
fn keys_of_one_byte() {
    for seed in 0..20 {
        run(
            Shape { key_length: 1, value_length: None, keys: 250, batches: 10, operations: 80 },
            seed,
        );
    }
}

#[test]
fn small_trees_that_grow_and_empty() {
    for seed in 0..200 {
        run(
            Shape { key_length: 8, value_length: Some(8), keys: 9, batches: 10, operations: 12 },
            seed,
        );
    }
}

#[test]
fn large_batches() {
    for seed in 0..2 {
        run(
            Shape {
                key_length: 32,
                value_length: Some(8),
                keys: 20_000,
                batches: 4,
                operations: 4000,
            },
            seed,
        );
    }
}

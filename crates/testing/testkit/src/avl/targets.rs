//! The fuzz targets; a panic is a finding.

use arbitrary::{Result, Unstructured};
use ergo_avltree_rust::authenticated_tree_ops::AuthenticatedTreeOps;
use prooflight_avl::{Digest, Mode, ergo};

use super::draw::EntryShape;
use super::honest::{HonestDictionary, assert_is_refusal};
use super::hostile::HostileBatch;
use super::model::DictionaryModel;
use super::mutation::{mutate_bytes, mutate_ops};
use super::op::{OwnedOperation, as_operations};
use super::peer;
use super::proof_parts::hash;
use crate::replay::FuzzTarget;

/// The targets that read operations and proofs, by name.
pub const TARGETS: [(&str, FuzzTarget); 4] = [
    ("avl_decode", avl_decode),
    ("avl_verify", avl_verify),
    ("avl_mutate", avl_mutate),
    ("avl_prover", avl_prover),
];

/// Verifies arbitrary bytes as digest, operations and proof.
pub fn avl_decode(u: &mut Unstructured<'_>) -> Result<()> {
    let shape = EntryShape::draw(u)?;
    let digest: [u8; 33] = u.arbitrary()?;
    let ops = shape.draw_ops(u, 5)?;
    let proof = u.bytes(u.len())?;
    let hostile = HostileBatch { digest, ..HostileBatch::new(shape, ops, proof.to_vec()) };
    hostile.check();
    if shape == (EntryShape { key_length: 32, value_length: None }) {
        let header = ergo::AdProofsHeader {
            parent_state_root: Digest(digest),
            state_root: Digest(digest),
            ad_proofs_root: hash(&[proof]),
        };
        match ergo::verify_ad_proofs(&header, &as_operations(&hostile.ops), proof) {
            Ok(batch) => assert_eq!(batch.digest, header.state_root),
            Err(error) => assert_is_refusal(&error),
        }
    }
    Ok(())
}

/// Verifies a tree of any shape under a digest that matches it.
pub fn avl_verify(u: &mut Unstructured<'_>) -> Result<()> {
    HostileBatch::draw(u)?.check();
    Ok(())
}

/// Changes a true statement about an honest dictionary: if it is still accepted, it must be true.
pub fn avl_mutate(u: &mut Unstructured<'_>) -> Result<()> {
    let shape = EntryShape::draw(u)?;
    let mut honest = HonestDictionary::draw(u, shape, 40)?;
    let statement = honest.state(shape.draw_ops(u, 8)?);
    for mode in [Mode::Strict, Mode::Compat] {
        honest.judge(&statement.ops, &statement.proof, mode).expect("an honest proof");
    }

    let other = honest.state(shape.draw_ops(u, 4)?);
    let (mut ops, mut proof) = (statement.ops.clone(), statement.proof.clone());
    match u.int_in_range(0..=9)? {
        0 | 1 => mutate_ops(u, &mut ops, shape)?,
        2 => {
            mutate_ops(u, &mut ops, shape)?;
            mutate_bytes(u, &mut proof, &other.proof)?;
        }
        3 => proof = honest.show_more(&statement, &other),
        4 => proof = honest.show_less(u, &statement)?,
        // A stale proof.
        5 => honest.apply(&other.ops),
        _ => mutate_bytes(u, &mut proof, &other.proof)?,
    }
    for mode in [Mode::Strict, Mode::Compat] {
        // The judge checks that it is refused or true.
        let _ = honest.judge(&ops, &proof, mode);
    }
    Ok(())
}

/// Proves arbitrary batches, and compares with the model and the peer.
pub fn avl_prover(u: &mut Unstructured<'_>) -> Result<()> {
    let shape = EntryShape::draw(u)?;
    let mut honest = HonestDictionary::new(shape);
    let mut peer = peer::prover(shape);
    for _ in 0..u.int_in_range(1..=5)? {
        let ops = shape.draw_ops(u, 25)?;
        let before = honest.clone();
        all_or_nothing(&honest, &ops);

        let operations = as_operations(&ops);
        let batch = honest.prover.apply_possible(&operations).unwrap();
        let mut done = Vec::new();
        for (op, result) in ops.iter().zip(batch.results) {
            let expected = honest.model.apply(op);
            let result = result.map(|old| old.map(|old| old.to_vec()));
            assert_eq!(result.map_err(|error| error.reason()), expected, "{op:?}");
            if let Ok(old) = expected {
                let peers = peer::quietly(|| peer.perform_one_operation(&op.to_peer()));
                let peers = peers.expect("no panic").expect("no failure");
                assert_eq!(peers.as_deref(), old.as_deref());
                done.push(op.clone());
            }
        }
        assert_eq!(batch.digest, honest.digest());
        assert!(honest.prover.iter().eq(honest.model.entries()));
        assert_eq!(batch.proof[..], peer.generate_proof()[..]);
        assert_eq!(batch.digest.0[..], peer.digest().unwrap()[..]);

        for mode in [Mode::Strict, Mode::Compat] {
            before.judge(&done, &batch.proof, mode).expect("an honest proof");
        }
        let read_again = HostileBatch::new(shape, done, batch.proof);
        assert_eq!(read_again.root.map(|root| root.label), Some(*before.digest().root()));
    }
    Ok(())
}

/// Checks that `prove_batch` and `apply_batch` agree, and do nothing if an operation fails.
fn all_or_nothing(honest: &HonestDictionary, ops: &[OwnedOperation]) {
    let mut model: DictionaryModel = honest.model.clone();
    let failed = ops.iter().enumerate().find_map(|(at, op)| Some((at, model.apply(op).err()?)));
    let mut applied = honest.prover.clone();
    let proved = applied.prove_batch(&as_operations(ops));
    assert_eq!(applied.apply_batch(&as_operations(ops)), proved);
    match (proved, failed) {
        (Ok(batch), None) => assert_eq!(applied.digest(), batch.digest),
        (Err(error), Some((at, reason))) => {
            assert_eq!(error.reason(), reason);
            assert!(error.found().starts_with(&format!("operation {at}:")), "{error}");
            assert_eq!(applied.digest(), honest.digest());
            assert!(applied.iter().eq(honest.model.entries()));
        }
        (proved, failed) => panic!("{proved:?}, the model {failed:?}"),
    }
}

//! Checks that both verifiers get the same cases and the same work.

use prooflight_avl::{AvlProver, Digest, Params};
use prooflight_bench::{BatchCase, LabelCounts, PeerCase, Result, VerifierCases, read, write};
use prooflight_json::HexBytes;
use prooflight_vectors::avl::AvlOp;

/// The first insert into an empty dictionary.
fn first_insert(value: Vec<u8>) -> Result<BatchCase> {
    let params = Params::new(32, None);
    let mut prover = AvlProver::new(params)?;
    let before = prover.digest();
    let ops = vec![AvlOp::Insert { key: HexBytes(vec![7; 32]), value: HexBytes(value) }];
    let batch = prover.apply_batch(&[ops[0].borrow()])?;
    Ok(BatchCase { params, before, after: batch.digest, ops, proof: batch.proof })
}

#[test]
fn a_case_survives_its_vector_file_and_both_verifiers_accept_it() {
    let case = first_insert(vec![1, 2, 3]).unwrap();
    let json = write(&[case.clone(), case.clone()]).unwrap();
    assert_eq!(read(&json).unwrap()[1].params, case.params);
    for cases in [VerifierCases::ours(&json).unwrap(), VerifierCases::peer(&json).unwrap()] {
        assert_eq!(cases.verify().unwrap(), [case.after; 2]);
    }
}

#[test]
fn both_verifiers_refuse_a_case_with_another_digest() {
    let mut case = first_insert(vec![1, 2, 3]).unwrap();
    case.before = Digest([9; 33]);
    let json = write(&[case]).unwrap();
    for cases in [VerifierCases::ours(&json).unwrap(), VerifierCases::peer(&json).unwrap()] {
        cases.verify().unwrap_err();
    }
}

#[test]
fn every_label_that_a_verifier_needs_is_counted() {
    // The proof expands the only leaf; afterwards there are two leaves and their parent.
    let work = |value| PeerCase::new(&first_insert(value).unwrap()).work().unwrap();
    assert_eq!(work(vec![0; 8]), LabelCounts { labels: 4, compressions: 4 });
    // 1 + 32 + 192 + 32 bytes take a third block.
    assert_eq!(work(vec![0; 192]), LabelCounts { labels: 4, compressions: 6 });
}

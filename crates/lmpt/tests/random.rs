//! Random layers and proofs: the body of the fuzz target, and the body of a proof read as borsh reads it.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use arbitrary::Unstructured;
use prooflight_core::{Limits, Reason};
use prooflight_lmpt::verify;
use prooflight_testkit::lmpt::draw::{change_bytes, keys, layers};
use prooflight_testkit::lmpt::targets::lmpt_proof;
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

#[test]
fn what_is_accepted_is_true() {
    let mut read = 0;
    for seed in 0..4000 {
        println!("seed {seed}");
        read += usize::from(lmpt_proof(&mut Unstructured::new(&random(seed))).is_ok());
    }
    assert!(read > 3000, "{read}");
}

/// The three lists, as borsh encodes them.
type Lists = [Vec<Vec<u8>>; 3];

#[test]
fn a_body_that_is_not_borsh_is_refused_as_such() {
    let mut broken = 0;
    for seed in 0..3000 {
        let data = random(seed);
        let u = &mut Unstructured::new(&data);
        let (layers, keys) = (layers(u).unwrap(), keys(u).unwrap());
        let mut proof = layers.prove(&keys);
        change_bytes(u, &mut proof).unwrap();
        if proof.get(..3) != Some(&[1, 5, 1]) {
            continue;
        }
        let asked: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let found = verify(&layers.roots(), &asked, &proof, &Limits::DEFAULT);
        let found = found.map_err(|error| error.reason()).err();
        let mut body = &proof[3..];
        let read: Result<Lists, _> = borsh::BorshDeserialize::deserialize(&mut body);
        let expected = match read {
            Err(_) => Reason::InvalidEncoding,
            Ok(_) if !body.is_empty() => Reason::TrailingBytes,
            Ok(_) => continue,
        };
        assert_eq!(found, Some(expected), "seed {seed}");
        broken += 1;
    }
    assert!(broken > 100, "{broken}");
}

fn random(seed: u64) -> Vec<u8> {
    let mut data = vec![0; 700];
    StdRng::seed_from_u64(seed).fill_bytes(&mut data);
    data
}

//! Trees that no honest prover makes, under digests that match them: the verifier's two modes, an
//! independent hasher and the Rust peer must agree about every one of them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests say what they expect by panicking"
)]

mod harness;

use arbitrary::Unstructured;
use harness::hostile::Hostile;
use harness::op::ours;
use prooflight_avl::{Digest, Mode, verify_batch};
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

#[test]
fn both_modes_the_hasher_and_the_peer_agree() {
    let mut accepted = [0, 0];
    for seed in 0..8000 {
        let mut data = vec![0; 3000];
        StdRng::seed_from_u64(seed).fill_bytes(&mut data);
        let hostile = Hostile::draw(&mut Unstructured::new(&data)).unwrap();
        hostile.check();
        for (mode, accepted) in [Mode::Strict, Mode::Compat].into_iter().zip(&mut accepted) {
            let params = hostile.shape.params(mode);
            let ops = ours(&hostile.ops);
            let answer = verify_batch(&Digest(hostile.digest), &ops, &hostile.proof, &params);
            *accepted += usize::from(!ops.is_empty() && answer.is_ok());
        }
    }
    // Many of them reach the operations and pass, more in compat mode.
    let [strict, compat] = accepted;
    assert!(strict > 500 && compat > strict + 200, "{accepted:?}");
}

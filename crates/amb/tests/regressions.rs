//! Inputs of the fuzz target, run again, and random ones.

use arbitrary::Unstructured;
use prooflight_testkit::amb::targets::{TARGETS, amb_proof};
use prooflight_testkit::replay::replay;
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

#[test]
fn inputs_of_the_fuzz_target() {
    replay(env!("CARGO_MANIFEST_DIR"), &TARGETS);
}

#[test]
fn random_inputs() {
    for seed in 0..3000 {
        let mut data = vec![0; 1000];
        StdRng::seed_from_u64(seed).fill_bytes(&mut data);
        println!("seed {seed}");
        // An input that ends too early is skipped.
        let _ = amb_proof(&mut Unstructured::new(&data));
    }
}

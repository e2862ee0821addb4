//! Inputs of the fuzz target, run again.

use prooflight_testkit::lvmt::targets::lvmt_proof;
use prooflight_testkit::replay::replay;

#[test]
fn inputs_of_the_fuzz_target() {
    replay(env!("CARGO_MANIFEST_DIR"), &[("lvmt_proof", lvmt_proof)]);
}

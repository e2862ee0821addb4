//! Inputs of the fuzz target, run again.

mod harness;
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn inputs_of_the_fuzz_target() {
    replay::replay(&[("lvmt_proof", harness::targets::lvmt_proof)]);
}

//! Inputs of the fuzz targets, run again.

mod harness;
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn inputs_of_the_fuzz_targets() {
    replay::replay(&harness::targets::TARGETS);
}

//! Inputs of the fuzz targets, run again.

use prooflight_testkit::replay::replay;
use prooflight_testkit::smt::targets::TARGETS;

#[test]
fn inputs_of_the_fuzz_targets() {
    replay(env!("CARGO_MANIFEST_DIR"), &TARGETS);
}

//! Inputs of the fuzz targets, run again.

use prooflight_testkit::evm::targets::TARGETS;
use prooflight_testkit::replay::replay;

#[test]
fn inputs_of_the_fuzz_targets() {
    replay(env!("CARGO_MANIFEST_DIR"), &TARGETS);
}

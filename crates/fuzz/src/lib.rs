//! The fuzz targets' work, shared with the tests of the crates, which replay what fuzzing found.

#[path = "../../amt/tests/harness/mod.rs"]
pub mod amt;

#[path = "../../avl/tests/harness/mod.rs"]
pub mod harness;

#[path = "../../mpt/tests/harness/mod.rs"]
pub mod mpt;

#[path = "../../smt/tests/harness/mod.rs"]
pub mod smt;

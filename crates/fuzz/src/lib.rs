//! The fuzz targets' work, shared with the tests of the crates, which replay what fuzzing found.

#[path = "../../amt/tests/harness/mod.rs"]
pub mod amt;

#[path = "../../avl/tests/harness/mod.rs"]
pub mod harness;

#[path = "../../lvmt/tests/harness/mod.rs"]
pub mod lvmt;

#[path = "../../mpt/tests/harness/mod.rs"]
pub mod mpt;

#[path = "../../smt/tests/harness/mod.rs"]
pub mod smt;

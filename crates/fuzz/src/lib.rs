//! The fuzz targets' work, shared with the tests of `crates/avl`, which replay what fuzzing found.

#[path = "../../avl/tests/harness/mod.rs"]
pub mod harness;

//! Shared by the tests and the fuzz targets of `crates/testing/fuzz`: a plain tree and its prover, and the judges of
//! what the verifiers accept.

pub mod draw;
pub mod judge;
pub mod plain;
pub mod targets;

//! What the tests share with each other and with the fuzz targets of `crates/fuzz`: a plain tree and its
//! prover, and the judges of what the verifiers accept.
#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(unreachable_pub, reason = "a test crate exports nothing")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "tests say what they expect by panicking"
)]

pub mod draw;
pub mod judge;
pub mod plain;
pub mod targets;

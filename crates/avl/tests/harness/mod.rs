//! What the hostile tests share with the fuzz targets of `crates/fuzz`: a model dictionary, an
//! independent reading of proofs, the peer, and the judges of what our verifier accepts.
#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(unreachable_pub, reason = "a test crate exports nothing")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "tests say what they expect by panicking"
)]

pub mod anatomy;
pub mod draw;
pub mod honest;
pub mod hostile;
pub mod model;
pub mod mutation;
pub mod op;
pub mod peer;
pub mod targets;

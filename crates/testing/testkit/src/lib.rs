//! Shared by tests, fuzz targets and generators of vectors: models of each scheme, provers that can lie,
//! judges of what the verifiers accept, and the fuzz targets.

#![forbid(unsafe_code)]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::cast_possible_truncation,
    reason = "tests fail by panicking, and their states are small"
)]

#[cfg(feature = "amb")]
pub mod amb;
#[cfg(feature = "amt")]
pub mod amt;
#[cfg(feature = "avl")]
pub mod avl;
#[cfg(feature = "beacon")]
pub mod beacon;
#[cfg(feature = "commits")]
pub mod commits;
pub mod damage;
#[cfg(feature = "ethereum")]
pub mod ethereum;
#[cfg(feature = "evm")]
pub mod evm;
pub mod kill;
#[cfg(feature = "lmpt")]
pub mod lmpt;
#[cfg(feature = "lvmt")]
pub mod lvmt;
#[cfg(feature = "mpt")]
pub mod mpt;
pub mod replay;
#[cfg(feature = "smt")]
pub mod smt;
pub mod store;

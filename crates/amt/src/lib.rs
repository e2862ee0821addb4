//! Vector commitments over BN254 with short openings, verified in one multi-pairing.
//!
//! Source: `papers/lvmt.txt` section 4 (authenticated multipoint evaluation tree); the formats are in
//! `test-vectors/SPEC.md`.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "prover")]
extern crate std;

mod dev;
mod domain;
mod key;
mod msm;
mod opening;
mod pairing;
mod point;
#[cfg(feature = "prover")]
mod prover;
mod scalar;
mod transcript;
mod verify;

pub use domain::MAX_LOG_N;
pub use key::VerifyingKey;
pub use opening::{Kind, Opening};
pub use point::{INFINITY, PointBytes};
#[cfg(feature = "prover")]
pub use prover::{Change, Class, Parts, Point, Progress, Setup, Tables, TreeState};
pub use scalar::{SLOTS, Scalar, VERSION_BITS};
pub use verify::verify_openings;

//! Vector commitments over BN254 with short openings, verified in one multi-pairing.
//!
//! Source: `papers/lvmt.txt` section 4 (authenticated multipoint evaluation tree); the formats are in
//! `test-vectors/SPEC.md`.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "prover")]
extern crate std;

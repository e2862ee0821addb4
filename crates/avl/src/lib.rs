//! AVL+ batch proofs, byte-compatible with scorex, Ergo and `ergo_avltree_rust`.
#![cfg_attr(not(feature = "prover"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod operation;
mod params;

pub use operation::{Operation, Value};
pub use params::{Digest, LABEL_LENGTH, Label, MAX_KEY_LENGTH, Mode, Params};

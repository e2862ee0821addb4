//! Shared by the hostile tests and the fuzz targets of `crates/testing/fuzz`: a model dictionary, an
//! independent decoder of proofs, the peer, and the judges of what our verifier accepts.

pub mod draw;
pub mod honest;
pub mod hostile;
pub mod model;
pub mod mutation;
pub mod op;
pub mod peer;
pub mod proof_parts;
pub mod targets;

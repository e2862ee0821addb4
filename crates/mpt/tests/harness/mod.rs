//! What the hostile tests share with the fuzz targets of `crates/fuzz`: models of tries and states, a
//! second verifier, and the judges of what ours accepts.
#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(unreachable_pub, reason = "a test crate exports nothing")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "tests say what they expect by panicking"
)]

pub mod honest;
pub mod hostile;
pub mod mutation;
pub mod oracle;
pub mod rlp;
pub mod state;
pub mod targets;

/// Nodes as the verifier takes them.
pub fn slices(nodes: &[Vec<u8>]) -> Vec<&[u8]> {
    nodes.iter().map(Vec::as_slice).collect()
}

//! Shared by the hostile tests and the fuzz targets of `crates/testing/fuzz`: models of tries and states, a second
//! verifier, and the judges of what our verifier accepts.

pub mod honest;
pub mod hostile;
pub mod mutation;
pub mod oracle;
pub mod rlp;
pub mod state;
pub mod targets;

/// Nodes in the form that the verifier takes.
pub fn slices(nodes: &[Vec<u8>]) -> Vec<&[u8]> {
    nodes.iter().map(Vec::as_slice).collect()
}
